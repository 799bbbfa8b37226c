/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/overlay_test.c - overlays, by the rules of spec/kyverno.md section 14.
 */
#include <string.h>

#include "base/budget.h"
#include "mutators/kyverno/overlay.h"
#include "mutators/kyverno/testing.h"
#include "value/equal.h"

#define ARENA_BYTES ((size_t)1 << 20)

static bool apply_overlay(json_t *overlay, json_t **root, struct fx_err *err) {
    struct fx_arena arena;
    fx_arena_init(&arena, ARENA_BYTES);
    const bool ok = fx_kyverno_overlay_apply(overlay, root, &arena, err);
    fx_arena_finish(&arena);
    return ok;
}

static const struct {
    const char *overlay, *object, *result; /* NULL: nothing changes */
} overlay_cases[] = {
    /* values are set and added, never removed */
    {"{'a':1,'b':{'c':2}}", "{'a':0,'x':1}", "{'a':1,'x':1,'b':{'c':2}}"},
    {"{'a':1}", "{'a':1,'x':1}", NULL},
    {"{'a':null,'b':null}", "{'a':1}", NULL},
    {"{'a':{'b':1}}", "{'a':5}", "{'a':{'b':1}}"},
    {"{'a':{'b':1}}", "{'a':null}", "{'a':{'b':1}}"},
    {"{'a':[1]}", "{}", "{'a':[1]}"},
    /* add if absent */
    {"{'+(a)':1,'+(b)':2}", "{'a':0}", "{'a':0,'b':2}"},
    {"{'+(a)':1}", "{'a':null}", NULL},
    {"{'a':{'+(b)':{'+(c)':1}}}", "{}", "{'a':{'b':{'c':1}}}"},
    /* conditions come first, and stop everything */
    {"{'(a)':'x*','b':1}", "{'a':'xyz'}", "{'a':'xyz','b':1}"},
    {"{'(a)':'x?','b':1}", "{'a':'xyz'}", NULL},
    {"{'(a)':'x','b':1}", "{}", NULL},
    {"{'b':1,'c':{'(d)':true}}", "{'c':{'d':'true'}}", "{'c':{'d':'true'},'b':1}"},
    {"{'b':1,'c':{'(d)':true}}", "{'c':{'d':false}}", NULL},
    {"{'b':1,'c':{'(d)':true}}", "{'b':0}", NULL},
    /* a condition that is a map must match entirely */
    {"{'(m)':{'x':1,'y':2},'b':1}", "{'m':{'x':1,'y':2,'z':3}}",
     "{'m':{'x':1,'y':2,'z':3},'b':1}"},
    {"{'(m)':{'x':1,'y':2},'b':1}", "{'m':{'x':1}}", NULL},
    /* lists: elements with conditions */
    {"{'l':[{'(n)':'a*','v':1}]}", "{'l':[{'n':'ab'},{'n':'b'},{'n':'ac'}]}",
     "{'l':[{'n':'ab','v':1},{'n':'b'},{'n':'ac','v':1}]}"},
    {"{'l':[{'(n)':'a','v':1}],'x':1}", "{'l':[{'n':'b'}]}", NULL},
    {"{'l':[{'(n)':'a','v':1},{'(n)':'b','v':2}]}", "{'l':[{'n':'b'}]}",
     "{'l':[{'n':'b','v':2}]}"},
    {"{'l':[{'(n)':'a','v':1}]}", "{}", NULL},
    {"{'l':[{'m':[{'(n)':'a','v':1}]}]}", "{'l':[{'m':[{'n':'a'},{'n':'b'}]},{'m':[]}]}",
     "{'l':[{'m':[{'n':'a','v':1},{'n':'b'}]},{'m':[]}]}"},
    {"{'l':[{'(e)':{}}],'x':1}", "{'l':[{'n':1},{'e':{}}]}",
     "{'l':[{'n':1},{'e':{}}],'x':1}"},
    {"{'l':[{'+(v)':1}]}", "{'l':[{'v':0},{}]}", "{'l':[{'v':0},{'v':1}]}"},
    /* lists: other elements are added unless they are there */
    {"{'l':[{'n':'a'},{'n':'b'}]}", "{'l':[{'n':'b'}]}", "{'l':[{'n':'b'},{'n':'a'}]}"},
    {"{'l':['a','b','a']}", "{'l':['b']}", "{'l':['b','a']}"},
    {"{'l':[{'n':'a','v':1}]}", "{'l':[{'n':'a'}]}", "{'l':[{'n':'a'},{'n':'a','v':1}]}"},
    {"{'l':[{'m':['x']}]}", "{'l':[{'m':['x']},{'m':['y']},{}]}",
     "{'l':[{'m':['x']},{'m':['y','x']},{'m':['x']}]}"},
    {"{'l':[{'m':['x']}]}", "{}", "{'l':[{'m':['x']}]}"},
    /* labels and annotations are texts */
    {"{'metadata':{'annotations':{'+(a)':true,'b':5},'labels':{'c':1.5},'n':5}}",
     "{'metadata':{'annotations':{'b':'5'}}}",
     "{'metadata':{'annotations':{'b':'5','a':'true'},'labels':{'c':'1.5'},'n':5}}"},
};

static void test_overlays(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(overlay_cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *overlay = kyverno_read_quoted(overlay_cases[i].overlay);
        json_t *object = kyverno_read_quoted(overlay_cases[i].object);
        json_t *before[] = {json_deep_copy(overlay), json_deep_copy(object)};
        json_t *root = json_incref(object);
        if (!apply_overlay(overlay, &root, &err)) {
            fail_msg("%s: %s", overlay_cases[i].overlay, err.msg);
        }
        json_t *expected = overlay_cases[i].result == NULL
                               ? json_incref(object)
                               : kyverno_read_quoted(overlay_cases[i].result);
        if (!fx_equal(root, expected) ||
            (root == object) != (overlay_cases[i].result == NULL)) {
            fail_msg("%s on %s", overlay_cases[i].overlay, overlay_cases[i].object);
        }
        json_t *again = json_incref(root);
        assert_true(apply_overlay(overlay, &again, &err));
        assert_ptr_equal(again, root); /* a second time changes nothing */
        assert_true(fx_equal(before[0], overlay) && fx_equal(before[1], object));
        json_decref(again);
        json_decref(before[0]);
        json_decref(before[1]);
        json_decref(expected);
        json_decref(root);
        json_decref(object);
        json_decref(overlay);
    }
}

/* Work that is stopped anywhere leaves the object as it is. */
static void test_budget(void **state) {
    (void)state;
    json_t *overlay =
        kyverno_read_quoted("{'l':[{'(n)':'a*','v':{'w':1}},{'k':2}],'+(x)':{'y':1}}");
    json_t *object = kyverno_read_quoted("{'l':[{'n':'ab'},{'n':'b'}]}");
    bool ok = false;
    for (uint64_t units = 1; !ok && units < 1000; units++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *root = json_incref(object);
        const struct fx_bound bound = fx_budget_narrow(units, 0);
        ok = apply_overlay(overlay, &root, &err);
        (void)fx_budget_widen(bound);
        assert_true(ok ? root != object : root == object && err.code == FX_ELIMIT);
        json_decref(root);
    }
    assert_true(ok);
    json_decref(object);
    json_decref(overlay);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlays),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
