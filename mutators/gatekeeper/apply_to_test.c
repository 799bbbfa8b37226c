/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/apply_to_test.c - spec.applyTo: what it holds, and what it may not
 * say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/fake_mutator.h"
#include "mutators/gatekeeper/match.h"

#define ENTRY(rest) \
    "{\"groups\": [\"\", \"apps\"], \"versions\": [\"v1\"], \"kinds\": [\"Pod\"]" rest "}"
#define INVALID "invalid applyTo for Assign mutator a"

static const struct {
    const char *apply_to, *api_version, *kind;
    enum fx_operation operation;
    bool holds;
} cases[] = {
    {"[" ENTRY("") "]", "v1", "Pod", FX_OPERATION_CREATE, true},
    {"[" ENTRY("") "]", "apps/v1", "Pod", FX_OPERATION_UPDATE, true},
    {"[" ENTRY("") "]", "v1", "pod", FX_OPERATION_CREATE, false},
    {"[" ENTRY("") "]", "v2", "Pod", FX_OPERATION_CREATE, false},
    {"[" ENTRY("") "]", "batch/v1", "Pod", FX_OPERATION_CREATE, false},
    {"[" ENTRY("") "]", "v1", "Pod", FX_OPERATION_DELETE, false},
    {"[" ENTRY("") "]", "v1", "Pod", FX_OPERATION_CONNECT, false},
    {"[" ENTRY("") "]", "v1", "Pod", FX_OPERATION_NONE, true},
    {"[" ENTRY(", \"operations\": []") "]", "v1", "Pod", FX_OPERATION_NONE, true},
    {"[" ENTRY(", \"operations\": [\"*\"]") "]", "v1", "Pod", FX_OPERATION_UPDATE, true},
    {"[" ENTRY(", \"operations\": [\"CREATE\"]") "]", "v1", "Pod", FX_OPERATION_CREATE,
     true},
    {"[" ENTRY(", \"operations\": [\"CREATE\"]") "]", "v1", "Pod", FX_OPERATION_UPDATE,
     false},
    {"[" ENTRY(", \"operations\": [\"CREATE\"]") "]", "v1", "Pod", FX_OPERATION_NONE,
     false},
    {"[" ENTRY(", \"operations\": [\"UPDATE\", \"CREATE\"]") "]", "v1", "Pod",
     FX_OPERATION_NONE, true},
    /* Two entries do not add up. */
    {"[" ENTRY(", \"operations\": [\"CREATE\"]") ", " ENTRY(
         ", \"operations\": [\"UPDATE\"]") "]",
     "v1", "Pod", FX_OPERATION_NONE, false},
    {"[" ENTRY(", \"operations\": [\"CREATE\"]") ", " ENTRY(
         ", \"operations\": [\"UPDATE\"]") "]",
     "v1", "Pod", FX_OPERATION_UPDATE, true},
    /* No mixing across entries; `*` is a name like any other. */
    {"[{\"groups\": [\"\"], \"versions\": [\"v1\"], \"kinds\": [\"A\"]}, {\"groups\": "
     "[\"g\"], \"versions\": [\"v1\"], \"kinds\": [\"B\"]}]",
     "g/v1", "A", FX_OPERATION_CREATE, false},
    {"[{\"groups\": [\"*\"], \"versions\": [\"*\"], \"kinds\": [\"*\"]}]", "v1", "Pod",
     FX_OPERATION_CREATE, false},
};

static void holds(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *node = fake_json(cases[i].apply_to);
        struct fx_apply_to *apply_to = NULL;
        struct fx_err err = FX_ERR_INIT;
        assert_true(fx_apply_to_compile(node, "Assign", FX_TEXT("a"), &apply_to, &err));
        json_decref(node);
        json_t *object = json_pack("{s:s, s:s}", "apiVersion", cases[i].api_version,
                                   "kind", cases[i].kind);
        struct fx_subject subject;
        fx_subject_read(object, &subject);
        const struct fx_request request = {.operation = cases[i].operation};
        if (fx_apply_to_holds(apply_to, &request, &subject) != cases[i].holds) {
            fail_msg("%s on %s %s", cases[i].apply_to, cases[i].api_version,
                     cases[i].kind);
        }
        fx_apply_to_destroy(apply_to);
        json_decref(object);
    }
}

static const struct {
    const char *apply_to, *error;
} refused[] = {
    {"null", "applyTo required for Assign mutator a"},
    {"[]", "applyTo required for Assign mutator a"},
    {"[{}]", INVALID ", all of group, version and kind must be specified"},
    {"[" ENTRY("") ", {\"groups\": [\"\"], \"versions\": [\"v1\"], \"kinds\": []}]",
     INVALID ", all of group, version and kind must be specified"},
    {"[" ENTRY(", \"operations\": [\"DELETE\"]") "]",
     INVALID ": invalid operation \"DELETE\" in applyTo[0].operations: must be one of "
             "CREATE, UPDATE, *"},
    {"[" ENTRY("") ", " ENTRY(", \"operations\": [\"CREATE\", \"CREATE\"]") "]",
     INVALID ": duplicate operation \"CREATE\" in applyTo[1].operations"},
    {"[" ENTRY(", \"operations\": [\"*\", \"CREATE\"]") "]",
     INVALID ": wildcard \"*\" in applyTo[0].operations must not be combined with other "
             "operations"},
    {"[" ENTRY(", \"operations\": [\"x\", \"x\", \"*\"]") "]", INVALID
     ": invalid operation \"x\" in applyTo[0].operations: must be one of CREATE, "
     "UPDATE, *; duplicate operation \"x\" in applyTo[0].operations; invalid "
     "operation \"x\" in applyTo[0].operations: must be one of CREATE, UPDATE, *; "
     "wildcard \"*\" in applyTo[0].operations must not be combined with other "
     "operations"},
    {"{}",
     "json: cannot unmarshal object into Go struct field AssignSpec.spec.applyTo of "
     "type []match.MutationApplyTo"},
    {"[\"x\"]", "json: cannot unmarshal string into Go struct field "
                "MutationApplyTo.spec.applyTo of type match.MutationApplyTo"},
    {"[{\"groups\": \"x\"}]", "json: cannot unmarshal string into Go struct field "
                              "MutationApplyTo.spec.applyTo.groups of type []string"},
    {"[{\"operations\": [1]}]",
     "json: cannot unmarshal number into Go struct field "
     "MutationApplyTo.spec.applyTo.operations of type v1.Operation"},
};

static void refuses(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(refused); i++) {
        json_t *node = fake_json(refused[i].apply_to);
        struct fx_apply_to *apply_to = NULL;
        struct fx_err err = FX_ERR_INIT;
        assert_false(fx_apply_to_compile(node, "Assign", FX_TEXT("a"), &apply_to, &err));
        assert_string_equal(err.msg, refused[i].error);
        assert_int_equal(err.code, FX_EINVALID);
        json_decref(node);
    }
}

#define BOTH \
    (FX_OPERATION_BIT(FX_OPERATION_CREATE) | FX_OPERATION_BIT(FX_OPERATION_UPDATE))

static void bindings(void **state) {
    (void)state;
    json_t *node =
        fake_json("[{\"groups\": [\"a\", \"b\"], \"versions\": [\"v1\", \"v2\", "
                  "\"v3\"], \"kinds\": [\"K\", \"L\"]}, {\"groups\": [\"c\"], "
                  "\"versions\": [\"v1\"], \"kinds\": [\"M\"], \"operations\": "
                  "[\"UPDATE\"]}]");
    struct fx_apply_to *apply_to = NULL;
    struct fx_err err = FX_ERR_INIT;
    size_t n = 0;
    assert_true(fx_apply_to_compile(node, "Assign", FX_TEXT("a"), &apply_to, &err));
    const struct fx_binding *list = fx_apply_to_bindings(apply_to, &n);
    assert_int_equal(n, 13);
    struct fx_buf seen;
    fx_buf_init(&seen, 0);
    for (size_t i = 0; i < n; i++) {
        fx_buf_printf(&seen, "%.*s%.*s%.*s ", FX_TEXT_ARG(list[i].group),
                      FX_TEXT_ARG(list[i].version), FX_TEXT_ARG(list[i].kind));
        assert_false(list[i].any_group || list[i].any_version || list[i].any_kind);
        assert_int_equal(list[i].no_operation, i < 12);
    }
    assert_string_equal(seen.data,
                        "av1K av1L av2K av2L av3K av3L bv1K bv1L bv2K bv2L bv3K "
                        "bv3L cv1M ");
    fx_buf_finish(&seen);
    assert_int_equal(list[12].operations, FX_OPERATION_BIT(FX_OPERATION_UPDATE));
    fx_apply_to_destroy(apply_to);
    json_decref(node);
}

/* 100 × 100 × 100 kinds of objects are too many to list. */
static void bindings_are_bounded(void **state) {
    (void)state;
    json_t *names = json_array();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(json_array_append_new(names, json_sprintf("n%d", i)), 0);
    }
    json_t *node = json_pack("[{s:O, s:O, s:o}]", "groups", names, "versions", names,
                             "kinds", names);
    struct fx_apply_to *apply_to = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_false(fx_apply_to_compile(node, "Assign", FX_TEXT("a"), &apply_to, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    json_decref(node);
}

#define OPERATIONS_INVALID "invalid operations for K mutator a: "

/* error NULL: the bits. */
static const struct {
    const char *operations;
    unsigned bits;
    const char *error;
} operation_lists[] = {
    {"null", BOTH, NULL},
    {"[]", BOTH, NULL},
    {"[\"*\"]", BOTH, NULL},
    {"[\"UPDATE\", \"CREATE\"]", BOTH, NULL},
    {"[\"UPDATE\"]", FX_OPERATION_BIT(FX_OPERATION_UPDATE), NULL},
    {"[\"update\"]", 0,
     OPERATIONS_INVALID "invalid operation \"update\" in spec.operations: must be one of "
                        "CREATE, UPDATE, *"},
    {"[\"CREATE\", \"CREATE\", \"*\"]", 0,
     OPERATIONS_INVALID
     "duplicate operation \"CREATE\" in spec.operations; wildcard \"*\" in "
     "spec.operations must not be combined with other operations"},
    {"{}", 0,
     "json: cannot unmarshal object into Go struct field KSpec.spec.operations of type "
     "[]v1.Operation"},
    {"[[]]", 0,
     "json: cannot unmarshal array into Go struct field KSpec.spec.operations of type "
     "v1.Operation"},
};

static void operations_alone(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(operation_lists); i++) {
        json_t *node = fake_json(operation_lists[i].operations);
        struct fx_binding binding = {.operations = 0};
        struct fx_err err = FX_ERR_INIT;
        const bool ok = fx_operations_compile(node, "K", FX_TEXT("a"), &binding, &err);
        assert_int_equal(ok, operation_lists[i].error == NULL);
        if (ok) {
            const unsigned bits = operation_lists[i].bits;
            const struct fx_request update = {.operation = FX_OPERATION_UPDATE};
            const struct fx_request none = {.operation = FX_OPERATION_NONE};
            assert_true(binding.any_group && binding.any_version && binding.any_kind);
            assert_int_equal(binding.operations, bits);
            assert_true(fx_operations_hold(&binding, &update));
            assert_int_equal(fx_operations_hold(&binding, &none), bits == BOTH);
        } else {
            assert_string_equal(err.msg, operation_lists[i].error);
            assert_int_equal(err.code, FX_EINVALID);
        }
        json_decref(node);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds),
        cmocka_unit_test(refuses),
        cmocka_unit_test(bindings),
        cmocka_unit_test(bindings_are_bounded),
        cmocka_unit_test(operations_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
