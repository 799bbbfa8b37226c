/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/strings.c - Sprig's strings: the table, and those that
 * put texts together or ask about one.
 */
#include "location/sprig/strings.h"
#include "location/sprig/functions.h"

#include "base/err.h"
#include "location/gotemplate/print.h"
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
    const size_t n = times < fitting ? times : fitting; /* one too many tells the bound */
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
    struct finder finder;
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

/* What quote, squote and cat do with each argument that is not nil, blanks between. */
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

static bool add_double_quoted(struct call *call, struct fx_buf *buf,
                              const struct value *value) {
    struct fx_text text = {0};
    if (!value_text(call->run, value, &text) ||
        !run_spend(call->run, text.len / FX_BUDGET_BYTES)) {
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

/* The empty text stands before every rune and at the end. */
static bool replace_nothing(struct run *run, struct fx_buf *buf, struct fx_text by,
                            struct fx_text text) {
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

static bool replace(struct run *run, struct fx_buf *buf, const struct finder *what,
                    struct fx_text by, struct fx_text text) {
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
    struct finder finder;
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

#define STRING PARAMETER_STRING
#define INT    PARAMETER_INT
#define ANY    PARAMETER_ANY
#define END    PARAMETER_NONE

const struct function functions_strings[] = {
    {"hello", call_hello, {END}, false, 1, NULL},
    {"abbrev", call_abbrev, {INT, STRING, END}, false, 1, NULL},
    {"abbrevboth", call_abbrevboth, {INT, INT, STRING, END}, false, 1, NULL},
    {"trunc", call_trunc, {INT, STRING, END}, false, 1, NULL},
    {"trim", call_trim, {STRING, END}, false, 1, NULL},
    {"trimAll", call_trim_all, {STRING, STRING, END}, false, 1, NULL},
    {"trimall", call_trim_all, {STRING, STRING, END}, false, 1, NULL},
    {"trimPrefix", call_trim_prefix, {STRING, STRING, END}, false, 1, NULL},
    {"trimSuffix", call_trim_suffix, {STRING, STRING, END}, false, 1, NULL},
    {"upper", call_upper, {STRING, END}, false, 8, NULL},
    {"lower", call_lower, {STRING, END}, false, 8, NULL},
    {"title", call_title, {STRING, END}, false, 8, NULL},
    {"untitle", call_untitle, {STRING, END}, false, 8, NULL},
    {"substr", call_substr, {INT, INT, STRING, END}, false, 1, NULL},
    {"repeat", call_repeat, {INT, STRING, END}, false, 1, NULL},
    {"nospace", call_nospace, {STRING, END}, false, 2, NULL},
    {"initials", call_initials, {STRING, END}, false, 2, NULL},
    {"swapcase", call_swapcase, {STRING, END}, false, 8, NULL},
    {"snakecase", call_snakecase, {STRING, END}, false, 32, NULL},
    {"camelcase", call_camelcase, {STRING, END}, false, 32, NULL},
    {"kebabcase", call_kebabcase, {STRING, END}, false, 32, NULL},
    {"wrap", call_wrap, {INT, STRING, END}, false, 1, NULL},
    {"wrapWith", call_wrap_with, {INT, STRING, STRING, END}, false, 1, NULL},
    {"contains", call_contains, {STRING, STRING, END}, false, 1, NULL},
    {"hasPrefix", call_has_prefix, {STRING, STRING, END}, false, 1, NULL},
    {"hasSuffix", call_has_suffix, {STRING, STRING, END}, false, 1, NULL},
    {"quote", call_quote, {ANY, END}, true, 2, NULL},
    {"squote", call_squote, {ANY, END}, true, 2, NULL},
    {"cat", call_cat, {ANY, END}, true, 1, NULL},
    {"indent", call_indent, {INT, STRING, END}, false, 1, NULL},
    {"nindent", call_nindent, {INT, STRING, END}, false, 1, NULL},
    {"replace", call_replace, {STRING, STRING, STRING, END}, false, 2, NULL},
    {"plural", call_plural, {STRING, STRING, INT, END}, false, 1, NULL},
    {"toString", call_to_string, {ANY, END}, false, 1, NULL},
    {"toStrings", call_to_strings, {ANY, END}, false, 1, NULL},
    {"join", call_join, {STRING, ANY, END}, false, 1, NULL},
    {"split", call_split, {STRING, STRING, END}, false, 2, NULL},
    {"splitn", call_splitn, {STRING, INT, STRING, END}, false, 2, NULL},
    {"splitList", call_split_list, {STRING, STRING, END}, false, 2, NULL},
    {"sortAlpha", call_sort_alpha, {ANY, END}, false, 4, NULL},
    {NULL, NULL, {END}, false, 1, NULL},
};
