/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/previous_index.c - what the previous build had, and what of it stays.
 */
#include "policy/build.h"

#include <stdlib.h>
#include <string.h>

#include "policy/findings.h"

void fx_previous_index_finish(struct fx_previous_index *index) {
    free(index->files);
    index->files = NULL;
}

/* By name, then as they were read: all files are in one array. */
static int compare_file(const struct fx_policy_file *file, const char *name,
                        const struct fx_policy_file *from) {
    const int order = strcmp(file->file, name);
    return order != 0 ? order : (file > from) - (file < from);
}

static int compare_files(const void *a, const void *b) {
    const struct fx_policy_file *const *x = a;
    const struct fx_policy_file *const *y = b;
    return compare_file(*x, (*y)->file, *y);
}

static bool sort_files(struct fx_previous_index *index) {
    const size_t n = index->policies->n_files;
    index->files = calloc(n + 1, sizeof *index->files);
    if (index->files == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        index->files[i] = &index->policies->files[i];
    }
    qsort(index->files, n, sizeof *index->files, compare_files);
    return true;
}

/* The first file of that name from `from` on; NULL where there is none. */
static const struct fx_policy_file *find_from(const struct fx_previous_index *index,
                                              const char *name,
                                              const struct fx_policy_file *from) {
    const size_t n = index->policies->n_files;
    size_t low = 0;
    size_t high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_file(index->files[middle], name, from) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < n && strcmp(index->files[low]->file, name) == 0 ? index->files[low]
                                                                 : NULL;
}

bool fx_previous_index_find_file(struct fx_previous_index *index, const char *name,
                                 const struct fx_policy_file **ret_file) {
    const struct fx_policies *policies = index->policies;
    *ret_file = NULL;
    if (policies == NULL || policies->n_files == 0) {
        return true;
    }
    const struct fx_policy_file *file =
        &policies->files[index->cursor % policies->n_files];
    if (strcmp(file->file, name) != 0) {
        if (index->files == NULL && !sort_files(index)) {
            return false;
        }
        const struct fx_policy_file *later = find_from(index, name, file);
        file = later != NULL ? later : find_from(index, name, policies->files);
    }
    if (file != NULL) {
        index->cursor = (size_t)(file - policies->files) + 1;
        *ret_file = file;
    }
    return true;
}

/* ---- what stays ------------------------------------------------------------------ */

struct fx_unit *fx_build_find_previous(const struct fx_build *build,
                                       const struct fx_kind *kind,
                                       struct fx_text namespace_, struct fx_text name) {
    const struct fx_policies *policies = build->previous->policies;
    return policies == NULL ? NULL
                            : fx_units_find(&policies->units, kind, namespace_, name);
}

static bool keep_file(struct fx_build *build, const struct fx_policy_file *before) {
    for (size_t i = 0; i < before->n_units; i++) {
        if (!fx_build_keep_unit(build, before->units[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < before->n_namespaces; i++) {
        if (!fx_build_keep_namespace(build, before->namespaces[i])) {
            return false;
        }
    }
    return true;
}

bool fx_build_fall_back_file(struct fx_build *build, bool *ret_stays) {
    const struct fx_policy_file *before = build->before;
    *ret_stays = before != NULL && before->n_units + before->n_namespaces > 0;
    return before == NULL || keep_file(build, before);
}

bool fx_build_repeat_file(struct fx_build *build, const struct fx_policies *from,
                          const struct fx_policy_file *before) {
    const struct fx_finding *found = from->findings.items;
    build->file->has_others = before->has_others;
    for (size_t i = 0; i < before->n_findings; i++) {
        if (!fx_findings_copy(&build->next->findings,
                              &found[before->first_finding + i])) {
            return false;
        }
    }
    return keep_file(build, before);
}
