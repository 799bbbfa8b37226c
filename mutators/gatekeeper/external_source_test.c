/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/external_source_test.c - `assign.externalData`: what is refused,
 * and which placeholder stands where until the provider's answer comes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/input.h"
#include "mutators/gatekeeper/loop_testing.h"
#include "mutators/gatekeeper/testing.h"

#define NAMED(name, location, assign)                                               \
    "{'apiVersion':'mutations.gatekeeper.sh/v1','kind':'Assign','metadata':{'name'" \
    ":'" name "'},'spec':{" POD_ONLY ",'location':'" location "','parameters':{"    \
    "'assign':{" assign "}}}}"
#define DATA(fields)   "'externalData':{" fields "}"
#define POLICY(fields) NAMED("a", "spec.x", DATA(fields))
#define METADATA(fields)                                                                \
    "{'apiVersion':'mutations.gatekeeper.sh/v1','kind':'AssignMetadata','metadata':{"   \
    "'name':'m'},'spec':{'location':'metadata.labels.x','parameters':{'assign':{" DATA( \
        fields) "}}}}"
#define FIELD    "spec.parameters.assign.externalData."
#define NO_TEXT  "`default` must not be empty when `failurePolicy` is set to `UseDefault`"
#define NOT_TEXT "value assigned to external data placeholder is not a string, got "

static const struct refusal refused[] = {
    {POLICY("'provider':5"),
     "json: cannot unmarshal number into Go struct field "
     "ExternalData.spec.parameters.assign.externalData.provider of type string",
     "5", 0, 0},
    {NAMED("a", "spec.x", "'externalData':'p'"),
     "json: cannot unmarshal string into Go struct field "
     "AssignField.spec.parameters.assign.externalData of type v1.ExternalData",
     "'p'", 0, 0},
    /* What an API server would say of a policy that never met one. */
    {POLICY(""), FIELD "provider: Required value", "{}", 0, 0},
    {POLICY("'provider':null"), FIELD "provider: Required value", "{'provider':null}", 0,
     0},
    {POLICY("'provider':'p','dataSource':'username'"),
     FIELD "dataSource: Unsupported value: \"username\": supported values: "
           "\"ValueAtLocation\", \"Username\"",
     "'username'", 0, 0},
    {POLICY("'provider':'p','failurePolicy':''"),
     FIELD "failurePolicy: Unsupported value: \"\": supported values: \"Fail\", "
           "\"Ignore\", \"UseDefault\"",
     "''", 0, 0},
    {POLICY("'provider':'p','failurePolicy':'UseDefault'"), NO_TEXT,
     "{'provider':'p','failurePolicy':'UseDefault'}", 0, 0},
    {POLICY("'provider':'p','failurePolicy':'UseDefault','default':''"), NO_TEXT, NULL, 0,
     0},
    {NAMED("a", "spec.x", "'value':1," DATA("'provider':'p'")),
     "assign must only set one of `externalData`, `value` or `fromMetadata`: invalid "
     "assign field",
     NULL, 0, 0},
    {NAMED("a", "spec.l[name: x]", DATA("'provider':'p'")),
     "cannot assign external data response to a list", NULL, 0, 0},
    {METADATA("'provider':'p'"),
     "only username data source is supported for assignmetadata m", NULL, 0, 0},
    {METADATA("'provider':'p','dataSource':'ValueAtLocation'"),
     "only username data source is supported for assignmetadata m", NULL, 0, 0},
};

static void refuses(void **state) {
    (void)state;
    expect_refusals(refused, FX_COUNT(refused));
}

/* Applies one policy twice to a Pod of this spec, requested by bob; spec.x is then a
 * placeholder of these facts. */
static void expect_placeholder(const char *text, const char *spec,
                               const struct fx_placeholder *expected) {
    json_t *policy = must_read(text);
    json_t *bob = must_read("{'username':'bob'}");
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    struct fx_request request = request_create;
    request.user_info = bob;
    request.placeholders = fx_placeholders_create();
    json_t *root = pod_of(spec);
    struct fx_effect effect = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(mutator->ops->apply(mutator, &request, &root, &effect, &err));
    assert_true(effect.applied && effect.changed);
    assert_true(mutator->ops->apply(mutator, &request, &root, &effect, &err));
    assert_true(effect.applied && !effect.changed);
    const json_t *node = json_object_get(json_object_get(root, "spec"), "x");
    struct fx_placeholder found = {0};
    assert_true(fx_placeholders_find(request.placeholders, node, &found));
    assert_true(fx_text_equal(found.key, expected->key));
    assert_true(fx_text_equal(found.external->provider, expected->external->provider));
    assert_true(fx_text_equal(found.external->fallback, expected->external->fallback));
    assert_int_equal(found.external->on_failure, expected->external->on_failure);
    assert_int_equal(mutator->n_inputs, 1);
    assert_int_equal(mutator->inputs[0].phase, FX_INPUT_AFTER);
    assert_ptr_equal(fx_input_find_call(mutator), &mutator->inputs[0]);
    assert_true(fx_text_equal(mutator->inputs[0].provider, expected->external->provider));
    expect_written(mutator, "spec.x:Unknown!");
    json_decref(root);
    fx_placeholders_destroy(request.placeholders);
    fx_compilation_finish(&compilation);
    json_decref(bob);
    json_decref(policy);
}

static void asks_for_keys(void **state) {
    (void)state;
    static const struct {
        const char *policy, *spec;
        struct fx_external external;
        const char *key;
    } rows[] = {
        {POLICY("'provider':'p'"),
         "{'x':'nginx'}",
         {{"p", 1}, FX_EXTERNAL_FAIL, {0}},
         "nginx"},
        {POLICY("'provider':'p','dataSource':'ValueAtLocation','failurePolicy':'Fail'"),
         "{'x':''}",
         {{"p", 1}, FX_EXTERNAL_FAIL, {0}},
         ""},
        {POLICY("'provider':'p','failurePolicy':'Ignore'"),
         "{}",
         {{"p", 1}, FX_EXTERNAL_IGNORE, {0}},
         ""},
        {POLICY("'provider':'q','failurePolicy':'UseDefault','default':'d'"),
         "{}",
         {{"q", 1}, FX_EXTERNAL_USE_DEFAULT, {"d", 1}},
         ""},
        {POLICY("'provider':'p','dataSource':'Username'"),
         "{}",
         {{"p", 1}, FX_EXTERNAL_FAIL, {0}},
         "bob"},
        {POLICY("'provider':'p','dataSource':'Username'"),
         "{'x':'nginx'}",
         {{"p", 1}, FX_EXTERNAL_FAIL, {0}},
         "nginx"},
        {POLICY("'provider':'p','dataSource':null,'failurePolicy':null"),
         "{}",
         {{"p", 1}, FX_EXTERNAL_FAIL, {0}},
         ""},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        const struct fx_placeholder expected = {&rows[i].external,
                                                fx_text_of(rows[i].key)};
        expect_placeholder(rows[i].policy, rows[i].spec, &expected);
    }
}

static void labels_by_username(void **state) {
    (void)state;
    json_t *policy = must_read(METADATA("'provider':'p','dataSource':'Username'"));
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    struct fx_request request = request_create; /* without a user */
    request.placeholders = fx_placeholders_create();
    json_t *root = pod_of("{}");
    struct fx_effect effect = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(mutator->ops->apply(mutator, &request, &root, &effect, &err));
    const json_t *labels = json_object_get(json_object_get(root, "metadata"), "labels");
    struct fx_placeholder found = {0};
    assert_true(
        fx_placeholders_find(request.placeholders, json_object_get(labels, "x"), &found));
    assert_int_equal(found.key.len, 0);
    /* It is there now, as a label of any value would be. */
    assert_true(mutator->ops->apply(mutator, &request, &root, &effect, &err));
    assert_false(effect.applied);
    json_decref(root);
    fx_placeholders_destroy(request.placeholders);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

static void fails_on_what_is_no_string(void **state) {
    (void)state;
    static const struct {
        const char *spec, *message;
    } rows[] = {
        {"{'x':5}", NOT_TEXT "int64"},
        {"{'x':5.5}", NOT_TEXT "float64"},
        {"{'x':null}", NOT_TEXT "<nil>"},
        {"{'x':[]}", NOT_TEXT "[]interface {}"},
        {"{'x':-9223372036854775808}", NOT_TEXT "int64"},
    };
    static const char *const policies[] = {POLICY("'provider':'p'"), NULL};
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct loop loop;
        loop_run(&loop, policies, rows[i].spec);
        assert_false(loop.ok);
        static const char head[] =
            "mutation " LOOP_UUID " for mutator Assign.mutations.gatekeeper.sh /a "
            "failed for  Pod ns p: ";
        assert_memory_equal(loop.err.msg, head, sizeof head - 1);
        assert_string_equal(loop.err.msg + sizeof head - 1, rows[i].message);
        loop_finish(&loop);
    }
    /* Where no provider would be called. */
    expect_failure(policies[0], "{}", FX_EMUTATE, "external data is not available here");
}

/* Several mutators in the loop: what stands in spec.x at its end. `key` NULL: no
 * placeholder, and the object is as it was. */
static const struct {
    const char *policies[3], *before, *provider, *key;
} looped[] = {
    /* An ordinary value replaces it: no provider is called. */
    {{NAMED("a", "spec.x", DATA("'provider':'p'")),
      NAMED("b", "spec.x", "'value':'nginx'")},
     "{'x':'nginx'}",
     NULL,
     NULL},
    /* The key is the value that another mutator wrote. */
    {{NAMED("a", "spec.x", "'value':'nginx'"),
      NAMED("b", "spec.x", DATA("'provider':'p'"))},
     "{}",
     "p",
     "nginx"},
    /* The later provider gets the earlier one's key. */
    {{NAMED("a", "spec.x", DATA("'provider':'p'")),
      NAMED("b", "spec.x", DATA("'provider':'q','dataSource':'Username'"))},
     "{'x':'nginx'}",
     "q",
     "nginx"},
    /* A provider's value is a text, into which nothing leads: both are in conflict. */
    {{NAMED("a", "spec.x", DATA("'provider':'p'")), NAMED("b", "spec.x.y", "'value':1")},
     "{'x':'nginx'}",
     NULL,
     NULL},
    /* Nothing there to ask for. */
    {{NAMED("a", "spec.l[k: *].x", DATA("'provider':'p'"))}, "{'x':1}", NULL, NULL},
};

static void stands_in_the_loop(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(looped); i++) {
        struct loop loop;
        loop_run(&loop, looped[i].policies, looped[i].before);
        assert_true(loop.ok);
        const json_t *spec = json_object_get(loop.root, "spec");
        struct fx_placeholder found = {0};
        const bool is_found = fx_placeholders_find(loop.request.placeholders,
                                                   json_object_get(spec, "x"), &found);
        assert_int_equal(is_found, looped[i].key != NULL);
        assert_int_equal(loop.outcome.mutated, is_found);
        if (is_found) {
            assert_true(fx_text_is(found.key, looped[i].key));
            assert_true(fx_text_is(found.external->provider, looped[i].provider));
        } else {
            assert_json(spec, looped[i].before);
        }
        loop_finish(&loop);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(asks_for_keys),
        cmocka_unit_test(labels_by_username),
        cmocka_unit_test(fails_on_what_is_no_string),
        cmocka_unit_test(stands_in_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
