/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assign_test.c - kind Assign: what is refused and with which
 * message, what is written, and the declared access.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "engine/policy_text.h"
#include "mutators/gatekeeper/testing.h"
#include "value/equal.h"

#define APPLY_TO "'applyTo':[{'groups':[''],'versions':['v1'],'kinds':['Pod']}]"
#define POLICY(spec)                                                          \
    "{'apiVersion':'mutations.gatekeeper.sh/v1','kind':'Assign','metadata':{" \
    "'name':'a','generation':7},'spec':" spec "}"
#define SPEC(location, assign)                                                       \
    POLICY("{" APPLY_TO ",'location':'" location "','parameters':{'assign':{" assign \
           "}}}")
#define TESTS(location, tests)                                                           \
    POLICY("{" APPLY_TO ",'location':'" location "','parameters':{'assign':{'value':1}," \
           "'pathTests':" tests "}}")
#define POD       "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'ns'},"
#define LONG_NAME "a234567890123456789012345678901234567890123456789012345678901234"

/* Refused policies, each at the JSON Pointer-like path of the node at fault: the text of
 * that node as JSON, or the start of it. */
static const struct refusal refused[] = {
    /* Wrong types, with Go's messages, come first. */
    {POLICY("[]"),
     "json: cannot unmarshal array into Go struct field Assign.spec of type "
     "v1.AssignSpec",
     "[]", 0, 0},
    {POLICY("{'location':5}"),
     "json: cannot unmarshal number into Go struct field AssignSpec.spec.location of "
     "type "
     "string",
     "5", 0, 0},
    {POLICY("{'parameters':true}"),
     "json: cannot unmarshal bool into Go struct field AssignSpec.spec.parameters of "
     "type "
     "v1.Parameters",
     "{'parameters':true}", 0, 0},
    {POLICY("{'parameters':{'assign':'x'}}"),
     "json: cannot unmarshal string into Go struct field "
     "Parameters.spec.parameters.assign of type v1.AssignField",
     "'x'", 0, 0},
    {POLICY("{'parameters':{'assign':{'fromMetadata':{'field':{}}}}}"),
     "json: cannot unmarshal object into Go struct field "
     "FromMetadata.spec.parameters.assign.fromMetadata.field of type unversioned.Field",
     "{}", 0, 0},
    {POLICY("{'parameters':{'pathTests':{}}}"),
     "json: cannot unmarshal object into Go struct field "
     "Parameters.spec.parameters.pathTests of type []v1.PathTest",
     "{}", 0, 0},
    {POLICY("{'parameters':{'pathTests':[{},'x']}}"),
     "json: cannot unmarshal string into Go struct field "
     "Parameters.spec.parameters.pathTests of type v1.PathTest",
     "'x'", 0, 0},
    {POLICY("{'parameters':{'pathTests':[{'subPath':[]}]}}"),
     "json: cannot unmarshal array into Go struct field "
     "PathTest.spec.parameters.pathTests.subPath of type string",
     "[]", 0, 0},
    {"{'apiVersion':'mutations.gatekeeper.sh/v1beta1','kind':'Assign','spec':'x'}",
     "json: cannot unmarshal string into Go struct field Assign.spec of type "
     "v1beta1.AssignSpec",
     "'x'", 0, 0},
    {"{'apiVersion':'mutations.gatekeeper.sh/v1','kind':'Assign','metadata':{"
     "'generation':1.5}}",
     "json: cannot unmarshal number 1.5 into Go struct field "
     "ObjectMeta.metadata.generation of type int64",
     "1.5", 0, 0},
    /* The name, the location. */
    {"{'apiVersion':'mutations.gatekeeper.sh/v1','kind':'Assign','metadata':{'name':"
     "'" LONG_NAME "'},'spec':{'location':'.'}}",
     "maximum name length is 63 characters", "'" LONG_NAME "'", 0, 0},
    {SPEC("spec..x", "'value':1"),
     "invalid location format `spec..x` for Assign a: unexpected token: expected field "
     "name or eof, got: SEPARATOR: \".\"",
     "'spec..x'", 5, 1},
    {SPEC("metadata.labels.x", "'value':1"), "assign a can't change metadata",
     "'metadata.labels.x'", 0, 0},
    {SPEC("metadata[k: v].x", "'value':1"), "assign a can't change metadata",
     "'metadata[k: v].x'", 0, 0},
    {SPEC("", "'value':1"), "empty path", "''", 0, 0},
    {POLICY("null"), "empty path", NULL, 0, 0},
    {SPEC("spec.l[k: v].k", "'value':1"),
     "invalid path format: changing the item key is not allowed", "'spec.l[k: v].k'", 0,
     0},
    {SPEC("spec.l[k: *].k", "'value':1"),
     "invalid path format: changing the item key is not allowed", "'spec.l[k: *].k'", 0,
     0},
    /* The source. */
    {SPEC("spec.x", ""),
     "assign must set one of `externalData`, `value` or `fromMetadata`: invalid assign "
     "field",
     "{}", 0, 0},
    {SPEC("spec.x", "'value':null"),
     "assign must set one of `externalData`, `value` or `fromMetadata`: invalid assign "
     "field",
     "{'value':null}", 0, 0},
    {SPEC("spec.x", "'value':1,'fromMetadata':{}"),
     "assign must only set one of `externalData`, `value` or `fromMetadata`: invalid "
     "assign field",
     "{'value':1,'fromMetadata':{}}", 0, 0},
    {SPEC("spec.x", "'fromMetadata':{'field':'uid'}"),
     "field uid is not recognized: invalid fromMetadata field", "'uid'", 0, 0},
    {SPEC("spec.x", "'fromMetadata':{}"),
     "field  is not recognized: invalid fromMetadata field", "{}", 0, 0},
    /* A value for a keyed list. */
    {SPEC("spec.l[k: *]", "'value':{'k':'v'}"), "can't append to a globbed list",
     "'spec.l[k: *]'", 0, 0},
    {SPEC("spec.l[k: v]", "'value':'x'"),
     "invalid value: `x`, only objects can be added to keyed lists", "'x'", 0, 0},
    {SPEC("spec.l[k: v]", "'value':[1000000,0.25,null,{'b':1.5e-7,'a':'s t'}]"),
     "invalid value: `[1e+06 0.25 <nil> map[a:s t b:1.5e-07]]`, only objects can be "
     "added to keyed lists",
     "[1000000,0.25,null,{'b':1.5e-7,'a':'s t'}]", 0, 0},
    {SPEC("spec.l[k: v]", "'value':true"),
     "invalid value: `true`, only objects can be added to keyed lists", "{'value':true}",
     0, 0},
    {SPEC("spec.l[k: v]", "'value':{}"),
     "adding object to list with different key k: list key v, object key <nil>", "{}", 0,
     0},
    {SPEC("spec.l[k: v]", "'value':{'k':'w'}"),
     "adding object to list with different key k: list key v, object key w", "'w'", 0, 0},
    {SPEC("spec.l[k: 5]", "'value':{'k':6}"),
     "adding object to list with different key k: list key 5, object key 6", "6", 0, 0},
    {SPEC("spec.l[k: 5]", "'value':{'k':'5'}"),
     "adding object to list with different key k: list key 5, object key 5", "'5'", 0, 0},
    {SPEC("spec.l[k: 5]", "'value':{'k':5.0}"),
     "adding object to list with different key k: list key 5, object key 5", "5", 0, 0},
    {SPEC("spec.l[k: v]", "'fromMetadata':{'field':'name'}"),
     "cannot assign a metadata field to a list", "{'fromMetadata':{'field':'name'}}", 0,
     0},
    /* Path tests. */
    {TESTS("spec.x", "[{'subPath':'spec','condition':'MustExist'},{'subPath':'spec.'}]"),
     "problem parsing sub path `spec.` for Assign a: trailing separators are forbidden",
     "'spec.'", 4, 1},
    {TESTS("spec.x", "[{'subPath':'spec'},{'subPath':'status'}]"),
     "all subpaths must be a prefix of the `location` value of the mutation: subpath "
     "\"status\" is not a prefix of location \"spec.x\"",
     "'status'", 0, 0},
    /* applyTo comes last. */
    {POLICY("{'location':'spec.x','parameters':{'assign':{'value':1}}}"),
     "applyTo required for Assign mutator a", NULL, 0, 0},
};

static void refuses(void **state) {
    (void)state;
    expect_refusals(refused, FX_COUNT(refused));
}

/* A policy, a Pod's spec, and the result (NULL: unchanged). */
static const struct {
    const char *policy, *before, *after;
    bool applied;
} applied[] = {
    {SPEC("spec.x", "'value':{'n':[1]}"), "{}", "{'x':{'n':[1]}}", true},
    {SPEC("spec.x", "'value':false"), "{'x':{'a':1}}", "{'x':false}", true},
    {SPEC("spec.x", "'value':''"), "{'x':''}", NULL, true},
    {SPEC("spec.x", "'value':9007199254740993"), "{}", "{'x':9007199254740993}", true},
    {SPEC("spec.x", "'value':5"), "{'x':5.0}", NULL, true},
    {SPEC("spec.x.y", "'fromMetadata':{'field':'name'}"), "{}", "{'x':{'y':'p'}}", true},
    {SPEC("spec.x", "'fromMetadata':{'field':'namespace'}"), "{}", "{'x':'ns'}", true},
    {SPEC("spec.l[k: v]", "'value':{'k':'v','n':1}"), "{'l':[{'k':'u'}]}",
     "{'l':[{'k':'u'},{'k':'v','n':1}]}", true},
    {SPEC("spec.ports[port: 80]", "'value':{'port':80,'n':1}"),
     "{'ports':[{'port':81},{'port':80}]}", "{'ports':[{'port':81},{'port':80,'n':1}]}",
     true},
    {SPEC("spec.l[k: *].x", "'value':1"), "{'l':[{},{'x':2}]}", "{'l':[{'x':1},{'x':1}]}",
     true},
    {SPEC("spec.l[k: *].x", "'value':1"), "{}", NULL, false},
    {TESTS("spec.x", "[{'subPath':'spec.x','condition':'MustNotExist'}]"), "{'x':2}",
     NULL, false},
    {TESTS("spec.x", "[{'subPath':'spec.x','condition':'MustExist'}]"), "{'x':2}",
     "{'x':1}", true},
    {TESTS("spec.x", "[{'subPath':'spec.x'}]"), "{'x':2}", NULL, false},
    {TESTS("spec.x", "[{'subPath':''},null]"), "{}", NULL, true},
};

static void writes(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(applied) - 1; i++) {
        json_t *policy = must_read(applied[i].policy);
        struct fx_compilation compilation = must_compile(policy);
        const struct fx_mutator *mutator = compilation.mutators[0];
        json_t *before = must_read(POD "'spec':{}}");
        json_object_set_new(before, "spec", must_read(applied[i].before));
        json_t *root = json_incref(before);
        assert_true(match(mutator, root).matched);
        const struct fx_effect effect = must_apply(mutator, &root);
        const char *after = applied[i].after;
        assert_true(effect.applied == applied[i].applied);
        assert_true(effect.changed == (after != NULL));
        if (after != NULL) {
            assert_json(json_object_get(root, "spec"), after);
        } else {
            assert_ptr_equal(root, before);
        }
        json_t *spec = must_read(applied[i].before);
        assert_true(json_equal(json_object_get(before, "spec"), spec));
        json_decref(spec);
        json_decref(root);
        json_decref(before);
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

/* The last row: a null entry is a test of the empty path, which is never consulted. */
static void takes_null_for_nothing(void **state) {
    (void)state;
    json_t *policy = must_read(applied[FX_COUNT(applied) - 1].policy);
    struct fx_compilation compilation = must_compile(policy);
    json_t *root = must_read("{'spec':{}}");
    assert_true(must_apply(compilation.mutators[0], &root).applied);
    assert_json(root, "{'spec':{'x':1}}");
    json_decref(root);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

/* The mutator's own node is put into each object, and is never written to afterwards. */
static void gives_the_value_by_reference(void **state) {
    (void)state;
    json_t *policy = must_read(SPEC("spec.x", "'value':{'n':1}"));
    json_t *inner_policy = must_read(SPEC("spec.x.m", "'value':2"));
    struct fx_compilation compilation = must_compile(policy);
    struct fx_compilation inner = must_compile(inner_policy);
    json_t *other = must_read("{}");
    json_t *root = must_read("{}");
    assert_true(must_apply(compilation.mutators[0], &other).changed);
    assert_true(must_apply(compilation.mutators[0], &root).changed);
    const json_t *value = json_object_get(json_object_get(other, "spec"), "x");
    assert_ptr_equal(json_object_get(json_object_get(root, "spec"), "x"), value);
    assert_true(must_apply(inner.mutators[0], &root).changed);
    assert_json(root, "{'spec':{'x':{'n':1,'m':2}}}");
    assert_json(value, "{'n':1}");
    json_decref(other);
    json_decref(root);
    fx_compilation_finish(&inner);
    fx_compilation_finish(&compilation);
    json_decref(inner_policy);
    json_decref(policy);
}

static void fails_on_another_shape(void **state) {
    (void)state;
    json_t *policy = must_read(SPEC("spec.x.y", "'value':1"));
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    json_t *root = must_read("{'spec':{'x':'s'}}");
    struct fx_effect effect = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_false(mutator->ops->apply(mutator, &request_create, &root, &effect, &err));
    assert_int_equal(err.code, FX_EMUTATE);
    assert_string_equal(err.msg,
                        "mismatch between path entry (type: object) and received "
                        "object (type: string). Path: y");
    json_decref(root);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

static void matches_by_apply_to_and_match(void **state) {
    (void)state;
    json_t *policy =
        must_read(POLICY("{" APPLY_TO ",'match':{'namespaces':['other','more']},"
                         "'location':'spec.x','parameters':{'assign':{'value':1}}}"));
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    json_t *pod = must_read(POD "'spec':{}}");
    json_t *service = must_read("{'apiVersion':'v1','kind':'Service'}");
    const struct fx_verdict by_match = match(mutator, pod);
    assert_false(by_match.matched);
    assert_string_equal(by_match.criterion, "namespaces");
    const struct fx_verdict by_apply_to = match(mutator, service);
    assert_false(by_apply_to.matched);
    assert_string_equal(by_apply_to.criterion, "applyTo");
    assert_int_equal(mutator->n_namespaces, 2);
    assert_true(fx_text_is(mutator->namespaces[0], "other"));
    json_decref(service);
    json_decref(pod);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

static void tells_the_engine(void **state) {
    (void)state;
    json_t *policy = must_read(SPEC("spec.l[k: v].x", "'value':1"));
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    assert_string_equal(mutator->group, "mutations.gatekeeper.sh");
    assert_string_equal(mutator->kind, "Assign");
    assert_string_equal(mutator->name, "a");
    assert_int_equal(mutator->generation, 7);
    assert_int_equal(mutator->rank, 1);
    assert_false(mutator->run.once);
    json_t *written = fx_policy_text_read(mutator->policy);
    assert_true(fx_equal(written, policy));
    json_decref(written);
    assert_int_equal(mutator->n_bindings, 1);
    assert_true(fx_text_is(mutator->bindings[0].kind, "Pod"));
    expect_written(mutator, "spec.l[k].x:Unknown");
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

static void warns_of_unknown_fields(void **state) {
    (void)state;
    json_t *policy = must_read(
        "{'apiVersion':'mutations.gatekeeper.sh/v1','kind':'Assign','metadata':{"
        "'name':'a','anything':1},'sepc':1,'status':{'x':1},'spec':{'location':'spec.x',"
        "'applyTo':[{'groups':[''],'versions':['v1'],'kinds':['Pod'],'kind':'Pod'}],"
        "'match':{'kinds':[{'kind':'x'}],'labelSelector':{'matchLabel':{}}},"
        "'parameters':{'assgin':{},'assign\\u0000':1,'assign':{'value':{'any':1}},'"
        "pathTests':[{'subPath':'spec','condition':'MustExist'},"
        "{'subPath':'spec','condition':'MustExist','path':'x'}]}}}");
    struct fx_compilation compilation = must_compile(policy);
    static const char *const expected[] = {
        "unknown field \"sepc\"",
        "unknown field \"spec.applyTo[0].kind\"",
        "unknown field \"spec.match.kinds[0].kind\"",
        "unknown field \"spec.match.labelSelector.matchLabel\"",
        "unknown field \"spec.parameters.assgin\"",
        "unknown field \"spec.parameters.assign\\x00\"",
        "unknown field \"spec.parameters.pathTests[1].path\"",
    };
    assert_int_equal(compilation.n_warnings, FX_COUNT(expected));
    for (size_t i = 0; i < FX_COUNT(expected); i++) {
        assert_string_equal(compilation.warnings[i].text, expected[i]);
        assert_non_null(compilation.warnings[i].node);
    }
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

/* An empty sub path is valid: it is never evaluated. */
static void warns_of_path_tests(void **state) {
    (void)state;
    json_t *policy = must_read(POLICY(
        "{" APPLY_TO
        ",'location':'spec.x','parameters':{'assign':{'value':1},'pathTests':["
        "{'subPath':'','condition':'Exists'},{'subPath':'spec','condition':'Exists'},"
        "{'subPath':'spec.x','condition':''},{'subPath':'spec.x'},"
        "{'subPath':'spec.x','condition':null}]}}"));
    struct fx_compilation compilation = must_compile(policy);
    static const char message[] = " is not a condition of path tests (MustExist, "
                                  "MustNotExist): the mutator never changes anything";
    static const struct {
        const char *quoted, *node;
    } expected[] = {{"\"Exists\"", "'Exists'"},
                    {"\"\"", "''"},
                    {"\"\"", "{'subPath':'spec.x'}"},
                    {"\"\"", "{'subPath':'spec.x','condition':null}"}};
    assert_int_equal(compilation.n_warnings, FX_COUNT(expected));
    for (size_t i = 0; i < FX_COUNT(expected); i++) {
        const char *text = compilation.warnings[i].text;
        const size_t at = strlen(expected[i].quoted);
        assert_memory_equal(text, expected[i].quoted, at);
        assert_string_equal(text + at, message);
        assert_json(compilation.warnings[i].node, expected[i].node);
    }
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

static void warns_of_match(void **state) {
    (void)state;
    json_t *policy = must_read(
        POLICY("{" APPLY_TO ",'location':'spec.x','parameters':{'assign':{'value':1}},"
               "'match':{'name':'a*b','namespaces':['a*','*a*b'],"
               "'excludedNamespaces':[null,'**a'],'source':'Bar'}}"));
    struct fx_compilation compilation = must_compile(policy);
    static const char literal[] = "\"*\" within a name is taken literally";
    static const struct {
        const char *text, *node;
    } expected[] = {
        {literal, "'*a*b'"},
        {literal, "'**a'"},
        {literal, "'a*b'"},
        {"every object that gets this far fails: failed to run Match criteria: invalid "
         "source field \"Bar\"",
         "'Bar'"},
    };
    assert_int_equal(compilation.n_warnings, FX_COUNT(expected));
    for (size_t i = 0; i < FX_COUNT(expected); i++) {
        assert_string_equal(compilation.warnings[i].text, expected[i].text);
        assert_json(compilation.warnings[i].node, expected[i].node);
    }
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(writes),
        cmocka_unit_test(takes_null_for_nothing),
        cmocka_unit_test(gives_the_value_by_reference),
        cmocka_unit_test(fails_on_another_shape),
        cmocka_unit_test(matches_by_apply_to_and_match),
        cmocka_unit_test(tells_the_engine),
        cmocka_unit_test(warns_of_unknown_fields),
        cmocka_unit_test(warns_of_path_tests),
        cmocka_unit_test(warns_of_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
