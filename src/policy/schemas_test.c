/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/schemas_test.c - CustomResourceDefinitions among policies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/policies_testing.h"

#define DEFINITION(kind, schema)                                                      \
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: " \
    "{name: x}\nspec:\n  group: x.dev\n  names: {kind: " kind "}\n  versions:\n"      \
    "    - {name: v1, served: true, schema: {openAPIV3Schema: " schema "}}\n"

static bool knows(const struct fx_policies *policies, const char *kind) {
    return policies->schemas != NULL &&
           fx_schema_find(fx_schema_catalog_set(policies->schemas), FX_TEXT("x.dev"),
                          FX_TEXT("v1"), fx_text_of(kind))
                   .set != NULL;
}

static void definitions_are_schemas(void **state) {
    (void)state;
    const struct fx_policy_input inputs[] = {
        {.file = "a.yaml", .text = FX_TEXT(DEFINITION("Widget", "{type: object}"))},
        {.file = "b.yaml",
         .text = FX_TEXT(DEFINITION("Gadget", "{type: object}") "---\n" DEFINITION(
             "Broken", "{$ref: '#/x'}"))},
    };
    struct fx_policies *policies = build(inputs, 2, NULL);
    assert_true(knows(policies, "Widget") && knows(policies, "Gadget"));
    assert_false(knows(policies, "Broken"));
    assert_int_equal(policies->findings.n_items, 1); /* none says `not a policy` */
    const struct fx_finding *finding = &policies->findings.items[0];
    assert_int_equal(finding->severity, FX_SEVERITY_WARNING);
    assert_string_equal(finding->file, "b.yaml");
    assert_int_equal(finding->line, 17);
    assert_int_equal(finding->column, 58);

    struct fx_policies *quarantined = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_policies_quarantine(policies, NULL, &quarantined, &err));
    assert_ptr_equal(quarantined->schemas, policies->schemas);
    fx_policies_unref(quarantined);

    struct fx_policies *next = build(inputs, 1, policies);
    assert_true(knows(next, "Widget"));
    assert_false(knows(next, "Gadget"));
    fx_policies_unref(policies);
    assert_true(knows(next, "Widget"));
    struct fx_policies *last = build(inputs, 0, next);
    assert_null(last->schemas);
    fx_policies_unref(next);
    fx_policies_unref(last);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_are_schemas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
