/* SPDX-License-Identifier: Apache-2.0
 *
 * concatenate.c - `+` of texts and lists.
 */
#include <string.h>

#include "base/budget.h"
#include "location/cel/operators.h"

static struct fx_cel_value join_texts(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    const struct fx_text left = args[0].text;
    const struct fx_text right = args[1].text;
    const size_t len = left.len + right.len;
    if (!fx_spend_text(len)) {
        return fx_cel_exceeded(run);
    }
    char *text = fx_arena_alloc(run->arena, len + 1);
    if (text == NULL) {
        return fx_cel_no_memory(run);
    }
    if (left.len > 0) {
        memcpy(text, left.data, left.len);
    }
    if (right.len > 0) {
        memcpy(text + left.len, right.data, right.len);
    }
    const struct fx_text joined = {text, len};
    return args[0].kind == FX_CEL_STRING ? fx_cel_make_string(joined)
                                         : fx_cel_make_bytes(joined);
}

static void append(struct fx_cel_list *to, struct fx_cel_value from) {
    const size_t n = fx_cel_list_size(from);
    for (size_t i = 0; i < n; i++) {
        to->items[to->n++] = fx_cel_list_at(from, i);
    }
}

static struct fx_cel_value join_lists(struct fx_cel_run *run, struct fx_cel_value left,
                                      struct fx_cel_value right) {
    const size_t n = fx_cel_list_size(left) + fx_cel_list_size(right);
    if (!fx_spend(n)) {
        return fx_cel_exceeded(run);
    }
    const struct fx_cel_value joined = fx_cel_new_list(run, n);
    if (!fx_cel_is_error(joined)) {
        append(joined.list, left);
        append(joined.list, right);
    }
    return joined;
}

struct fx_cel_value fx_cel_concatenate(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    return args[0].kind == FX_CEL_LIST ? join_lists(run, args[0], args[1])
                                       : join_texts(run, args);
}
