/* SPDX-License-Identifier: Apache-2.0
 *
 * kubemod_modrules.c - kubemod/modrules.jsonl: applies ModRules to an object. The result
 * is an object, a rejection, or the fault of a rule. If a case has a result that KubeMod
 * intended (`intended`), that one is expected.
 */
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "base/limits.h"
#include "base/vec.h"
#include "engine/dialect.h"
#include "kinds.h"
#include "skips.h"
#include "value/tree.h"

/* The rules of a case. */
struct rules {
    struct fx_mutator **items; /* counted */
    size_t n_items, cap_items;
};

static void finish(struct rules *rules) {
    for (size_t i = 0; i < rules->n_items; i++) {
        fx_mutator_unref(rules->items[i]);
    }
    free(rules->items);
}

static const struct fx_dialect *find_dialect(void) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        if (strcmp(fx_dialects[i]->name, "kubemod") == 0) {
            return fx_dialects[i];
        }
    }
    abort();
}

static bool add_rule(struct rules *rules, json_t *source, struct fx_err *err) {
    struct fx_compilation compilation = {0};
    bool ok = find_dialect()->compile(source, &compilation, err);
    for (size_t i = 0; ok && i < compilation.n_mutators; i++) {
        ok = FX_VEC_GROW(rules->items, rules->n_items, rules->cap_items);
        if (ok) {
            rules->items[rules->n_items++] = fx_mutator_ref(compilation.mutators[i]);
        }
    }
    fx_compilation_finish(&compilation);
    return ok;
}

static bool add_rules(struct rules *rules, const json_t *row, struct fx_err *err) {
    size_t index = 0;
    json_t *source = NULL;
    json_array_foreach (fx_tree_view_key(row, "modrules"), index, source) {
        if (!add_rule(rules, source, err)) {
            return false;
        }
    }
    return true;
}

/* ---- the faults of a rule --------------------------------------------------------- */

/* Returns the length of our part of a message, which ends where the message of a Go
 * library begins. */
static size_t end_of_ours(struct fx_text words) {
    static const char *const theirs[] = {
        "error parsing regexp: ", "parsing error: ",           "template: ",
        ": error unmarshaling",   "[]v1beta1.PatchOperation{",
    };
    size_t end = words.len;
    for (size_t i = 0; i < FX_COUNT(theirs); i++) {
        const char *at = strstr(words.data, theirs[i]);
        if (at != NULL && (size_t)(at - words.data) < end) {
            end = (size_t)(at - words.data);
        }
    }
    return end;
}

/* True for a message that only KubeMod's store gives, or KubeMod while it reads the rule.
 * Here all faults have the same form. */
static bool tells_in_own_words(struct fx_text words) {
    return !fx_text_starts(words, FX_TEXT("ModRule.api.kubemod.io \""));
}

static void compare_invalid(const json_t *expect, const struct fx_err *err,
                            struct fx_case_result *result) {
    const struct fx_text words = fx_tree_text(expect);
    const struct fx_text got = fx_text_of(err->msg);
    if (tells_in_own_words(words)) {
        const bool has_field = !fx_text_starts(words, FX_TEXT("spec."));
        fx_case_expect_part(result, "invalid",
                            has_field ? FX_TEXT("\" is invalid: spec.") : words, got);
        return;
    }
    const size_t n = end_of_ours(words);
    fx_case_expect_text(
        result, "invalid", (struct fx_text){words.data, n},
        (struct fx_text){got.data, n == words.len || got.len < n ? got.len : n});
}

/* ---- the result for the object ---------------------------------------------------- */

struct outcome {
    bool ok;
    struct fx_err err;
    json_t *object;   /* counted */
    bool matched;     /* some rule matched */
    bool parts_agree; /* a part of the object gives the same result; if not, */
    struct fx_err part_err;
    json_t *rejections;
    char *message;
};

static bool has_matched(const struct fx_trace *trace) {
    bool matched = false;
    for (size_t i = 0; i < trace->n_steps; i++) {
        matched = matched || trace->steps[i].verdict.matched;
    }
    return matched;
}

static void keep(const struct fx_mutation *mutation, struct outcome *ret) {
    ret->object = json_incref(mutation->result);
    ret->rejections = json_array();
    ret->message = fx_text_dup(mutation->outcome.denial);
    for (size_t i = 0; i < mutation->outcome.n_violations; i++) {
        json_t *entry = fx_tree_new_string(mutation->outcome.violations[i].entry);
        (void)json_array_append_new(ret->rejections, entry);
    }
}

static json_t *object_at(json_t *row, const char *key) {
    json_t *object = fx_tree_view_key(row, key);
    return json_is_object(object) ? object : NULL;
}

static void put_node(struct fx_inputs *inputs, json_t *node) {
    const struct fx_input_key key = fx_input_core_key(
        "Node", fx_tree_view_string(fx_tree_view_key(node, "metadata"), "name"));
    if (node != NULL && !fx_inputs_put(inputs, &key, node)) {
        abort();
    }
}

static void mutate(json_t *row, const struct fx_snapshot *snapshot, struct outcome *ret) {
    struct fx_arena arena;
    struct fx_trace trace;
    struct fx_inputs inputs;
    const enum fx_operation operation =
        fx_operation_parse(fx_tree_view_string(row, "operation"));
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&trace, &arena);
    fx_inputs_init(&inputs, NULL, 0);
    put_node(&inputs, object_at(row, "nodeObject"));
    struct fx_mutation mutation = {
        .snapshot = snapshot,
        .request =
            {
                .operation = operation,
                .source = FX_SOURCE_ORIGINAL,
                .namespace_ = fx_tree_view_string(row, "namespace"),
                .namespace_object = object_at(row, "namespaceObject"),
                .only_validators = operation == FX_OPERATION_DELETE,
            },
        .object = fx_tree_view_key(row, "object"),
        .inputs = &inputs,
        .arena = &arena,
        .trace = &trace,
    };
    ret->ok =
        fx_mutation_begin(&mutation, &ret->err) && fx_mutation_end(&mutation, &ret->err);
    ret->matched = has_matched(&trace);
    keep(&mutation, ret);
    if (ret->ok || ret->err.code == FX_EDENIED) {
        ret->parts_agree = fx_case_part_agrees(&mutation, &ret->part_err);
    }
    fx_mutation_finish(&mutation);
    fx_trace_finish(&trace);
    fx_inputs_finish(&inputs);
    fx_arena_finish(&arena);
}

static void compare_rejection(const json_t *expect, const struct outcome *outcome,
                              struct fx_case_result *result) {
    const json_t *words = fx_tree_view_key(expect, "message");
    const json_t *rejections = fx_tree_view_key(expect, "rejections");
    if (outcome->ok || outcome->err.code != FX_EDENIED) {
        fx_case_fail(result, "rejected", "true",
                     outcome->ok ? "false" : outcome->err.msg);
        return;
    }
    if (words != NULL) {
        fx_case_expect_text(result, "message", fx_tree_text(words),
                            fx_text_of(outcome->message));
    }
    if (rejections != NULL) {
        fx_case_expect_json(result, "rejections", rejections, outcome->rejections);
    }
}

static void compare(const json_t *row, const struct outcome *outcome,
                    struct fx_case_result *result) {
    const json_t *intended = fx_tree_view_key(row, "intended");
    const json_t *expect = intended != NULL ? intended : fx_tree_view_key(row, "expect");
    const json_t *match = fx_tree_view_key(expect, "match");
    if (!outcome->parts_agree) {
        fx_case_fail(result, "part", "the patch of the whole", outcome->part_err.msg);
    } else if (match != NULL) {
        fx_case_expect_bool(result, "match", json_is_true(match), outcome->matched);
    } else if (json_is_true(fx_tree_view_key(expect, "rejected"))) {
        compare_rejection(expect, outcome, result);
    } else if (!outcome->ok) {
        fx_case_fail(result, "object", "one", outcome->err.msg);
    } else {
        fx_case_expect_json(result, "object", fx_tree_view_key(expect, "object"),
                            outcome->object);
    }
}

static void run(json_t *row, const struct rules *rules, struct fx_case_result *result) {
    const struct fx_snapshot_parts parts = {
        .mutators = rules->items,
        .n_mutators = rules->n_items,
    };
    struct fx_snapshot *snapshot = NULL;
    struct outcome outcome = {
        .err = FX_ERR_INIT,
        .parts_agree = true,
        .part_err = FX_ERR_INIT,
    };
    if (!fx_snapshot_build(&parts, 1, &snapshot, &outcome.err)) {
        fx_case_fail(result, "snapshot", "one", outcome.err.msg);
        return;
    }
    mutate(row, snapshot, &outcome);
    compare(row, &outcome, result);
    json_decref(outcome.object);
    json_decref(outcome.rejections);
    free(outcome.message);
    fx_snapshot_unref(snapshot);
}

void fx_case_modrules(json_t *row, struct fx_case_result *result) {
    const json_t *invalid = fx_tree_view_key(fx_tree_view_key(row, "expect"), "invalid");
    struct rules rules = {0};
    struct fx_err err = FX_ERR_INIT;
    result->skipped = fx_case_kubemod_skip_reason(row);
    if (result->skipped != NULL) {
        return;
    }
    if (!add_rules(&rules, row, &err)) {
        if (invalid != NULL) {
            compare_invalid(invalid, &err, result);
        } else {
            fx_case_fail(result, "rules", "valid ones", err.msg);
        }
    } else if (invalid != NULL) {
        fx_case_fail(result, "invalid", json_string_value(invalid), "a valid rule");
    } else {
        run(row, &rules, result);
    }
    finish(&rules);
}
