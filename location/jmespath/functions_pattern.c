/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_pattern.c - Kyverno's functions of regular expressions and
 * of wildcards. Subjects and replacements may be numbers.
 */
#include "base/regex.h"
#include "base/wildcard.h"
#include "location/go/regex.h"
#include "location/jmespath/functions.h"

#define TEXT_OR_NUMBER (FX_JMESPATH_STRING | FX_JMESPATH_NUMBER)

/* Compiles the first argument, which the caller destroys. */
static bool compile(const struct fx_jmespath_call *call, struct fx_regex **ret_regex,
                    struct fx_err *err) {
    return fx_regex_compile(jmespath_argument_text(call, 0), ret_regex, err) ||
           jmespath_fail_pattern(err);
}

static bool call_regex_match(const struct fx_jmespath_call *call, json_t **ret_value,
                             struct fx_err *err) {
    struct fx_regex *regex = NULL;
    struct fx_text text;
    struct fx_buf room;
    bool matches = false;
    fx_buf_init(&room, 0);
    const bool ok = jmespath_argument_plain(call, 1, &room, &text, err) &&
                    compile(call, &regex, err) &&
                    fx_regex_match(regex, text, &matches, err) &&
                    fx_jmespath_give_boolean(matches, ret_value, err);
    fx_regex_destroy(regex);
    fx_buf_finish(&room);
    return ok;
}

/* ---- replacing --------------------------------------------------------------------- */

static bool replace_all(const struct fx_jmespath_call *call, const struct fx_regex *regex,
                        struct fx_text text, struct fx_go_replacement by,
                        json_t **ret_value, struct fx_err *err) {
    struct fx_buf buf;
    struct fx_regex_span *spans =
        fx_arena_alloc(call->arena, fx_go_regex_spans(regex) * sizeof *spans);
    if (spans == NULL) {
        return fx_fail_nomem(err);
    }
    jmespath_result_init(&buf);
    if (fx_go_regex_replace(regex, text, by, spans, &buf, err)) {
        return fx_jmespath_give_buf(&buf, ret_value, err);
    }
    fx_buf_finish(&buf);
    return false;
}

static bool replace(const struct fx_jmespath_call *call, bool expands, json_t **ret_value,
                    struct fx_err *err) {
    struct fx_go_replacement by = {.expands = expands};
    struct fx_regex *regex = NULL;
    struct fx_text text;
    struct fx_buf text_room;
    struct fx_buf by_room;
    fx_buf_init(&text_room, 0);
    fx_buf_init(&by_room, 0);
    const bool ok = jmespath_argument_plain(call, 1, &text_room, &text, err) &&
                    jmespath_argument_plain(call, 2, &by_room, &by.text, err) &&
                    compile(call, &regex, err) &&
                    replace_all(call, regex, text, by, ret_value, err);
    fx_regex_destroy(regex);
    fx_buf_finish(&by_room);
    fx_buf_finish(&text_room);
    return ok;
}

static bool call_replace(const struct fx_jmespath_call *call, json_t **ret_value,
                         struct fx_err *err) {
    return replace(call, true, ret_value, err);
}

static bool call_replace_literal(const struct fx_jmespath_call *call, json_t **ret_value,
                                 struct fx_err *err) {
    return replace(call, false, ret_value, err);
}

/* ---- wildcards --------------------------------------------------------------------- */

static bool call_pattern_match(const struct fx_jmespath_call *call, json_t **ret_value,
                               struct fx_err *err) {
    struct fx_text text;
    struct fx_buf room;
    fx_buf_init(&room, 0);
    bool ok = jmespath_argument_plain(call, 1, &room, &text, err);
    if (ok) {
        const bool matches = fx_wildcard_match(jmespath_argument_text(call, 0), text);
        ok = fx_budget_exceeded() == FX_EXCEEDED_NOTHING
                 ? fx_jmespath_give_boolean(matches, ret_value, err)
                 : fx_fail_exceeded(err);
    }
    fx_buf_finish(&room);
    return ok;
}

const struct fx_jmespath_function fx_jmespath_pattern_functions[] = {
    FX_JMESPATH_ROW("regex_match", call_regex_match, {.types = FX_JMESPATH_STRING},
                    {.types = TEXT_OR_NUMBER}),
    FX_JMESPATH_ROW("regex_replace_all", call_replace, {.types = FX_JMESPATH_STRING},
                    {.types = TEXT_OR_NUMBER}, {.types = TEXT_OR_NUMBER}),
    FX_JMESPATH_ROW("regex_replace_all_literal", call_replace_literal,
                    {.types = FX_JMESPATH_STRING}, {.types = TEXT_OR_NUMBER},
                    {.types = TEXT_OR_NUMBER}),
    FX_JMESPATH_ROW("pattern_match", call_pattern_match, {.types = FX_JMESPATH_STRING},
                    {.types = TEXT_OR_NUMBER}),
    {.name = NULL},
};
