/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/remove_test.c - kind Remove: what is refused, what is removed, and
 * the declared access.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/macros.h"
#include "mutators/gatekeeper/testing.h"

#define AT(location) OURS("Remove", POD_ONLY ",'location':'" location "'")
#define TESTS(location, tests)                            \
    OURS("Remove", POD_ONLY ",'location':'" location "'," \
                            "'parameters':{'pathTests':" tests "}")

static const struct refusal refused[] = {
    {OURS("Remove", "'parameters':[]"),
     "json: cannot unmarshal array into Go struct field RemoveSpec.spec.parameters of "
     "type v1alpha1.RemoveParameters",
     "[]", 0, 0},
    {AT("spec."),
     "invalid location format `spec.` for Remove m: trailing separators are forbidden",
     "'spec.'", 4, 1},
    {AT(""), "empty path", "''", 0, 0},
    {OURS("Remove", ""), "empty path", NULL, 0, 0},
    /* What an object is known by stays. */
    {AT("apiVersion"), "remove m can't change `apiVersion`", "'apiVersion'", 0, 0},
    {AT("kind"), "remove m can't change `kind`", "'kind'", 0, 0},
    {AT("kind.x"), "remove m can't change `kind`", "'kind.x'", 0, 0},
    {AT("metadata"),
     "remove m can't change metadata but for one label or annotation: `metadata`",
     "'metadata'", 0, 0},
    {AT("metadata.name"),
     "remove m can't change metadata but for one label or annotation: `metadata.name`",
     "'metadata.name'", 0, 0},
    {AT("metadata.labels"),
     "remove m can't change metadata but for one label or annotation: `metadata.labels`",
     "'metadata.labels'", 0, 0},
    {AT("metadata.annotations.a.b"),
     "remove m can't change metadata but for one label or annotation: "
     "`metadata.annotations.a.b`",
     "'metadata.annotations.a.b'", 0, 0},
    {AT("metadata.finalizers.a"),
     "remove m can't change metadata but for one label or annotation: "
     "`metadata.finalizers.a`",
     "'metadata.finalizers.a'", 0, 0},
    {AT("metadata.labels[k: v]"),
     "remove m can't change metadata but for one label or annotation: "
     "`metadata.labels[k: v]`",
     "'metadata.labels[k: v]'", 0, 0},
    {AT("spec.l[k: v].k"), "invalid path format: changing the item key is not allowed",
     "'spec.l[k: v].k'", 0, 0},
    {AT("spec.l[k: *].k"), "invalid path format: changing the item key is not allowed",
     "'spec.l[k: *].k'", 0, 0},
    {TESTS("spec.x", "[{'subPath':'status'}]"),
     "all subpaths must be a prefix of the `location` value of the mutation: subpath "
     "\"status\" is not a prefix of location \"spec.x\"",
     "'status'", 0, 0},
    {OURS("Remove", "'location':'spec.x'"), "applyTo required for Remove mutator m", NULL,
     0, 0},
    {OURS("Remove", "'location':'spec.x','applyTo':[{}]"),
     "invalid applyTo for Remove mutator m, all of group, version and kind must be "
     "specified",
     NULL, 0, 0},
};

static void refuses(void **state) {
    (void)state;
    expect_refusals(refused, FX_COUNT(refused));
}

static const struct writing removed[] = {
    {AT("spec.x"), "{'x':1,'y':2}", "{'y':2}", NULL},
    {AT("spec.x"), "{'x':null}", "{}", NULL},
    {AT("spec.x.y"), "{'x':{'y':[1]}}", "{'x':{}}", NULL},
    {AT("spec.l[k: v]"), "{'l':[{'k':'u'},{'k':'v'},{'k':'v','n':1}]}",
     "{'l':[{'k':'u'}]}", NULL},
    {AT("spec.l[k: *]"), "{'l':[{'k':'u'},{}]}", "{'l':[]}", NULL},
    {AT("spec.l[k: * except v]"), "{'l':[{'k':'u'},{'k':'v'},{}]}", "{'l':[{'k':'v'}]}",
     NULL},
    {AT("spec.l[k: * except \\'istio-proxy\\', v, 5]"),
     "{'l':[{'k':'istio-proxy'},{'k':'5'},{'k':5},{'k':'v'}]}",
     "{'l':[{'k':'istio-proxy'},{'k':5},{'k':'v'}]}", NULL},
    {AT("spec.l[k: *].x"), "{'l':[{'x':1},{},{'x':2,'y':3}]}", "{'l':[{},{},{'y':3}]}",
     NULL},
    {AT("spec.l[k: v].m[n: *].x"), "{'l':[{'k':'v','m':[{'x':1}]}]}",
     "{'l':[{'k':'v','m':[{}]}]}", NULL},
    {AT("spec.metadata.name"), "{'metadata':{'name':'x'}}", "{'metadata':{}}", NULL},
    /* What is not there cannot go, and nothing is made on the way. */
    {AT("spec.x"), "{'y':2}", NULL, "location"},
    {AT("spec.x.y"), "{}", NULL, "location"},
    {AT("spec.l[k: v]"), "{'l':[{'k':'u'}]}", NULL, "location"},
    {AT("spec.l[k: *]"), "{'l':[]}", NULL, "location"},
    {AT("spec.l[k: v].x"), "{'l':[]}", NULL, "location"},
    {AT("spec.l[k: * except v]"), "{'l':[{'k':'v'}]}", NULL, "location"},
    {TESTS("spec.x", "[{'subPath':'spec.x','condition':'MustNotExist'}]"), "{'x':1}",
     NULL, "pathTests"},
    {TESTS("spec.x.y", "[{'subPath':'spec.x','condition':'MustExist'}]"), "{}", NULL,
     "pathTests"},
    {TESTS("spec.l[k: * except v].x",
           "[{'subPath':'spec.l[k: * except v].x','condition':'MustExist'}]"),
     "{'l':[{'k':'v','x':1},{'x':1}]}", "{'l':[{'k':'v','x':1},{}]}", NULL},
};

static void removes(void **state) {
    (void)state;
    expect_writings(removed, FX_COUNT(removed));
}

static void removes_labels(void **state) {
    (void)state;
    static const struct {
        const char *policy, *before, *after;
    } rows[] = {
        {AT("metadata.labels.a"), "{'labels':{'a':'1','b':'2'}}", "{'labels':{'b':'2'}}"},
        {AT("metadata.annotations.\\'x.y/z\\'"), "{'annotations':{'x.y/z':'1'}}",
         "{'annotations':{}}"},
        {AT("metadata.labels.a"), "{}", "{}"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        json_t *policy = must_read(rows[i].policy);
        struct fx_compilation compilation = must_compile(policy);
        json_t *root = must_read("{}");
        json_object_set_new(root, "metadata", must_read(rows[i].before));
        (void)must_apply(compilation.mutators[0], &root);
        assert_json(json_object_get(root, "metadata"), rows[i].after);
        json_decref(root);
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

static void fails_on_another_shape(void **state) {
    (void)state;
    expect_failure(AT("spec.x.y"), "{'x':'s'}", FX_EMUTATE,
                   "mismatch between path entry (type: object) and received object "
                   "(type: string). Path: y");
    expect_failure(AT("spec.l[k: v]"), "{'l':[5]}", FX_EMUTATE,
                   "cast error, unable to case int64 to map[string]interface{}");
}

/* It declares its location, and no type of value. */
static void tells_the_engine(void **state) {
    (void)state;
    json_t *policy = must_read(AT("spec.l[k: v]"));
    struct fx_compilation compilation = must_compile(policy);
    const struct fx_mutator *mutator = compilation.mutators[0];
    assert_string_equal(mutator->group, "mutations.fixpoint.dev");
    assert_string_equal(mutator->kind, "Remove");
    assert_int_equal(mutator->rank, 1);
    assert_int_equal(mutator->n_bindings, 1);
    expect_written(mutator, "spec.l[k]:Unknown");
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),          cmocka_unit_test(removes),
        cmocka_unit_test(removes_labels),   cmocka_unit_test(fails_on_another_shape),
        cmocka_unit_test(tells_the_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
