/* SPDX-License-Identifier: Apache-2.0
 *
 * regexes.c - what a regular expression finds in a string (spec/cel.md sections 7 and
 * 11).
 */
#include "location/cel_library/library.h"

#include "base/regex.h"
#include "location/cel_library/functions.h"

/* The first match, or "". */
static struct fx_cel_value find(struct fx_cel_run *run, const struct fx_cel_value *args) {
    struct fx_cel_pattern pattern;
    struct fx_cel_value result;
    struct fx_regex_span match;
    struct fx_err err;
    if (!fx_cel_are_strings(args)) {
        return fx_cel_no_overload();
    }
    if (!fx_cel_pattern_init(&pattern, run, args[1].text, &result)) {
        return result;
    }
    fx_err_reset(&err);
    if (!fx_regex_find(pattern.regex, args[0].text, 0, &match, 1, &err)) {
        result = fx_cel_fail_regex(run, &err);
    } else if (match.from == FX_REGEX_NO_SPAN) {
        result = fx_cel_make_string(FX_TEXT(""));
    } else {
        result = fx_cel_make_string(
            (struct fx_text){args[0].text.data + match.from, match.to - match.from});
    }
    fx_cel_pattern_finish(&pattern);
    return result;
}

/* A walk over the matches of a text. */
struct cel_matches {
    const struct fx_regex *regex;
    struct fx_text text;
    size_t from;     /* where the next search begins, */
    size_t last_end; /* and the last match ended; SIZE_MAX: there was none */
};

/* The next match; an empty one at the end of the match before it does not count.
 * *ret_match is FX_REGEX_NO_SPAN at the end. False with an error. */
static bool next_match(struct cel_matches *matches, struct fx_regex_span *ret_match,
                       struct fx_err *err) {
    while (matches->from <= matches->text.len) {
        uint32_t rune = 0;
        if (!fx_regex_find(matches->regex, matches->text, matches->from, ret_match, 1,
                           err)) {
            return false;
        }
        if (ret_match->from == FX_REGEX_NO_SPAN) {
            return true;
        }
        const bool is_empty = ret_match->to == ret_match->from;
        const bool counts = !is_empty || ret_match->from != matches->last_end;
        const struct fx_text rest = fx_text_rest(matches->text, ret_match->to);
        matches->from = !is_empty       ? ret_match->to
                        : rest.len == 0 ? matches->text.len + 1
                                        : ret_match->to + fx_text_rune(rest, &rune);
        matches->last_end = ret_match->to;
        if (counts) {
            return true;
        }
    }
    ret_match->from = FX_REGEX_NO_SPAN;
    return true;
}

/* `count` matches at most; all if it is below 0. */
static struct fx_cel_value find_some(struct fx_cel_run *run, struct fx_text text,
                                     const struct fx_regex *regex, int64_t count) {
    struct cel_matches matches = {.regex = regex, .text = text, .last_end = SIZE_MAX};
    struct fx_regex_span match;
    struct fx_err err;
    struct fx_cel_value list = fx_cel_new_list(run, 0);
    fx_err_reset(&err);
    list.flags |= fx_cel_is_error(list) ? 0 : FX_CEL_NATIVE;
    for (int64_t n = 0; !fx_cel_is_error(list) && n != count; n++) {
        if (!next_match(&matches, &match, &err)) {
            return fx_cel_fail_regex(run, &err);
        }
        if (match.from == FX_REGEX_NO_SPAN) {
            break;
        }
        const struct fx_text found = {text.data + match.from, match.to - match.from};
        if (!fx_cel_list_add(run, list, fx_cel_make_string(found))) {
            return fx_cel_no_memory(run);
        }
    }
    return list;
}

static struct fx_cel_value find_all(struct fx_cel_run *run,
                                    const struct fx_cel_value *args, int64_t count) {
    struct fx_cel_pattern pattern;
    struct fx_cel_value result;
    if (!fx_cel_are_strings(args)) {
        return fx_cel_no_overload();
    }
    if (fx_cel_pattern_init(&pattern, run, args[1].text, &result)) {
        result = find_some(run, args[0].text, pattern.regex, count);
        fx_cel_pattern_finish(&pattern);
    }
    return result;
}

static struct fx_cel_value find_each(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    return find_all(run, args, -1);
}

static struct fx_cel_value find_first(struct fx_cel_run *run,
                                      const struct fx_cel_value *args) {
    return args[2].kind == FX_CEL_INT ? find_all(run, args, args[2].integer)
                                      : fx_cel_no_overload();
}

const struct fx_cel_overload fx_cel_regexes[] = {
    {.function = "find",
     FX_CEL_METHOD(&fx_cel_string, &fx_cel_string),
     .result = &fx_cel_string,
     .call = find,
     .cost = fx_cel_matches_cost,
     .always_costs = true,
     .takes_all = true,
     .regex_argument = 2},
    {.function = "findAll",
     FX_CEL_METHOD(&fx_cel_string, &fx_cel_string),
     .result = &fx_cel_list_string,
     .call = find_each,
     .cost = fx_cel_matches_cost,
     .always_costs = true,
     .takes_all = true,
     .regex_argument = 2},
    {.function = "findAll",
     FX_CEL_METHOD(&fx_cel_string, &fx_cel_string, &fx_cel_int),
     .result = &fx_cel_list_string,
     .call = find_first,
     .cost = fx_cel_matches_cost,
     .always_costs = true,
     .takes_all = true,
     .regex_argument = 2},
    {.function = NULL},
};
