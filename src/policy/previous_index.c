/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/previous_index.c - two sorted lists.
 */
#include "policy/previous_index.h"

#include <stdlib.h>
#include <string.h>

void fx_previous_index_finish(struct fx_previous_index *index) {
    free(index->files);
    free(index->items);
    index->files = NULL;
    index->items = NULL;
}

/* ---- files ----------------------------------------------------------------------- */

/* By name, then as they were read: all files are in one array. */
static int compare_place(const struct fx_policy_file *file, const char *name,
                         const struct fx_policy_file *place) {
    const int order = strcmp(file->file, name);
    return order != 0 ? order : (file > place) - (file < place);
}

static int compare_files(const void *a, const void *b) {
    const struct fx_policy_file *const *x = a;
    const struct fx_policy_file *const *y = b;
    return compare_place(*x, (*y)->file, *y);
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

/* The first file of that name from `place` on; NULL where there is none. */
static const struct fx_policy_file *find_from(const struct fx_previous_index *index,
                                              const char *name,
                                              const struct fx_policy_file *place) {
    const size_t n = index->policies->n_files;
    size_t low = 0;
    size_t high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_place(index->files[middle], name, place) < 0) {
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

/* ---- policies -------------------------------------------------------------------- */

static int compare_subjects(const struct fx_subject *a, const struct fx_subject *b) {
    int order = fx_text_compare(a->name, b->name);
    order = order != 0 ? order : fx_text_compare(a->kind, b->kind);
    order = order != 0 ? order : fx_text_compare(a->group, b->group);
    return order != 0 ? order : fx_text_compare(a->namespace_, b->namespace_);
}

static int compare_items(const void *a, const void *b) {
    const struct fx_previous_item *x = a;
    const struct fx_previous_item *y = b;
    const int order = compare_subjects(&x->subject, &y->subject);
    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

static void add_item(struct fx_previous_index *index, const struct fx_subject *subject,
                     struct fx_mutator *mutator, struct fx_resource *resource) {
    struct fx_previous_item *item = &index->items[index->n_items];
    *item = (struct fx_previous_item){
        .subject = *subject,
        .mutator = mutator,
        .resource = resource,
        .at = index->n_items++,
    };
}

static bool sort_items(struct fx_previous_index *index) {
    const struct fx_snapshot *snapshot = index->policies->snapshot;
    index->items =
        calloc(snapshot->n_mutators + snapshot->n_resources + 1, sizeof *index->items);
    if (index->items == NULL) {
        return false;
    }
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        struct fx_mutator *mutator = snapshot->mutators[i];
        const struct fx_subject subject = {.group = fx_text_of(mutator->group),
                                           .kind = fx_text_of(mutator->kind),
                                           .name = fx_text_of(mutator->name),
                                           .namespace_ = fx_text_of(mutator->namespace_)};
        add_item(index, &subject, mutator, NULL);
    }
    for (size_t i = 0; i < snapshot->n_resources; i++) {
        struct fx_subject subject;
        fx_subject_read(snapshot->resources[i]->source, &subject);
        subject.namespace_ = (struct fx_text){0};
        add_item(index, &subject, NULL, snapshot->resources[i]);
    }
    qsort(index->items, index->n_items, sizeof *index->items, compare_items);
    return true;
}

/* The index of the first item whose policy is not before the subject's. */
static size_t lower_bound(const struct fx_previous_index *index,
                          const struct fx_subject *subject) {
    size_t low = 0;
    size_t high = index->n_items;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_subjects(&index->items[middle].subject, subject) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool fx_previous_index_find(struct fx_previous_index *index,
                            const struct fx_subject *subject,
                            const struct fx_previous_item **ret_first, size_t *ret_n) {
    *ret_first = NULL;
    *ret_n = 0;
    if (index->policies == NULL) {
        return true;
    }
    if (index->items == NULL && !sort_items(index)) {
        return false;
    }
    const size_t first = lower_bound(index, subject);
    size_t end = first;
    while (end < index->n_items &&
           compare_subjects(&index->items[end].subject, subject) == 0) {
        end++;
    }
    *ret_first = &index->items[first];
    *ret_n = end - first;
    return true;
}
