/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/match.c - `=~` and `!~`. Patterns that come from the object are
 * compiled once an evaluation, and there may be only so many of them.
 */
#include "base/limits.h"
#include "location/jsonpath/value.h"

/* What makes no pattern is the object's fault; memory and time are ours. */
static bool fail_pattern(struct run *run, const struct node *infix,
                         const struct fx_err *err) {
    if (fx_err_is_ours(err)) {
        run->is_over = true;
        return fx_fail(run->err, err->code, "%s", err->msg);
    }
    return FX_JSONPATH_FAIL(run, infix, "%s", err->msg);
}

/* May one more be compiled? */
static bool check_limits(struct run *run, const struct node *infix, struct fx_text text) {
    if (text.len > FX_LIMIT_JSONPATH_OBJECT_PATTERN_BYTES) {
        run->is_over = true;
        return fx_fail_at(run->err, FX_ELIMIT, infix->off, infix->len,
                          "a regular expression of the object has more than %u bytes",
                          FX_LIMIT_JSONPATH_OBJECT_PATTERN_BYTES);
    }
    if (run->n_patterns == FX_LIMIT_JSONPATH_OBJECT_PATTERNS) {
        run->is_over = true;
        return fx_fail_at(run->err, FX_ELIMIT, infix->off, infix->len,
                          "more than %u regular expressions come from the object",
                          FX_LIMIT_JSONPATH_OBJECT_PATTERNS);
    }
    return true;
}

/* Compiles a text of the object. One that is no pattern is kept, too: it was work. */
static bool add_pattern(struct run *run, const struct node *infix, struct fx_text text,
                        const struct fx_regex **ret_pattern) {
    if (!check_limits(run, infix, text)) {
        return false;
    }
    struct fx_err err = FX_ERR_INIT;
    struct fx_regex *regex = NULL;
    const bool ok = fx_regex_compile(text, &regex, &err);
    run->patterns[run->n_patterns].text = text;
    run->patterns[run->n_patterns].regex = regex;
    run->n_patterns++;
    *ret_pattern = regex;
    return ok || fail_pattern(run, infix, &err);
}

/* The pattern that the text is. */
static bool take_pattern(struct run *run, const struct node *infix, struct fx_text text,
                         const struct fx_regex **ret_pattern) {
    for (size_t i = 0; i < run->n_patterns; i++) {
        if (fx_text_equal(run->patterns[i].text, text)) {
            *ret_pattern = run->patterns[i].regex;
            return *ret_pattern != NULL ||
                   FX_JSONPATH_FAIL(run, infix, "`%.*s` is no regular expression",
                                    FX_TEXT_ARG(text));
        }
    }
    return add_pattern(run, infix, text, ret_pattern);
}

bool fx_jsonpath_match(struct run *run, const struct node *infix,
                       const struct value *left, const struct value *right,
                       bool *ret_matches) {
    const struct fx_regex *regex = infix->as.pattern;
    struct fx_text text = {0};
    struct fx_text pattern = {0};
    if (!fx_jsonpath_text(run, left, &text) ||
        (regex == NULL && (!fx_jsonpath_text(run, right, &pattern) ||
                           !take_pattern(run, infix, pattern, &regex)))) {
        return false;
    }
    struct fx_err err = FX_ERR_INIT;
    if (fx_regex_match(regex, text, ret_matches, &err)) {
        return true;
    }
    run->is_over = true;
    return fx_fail_at(run->err, err.code, infix->off, infix->len, "%s", err.msg);
}
