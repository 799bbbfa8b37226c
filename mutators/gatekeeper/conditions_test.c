/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/conditions_test.c - `spec.conditions`: what is refused, and where a
 * mutator then acts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "mutators/gatekeeper/testing.h"

#define AT(location, conditions)                                        \
    OURS("Assign", POD_ONLY ",'location':'" location "','parameters':{" \
                            "'assign':{'value':1}},'conditions':" conditions)
#define IF(location, operator, values) \
    "[{'location':'" location "','operator':'" operator"','values':" values "}]"
#define WHEN(location, operator, values) AT("spec.x", IF(location, operator, values))
#define EACH(location, operator, values) \
    AT("spec.l[k: *].x", IF(location, operator, values))

static const struct refusal refused[] = {
    /* Wrong types, as of any field. */
    {AT("spec.x", "{}"),
     "json: cannot unmarshal object into Go struct field AssignSpec.spec.conditions of "
     "type []v1alpha1.Condition",
     "{}", 0, 0},
    {AT("spec.x", "['a']"),
     "json: cannot unmarshal string into Go struct field AssignSpec.spec.conditions of "
     "type v1alpha1.Condition",
     "'a'", 0, 0},
    {AT("spec.x", "[{'location':5}]"),
     "json: cannot unmarshal number into Go struct field "
     "Condition.spec.conditions.location of type string",
     "5", 0, 0},
    {AT("spec.x", "[{'operator':[]}]"),
     "json: cannot unmarshal array into Go struct field "
     "Condition.spec.conditions.operator of type v1alpha1.ConditionOperator",
     "[]", 0, 0},
    {AT("spec.x", "[{'values':'a'}]"),
     "json: cannot unmarshal string into Go struct field "
     "Condition.spec.conditions.values of type []interface {}",
     "'a'", 0, 0},
    /* The location. */
    {AT("spec.x", "[{'operator':'Exists'}]"),
     "spec.conditions[0].location: Required value", "{'operator':'Exists'}", 0, 0},
    {AT("spec.x", "[null]"), "spec.conditions[0].location: Required value", "[null]", 0,
     0},
    {WHEN("", "Exists", "[]"), "spec.conditions[0].location: empty path", "''", 0, 0},
    {AT("spec.x", "[{'location':'spec.a','operator':'Exists'},{'location':'spec..b',"
                  "'operator':'Exists'}]"),
     "spec.conditions[1].location: unexpected token: expected field name or eof, got: "
     "SEPARATOR: \".\"",
     "'spec..b'", 5, 1},
    /* The operator. */
    {AT("spec.x", "[{'location':'spec.a'}]"),
     "spec.conditions[0].operator: Required value", "{'location':'spec.a'}", 0, 0},
    {WHEN("spec.a", "in", "['a']"),
     "spec.conditions[0].operator: Unsupported value: \"in\": supported values: "
     "\"Exists\", \"DoesNotExist\", \"In\", \"NotIn\", \"Matches\"",
     "'in'", 0, 0},
    /* The values. */
    {WHEN("spec.a", "Exists", "['a']"),
     "spec.conditions[0].values: must be empty with `Exists`", "['a']", 0, 0},
    {WHEN("spec.a", "DoesNotExist", "[null]"),
     "spec.conditions[0].values: must be empty with `DoesNotExist`", "[null]", 0, 0},
    {WHEN("spec.a", "In", "[]"), "spec.conditions[0].values: must not be empty with `In`",
     "[]", 0, 0},
    {WHEN("spec.a", "NotIn", "null"),
     "spec.conditions[0].values: must not be empty with `NotIn`", NULL, 0, 0},
    {WHEN("spec.a", "Matches", "[]"),
     "spec.conditions[0].values: must not be empty with `Matches`", "[]", 0, 0},
    {WHEN("spec.a", "In", "['a',{'b':1}]"),
     "spec.conditions[0].values[1]: must be a string, a number, a boolean or null",
     "{'b':1}", 0, 0},
    {WHEN("spec.a", "NotIn", "[[]]"),
     "spec.conditions[0].values[0]: must be a string, a number, a boolean or null", "[]",
     0, 0},
    {WHEN("metadata.labels.a", "In", "['a',1]"),
     "spec.conditions[0].values[1]: must be a string: labels and annotations are nothing "
     "else",
     "1", 0, 0},
    {WHEN("metadata.annotations.a", "NotIn", "[true]"),
     "spec.conditions[0].values[0]: must be a string: labels and annotations are nothing "
     "else",
     "[true]", 0, 0},
    {WHEN("spec.a", "Matches", "['a',5]"),
     "spec.conditions[0].values[1]: must be a string with `Matches`", "5", 0, 0},
    {WHEN("spec.a", "Matches", "['a','a(b']"),
     "spec.conditions[0].values[1]: missing ): a(b", "'a(b'", 0, 0},
    /* Conditions are read last. */
    {OURS("Assign", "'location':'spec.x','parameters':{'assign':{'value':1}},"
                    "'conditions':[{}]"),
     "applyTo required for Assign mutator m", NULL, 0, 0},
    {OURS("Remove", POD_ONLY ",'location':'spec.x','conditions':[{}]"),
     "spec.conditions[0].location: Required value", "{}", 0, 0},
    {OURS("ModifySet", POD_ONLY ",'location':'spec.x','conditions':[{}]"),
     "spec.conditions[0].location: Required value", "{}", 0, 0},
    {OURS("AssignImage", POD_ONLY ",'location':'spec.x','parameters':{'assignTag':':1'},"
                                  "'conditions':[{}]"),
     "spec.conditions[0].location: Required value", "{}", 0, 0},
    {OURS("AssignMetadata", "'location':'metadata.labels.x','parameters':{'assign':{"
                            "'value':'v'}},'conditions':[{}]"),
     "spec.conditions[0].location: Required value", "{}", 0, 0},
};

static void refuses(void **state) {
    (void)state;
    expect_refusals(refused, FX_COUNT(refused));
}

/* Each operator, of the object. */
static const struct writing asked_once[] = {
    {AT("spec.x", "[]"), "{}", "{'x':1}", NULL},
    {AT("spec.x", "null"), "{}", "{'x':1}", NULL},
    {WHEN("spec.a", "Exists", "[]"), "{'a':0}", "{'a':0,'x':1}", NULL},
    {WHEN("spec.a", "Exists", "null"), "{'a':null}", "{'a':null,'x':1}", NULL},
    {WHEN("spec.a", "Exists", "[]"), "{'b':0}", NULL, "conditions"},
    {WHEN("status", "Exists", "[]"), "{}", NULL, "conditions"},
    {WHEN("kind", "Exists", "[]"), "{}", "{'x':1}", NULL},
    {WHEN("spec.a.b", "Exists", "[]"), "{'a':'text'}", NULL, "conditions"},
    {WHEN("spec.m[k: v]", "Exists", "[]"), "{'m':[{'k':'v'}]}", "{'m':[{'k':'v'}],'x':1}",
     NULL},
    {WHEN("spec.m[k: v]", "Exists", "[]"), "{'m':[{'k':'w'}]}", NULL, "conditions"},
    {WHEN("spec.m[k: *]", "Exists", "[]"), "{'m':[]}", NULL, "conditions"},
    {WHEN("spec.m[k: * except v].a", "Exists", "[]"), "{'m':[{'k':'v','a':1},{'k':'w'}]}",
     NULL, "conditions"},
    {WHEN("spec.m[k: * except w, v].a", "Exists", "[]"),
     "{'m':[{'k':'v'},{'k':'u','a':1}]}", "{'m':[{'k':'v'},{'k':'u','a':1}],'x':1}",
     NULL},
    {WHEN("spec.a", "DoesNotExist", "[]"), "{}", "{'x':1}", NULL},
    {WHEN("spec.a", "DoesNotExist", "[]"), "{'a':null}", NULL, "conditions"},
    {WHEN("spec.m[k: *].a", "DoesNotExist", "[]"), "{'m':[{},{'a':1}]}", NULL,
     "conditions"},
    {WHEN("spec.a", "In", "['b','c']"), "{'a':'c'}", "{'a':'c','x':1}", NULL},
    {WHEN("spec.a", "In", "['b','c']"), "{'a':'d'}", NULL, "conditions"},
    {WHEN("spec.a", "In", "['b']"), "{}", NULL, "conditions"},
    {WHEN("spec.a", "In", "[5]"), "{'a':5.0}", "{'a':5,'x':1}", NULL},
    {WHEN("spec.a", "In", "['5']"), "{'a':5}", NULL, "conditions"},
    {WHEN("spec.a", "In", "[5]"), "{'a':'5'}", NULL, "conditions"},
    {WHEN("spec.a", "In", "['b',true,null]"), "{'a':null}", "{'a':null,'x':1}", NULL},
    {WHEN("spec.a", "In", "['b',true]"), "{'a':true}", "{'a':true,'x':1}", NULL},
    {WHEN("spec.a", "In", "[true]"), "{'a':false}", NULL, "conditions"},
    {WHEN("spec.a", "In", "['b']"), "{'a':['b']}", NULL, "conditions"},
    {WHEN("spec.m[k: *].a", "In", "['b']"), "{'m':[{'a':'c'},{'a':'b'}]}",
     "{'m':[{'a':'c'},{'a':'b'}],'x':1}", NULL},
    {WHEN("spec.a", "NotIn", "['b']"), "{}", "{'x':1}", NULL},
    {WHEN("spec.a", "NotIn", "['b']"), "{'a':'c'}", "{'a':'c','x':1}", NULL},
    {WHEN("spec.a", "NotIn", "['b']"), "{'a':'b'}", NULL, "conditions"},
    {WHEN("spec.m[k: *].a", "NotIn", "['b']"), "{'m':[{'a':'c'},{'a':'b'}]}", NULL,
     "conditions"},
    {WHEN("spec.a", "Matches", "['^r[.]io/','^q']"), "{'a':'quay'}", "{'a':'quay','x':1}",
     NULL},
    {WHEN("spec.a", "Matches", "['^r[.]io/']"), "{'a':'x.r.io/'}", NULL, "conditions"},
    {WHEN("spec.a", "Matches", "['5']"), "{'a':5}", NULL, "conditions"},
    {WHEN("spec.a", "Matches", "['']"), "{}", NULL, "conditions"},
    {WHEN("spec.m[k: *].a", "Matches", "['b']"), "{'m':[{'a':1},{'a':'abc'}]}",
     "{'m':[{'a':1},{'a':'abc'}],'x':1}", NULL},
    /* All must hold. */
    {AT("spec.x", "[{'location':'spec.a','operator':'Exists'},{'location':'spec.b',"
                  "'operator':'Exists'}]"),
     "{'a':1}", NULL, "conditions"},
    {AT("spec.x", "[{'location':'spec.a','operator':'Exists'},{'location':'spec.b',"
                  "'operator':'Exists'}]"),
     "{'a':1,'b':2}", "{'a':1,'b':2,'x':1}", NULL},
    /* Its own location is valid like any other; and so is a list that is shared. */
    {WHEN("spec.x", "In", "[1,2]"), "{'x':2}", "{'x':1}", NULL},
    {WHEN("spec.x", "In", "[2]"), "{}", NULL, "conditions"},
    {AT("spec.l[k: v].x", IF("spec.l[k: v]", "Exists", "[]")), "{'l':[]}", NULL,
     "conditions"},
};

static void is_asked_of_the_object(void **state) {
    (void)state;
    expect_writings(asked_once, FX_COUNT(asked_once));
}

/* A condition that shares a glob with the location is evaluated for the same element. */
static const struct writing asked_at_each[] = {
    {EACH("spec.l[k: *].a", "Exists", "[]"), "{'l':[{'a':0},{'b':0}]}",
     "{'l':[{'a':0,'x':1},{'b':0}]}", NULL},
    {EACH("spec.l[k: *].a", "DoesNotExist", "[]"), "{'l':[{'a':0},{'b':0}]}",
     "{'l':[{'a':0},{'b':0,'x':1}]}", NULL},
    {EACH("spec.l[k: *].k", "NotIn", "['v']"), "{'l':[{'k':'v'},{'k':'w'},{}]}",
     "{'l':[{'k':'v'},{'k':'w','x':1},{'x':1}]}", NULL},
    {EACH("spec.l[k: *].x", "In", "[2]"), "{'l':[{'x':2},{'x':3},{}]}",
     "{'l':[{'x':1},{'x':3},{}]}", NULL},
    {EACH("spec.l[k: *].x.y", "Exists", "[]"), "{'l':[{'x':{'y':2}},{'x':{}}]}",
     "{'l':[{'x':1},{'x':{}}]}", NULL},
    {EACH("spec.l[k: *].m[n: *]", "Exists", "[]"), "{'l':[{'m':[1]},{'m':[]}]}",
     "{'l':[{'m':[1],'x':1},{'m':[]}]}", NULL},
    {EACH("spec.l[k: *]", "Exists", "[]"), "{'l':[{}]}", "{'l':[{'x':1}]}", NULL},
    {EACH("spec.l[k: *].a", "Exists", "[]"), "{'l':[{},{}]}", NULL, "conditions"},
    {EACH("spec.l[k: *].a", "Exists", "[]"), "{'l':[]}", NULL, "location"},
    /* Another glob is not the same one: some element will do. */
    {EACH("spec.l[n: *].a", "Exists", "[]"), "{'l':[{'a':0},{'b':0}]}",
     "{'l':[{'a':0,'x':1},{'b':0,'x':1}]}", NULL},
    {EACH("spec.l[k: * except v].a", "Exists", "[]"), "{'l':[{'k':'v','a':0}]}", NULL,
     "conditions"},
    {AT("spec.l[k: * except v].x", IF("spec.l[k: * except v].a", "Exists", "[]")),
     "{'l':[{'k':'v','a':0},{'a':0},{}]}", "{'l':[{'k':'v','a':0},{'a':0,'x':1},{}]}",
     NULL},
    /* What the write would create is not there yet. */
    {AT("spec.l[k: *].o.x", IF("spec.l[k: *].o", "Exists", "[]")), "{'l':[{},{'o':{}}]}",
     "{'l':[{},{'o':{'x':1}}]}", NULL},
    {AT("spec.l[k: *].o.x", IF("spec.l[k: *].o", "DoesNotExist", "[]")),
     "{'l':[{'o':{}}]}", NULL, "conditions"},
    {AT("spec.l[k: *].m[n: v].x", IF("spec.l[k: *].m[n: v].n", "Exists", "[]")),
     "{'l':[{},{'m':[{'n':'v'}]},{'m':[{'n':'w'}]}]}",
     "{'l':[{},{'m':[{'n':'v','x':1}]},{'m':[{'n':'w'}]}]}", NULL},
    {AT("spec.l[k: *].m[n: v].x", IF("spec.l[k: *].m[n: v]", "DoesNotExist", "[]")),
     "{'l':[{'m':[{'n':'v'}]}]}", NULL, "conditions"},
    /* Of several elements of one key each answers for itself. */
    {AT("spec.l[k: *].m[n: v].x", IF("spec.l[k: *].m[n: v].a", "Exists", "[]")),
     "{'l':[{'m':[{'n':'v','a':1},{'n':'v'}]}]}",
     "{'l':[{'m':[{'n':'v','a':1,'x':1},{'n':'v'}]}]}", NULL},
    /* Both kinds of conditions. */
    {AT("spec.l[k: *].x", "[{'location':'spec.l[k: *].a','operator':'Exists'},{"
                          "'location':'spec.b','operator':'Exists'}]"),
     "{'l':[{'a':1}]}", NULL, "conditions"},
    {AT("spec.l[k: *].x", "[{'location':'spec.l[k: *].a','operator':'Exists'},{"
                          "'location':'spec.b','operator':'Exists'}]"),
     "{'l':[{'a':1},{}],'b':1}", "{'l':[{'a':1,'x':1},{}],'b':1}", NULL},
};

static void is_evaluated_at_each_position(void **state) {
    (void)state;
    expect_writings(asked_at_each, FX_COUNT(asked_at_each));
}

/* The other kinds ask as well. */
static const struct writing of_other_kinds[] = {
    {OURS("ModifySet", POD_ONLY
          ",'location':'spec.l[k: *].s','parameters':{'values':{"
          "'fromList':['v']}},'conditions':" IF("spec.l[k: *].a", "Exists", "[]")),
     "{'l':[{'a':1},{}]}", "{'l':[{'a':1,'s':['v']},{}]}", NULL},
    {OURS("AssignImage", POD_ONLY ",'location':'spec.l[k: *].i','parameters':{"
                                  "'assignTag':':1'},'conditions':" IF(
                                      "spec.l[k: *].i", "Matches", "['^nginx']")),
     "{'l':[{'i':'nginx'},{'i':'redis'}]}", "{'l':[{'i':'nginx:1'},{'i':'redis'}]}",
     NULL},
    {OURS("Remove", POD_ONLY
          ",'location':'spec.l[k: *]','conditions':" IF("spec.l[k: *].a", "In", "[1]")),
     "{'l':[{'a':1},{'a':2},{'a':1}]}", "{'l':[{'a':2}]}", NULL},
    {OURS("AssignMetadata",
          "'location':'metadata.labels.x','parameters':{'assign':{'value':'v'}},"
          "'conditions':" IF("spec.a", "Exists", "[]")),
     "{}", NULL, "conditions"},
};

static void holds_for_every_kind(void **state) {
    (void)state;
    expect_writings(of_other_kinds, FX_COUNT(of_other_kinds));
}

/* A condition may read what was written at earlier positions. Whether another reference
 * holds the object, so that writes are made to copies, makes no difference. */
static void sees_the_same_in_copies(void **state) {
    (void)state;
    json_t *policy = must_read(AT("spec.l[k: *].m[n: *].p[q: *].x",
                                  IF("spec.l[k: *].m[o: *].p[q: *].x", "NotIn", "[1]")));
    struct fx_compilation compilation = must_compile(policy);
    json_t *held = pod_of("{'l':[{'m':[{'p':[{},{}]},{'p':[{}]}]}]}");
    json_t *own = json_deep_copy(held);
    json_t *shared = json_incref(held);
    assert_true(must_apply(compilation.mutators[0], &own).changed);
    assert_true(must_apply(compilation.mutators[0], &shared).changed);
    assert_true(json_equal(own, shared));
    json_decref(shared);
    json_decref(own);
    json_decref(held);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

/* A policy of `n` conditions of `m` values each. */
static json_t *many(size_t n, const char *operator, const char * value, size_t m) {
    json_t *policy = must_read(AT("spec.x", "[]"));
    json_t *list = json_object_get(json_object_get(policy, "spec"), "conditions");
    for (size_t i = 0; i < n; i++) {
        json_t *condition = must_read("{'location':'spec.a'}");
        json_t *values = json_array();
        for (size_t k = 0; k < m; k++) {
            json_array_append_new(values, json_string(value));
        }
        json_object_set_new(condition, "operator", json_string(operator));
        json_object_set_new(condition, "values", values);
        json_array_append_new(list, condition);
    }
    return policy;
}

static void has_bounds(void **state) {
    (void)state;
    static const struct {
        size_t n, m;
        const char *relation, *msg;
    } rows[] = {
        {FX_LIMIT_CONDITIONS, 0, "Exists", NULL},
        {FX_LIMIT_CONDITIONS + 1, 0, "Exists", "spec.conditions: more than 64"},
        {1, FX_LIMIT_CONDITION_VALUES, "In", NULL},
        {1, FX_LIMIT_CONDITION_VALUES + 1, "NotIn",
         "spec.conditions[0].values: more than 1024 values"},
        {1, FX_LIMIT_CONDITION_PATTERNS, "Matches", NULL},
        {1, FX_LIMIT_CONDITION_PATTERNS + 1, "Matches",
         "spec.conditions[0].values: more than 64 patterns"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        json_t *policy = many(rows[i].n, rows[i].relation, "v", rows[i].m);
        if (rows[i].msg == NULL) {
            struct fx_compilation compilation = must_compile(policy);
            fx_compilation_finish(&compilation);
        } else {
            const struct fx_err err = must_refuse(policy);
            assert_int_equal(err.code, FX_ELIMIT);
            assert_string_equal(err.msg, rows[i].msg);
            assert_non_null(err.node);
        }
        json_decref(policy);
    }
}

/* A glob of the list that is in `spec.location`, with other exceptions. */
static void warns_of_other_globs(void **state) {
    (void)state;
    static const struct {
        const char *location, *condition;
        bool warned;
    } rows[] = {
        {"spec.l[k: * except a].x", "spec.l[k: *].y", true},
        {"spec.l[k: *].x", "spec.l[k: * except a].y", true},
        {"spec.l[k: *].m[j: *].x", "spec.l[k: *].m[j: * except b].y", true},
        {"spec.l[k: * except a].x", "spec.l[k: * except a].y", false},
        {"spec.l[k: *].x", "spec.l[k: *].y", false},
        {"spec.l[k: *].x", "spec.l[k: a].y", false},
        {"spec.l[k: *].x", "spec.m[k: *].y", false},
        {"spec.l[k: *].x", "spec.l", false},
        {"spec.x", "spec.l[k: *].y", false},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_buf text;
        fx_buf_init(&text, 0);
        fx_buf_printf(&text, AT("%s", IF("%s", "Exists", "[]")), rows[i].location,
                      rows[i].condition);
        json_t *policy = must_read(text.data);
        struct fx_compilation compilation = must_compile(policy);
        assert_int_equal(compilation.n_warnings, rows[i].warned);
        if (rows[i].warned) {
            assert_string_equal(
                compilation.warnings[0].text,
                "spec.conditions[0].location: is evaluated for all elements together, "
                "because its glob differs from that of spec.location");
            assert_string_equal(json_string_value(compilation.warnings[0].node),
                                rows[i].condition);
        }
        fx_compilation_finish(&compilation);
        json_decref(policy);
        fx_buf_finish(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(warns_of_other_globs),
        cmocka_unit_test(is_asked_of_the_object),
        cmocka_unit_test(is_evaluated_at_each_position),
        cmocka_unit_test(holds_for_every_kind),
        cmocka_unit_test(sees_the_same_in_copies),
        cmocka_unit_test(has_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
