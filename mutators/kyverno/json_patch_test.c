/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/json_patch_test.c - JSON patches of rules, by the rules of
 * spec/kyverno.md section 10.
 */
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "location/jmespath/scope_testing.h"
#include "mutators/kyverno/autogen.h"
#include "mutators/kyverno/json_patch.h"
#include "mutators/kyverno/testing.h"
#include "value/equal.h"
#include "value/tree.h"

#define ARENA_BYTES ((size_t)1 << 20)

static const char object_text[] =
    "{\"l\":[\"p\",\"q\",\"r\"],\"m\":{\"k\":\"v\",\"a/b\":1,\"t~t\":2},"
    "\"o\":[{\"n\":1},{\"n\":2}],\"z\":null,\"e\":[],\"s\":\"text\"}";

/* Compiles the patch and applies it to *root. The object is that of `root`, too. */
static bool apply_patch(json_t *patch, json_t **root, struct fx_err *err) {
    struct fx_arena arena;
    json_t *context = kyverno_read(
        "{\"n\":5,\"text\":\"5\",\"map\":{\"a\":[1]},\"key\":\"new\",\"z\":null}");
    const struct kyverno_path path = {.key = FX_TEXT("patchesJson6902")};
    const struct fx_jmespath_scope scope = jmespath_scope_of(context);
    fx_arena_init(&arena, ARENA_BYTES);
    const struct kyverno_template_compile with = {
        .document = patch, .arena = &arena, .err = err};
    struct kyverno_json_patch *compiled =
        fx_kyverno_json_patch_compile(&with, patch, &path);
    bool ok = compiled != NULL;
    if (ok) {
        ok = fx_kyverno_json_patch_apply(compiled, &path, &scope, &arena, root, err);
        assert_true(!ok || fx_kyverno_json_patch_fault(compiled) == NULL);
    }
    fx_kyverno_json_patch_finish(compiled);
    fx_arena_finish(&arena);
    json_decref(context);
    return ok;
}

struct patch_case {
    const char *patch;
    const char
        *field; /* of the object, a pointer of one step; NULL: it does not change */
    const char *result; /* of that field */
};

static const struct patch_case patch_cases[] = {
    /* add */
    {"- {op: add, path: /m/x, value: 1}", "m",
     "{\"k\":\"v\",\"a/b\":1,\"t~t\":2,\"x\":1}"},
    {"- {op: add, path: /m/k, value: w}", "m", "{\"k\":\"w\",\"a/b\":1,\"t~t\":2}"},
    {"- {op: add, path: /m/k, value: v}", NULL, NULL},
    {"- {op: add, path: /z, value: null}", NULL, NULL},
    {"- {op: add, path: /m/a~1b, value: 2}", "m", "{\"k\":\"v\",\"a/b\":2,\"t~t\":2}"},
    {"- {op: add, path: /m/t~0t, value: 3}", "m", "{\"k\":\"v\",\"a/b\":1,\"t~t\":3}"},
    {"- {op: add, path: /l/0, value: x}", "l", "[\"x\",\"p\",\"q\",\"r\"]"},
    {"- {op: add, path: /l/3, value: x}", "l", "[\"p\",\"q\",\"r\",\"x\"]"},
    {"- {op: add, path: /l/-, value: x}", "l", "[\"p\",\"q\",\"r\",\"x\"]"},
    {"- {op: add, path: /l/-1, value: x}", "l", "[\"p\",\"q\",\"r\",\"x\"]"},
    {"- {op: add, path: /l/-2, value: x}", "l", "[\"p\",\"q\",\"x\",\"r\"]"},
    {"- {op: add, path: /l/01, value: x}", "l", "[\"p\",\"x\",\"q\",\"r\"]"},
    {"- {op: add, path: x/m, value: 1}", "m", "1"},
    /* missing parents */
    {"- {op: add, path: /new/a/b, value: 1}", "new", "{\"a\":{\"b\":1}}"},
    {"- {op: add, path: /new/0, value: 1}", "new", "[1]"},
    {"- {op: add, path: /new/-, value: 1}", "new", "[1]"},
    {"- {op: add, path: /new/-1, value: 1}", "new", "[1]"},
    {"- {op: add, path: /new/2/x, value: 1}", "new", "[null,null,{\"x\":1}]"},
    {"- {op: add, path: /new/2, value: 1}", "new", "[null,null,1]"},
    {"- {op: add, path: /l/5/x, value: 1}", "l",
     "[\"p\",\"q\",\"r\",null,null,{\"x\":1}]"},
    {"- {op: add, path: /z/x, value: 1}", "z", "{\"x\":1}"},
    /* replace */
    {"- {op: replace, path: /l/1, value: x}", "l", "[\"p\",\"x\",\"r\"]"},
    {"- {op: replace, path: /l/-1, value: x}", "l", "[\"p\",\"q\",\"x\"]"},
    {"- {op: replace, path: /z, value: 1}", "z", "1"},
    {"- {op: replace, path: /l/1, value: q}", NULL, NULL},
    /* remove */
    {"- {op: remove, path: /m}", "m", NULL},
    {"- {op: remove, path: /z}", "z", NULL},
    {"- {op: remove, path: /l/0}", "l", "[\"q\",\"r\"]"},
    {"- {op: remove, path: /l/-3}", "l", "[\"q\",\"r\"]"},
    {"- {op: remove, path: /l/3}", NULL, NULL},
    {"- {op: remove, path: /l/-4}", NULL, NULL},
    {"- {op: remove, path: /m/x}", NULL, NULL},
    {"- {op: remove, path: /new/a/b}", NULL, NULL},
    {"- {op: remove, path: /s/a}", NULL, NULL},
    {"- {op: remove, path: \"\"}", NULL, NULL},
    /* move, copy, test */
    {"- {op: move, from: /m/k, path: /s}", "s", "\"v\""},
    {"- {op: move, from: /l/0, path: /l/-}", "l", "[\"q\",\"r\",\"p\"]"},
    {"- {op: copy, from: /o/0, path: /o/-}", "o", "[{\"n\":1},{\"n\":2},{\"n\":1}]"},
    {"- {op: test, path: /s, value: text}", NULL, NULL},
    {"- {op: test, path: /missing, value: null}", NULL, NULL},
    {"- {op: test, path: /missing}", NULL, NULL},
    /* how the text is read */
    {"[{\"op\":\"add\",\"path\":\"/s\",\"value\":\"5\"}]", "s", "\"5\""},
    {"", NULL, NULL},
    {"# nothing", NULL, NULL},
    {"- {op: add, path: /s, value: \"5\"}", "s", "\"5\""},
    {"- {op: add, path: /s, value: 010}", "s", "8"},
    {"- {op: add, path: /s, value: yes}", "s", "true"},
    /* variables are replaced before the text is read */
    {"- {op: add, path: /s, value: {{ n }}}", "s", "5"},
    {"- {op: add, path: /s, value: {{ text }}}", "s", "5"},
    {"- {op: add, path: /s, value: \"{{ text }}\"}", "s", "\"5\""},
    {"- {op: add, path: /s, value: {{ map }}}", "s", "{\"a\":[1]}"},
    {"- {op: add, path: \"/{{ key }}\", value: 1}", "new", "1"},
};

static void check_case(const struct patch_case *given, json_t *patch) {
    struct fx_err err = FX_ERR_INIT;
    json_t *object = kyverno_read(object_text);
    json_t *expected = kyverno_read(object_text);
    json_t *root = json_incref(object);
    const bool ok = apply_patch(patch, &root, &err);
    if (!ok) {
        fail_msg("%s: %s", given->patch, err.msg);
    }
    if (given->field == NULL) {
        assert_ptr_equal(root, object);
    } else if (given->result == NULL) {
        assert_int_equal(json_object_del(expected, given->field), 0);
    } else {
        (void)json_object_set_new(expected, given->field, kyverno_read(given->result));
    }
    if (strstr(given->patch, "move") != NULL && strstr(given->patch, "/m/k") != NULL) {
        (void)json_object_del(json_object_get(expected, "m"), "k");
    }
    if (!fx_equal(root, expected)) {
        fail_msg("%s: another result", given->patch);
    }
    json_decref(expected);
    expected = kyverno_read(object_text);
    assert_true(fx_equal(object, expected)); /* the shared object was not written */
    json_decref(expected);
    json_decref(root);
    json_decref(object);
}

static void test_patches(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(patch_cases); i++) {
        json_t *patch = json_string(patch_cases[i].patch);
        check_case(&patch_cases[i], patch);
        json_decref(patch);
    }
}

/* `patches` has the operations as a list. */
static void test_list(void **state) {
    (void)state;
    static const struct patch_case given = {
        "a list", "m", "{\"k\":5,\"a/b\":1,\"t~t\":2,\"new\":\"a5\"}"};
    json_t *patch = kyverno_read(
        "[{\"op\":\"replace\",\"path\":\"/m/k\",\"value\":\"{{ n }}\"},"
        "{\"op\":\"add\",\"path\":\"/m/{{ key }}\",\"value\":\"a{{ text }}\"}]");
    check_case(&given, patch);
    json_decref(patch);
}

/* A generated rule applies its patch below a place. */
static void test_below(void **state) {
    (void)state;
    static const struct {
        const char *path;
        struct patch_case expected;
    } cases[] = {
        {"/x", {"below", "m", "{\"k\":\"v\",\"a/b\":1,\"t~t\":2,\"x\":{\"w\":1}}"}},
        {"y/x", {"below", "m", "{\"k\":\"v\",\"a/b\":1,\"t~t\":2,\"x\":{\"w\":1}}"}},
        {"", {"below", "m", "{\"w\":1}"}},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "- {op: add, path: '%s', value: {w: 1}}",
                       cases[i].path);
        json_t *patch = json_pack("{s:s, s:s}", KYVERNO_AUTOGEN_PATCH_TEXT, text,
                                  KYVERNO_AUTOGEN_PATCH_BELOW, "/m");
        check_case(&cases[i].expected, patch);
        json_decref(patch);
    }
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *patch, *message;
    } cases[] = {
        {"- {op: add, path: /l/4, value: 1}", "invalid index: 4"},
        {"- {op: add, path: /l/-5, value: 1}", "invalid index: -5"},
        {"- {op: add, path: /l/x, value: 1}", "not a proper array index: 'x'"},
        {"- {op: add, path: /new/-/x, value: 1}", "missing path: \"/new/-/x\""},
        {"- {op: add, path: /new/-2, value: 1}", "other than -1: -2"},
        {"- {op: add, path: /s/x, value: 1}", "missing path: \"/s/x\""},
        {"- {op: add, path: s, value: 1}", "missing path: \"s\""},
        {"- {op: add, path: '', value: 1}", "can only become an object"},
        {"- {op: add, path: /new/70000, value: 1}", "pads lists with more than"},
        {"- {op: replace, path: /new, value: 1}", "missing key: /new"},
        {"- {op: replace, path: /new/a, value: 1}", "missing path: /new/a"},
        {"- {op: replace, path: /l/3, value: 1}", "missing key: /l/3"},
        {"- {op: remove, path: /l/-}", "parsing \"-\": invalid syntax"},
        {"- {op: remove, path: /l/x}", "parsing \"x\": invalid syntax"},
        {"- {op: move, from: /new, path: /s}", "nonexistent key: new"},
        {"- {op: move, from: /s, path: /new/a}", "missing destination path: /new/a"},
        {"- {op: move, from: '', path: /new/a}", "unable to move entire document"},
        {"- {op: copy, from: /new, path: /s}", "nonexistent key: new"},
        {"- {op: copy, from: /new/a, path: /s}", "missing from path: \"/new/a\""},
        {"- {op: test, path: /s, value: x}", "testing value /s failed"},
        {"- {op: test, path: /z, value: x}", "testing value /z failed"},
        {"- {op: Add, path: /s, value: x}", "operation 0: `op` must be"},
        {"- {op: remove, path: /s}\n- {op: add, path: /s}", "operation 1: `value`"},
        {"- {op: add, value: 1}", "`path` is missing"},
        {"- {op: move, path: /s}", "`from` is missing"},
        {"- x", "operation 0: `op` must be"},
        {"{}", "not a list of operations"},
        {"x: [", "did not find expected node content"},
        {"[{\"op\":}]", "failed to decode patches"},
        {"- {op: add, path: /s, value: {{ gone }}}", "gone"},
        {"{{ map }}", "must be a text"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *patch = json_string(cases[i].patch);
        json_t *root = kyverno_read(object_text);
        assert_false(apply_patch(patch, &root, &err));
        if (strstr(err.msg, cases[i].message) == NULL) {
            fail_msg("%s: %s", cases[i].patch, err.msg);
        }
        json_decref(root);
        json_decref(patch);
    }
}

/* What is wrong with a text without variables is known when it is compiled. */
static void test_fault(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    fx_arena_init(&arena, ARENA_BYTES);
    json_t *patch = json_string("- {op: jump, path: /a}");
    const struct kyverno_template_compile with = {
        .document = patch, .arena = &arena, .err = &err};
    struct kyverno_json_patch *compiled =
        fx_kyverno_json_patch_compile(&with, patch, NULL);
    assert_non_null(compiled);
    assert_non_null(strstr(fx_kyverno_json_patch_fault(compiled), "operation 0"));
    fx_kyverno_json_patch_finish(compiled);
    json_decref(patch);
    fx_arena_finish(&arena);
}

static void test_budget(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *patch = json_string("- {op: add, path: /a/b/c/d, value: 1}");
    json_t *root = kyverno_read(object_text);
    const struct fx_bound bound = fx_budget_narrow(40, 0);
    assert_false(apply_patch(patch, &root, &err));
    (void)fx_budget_widen(bound);
    assert_int_equal(err.code, FX_ELIMIT);
    json_decref(root);
    json_decref(patch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patches), cmocka_unit_test(test_list),
        cmocka_unit_test(test_below),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_fault),   cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
