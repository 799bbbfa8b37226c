/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_diff.c - the operations that turn one tree into another.
 *
 * Objects are compared key by key. Lists are aligned first (patch_align.h): an element
 * that stayed costs nothing, one that changed where it stands is compared in turn, the
 * others are inserted, removed or replaced.
 */
#include <string.h>

#include "base/limits.h"
#include "value/equal.h"
#include "value/json_part.h"
#include "value/node.h"
#include "value/patch.h"
#include "value/patch_align.h"
#include "value/patch_internal.h"
#include "value/pointer.h"
#include "value/tree.h"

struct differ {
    struct fx_patch *patch;
    struct fx_buf path; /* of the values now compared */
    struct fx_align align;
    bool failed;
};

/* Two lists with a place in each, and where in the list as patched so far that is. */
struct lists {
    struct fx_align_side before, after;
    size_t index;
    size_t n_moves; /* elements put in or taken out with others behind them */
};

static void diff_values(struct differ *d, json_t *before, json_t *after);

/* Appends an operation on the value at the path. */
static void emit(struct differ *d, enum fx_patch_op_kind kind, json_t *old,
                 json_t *value) {
    const struct fx_text path = {d->path.data, d->path.len};
    const char *copy = d->path.failed ? NULL : fx_arena_copy(d->patch->arena, path);
    struct fx_patch_op *op = copy == NULL ? NULL : fx_patch_append(d->patch);
    if (op == NULL) {
        d->failed = true;
        return;
    }
    *op = (struct fx_patch_op){
        .kind = kind,
        .path = {copy, path.len},
        .value = value,
        .old = old,
    };
}

static void leave_path(struct differ *d, size_t length) {
    d->path.len = length;
}

/* The same on its child. */
static void emit_key(struct differ *d, struct fx_text key, enum fx_patch_op_kind kind,
                     json_t *old, json_t *value) {
    const size_t length = d->path.len;
    fx_pointer_push(&d->path, key);
    emit(d, kind, old, value);
    leave_path(d, length);
}

static void emit_index(struct differ *d, size_t index, enum fx_patch_op_kind kind,
                       json_t *old, json_t *value) {
    const size_t length = d->path.len;
    fx_pointer_push_index(&d->path, index);
    emit(d, kind, old, value);
    leave_path(d, length);
}

static void diff_member(struct differ *d, struct fx_text key, json_t *before,
                        json_t *after) {
    const size_t length = d->path.len;
    if (before == after) {
        return;
    }
    fx_pointer_push(&d->path, key);
    diff_values(d, before, after);
    leave_path(d, length);
}

/* Members that only `after` has. */
static void add_members(struct differ *d, json_t *before, json_t *after) {
    void *beside = fx_node_first(before);
    for (void *iter = fx_node_first(after); iter != NULL && !d->failed;
         iter = fx_node_next(after, iter)) {
        const struct fx_text key = fx_node_key(iter);
        if (fx_node_beside(before, &beside, key) == NULL) {
            emit_key(d, key, FX_PATCH_ADD, NULL, json_object_iter_value(iter));
        }
    }
}

static void diff_objects(struct differ *d, json_t *before, json_t *after) {
    void *iter = fx_node_first(before);
    void *beside = fx_node_first(after);
    size_t n_both = 0;
    for (; iter != NULL && !d->failed; iter = fx_node_next(before, iter)) {
        const struct fx_text key = fx_node_key(iter);
        json_t *old = json_object_iter_value(iter);
        json_t *value = fx_node_beside(after, &beside, key);
        if (value == NULL) {
            emit_key(d, key, FX_PATCH_REMOVE, old, NULL);
        } else {
            diff_member(d, key, old, value);
            n_both++;
        }
    }
    if (n_both < json_object_size(after)) {
        add_members(d, before, after);
    }
}

static void diff_element(struct differ *d, size_t index, json_t *before, json_t *after) {
    const size_t length = d->path.len;
    fx_pointer_push_index(&d->path, index);
    diff_values(d, before, after);
    leave_path(d, length);
}

/* One step of an alignment. Invariant: the list as patched so far begins with
 * after[0 .. after.at), its length is `index`, and before[before.at ..) follows. */
static void take_step(struct differ *d, struct lists *lists, enum fx_align_step step) {
    json_t *old = json_array_get(lists->before.array, lists->before.at);
    json_t *value = json_array_get(lists->after.array, lists->after.at);
    switch (step) {
    case FX_ALIGN_KEEP: break;
    case FX_ALIGN_EDIT: diff_element(d, lists->index, old, value); break;
    case FX_ALIGN_REPLACE:
        emit_index(d, lists->index, FX_PATCH_REPLACE, old, value);
        break;
    case FX_ALIGN_REMOVE: emit_index(d, lists->index, FX_PATCH_REMOVE, old, NULL); break;
    case FX_ALIGN_ADD: emit_index(d, lists->index, FX_PATCH_ADD, NULL, value); break;
    }
    lists->before.at += step != FX_ALIGN_ADD;
    lists->after.at += step != FX_ALIGN_REMOVE;
    lists->index += step != FX_ALIGN_REMOVE;
    const bool has_more = lists->before.at < json_array_size(lists->before.array);
    lists->n_moves += has_more && (step == FX_ALIGN_ADD || step == FX_ALIGN_REMOVE);
}

static bool is_under_way(const struct differ *d, const struct lists *lists) {
    return !d->failed && lists->n_moves <= FX_LIMIT_PATCH_MOVES &&
           (lists->before.at < lists->before.end || lists->after.at < lists->after.end);
}

static void diff_arrays(struct differ *d, json_t *before, json_t *after) {
    struct lists lists = {
        .before = {.array = before, .end = json_array_size(before)},
        .after = {.array = after, .end = json_array_size(after)},
    };
    const size_t n_ops = d->patch->n_ops;
    fx_align_trim(&lists.before, &lists.after);
    lists.index = lists.after.at;
    while (is_under_way(d, &lists)) {
        struct fx_align_steps steps;
        fx_align_next(&d->align, &lists.before, &lists.after, &steps);
        for (size_t i = 0; i < steps.n_steps && !d->failed; i++) {
            take_step(d, &lists, (enum fx_align_step)steps.steps[i]);
        }
    }
    if (!d->failed && lists.n_moves > FX_LIMIT_PATCH_MOVES) {
        d->patch->n_ops = n_ops;
        emit(d, FX_PATCH_REPLACE, before, after);
    }
}

static void diff_values(struct differ *d, json_t *before, json_t *after) {
    if (before == after) {
        return;
    }
    if (json_is_object(before) && json_is_object(after)) {
        diff_objects(d, before, after);
    } else if (json_is_array(before) && json_is_array(after)) {
        diff_arrays(d, before, after);
    } else if (!fx_equal(before, after)) {
        emit(d, FX_PATCH_REPLACE, before, after);
    }
}

/* Wherever two such objects differ, they differ in the member that says so. */
static bool op_is_whole(const struct fx_patch_op *op) {
    return memchr(op->path.data, FX_JSON_PARTIAL_KEY.data[0], op->path.len) == NULL &&
           fx_json_is_whole(op->value) && fx_json_is_whole(op->old);
}

bool fx_patch_is_whole(const struct fx_patch *patch) {
    size_t i = 0;
    while (i < patch->n_ops && op_is_whole(&patch->ops[i])) {
        i++;
    }
    return i == patch->n_ops;
}

bool fx_patch_diff(struct fx_patch *patch, json_t *before, json_t *after,
                   struct fx_err *err) {
    struct differ differ;
    differ.patch = patch;
    differ.failed = false;
    fx_buf_init(&differ.path, 0);
    fx_align_init(&differ.align);
    diff_values(&differ, before, after);
    const bool ok = !differ.failed && !differ.path.failed;
    fx_buf_finish(&differ.path);
    return ok || fx_fail_nomem(err);
}
