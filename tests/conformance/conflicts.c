/* SPDX-License-Identifier: Apache-2.0
 *
 * conflicts.c - gatekeeper/conflicts.jsonl: the mutators that disagree about the shape of
 * an object, and the error of each upsert.
 */
#include "kinds.h"
#include "skips.h"
#include "system.h"
#include "value/tree.h"

/* Returns the policies of all upserts of `steps`, as a new array of borrowed values. */
static json_t *policies_of(json_t *steps) {
    json_t *policies = json_array();
    for (size_t i = 0; i < json_array_size(steps); i++) {
        json_t *policy = fx_tree_view_key(json_array_get(steps, i), "mutator");
        if (policy != NULL) {
            (void)json_array_append(policies, policy);
        }
    }
    return policies;
}

static bool run_step(struct fx_case_system *system, const json_t *step,
                     struct fx_err *err) {
    if (fx_text_is(fx_tree_view_string(step, "op"), "remove")) {
        return fx_case_system_remove(system, fx_tree_view_string(step, "kind"),
                                     fx_tree_view_string(step, "name"), err);
    }
    return fx_case_system_upsert(system, fx_tree_view_key(step, "mutator"), err);
}

static bool run_all(struct fx_case_system *system, json_t *steps, json_t *policies,
                    struct fx_err *err) {
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(steps); i++) {
        ok = run_step(system, json_array_get(steps, i), err);
    }
    for (size_t i = 0; ok && steps == NULL && i < json_array_size(policies); i++) {
        ok = fx_case_system_upsert(system, json_array_get(policies, i), err);
    }
    return ok;
}

void fx_case_conflicts(json_t *row, struct fx_case_result *result) {
    if (!json_is_object(fx_tree_view_key(row, "expect"))) {
        fx_case_fail(result, "the case", "`expect`", "none");
        return;
    }
    json_t *steps = fx_tree_view_key(row, "steps");
    json_t *policies = steps != NULL ? policies_of(steps)
                                     : json_incref(fx_tree_view_key(row, "mutators"));
    result->skipped = fx_case_skip_reason(row, policies);
    if (result->skipped == NULL) {
        struct fx_case_system system;
        struct fx_err err = FX_ERR_INIT;
        if (fx_case_system_init(&system, NULL, &err) &&
            run_all(&system, steps, policies, &err)) {
            fx_case_system_compare(&system, fx_tree_view_key(row, "expect"), result);
        } else {
            fx_case_fail(result, "mutators", "valid ones", err.msg);
        }
        fx_case_system_finish(&system);
    }
    json_decref(policies);
}
