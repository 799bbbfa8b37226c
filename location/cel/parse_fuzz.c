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

/* A text that ends with a byte below this one is parsed with little memory, too. */
#define FEW_BYTES 64u

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

/* Prints the first and the last fault: all of them would take most of the time. */
static void print_faults(const struct fx_cel_faults *faults, struct fx_text source) {
    struct fx_cel_fault ends[] = {faults->items[0], faults->items[faults->n - 1]};
    const struct fx_cel_faults shown = {.items = ends, .n = 2, .arena = faults->arena};
    struct fx_buf printed;
    fx_buf_init(&printed, 0);
    fx_cel_faults_print(&shown, source, &printed);
    assert(printed.len > 0);
    fx_buf_finish(&printed);
}

/* The faults have messages, are within the text, and are in its order: those without a
 * position come first. */
static void check_faults(const struct fx_cel_faults *faults, struct fx_text source) {
    uint32_t before = 0;
    assert(faults->n > 0 && faults->n <= FX_CEL_MOST_FAULTS);
    for (size_t i = 0; i < faults->n; i++) {
        const uint32_t at = faults->items[i].at;
        assert(faults->items[i].message[0] != '\0');
        if (at != FX_CEL_NOWHERE && at != FX_CEL_UNPARSED) {
            assert(at <= source.len && at >= before);
            before = at;
        }
    }
    print_faults(faults, source);
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
    if (size > 0 && data[size - 1] < FEW_BYTES) {
        parse_within(text, (size_t)256 * data[size - 1]);
    }
    return 0;
}
