/* SPDX-License-Identifier: Apache-2.0
 *
 * merge/typed_testing.h - for tests: a kind with each sort of list and map, and merges in
 * place that are compared with those that make a new object.
 */
#ifndef FX_MERGE_TYPED_TESTING_H
#define FX_MERGE_TYPED_TESTING_H

#include "base/limits.h"
#include "merge/typed.h"
#include "value/equal.h"
#include "value/json.h"

static inline json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(node);
    return node;
}

/* A kind with each sort of list and map. */
static const char widget_schema[] =
    "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{"
    "\"size\":{\"type\":\"integer\"},\"name\":{\"type\":\"string\"},"
    "\"on\":{\"type\":\"boolean\"},"
    "\"parts\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\","
    "\"x-kubernetes-list-map-keys\":[\"id\"],\"items\":{\"type\":\"object\","
    "\"properties\":{\"id\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"}}}},"
    "\"ports\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\","
    "\"x-kubernetes-list-map-keys\":[\"port\",\"proto\"],\"items\":{\"type\":\"object\","
    "\"properties\":{\"port\":{\"type\":\"integer\"},\"n\":{\"type\":\"integer\"},"
    "\"proto\":{\"type\":\"string\",\"default\":\"TCP\"}}}},"
    "\"tags\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\","
    "\"items\":{\"type\":\"string\"}},"
    "\"nums\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\","
    "\"items\":{\"type\":\"integer\"}},"
    "\"plain\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"opts\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
    "\"fixed\":{\"type\":\"object\",\"x-kubernetes-map-type\":\"atomic\","
    "\"properties\":{\"a\":{\"type\":\"string\"}}},"
    "\"by\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"object\","
    "\"properties\":{\"l\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}},"
    "\"free\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true},"
    "\"any\":{\"x-kubernetes-int-or-string\":true}"
    "}}}}";

static struct fx_schema_builder *builder;
static struct fx_schema widget;

static inline int make_widget(void **state) {
    struct fx_err err = FX_ERR_INIT;
    json_t *schema = read_json(widget_schema);
    builder = fx_schema_builder_create();
    assert_non_null(builder);
    assert_true(fx_schema_add_structural(builder, FX_TEXT("example.com"), FX_TEXT("v1"),
                                         FX_TEXT("Widget"), schema, &err));
    widget = fx_schema_find(fx_schema_builder_set(builder), FX_TEXT("example.com"),
                            FX_TEXT("v1"), FX_TEXT("Widget"));
    assert_non_null(widget.set);
    json_decref(schema);
    (void)state;
    return 0;
}

static inline int free_widget(void **state) {
    fx_schema_builder_destroy(builder);
    (void)state;
    return 0;
}

/* Merges in place: into a tree that is shared, which must not change, and into one of its
 * own, which stays the same node. If the configuration is plain, the result is `merged`;
 * a configuration that is refused (`merged` NULL) is not plain. */
static inline enum fx_typed_plain check_plain(struct fx_schema schema, json_t *live,
                                              const json_t *patch, const json_t *merged) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    json_t *shared = json_incref(live);
    json_t *own = json_deep_copy(live);
    json_t *const given = own;
    const enum fx_typed_plain how =
        fx_typed_merge_plain(schema, &shared, patch, &arena, &err);
    assert_int_equal(fx_typed_merge_plain(schema, &own, patch, &arena, &err), how);
    assert_ptr_equal(own, given);
    assert_int_not_equal(how, FX_TYPED_FAILED);
    assert_true(merged != NULL || how == FX_TYPED_NOT_PLAIN);
    assert_int_equal(shared != live, how == FX_TYPED_CHANGED);
    if (how != FX_TYPED_NOT_PLAIN) {
        assert_true(fx_equal(shared, merged) && fx_equal(own, merged));
        assert_int_equal(fx_equal(live, merged), how == FX_TYPED_SAME);
    }
    json_decref(shared);
    json_decref(own);
    fx_arena_finish(&arena);
    return how;
}

#endif
