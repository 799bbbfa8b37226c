/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/review_policies.h - for the tests of this room: policies from a text.
 */
#ifndef FX_ADMISSION_REVIEW_POLICIES_H
#define FX_ADMISSION_REVIEW_POLICIES_H

#include "policy/policies.h"

/* Returns a snapshot of valid policies; counted. */
static inline struct fx_snapshot *snapshot_of(const char *text) {
    const struct fx_policy_input input = {.file = "p.yaml", .text = fx_text_of(text)};
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_policies_build(&input, 1, NULL, 1, &policies, &err));
    assert_int_equal(policies->findings.n_items, 0);
    struct fx_snapshot *snapshot = fx_snapshot_ref(policies->snapshot);
    fx_policies_unref(policies);
    return snapshot;
}

#endif
