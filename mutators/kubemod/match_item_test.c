/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/match_item_test.c - one entry of `match`, on all kinds of values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "mutators/kubemod/match_item.h"
#include "mutators/kubemod/modrule.h"
#include "mutators/kubemod/testing.h"

#define OBJECT                                                                       \
    "{s: web, e: '', num: 80, big: 1000650000, f: 1.5, t: true, b: false, z: null, " \
    "l: [a, b], m: {k: v, j: [1]}, none: [], nums: [1, 2], mixed: [a, null, true], " \
    "c: [{i: x}, {}, {i: z}]}"

static const struct {
    const char *item;
    bool holds;
} cases[] = {
    /* Nothing there. */
    {"select: $.no", false},
    {"select: $.no, negate: true", true},
    {"select: $.z", false},
    {"select: $.z, negate: true", true},
    {"select: '$.s.x'", false}, /* fails */
    {"select: '$.s.x', negate: true", true},
    {"select: '$.l[7]', negate: true", true},
    /* A bool decides by itself. */
    {"select: $.t", true},
    {"select: $.b", false},
    {"select: $.b, negate: true", true},
    {"select: $.t, matchValue: 'false'", true},
    {"select: '$.num > 79'", true},
    /* Texts. */
    {"select: $.s", true},
    {"select: $.e", true},
    {"select: $.s, matchValue: web", true},
    {"select: $.s, matchValue: we", false},
    {"select: $.s, matchValue: we, negate: true", true},
    {"select: $.s, matchValue: ''", false},
    {"select: $.e, matchValue: ''", true},
    {"select: $.s, matchValues: [nope, web]", true},
    {"select: $.s, matchValues: [nope]", false},
    {"select: $.s, matchValues: []", true},
    {"select: $.s, matchRegex: e", true},
    {"select: $.s, matchRegex: ^e", false},
    /* Only one of them counts. */
    {"select: $.s, matchValue: web, matchValues: [nope], matchRegex: nope", true},
    {"select: $.s, matchValues: [nope], matchRegex: web", false},
    /* As Go prints it. */
    {"select: $.num, matchValue: '80'", true},
    {"select: $.big, matchValue: '1000650000'", false},
    {"select: $.big, matchValue: '1.00065e+09'", true},
    {"select: $.f, matchValue: '1.5'", true},
    {"select: $.m, matchValue: 'map[j:[1] k:v]'", true},
    /* Lists. */
    {"select: $.l, matchValue: b", true},
    {"select: '$.l[*]', matchValue: b", true},
    {"select: $.l, matchFor: Any, matchValue: b", true},
    {"select: $.l, matchFor: '', matchValue: b", true},
    {"select: $.l, matchFor: All, matchValue: b", false},
    {"select: $.l, matchFor: All, matchRegex: '^[ab]$'", true},
    {"select: $.l, matchFor: All, matchRegex: '^[ab]$', negate: true", false},
    {"select: $.none", false},
    {"select: $.none, matchFor: All", false},
    {"select: $.none, matchFor: All, negate: true", true},
    {"select: $.nums, matchFor: All, matchValues: ['1', '2']", true},
    {"select: $.mixed, matchValue: <nil>", true},
    {"select: $.mixed, matchValue: 'true'", true},
    {"select: $.mixed, matchFor: All", true},
    {"select: '$.c[*].i', matchFor: All, matchRegex: '[xz]'", true},
    {"select: '$.no[*]'", false},
    {"select: '$.no[*]', negate: true", true},
    /* Undefined entries come of list literals only. */
    {"select: '[$.s, $.no]'", true},
    {"select: '[$.s, $.no]', matchFor: All", false},
    {"select: '[$.s, $.no]', matchFor: All, negate: true", true},
    {"select: '[$.no]'", false},
    {"select: '[$.no]', negate: true", true},
};

static void compile(const char *item, struct fx_compilation *ret_compilation) {
    char text[1024];
    struct fx_err err = FX_ERR_INIT;
    (void)snprintf(text, sizeof text,
                   "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: "
                   "r, namespace: ns}, spec: {type: Reject, match: [{%s}]}}",
                   item);
    json_t *policy = must_read(text);
    if (!fx_dialect_kubemod.compile(policy, ret_compilation, &err)) {
        fail_msg("%s: %s", item, err.msg);
    }
    json_decref(policy);
}

static void holds_as_the_spec_says(void **state) {
    (void)state;
    json_t *object = must_read(OBJECT);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_compilation compilation = {0};
        struct fx_err err = FX_ERR_INIT;
        bool holds = false;
        compile(cases[i].item, &compilation);
        const struct modrule *rule = (const struct modrule *)compilation.mutators[0];
        assert_true(fx_match_item_eval(&rule->items[0], object, &holds, &err));
        if (holds != cases[i].holds) {
            fail_msg("%s: wanted %d, got %d", cases[i].item, cases[i].holds, holds);
        }
        fx_compilation_finish(&compilation);
    }
    json_decref(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_as_the_spec_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
