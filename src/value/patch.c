/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch.c - the list of operations, and reading and writing it as a patch document.
 */
#include "value/patch.h"

#include <string.h>

#include "value/json.h"
#include "value/json_internal.h"
#include "value/patch_internal.h"
#include "value/tree.h"

static const char *const op_names[] = {
#define X(name, text) [FX_PATCH_##name] = text,
    FX_PATCH_OPS(X)
#undef X
};

const char *fx_patch_op_name(enum fx_patch_op_kind kind) {
    return op_names[kind];
}

void fx_patch_init(struct fx_patch *patch, struct fx_arena *arena) {
    *patch = (struct fx_patch){.arena = arena};
}

struct fx_patch_op *fx_patch_append(struct fx_patch *patch) {
    if (patch->n_ops == patch->cap_ops &&
        !fx_arena_grown(patch->arena, &patch->ops, &patch->cap_ops, sizeof *patch->ops)) {
        return NULL;
    }
    return &patch->ops[patch->n_ops++];
}

static bool parse_kind(const json_t *item, enum fx_patch_op_kind *ret_kind,
                       struct fx_err *err) {
    const json_t *node = fx_tree_view_key(item, "op");
    const struct fx_text name = fx_tree_text(node);
    if (!json_is_string(node)) {
        return fx_fail_in(err, item, FX_EINVALID, "`op` must be a string");
    }
    for (size_t i = 0; i < FX_COUNT(op_names); i++) {
        if (fx_text_is(name, op_names[i])) {
            *ret_kind = (enum fx_patch_op_kind)i;
            return true;
        }
    }
    return fx_fail_in(err, node, FX_EINVALID,
                      "`%.*s` is not an operation of a JSON patch",
                      name.len < 64 ? (int)name.len : 64, name.data);
}

/* RFC 6901 section 3: a pointer is empty, or a list of tokens, each after a "/". In a
 * token "~" occurs only in ~0 and ~1. */
static bool is_pointer(struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '~') {
            continue;
        }
        if (i + 1 == text.len || (text.data[i + 1] != '0' && text.data[i + 1] != '1')) {
            return false;
        }
    }
    return text.len == 0 || text.data[0] == '/';
}

/* Reads a pointer field into the arena. */
static bool parse_pointer(struct fx_patch *patch, const json_t *item, const char *key,
                          struct fx_text *ret_pointer, struct fx_err *err) {
    const json_t *node = fx_tree_view_key(item, key);
    const struct fx_text text = fx_tree_text(node);
    if (!json_is_string(node) || !is_pointer(text)) {
        return fx_fail_in(err, node == NULL ? item : node, FX_EINVALID,
                          "`%s` must be a JSON pointer", key);
    }
    const char *copy = fx_arena_copy(patch->arena, text);
    if (copy == NULL) {
        return fx_fail_nomem(err);
    }
    *ret_pointer = (struct fx_text){copy, text.len};
    return true;
}

/* RFC 6902 section 4. Members that an operation does not define are ignored. */
static bool parse_op(struct fx_patch *patch, const json_t *item, struct fx_patch_op *op,
                     struct fx_err *err) {
    if (!json_is_object(item)) {
        return fx_fail_in(err, item, FX_EINVALID, "an operation must be an object");
    }
    if (!parse_kind(item, &op->kind, err) ||
        !parse_pointer(patch, item, "path", &op->path, err)) {
        return false;
    }
    if (op->kind == FX_PATCH_MOVE || op->kind == FX_PATCH_COPY) {
        return parse_pointer(patch, item, "from", &op->from, err);
    }
    op->value = op->kind == FX_PATCH_REMOVE ? NULL : fx_tree_view_key(item, "value");
    if (op->kind != FX_PATCH_REMOVE && op->value == NULL) {
        return fx_fail_in(err, item, FX_EINVALID, "`value` is missing");
    }
    return true;
}

bool fx_patch_parse(struct fx_patch *patch, json_t *document, struct fx_err *err) {
    if (!json_is_array(document)) {
        return fx_fail_in(err, document, FX_EINVALID,
                          "a JSON patch must be a list of operations");
    }
    for (size_t i = 0; i < json_array_size(document); i++) {
        struct fx_patch_op parsed = {0};
        if (!parse_op(patch, json_array_get(document, i), &parsed, err)) {
            return fx_err_prefix(err, "operation %zu: ", i);
        }
        struct fx_patch_op *op = fx_patch_append(patch);
        if (op == NULL) {
            return fx_fail_nomem(err);
        }
        *op = parsed;
    }
    return true;
}

/* ---- as a JSON document, without building one -------------------------------------- */

#define MEMBER_DEPTH 2 /* members are in an object in the list */

/* Writes a name, which already has its quotes and its colon. */
static void write_name(struct fx_buf *buf, const char *name, unsigned style) {
    fx_json_write_break(buf, style, MEMBER_DEPTH);
    fx_buf_str(buf, name);
    if ((style & FX_JSON_INDENT) != 0) {
        fx_buf_char(buf, ' ');
    }
}

static void write_head(struct fx_buf *buf, const struct fx_patch_op *op, unsigned style) {
    fx_buf_char(buf, '{');
    write_name(buf, "\"op\":", style);
    fx_buf_printf(buf, "\"%s\",", op_names[op->kind]);
    if (op->kind == FX_PATCH_MOVE || op->kind == FX_PATCH_COPY) {
        write_name(buf, "\"from\":", style);
        fx_json_write_string(buf, op->from, style);
        fx_buf_char(buf, ',');
    }
    write_name(buf, "\"path\":", style);
}

/* Writes the same as write_head() in one step for the operations of a diff. False for
 * other operations. */
static bool write_short_head(struct fx_buf *buf, enum fx_patch_op_kind kind,
                             unsigned style) {
    if ((style & FX_JSON_INDENT) != 0) {
        return false;
    }
    switch (kind) {
    case FX_PATCH_ADD: fx_buf_str(buf, "{\"op\":\"add\",\"path\":"); return true;
    case FX_PATCH_REMOVE: fx_buf_str(buf, "{\"op\":\"remove\",\"path\":"); return true;
    case FX_PATCH_REPLACE: fx_buf_str(buf, "{\"op\":\"replace\",\"path\":"); return true;
    case FX_PATCH_MOVE:
    case FX_PATCH_COPY:
    case FX_PATCH_TEST: break;
    }
    return false;
}

static void write_op(struct fx_buf *buf, const struct fx_patch_op *op, unsigned style) {
    if (!write_short_head(buf, op->kind, style)) {
        write_head(buf, op, style);
    }
    fx_json_write_string(buf, op->path, style);
    if (op->value != NULL) {
        fx_buf_char(buf, ',');
        write_name(buf, "\"value\":", style);
        fx_json_write_nested(buf, op->value, style, MEMBER_DEPTH);
    }
    fx_json_write_break(buf, style, MEMBER_DEPTH - 1);
    fx_buf_char(buf, '}');
}

void fx_patch_write(struct fx_buf *buf, const struct fx_patch *patch, unsigned style) {
    fx_buf_char(buf, '[');
    for (size_t i = 0; i < patch->n_ops && !buf->failed; i++) {
        if (i > 0) {
            fx_buf_char(buf, ',');
        }
        fx_json_write_break(buf, style, MEMBER_DEPTH - 1);
        write_op(buf, &patch->ops[i], style);
    }
    if (patch->n_ops > 0) {
        fx_json_write_break(buf, style, 0);
    }
    fx_buf_char(buf, ']');
}
