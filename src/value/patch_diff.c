/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_diff.c - the operations that turn one tree into another.
 *
 * Objects are compared key by key. Lists are aligned first (patch_align.c): an
 * unchanged element gives no operation, a changed element is compared, and the others are
 * inserted, removed or replaced.
 */
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "value/equal.h"
#include "value/json_part.h"
#include "value/patch.h"
#include "value/patch_internal.h"
#include "value/tree.h"

/* An object with at least so many new members may be replaced whole. */
#define MANY_MEMBERS 16u

/* The least number of bytes of an operation: {"op":"add","path":"/","value":}, */
#define OP_BYTES 32u

#define UNITS_OF_OP 4u

/* ---- paths ------------------------------------------------------------------------- */

/* One token of the pointer to the values that are compared; NULL stands for the root. The
 * tokens are a chain on the stack, which becomes a JSON Pointer (RFC 6901) only for an
 * operation. */
struct patch_path {
    const struct patch_path *parent;
    struct fx_text key; /* of a member; `data` is NULL for an element */
    size_t index;
    size_t length; /* length of the pointer that ends here */
};

static size_t path_length(const struct patch_path *path) {
    return path == NULL ? 0 : path->length;
}

static bool is_escaped(char c) {
    return c == '~' || c == '/';
}

/* Return the path of a member, and of an element. */
static struct patch_path path_of_key(const struct patch_path *parent,
                                     struct fx_text key) {
    size_t length = path_length(parent) + 1 + key.len;
    for (size_t i = 0; i < key.len; i++) {
        length += is_escaped(key.data[i]);
    }
    return (struct patch_path){.parent = parent, .key = key, .length = length};
}

static struct patch_path path_of_index(const struct patch_path *parent, size_t index) {
    size_t length = path_length(parent) + 2;
    for (size_t rest = index; rest > 9; rest /= 10) {
        length++;
    }
    return (struct patch_path){.parent = parent, .index = index, .length = length};
}

/* Both functions write the token so that it ends at `end`. */
static void put_key(char *end, struct fx_text key) {
    for (size_t i = key.len; i > 0; i--) {
        const char c = key.data[i - 1];
        if (is_escaped(c)) {
            *--end = c == '~' ? '0' : '1';
            *--end = '~';
        } else {
            *--end = c;
        }
    }
}

static void put_index(char *end, size_t index) {
    do {
        *--end = (char)('0' + index % 10);
        index /= 10;
    } while (index > 0);
}

/* Writes the whole token and the slash before it. */
static void put_token(char *pointer, const struct patch_path *path) {
    const size_t start = path_length(path->parent);
    char *const end = pointer + path->length;
    pointer[start] = '/';
    if (path->key.data == NULL) {
        put_index(end, path->index);
    } else if (path->length == start + 1 + path->key.len) { /* it has no escapes */
        memcpy(pointer + start + 1, path->key.data, path->key.len);
    } else {
        put_key(end, path->key);
    }
}

/* Writes the pointer into the arena, token by token from its end, with a NUL after it.
 * False without memory. */
static bool write_path(const struct patch_path *path, struct fx_arena *arena,
                       struct fx_text *ret_pointer) {
    const size_t length = path_length(path);
    char *pointer = fx_arena_alloc(arena, length + 1);
    if (pointer == NULL) {
        return false;
    }
    for (const struct patch_path *at = path; at != NULL; at = at->parent) {
        put_token(pointer, at);
    }
    *ret_pointer = (struct fx_text){pointer, length};
    return true;
}

/* ---- the comparison ---------------------------------------------------------------- */

struct differ {
    struct fx_patch *patch;
    struct fx_align align;
    bool is_brief; /* objects with very many new members are replaced whole */
    bool failed;
};

/* Two lists with a position in each, and the index of this position in the list as
 * patched so far. */
struct lists {
    struct fx_align_side before, after;
    size_t index;
    size_t n_moves; /* elements inserted or removed before the end of the list */
};

static void diff_values(struct differ *d, const struct patch_path *path, json_t *before,
                        json_t *after);

/* Appends an operation on the value at the path. */
static void add_op(struct differ *d, const struct patch_path *path,
                   enum fx_patch_op_kind kind, json_t *old, json_t *value) {
    struct fx_text pointer;
    struct fx_patch_op *op =
        fx_spend(UNITS_OF_OP) && write_path(path, d->patch->arena, &pointer)
            ? fx_patch_append(d->patch)
            : NULL;
    if (op == NULL) {
        d->failed = true;
        return;
    }
    *op = (struct fx_patch_op){
        .kind = kind,
        .path = pointer,
        .value = value,
        .old = old,
    };
}

/* Appends an operation on a member of the value at the path. */
static void emit_key(struct differ *d, const struct patch_path *path, struct fx_text key,
                     enum fx_patch_op_kind kind, json_t *old, json_t *value) {
    const struct patch_path below = path_of_key(path, key);
    add_op(d, &below, kind, old, value);
}

static void emit_index(struct differ *d, const struct patch_path *path, size_t index,
                       enum fx_patch_op_kind kind, json_t *old, json_t *value) {
    const struct patch_path below = path_of_index(path, index);
    add_op(d, &below, kind, old, value);
}

static void diff_member(struct differ *d, const struct patch_path *path,
                        struct fx_text key, json_t *before, json_t *after) {
    if (before != after) {
        const struct patch_path below = path_of_key(path, key);
        diff_values(d, &below, before, after);
    }
}

/* Adds up the bytes of the members when written, as if each byte of the values were
 * escaped. False if a value is not a string. */
static bool measure_strings(const json_t *object, size_t *ret_bytes) {
    size_t bytes = 0;
    for (void *iter = fx_node_first(object); iter != NULL;
         iter = fx_node_next(object, iter)) {
        const json_t *value = json_object_iter_value(iter);
        if (!json_is_string(value)) {
            return false;
        }
        bytes += sizeof "\"\":\"\"," - 1 + json_object_iter_key_len(iter) +
                 2 * json_string_length(value);
    }
    *ret_bytes = bytes;
    return true;
}

/* Is the object, which has very many new members, much shorter as a whole than the
 * operations that add its members? The object repeats the old members; the operations
 * repeat the path. Only strings may be repeated, because numbers would be rewritten, and
 * the mark of a partly decoded object is a number. */
static bool is_shorter_whole(const struct patch_path *path, const json_t *before,
                             const json_t *after) {
    const size_t n_before = json_object_size(before);
    const size_t n_after = json_object_size(after);
    size_t repeated = 0;
    size_t added = 0;
    if (n_after < n_before + MANY_MEMBERS || path == NULL ||
        !measure_strings(before, &repeated) || !measure_strings(after, &added)) {
        return false;
    }
    return repeated < (n_after - n_before) * (OP_BYTES + path->length) / 2;
}

/* Adds the members that only `after` has, from the iterator on. `before` is NULL if none
 * of them is in it. */
static void add_members(struct differ *d, const struct patch_path *path,
                        const json_t *before, json_t *after, void *iter) {
    for (; iter != NULL && !d->failed; iter = fx_node_next(after, iter)) {
        const struct fx_text key = fx_node_key(iter);
        d->failed = d->failed || !fx_spend_text(key.len);
        if (fx_tree_view_text(before, key) == NULL) {
            emit_key(d, path, key, FX_PATCH_ADD, NULL, json_object_iter_value(iter));
        }
    }
}

/* `beside` is the member of `after` at the same index as long as `after` has all keys in
 * the same order. The members after that one are new. */
static void diff_members(struct differ *d, const struct patch_path *path, json_t *before,
                         json_t *after) {
    void *beside = fx_node_first(after);
    bool is_in_order = true;
    if (!fx_spend(json_object_size(before))) {
        d->failed = true;
    }
    for (void *iter = fx_node_first(before); iter != NULL && !d->failed;
         iter = fx_node_next(before, iter)) {
        const struct fx_text key = fx_node_key(iter);
        d->failed = d->failed || !fx_spend_text(key.len);
        json_t *old = json_object_iter_value(iter);
        json_t *value = NULL;
        is_in_order = is_in_order && beside != NULL && fx_node_has_key(beside, key);
        if (is_in_order) {
            value = json_object_iter_value(beside);
            beside = fx_node_next(after, beside);
        } else {
            value = fx_tree_view_text(after, key);
        }
        if (value == NULL) {
            emit_key(d, path, key, FX_PATCH_REMOVE, old, NULL);
        } else {
            diff_member(d, path, key, old, value);
        }
    }
    if (is_in_order) {
        add_members(d, path, NULL, after, beside);
    } else {
        add_members(d, path, before, after, fx_node_first(after));
    }
}

static void diff_objects(struct differ *d, const struct patch_path *path, json_t *before,
                         json_t *after) {
    if (d->is_brief && is_shorter_whole(path, before, after)) {
        add_op(d, path, FX_PATCH_REPLACE, before, after);
    } else {
        diff_members(d, path, before, after);
    }
}

static void diff_element(struct differ *d, const struct patch_path *path, size_t index,
                         json_t *before, json_t *after) {
    if (before != after) {
        const struct patch_path below = path_of_index(path, index);
        diff_values(d, &below, before, after);
    }
}

/* One step of an alignment. Invariant: the list as patched so far begins with
 * after[0 .. after.at), its length is `index`, and before[before.at ..) follows. */
static void take_step(struct differ *d, const struct patch_path *path,
                      struct lists *lists, enum fx_align_step step) {
    json_t *old = json_array_get(lists->before.array, lists->before.at);
    json_t *value = json_array_get(lists->after.array, lists->after.at);
    switch (step) {
    case FX_ALIGN_KEEP: break;
    case FX_ALIGN_EDIT: diff_element(d, path, lists->index, old, value); break;
    case FX_ALIGN_REPLACE:
        emit_index(d, path, lists->index, FX_PATCH_REPLACE, old, value);
        break;
    case FX_ALIGN_REMOVE:
        emit_index(d, path, lists->index, FX_PATCH_REMOVE, old, NULL);
        break;
    case FX_ALIGN_ADD:
        emit_index(d, path, lists->index, FX_PATCH_ADD, NULL, value);
        break;
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

/* Compares lists for which fx_align_is_by_index() is true. */
static void diff_by_index(struct differ *d, const struct patch_path *path,
                          const struct lists *lists) {
    const size_t n_before = lists->before.end;
    for (size_t i = lists->before.at; i < lists->after.end && !d->failed; i++) {
        json_t *value = json_array_get(lists->after.array, i);
        if (i >= n_before) {
            emit_index(d, path, i, FX_PATCH_ADD, NULL, value);
        } else {
            diff_element(d, path, i, json_array_get(lists->before.array, i), value);
        }
    }
}

static void diff_arrays(struct differ *d, const struct patch_path *path, json_t *before,
                        json_t *after) {
    struct lists lists = {
        .before = {.array = before, .end = json_array_size(before)},
        .after = {.array = after, .end = json_array_size(after)},
    };
    if (fx_align_is_by_index(&d->align, &lists.before, &lists.after)) {
        diff_by_index(d, path, &lists);
        return;
    }
    const size_t n_ops = d->patch->n_ops;
    fx_align_trim(&lists.before, &lists.after);
    lists.index = lists.after.at;
    while (is_under_way(d, &lists)) {
        struct fx_align_steps steps;
        fx_align_next(&d->align, &lists.before, &lists.after, &steps);
        for (size_t i = 0; i < steps.n_steps && !d->failed; i++) {
            take_step(d, path, &lists, (enum fx_align_step)steps.steps[i]);
        }
    }
    if (!d->failed && lists.n_moves > FX_LIMIT_PATCH_MOVES) {
        d->patch->n_ops = n_ops;
        add_op(d, path, FX_PATCH_REPLACE, before, after);
    }
}

static void diff_values(struct differ *d, const struct patch_path *path, json_t *before,
                        json_t *after) {
    if (before == after) {
        return;
    }
    if (json_is_object(before) && json_is_object(after)) {
        diff_objects(d, path, before, after);
    } else if (json_is_array(before) && json_is_array(after)) {
        diff_arrays(d, path, before, after);
    } else if (!fx_equal(before, after)) {
        add_op(d, path, FX_PATCH_REPLACE, before, after);
    }
}

static bool is_whole(const json_t *value) {
    return value == NULL || (!json_is_object(value) && !json_is_array(value)) ||
           fx_json_is_whole(value);
}

/* Is the value of the operation whole? If two partly decoded objects differ, they differ
 * in the members that mark them. */
static bool op_is_whole(const struct fx_patch_op *op) {
    return memchr(op->path.data, FX_JSON_PARTIAL_KEY.data[0], op->path.len) == NULL &&
           is_whole(op->value) && is_whole(op->old);
}

bool fx_patch_is_whole(const struct fx_patch *patch) {
    size_t i = 0;
    while (i < patch->n_ops && op_is_whole(&patch->ops[i])) {
        i++;
    }
    return i == patch->n_ops;
}

static bool diff(struct fx_patch *patch, json_t *before, json_t *after, bool is_brief,
                 struct fx_err *err) {
    struct differ differ;
    differ.patch = patch;
    differ.is_brief = is_brief;
    differ.failed = false;
    fx_align_init(&differ.align);
    diff_values(&differ, NULL, before, after);
    if (differ.failed && fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_fail_exceeded(err);
    }
    return !differ.failed || fx_fail_nomem(err);
}

bool fx_patch_diff(struct fx_patch *patch, json_t *before, json_t *after,
                   struct fx_err *err) {
    return diff(patch, before, after, false, err);
}

bool fx_patch_diff_brief(struct fx_patch *patch, json_t *before, json_t *after,
                         struct fx_err *err) {
    return diff(patch, before, after, true, err);
}
