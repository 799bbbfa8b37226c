/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/path.c - paths without what they can do without.
 */
#include "location/go/path.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The state of cleaning a path. Its first `fixed` bytes are a `/` or elements `..`, which
 * a further `..` does not remove. */
struct cleaning {
    char *out;
    size_t len, fixed;
    bool rooted;
};

static void take_away_last(struct cleaning *cleaning) {
    do {
        cleaning->len--;
    } while (cleaning->len > cleaning->fixed && cleaning->out[cleaning->len] != '/');
}

static void add_element(struct cleaning *cleaning, struct fx_text element) {
    if (cleaning->len > (cleaning->rooted ? 1u : 0u)) {
        cleaning->out[cleaning->len++] = '/';
    }
    memcpy(cleaning->out + cleaning->len, element.data, element.len);
    cleaning->len += element.len;
}

static void clean_element(struct cleaning *cleaning, struct fx_text element) {
    if (element.len == 0 || fx_text_is(element, ".")) {
        return;
    }
    if (!fx_text_is(element, "..")) {
        add_element(cleaning, element);
    } else if (cleaning->len > cleaning->fixed) {
        take_away_last(cleaning);
    } else if (!cleaning->rooted) {
        add_element(cleaning, element);
        cleaning->fixed = cleaning->len;
    }
}

struct fx_text fx_go_path_clean(struct fx_text path, char *room) {
    struct cleaning cleaning = {.out = room};
    if (fx_text_first(path) == '/') {
        cleaning.out[0] = '/';
        cleaning.len = cleaning.fixed = 1;
        cleaning.rooted = true;
    }
    while (path.len > 0) {
        clean_element(&cleaning, fx_text_cut(&path, '/'));
    }
    const struct fx_text cleaned = {cleaning.out, cleaning.len};
    return cleaned.len == 0 ? FX_TEXT(".") : cleaned;
}
