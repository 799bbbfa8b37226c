/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/type_warnings.c - lists of warnings about types.
 */
#include "engine/type_warnings.h"

#include <string.h>

#include "base/limits.h"

void fx_type_warnings_init(struct fx_type_warnings *warnings) {
    *warnings = (struct fx_type_warnings){.items = NULL};
    fx_arena_init(&warnings->arena, FX_LIMIT_TYPE_WARNING_BYTES);
}

void fx_type_warnings_finish(struct fx_type_warnings *warnings) {
    fx_arena_finish(&warnings->arena);
    warnings->n_items = 0;
}

size_t fx_type_warnings_count_same(const struct fx_type_warnings *warnings,
                                   size_t first) {
    size_t n = 1;
    while (first + n < warnings->n_items &&
           strcmp(warnings->items[first + n].field, warnings->items[first].field) == 0) {
        n++;
    }
    return n;
}

void fx_type_warnings_print(struct fx_buf *buf, const struct fx_type_warning *items,
                            size_t n) {
    for (size_t i = 0; i < n; i++) {
        fx_buf_printf(buf, "%s%s: ", i == 0 ? "" : "\n", items[i].kind);
        fx_buf_str(buf, items[i].text);
    }
}
