/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/strings_cut.c - parts of strings: abbrev, trunc, substr, trim,
 * nospace. Lengths and offsets count bytes, as in the originals.
 */
#include <inttypes.h>

#include "base/err.h"
#include "base/runes.h"
#include "location/gotemplate/format.h"
#include "location/sprig/functions.h"

#define DOTS 3 /* of `...` */
#define NARROW                                                              \
    4 /* below: no room for a byte and the dots; and a start up to here has \
       * no dots of its own, which would be as long */
#define NARROW_BOTH 7 /* the same with dots on both sides */

/* `before`, `after`: add dots there. */
static bool return_dotted(struct call *call, bool before, struct fx_text part,
                          bool after) {
    struct fx_buf *buf = run_scratch(call->run);
    fx_buf_str(buf, before ? "..." : "");
    fx_buf_text(buf, part);
    fx_buf_str(buf, after ? "..." : "");
    return run_take_scratch(call->run, call->ret);
}

/* Returns at most `width` bytes of the text, from about `left` on. */
static bool abbreviate(struct call *call, int64_t left, int64_t width,
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
    if (left + width - DOTS >= len) { /* the end fits */
        return return_dotted(
            call, true, text_between(text, text.len - (size_t)(width - DOTS), text.len),
            false);
    }
    const size_t from = (size_t)left;
    const size_t n = (size_t)(width - DOTS - DOTS);
    return return_dotted(call, true, text_between(text, from, from + n), true);
}

static bool call_abbrev(struct call *call) {
    return abbreviate(call, 0, argument_int(call, 0), argument_text(call, 1));
}

static bool call_abbrevboth(struct call *call) {
    return abbreviate(call, argument_int(call, 0), argument_int(call, 1),
                      argument_text(call, 2));
}

static bool call_trunc(struct call *call) {
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
static bool fail_bounds(struct call *call, int64_t from, int64_t to) {
    return fx_fail(call->err, FX_EMUTATE,
                   "runtime error: slice bounds out of range [%" PRId64 ":%" PRId64 "]",
                   from, to);
}

static bool substr_from_start(struct call *call, int64_t to, struct fx_text text) {
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

static bool call_substr(struct call *call) {
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

static struct fx_text trim(struct fx_text text, is_trimmed *is, struct fx_text set) {
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

static bool call_trim(struct call *call) {
    return return_text(call, trim(argument_text(call, 0), is_space, FX_TEXT("")));
}

static bool call_trim_all(struct call *call) {
    const struct fx_text set = argument_text(call, 0);
    const struct fx_text text = argument_text(call, 1);
    /* Each rune of the text is compared with each of the set. */
    if (set.len > 0 && !run_spend(call->run, text.len / 64 * set.len)) {
        return false;
    }
    return return_text(call, trim(text, is_in_set, set));
}

static bool call_trim_prefix(struct call *call) {
    const struct fx_text prefix = argument_text(call, 0);
    const struct fx_text text = argument_text(call, 1);
    const size_t n = fx_text_starts(text, prefix) ? prefix.len : 0;
    return return_text(call, text_between(text, n, text.len));
}

static bool call_trim_suffix(struct call *call) {
    const struct fx_text suffix = argument_text(call, 0);
    const struct fx_text text = argument_text(call, 1);
    const size_t n = fx_text_ends(text, suffix) ? suffix.len : 0;
    return return_text(call, text_between(text, 0, text.len - n));
}

/* Like the library behind Sprig this treats bytes as runes: where a blank is deleted
 * each byte beyond ASCII becomes a rune. */
static bool call_nospace(struct call *call) {
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

const struct function functions_parts[] = {
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
