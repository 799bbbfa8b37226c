/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/modify_set_test.c - kind ModifySet: what is refused, what becomes
 * of lists, and the declared access.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "engine/external.h"
#include "mutators/gatekeeper/testing.h"

#define APPLY_TO "'applyTo':[{'groups':[''],'versions':['v1'],'kinds':['Pod']}]"
#define POLICY(spec)                                                               \
    "{'apiVersion':'mutations.gatekeeper.sh/v1beta1','kind':'ModifySet','metadata" \
    "':{'name':'s'},'spec':" spec "}"
#define PARAMETERS(location, parameters) \
    POLICY("{" APPLY_TO ",'location':'" location "','parameters':" parameters "}")
#define MERGE(list) \
    PARAMETERS("spec.f", "{'operation':'merge','values':{'fromList':" list "}}")
#define PRUNE(list) \
    PARAMETERS("spec.f", "{'operation':'prune','values':{'fromList':" list "}}")

static const struct refusal refused[] = {
    {PARAMETERS("spec.f", "[]"),
     "json: cannot unmarshal array into Go struct field ModifySetSpec.spec.parameters of "
     "type v1beta1.ModifySetParameters",
     "[]", 0, 0},
    {PARAMETERS("spec.f", "{'operation':5}"),
     "json: cannot unmarshal number into Go struct field "
     "ModifySetParameters.spec.parameters.operation of type v1beta1.Operation",
     "5", 0, 0},
    {PARAMETERS("spec.f", "{'values':['a']}"),
     "json: cannot unmarshal array into Go struct field "
     "ModifySetParameters.spec.parameters.values of type v1beta1.Values",
     "['a']", 0, 0},
    {MERGE("'a'"),
     "json: cannot unmarshal string into Go struct field "
     "Values.spec.parameters.values.fromList of type []interface {}",
     "'a'", 0, 0},
    {PARAMETERS("spec..f", "{}"),
     "invalid location format `spec..f` for ModifySet s: unexpected token: expected "
     "field name or eof, got: SEPARATOR: \".\"",
     "'spec..f'", 5, 1},
    {PARAMETERS("metadata.finalizers", "{}"), "modifyset s can't change metadata",
     "'metadata.finalizers'", 0, 0},
    {PARAMETERS("spec.f[k: v]", "{}"),
     "final node in a modifyset location cannot be a keyed list", "'spec.f[k: v]'", 0, 0},
    {PARAMETERS("spec.f[k: *]", "{}"),
     "final node in a modifyset location cannot be a keyed list", "'spec.f[k: *]'", 0, 0},
    {PARAMETERS("spec.f", "{'pathTests':[{'subPath':'spec['}]}"),
     "problem parsing sub path `spec[` for ModifySet s: unexpected token: expected "
     "keyField in listSpec, got: EOF: \"\"",
     "'spec['", 5, 1},
    {PARAMETERS("spec.f", "{'pathTests':[{'subPath':'status'}]}"),
     "all subpaths must be a prefix of the `location` value of the mutation: subpath "
     "\"status\" is not a prefix of location \"spec.f\"",
     "'status'", 0, 0},
    {POLICY("{'location':'spec.f'}"), "applyTo required for ModifySet mutator s", NULL, 0,
     0},
};

static void refuses(void **state) {
    (void)state;
    expect_refusals(refused, FX_COUNT(refused));
}

/* A policy, a Pod's spec, and the result (NULL: unchanged). */
static const struct {
    const char *policy, *before, *after;
    bool applied;
} written[] = {
    {MERGE("['b','a']"), "{}", "{'f':['b','a']}", true},
    {MERGE("['b','a']"), "{'f':[]}", "{'f':['b','a']}", true},
    {MERGE("['b','a','c']"), "{'f':['c','b']}", "{'f':['c','b','a']}", true},
    {MERGE("['a']"), "{'f':['a','a']}", NULL, true},
    /* Duplicates: all of them into nothing, each once into a list. */
    {MERGE("[1,1]"), "{}", "{'f':[1,1]}", true},
    {MERGE("[1,1]"), "{'f':[]}", "{'f':[1]}", true},
    {MERGE("[1.0,{'a':1,'b':[2]}]"), "{'f':[1,{'b':[2.0],'a':1.0}]}", NULL, true},
    {MERGE("[1]"), "{'f':['1',true,[1]]}", "{'f':['1',true,[1],1]}", true},
    {MERGE("[null,{},[]]"), "{'f':[false]}", "{'f':[false,null,{},[]]}", true},
    {MERGE("[]"), "{}", "{'f':[]}", true},
    {MERGE("[]"), "{'f':['a']}", NULL, true},
    {MERGE("null"), "{}", "{'f':[]}", true},
    {MERGE("null"), "{'f':['a']}", NULL, true},
    {PARAMETERS("spec.f", "{'operation':'merge','values':null}"), "{}", "{'f':[]}", true},
    /* Not given: the CRD's default. */
    {PARAMETERS("spec.f", "{'values':{'fromList':['a']}}"), "{'f':['b']}",
     "{'f':['b','a']}", true},
    {PARAMETERS("spec.f", "{'operation':null,'values':{'fromList':['a']}}"),
     "{'f':['b']}", "{'f':['b','a']}", true},
    {PRUNE("['a']"), "{'f':['a','b','a','c']}", "{'f':['b','c']}", true},
    {PRUNE("['a']"), "{'f':['a']}", "{'f':[]}", true},
    {PRUNE("['a']"), "{'f':['b']}", NULL, true},
    {PRUNE("['a']"), "{}", NULL, true},
    {PRUNE("[1,{'a':2}]"), "{'f':[1.0,'1',{'a':2.0}]}", "{'f':['1']}", true},
    {PRUNE("null"), "{'f':[null]}", NULL, true},
    /* What is created on the way stays. */
    {PARAMETERS("spec.a.f", "{'operation':'prune'}"), "{}", "{'a':{}}", true},
    {PARAMETERS("spec.l[k: v].f", "{'operation':'prune'}"), "{}", "{'l':[{'k':'v'}]}",
     true},
    {PARAMETERS("spec.l[k: *].f", "{'values':{'fromList':['a']}}"),
     "{'l':[{},{'f':['a']}]}", "{'l':[{'f':['a']},{'f':['a']}]}", true},
    {PARAMETERS("spec.f", "{'values':{'fromList':['a']},'pathTests':[{'subPath':'spec.f',"
                          "'condition':'MustExist'}]}"),
     "{}", NULL, false},
    /* Another shape does not matter where the tests do not hold; nor does nonsense. */
    {PARAMETERS("spec.f", "{'operation':'x','pathTests':[{'subPath':'spec.f','condition':"
                          "'MustNotExist'}]}"),
     "{'f':5}", NULL, false},
};

static void writes(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(written); i++) {
        json_t *policy = must_read(written[i].policy);
        struct fx_compilation compilation = must_compile(policy);
        json_t *before = must_read("{}");
        json_object_set_new(before, "spec", must_read(written[i].before));
        json_t *root = json_incref(before);
        const struct fx_effect effect = must_apply(compilation.mutators[0], &root);
        const char *after = written[i].after;
        assert_true(effect.applied == written[i].applied);
        assert_true(effect.changed == (after != NULL));
        if (after != NULL) {
            assert_json(json_object_get(root, "spec"), after);
        } else {
            assert_ptr_equal(root, before);
        }
        json_t *untouched = must_read(written[i].before);
        assert_true(json_equal(json_object_get(before, "spec"), untouched));
        json_decref(untouched);
        json_t *unread = must_read(written[i].policy);
        assert_true(json_equal(policy, unread));
        json_decref(unread);
        json_decref(root);
        json_decref(before);
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

/* Too many to compare all pairs: nothing is timed, but a quadratic search would exceed
 * the timeout of the test. */
#define MANY 100000

/* So many numbers, from `first` on. */
static json_t *make_list(int first, size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(json_array_append_new(list, json_integer(first + (int)i)), 0);
    }
    return list;
}

static json_t *values_of(json_t *policy) {
    json_t *parameters = json_object_get(json_object_get(policy, "spec"), "parameters");
    return json_object_get(json_object_get(parameters, "values"), "fromList");
}

/* What becomes of the numbers from 0 on under a policy with as many values, from half of
 * that on. */
static json_t *must_change_many(const char *text) {
    json_t *policy = must_read(text);
    json_t *values = make_list(MANY / 2, MANY);
    assert_int_equal(json_array_extend(values_of(policy), values), 0);
    struct fx_compilation compilation = must_compile(policy);
    json_t *root = json_pack("{s:{s:o}}", "spec", "f", make_list(0, MANY));
    assert_true(must_apply(compilation.mutators[0], &root).changed);
    assert_false(must_apply(compilation.mutators[0], &root).changed);
    json_t *list = json_incref(json_object_get(json_object_get(root, "spec"), "f"));
    json_decref(root);
    fx_compilation_finish(&compilation);
    json_decref(values);
    json_decref(policy);
    return list;
}

static void expect_numbers(json_t *list, size_t n) {
    json_t *expected = make_list(0, n);
    assert_true(json_equal(list, expected));
    json_decref(expected);
    json_decref(list);
}

static void changes_large_lists(void **state) {
    (void)state;
    expect_numbers(must_change_many(MERGE("[]")), MANY + MANY / 2);
    expect_numbers(must_change_many(PRUNE("[]")), MANY / 2);
}

static const struct {
    const char *policy, *before, *msg;
} failing[] = {
    {MERGE("['a']"), "{'f':null}",
     "<nil> is not a list of values, cannot treat it as a set"},
    {PRUNE("['a']"), "{'f':null}",
     "<nil> is not a list of values, cannot treat it as a set"},
    {PRUNE("['a']"), "{'f':1000000}",
     "1000000 is not a list of values, cannot treat it as a set"},
    {MERGE("['a']"), "{'f':{'b':'x','a':[1.5]}}",
     "map[a:[1.5] b:x] is not a list of values, cannot treat it as a set"},
    {MERGE("['a']"), "5",
     "mismatch between path entry (type: object) and received object (type: int64). "
     "Path: f"},
    {PARAMETERS("spec.f", "{'operation':'Merge'}"), "{}",
     "unrecognized operation for modifyset: Merge"},
    {PARAMETERS("spec.f", "{'operation':''}"), "{'f':5}",
     "unrecognized operation for modifyset: "},
    /* No parameters, so there is no default. */
    {POLICY("{" APPLY_TO ",'location':'spec.f'}"), "{}",
     "unrecognized operation for modifyset: "},
    {PARAMETERS("", "{}"), "{}", "attempting to mutate an empty target location"},
};

static void fails_requests(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(failing); i++) {
        json_t *policy = must_read(failing[i].policy);
        struct fx_compilation compilation = must_compile(policy);
        const struct fx_mutator *mutator = compilation.mutators[0];
        json_t *root = must_read("{}");
        json_object_set_new(root, "spec", must_read(failing[i].before));
        struct fx_effect effect = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_false(mutator->ops->apply(mutator, &request_create, &root, &effect, &err));
        assert_int_equal(err.code, FX_EMUTATE);
        assert_string_equal(err.msg, failing[i].msg);
        json_decref(root);
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

#define NO_LIST " is not a list of values, cannot treat it as a set"

/* In spec.f a placeholder stands, or something that holds one. */
static const struct {
    const char *policy;
    bool is_within;
    const char *msg;
} not_yet_there[] = {
    {MERGE("['a']"), false, "&{Ref:0x0 ValueAtLocation:nginx}" NO_LIST},
    {PRUNE("['a']"), false, "&{Ref:0x0 ValueAtLocation:nginx}" NO_LIST},
    {MERGE("['a']"), true, "map[b:0x0 c:[0x0 1]]" NO_LIST},
};

static json_t *hold_twice(json_t *placeholder) {
    json_t *list = json_pack("[o, i]", json_incref(placeholder), 1);
    return json_pack("{s:o, s:o}", "c", list, "b", placeholder);
}

static void fails_where_a_value_is_to_come(void **state) {
    (void)state;
    static const struct fx_external external = {.on_failure = FX_EXTERNAL_FAIL};
    for (size_t i = 0; i < FX_COUNT(not_yet_there); i++) {
        json_t *policy = must_read(not_yet_there[i].policy);
        struct fx_compilation compilation = must_compile(policy);
        const struct fx_mutator *mutator = compilation.mutators[0];
        struct fx_request request = request_create;
        request.placeholders = fx_placeholders_create();
        json_t *node =
            fx_placeholders_make(request.placeholders, &external, FX_TEXT("nginx"));
        json_t *field = not_yet_there[i].is_within ? hold_twice(node) : node;
        json_t *root = json_pack("{s:{s:o}}", "spec", "f", field);
        struct fx_effect effect = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_false(mutator->ops->apply(mutator, &request, &root, &effect, &err));
        assert_int_equal(err.code, FX_EMUTATE);
        assert_string_equal(err.msg, not_yet_there[i].msg);
        json_decref(root);
        fx_placeholders_destroy(request.placeholders);
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

/* The mutator's own values go into objects, and are never written to afterwards. */
static void gives_values_by_reference(void **state) {
    (void)state;
    json_t *policy = must_read(MERGE("[{'n':1}]"));
    json_t *other_policy = must_read(MERGE("['more']"));
    struct fx_compilation compilation = must_compile(policy);
    struct fx_compilation other = must_compile(other_policy);
    json_t *first = must_read("{'spec':{}}");
    json_t *root = must_read("{'spec':{}}");
    assert_true(must_apply(compilation.mutators[0], &first).changed);
    assert_true(must_apply(compilation.mutators[0], &root).changed);
    const json_t *list = json_object_get(json_object_get(first, "spec"), "f");
    assert_ptr_equal(json_object_get(json_object_get(root, "spec"), "f"), list);
    assert_true(must_apply(other.mutators[0], &root).changed);
    assert_json(root, "{'spec':{'f':[{'n':1},'more']}}");
    assert_json(list, "[{'n':1}]");
    const json_t *grown = json_object_get(json_object_get(root, "spec"), "f");
    assert_ptr_equal(json_array_get(grown, 0), json_array_get(list, 0));

    json_decref(first);
    json_decref(root);
    fx_compilation_finish(&other);
    fx_compilation_finish(&compilation);
    json_decref(other_policy);
    json_decref(policy);
}

static void tells_the_engine(void **state) {
    (void)state;
    json_t *policy = must_read(PARAMETERS("spec.l[k: v].f", "{}"));
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    assert_string_equal(mutator->kind, "ModifySet");
    assert_false(mutator->run.once);
    assert_int_equal(mutator->n_bindings, 1);
    expect_written(mutator, "spec.l[k].f:Set");
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

static void warns_of_unknown_fields(void **state) {
    (void)state;
    json_t *policy = must_read(PARAMETERS(
        "spec.f", "{'assign':1,'values':{'fromlist':['a'],'fromList':[{'any':1}]}}"));
    struct fx_compilation compilation = must_compile(policy);
    assert_int_equal(compilation.n_warnings, 2);
    assert_string_equal(compilation.warnings[0].text,
                        "unknown field \"spec.parameters.assign\"");
    assert_string_equal(compilation.warnings[1].text,
                        "unknown field \"spec.parameters.values.fromlist\"");
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(writes),
        cmocka_unit_test(changes_large_lists),
        cmocka_unit_test(fails_requests),
        cmocka_unit_test(fails_where_a_value_is_to_come),
        cmocka_unit_test(gives_values_by_reference),
        cmocka_unit_test(tells_the_engine),
        cmocka_unit_test(warns_of_unknown_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
