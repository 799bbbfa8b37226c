/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule_fuzz.c - a YAML stream: ModRules, and as its last document an
 * object. Either a reason, or rules under which the object comes to an end: the same one
 * each time, with nothing of what rules are shown besides it, and the object as it came
 * untouched. Defaults are set once, and the rule is as valid as before.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "engine/access.h"
#include "engine/converge.h"
#include "engine/dialect.h"
#include "engine/input.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"
#include "value/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct fx_dialect fx_dialect_kubemod;

#define MAX_BYTES 16384u
#define MAX_RULES 16u
#define MAX_FOUND 4096u

static void check_fault(const struct fx_compilation *made, const struct fx_err *err) {
    assert(err->code != FX_OK && err->msg[0] != '\0');
    for (size_t i = 0; i < made->n_faults; i++) {
        assert(made->faults[i].text[0] != '\0');
    }
}

/* As a text: json_deep_copy() would cut keys at a NUL. */
static struct fx_buf print(const json_t *value) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_json_write(&text, value, FX_JSON_COMPACT);
    assert(!text.failed);
    return text;
}

/* Is it what was printed before? That is freed. */
static bool is_still(const json_t *value, struct fx_buf *before) {
    struct fx_buf now = print(value);
    const bool is =
        now.len == before->len && memcmp(now.data, before->data, now.len) == 0;
    fx_buf_finish(&now);
    fx_buf_finish(before);
    return is;
}

static void check_defaults(json_t *document, bool is_sound) {
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf before = print(document);
    json_t *root = json_incref(document);
    assert(fx_dialect_kubemod.set_defaults(&root, &err));
    json_t *once = json_incref(root);
    assert(fx_dialect_kubemod.set_defaults(&root, &err) && root == once);
    assert(is_still(document, &before));
    if (is_sound) {
        assert(json_is_object(root) && fx_dialect_kubemod.compile(root, &made, &err));
    }
    fx_compilation_finish(&made);
    json_decref(once);
    json_decref(root);
}

/* Reads the stream: what compiles of it, and its last object. */
static json_t *read_all(struct fx_text text, struct fx_compilation *ret_made) {
    struct fx_yaml_reader *reader = fx_yaml_open(text);
    struct fx_err err = FX_ERR_INIT;
    json_t *last = NULL;
    json_t *document = NULL;
    assert(reader != NULL);
    while (ret_made->n_mutators < MAX_RULES &&
           fx_yaml_next(reader, NULL, &document, &err) && document != NULL) {
        struct fx_compilation made = {0};
        if (json_is_object(document) &&
            fx_dialect_kubemod.compile(document, &made, &err)) {
            assert(made.n_mutators == 1 && made.n_faults == 0);
            assert(fx_compilation_add_take(ret_made, fx_mutator_ref(made.mutators[0])));
        } else if (json_is_object(document)) {
            check_fault(&made, &err);
            assert(made.n_mutators == 0);
        }
        check_defaults(document, made.n_mutators > 0);
        fx_compilation_finish(&made);
        json_decref(last);
        last = document;
    }
    fx_yaml_close(reader);
    return last;
}

/* Each match that fails gives a reason of bounded length. */
static void check_trace(const struct fx_trace *trace) {
    for (size_t i = 0; i < trace->n_steps; i++) {
        const struct fx_trace_step *step = &trace->steps[i];
        assert(step->verdict.matched || step->failure != NULL ||
               (step->found.len > 0 && step->found.len < MAX_FOUND));
    }
}

/* Whatever the rule, an example of it is an object or none. */
static void check_rule(const struct fx_mutator *rule) {
    struct fx_err err = FX_ERR_INIT;
    if (fx_mutator_is_validator(rule)) {
        return;
    }
    bool may = false;
    assert(fx_access_may_write(rule, NULL, 0, &may, &err) && may);
    json_t *example = rule->ops->example(rule, &err);
    assert(err.code == FX_OK && (example == NULL || json_is_object(example)));
    json_decref(example);
}

static json_t *converge(const struct fx_snapshot *snapshot, json_t *object,
                        struct fx_trace *trace, enum fx_code *ret_code) {
    const struct fx_input_key node = fx_input_core_key("Node", (struct fx_text){0});
    struct fx_inputs inputs;
    fx_inputs_init(&inputs, NULL, 0);
    const bool put = fx_inputs_put(&inputs, &node, object);
    assert(put);
    const struct fx_request request = {
        .operation = FX_OPERATION_CREATE,
        .namespace_object = object,
        .inputs = &inputs,
    };
    struct fx_arena arena;
    struct fx_outcome outcome;
    struct fx_err err = FX_ERR_INIT;
    json_t *root = json_incref(object);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    const bool ok = fx_converge(snapshot, &request, &arena, trace, &root, &outcome, &err);
    assert(ok || err.code == FX_EDENIED || err.code == FX_ENOMEM);
    assert(ok == (outcome.n_violations == 0) || err.code == FX_ENOMEM);
    assert(outcome.iterations <= 2);
    *ret_code = ok ? FX_OK : err.code;
    fx_outcome_finish(&outcome);
    fx_inputs_finish(&inputs);
    fx_arena_finish(&arena);
    return root;
}

/* A second run has the same result, also with a trace. */
static void check(const struct fx_snapshot *snapshot, json_t *object) {
    struct fx_arena arena;
    struct fx_trace trace;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&trace, &arena);
    struct fx_buf before = print(object);
    enum fx_code first = FX_OK;
    enum fx_code second = FX_OK;
    json_t *root = converge(snapshot, object, NULL, &first);
    json_t *again = converge(snapshot, object, &trace, &second);
    assert(is_still(object, &before));
    assert(first == second && (first == FX_ENOMEM || fx_equal(root, again)));
    assert(first == FX_ENOMEM || fx_equal(fx_tree_view_key(root, "syntheticRefs"),
                                          fx_tree_view_key(object, "syntheticRefs")));
    check_trace(&trace);
    json_decref(root);
    json_decref(again);
    fx_trace_finish(&trace);
    fx_arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_compilation made = {0};
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (size > MAX_BYTES) {
        return 0;
    }
    json_t *object = read_all((struct fx_text){(const char *)data, size}, &made);
    const struct fx_snapshot_parts parts = {.mutators = made.mutators,
                                            .n_mutators = made.n_mutators};
    if (json_is_object(object) && fx_snapshot_build(&parts, 1, &snapshot, &err)) {
        check(snapshot, object);
    }
    for (size_t i = 0; i < made.n_mutators; i++) {
        check_rule(made.mutators[i]);
    }
    fx_snapshot_unref(snapshot);
    fx_compilation_finish(&made);
    json_decref(object);
    return 0;
}
