/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assign_image_test.c - kind AssignImage: what is refused,
 * the new references, and the declared access.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "mutators/gatekeeper/testing.h"

#define APPLY_TO "'applyTo':[{'groups':[''],'versions':['v1'],'kinds':['Pod']}]"
#define POLICY(spec)                                                                  \
    "{'apiVersion':'mutations.gatekeeper.sh/v1alpha1','kind':'AssignImage','metadata" \
    "':{'name':'i'},'spec':" spec "}"
#define AT(location, parameters) \
    POLICY("{" APPLY_TO ",'location':'" location "','parameters':{" parameters "}}")
#define PARTS(parameters) AT("spec.image", parameters)
#define DOMAIN            "'assignDomain':'r.io'"
#define INVALID           "assignImage i has invalid parameters: "
#define NAME_64           "a23456789.123456789_123456789-123456789.123456789.123456789.1234"

static const struct refusal refused[] = {
    {PARTS("'assignTag':5"),
     "json: cannot unmarshal number into Go struct field "
     "AssignImageParameters.spec.parameters.assignTag of type string",
     "5", 0, 0},
    {POLICY("{'parameters':'x'}"),
     "json: cannot unmarshal string into Go struct field AssignImageSpec.spec.parameters "
     "of type v1alpha1.AssignImageParameters",
     "'x'", 0, 0},
    {"{'apiVersion':'mutations.gatekeeper.sh/v1alpha1','kind':'AssignImage','metadata':{"
     "'name':'" NAME_64 "'},'spec':{'location':'.'}}",
     "maximum name length is 63 characters", "'" NAME_64 "'", 0, 0},
    {AT("5", DOMAIN),
     "invalid location format `5` for assignImage i: unexpected token: expected field "
     "name or eof, got: INT: \"5\"",
     "'5'", 0, 1},
    {AT("metadata.name", DOMAIN), "assignImage i can't change metadata",
     "'metadata.name'", 0, 0},
    {AT("metadata[k: v]", DOMAIN), "assignImage i can't change metadata",
     "'metadata[k: v]'", 0, 0},
    {AT("spec.l[k: v]", DOMAIN), "assignImage i cannot mutate list-type fields",
     "'spec.l[k: v]'", 0, 0},
    {AT("spec.l[k: *]", DOMAIN), "assignImage i cannot mutate list-type fields",
     "'spec.l[k: *]'", 0, 0},
    {AT("", ""), "empty path", "''", 0, 0},
    {POLICY("null"), "empty path", NULL, 0, 0},
    {AT("spec.l[image: v].image", ""),
     "invalid path format: changing the item key is not allowed",
     "'spec.l[image: v].image'", 0, 0},
    /* The parts, in the order of the reference. */
    {PARTS(""),
     INVALID "at least one of [assignDomain, assignPath, assignTag] must be set", "{}", 0,
     0},
    {PARTS("'assignDomain':'','assignPath':null"),
     INVALID "at least one of [assignDomain, assignPath, assignTag] must be set",
     "{'assignDomain':'','assignPath':null}", 0, 0},
    {POLICY("{'location':'spec.image'}"),
     INVALID "at least one of [assignDomain, assignPath, assignTag] must be set",
     "{'location':'spec.image'}", 0, 0},
    {PARTS("'assignDomain':'r\\n','assignPath':'/','assignTag':'1'"),
     INVALID "assignDomain \"r\\n\" must be a fully-qualified domain name or localhost",
     "'r\\n'", 0, 0},
    {PARTS(DOMAIN ",'assignPath':'A','assignTag':'1'"),
     INVALID "assignPath \"A\" must be a valid docker image path", "'A'", 0, 0},
    {PARTS(DOMAIN ",'assignPath':'a','assignTag':'1'"),
     INVALID
     "assignTag \"1\" must be a valid docker image tag or digest starting with ':' or "
     "'@'",
     "'1'", 0, 0},
    {PARTS("'assignPath':'a.b/c'"),
     INVALID "assignDomain must be set if the first part of assignPath \"a.b/c\" can be "
             "interpretted as part of a domain",
     "'a.b/c'", 0, 0},
    {PARTS("'assignPath':'localhost/c','assignTag':':1'"),
     INVALID "assignDomain must be set if the first part of assignPath \"localhost/c\" "
             "can be interpretted as part of a domain",
     "'localhost/c'", 0, 0},
    {PARTS(DOMAIN ",'pathTests':[{'subPath':'spec.'}]"),
     "problem parsing sub path `spec.` for AssignImage i: trailing separators are "
     "forbidden",
     "'spec.'", 4, 1},
    {POLICY("{'location':'spec.image','parameters':{" DOMAIN "}}"),
     "applyTo required for AssignImage mutator i", NULL, 0, 0},
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
    {PARTS(DOMAIN), "{'image':'nginx:1'}", "{'image':'r.io/nginx:1'}", true},
    {PARTS(DOMAIN), "{'image':'q.io/nginx'}", "{'image':'r.io/nginx'}", true},
    {PARTS(DOMAIN), "{'image':'r.io/nginx'}", NULL, true},
    {PARTS("'assignPath':'a/b'"), "{'image':'q.io/nginx@x'}", "{'image':'q.io/a/b@x'}",
     true},
    {PARTS("'assignTag':':2'"), "{'image':'q.io/nginx:1@x'}", "{'image':'q.io/nginx:2'}",
     true},
    {PARTS(DOMAIN ",'assignPath':'a.b/c','assignTag':':2'"), "{'image':''}",
     "{'image':'r.io/a.b/c:2'}", true},
    {PARTS("'assignPath':'a.b'"), "{'image':'x/y'}", "{'image':'a.b'}", true},
    /* Not there. */
    {PARTS("'assignTag':':v1'"), "{}", "{'image':':v1'}", true},
    {PARTS(DOMAIN), "{}", "{'image':'r.io/'}", true},
    {AT("spec.l[name: *].image", DOMAIN), "{'l':[{'image':'a'},{'image':'r.io/b'},{}]}",
     "{'l':[{'image':'r.io/a'},{'image':'r.io/b'},{'image':'r.io/'}]}", true},
    {AT("spec.l[name: x].image", DOMAIN), "{}", "{'l':[{'name':'x','image':'r.io/'}]}",
     true},
    {PARTS(DOMAIN ",'pathTests':[{'subPath':'spec.image','condition':'MustExist'}]"),
     "{}", NULL, false},
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
        json_decref(root);
        json_decref(before);
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

static bool apply_once(const struct fx_mutator *mutator, json_t **root,
                       struct fx_err *err) {
    struct fx_effect effect = {0};
    return mutator->ops->apply(mutator, &request_create, root, &effect, err);
}

/* The message does not depend on the value. */
static void fails_on_what_is_no_string(void **state) {
    (void)state;
    static const char *const values[] = {"5", "null", "{}", "['a']", "true"};
    json_t *policy = must_read(PARTS(DOMAIN));
    struct fx_compilation compilation = must_compile(policy);
    for (size_t i = 0; i < FX_COUNT(values); i++) {
        json_t *root = must_read("{'spec':{}}");
        json_object_set_new(json_object_get(root, "spec"), "image", must_read(values[i]));
        struct fx_err err = FX_ERR_INIT;
        assert_false(apply_once(compilation.mutators[0], &root, &err));
        assert_int_equal(err.code, FX_EMUTATE);
        assert_string_equal(err.msg, "expected value at AssignImage location to be a "
                                     "string, got  of type string");
        json_decref(root);
    }
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

/* The first `/` was in the tag: what was the path becomes a domain. A single mutator may
 * do without a fixed point in its two passes, as in Gatekeeper. */
static void finds_another_domain_each_time(void **state) {
    (void)state;
    json_t *policy = must_read(PARTS("'assignPath':'a.b'"));
    struct fx_compilation compilation = must_compile(policy);
    json_t *root = must_read("{'spec':{'image':'n@x/y'}}");
    static const char *const passes[] = {"a.b@x/y", "a.b@x/a.b", "a.b@x/a.b"};
    for (size_t i = 0; i < FX_COUNT(passes); i++) {
        struct fx_err err = FX_ERR_INIT;
        assert_true(apply_once(compilation.mutators[0], &root, &err));
        const json_t *image = json_object_get(json_object_get(root, "spec"), "image");
        assert_string_equal(json_string_value(image), passes[i]);
    }
    json_decref(root);
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

static void tells_the_engine(void **state) {
    (void)state;
    json_t *policy = must_read(AT("spec.l[name: *].image", DOMAIN));
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    assert_string_equal(mutator->kind, "AssignImage");
    assert_int_equal(mutator->n_bindings, 1);
    expect_written(mutator, "spec.l[name].image:String!");
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

/* Only v1alpha1 of this kind, all versions of the others. */
static void is_served_in_one_version(void **state) {
    (void)state;
    size_t n_kinds = 0;
    for (const struct fx_kind *kind = fx_dialect_gatekeeper.kinds; kind->kind != NULL;
         kind++) {
        if (strcmp(kind->group, "mutations.gatekeeper.sh") != 0) {
            continue;
        }
        n_kinds++;
        const bool image = strcmp(kind->kind, "AssignImage") == 0;
        assert_string_equal(kind->versions[0], image ? "v1alpha1" : "v1");
        assert_true((kind->versions[1] == NULL) == image);
    }
    assert_int_equal(n_kinds, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),
        cmocka_unit_test(writes),
        cmocka_unit_test(fails_on_what_is_no_string),
        cmocka_unit_test(finds_another_domain_each_time),
        cmocka_unit_test(tells_the_engine),
        cmocka_unit_test(is_served_in_one_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
