/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/access_patch.c - the values that the operations of a JSON
 * patch read and write, if their paths are constants. Of a path that begins with a
 * constant, the steps that are complete count.
 */
#include <string.h>

#include "location/cel/ast.h"
#include "mutators/admission_policy/access.h"
#include "value/go_index.h"

/* ---- one path ---------------------------------------------------------------------- */

/* The constant text that the value begins with. */
struct patch_prefix {
    struct fx_text text; /* data NULL: none */
    bool is_all;         /* it is the whole value */
};

static struct patch_prefix prefix_of(const struct fx_cel_node *node) {
    struct patch_prefix prefix = {.is_all = true};
    while (fx_map_is_global_call(node, "_+_", 2)) {
        node = node->call.args[0];
        prefix.is_all = false;
    }
    if (node->type == FX_CEL_NODE_LITERAL && node->literal.kind == FX_CEL_STRING) {
        prefix.text = node->literal.text;
    }
    return prefix;
}

/* A piece with an escape is not decoded here, and a negative index counts from the end:
 * both may be any step. */
static struct fx_path_step step_of(struct fx_text piece, bool appends) {
    int64_t index = 0;
    if (appends && fx_text_is(piece, "-")) {
        return (struct fx_path_step){.type = FX_PATH_APPEND};
    }
    if ((piece.len > 0 && memchr(piece.data, '~', piece.len) != NULL) ||
        fx_text_first(piece) == '-' || fx_text_first(piece) == '+') {
        return (struct fx_path_step){.type = FX_PATH_ANY};
    }
    return (struct fx_path_step){.type = fx_go_index_read(piece, &index) == FX_GO_INDEX_OK
                                             ? FX_PATH_TOKEN
                                             : FX_PATH_MEMBER,
                                 .name = piece};
}

/* Declares the path: written or read. Steps behind the most that are declared are left
 * out. */
static void declare_path(struct map_writing *writing, const struct fx_cel_node *node,
                         bool writes, bool appends) {
    const struct patch_prefix prefix = prefix_of(node);
    struct fx_text rest = prefix.text;
    bool ok = true;
    writing->n_steps = 0;
    if (fx_text_first(rest) != '/') {
        writing->is_anywhere = true;
        return;
    }
    (void)fx_text_cut(&rest, '/');
    bool is_last = false;
    while (ok && !is_last) {
        is_last = rest.len == 0 || memchr(rest.data, '/', rest.len) == NULL;
        const struct fx_text piece = fx_text_cut(&rest, '/');
        ok = is_last && !prefix.is_all
                 ? fx_map_push_step(writing, (struct fx_path_step){.type = FX_PATH_ANY})
                 : fx_map_push_step(writing, step_of(piece, appends && is_last));
    }
    fx_map_write_here(writing, writes);
}

/* ---- one operation ------------------------------------------------------------------
 */

static const struct fx_cel_node *field_of(const struct fx_cel_node *operation,
                                          const char *name) {
    for (size_t i = 0; i < operation->map.n; i++) {
        if (fx_text_is(operation->map.entries[i].field, name)) {
            return operation->map.entries[i].is_optional
                       ? NULL
                       : operation->map.entries[i].value;
        }
    }
    return NULL;
}

/* Declares the path of `add`, `copy` or another operation; `from` may be NULL. */
static void declare_operation(struct map_writing *writing, struct fx_text op,
                              const struct fx_cel_node *path,
                              const struct fx_cel_node *from) {
    const bool is_test = fx_text_is(op, "test");
    declare_path(writing, path, !is_test, fx_text_is(op, "add"));
    if (from != NULL) {
        declare_path(writing, from, !fx_text_is(op, "copy"), false);
    }
}

static void write_operation(struct map_writing *writing,
                            const struct fx_cel_node *operation) {
    const struct fx_cel_node *op = field_of(operation, "op");
    const struct fx_cel_node *path = field_of(operation, "path");
    if (op == NULL || path == NULL || op->type != FX_CEL_NODE_LITERAL ||
        op->literal.kind != FX_CEL_STRING) {
        writing->is_anywhere = true;
        return;
    }
    declare_operation(writing, op->literal.text, path, field_of(operation, "from"));
}

/* ---- lists of operations -------------------------------------------------------------
 */

static void write_all(struct map_writing *writing, struct fx_cel_node *const *nodes,
                      size_t n) {
    for (size_t i = 0; i < n; i++) {
        fx_map_write_patch(writing, nodes[i]);
    }
}

static void write_computed(struct map_writing *writing, const struct fx_cel_node *node) {
    const struct fx_cel_node *variable = fx_map_followed_variable(writing->policy, node);
    const struct fx_cel_node *item = fx_map_made_item(node);
    if (variable != NULL || item != NULL) {
        fx_map_write_patch(writing, variable != NULL ? variable : item);
    } else if (fx_map_is_global_call(node, "_?_:_", 3)) {
        write_all(writing, node->call.args + 1, 2);
    } else if (fx_map_is_global_call(node, "_+_", 2)) {
        write_all(writing, node->call.args, 2);
    } else {
        writing->is_anywhere = true;
    }
}

/* A JSONPatch{…} is no constant, so a list that is one has none. */
static bool is_empty(const struct fx_cel_node *node) {
    return node->type == FX_CEL_NODE_LITERAL && node->literal.kind == FX_CEL_LIST &&
           fx_cel_list_size(node->literal) == 0;
}

/* An operation, or a list of operations. */
void fx_map_write_patch(struct map_writing *writing, const struct fx_cel_node *node) {
    if (!fx_map_follow_node(writing)) {
        return;
    }
    if (is_empty(node)) {
        return;
    }
    if (node->type == FX_CEL_NODE_LIST) {
        write_all(writing, node->list.items, node->list.n);
    } else if (node->type == FX_CEL_NODE_STRUCT) {
        write_operation(writing, node);
    } else {
        write_computed(writing, node);
    }
}
