/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_part_testing.h - for tests: prints a tree of needed parts, such as `a{b*
 * c}`: the whole a.b, and the type of a.c. `l[]{n*}` concerns the elements of a list.
 */
#ifndef FX_VALUE_JSON_PART_TESTING_H
#define FX_VALUE_JSON_PART_TESTING_H

#include "base/buf.h"
#include "value/json_part.h"

/* Wants the value at the end of the path. False without memory. */
static inline bool part_testing_add(struct fx_json_part *root, const struct fx_text *path,
                                    size_t n_keys) {
    struct fx_json_cursor cursor = {.part = root};
    bool ok = true;
    for (size_t i = 0; ok && i < n_keys; i++) {
        ok = fx_json_cursor_member(&cursor, path[i]);
    }
    fx_json_cursor_all(cursor);
    fx_json_part_prune(root);
    return ok;
}

static inline void part_testing_print(struct fx_buf *buf,
                                      const struct fx_json_part *part);

/* In the order in which they were added. */
static inline void part_testing_print_from(struct fx_buf *buf,
                                           const struct fx_json_part *part) {
    if (part != NULL) {
        part_testing_print_from(buf, part->next);
        fx_buf_str(buf, part->next != NULL ? " " : "");
        fx_buf_text(buf, part->key);
        part_testing_print(buf, part);
    }
}

static inline void part_testing_print(struct fx_buf *buf,
                                      const struct fx_json_part *part) {
    fx_buf_str(buf, part->is_list ? "[]" : "");
    fx_buf_str(buf, part->omits_rest ? "" : "*");
    if (part->first != NULL) {
        fx_buf_char(buf, '{');
        part_testing_print_from(buf, part->first);
        fx_buf_char(buf, '}');
    }
}

#endif
