/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/conflicts_print.c - Gatekeeper's words for a conflict.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/conflicts.h"

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *print_id(const struct fx_mutator *mutator) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_mutator_print_id(&buf, mutator);
    char *text = fx_buf_steal(&buf);
    fx_buf_finish(&buf);
    return text;
}

void fx_conflicts_print(const struct fx_conflicts *conflicts, size_t index,
                        struct fx_mutator *const *mutators, struct fx_buf *buf) {
    const struct fx_conflict_set *set = &conflicts->sets[index];
    char **ids = calloc(set->n_members + 1, sizeof *ids);
    size_t n_ids = 0;
    bool ok = ids != NULL;
    while (ok && n_ids < set->n_members) {
        ids[n_ids] = print_id(mutators[set->members[n_ids]]);
        ok = ids[n_ids] != NULL;
        n_ids += ok ? 1 : 0;
    }
    if (ok) {
        qsort(ids, n_ids, sizeof *ids, compare_texts);
        fx_buf_str(buf, "the following mutators have conflicting schemas: [");
        for (size_t i = 0; i < n_ids; i++) {
            fx_buf_str(buf, i > 0 ? "," : "");
            fx_buf_str(buf, ids[i]);
        }
        fx_buf_char(buf, ']');
    }
    buf->failed = buf->failed || !ok;
    for (size_t i = 0; i < n_ids; i++) {
        free(ids[i]);
    }
    free(ids);
}
