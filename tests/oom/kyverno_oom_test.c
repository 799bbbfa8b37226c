/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/kyverno_oom_test.c - patches of Kyverno's policies with every allocation
 * refused in turn: a rule is compiled and evaluated, its anchors are resolved, and it is
 * merged; without memory it fails for that reason alone, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "merge/strategic.h"
#include "mutators/kyverno/strategic.h"
#include "mutators/kyverno/template.h"
#include "refuse.h"
#include "value/json.h"
#include "value/tree.h"

#define RUNS_MAX    10000
#define ARENA_BYTES ((size_t)1 << 20)

static const char object_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\","
    "\"finalizers\":[\"a\"]},\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"x\","
    "\"ports\":[{\"containerPort\":80,\"protocol\":\"TCP\"}]},{\"name\":\"b\"}]}}";

static const char *const patches[] = {
    "{\"metadata\":{\"labels\":{\"n-{{ name }}\":\"{{ name }}-{{ name }}\",\"o\":\"x\","
    "\"p\":\"{{ o }}\",\"r\":\"$(./../o)\"},\"finalizers\":[\"b\",\"a\"]}}",
    "{\"spec\":{\"containers\":[{\"(image)\":\"x | y\",\"imagePullPolicy\":\"Always\","
    "\"+(resources)\":{\"limits\":{\"cpu\":\"1\"}}}],\"hostNetwork\":false}}",
    "{\"spec\":{\"containers\":[{\"name\":\"a\",\"ports\":[{\"containerPort\":81,"
    "\"protocol\":\"UDP\"}]},{\"name\":\"c\",\"image\":null,\"env\":[{\"name\":\"E\"}]}],"
    "\"volumes\":[{\"$patch\":\"replace\"},{\"name\":\"v\"}],"
    "\"securityContext\":{\"$patch\":\"replace\",\"runAsUser\":1,\"x\":null}}}",
};

static bool find_name(void *context, struct fx_text name, json_t **ret_value,
                      struct fx_err *err) {
    (void)context;
    *ret_value = fx_text_is(name, "name") ? json_string("web") : json_integer(5);
    return *ret_value != NULL || fx_fail_nomem(err);
}

static bool give_all(void *context, json_t **ret_object, struct fx_err *err) {
    (void)context;
    *ret_object = json_object();
    return *ret_object != NULL || fx_fail_nomem(err);
}

static bool merge(json_t **patch, json_t *object, struct fx_arena *arena,
                  struct fx_err *err) {
    json_t *root = json_incref(object);
    const struct fx_schema pod =
        fx_schema_find(&fx_strategic_builtin, FX_TEXT(""), FX_TEXT("v1"), FX_TEXT("Pod"));
    const bool ok = fx_kyverno_resolve_anchors(patch, object, arena, err) &&
                    fx_strategic_merge(pod, &root, *patch, err);
    json_decref(root);
    return ok;
}

/* False without memory. */
static bool act(json_t *rule, json_t *object) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    json_t *patch = NULL;
    fx_arena_init(&arena, ARENA_BYTES);
    const struct kyverno_template_compile with = {
        .document = rule, .arena = &arena, .err = &err};
    const struct fx_jmespath_scope scope = {
        .find = find_name, .all = give_all, .context = NULL};
    struct kyverno_template *compiled = fx_kyverno_template_compile(&with, rule, NULL);
    const bool ok = compiled != NULL &&
                    fx_kyverno_template_eval(compiled, NULL, &scope, &patch, &err) &&
                    merge(&patch, object, &arena, &err);
    if (!ok && err.code != FX_ENOMEM) {
        fail_msg("%s", err.msg);
    }
    json_decref(patch);
    fx_kyverno_template_finish(compiled);
    fx_arena_finish(&arena);
    return ok;
}

static void refuse_each(const char *text, bool ever_after) {
    struct fx_err err = FX_ERR_INIT;
    json_t *rule = fx_json_read(fx_text_of(text), NULL, &err);
    json_t *object = fx_json_read(fx_text_of(object_text), NULL, &err);
    assert_true(act(rule, object)); /* what is allocated once, is */
    long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const bool ok = act(rule, object);
        refused = refuse_stop();
        assert_int_equal(ok, !refused);
        assert_true(refuse_lost_nothing(&live, false));
    }
    assert_true(n > 4); /* it was tried at all */
    json_decref(rule);
    json_decref(object);
}

static void test_patches(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        refuse_each(patches[i], false);
        refuse_each(patches[i], true);
    }
}

int main(void) {
    refuse_install();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_patches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
