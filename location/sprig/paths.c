/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/paths.c - parts of slash-separated paths, by the rules of
 * Go's package path.
 */
#include "location/sprig/encoding.h"

#include <string.h>

/* How much of the path stands up to its last slash, that included. */
static size_t length_of_dir(struct fx_text path) {
    size_t len = path.len;
    while (len > 0 && path.data[len - 1] != '/') {
        len--;
    }
    return len;
}

static bool is_abs(struct fx_text path) {
    return path.len > 0 && path.data[0] == '/';
}

bool call_is_abs(struct call *call) {
    *call->ret = value_bool(is_abs(call->arguments[0].string));
    return true;
}

/* The last element, without slashes behind it. */
bool call_base(struct call *call) {
    struct fx_text path = call->arguments[0].string;
    const bool empty = path.len == 0;
    while (path.len > 0 && path.data[path.len - 1] == '/') {
        path.len--;
    }
    const size_t from = length_of_dir(path);
    if (path.len == 0) {
        *call->ret = value_string(empty ? FX_TEXT(".") : FX_TEXT("/"));
    } else {
        *call->ret = value_string((struct fx_text){path.data + from, path.len - from});
    }
    return true;
}

/* What the last element has from its last point on. */
bool call_ext(struct call *call) {
    const struct fx_text path = call->arguments[0].string;
    size_t at = path.len;
    struct fx_text ext = {"", 0};
    while (at > 0 && path.data[at - 1] != '/' && ext.len == 0) {
        at--;
        if (path.data[at] == '.') {
            ext = (struct fx_text){path.data + at, path.len - at};
        }
    }
    *call->ret = value_string(ext);
    return true;
}

/* A path that is made shorter element by element. `fixed` bytes of it are a `/` or
 * elements `..`, which no other `..` takes away. */
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

/* The shortest path to the same place, by its text alone. It is never longer, but `.`
 * stands for nothing. */
static bool clean(struct call *call, struct fx_text path) {
    struct cleaning cleaning = {.out = run_alloc(call->run, path.len + 1)};
    if (cleaning.out == NULL) {
        return false;
    }
    if (is_abs(path)) {
        cleaning.out[0] = '/';
        cleaning.len = cleaning.fixed = 1;
        cleaning.rooted = true;
    }
    for (size_t from = 0; from < path.len;) {
        const char *slash = memchr(path.data + from, '/', path.len - from);
        const size_t to = slash == NULL ? path.len : (size_t)(slash - path.data);
        clean_element(&cleaning, (struct fx_text){path.data + from, to - from});
        from = to + 1;
    }
    const struct fx_text cleaned = {cleaning.out, cleaning.len};
    *call->ret = value_string(cleaned.len == 0 ? FX_TEXT(".") : cleaned);
    return true;
}

bool call_clean(struct call *call) {
    return clean(call, call->arguments[0].string);
}

bool call_dir(struct call *call) {
    const struct fx_text path = call->arguments[0].string;
    return clean(call, (struct fx_text){path.data, length_of_dir(path)});
}
