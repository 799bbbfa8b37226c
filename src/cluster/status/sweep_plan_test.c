/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_plan_test.c - whose entry may be removed, and how.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "cluster/status/status_internal.h"
#include "kube/test_json.h"
#include "value/json.h"

/* ---- names ----------------------------------------------------------------------- */

static void names_are_a_set(void **state) {
    (void)state;
    static const char *const in[] = {"m", "a", "z", "m", "aa", "a", "b"};
    static const char *const sorted[] = {"a", "aa", "b", "m", "z"};
    struct fx_sweep_names names = {0};
    assert_false(fx_sweep_names_has(&names, FX_TEXT("a")));
    for (size_t i = 0; i < FX_COUNT(in); i++) {
        assert_true(fx_sweep_names_add(&names, fx_text_of(in[i])));
    }
    assert_int_equal(names.n_items, FX_COUNT(sorted));
    for (size_t i = 0; i < FX_COUNT(sorted); i++) {
        assert_string_equal(names.items[i], sorted[i]);
        assert_true(fx_sweep_names_has(&names, fx_text_of(sorted[i])));
    }
    assert_false(fx_sweep_names_has(&names, FX_TEXT("ab")));
    assert_false(fx_sweep_names_has(&names, FX_TEXT("")));
    struct fx_sweep_names some = {0};
    assert_true(fx_sweep_names_hold_all(&names, &some));
    assert_true(fx_sweep_names_add(&some, FX_TEXT("z")));
    assert_true(fx_sweep_names_hold_all(&names, &some));
    assert_false(fx_sweep_names_hold_all(&some, &names));
    fx_sweep_names_finish(&some);
    fx_sweep_names_finish(&names);
}

static void pages_of_pods(void **state) {
    (void)state;
    json_t *page = read_json("{\"items\":[{\"metadata\":{\"name\":\"b\"}},{},7,"
                             "{\"metadata\":{\"name\":\"a\"}},{\"metadata\":[]}]}");
    struct fx_sweep_names names = {0};
    assert_true(fx_sweep_names_add_page(&names, page));
    assert_true(fx_sweep_names_add_page(&names, NULL));
    assert_int_equal(names.n_items, 2);
    assert_string_equal(names.items[0], "a");
    fx_sweep_names_finish(&names);
    json_decref(page);
}

static void there_is_an_end_to_names(void **state) {
    (void)state;
    struct fx_sweep_names names = {0};
    char name[16];
    for (unsigned i = 0; i < FX_LIMIT_SWEEP_NAMES; i++) {
        (void)snprintf(name, sizeof name, "p%08u", i);
        assert_true(fx_sweep_names_add(&names, fx_text_of(name)));
    }
    assert_true(fx_sweep_names_add(&names, FX_TEXT("p00000007")));
    assert_false(fx_sweep_names_add(&names, FX_TEXT("one more")));
    fx_sweep_names_finish(&names);
}

/* ---- siblings -------------------------------------------------------------------- */

static void siblings(void **state) {
    (void)state;
    static const struct {
        const char *id, *own;
        bool is_one;
    } cases[] = {
        {"fixpoint-7d4b9c6f5-x2x4q", "fixpoint-5c8f7b6d9-abcde", true},
        {"fixpoint-7d4b9c6f5-x2x4q", "fixpoint-7d4b9c6f5-abcde", true},
        {"my-fixpoint-7d4b9c6f5-x2x4q", "my-fixpoint-5c8f7b6d9-abcde", true},
        {"fixpoint-audit-7d4b9c6f5-x2x4q", "fixpoint-5c8f7b6d9-abcde", false},
        {"fixpoint-5c8f7b6d9-abcde", "fixpoint-audit-7d4b9c6f5-x2x4q", false},
        {"gatekeeper-controller-manager-7d4b9c6f5-x2x4q", "fixpoint-5c8f7b6d9-abcde",
         false},
        {"gatekeeper-audit-7d4b9c6f5-x2x4q", "gatekeeper-controller-manager-5c8f-abcde",
         false},
        {"fixpoint-x2x4q", "fixpoint-abcde", false}, /* of no Deployment */
        {"fixpoint", "fixpoint", false},
        {"", "", false},
        {"-a-b", "-c-d", false},
        {"fixpoint--x", "fixpoint-a-b", false},
        {"fixpoint-a-", "fixpoint-a-b", false},
        {"fixpoint", "fixpoint-5c8f7b6d9-abcde", false},
        {"a-b-c", "a-b", false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        if (fx_sweep_is_sibling(fx_text_of(cases[i].id), cases[i].own) !=
            cases[i].is_one) {
            fail_msg("%s and %s", cases[i].id, cases[i].own);
        }
    }
}

/* ---- whose entry ----------------------------------------------------------------- */

#define MANAGED(manager, operation, subresource, fields)                            \
    "{\"manager\":\"" manager "\",\"operation\":\"" operation                       \
    "\",\"apiVersion\":\"mutations.gatekeeper.sh/v1\",\"fieldsType\":\"FieldsV1\"," \
    "\"fieldsV1\":{\"f:status\":{\"f:byPod\":{" fields                              \
    "}}},\"subresource\":\"" subresource "\"}"
#define KEY(id) "\"k:{\\\"id\\\":\\\"" id "\\\"}\":{\".\":{},\"f:enforced\":{}}"
#define OWN     "fixpoint-5c8f7b6d9-abcde"

static void ways(void **state) {
    (void)state;
    static const struct {
        const char *id, *managed;
        enum fx_sweep_method way;
    } cases[] = {
        {"gone", MANAGED("fixpoint-gone", "Apply", "status", KEY("gone")),
         FX_SWEEP_APPLY},
        {"gone",
         MANAGED("kubectl", "Update", "", "") "," MANAGED("fixpoint-gone", "Apply",
                                                          "status", KEY("gone")),
         FX_SWEEP_APPLY},
        {"gone", MANAGED("fixpoint-other", "Apply", "status", KEY("gone")),
         FX_SWEEP_FOREIGN},
        {"gone", MANAGED("fixpoint-gone", "Update", "status", KEY("gone")),
         FX_SWEEP_FOREIGN},
        {"gone", MANAGED("fixpoint-gone", "Apply", "", KEY("gone")), FX_SWEEP_FOREIGN},
        {"gone", MANAGED("fixpoint-gone", "Apply", "status", KEY("other")),
         FX_SWEEP_FOREIGN},
        {"gone", MANAGED("fixpoint-gone", "Apply", "status", ""), FX_SWEEP_FOREIGN},
        {"gone", "", FX_SWEEP_FOREIGN},
        {"fixpoint-7d4b9c6f5-x2x4q", "", FX_SWEEP_DROP},
        {"fixpoint-7d4b9c6f5-x2x4q",
         MANAGED("fixpoint-fixpoint-7d4b9c6f5-x2x4q", "Update", "status", ""),
         FX_SWEEP_DROP},
        {"fixpoint-7d4b9c6f5-x2x4q",
         MANAGED("fixpoint-fixpoint-7d4b9c6f5-x2x4q", "Apply", "status",
                 KEY("fixpoint-7d4b9c6f5-x2x4q")),
         FX_SWEEP_APPLY},
        {"gatekeeper-audit-7d4b9c6f5-x2x4q",
         MANAGED("gatekeeper", "Update", "status",
                 KEY("gatekeeper-audit-7d4b9c6f5-x2x4q")),
         FX_SWEEP_FOREIGN},
        {OWN, MANAGED("fixpoint-" OWN, "Apply", "status", KEY(OWN)), FX_SWEEP_NONE},
        {"", MANAGED("fixpoint-", "Apply", "status", KEY("")), FX_SWEEP_NONE},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char text[2000];
        (void)snprintf(text, sizeof text, "{\"metadata\":{\"managedFields\":[%s]}}",
                       cases[i].managed);
        json_t *object = read_json(text);
        const enum fx_sweep_method way =
            fx_sweep_method_of(object, fx_text_of(cases[i].id), OWN);
        if (way != cases[i].way) {
            fail_msg("case %zu: %d", i, (int)way);
        }
        json_decref(object);
    }
}

/* Anybody may write an id of any length: what no Pod can be called is not noted. */
static void strange_ids(void **state) {
    (void)state;
    char longest[255];
    memset(longest, 'a', sizeof longest);
    json_t *object = read_json("{}");
    assert_int_equal(fx_sweep_method_of(object, (struct fx_text){longest, 253}, OWN),
                     FX_SWEEP_FOREIGN);
    assert_int_equal(fx_sweep_method_of(object, (struct fx_text){longest, 254}, OWN),
                     FX_SWEEP_NONE);
    assert_int_equal(fx_sweep_method_of(object, FX_TEXT("A pod"), OWN), FX_SWEEP_NONE);
    json_decref(object);
}

/* Managed fields, which any client may write, must not be read past their end. */
static void strange_objects(void **state) {
    (void)state;
    static const struct {
        const char *text;
    } cases[] = {
        {"7"},
        {"{}"},
        {"{\"metadata\":7}"},
        {"{\"metadata\":{\"managedFields\":{}}}"},
        {"{\"metadata\":{\"managedFields\":[7,null,{\"manager\":7}]}}"},
        {"{\"metadata\":{\"managedFields\":[{\"manager\":\"fixpoint-x\",\"operation\":"
         "\"Apply\",\"subresource\":\"status\",\"fieldsV1\":[]}]}}"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *object = read_json(cases[i].text);
        assert_int_equal(fx_sweep_method_of(object, FX_TEXT("x"), OWN), FX_SWEEP_FOREIGN);
        json_decref(object);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_a_set),
        cmocka_unit_test(pages_of_pods),
        cmocka_unit_test(there_is_an_end_to_names),
        cmocka_unit_test(siblings),
        cmocka_unit_test(ways),
        cmocka_unit_test(strange_ids),
        cmocka_unit_test(strange_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
