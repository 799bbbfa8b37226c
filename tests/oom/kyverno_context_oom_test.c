/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/kyverno_context_oom_test.c - contexts, preconditions and foreach of Kyverno's
 * rules with every allocation refused in turn: without memory a rule fails for that
 * reason alone, its object is as it was, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/input.h"
#include "mutators/kyverno/context.h"
#include "mutators/kyverno/context_entries.h"
#include "mutators/kyverno/foreach.h"
#include "mutators/kyverno/patch.h"
#include "mutators/kyverno/preconditions.h"
#include "mutators/kyverno/targets.h"
#include "refuse.h"
#include "value/json.h"
#include "value/tree.h"

#define RUNS_MAX    10000
#define ARENA_BYTES ((size_t)1 << 20)

static const char object_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\","
    "\"annotations\":{}},\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"x\"},"
    "{\"name\":\"b\",\"image\":\"y:1\"}]}}";

static const char admission_text[] =
    "{\"operation\":\"CREATE\",\"name\":\"\",\"namespace\":\"team\",\"userInfo\":{"
    "\"username\":\"system:serviceaccount:team:robot\",\"groups\":[]}}";

static const char rule_text[] =
    "{\"context\":["
    "{\"name\":\"v\",\"variable\":{\"value\":{\"a\":\"{{ request.namespace }}\"},"
    "\"jmesPath\":\"{{ 'a' }}\"}},"
    "{\"name\":\"d\",\"variable\":{\"jmesPath\":\"nope.{{ v }}\",\"default\":[\"Pod\"]}},"
    "{\"name\":\"n\",\"apiCall\":{\"urlPath\":\"/api/v1/namespaces/{{ v }}\","
    "\"jmesPath\":\"nope\",\"default\":\"{{ v }}\"}},"
    "{\"name\":\"m\",\"configMap\":{\"name\":\"dict\",\"namespace\":\"{{ n }}\"}}],"
    "\"preconditions\":{\"any\":[{\"key\":\"{{ v }}\",\"operator\":\"Equals\",\"value\":"
    "\"x\"},{\"key\":\"{{ m.data.env }}\",\"operator\":\"AnyIn\",\"value\":[\"p*\"]}],"
    "\"all\":[{\"key\":\"{{ length(d) }}\",\"operator\":\"Equals\",\"value\":1},"
    "{\"key\":\"{{ serviceAccountName "
    "}}\",\"operator\":\"Equals\",\"value\":\"robot\"}]},"
    "\"mutate\":{\"targets\":[{\"apiVersion\":\"v1\",\"kind\":\"{{ d[0] }}\",\"name\":"
    "\"{{ v }}*\",\"selector\":{\"matchLabels\":{\"a\":\"{{ target.kind }}\"}},"
    "\"context\":[{\"name\":\"t\",\"variable\":{\"value\":\"{{ target.kind }}\"}}],"
    "\"preconditions\":{\"all\":[{\"key\":\"{{ t }}\",\"operator\":\"Equals\",\"value\":"
    "\"Pod\"}]}}]},"
    "\"foreach\":[{\"list\":\"request.object.spec.containers\",\"context\":[{\"name\":"
    "\"i\","
    "\"variable\":{\"value\":\"{{ element.name }}-{{ v }}-{{ length(@) "
    "}}\"}}],\"foreach\":["
    "{\"list\":\"element.image\",\"patchesJson6902\":\"- op: add\\n  path: "
    "/metadata/annotations/{{ i }}\\n  value: '{{ images.containers.b.tag }}'\"}]}]}";

/* What one run has. */
struct run {
    json_t *rule, *object, *admission;
    struct fx_inputs inputs;
    struct fx_arena arena;
    struct kyverno_context_entries *entries;
    struct kyverno_preconditions *preconditions;
    struct kyverno_foreach *foreach;
    struct kyverno_targets targets;
};

static bool compile(struct run *run, struct fx_err *err) {
    const struct kyverno_template_compile with = {
        .document = run->rule, .arena = &run->arena, .err = err};
    const struct fx_text none = {NULL, 0};
    return fx_kyverno_context_entries_compile(&with,
                                              fx_tree_view_key(run->rule, "context"),
                                              NULL, none, &run->entries) &&
           fx_kyverno_preconditions_compile(&with,
                                            fx_tree_view_key(run->rule, "preconditions"),
                                            NULL, &run->preconditions) &&
           fx_kyverno_targets_compile(
               &with, fx_tree_view_key(fx_tree_view_key(run->rule, "mutate"), "targets"),
               none, &run->targets) &&
           fx_kyverno_foreach_compile(&with, fx_tree_view_key(run->rule, "foreach"), NULL,
                                      none, &fx_kyverno_patch_ops, &run->foreach);
}

/* Selects the target, and evaluates its preconditions. */
static bool eval_target(struct run *run, struct kyverno_context *context, json_t *object,
                        struct fx_err *err) {
    struct fx_existing_queries queries = {0};
    struct kyverno_context own;
    bool holds = false;
    if (!fx_kyverno_context_init(&own, context->request, run->targets.items[0].context,
                                 &run->arena, err)) {
        return false;
    }
    fx_kyverno_context_set_object(&own, object);
    fx_kyverno_context_set_target(&own, object);
    bool ok = fx_kyverno_target_select(&run->targets, 0, &own, &queries, err);
    assert_true(!ok || fx_text_is(queries.items[0].name, "team*"));
    ok = ok && fx_kyverno_preconditions_eval(run->targets.items[0].preconditions, &own,
                                             &holds, NULL, err);
    assert_true(!ok || holds);
    fx_existing_queries_finish(&queries);
    fx_kyverno_context_finish(&own);
    return ok;
}

static bool eval(struct run *run, struct kyverno_context *context, json_t **root,
                 struct fx_err *err) {
    struct kyverno_false_condition false_ = {.part = NULL};
    bool holds = false;
    bool changed = false;
    fx_kyverno_context_set_object(context, *root);
    bool ok =
        fx_kyverno_preconditions_eval(run->preconditions, context, &holds, &false_, err);
    assert_true(!ok || holds);
    ok = ok && eval_target(run, context, *root, err);
    ok = ok && fx_kyverno_foreach_apply(run->foreach, context, root, &changed, err);
    assert_true(!ok || changed);
    fx_kyverno_false_condition_finish(&false_);
    return ok;
}

/* False without memory. */
static bool act(struct run *run) {
    struct fx_err err = FX_ERR_INIT;
    struct kyverno_context context;
    json_t *root = json_incref(run->object);
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .inputs = &run->inputs,
                                       .admission = run->admission};
    fx_arena_init(&run->arena, ARENA_BYTES);
    run->entries = NULL;
    run->preconditions = NULL;
    run->foreach = NULL;
    run->targets = (struct kyverno_targets){.n = 0};
    bool ok =
        compile(run, &err) &&
        fx_kyverno_context_init(&context, &request, run->entries, &run->arena, &err);
    if (ok) {
        ok = eval(run, &context, &root, &err);
        fx_kyverno_context_finish(&context);
    }
    if (!ok && err.code != FX_ENOMEM) {
        fail_msg("%s", err.msg);
    }
    assert_int_equal(ok, root != run->object);
    json_decref(root);
    fx_kyverno_targets_finish(&run->targets);
    fx_kyverno_foreach_finish(run->foreach);
    fx_kyverno_preconditions_finish(run->preconditions);
    fx_kyverno_context_entries_finish(run->entries);
    fx_arena_finish(&run->arena);
    return ok;
}

static void refuse_each(struct run *run, bool ever_after) {
    assert_true(act(run)); /* what is allocated once, is */
    long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const bool ok = act(run);
        refused = refuse_stop();
        assert_int_equal(ok, !refused);
        assert_true(refuse_lost_nothing(&live, false));
    }
    assert_true(n > 50); /* it was tried at all */
}

static json_t *read_text(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(node);
    return node;
}

static void test_rule(void **state) {
    (void)state;
    struct run run = {.rule = read_text(rule_text),
                      .object = read_text(object_text),
                      .admission = read_text(admission_text)};
    struct fx_input_key key = fx_input_core_key("ConfigMap", FX_TEXT("dict"));
    json_t *map = read_text("{\"data\":{\"env\":\"prod\"}}");
    key.namespace_ = FX_TEXT("team");
    fx_inputs_init(&run.inputs, NULL, 0);
    assert_true(fx_inputs_put(&run.inputs, &key, map));
    key = fx_input_core_key("Namespace", FX_TEXT("team"));
    assert_true(fx_inputs_put(&run.inputs, &key, map));
    refuse_each(&run, false);
    refuse_each(&run, true);
    json_decref(map);
    fx_inputs_finish(&run.inputs);
    json_decref(run.rule);
    json_decref(run.object);
    json_decref(run.admission);
}

int main(void) {
    refuse_install();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
