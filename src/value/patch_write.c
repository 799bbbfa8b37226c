/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_write.c - a patch as its JSON document, without building one.
 */
#include "value/json.h"
#include "value/json_internal.h"
#include "value/patch.h"
#include "value/patch_internal.h"

#define MEMBER_DEPTH 2 /* members stand in an object in the list */

/* `name` has its quotes and its colon. */
static void write_name(struct fx_buf *buf, const char *name, unsigned style) {
    fx_json_write_break(buf, style, MEMBER_DEPTH);
    fx_buf_str(buf, name);
    if ((style & FX_JSON_INDENT) != 0) {
        fx_buf_char(buf, ' ');
    }
}

static void write_head(struct fx_buf *buf, const struct fx_patch_op *op, unsigned style) {
    static const char *const kinds[] = {
#define X(name, text) [FX_PATCH_##name] = "\"" text "\",",
        FX_PATCH_OPS(X)
#undef X
    };
    fx_buf_char(buf, '{');
    write_name(buf, "\"op\":", style);
    fx_buf_str(buf, kinds[op->kind]);
    if (op->kind == FX_PATCH_MOVE || op->kind == FX_PATCH_COPY) {
        write_name(buf, "\"from\":", style);
        fx_json_write_string(buf, op->from, style);
        fx_buf_char(buf, ',');
    }
    write_name(buf, "\"path\":", style);
}

/* What write_head() writes of the operations of a diff, in one piece. False for others.
 */
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
