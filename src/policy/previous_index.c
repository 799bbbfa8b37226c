/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/previous_index.c - finds files and units of the previous build, and keeps them.
 */
#include "policy/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "policy/findings.h"

void fx_previous_index_finish(struct fx_previous_index *index) {
    free(index->files);
    index->files = NULL;
}

/* All files are in one array, ordered by name, then as they were read. A file is found by
 * its name and the first position that it may have. */
struct file_key {
    const char *name;
    const struct fx_policy_file *from;
};

static int compare_key(const void *a, const void *b) {
    const struct file_key *key = a;
    const struct fx_policy_file *file = *(const struct fx_policy_file *const *)b;
    const int order = strcmp(key->name, file->file);
    return order != 0 ? order : (key->from > file) - (key->from < file);
}

static int compare_files(const void *a, const void *b) {
    const struct fx_policy_file *file = *(const struct fx_policy_file *const *)a;
    return compare_key(&(struct file_key){file->file, file}, b);
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

/* Returns the first file of that name from `from` on; NULL if there is none. */
static const struct fx_policy_file *find_from(const struct fx_previous_index *index,
                                              const char *name,
                                              const struct fx_policy_file *from) {
    const size_t n = index->policies->n_files;
    const struct file_key key = {name, from};
    bool found = false;
    const size_t at =
        fx_sorted_find(index->files, n, sizeof *index->files, &key, compare_key, &found);
    return at < n && strcmp(index->files[at]->file, name) == 0 ? index->files[at] : NULL;
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
