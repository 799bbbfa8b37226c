/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/merge_options_test.c - how annotations change the merge of a patch.
 */
#include <string.h>

#include "base/budget.h"
#include "merge/strategic.h"
#include "mutators/kyverno/merge_options.h"
#include "mutators/kyverno/testing.h"
#include "value/equal.h"

#define ARENA_BYTES ((size_t)1 << 20)

/* Compiles the options, prepares the patch, and merges it as that of a kind without a
 * schema. */
static bool merge(const char *lists, bool wildcards, const char *patch_text,
                  json_t **root, struct fx_err *err) {
    static const struct fx_schema none = {NULL, 0};
    struct fx_arena arena;
    struct kyverno_merge_options *options = NULL;
    json_t *patch = kyverno_read_quoted(patch_text);
    json_t *before = json_deep_copy(patch);
    json_t *given = patch;
    json_t *annotations = json_object();
    (void)json_object_set_new(annotations, KYVERNO_MERGE_LISTS, json_string(lists));
    (void)json_object_set_new(annotations, KYVERNO_MERGE_WILDCARDS,
                              json_string(wildcards ? "true" : "false"));
    fx_arena_init(&arena, ARENA_BYTES);
    fx_err_reset(err);
    json_incref(given);
    bool ok = fx_kyverno_merge_options_compile(annotations, &arena, &options, err);
    json_decref(annotations); /* the options do not need it */
    ok = ok && fx_kyverno_merge_options_apply(options, &patch, *root, err) &&
         fx_strategic_merge(none, root, patch, NULL, err);
    assert_true(fx_equal(given, before));
    json_decref(before);
    json_decref(given);
    json_decref(patch);
    fx_arena_finish(&arena);
    return ok;
}

static const struct {
    const char *lists, *patch, *object, *result; /* NULL: nothing changes */
    bool wildcards;
} option_cases[] = {
    /* lists with keys: the order of the object stays, new elements come last */
    {.lists = "spec.l: [id]",
     .patch = "{'spec':{'l':[{'id':'c','v':3},{'id':'a','v':1}]}}",
     .object = "{'spec':{'l':[{'id':'a','x':9},{'id':'b'}]}}",
     .result = "{'spec':{'l':[{'id':'a','x':9,'v':1},{'id':'b'},{'id':'c','v':3}]}}"},
    {.lists = "l: [id, p]",
     .patch = "{'l':[{'id':1,'p':2,'v':1},{'id':1,'p':3,'v':2}]}",
     .object = "{'l':[{'id':1,'p':3}]}",
     .result = "{'l':[{'id':1,'p':3,'v':2},{'id':1,'p':2,'v':1}]}"},
    {.lists = "l: [id]", .patch = "{'l':[{'id':1}]}", .object = "{'l':[{'id':1,'v':1}]}"},
    {.lists = "l: [id]",
     .patch = "{'l':[{'id':1,'v':null},{'id':2,'$patch':'delete'}]}",
     .object = "{'l':[{'id':1,'v':1},{'id':2},{'id':3}]}",
     .result = "{'l':[{'id':1},{'id':3}]}"},
    {.lists = "l: [id]",
     .patch = "{'l':[{'id':1,'w':1,'$patch':'replace'}]}",
     .object = "{'l':[{'id':1,'v':1}]}",
     .result = "{'l':[{'id':1,'w':1}]}"},
    {.lists = "l: [id]",
     .patch = "{'l':[{'id':1}]}",
     .object = "{}",
     .result = "{'l':[{'id':1}]}"},
    {.lists = "l: [id]\nl.m: append",
     .patch = "{'l':[{'id':1,'m':[2,3]}]}",
     .object = "{'l':[{'id':1,'m':[1,2]}]}",
     .result = "{'l':[{'id':1,'m':[1,2,3]}]}"},
    /* append unless an equal element is there */
    {.lists = "l: append",
     .patch = "{'l':[{'k':1},{'k':2},{'k':2}]}",
     .object = "{'l':[{'k':2},{'k':3}]}",
     .result = "{'l':[{'k':2},{'k':3},{'k':1}]}"},
    {.lists = "l: append", .patch = "{'l':['a']}", .object = "{'l':['b','a']}"},
    {.lists = "l: append",
     .patch = "{'l':['a']}",
     .object = "{'l':null}",
     .result = "{'l':['a']}"},
    /* a list on the way is merged as always; its elements are found by `name` */
    {.lists = "l.m: append",
     .patch = "{'l':[{'name':'x','m':[2]}]}",
     .object = "{'l':[{'name':'x','m':[1]}]}",
     .result = "{'l':[{'name':'x','m':[1,2]}]}"},
    /* other lists are replaced */
    {.lists = "l: append",
     .patch = "{'m':[2]}",
     .object = "{'m':[1]}",
     .result = "{'m':[2]}"},
    /* wildcards */
    {.wildcards = true,
     .lists = "",
     .patch = "{'m':{'a.io/*':null,'x':1,'?':null}}",
     .object = "{'m':{'a.io/b':1,'a.io/c':2,'b.io/b':3,'z':4}}",
     .result = "{'m':{'b.io/b':3,'x':1}}"},
    {.wildcards = true,
     .lists = "",
     .patch = "{'m':{'a*':null,'ab':5}}",
     .object = "{'m':{'ab':1,'ac':2}}",
     .result = "{'m':{'ab':5}}"},
    {.wildcards = true,
     .lists = "",
     .patch = "{'m':{'q*':null}}",
     .object = "{'m':{'a':1}}"},
    {.lists = "l: append", .patch = "{'a*':null}", .object = "{'ab':1}"},
};

static void test_options(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(option_cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *object = kyverno_read_quoted(option_cases[i].object);
        json_t *before = json_deep_copy(object);
        json_t *root = json_incref(object);
        json_t *expected = option_cases[i].result == NULL
                               ? json_incref(object)
                               : kyverno_read_quoted(option_cases[i].result);
        if (!merge(option_cases[i].lists, option_cases[i].wildcards,
                   option_cases[i].patch, &root, &err)) {
            fail_msg("%s: %s", option_cases[i].patch, err.msg);
        }
        if (!fx_equal(root, expected) ||
            (root == object) != (option_cases[i].result == NULL)) {
            fail_msg("%s on %s", option_cases[i].patch, option_cases[i].object);
        }
        json_t *again = json_incref(root);
        assert_true(merge(option_cases[i].lists, option_cases[i].wildcards,
                          option_cases[i].patch, &again, &err));
        assert_true(fx_equal(again, root)); /* a second time changes nothing */
        assert_true(fx_equal(object, before));
        json_decref(again);
        json_decref(expected);
        json_decref(root);
        json_decref(before);
        json_decref(object);
    }
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *lists, *patch, *message;
        enum fx_code code;
    } cases[] = {
        {"[]", "{}", "expected a map", FX_EINVALID},
        {"a: [", "{}", KYVERNO_MERGE_LISTS, FX_EINVALID},
        {"a..b: append", "{}", "\"a..b\": not a path", FX_EINVALID},
        {"a: prepend", "{}", "must be `append`, or a list", FX_EINVALID},
        {"a: []", "{}", "must be `append`, or a list", FX_EINVALID},
        {"a: [1]", "{}", "a key must be the name", FX_EINVALID},
        {"l: [id]", "{'l':[{'v':1}]}", "lacks the key `id`", FX_EMUTATE},
        {"l: [id]", "{'l':[1]}", "lacks the key `id`", FX_EMUTATE},
        {"l: [id]", "{'l':[{'id':1,'$patch':'x'}]}", "unknown value of $patch",
         FX_EMUTATE},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *root = kyverno_read_quoted("{'l':[{'id':1}]}");
        assert_false(merge(cases[i].lists, false, cases[i].patch, &root, &err));
        if (err.code != cases[i].code || strstr(err.msg, cases[i].message) == NULL) {
            fail_msg("%s: %s", cases[i].lists, err.msg);
        }
        json_decref(root);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
