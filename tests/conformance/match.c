/* SPDX-License-Identifier: Apache-2.0
 *
 * match.c - gatekeeper/match.jsonl: whether an object matches `applyTo` and `match`.
 */
#include "mutators/gatekeeper/match.h"

#include "circumstances.h"
#include "kinds.h"
#include "skips.h"
#include "value/tree.h"

/* Evaluates applyTo. If it is refused, its mutator is never made, so nothing matches. */
static bool apply_to_holds(json_t *apply_to, const struct fx_request *request,
                           const struct fx_subject *subject) {
    struct fx_apply_to *compiled = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool holds =
        apply_to == NULL ||
        (fx_apply_to_compile(apply_to, "Assign", FX_TEXT("m"), &compiled, &err) &&
         fx_apply_to_holds(compiled, request, subject));
    fx_apply_to_destroy(compiled);
    return holds;
}

static bool match_holds(const json_t *match, const struct fx_request *request,
                        const struct fx_subject *subject, bool *ret_holds,
                        struct fx_err *err) {
    struct fx_match *compiled = NULL;
    struct fx_verdict verdict = {0};
    const bool ok = fx_match_compile(match, FX_MATCH_GATEKEEPER, &compiled, err) &&
                    fx_match_eval(compiled, request, subject, &verdict, err);
    *ret_holds = verdict.matched;
    fx_match_destroy(compiled);
    return ok;
}

void fx_case_match(json_t *row, struct fx_case_result *result) {
    result->skipped = fx_case_skip_reason(row, NULL);
    if (result->skipped != NULL) {
        return;
    }
    const json_t *expect = fx_tree_view_key(row, "expect");
    const struct fx_request request = fx_case_request(row);
    struct fx_subject subject;
    fx_subject_read(fx_tree_view_key(row, "object"), &subject);

    struct fx_err err = FX_ERR_INIT;
    bool matched = false;
    bool ok = true;
    if (apply_to_holds(fx_tree_view_key(row, "applyTo"), &request, &subject)) {
        ok = match_holds(fx_tree_view_key(row, "match"), &request, &subject, &matched,
                         &err);
    }
    if (!ok) {
        (void)fx_err_prefix(&err, "error ");
        json_t *words = fx_tree_new_string(fx_text_of(err.msg));
        fx_case_expect_json(result, "match", expect, words);
        json_decref(words);
        return;
    }
    fx_case_expect_json(result, "match", expect, matched ? json_true() : json_false());
}
