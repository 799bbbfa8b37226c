/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/loop_fuzz.c - random policies on random objects. The loop ends. A loop that
 * skips steps has the result of a plain loop. A second loop does not change the result.
 * The patch changes the object to the result.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "engine/converge.h"
#include "policy/loop_draw.h"
#include "policy/policies.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_POLICIES 8

/* One evaluation and its result. */
struct case_run {
    struct fx_arena arena;
    struct fx_outcome outcome;
    struct fx_err err;
    json_t *root;
    bool ok;
};

static void case_run(struct case_run *run, const struct fx_snapshot *snapshot,
                     json_t *object, json_t *space, bool plain) {
    const struct fx_request request = {
        .operation = FX_OPERATION_CREATE,
        .source = FX_SOURCE_ORIGINAL,
        .namespace_object = space,
        .collects_stats = true,
        .plain = plain,
        .mutation_id = "00000000-0000-0000-0000-000000000000",
    };
    *run = (struct case_run){.err = FX_ERR_INIT, .root = json_incref(object)};
    fx_arena_init(&run->arena, FX_LIMIT_ARENA_BYTES);
    run->ok = fx_converge(snapshot, &request, &run->arena, NULL, &run->root,
                          &run->outcome, &run->err);
}

static void case_finish(struct case_run *run) {
    fx_outcome_finish(&run->outcome);
    json_decref(run->root);
    fx_arena_finish(&run->arena);
}

static void check_same_stats(const struct fx_outcome *a, const struct fx_outcome *b) {
    assert(a->n_stats == b->n_stats);
    for (size_t i = 0; i < a->n_stats; i++) {
        const struct fx_mutator_stats *one = &a->stats[i];
        const struct fx_mutator_stats *other = &b->stats[i];
        assert(one->mutator == other->mutator && one->matched == other->matched);
        assert(one->applied == other->applied && one->changed == other->changed);
        assert(one->failed == other->failed);
    }
}

static void check_same(const struct case_run *a, const struct case_run *b) {
    assert(a->ok == b->ok && a->outcome.iterations == b->outcome.iterations);
    assert(a->outcome.failed == b->outcome.failed);
    check_same_stats(&a->outcome, &b->outcome);
    if (!a->ok) {
        assert(a->err.code == b->err.code && strcmp(a->err.msg, b->err.msg) == 0);
        assert(a->outcome.n_cycle == b->outcome.n_cycle);
        return;
    }
    assert(fx_equal(a->root, b->root) && a->outcome.mutated == b->outcome.mutated);
    assert(a->outcome.n_applied == b->outcome.n_applied);
    for (size_t i = 0; i < a->outcome.n_applied; i++) {
        assert(a->outcome.applied[i] == b->outcome.applied[i]);
    }
}

static void check_patch(struct case_run *run, json_t *object) {
    struct fx_patch patch;
    struct fx_err err = FX_ERR_INIT;
    json_t *patched = json_incref(object);
    fx_patch_init(&patch, &run->arena);
    const bool made = fx_patch_diff(&patch, object, run->root, &err);
    const bool applied = fx_patch_apply(&patch, &patched, &err);
    assert(made && applied && fx_equal(patched, run->root));
    assert((patch.n_ops > 0) == run->outcome.mutated);
    json_decref(patched);
}

static void check(const struct fx_snapshot *snapshot, json_t *object, json_t *space) {
    struct case_run first;
    struct case_run plain;
    struct case_run again;
    json_t *before = fx_tree_deep_copy(object);
    assert(before != NULL);
    case_run(&first, snapshot, object, space, false);
    case_run(&plain, snapshot, object, space, true);
    assert(first.ok || first.err.code == FX_EMUTATE || first.err.code == FX_ENOCONVERGE);
    check_same(&first, &plain);
    assert(fx_equal(object, before)); /* who shares it sees nothing */
    if (first.ok) {
        check_patch(&first, object);
        case_run(&again, snapshot, first.root, space, false);
        assert(again.ok && !again.outcome.mutated && fx_equal(again.root, first.root));
        case_finish(&again);
    }
    case_finish(&first);
    case_finish(&plain);
    json_decref(before);
}

/* Reads what was drawn, and makes room for the next. */
static json_t *take(struct fx_buf *text) {
    struct fx_err err = FX_ERR_INIT;
    assert(!text->failed);
    json_t *value = fx_json_read(fx_buf_view(text), NULL, &err);
    assert(value != NULL);
    fx_buf_reset(text);
    return value;
}

static json_t *draw_space(struct draw *draw) {
    if (draw_rarely(draw)) {
        return NULL;
    }
    fx_buf_printf(draw->out,
                  "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{%s}}",
                  DRAW(draw, "\"name\":\"one\",\"labels\":{\"stage\":\"test\"}",
                       "\"name\":\"two\""));
    return take(draw->out);
}

/* Some policies, as objects of a cluster. */
static struct fx_policies *draw_policies(struct draw *draw) {
    struct fx_policy_input inputs[MOST_POLICIES];
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    const size_t n = 1 + draw_below(draw, MOST_POLICIES);
    for (size_t i = 0; i < n; i++) {
        draw_policy(draw, (unsigned)i);
        json_t *policy = take(draw->out);
        inputs[i] = (struct fx_policy_input){.file = "policy",
                                             .object = fx_policy_text_create(policy)};
        assert(inputs[i].object != NULL);
        json_decref(policy);
    }
    const bool built = fx_policies_build(inputs, n, NULL, 1, &policies, &err);
    assert(built);
    for (size_t i = 0; i < n; i++) {
        fx_policy_text_unref(inputs[i].object);
    }
    return policies;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_buf text;
    struct draw draw = {.bytes = data, .left = size, .out = &text};
    fx_buf_init(&text, 0);
    json_t *space = draw_space(&draw);
    struct fx_policies *policies = draw_policies(&draw);
    for (size_t n = 1 + draw_below(&draw, 4); n > 0; n--) {
        draw_object(&draw);
        json_t *object = take(&text);
        check(policies->snapshot, object, space);
        json_decref(object);
    }
    fx_policies_unref(policies);
    json_decref(space);
    fx_buf_finish(&text);
    return 0;
}
