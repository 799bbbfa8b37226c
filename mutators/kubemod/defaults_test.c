/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/defaults_test.c - the defaults that are set, and the invalid fields
 * that are left to the validation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mutators/kubemod/testing.h"

extern const struct fx_dialect fx_dialect_kubemod;

#define OPERATIONS "admissionOperations: [CREATE, UPDATE]"

static const struct {
    const char *rule, *expected; /* NULL: the same */
} cases[] = {
    {RULE(""), RULE(OPERATIONS)},
    {RULE("admissionOperations: []"), RULE(OPERATIONS)},
    {RULE("admissionOperations: null"), RULE(OPERATIONS)},
    {RULE("admissionOperations: [UPDATE]"), NULL},
    {RULE(OPERATIONS ", match: [{select: a}, {select: b, matchFor: All}, {matchFor: ''}, "
                     "{matchFor: null}, {matchFor: Any}]"),
     RULE(OPERATIONS ", match: [{select: a, matchFor: Any}, {select: b, matchFor: All}, "
                     "{matchFor: Any}, {matchFor: Any}, {matchFor: Any}]")},
    {RULE("type: Patch, match: [{}], patch: [{op: add}], more: [1]"),
     RULE("type: Patch, match: [{matchFor: Any}], patch: [{op: add}], more: [1], "
          "" OPERATIONS)},
    /* What is wrong stays so, and what is right beside it is filled in. */
    {RULE("admissionOperations: CREATE, match: [5, null, {matchFor: 5}, {matchFor: x}, "
          "[{}]]"),
     NULL},
    {RULE("admissionOperations: {}, match: {matchFor: ''}"), NULL},
    {RULE("admissionOperations: '', match: [5, {}]"),
     RULE("admissionOperations: '', match: [5, {matchFor: Any}]")},
    {"{kind: ModRule}", NULL},
    {"{spec: null}", NULL},
    {"{spec: []}", NULL},
    {"[{spec: {}}]", NULL},
    {"text", NULL},
};

static void sets_two_fields(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *rule = must_read(cases[i].rule);
        json_t *root = json_incref(rule);
        assert_true(fx_dialect_kubemod.set_defaults(&root, &err));
        if (cases[i].expected == NULL) {
            assert_ptr_equal(root, rule);
        } else {
            assert_value(root, cases[i].expected, cases[i].rule);
        }
        assert_value(rule, cases[i].rule, "the rule as it came");
        json_decref(root);
        json_decref(rule);
    }
}

/* Once is enough. */
static void is_idempotent(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *root = must_read(RULE("match: [{}, {}]"));
    assert_true(fx_dialect_kubemod.set_defaults(&root, &err));
    json_t *once = json_incref(root);
    assert_true(fx_dialect_kubemod.set_defaults(&root, &err));
    assert_ptr_equal(root, once);
    json_decref(once);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_two_fields),
        cmocka_unit_test(is_idempotent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
