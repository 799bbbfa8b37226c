/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/leaves.c - the leaves of what changed.
 */
#include "analysis/leaves.h"

#include <stdlib.h>
#include <string.h>

#include "value/pointer.h"

void fx_leaves_finish(struct leaves *leaves) {
    for (size_t i = 0; i < leaves->n_paths; i++) {
        free(leaves->paths[i]);
    }
    leaves->n_paths = 0;
}

/* Goes down from the value at the path in `at`, which is the same again afterwards. */
static bool descend(struct leaves *leaves, json_t *value, struct fx_buf *at) {
    const size_t len = at->len;
    bool ok = true;
    if (json_object_size(value) > 0) {
        for (void *field = json_object_iter(value);
             ok && field != NULL && leaves->n_paths < LEAVES_MAX;
             field = json_object_iter_next(value, field)) {
            const struct fx_text key = {json_object_iter_key(field),
                                        json_object_iter_key_len(field)};
            fx_pointer_push(at, key);
            ok = descend(leaves, json_object_iter_value(field), at);
            at->len = len;
        }
        return ok;
    }
    if (json_array_size(value) > 0) {
        for (size_t i = 0;
             ok && i < json_array_size(value) && leaves->n_paths < LEAVES_MAX; i++) {
            fx_pointer_push_index(at, i);
            ok = descend(leaves, json_array_get(value, i), at);
            at->len = len;
        }
        return ok;
    }
    char *path = at->failed ? NULL : fx_text_dup((struct fx_text){at->data, at->len});
    if (path == NULL) {
        return false;
    }
    leaves->paths[leaves->n_paths++] = path;
    return true;
}

static bool add(struct leaves *leaves, struct fx_text path, json_t *value,
                struct fx_buf *at) {
    if (value == NULL || leaves->n_paths == LEAVES_MAX) {
        return true;
    }
    fx_buf_reset(at);
    fx_buf_str(at, "");
    fx_buf_text(at, path);
    return descend(leaves, value, at);
}

bool fx_leaves_find(struct analyzer *analyzer, json_t *before, json_t *after,
                    struct leaves *ret_leaves, struct fx_err *err) {
    struct fx_patch patch;
    ret_leaves->n_paths = 0;
    if (!fx_analyzer_diff(analyzer, before, after, &patch, err)) {
        return false;
    }
    struct fx_buf at = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < patch.n_ops; i++) {
        ok = add(ret_leaves, patch.ops[i].path, patch.ops[i].value, &at) &&
             add(ret_leaves, patch.ops[i].path, patch.ops[i].old, &at);
    }
    fx_buf_finish(&at);
    if (!ok) {
        fx_leaves_finish(ret_leaves);
    }
    return ok || fx_fail_nomem(err);
}
