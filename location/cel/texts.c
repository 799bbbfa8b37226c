/* SPDX-License-Identifier: Apache-2.0
 *
 * texts.c - the standard functions of strings, and sizes (spec/cel.md sections 7 and 11).
 * They take arguments of any kinds: without a string there is "no such overload".
 */
#include "location/cel/functions.h"

#include <string.h>

#include "base/find.h"
#include "base/regex.h"
#include "location/cel/cost.h"
#include "location/go/regex.h"

struct fx_cel_value fx_cel_size(struct fx_cel_run *run, const struct fx_cel_value *args) {
    size_t size = 0;
    switch ((enum fx_cel_kind)args[0].kind) {
    case FX_CEL_STRING:
        if (args[0].runes == FX_CEL_RUNES_UNKNOWN &&
            !fx_cel_spend_bytes(args[0].text.len)) {
            return fx_cel_exceeded(run);
        }
        size = fx_cel_count_runes(args[0]);
        break;
    case FX_CEL_BYTES: size = args[0].text.len; break;
    case FX_CEL_LIST: size = fx_cel_list_size(args[0]); break;
    case FX_CEL_MAP: size = fx_cel_map_size(args[0]); break;
    case FX_CEL_UNSET:
    case FX_CEL_ERROR:
    case FX_CEL_NULL:
    case FX_CEL_BOOL:
    case FX_CEL_INT:
    case FX_CEL_UINT:
    case FX_CEL_DOUBLE:
    case FX_CEL_DURATION:
    case FX_CEL_TIMESTAMP:
    case FX_CEL_TYPE:
    case FX_CEL_OPTIONAL:
    case FX_CEL_STRUCT:
    case FX_CEL_OPAQUE: return fx_cel_no_overload_for(run, "size");
    }
    return fx_cel_make_int((int64_t)size);
}

struct fx_cel_value fx_cel_contains(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    if (!fx_cel_are_strings(args)) {
        return fx_cel_no_overload();
    }
    if (!fx_cel_spend_bytes(args[0].text.len + args[1].text.len)) {
        return fx_cel_exceeded(run);
    }
    return fx_cel_make_bool(fx_text_find(args[0].text, args[1].text) != FX_NOT_FOUND);
}

/* What a string starts or ends with: the argument is not read if it is too long. */
struct fx_cel_value fx_cel_starts_with(struct fx_cel_run *run,
                                       const struct fx_cel_value *args) {
    if (!fx_cel_are_strings(args)) {
        return fx_cel_no_overload();
    }
    if (!fx_cel_spend_bytes(args[1].text.len)) {
        return fx_cel_exceeded(run);
    }
    return fx_cel_make_bool(fx_text_starts(args[0].text, args[1].text));
}

struct fx_cel_value fx_cel_ends_with(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    if (!fx_cel_are_strings(args)) {
        return fx_cel_no_overload();
    }
    if (!fx_cel_spend_bytes(args[1].text.len)) {
        return fx_cel_exceeded(run);
    }
    return fx_cel_make_bool(fx_text_ends(args[0].text, args[1].text));
}

uint64_t fx_cel_contains_cost(const struct fx_cel_value *args,
                              struct fx_cel_value result) {
    (void)result;
    return fx_cel_cost_traverse(args[0]) * fx_cel_cost_traverse(args[1]);
}

uint64_t fx_cel_matches_cost(const struct fx_cel_value *args,
                             struct fx_cel_value result) {
    (void)result;
    return fx_cel_cost_scale(fx_cel_cost_length(args[0]) + 1, 0.1) *
           fx_cel_cost_scale(fx_cel_cost_length(args[1]), 0.25);
}

/* ---- regular expressions
 * ---------------------------------------------------------------- */

/* The length of what a pattern begins with and what has no operators in it: an escape, a
 * text between \Q and \E, a class; or of a single byte. */
static size_t piece_length(struct fx_text pattern) {
    if (fx_text_starts(pattern, FX_TEXT("\\Q"))) {
        const size_t end = fx_text_find(pattern, FX_TEXT("\\E"));
        return end == FX_NOT_FOUND ? pattern.len : end + 2;
    }
    if (pattern.data[0] != '[') {
        return pattern.data[0] == '\\' && pattern.len > 1 ? 2 : 1;
    }
    size_t end = 1;
    end += end < pattern.len && pattern.data[end] == '^' ? 1 : 0;
    end += end < pattern.len && pattern.data[end] == ']' ? 1 : 0; /* the first one */
    while (end < pattern.len && pattern.data[end] != ']') {
        const struct fx_text rest = fx_text_rest(pattern, end);
        const bool is_named = fx_text_starts(rest, FX_TEXT("[:"));
        const size_t named = is_named ? fx_text_find(rest, FX_TEXT(":]")) : FX_NOT_FOUND;
        end += named != FX_NOT_FOUND ? named + 2 : rest.data[0] == '\\' ? 2 : 1;
    }
    return end < pattern.len ? end + 1 : pattern.len;
}

/* Does a group with a name in the short form begin here? */
static bool has_short_name(struct fx_text rest) {
    return fx_text_starts(rest, FX_TEXT("(?<")) && rest.len > 3 && rest.data[3] != '=' &&
           rest.data[3] != '!';
}

/* Copies the pattern, with the long form of the names of groups, which every version of
 * RE2 has. False for \C, which Go does not have. */
static bool add_pattern(struct fx_buf *buf, struct fx_text pattern) {
    while (pattern.len > 0) {
        if (fx_text_starts(pattern, FX_TEXT("\\C"))) {
            return false;
        }
        const bool is_short = has_short_name(pattern);
        const size_t len = is_short ? 3 : piece_length(pattern);
        if (is_short) {
            fx_buf_str(buf, "(?P<");
        } else {
            fx_buf_add(buf, pattern.data, len);
        }
        pattern = fx_text_rest(pattern, len);
    }
    return true;
}

/* Is the pattern one that has to be rewritten? Nearly none is. */
static bool is_foreign(struct fx_text pattern) {
    return fx_text_find(pattern, FX_TEXT("(?<")) != FX_NOT_FOUND ||
           fx_text_find(pattern, FX_TEXT("\\C")) != FX_NOT_FOUND;
}

static bool compile_foreign(struct fx_text pattern, struct fx_regex **ret_regex,
                            struct fx_err *err) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    if (!add_pattern(&buf, pattern)) {
        fx_buf_finish(&buf);
        return fx_fail(err, FX_ESYNTAX, "invalid escape sequence: \\C");
    }
    const bool ok = buf.failed ? fx_fail_nomem(err)
                               : fx_regex_compile(fx_buf_view(&buf), ret_regex, err);
    fx_buf_finish(&buf);
    return ok;
}

bool fx_cel_regex_compile(struct fx_text pattern, struct fx_regex **ret_regex,
                          struct fx_err *err) {
    if (!fx_cel_spend_bytes(pattern.len)) {
        return fx_fail_exceeded(err);
    }
    if (is_foreign(pattern) ? compile_foreign(pattern, ret_regex, err)
                            : fx_regex_compile(pattern, ret_regex, err)) {
        return true;
    }
    if (err->code != FX_ESYNTAX) {
        return false;
    }
    struct fx_buf message;
    fx_buf_init(&message, 0);
    fx_buf_str(&message, "error parsing regexp: ");
    fx_go_regex_message(&message, err->msg);
    return fx_buf_fail(&message, err, FX_ESYNTAX);
}

struct fx_cel_value fx_cel_fail_regex(struct fx_cel_run *run, const struct fx_err *err) {
    if (err->code == FX_ENOMEM) {
        return fx_cel_no_memory(run);
    }
    return fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_cel_exceeded(run)
                                                       : fx_cel_fail(run, "%s", err->msg);
}

bool fx_cel_pattern_init(struct fx_cel_pattern *pattern, struct fx_cel_run *run,
                         struct fx_text text, struct fx_cel_value *ret_failure) {
    struct fx_err err;
    *pattern = (struct fx_cel_pattern){.regex = run->regex};
    if (run->regex != NULL) {
        return true;
    }
    fx_err_reset(&err);
    if (!fx_cel_regex_compile(text, &pattern->own, &err)) {
        *ret_failure = fx_cel_fail_regex(run, &err);
        return false;
    }
    pattern->regex = pattern->own;
    return true;
}

void fx_cel_pattern_finish(struct fx_cel_pattern *pattern) {
    fx_regex_destroy(pattern->own);
    *pattern = (struct fx_cel_pattern){NULL, NULL};
}

struct fx_cel_value fx_cel_matches(struct fx_cel_run *run,
                                   const struct fx_cel_value *args) {
    struct fx_cel_pattern pattern;
    struct fx_cel_value result;
    struct fx_err err;
    bool matches = false;
    if (!fx_cel_are_strings(args)) {
        return fx_cel_no_overload();
    }
    if (!fx_cel_pattern_init(&pattern, run, args[1].text, &result)) {
        return result;
    }
    fx_err_reset(&err);
    result = fx_regex_match(pattern.regex, args[0].text, &matches, &err)
                 ? fx_cel_make_bool(matches)
                 : fx_cel_fail_regex(run, &err);
    fx_cel_pattern_finish(&pattern);
    return result;
}
