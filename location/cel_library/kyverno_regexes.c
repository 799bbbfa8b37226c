/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_regexes.c - regex.replace(text, pattern, replacement) of cel-go's extensions,
 * whose replacement refers to groups as \\0 to \\9.
 */
#include "location/cel_library/kyverno.h"

#include "base/limits.h"
#include "base/regex.h"
#include "location/cel_library/functions.h"
#include "location/cel_library/types.h"
#include "location/go/regex.h"

#define GROUPS 10u /* a replacement has one digit for a group; the first is the match */

/* A replacement of matches in a text. */
struct cel_replacing {
    const struct fx_regex *regex;
    struct fx_text text, replacement;
    struct fx_regex_span spans[GROUPS];
    struct fx_buf out;
};

/* Checks that the replacement has only groups that the expression has. */
static bool check_replacement(const struct cel_replacing *replacing, struct fx_err *err) {
    const struct fx_text by = replacing->replacement;
    const size_t n = fx_regex_count_groups(replacing->regex);
    for (size_t i = 0; i < by.len; i++) {
        if (by.data[i] != '\\') {
            continue;
        }
        i++;
        const char c = i < by.len ? by.data[i] : ' ';
        if (c != '\\' && !fx_is_digit(c)) {
            return fx_fail(err, FX_EMUTATE,
                           "invalid replacement string: a backslash must come before a "
                           "digit or a backslash");
        }
        if (fx_is_digit(c) && (size_t)(c - '0') > n) {
            return fx_fail(err, FX_EMUTATE,
                           "replacement string references group %c but regex has only "
                           "%zu group(s)",
                           c, n);
        }
    }
    return true;
}

static void add_group(struct cel_replacing *replacing, char digit) {
    const struct fx_regex_span span = replacing->spans[digit - '0'];
    if (span.from != FX_REGEX_NO_SPAN) {
        fx_buf_text(&replacing->out, (struct fx_text){replacing->text.data + span.from,
                                                      span.to - span.from});
    }
}

/* Appends what replaces the match in `spans`. */
static void add_replacement(struct cel_replacing *replacing) {
    const struct fx_text by = replacing->replacement;
    for (size_t i = 0; i < by.len; i++) {
        const char c = by.data[i];
        if (c != '\\') {
            fx_buf_char(&replacing->out, c);
        } else if (fx_is_digit(by.data[++i])) {
            add_group(replacing, by.data[i]);
        } else {
            fx_buf_char(&replacing->out, '\\');
        }
    }
}

/* Replaces `most` matches; all if it is below 0. Errors: those of fx_regex_match(). */
static bool replace_matches(struct cel_replacing *replacing, int64_t most,
                            struct fx_err *err) {
    struct fx_go_regex_walk walk = {.regex = replacing->regex, .text = replacing->text};
    size_t done = 0;
    bool found = true;
    for (int64_t n = 0; found && n != most; n++) {
        if (!fx_go_regex_next(&walk, replacing->spans, GROUPS, &found, err)) {
            return false;
        }
        if (!found) {
            break;
        }
        const size_t before = replacing->out.len;
        fx_buf_text(&replacing->out, (struct fx_text){replacing->text.data + done,
                                                      replacing->spans[0].from - done});
        add_replacement(replacing);
        done = replacing->spans[0].to;
        if (!fx_cel_spend_bytes(replacing->out.len - before)) {
            return fx_fail_exceeded(err);
        }
    }
    fx_buf_text(&replacing->out, fx_text_rest(replacing->text, done));
    return true;
}

static struct fx_cel_value replace_some(struct fx_cel_run *run,
                                        const struct fx_cel_value *args, int64_t most) {
    struct fx_cel_pattern pattern;
    struct fx_cel_value result;
    struct cel_replacing replacing = {.text = args[0].text, .replacement = args[2].text};
    if (!fx_cel_spend_bytes(args[2].text.len)) {
        return fx_cel_exceeded(run);
    }
    if (!fx_cel_pattern_init(&pattern, run, args[1].text, &result)) {
        return result;
    }
    replacing.regex = pattern.regex;
    fx_buf_init(&replacing.out, FX_LIMIT_CEL_TEXT_BYTES);
    if (!check_replacement(&replacing, run->err)) {
        result = fx_cel_fail_read(run);
    } else if (!replace_matches(&replacing, most, run->err)) {
        result = fx_cel_fatal(run);
    } else {
        result = fx_cel_take_buf(run, &replacing.out);
    }
    fx_buf_finish(&replacing.out);
    fx_cel_pattern_finish(&pattern);
    return result;
}

static struct fx_cel_value replace(struct fx_cel_run *run,
                                   const struct fx_cel_value *args) {
    return replace_some(run, args, -1);
}

static struct fx_cel_value replace_count(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    return replace_some(run, args, args[3].integer);
}

const struct fx_cel_overload fx_cel_kyverno_regexes[] = {
    {.function = "regex.replace",
     FX_CEL_FUNCTION(&fx_cel_string, &fx_cel_string, &fx_cel_string),
     .result = &fx_cel_string,
     .call = replace,
     .cost = fx_cel_matches_cost,
     .regex_argument = 2},
    {.function = "regex.replace",
     FX_CEL_FUNCTION(&fx_cel_string, &fx_cel_string, &fx_cel_string, &fx_cel_int),
     .result = &fx_cel_string,
     .call = replace_count,
     .cost = fx_cel_matches_cost,
     .regex_argument = 2},
    {.function = NULL},
};
