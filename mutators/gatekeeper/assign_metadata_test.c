/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assign_metadata_test.c - kind AssignMetadata.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/macros.h"
#include "mutators/gatekeeper/testing.h"

#define SPEC(location, assign)                                                 \
    "{'apiVersion':'mutations.gatekeeper.sh/v1','kind':'AssignMetadata',"      \
    "'metadata':{'name':'m'},'spec':{'location':'" location "','parameters':{" \
    "'assign':{" assign "}}}}"

static const struct refusal refused[] = {
    {SPEC("metadata.labels.", "'value':1"),
     "invalid location format for AssignMetadata m: metadata.labels.: trailing "
     "separators "
     "are forbidden",
     "'metadata.labels.'", 15, 1},
    {SPEC("", "'value':'v'"), "invalid location for assignmetadata m: ", "''", 0, 0},
    {SPEC("metadata.labels", "'value':'v'"),
     "invalid location for assignmetadata m: metadata.labels", "'metadata.labels'", 0, 0},
    {SPEC("metadata.labels.a.b", "'value':'v'"),
     "invalid location for assignmetadata m: metadata.labels.a.b",
     "'metadata.labels.a.b'", 0, 0},
    {SPEC("metadata.finalizers.a", "'value':'v'"),
     "invalid location for assignmetadata m: metadata.finalizers.a",
     "'metadata.finalizers.a'", 0, 0},
    {SPEC("spec.labels.a", "'value':'v'"),
     "invalid location for assignmetadata m: spec.labels.a", "'spec.labels.a'", 0, 0},
    {SPEC("metadata.labels[a: b]", "'value':'v'"),
     "invalid location for assignmetadata m: metadata.labels[a: b]",
     "'metadata.labels[a: b]'", 0, 0},
    {SPEC("metadata[labels: labels].labels", "'value':'v'"),
     "invalid location for assignmetadata m: metadata[labels: labels].labels",
     "'metadata[labels: labels].labels'", 0, 0},
    {SPEC("metadata.labels.a", ""),
     "assign must set one of `externalData`, `value` or `fromMetadata`: invalid assign "
     "field",
     "{}", 0, 0},
    {SPEC("metadata.labels.a", "'fromMetadata':{'field':'Name'}"),
     "field Name is not recognized: invalid fromMetadata field", "'Name'", 0, 0},
    {SPEC("metadata.labels.a", "'externalData':{'dataSource':'Username'}"),
     "spec.parameters.assign.externalData.provider: Required value",
     "{'dataSource':'Username'}", 0, 0},
    {SPEC("metadata.labels.a", "'externalData':{'provider':'p'}"),
     "only username data source is supported for assignmetadata m",
     "{'externalData':{'provider':'p'}}", 0, 0},
    {SPEC("metadata.labels.a", "'value':5"),
     "spec.parameters.assign.value field must be a string for AssignMetadata \"m\"", "5",
     0, 0},
    {"{'apiVersion':'mutations.gatekeeper.sh/v1alpha1','kind':'AssignMetadata','spec':{"
     "'parameters':[]}}",
     "json: cannot unmarshal array into Go struct field "
     "AssignMetadataSpec.spec.parameters of type v1alpha1.MetadataParameters",
     "[]", 0, 0},
};

static void refuses(void **state) {
    (void)state;
    expect_refusals(refused, FX_COUNT(refused));
}

/* A policy, an object's metadata, and the result (NULL: unchanged). */
static const struct {
    const char *policy, *before, *after;
    bool applied;
} applied[] = {
    {SPEC("metadata.labels.a", "'value':'v'"), "{}", "{'labels':{'a':'v'}}", true},
    {SPEC("metadata.annotations.\\'x.y/z\\'", "'value':''"), "{'annotations':{'b':'c'}}",
     "{'annotations':{'b':'c','x.y/z':''}}", true},
    {SPEC("metadata.labels.a", "'value':'v'"), "{'labels':{'a':'w'}}", NULL, false},
    {SPEC("metadata.labels.a", "'value':'v'"), "{'labels':{'a':null}}", NULL, false},
    {SPEC("metadata.labels.a", "'fromMetadata':{'field':'name'}"), "{'name':'n'}",
     "{'name':'n','labels':{'a':'n'}}", true},
    {SPEC("metadata.labels.a", "'fromMetadata':{'field':'name'}"),
     "{'generateName':'n-'}", "{'generateName':'n-','labels':{'a':''}}", true},
    {SPEC("metadata.labels.a", "'fromMetadata':{'field':'namespace'}"), "{'namespace':5}",
     "{'namespace':5,'labels':{'a':''}}", true},
};

static void writes(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(applied); i++) {
        json_t *policy = must_read(applied[i].policy);
        struct fx_compilation compilation = must_compile(policy);
        json_t *before = must_read("{'apiVersion':'v1','kind':'Secret'}");
        json_object_set_new(before, "metadata", must_read(applied[i].before));
        json_t *root = json_incref(before);
        assert_true(match(compilation.mutators[0], root).matched);
        const struct fx_effect effect = must_apply(compilation.mutators[0], &root);
        const char *after = applied[i].after;
        assert_true(effect.applied == applied[i].applied);
        assert_true(effect.changed == (after != NULL));
        assert_json(json_object_get(root, "metadata"),
                    after != NULL ? after : applied[i].before);
        assert_json(json_object_get(before, "metadata"), applied[i].before);
        assert_true((root == before) == (after == NULL));
        json_decref(root);
        json_decref(before);
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

/* Any object may be wanted, and the mutator takes no part in conflicts. */
static void tells_the_engine(void **state) {
    (void)state;
    json_t *policy = must_read(SPEC("metadata.labels.a", "'value':'v'"));
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    assert_string_equal(mutator->kind, "AssignMetadata");
    assert_int_equal(mutator->n_bindings, 0);
    assert_int_equal(mutator->n_namespaces, 0);
    expect_written(mutator, "metadata.labels.a:Untyped");
    assert_int_equal(mutator->generation, 0);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

static void has_neither_apply_to_nor_path_tests(void **state) {
    (void)state;
    json_t *policy = must_read(
        "{'apiVersion':'mutations.gatekeeper.sh/v1','kind':'AssignMetadata','metadata':{"
        "'name':'m'},'spec':{'location':'metadata.labels.a','applyTo':[],'parameters':{"
        "'assign':{'value':'v'},'pathTests':[{'subPath':'...'}]}}}");
    struct fx_compilation compilation = must_compile(policy);
    assert_int_equal(compilation.n_warnings, 2);
    assert_string_equal(compilation.warnings[0].text, "unknown field \"spec.applyTo\"");
    assert_string_equal(compilation.warnings[1].text,
                        "unknown field \"spec.parameters.pathTests\"");
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(writes),
        cmocka_unit_test(tells_the_engine),
        cmocka_unit_test(has_neither_apply_to_nor_path_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
