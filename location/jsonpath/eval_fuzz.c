/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/eval_fuzz.c - an expression in the first line, a JSON document
 * after it: the evaluation ends, twice with the same result, and does not change the
 * document; the printed expression gives the same; the key parts of a match lead to its
 * value.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "location/jsonpath/program.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fx_jsonpath *compile(struct fx_text text, enum fx_jsonpath_use use) {
    struct fx_jsonpath *path = NULL;
    struct fx_err err = FX_ERR_INIT;
    return fx_jsonpath_compile(text, use, &path, &err) ? path : NULL;
}

/* ---- values ---------------------------------------------------------------------- */

/* The result of an evaluation: JSON, `undefined`, or the error code. */
static void show(struct fx_buf *buf, const struct fx_jsonpath *path, json_t *root) {
    struct fx_jsonpath_result result = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!fx_jsonpath_eval(path, root, &result, &err)) {
        assert(err.code == FX_EMUTATE || err.code == FX_ELIMIT);
        fx_buf_printf(buf, "%d", (int)err.code);
        return;
    }
    assert(result.shape != FX_JSONPATH_UNDEFINED || result.n_values == 0);
    assert(result.shape != FX_JSONPATH_VALUE || result.n_values == 1);
    for (size_t i = 0; i < result.n_values; i++) {
        assert(result.values[i] != NULL || result.shape == FX_JSONPATH_LIST);
        if (result.values[i] != NULL) {
            fx_json_write(buf, result.values[i], FX_JSON_SORT_KEYS);
        }
        fx_buf_char(buf, ';');
    }
    fx_buf_printf(buf, "%d", (int)result.shape);
    fx_jsonpath_result_finish(&result);
}

static void expect_same(const struct fx_buf *a, const struct fx_buf *b) {
    assert(a->failed || b->failed ||
           (a->len == b->len && memcmp(a->data, b->data, a->len) == 0));
}

static void evaluate(const struct fx_jsonpath *path, json_t *root) {
    struct fx_buf printed;
    struct fx_buf first;
    struct fx_buf second;
    fx_buf_init(&printed, 0);
    fx_buf_init(&first, 1u << 20);
    fx_buf_init(&second, 1u << 20);
    show(&first, path, root);
    fx_jsonpath_print(&printed, path);
    struct fx_jsonpath *again =
        compile((struct fx_text){printed.data, printed.len}, FX_JSONPATH_EXPRESSION);
    if (again != NULL) {
        show(&second, again, root);
        expect_same(&first, &second);
        fx_jsonpath_destroy(again);
    }
    fx_buf_finish(&printed);
    fx_buf_finish(&first);
    fx_buf_finish(&second);
}

/* ---- matches --------------------------------------------------------------------- */

/* May other steps than names, fixed keys and branching ones decide? */
static bool has_script(const struct fx_jsonpath *path) {
    for (size_t i = 0; i < path->n_nodes; i++) {
        const enum node_type type = (enum node_type)path->nodes[i].type;
        if (type == STEP_SCRIPT || type == STEP_KEY) {
            return true;
        }
    }
    return path->nodes[path->root].id == '@';
}

/* Follows the steps by the key parts of branching steps; `..` tries all lengths. */
static bool leads_to(const struct fx_jsonpath *path, node_index at, json_t *from,
                     const struct fx_jsonpath_match *match, size_t n_taken);

static json_t *take_part(json_t *from, const struct fx_jsonpath_part *part) {
    return part->is_index ? json_array_get(from, part->index)
                          : fx_tree_view_text(from, part->key);
}

static bool leads_below(const struct fx_jsonpath *path,
                        const struct expression_node *step, json_t *from,
                        const struct fx_jsonpath_match *match, size_t n_taken) {
    while (from != NULL) {
        if (leads_to(path, step->next, from, match, n_taken)) {
            return true;
        }
        if (n_taken == match->n_parts) {
            return false;
        }
        from = take_part(from, &match->parts[n_taken++]);
    }
    return false;
}

static bool leads_to(const struct fx_jsonpath *path, node_index at, json_t *from,
                     const struct fx_jsonpath_match *match, size_t n_taken) {
    if (at == 0 || from == NULL) {
        return from == match->value && n_taken == match->n_parts;
    }
    const struct expression_node *step = &path->nodes[at];
    if (step->type == STEP_NAME) {
        return leads_to(path, step->next, fx_tree_view_text(from, step->as.text), match,
                        n_taken);
    }
    if (step->type == STEP_DESCEND) {
        return leads_below(path, step, from, match, n_taken);
    }
    return n_taken < match->n_parts &&
           leads_to(path, step->next, take_part(from, &match->parts[n_taken]), match,
                    n_taken + 1);
}

#define MOST_LOOKED_AT 64 /* matches, and steps: `..` tries all lengths */

static void find(const struct fx_jsonpath *path, json_t *root) {
    struct fx_jsonpath_matches matches = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!fx_jsonpath_find(path, root, &matches, &err)) {
        assert(err.code == FX_ELIMIT);
        return;
    }
    for (size_t i = 0; i < matches.n_matches && i < MOST_LOOKED_AT; i++) {
        assert(matches.matches[i].value != NULL);
        assert(
            has_script(path) || path->n_nodes > MOST_LOOKED_AT / 4 ||
            leads_to(path, path->nodes[path->root].first, root, &matches.matches[i], 0));
    }
    fx_jsonpath_matches_finish(&matches);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
    if (end == NULL) {
        return 0;
    }
    const struct fx_text text = {(const char *)data, (size_t)(end - data)};
    const struct fx_text document = {text.data + text.len + 1, size - text.len - 1};
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(document, NULL, &err);
    json_t *before = fx_json_read(document, NULL, &err); /* no copy: keys may hold NUL */
    struct fx_jsonpath *expression = compile(text, FX_JSONPATH_EXPRESSION);
    struct fx_jsonpath *path = compile(text, FX_JSONPATH_PATH);
    if (root != NULL && expression != NULL) {
        evaluate(expression, root);
    }
    if (root != NULL && path != NULL) {
        find(path, root);
    }
    assert(fx_equal(root, before));
    fx_jsonpath_destroy(expression);
    fx_jsonpath_destroy(path);
    json_decref(before);
    json_decref(root);
    return 0;
}
