/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/mutation_oom_test.c - what a MutatingAdmissionPolicy does to an object, and
 * the sets of schemas, with every allocation refused in turn: each failure is reported as
 * no memory, nothing is leaked, and the object is as before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "mutators/admission_policy/testing.h"
#include "refuse.h"
#include "value/equal.h"
#include "value/json.h"

#define CORPUS   FX_SOURCE_DIR "/tests/fuzz/corpora/merge_openapi_fuzz/"
#define RUNS_MAX 100000 /* no run needs that many allocations */

static const char service[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"s\","
    "\"finalizers\":[\"a\",\"b\"]},\"spec\":{\"ports\":[{\"port\":1},{\"port\":2,"
    "\"targetPort\":\"x\"},{\"port\":3,\"protocol\":\"UDP\"}]}}";

static const char *const expressions[] = {
    "Object{metadata: Object.metadata{labels: {\"a\": \"b\"}, finalizers: [\"c\", "
    "\"a\"]}}",
    "Object{spec: Object.spec{ports: [Object.spec.ports{port: 4, targetPort: 5.0}, "
    "Object.spec.ports{port: 2, protocol: \"TCP\", name: \"n\"}]}}",
    "Object{metadata: Object.metadata{finalizers: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "
    "12, 13, 14, 15, 16, 17].map(i, string(i))}}",
    "Object{spec: Object.spec{nope: 5u, ports: [Object.spec.ports{port: \"x\"}], "
    "externalIPs: b'x'}}",
    "Object{spec: Object.spec{ports: [{\"port\": 1}, {\"port\": 1}]}}",
    "Object{spec: Object.spec{selector: {\"a\": \"b\"}, externalIPs: [\"x\"]}}",
    "Object{spec: Object.spec{ports: [Object.spec.ports{port: 1.5}]}}",
    "Object{spec: Object.spek{ports: [Object.x{}]}}",
    "[JSONPatch{op: \"add\", path: \"/spec/ports/0/targetPort\", value: \"y\"}, "
    "JSONPatch{op: \"copy\", from: \"/spec/ports/1\", path: \"/spec/ports/-\"}, "
    "JSONPatch{op: \"replace\", path: \"/metadata/name\", value: \"t\"}, "
    "JSONPatch{op: \"move\", from: \"/spec/ports/0\", path: \"/spec/ports/1\"}, "
    "JSONPatch{op: \"remove\", path: \"/metadata/finalizers/-1\"}]",
    "[JSONPatch{op: \"add\", path: \"/metadata/annotations\", value: {\"a\": dyn(b'b'), "
    "\"c\": dyn(string(1)), \"d\": dyn(Object.x{e: [1, 2]})}}]",
    "[JSONPatch{op: \"add\", path: \"/spec/nope\", value: object.spec}]",
    "[JSONPatch{op: \"add\", path: \"/spec/ports/x\", value: 9007199254740993}]",
    "[JSONPatch{op: \"test\", path: \"/spec/ports\", value: [dyn(1u), "
    "dyn(timestamp(0))]}]",
    "[JSONPatch{op: \"replace\", path: \"/kind\", value: \"Nope\"}]",
};

/* The value of the expression, in the arena and in the program. */
static struct fx_cel_value evaluate(const char *expression, json_t *object,
                                    struct fx_arena *arena,
                                    struct fx_cel_program **ret_program) {
    static const struct fx_cel_variable variables[] = {{"object", &fx_cel_dyn}};
    static const struct fx_cel_env env = {.variables = variables,
                                          .n_variables = 1,
                                          .libraries = fx_cel_mutation_libraries,
                                          .has_objects = true};
    struct fx_err err = FX_ERR_INIT;
    struct fx_cel_value node = fx_cel_make_node(object);
    struct fx_cel_run run = {
        .arena = arena, .variables = &node, .cost_limit = FX_CEL_COST_LIMIT};
    struct fx_cel_faults faults = {.arena = arena};
    enum fx_cel_stage stage = FX_CEL_STAGE_PARSE;
    if (!fx_cel_compile(&env, fx_text_of(expression), NULL, ret_program, &faults, &stage,
                        &err)) {
        fail_msg("%s: %s", expression, err.msg);
    }
    const struct fx_cel_value value = fx_cel_eval(*ret_program, &run, &err);
    assert_false(fx_cel_is_error(value));
    return value;
}

/* Applies the value once. FX_OK, or the code of the failure. */
static enum fx_code apply(struct fx_cel_value value, json_t *object) {
    struct mutation_test test;
    struct fx_map_target target;
    struct fx_arena arena;
    json_t *root = json_incref(object);
    mutation_test_init(&test);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    assert_true(test_find_target(&test, object, NULL, &target));
    struct fx_map_change change;
    json_t *tree = NULL;
    bool ok = false;
    if (value.kind == FX_CEL_LIST) {
        ok = fx_map_patch(value, &target, &root, &arena, &test.refusal, &change,
                          &test.err);
    } else {
        tree = fx_map_configuration_read(value, &test.refusal, &test.err);
        ok =
            tree != NULL && fx_map_configuration_merge(tree, &target, &root, &arena,
                                                       &test.refusal, &change, &test.err);
    }
    json_decref(tree);
    const enum fx_code code = ok ? FX_OK : test.err.code;
    assert_true(ok || root == object);
    json_decref(root);
    fx_arena_finish(&arena);
    mutation_test_finish(&test);
    return code;
}

static void refuse_mutation(struct fx_cel_value value, json_t *object, bool ever_after) {
    const enum fx_code expected = apply(value, object);
    json_t *before = json_deep_copy(object);
    long live = refuse_live();
    bool refused = true;
    long n = 0;
    assert_true(expected == FX_OK || expected == FX_EMUTATE);
    for (; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const enum fx_code code = apply(value, object);
        refused = refuse_stop();
        assert_true(code == expected || (refused && code == FX_ENOMEM));
        assert_true(refuse_lost_nothing(&live, false));
        assert_true(fx_equal(before, object));
    }
    assert_true(n > 2); /* it was tried at all */
    json_decref(before);
}

static void test_mutations(void **state) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    for (size_t i = 0; i < FX_COUNT(expressions); i++) {
        struct fx_cel_program *program = NULL;
        json_t *object = fx_json_read(fx_text_of(service), NULL, &err);
        const struct fx_cel_value value =
            evaluate(expressions[i], object, &arena, &program);
        refuse_mutation(value, object, false);
        refuse_mutation(value, object, true);
        fx_cel_destroy(program);
        json_decref(object);
    }
    fx_arena_finish(&arena);
    (void)state;
}

/* ---- schemas ------------------------------------------------------------------------
 */

typedef bool add_document(struct fx_schema_builder *builder, const json_t *document,
                          struct fx_err *err);

/* Adds the document to an empty set. */
static bool add_once(add_document *add, const json_t *document) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_schema_builder *builder = fx_schema_builder_create();
    const bool ok = builder != NULL && add(builder, document, &err);
    assert_true(ok || builder == NULL || err.code == FX_ENOMEM);
    if (builder != NULL && !ok) {
        assert_int_equal(fx_schema_builder_set(builder)->n_kinds, 0);
    }
    fx_schema_builder_destroy(builder);
    return ok;
}

static void refuse_document(add_document *add, const char *name, bool ever_after) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    assert_true(fx_file_read(name, 1u << 20, &text, &err));
    json_t *document = fx_json_read(fx_buf_view(&text), NULL, &err);
    assert_true(add_once(add, document));
    long live = refuse_live();
    bool refused = true;
    long n = 0;
    for (; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const bool ok = add_once(add, document);
        refused = refuse_stop();
        assert_int_equal(ok, !refused);
        assert_true(refuse_lost_nothing(&live, false));
    }
    assert_true(n > 10); /* it was tried at all */
    json_decref(document);
    fx_buf_finish(&text);
}

static void test_schemas(void **state) {
    refuse_document(fx_schema_add_openapi, CORPUS "document", false);
    refuse_document(fx_schema_add_openapi, CORPUS "document", true);
    refuse_document(fx_schema_add_openapi, CORPUS "override", false);
    refuse_document(fx_schema_add_crd, CORPUS "crd", false);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_schemas),
    };
    refuse_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
