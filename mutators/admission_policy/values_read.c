/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/values_read.c - finds the chains of fields in an expression
 * that begin at `object`, `oldObject`, `request` or `params`, and their values.
 */
#include "mutators/admission_policy/values_read.h"

#include "base/budget.h"
#include "mutators/admission_policy/policy.h"
#include "value/json.h"
#include "value/tree.h"

#define MOST_FIELDS 8u   /* that are printed */
#define MOST_BYTES  120u /* of a value; a longer one is cut */

struct values_printer {
    struct fx_buf *buf;
    const struct map_values_read *values;
    size_t from; /* where the text begins in the buffer */
    size_t n;    /* fields so far */
};

/* ---- a chain of fields ------------------------------------------------------------- */

static bool is_name(const struct fx_cel_node *node) {
    return node->type == FX_CEL_NODE_NAME && node->name.local == NULL &&
           node->name.type == NULL;
}

/* The next node of a chain, towards its name; NULL if the node is no step of one. An
 * index, and an optional step, are steps if the key is a literal string. */
static const struct fx_cel_node *operand_of(const struct fx_cel_node *node,
                                            struct fx_text *ret_key) {
    if (node->type == FX_CEL_NODE_SELECT) {
        *ret_key = node->select.field;
        return node->select.operand;
    }
    if (node->type != FX_CEL_NODE_CALL || node->call.n_args != 2 ||
        node->call.target != NULL ||
        !(fx_text_is(node->call.function, "_[_]") ||
          fx_text_is(node->call.function, "_[?_]") ||
          fx_text_is(node->call.function, "_?._"))) {
        return NULL;
    }
    const struct fx_cel_node *key = node->call.args[1];
    if (key->type != FX_CEL_NODE_LITERAL || key->literal.kind != FX_CEL_STRING) {
        return NULL;
    }
    *ret_key = key->literal.text;
    return node->call.args[0];
}

static const json_t *tree_of(const struct map_values_read *values,
                             const struct fx_cel_node *name) {
    switch (name->name.variable) {
    case MAP_SLOT_OBJECT: return values->object;
    case MAP_SLOT_OLD_OBJECT: return values->old_object;
    case MAP_SLOT_REQUEST: return values->request;
    case MAP_SLOT_PARAMS: return values->params;
    default: return NULL;
    }
}

/* Finds the value of a chain and prints its path. False if the node is not a chain that
 * begins at a tree. */
static bool read_chain(const struct values_printer *printer,
                       const struct fx_cel_node *node, struct fx_buf *path,
                       const json_t **ret_value) {
    struct fx_text key = {0};
    if (is_name(node)) {
        *ret_value = tree_of(printer->values, node);
        fx_buf_text(path, node->name.name);
        return *ret_value != NULL;
    }
    const struct fx_cel_node *operand = operand_of(node, &key);
    if (operand == NULL || !fx_spend(1) ||
        !read_chain(printer, operand, path, ret_value)) {
        return false;
    }
    *ret_value = json_is_object(*ret_value) ? fx_tree_view_text(*ret_value, key) : NULL;
    fx_buf_printf(path, ".%.*s", FX_TEXT_ARG(key));
    return true;
}

/* ---- printing ---------------------------------------------------------------------- */

static void print_value(struct fx_buf *buf, const json_t *value) {
    if (value == NULL) {
        fx_buf_str(buf, "absent");
        return;
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_json_write(&text, value, FX_JSON_COMPACT);
    const struct fx_text whole = fx_buf_view(&text);
    const bool is_cut = whole.len > MOST_BYTES;
    const size_t kept = is_cut ? fx_text_rune_floor(whole.data, MOST_BYTES) : whole.len;
    fx_buf_text(buf, (struct fx_text){whole.data, kept});
    fx_buf_str(buf, is_cut ? "…" : "");
    buf->failed = buf->failed || text.failed;
    fx_buf_finish(&text);
}

static bool is_printed(const struct values_printer *printer, struct fx_text field) {
    const struct fx_text all = fx_text_rest(fx_buf_view(printer->buf), printer->from);
    return fx_text_contains(all, field);
}

/* Prints the node if it is a chain. */
static bool print_chain(struct values_printer *printer, const struct fx_cel_node *node) {
    struct fx_buf path;
    const json_t *value = NULL;
    fx_buf_init(&path, 0);
    const bool is_chain = !is_name(node) && read_chain(printer, node, &path, &value);
    fx_buf_str(&path, " = ");
    printer->buf->failed = printer->buf->failed || path.failed;
    if (is_chain && printer->n < MOST_FIELDS &&
        !is_printed(printer, fx_buf_view(&path))) {
        fx_buf_str(printer->buf, printer->n++ > 0 ? ", " : "");
        fx_buf_text(printer->buf, fx_buf_view(&path));
        print_value(printer->buf, value);
    }
    fx_buf_finish(&path);
    return is_chain;
}

static void visit(struct values_printer *printer, const struct fx_cel_node *node);

static void visit_all(struct values_printer *printer, struct fx_cel_node *const *nodes,
                      size_t n) {
    for (size_t i = 0; i < n; i++) {
        visit(printer, nodes[i]);
    }
}

/* The depth of an expression is limited (FX_LIMIT_CEL_DEPTH). */
static void visit(struct values_printer *printer, const struct fx_cel_node *node) {
    if (node == NULL || !fx_spend(1) || print_chain(printer, node)) {
        return;
    }
    switch (node->type) {
    case FX_CEL_NODE_SELECT: visit(printer, node->select.operand); break;
    case FX_CEL_NODE_CALL:
        visit(printer, node->call.target);
        visit_all(printer, node->call.args, node->call.n_args);
        break;
    case FX_CEL_NODE_LIST: visit_all(printer, node->list.items, node->list.n); break;
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_STRUCT:
        for (size_t i = 0; i < node->map.n; i++) {
            visit(printer, node->map.entries[i].key);
            visit(printer, node->map.entries[i].value);
        }
        break;
    case FX_CEL_NODE_FOLD:
        visit(printer, node->fold.range);
        visit(printer, node->fold.step);
        break;
    case FX_CEL_NODE_LITERAL:
    case FX_CEL_NODE_NAME: break;
    }
}

void fx_map_print_values_read(struct fx_buf *buf, const struct fx_cel_node *root,
                              const struct map_values_read *values) {
    struct values_printer printer = {
        .buf = buf, .values = values, .from = fx_buf_view(buf).len};
    visit(&printer, root);
}
