/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/strings.c - Sprig's strings: functions that join texts, test a text,
 * break it into lines, or return a part of it.
 */
#include "location/sprig/functions.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/runes.h"
#include "location/gotemplate/format.h"
#include "location/gotemplate/value.h"

static bool call_hello(struct template_call *call) {
    return return_text(call, FX_TEXT("Hello!"));
}

static bool fail_negative(struct template_call *call) {
    return fx_fail(call->err, FX_EMUTATE, "strings: negative Repeat count");
}

static bool call_repeat(struct template_call *call) {
    const struct fx_text text = argument_text(call, 1);
    struct fx_buf *buf = run_scratch(call->run);
    if (argument_int(call, 0) < 0) {
        return fail_negative(call);
    }
    const size_t times = text.len == 0 ? 0 : (size_t)argument_int(call, 0);
    const size_t fitting = text.len == 0 ? 0 : buf->max / text.len + 1;
    const size_t n =
        times < fitting ? times : fitting; /* one more than fits exceeds the limit */
    if (!run_spend(call->run, n / FUNCTION_SIZE_OF_PRICE) ||
        !run_spend_copy(call->run, n * text.len)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        fx_buf_text(buf, text);
    }
    return run_take_scratch(call->run, call->ret);
}

static bool call_contains(struct template_call *call) {
    const struct fx_text needle = argument_text(call, 0);
    struct text_finder finder;
    if (needle.len == 0) {
        return return_bool(call, true);
    }
    return finder_init(&finder, call->run, needle) &&
           return_bool(call,
                       finder_next(&finder, argument_text(call, 1), 0) != FINDER_NONE);
}

static bool call_has_prefix(struct template_call *call) {
    return return_bool(call,
                       fx_text_starts(argument_text(call, 1), argument_text(call, 0)));
}

static bool call_has_suffix(struct template_call *call) {
    return return_bool(call,
                       fx_text_ends(argument_text(call, 1), argument_text(call, 0)));
}

#define QUOTED_BYTES_OF_A_UNIT 4 /* each byte may need an escape */

enum quotes { UNQUOTED, SINGLE_QUOTED, DOUBLE_QUOTED };

static bool add_quoted(struct template_call *call, struct fx_buf *buf,
                       const struct value *value, enum quotes quotes) {
    struct fx_text text = {0};
    if (quotes == DOUBLE_QUOTED) {
        if (!value_text(call->run, value, &text) ||
            !run_spend(call->run, text.len / QUOTED_BYTES_OF_A_UNIT)) {
            return false;
        }
        fx_text_quote_go(buf, text);
        return true;
    }
    const char *quote = quotes == SINGLE_QUOTED ? "'" : "";
    fx_buf_str(buf, quote);
    const bool ok = value_print(call->run, buf, value);
    fx_buf_str(buf, quote);
    return ok;
}

/* Appends each argument that is not nil, with blanks between. */
static bool call_quote(struct template_call *call) {
    const enum quotes quotes = (enum quotes)call->function->variant;
    struct fx_buf *buf = run_scratch(call->run);
    const char *separator = "";
    for (size_t i = 0; i < call->n_arguments; i++) {
        if (value_is_nil(&call->arguments[i])) {
            continue;
        }
        fx_buf_str(buf, separator);
        separator = " ";
        if (!add_quoted(call, buf, &call->arguments[i], quotes)) {
            return false;
        }
    }
    return run_take_scratch(call->run, call->ret);
}

enum { ON_THIS_LINE, ON_NEW_LINE };

static bool call_indent(struct template_call *call) {
    const struct fx_text text = argument_text(call, 1);
    if (argument_int(call, 0) < 0) {
        return fail_negative(call);
    }
    const size_t width = (size_t)argument_int(call, 0);
    struct fx_buf *buf = run_scratch(call->run);
    if (!run_spend_copy(call->run, width < buf->max ? width : buf->max)) {
        return false;
    }
    fx_buf_str(buf, call->function->variant == ON_NEW_LINE ? "\n" : "");
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

/* Replaces the empty text, which matches before every rune and at the end. */
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

static bool replace_text(struct template_run *run, struct fx_buf *buf,
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

static bool call_replace(struct template_call *call) {
    const struct fx_text what = argument_text(call, 0);
    const struct fx_text by = argument_text(call, 1);
    const struct fx_text text = argument_text(call, 2);
    struct text_finder finder;
    if (what.len > 0 && !finder_init(&finder, call->run, what)) {
        return false;
    }
    struct fx_buf *buf = run_scratch(call->run);
    const bool replaced = what.len == 0 ? replace_nothing(call->run, buf, by, text)
                                        : replace_text(call->run, buf, &finder, by, text);
    return replaced && run_take_scratch(call->run, call->ret);
}

static bool call_plural(struct template_call *call) {
    return return_text(call, argument_text(call, argument_int(call, 2) == 1 ? 0 : 1));
}

static bool call_to_string(struct template_call *call) {
    struct fx_text text = {0};
    return value_text(call->run, &call->arguments[0], &text) && return_text(call, text);
}

/* ---- wrap, wrapWith: lines of a given number of bytes, broken at a blank ---------- */

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

/* Searches a full line backwards for a blank; false if there is none. */
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

static bool return_wrapped(struct template_call *call, struct fx_text text,
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

static bool call_wrap(struct template_call *call) {
    return return_wrapped(call, argument_text(call, 1), FX_TEXT(""), false);
}

static bool call_wrap_with(struct template_call *call) {
    return return_wrapped(call, argument_text(call, 2), argument_text(call, 1), true);
}

/* ---- parts: lengths and offsets count bytes, as in Sprig -------------------------- */

#define DOTS 3 /* of `...` */
/* A smaller width has no room for a byte and the dots. A start up to here gets no dots
 * before it, because they would be as long as the text that they replace. */
#define NARROW      4
#define NARROW_BOTH 7 /* the same for dots on both sides */

/* Returns the part, with dots before it or after it. */
static bool return_dotted(struct template_call *call, bool before, struct fx_text part,
                          bool after) {
    struct fx_buf *buf = run_scratch(call->run);
    fx_buf_str(buf, before ? "..." : "");
    fx_buf_text(buf, part);
    fx_buf_str(buf, after ? "..." : "");
    return run_take_scratch(call->run, call->ret);
}

/* Returns at most `width` bytes of the text, from about `left` on. */
static bool abbreviate(struct template_call *call, int64_t left, int64_t width,
                       struct fx_text text) {
    const int64_t len = (int64_t)text.len;
    if (width < NARROW || (left > 0 && width < NARROW_BOTH) || len <= width) {
        return return_text(call, text);
    }
    if (left > len - (width - DOTS)) {
        left = len - (width - DOTS);
    }
    if (left <= NARROW) {
        return return_dotted(call, false, text_between(text, 0, (size_t)(width - DOTS)),
                             true);
    }
    if (left + width - DOTS >= len) { /* the rest of the text fits */
        return return_dotted(
            call, true, text_between(text, text.len - (size_t)(width - DOTS), text.len),
            false);
    }
    const size_t from = (size_t)left;
    const size_t n = (size_t)(width - DOTS - DOTS);
    return return_dotted(call, true, text_between(text, from, from + n), true);
}

static bool call_abbrev(struct template_call *call) {
    return abbreviate(call, 0, argument_int(call, 0), argument_text(call, 1));
}

static bool call_abbrevboth(struct template_call *call) {
    return abbreviate(call, argument_int(call, 0), argument_int(call, 1),
                      argument_text(call, 2));
}

static bool call_trunc(struct template_call *call) {
    const int64_t n = argument_int(call, 0);
    const struct fx_text text = argument_text(call, 1);
    const int64_t len = (int64_t)text.len;
    if (n >= 0) {
        return return_text(call, text_between(text, 0, n < len ? (size_t)n : text.len));
    }
    return return_text(call,
                       n > -len ? text_between(text, (size_t)(len + n), text.len) : text);
}

/* Fails with Go's message for a slice out of bounds. */
static bool fail_bounds(struct template_call *call, int64_t from, int64_t to) {
    return fx_fail(call->err, FX_EMUTATE,
                   "runtime error: slice bounds out of range [%" PRId64 ":%" PRId64 "]",
                   from, to);
}

static bool substr_from_start(struct template_call *call, int64_t to,
                              struct fx_text text) {
    if (to < 0) {
        return fx_fail(call->err, FX_EMUTATE,
                       "runtime error: slice bounds out of range [:%" PRId64 "]", to);
    }
    if (to > (int64_t)text.len) {
        return fx_fail(call->err, FX_EMUTATE,
                       "runtime error: slice bounds out of range [:%" PRId64
                       "] with length %zu",
                       to, text.len);
    }
    return return_text(call, text_between(text, 0, (size_t)to));
}

static bool call_substr(struct template_call *call) {
    const int64_t from = argument_int(call, 0);
    const struct fx_text text = argument_text(call, 2);
    int64_t to = argument_int(call, 1);
    if (from < 0) {
        return substr_from_start(call, to, text);
    }
    if (to < 0 || to > (int64_t)text.len) {
        to = (int64_t)text.len;
    }
    if (from > to) {
        return fail_bounds(call, from, to);
    }
    return return_text(call, text_between(text, (size_t)from, (size_t)to));
}

/* True for a rune to be trimmed. */
typedef bool is_trimmed(uint32_t rune, struct fx_text set);

/* Returns the last rune and its length. */
static size_t last_rune(struct fx_text text, uint32_t *ret_rune) {
    size_t from = fx_text_rune_floor(text.data, text.len - 1);
    size_t len = fx_text_rune(text_between(text, from, text.len), ret_rune);
    if (from + len != text.len) { /* invalid UTF-8: the last byte alone */
        from = text.len - 1;
        len = fx_text_rune(text_between(text, from, text.len), ret_rune);
    }
    return len;
}

static struct fx_text trim_runes(struct fx_text text, is_trimmed *is,
                                 struct fx_text set) {
    uint32_t rune = 0;
    while (text.len > 0) {
        const size_t len = fx_text_rune(text, &rune);
        if (!is(rune, set)) {
            break;
        }
        text = text_between(text, len, text.len);
    }
    while (text.len > 0) {
        const size_t len = last_rune(text, &rune);
        if (!is(rune, set)) {
            break;
        }
        text.len -= len;
    }
    return text;
}

static bool is_space(uint32_t rune, struct fx_text set) {
    (void)set;
    return fx_rune_is_space(rune);
}

static bool is_in_set(uint32_t rune, struct fx_text set) {
    for (size_t at = 0; at < set.len;) {
        uint32_t member = 0;
        at += fx_text_rune(text_between(set, at, set.len), &member);
        if (member == rune) {
            return true;
        }
    }
    return false;
}

static bool call_trim(struct template_call *call) {
    return return_text(call, trim_runes(argument_text(call, 0), is_space, FX_TEXT("")));
}

static bool call_trim_all(struct template_call *call) {
    const struct fx_text set = argument_text(call, 0);
    const struct fx_text text = argument_text(call, 1);
    /* Each rune of the text is compared with each rune of the set. */
    if (set.len > 0 && !run_spend(call->run, text.len / 64 * set.len)) {
        return false;
    }
    return return_text(call, trim_runes(text, is_in_set, set));
}

static bool call_trim_prefix(struct template_call *call) {
    const struct fx_text prefix = argument_text(call, 0);
    const struct fx_text text = argument_text(call, 1);
    const size_t n = fx_text_starts(text, prefix) ? prefix.len : 0;
    return return_text(call, text_between(text, n, text.len));
}

static bool call_trim_suffix(struct template_call *call) {
    const struct fx_text suffix = argument_text(call, 0);
    const struct fx_text text = argument_text(call, 1);
    const size_t n = fx_text_ends(text, suffix) ? suffix.len : 0;
    return return_text(call, text_between(text, 0, text.len - n));
}

/* Removes blanks. Like the library behind Sprig it treats bytes as runes: if a blank is
 * removed, each byte beyond ASCII becomes a rune. */
static bool call_nospace(struct template_call *call) {
    const struct fx_text text = argument_text(call, 0);
    struct fx_buf *buf = run_scratch(call->run);
    size_t n_blanks = 0;
    for (size_t i = 0; i < text.len; i++) {
        const uint32_t rune = (unsigned char)text.data[i];
        if (fx_rune_is_space(rune)) {
            n_blanks++;
        } else {
            format_rune(buf, rune);
        }
    }
    return n_blanks == 0 ? return_text(call, text)
                         : run_take_scratch(call->run, call->ret);
}

const struct function functions_strings[] = {
    FUNCTION("hello", call_hello, 1, NONE),
    FUNCTION("repeat", call_repeat, 1, INT, STRING),
    FUNCTION("wrap", call_wrap, 1, INT, STRING),
    FUNCTION("wrapWith", call_wrap_with, 1, INT, STRING, STRING),
    FUNCTION("contains", call_contains, 1, STRING, STRING),
    FUNCTION("hasPrefix", call_has_prefix, 1, STRING, STRING),
    FUNCTION("hasSuffix", call_has_suffix, 1, STRING, STRING),
    VARIADIC_VARIANT("quote", call_quote, DOUBLE_QUOTED, 2, ANY),
    VARIADIC_VARIANT("squote", call_quote, SINGLE_QUOTED, 2, ANY),
    VARIADIC_VARIANT("cat", call_quote, UNQUOTED, 1, ANY),
    VARIANT("indent", call_indent, ON_THIS_LINE, 1, INT, STRING),
    VARIANT("nindent", call_indent, ON_NEW_LINE, 1, INT, STRING),
    FUNCTION("replace", call_replace, 2, STRING, STRING, STRING),
    FUNCTION("plural", call_plural, 1, STRING, STRING, INT),
    FUNCTION("toString", call_to_string, 1, ANY),
    FUNCTION("abbrev", call_abbrev, 1, INT, STRING),
    FUNCTION("abbrevboth", call_abbrevboth, 1, INT, INT, STRING),
    FUNCTION("trunc", call_trunc, 1, INT, STRING),
    FUNCTION("trim", call_trim, 1, STRING),
    FUNCTION("trimAll", call_trim_all, 1, STRING, STRING),
    FUNCTION("trimall", call_trim_all, 1, STRING, STRING),
    FUNCTION("trimPrefix", call_trim_prefix, 1, STRING, STRING),
    FUNCTION("trimSuffix", call_trim_suffix, 1, STRING, STRING),
    FUNCTION("substr", call_substr, 1, INT, INT, STRING),
    FUNCTION("nospace", call_nospace, 2, STRING),
    {.name = NULL},
};
