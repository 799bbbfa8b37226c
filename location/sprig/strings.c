/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/strings.c - Sprig's strings: those that put texts together, ask about
 * one, or break it into lines.
 */
#include "location/sprig/functions.h"

#include <string.h>

#include "base/err.h"
#include "location/gotemplate/value.h"
#include "location/sprig/finder.h"

static bool call_hello(struct call *call) {
    return return_text(call, FX_TEXT("Hello!"));
}

static bool fail_negative(struct call *call) {
    return fx_fail(call->err, FX_EMUTATE, "strings: negative Repeat count");
}

static bool call_repeat(struct call *call) {
    const struct fx_text text = argument_text(call, 1);
    struct fx_buf *buf = run_scratch(call->run);
    if (argument_int(call, 0) < 0) {
        return fail_negative(call);
    }
    const size_t times = text.len == 0 ? 0 : (size_t)argument_int(call, 0);
    const size_t fitting = text.len == 0 ? 0 : buf->max / text.len + 1;
    const size_t n =
        times < fitting ? times : fitting; /* one too many triggers the limit */
    if (!run_spend(call->run, n / FUNCTION_SIZE_OF_PRICE) ||
        !run_spend_copy(call->run, n * text.len)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        fx_buf_text(buf, text);
    }
    return run_take_scratch(call->run, call->ret);
}

static bool call_contains(struct call *call) {
    const struct fx_text needle = argument_text(call, 0);
    struct text_finder finder;
    if (needle.len == 0) {
        return return_bool(call, true);
    }
    return finder_init(&finder, call->run, needle) &&
           return_bool(call,
                       finder_next(&finder, argument_text(call, 1), 0) != FINDER_NONE);
}

static bool call_has_prefix(struct call *call) {
    return return_bool(call,
                       fx_text_starts(argument_text(call, 1), argument_text(call, 0)));
}

static bool call_has_suffix(struct call *call) {
    return return_bool(call,
                       fx_text_ends(argument_text(call, 1), argument_text(call, 0)));
}

/* Applies `add` to each argument that is not nil, with blanks between. */
static bool join_arguments(struct call *call,
                           bool (*add)(struct call *call, struct fx_buf *buf,
                                       const struct value *value)) {
    struct fx_buf *buf = run_scratch(call->run);
    bool is_first = true;
    for (size_t i = 0; i < call->n_arguments; i++) {
        if (value_is_nil(&call->arguments[i])) {
            continue;
        }
        if (!is_first) {
            fx_buf_char(buf, ' ');
        }
        is_first = false;
        if (!add(call, buf, &call->arguments[i])) {
            return false;
        }
    }
    return run_take_scratch(call->run, call->ret);
}

static bool add_plain(struct call *call, struct fx_buf *buf, const struct value *value) {
    return value_print(call->run, buf, value);
}

static bool add_single_quoted(struct call *call, struct fx_buf *buf,
                              const struct value *value) {
    fx_buf_char(buf, '\'');
    if (!value_print(call->run, buf, value)) {
        return false;
    }
    fx_buf_char(buf, '\'');
    return true;
}

#define QUOTED_BYTES_OF_A_UNIT 4 /* each may need an escape */

static bool add_double_quoted(struct call *call, struct fx_buf *buf,
                              const struct value *value) {
    struct fx_text text = {0};
    if (!value_text(call->run, value, &text) ||
        !run_spend(call->run, text.len / QUOTED_BYTES_OF_A_UNIT)) {
        return false;
    }
    fx_text_quote_go(buf, text);
    return true;
}

static bool call_cat(struct call *call) {
    return join_arguments(call, add_plain);
}

static bool call_squote(struct call *call) {
    return join_arguments(call, add_single_quoted);
}

static bool call_quote(struct call *call) {
    return join_arguments(call, add_double_quoted);
}

static bool indent(struct call *call, const char *before) {
    const struct fx_text text = argument_text(call, 1);
    if (argument_int(call, 0) < 0) {
        return fail_negative(call);
    }
    const size_t width = (size_t)argument_int(call, 0);
    struct fx_buf *buf = run_scratch(call->run);
    if (!run_spend_copy(call->run, width < buf->max ? width : buf->max)) {
        return false;
    }
    fx_buf_str(buf, before);
    fx_buf_fill(buf, ' ', width);
    for (size_t i = 0; i < text.len && !buf->failed; i++) {
        fx_buf_char(buf, text.data[i]);
        if (text.data[i] == '\n') {
            if (!run_spend(call->run, 1 + width / RUN_BYTES_COPIED)) {
                return false;
            }
            fx_buf_fill(buf, ' ', width);
        }
    }
    return run_take_scratch(call->run, call->ret);
}

static bool call_indent(struct call *call) {
    return indent(call, "");
}

static bool call_nindent(struct call *call) {
    return indent(call, "\n");
}

/* The empty text matches before every rune and at the end. */
static bool replace_nothing(struct template_run *run, struct fx_buf *buf,
                            struct fx_text by, struct fx_text text) {
    for (size_t at = 0; at < text.len && !buf->failed;) {
        if (!run_spend_copy(run, by.len)) {
            return false;
        }
        uint32_t rune = 0;
        const struct fx_text rest = text_between(text, at, text.len);
        const size_t len = fx_text_rune(rest, &rune);
        fx_buf_text(buf, by);
        fx_buf_add(buf, rest.data, len);
        at += len;
    }
    fx_buf_text(buf, by);
    return true;
}

static bool replace(struct template_run *run, struct fx_buf *buf,
                    const struct text_finder *what, struct fx_text by,
                    struct fx_text text) {
    size_t from = 0;
    for (size_t at = finder_next(what, text, 0); at != FINDER_NONE && !buf->failed;
         at = finder_next(what, text, from)) {
        if (!run_spend_copy(run, by.len)) {
            return false;
        }
        fx_buf_text(buf, text_between(text, from, at));
        fx_buf_text(buf, by);
        from = at + what->needle.len;
    }
    fx_buf_text(buf, text_between(text, from, text.len));
    return true;
}

static bool call_replace(struct call *call) {
    const struct fx_text what = argument_text(call, 0);
    const struct fx_text by = argument_text(call, 1);
    const struct fx_text text = argument_text(call, 2);
    struct text_finder finder;
    if (what.len > 0 && !finder_init(&finder, call->run, what)) {
        return false;
    }
    struct fx_buf *buf = run_scratch(call->run);
    const bool replaced = what.len == 0 ? replace_nothing(call->run, buf, by, text)
                                        : replace(call->run, buf, &finder, by, text);
    return replaced && run_take_scratch(call->run, call->ret);
}

static bool call_plural(struct call *call) {
    return return_text(call, argument_text(call, argument_int(call, 2) == 1 ? 0 : 1));
}

static bool call_to_string(struct call *call) {
    struct fx_text text = {0};
    return value_text(call->run, &call->arguments[0], &text) && return_text(call, text);
}

/* ---- wrap, wrapWith: lines of so many bytes, broken at a blank --------------------- */

struct wrapper {
    struct fx_text text;
    size_t at;    /* start of the line */
    size_t width; /* at least 1 */
    struct fx_text separator;
    bool breaks_words;
    struct fx_buf *out;
};

/* Ends the line at `to`; the next one starts `skip` bytes later. */
static void end_line(struct wrapper *w, size_t to, size_t skip) {
    fx_buf_text(w->out, text_between(w->text, w->at, to));
    fx_buf_text(w->out, w->separator);
    w->at = to + skip;
}

/* Searches a full line backwards for a blank; false where there is none. */
static bool find_blank_within(const struct wrapper *w, size_t *ret_at) {
    for (size_t i = w->at + w->width + 1; i > w->at; i--) {
        if (w->text.data[i - 1] == ' ') {
            *ret_at = i - 1;
            return true;
        }
    }
    return false;
}

/* Handles a word that is longer than the line. */
static void wrap_word(struct wrapper *w) {
    const size_t full = w->at + w->width;
    if (w->breaks_words) {
        end_line(w, full, 0);
        return;
    }
    const char *blank = memchr(w->text.data + full, ' ', w->text.len - full);
    if (blank != NULL) {
        end_line(w, (size_t)(blank - w->text.data), 1);
        return;
    }
    fx_buf_text(w->out, text_between(w->text, w->at, w->text.len));
    w->at = w->text.len;
}

static bool return_wrapped(struct call *call, struct fx_text text,
                           struct fx_text separator, bool breaks_words) {
    const int64_t width = argument_int(call, 0) < 1 ? 1 : argument_int(call, 0);
    struct wrapper w = {
        .text = text,
        .width = (uint64_t)width > text.len ? text.len + 1 : (size_t)width,
        .separator = separator.len == 0 ? FX_TEXT("\n") : separator,
        .breaks_words = breaks_words,
        .out = run_scratch(call->run),
    };
    while (w.text.len - w.at > w.width && !w.out->failed) {
        if (!run_spend(call->run, 1 + w.separator.len / RUN_BYTES_COPIED)) {
            return false;
        }
        size_t blank = 0;
        if (w.text.data[w.at] == ' ') {
            w.at++;
        } else if (find_blank_within(&w, &blank)) {
            end_line(&w, blank, 1);
        } else {
            wrap_word(&w);
        }
    }
    fx_buf_text(w.out, text_between(w.text, w.at, w.text.len));
    return run_take_scratch(call->run, call->ret);
}

static bool call_wrap(struct call *call) {
    return return_wrapped(call, argument_text(call, 1), FX_TEXT(""), false);
}

static bool call_wrap_with(struct call *call) {
    return return_wrapped(call, argument_text(call, 2), argument_text(call, 1), true);
}

const struct function functions_strings[] = {
    FUNCTION("hello", call_hello, 1, NONE),
    FUNCTION("repeat", call_repeat, 1, INT, STRING),
    FUNCTION("wrap", call_wrap, 1, INT, STRING),
    FUNCTION("wrapWith", call_wrap_with, 1, INT, STRING, STRING),
    FUNCTION("contains", call_contains, 1, STRING, STRING),
    FUNCTION("hasPrefix", call_has_prefix, 1, STRING, STRING),
    FUNCTION("hasSuffix", call_has_suffix, 1, STRING, STRING),
    VARIADIC("quote", call_quote, 2, ANY),
    VARIADIC("squote", call_squote, 2, ANY),
    VARIADIC("cat", call_cat, 1, ANY),
    FUNCTION("indent", call_indent, 1, INT, STRING),
    FUNCTION("nindent", call_nindent, 1, INT, STRING),
    FUNCTION("replace", call_replace, 2, STRING, STRING, STRING),
    FUNCTION("plural", call_plural, 1, STRING, STRING, INT),
    FUNCTION("toString", call_to_string, 1, ANY),
    {.name = NULL},
};
