/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/policies_testing.h - sets of policies for the tests of this room. Included
 * behind <cmocka.h>.
 */
#ifndef FX_POLICY_POLICIES_TESTING_H
#define FX_POLICY_POLICIES_TESTING_H

#include "base/limits.h"
#include "policy/policies.h"

/* An Assign of the given name, location and value, as one line of JSON and a newline. */
#define ASSIGN(name, location, value)                                               \
    "{apiVersion: mutations.gatekeeper.sh/v1, kind: Assign, metadata: {name: " name \
    "}, spec: {applyTo: [{groups: [\"\"], versions: [v1], kinds: [Pod]}], "         \
    "location: " location ", parameters: {assign: {value: " value "}}}}\n"
#define SHOP(label)                                                                   \
    "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {tier: '" label \
    "'}}}\n"
#define NEXT "---\n"

static inline struct fx_policies *build(const struct fx_policy_input *inputs,
                                        size_t n_inputs,
                                        const struct fx_policies *previous) {
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_policies_build(inputs, n_inputs, previous, 7, &policies, &err));
    assert_int_equal(policies->snapshot->generation, 7);
    assert_int_equal(policies->n_files, n_inputs);
    return policies;
}

static inline struct fx_policies *build_one(const char *text,
                                            const struct fx_policies *previous) {
    const struct fx_policy_input input = {.file = "p.yaml", .text = fx_text_of(text)};
    return build(&input, 1, previous);
}

static inline void expect_findings(const struct fx_policies *policies,
                                   const char *expected) {
    struct fx_buf printed;
    fx_buf_init(&printed, 0);
    fx_buf_str(&printed, "");
    for (size_t i = 0; i < policies->findings.n_items; i++) {
        fx_finding_print(&printed, &policies->findings.items[i], false);
    }
    assert_string_equal(printed.data, expected);
    fx_buf_finish(&printed);
}

/* `count` times the text, then `last`. */
static inline struct fx_policies *build_many(const char *text, size_t count,
                                             const char *last) {
    struct fx_buf file;
    fx_buf_init(&file, 0);
    for (size_t i = 0; i < count; i++) {
        fx_buf_str(&file, text);
    }
    fx_buf_str(&file, last);
    assert_false(file.failed);
    struct fx_policies *policies = build_one(file.data, NULL);
    fx_buf_finish(&file);
    return policies;
}

static inline void expect_last(struct fx_policies *policies, enum fx_severity severity,
                               const char *text) {
    assert_int_equal(policies->findings.n_items, FX_LIMIT_FINDINGS + 1);
    const struct fx_finding *last = &policies->findings.items[FX_LIMIT_FINDINGS];
    assert_int_equal(last->severity, severity);
    assert_string_equal(last->file, "p.yaml");
    assert_string_equal(last->text, text);
    fx_policies_unref(policies);
}

#endif
