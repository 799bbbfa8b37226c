/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/parse_fuzz.c - any text gives faults within the text, or a tree without
 * gaps; and with little memory the same, or no memory.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "location/cel/ast.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_node(const struct fx_cel_node *node, size_t source_len);

static void check_nodes(struct fx_cel_node *const *nodes, size_t n, size_t source_len) {
    for (size_t i = 0; i < n; i++) {
        check_node(nodes[i], source_len);
    }
}

static void check_fold(const struct fx_cel_node *node, size_t source_len) {
    assert(node->fold.item != NULL && node->fold.item->name.len > 0);
    assert(node->fold.item2 == NULL || node->fold.item2->name.len > 0);
    assert(node->fold.result_so_far != NULL && node->fold.result_so_far->name.len > 0);
    check_node(node->fold.range, source_len);
    check_node(node->fold.start, source_len);
    check_node(node->fold.condition, source_len);
    check_node(node->fold.step, source_len);
    check_node(node->fold.result, source_len);
}

static void check_entries(const struct fx_cel_node *node, size_t source_len) {
    for (size_t i = 0; i < node->map.n; i++) {
        const struct fx_cel_entry *entry = &node->map.entries[i];
        assert(entry->at < source_len);
        if (node->type == FX_CEL_NODE_MAP) {
            check_node(entry->key, source_len);
        } else {
            assert(entry->field.len > 0);
        }
        check_node(entry->value, source_len);
    }
}

static void check_node(const struct fx_cel_node *node, size_t source_len) {
    assert(node != NULL && node->at < source_len && node->checked == NULL);
    switch (node->type) {
    case FX_CEL_NODE_LITERAL: assert(node->literal.kind != FX_CEL_UNSET); break;
    case FX_CEL_NODE_NAME: assert(node->name.name.len > 0); break;
    case FX_CEL_NODE_SELECT:
        assert(node->select.field.len > 0);
        check_node(node->select.operand, source_len);
        break;
    case FX_CEL_NODE_CALL:
        assert(node->call.function.len > 0);
        if (node->call.target != NULL) {
            check_node(node->call.target, source_len);
        }
        check_nodes(node->call.args, node->call.n_args, source_len);
        break;
    case FX_CEL_NODE_LIST: check_nodes(node->list.items, node->list.n, source_len); break;
    case FX_CEL_NODE_MAP: check_entries(node, source_len); break;
    case FX_CEL_NODE_STRUCT:
        assert(node->map.name.len > 0);
        check_entries(node, source_len);
        break;
    case FX_CEL_NODE_FOLD: check_fold(node, source_len); break;
    }
}

static void check_faults(const struct fx_cel_faults *faults, struct fx_text source) {
    long line = 0;
    long column = 0;
    long line_before = -1;
    struct fx_buf printed;
    assert(faults->n > 0 && faults->n <= FX_CEL_MOST_FAULTS);
    for (size_t i = 0; i < faults->n; i++) {
        fx_cel_position(source, faults->items[i].at, &line, &column);
        assert(faults->items[i].at == FX_CEL_NOWHERE ||
               faults->items[i].at == FX_CEL_UNPARSED ||
               faults->items[i].at <= source.len);
        assert(line >= line_before && faults->items[i].message[0] != '\0');
        line_before = line;
    }
    fx_buf_init(&printed, 0);
    fx_cel_faults_print(faults, source, &printed);
    assert(printed.len > 0);
    fx_buf_finish(&printed);
}

static void parse_within(struct fx_text source, size_t memory) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, memory);
    struct fx_cel_faults faults = {.arena = &arena};
    const struct fx_cel_node *root = fx_cel_parse(&arena, source, &faults, &err);
    if (root != NULL) {
        assert(faults.n == 0);
        check_node(root, source.len);
    } else if (err.code != FX_OK) {
        assert(err.code == FX_ENOMEM && faults.n == 0);
    } else {
        check_faults(&faults, source);
    }
    fx_arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    parse_within(text, (size_t)64 << 20);
    if (size > 0) {
        parse_within(text, (size_t)64 * data[size - 1]);
    }
    return 0;
}
