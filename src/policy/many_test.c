/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/many_test.c - as many policies as a hostile cluster may have. Nothing is timed:
 * whatever takes time quadratic in their number does not end before the test is ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "policy/policies_testing.h"
#include "value/json.h"

#define MANY 50000u
#define SOME 10000u /* where each takes more steps */

/* The number is in the name; the location is what the test makes of it. */
#define POLICY                                                                      \
    "{\"apiVersion\":\"mutations.gatekeeper.sh/v1\",\"kind\":\"Assign\",\"metadata" \
    "\":{\"name\":\"a%u\"},\"spec\":{\"applyTo\":[{\"groups\":[\"\"],\"versions\":" \
    "[\"v1\"],\"kinds\":[\"Pod\"]}],\"location\":\"%s\",\"parameters\":{\"assign\"" \
    ":{\"value\":\"x\"}}}}"
#define NAMESPACE \
    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n%05u\"}}"

struct many {
    struct fx_policy_input inputs[MANY];
    char names[MANY][16];
    size_t n_inputs;
};

/* Appends an input; takes the object. */
static void add_take(struct many *many, unsigned name, struct fx_policy_text *object) {
    const size_t at = many->n_inputs++;
    (void)snprintf(many->names[at], sizeof many->names[at], "a%u", name);
    many->inputs[at] =
        (struct fx_policy_input){.file = many->names[at], .object = object};
}

static struct fx_policy_text *must_read(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *object = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(object);
    struct fx_policy_text *written = fx_policy_text_create(object);
    assert_non_null(written);
    json_decref(object);
    return written;
}

static void add_policy(struct many *many, unsigned name, const char *location) {
    char text[sizeof POLICY + 64];
    (void)snprintf(text, sizeof text, POLICY, name, location);
    add_take(many, name, must_read(text));
}

static void add_namespace(struct many *many, unsigned name) {
    char text[sizeof NAMESPACE + 16];
    (void)snprintf(text, sizeof text, NAMESPACE, name);
    add_take(many, name, must_read(text));
}

static int make_many(void **state) {
    *state = calloc(1, sizeof(struct many));
    return *state == NULL ? -1 : 0;
}

static void forget(struct many *many) {
    for (size_t i = 0; i < many->n_inputs; i++) {
        fx_policy_text_unref(many->inputs[i].object);
    }
    many->n_inputs = 0;
}

static int forget_many(void **state) {
    forget(*state);
    free(*state);
    return 0;
}

static struct fx_policies *build_all(const struct many *many,
                                     const struct fx_policies *previous) {
    return build(many->inputs, many->n_inputs, previous);
}

/* Each second one is new. */
static void new_ones_among_others(void **state) {
    struct many *many = *state;
    for (unsigned i = 0; i < MANY; i += 2) {
        add_policy(many, i, "spec.x");
    }
    struct fx_policies *first = build_all(many, NULL);
    assert_int_equal(first->snapshot->n_mutators, MANY / 2);
    forget(many);
    for (unsigned i = 0; i < MANY; i++) {
        struct fx_policy_text *there = i % 2 == 0 ? first->files[i / 2].object : NULL;
        if (there != NULL) {
            add_take(many, i, fx_policy_text_ref(there));
        } else {
            add_policy(many, i, "spec.x");
        }
    }
    struct fx_policies *second = build_all(many, first);
    assert_int_equal(second->snapshot->n_mutators, MANY);
    for (size_t i = 0; i < MANY; i += 2) {
        assert_ptr_equal(second->files[i].units[0], first->files[i / 2].units[0]);
    }
    fx_policies_unref(first);
    fx_policies_unref(second);
}

/* None is where it was expected, and none is missed. */
static void all_in_another_order(void **state) {
    struct many *many = *state;
    for (unsigned i = 0; i < SOME; i++) {
        add_policy(many, i, "spec.x");
    }
    struct fx_policies *first = build_all(many, NULL);
    for (size_t i = 0; i < SOME / 2; i++) {
        const struct fx_policy_input input = many->inputs[i];
        many->inputs[i] = many->inputs[SOME - 1 - i];
        many->inputs[SOME - 1 - i] = input;
    }
    struct fx_policies *second = build_all(many, first);
    for (size_t i = 0; i < SOME; i++) {
        assert_ptr_equal(second->files[i].units[0], first->files[SOME - 1 - i].units[0]);
    }
    fx_policies_unref(first);
    fx_policies_unref(second);
}

/* Half have a version before that stays, half have none. */
static void invalid_ones(void **state) {
    struct many *many = *state;
    for (unsigned i = 0; i < SOME; i += 2) {
        add_policy(many, i, "spec.x");
    }
    struct fx_policies *first = build_all(many, NULL);
    forget(many);
    for (unsigned i = 0; i < SOME; i++) {
        add_policy(many, i, "spec.[");
    }
    struct fx_policies *second = build_all(many, first);
    assert_int_equal(fx_findings_count(&second->findings, FX_SEVERITY_ERROR), SOME);
    assert_int_equal(second->snapshot->n_mutators, SOME / 2);
    for (size_t i = 0; i < SOME; i += 2) {
        assert_ptr_equal(second->files[i].units[0], first->files[i / 2].units[0]);
        assert_int_equal(second->files[i + 1].n_units, 0);
    }
    fx_policies_unref(first);
    fx_policies_unref(second);
}

/* All of them want one field to be an object and a list. */
static void conflicting_ones(void **state) {
    struct many *many = *state;
    for (unsigned i = 0; i < SOME; i++) {
        add_policy(many, i, i % 2 == 0 ? "spec.c.i" : "spec.c[name: x].i");
    }
    struct fx_policies *policies = build_all(many, NULL);
    assert_int_equal(policies->findings.n_items, FX_LIMIT_FINDINGS + 1);
    assert_int_equal(policies->findings.items[0].severity, FX_SEVERITY_CONFLICT);
    fx_policies_unref(policies);
}

static void repeated_ones(void **state) {
    struct many *many = *state;
    for (unsigned i = 0; i < SOME; i++) {
        add_policy(many, 0, "spec.x");
    }
    struct fx_policies *first = build_all(many, NULL);
    struct fx_policies *second = build_all(many, first);
    assert_int_equal(second->snapshot->n_mutators, 1);
    assert_int_equal(second->findings.n_items, FX_LIMIT_FINDINGS + 1);
    for (size_t i = 0; i < SOME; i++) { /* each in its turn, though they have one name */
        assert_ptr_equal(second->files[i].units[0], first->files[i].units[0]);
    }
    fx_policies_unref(first);
    fx_policies_unref(second);
}

static void namespaces(void **state) {
    struct many *many = *state;
    for (unsigned i = MANY; i > 0; i--) {
        add_namespace(many, i);
    }
    struct fx_policies *policies = build_all(many, NULL);
    assert_int_equal(policies->namespaces.n_objects, MANY);
    fx_policies_unref(policies);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_many, forget_many)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(new_ones_among_others), TEST(all_in_another_order), TEST(invalid_ones),
        TEST(conflicting_ones),      TEST(repeated_ones),        TEST(namespaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
