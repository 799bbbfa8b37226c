/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/kyverno_patches_oom_test.c - JSON patches, overlays, lists with keys, images
 * and generated rules of Kyverno's policies with every allocation refused in turn:
 * without memory each fails for that reason alone, what it was given is as it was, and
 * nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/jmespath/scope_testing.h"
#include "merge/strategic.h"
#include "mutators/kyverno/autogen.h"
#include "mutators/kyverno/images.h"
#include "mutators/kyverno/json_patch.h"
#include "mutators/kyverno/merge_options.h"
#include "mutators/kyverno/overlay.h"
#include "refuse.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

#define RUNS_MAX    10000
#define ARENA_BYTES ((size_t)1 << 20)

static const char object_text[] =
    "{\"kind\":\"Widget\",\"metadata\":{\"labels\":{\"a/b\":\"1\",\"c\":\"2\"}},"
    "\"spec\":{\"image\":\"oci:r.io/x:1\",\"l\":[\"p\",\"q\"],\"parts\":[{\"name\":\"a\","
    "\"size\":1},{\"name\":\"b\"}]}}";

static const char spec_text[] =
    "{\"rules\":[{\"name\":\"r\",\"match\":{\"any\":[{\"resources\":{\"kinds\":[\"Pod\"]}"
    "}"
    "]},\"preconditions\":[{\"key\":\"{{ request.object.spec.x }}\"}],\"mutate\":{"
    "\"foreach\":[{\"list\":\"x\",\"patchStrategicMerge\":{\"a\":1}},{\"list\":\"y\","
    "\"patchesJson6902\":\"[]\"}]}}]}";

static const char tree_text[] =
    "{\"metadata\":{\"labels\":{\"a/*\":null,\"+(d)\":true}},\"spec\":{\"l\":[\"r\"],"
    "\"parts\":[{\"(name)\":\"a*\",\"+(color)\":{\"r\":1}},{\"name\":\"c\"}]}}";

static const char patch_text[] =
    "{\"metadata\":{\"labels\":{\"a/*\":null}},\"spec\":{\"l\":[\"r\"],\"parts\":[{"
    "\"name\":\"a\",\"size\":2},{\"name\":\"c\"},{\"name\":\"b\",\"$patch\":\"delete\"}]}"
    "}";

/* What the steps are given. */
struct given {
    json_t *object, *spec, *overlay, *patch, *operations, *extractors, *annotations;
};

struct step {
    const char *name;
    bool (*run)(const struct given *given, struct fx_arena *arena, json_t **root,
                struct fx_err *err);
};

static bool run_json_patch(const struct given *given, struct fx_arena *arena,
                           json_t **root, struct fx_err *err) {
    const struct fx_jmespath_scope scope = jmespath_scope_of(given->object);
    const struct kyverno_template_compile with = {
        .document = given->operations, .arena = arena, .err = err};
    struct kyverno_json_patch *patch =
        fx_kyverno_json_patch_compile(&with, given->operations, NULL);
    const bool ok = patch != NULL &&
                    fx_kyverno_json_patch_apply(patch, NULL, &scope, arena, root, err);
    fx_kyverno_json_patch_finish(patch);
    return ok;
}

static bool run_overlay(const struct given *given, struct fx_arena *arena, json_t **root,
                        struct fx_err *err) {
    return fx_kyverno_overlay_apply(given->overlay, root, arena, err);
}

static bool run_lists(const struct given *given, struct fx_arena *arena, json_t **root,
                      struct fx_err *err) {
    static const struct fx_schema none = {NULL, 0};
    struct kyverno_merge_options *options = NULL;
    json_t *patch = json_incref(given->patch);
    const bool ok =
        fx_kyverno_merge_options_compile(given->annotations, arena, &options, err) &&
        fx_kyverno_merge_options_apply(options, &patch, *root, err) &&
        fx_strategic_merge(none, root, patch, NULL, err);
    json_decref(patch);
    return ok;
}

static bool run_images(const struct given *given, struct fx_arena *arena, json_t **root,
                       struct fx_err *err) {
    struct kyverno_extractors *extractors = NULL;
    json_t *images = NULL;
    const bool ok =
        fx_kyverno_extractors_compile(given->extractors, arena, &extractors, err) &&
        fx_kyverno_images(given->object, extractors, &images, err);
    fx_kyverno_extractors_finish(extractors);
    if (ok) {
        json_decref(*root);
        *root = images;
    }
    return ok;
}

static bool run_autogen(const struct given *given, struct fx_arena *arena, json_t **root,
                        struct fx_err *err) {
    (void)arena;
    json_t *rules = NULL;
    const bool ok = fx_kyverno_autogen(given->spec, given->annotations, &rules, err);
    if (ok) {
        assert_int_equal(json_array_size(rules), 2);
        json_decref(*root);
        *root = rules;
    }
    return ok;
}

static const struct step steps[] = {
    {"JSON patch", run_json_patch}, {"overlay", run_overlay}, {"lists", run_lists},
    {"images", run_images},         {"autogen", run_autogen},
};

/* False without memory. The result is always the same: what a message would have said
 * that nobody reads may be lost. */
static bool act(const struct step *step, const struct given *given, json_t **result) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    json_t *root = json_incref(given->object);
    fx_arena_init(&arena, ARENA_BYTES);
    const bool ok = step->run(given, &arena, &root, &err);
    if (!ok && err.code != FX_ENOMEM) {
        fail_msg("%s: %s", step->name, err.msg);
    }
    assert_true(!ok || root != given->object);
    if (ok && *result == NULL) {
        *result = json_incref(root);
    }
    assert_true(!ok || fx_equal(root, *result));
    json_decref(root);
    fx_arena_finish(&arena);
    return ok;
}

static void refuse_each(const struct step *step, const struct given *given,
                        bool ever_after) {
    json_t *result = NULL;
    assert_true(act(step, given, &result)); /* what is allocated once, is */
    long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const bool ok = act(step, given, &result);
        refused = refuse_stop();
        assert_true(ok || refused);
        assert_true(refuse_lost_nothing(&live, false));
    }
    assert_true(n > 5); /* it was tried at all */
    json_decref(result);
}

static json_t *read_text(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(node);
    return node;
}

static void test_steps(void **state) {
    (void)state;
    struct given given = {
        .object = read_text(object_text),
        .spec = read_text(spec_text),
        .overlay = read_text(tree_text),
        .patch = read_text(patch_text),
        .operations =
            json_string("- {op: add, path: /spec/new/2/x, value: {{ spec.l }}}\n"
                        "- {op: copy, from: /spec/parts/0, path: /spec/l/-}\n"
                        "- {op: replace, path: /kind, value: '{{ kind }}s'}"),
        .extractors = read_text(
            "{\"Widget\":[{\"path\":\"/spec/image\",\"jmesPath\":\"trim_prefix(@, "
            "'oci:')\"}]}"),
        .annotations = read_text(
            "{\"policies.fixpoint.dev/"
            "autogen-json-patches\":\"true\",\"policies.fixpoint."
            "dev/wildcard-keys\":\"true\",\"policies.fixpoint.dev/lists\":\"{spec.parts: "
            "[name], spec.l: append}\"}"),
    };
    json_t *before = json_deep_copy(given.object);
    for (size_t i = 0; i < FX_COUNT(steps); i++) {
        refuse_each(&steps[i], &given, false);
        refuse_each(&steps[i], &given, true);
        assert_true(fx_equal(given.object, before));
    }
    json_decref(before);
    json_decref(given.object);
    json_decref(given.spec);
    json_decref(given.overlay);
    json_decref(given.patch);
    json_decref(given.operations);
    json_decref(given.extractors);
    json_decref(given.annotations);
}

int main(void) {
    refuse_install();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
