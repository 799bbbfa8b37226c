/* SPDX-License-Identifier: Apache-2.0
 *
 * merge/typed_fuzz.c - three texts with a line break or NUL between them: the name of a
 * built-in kind ("v1/Pod"; any other text: the schema of a custom resource), an object,
 * and a configuration. A merge leaves both as they are; its result fits the schema, and
 * merging the configuration once more changes nothing. A merge in place has the same
 * result, and does not change what the object shares with others.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "merge/schema.h"
#include "merge/typed.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *write_value(const json_t *value) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_json_write(&buf, value, FX_JSON_COMPACT);
    char *text = fx_buf_steal(&buf);
    assert(text != NULL);
    return text;
}

/* Merges; the code is that of the failure. */
static json_t *merge(struct fx_schema schema, json_t *live, json_t *patch,
                     enum fx_code *ret_code) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_buf message;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_buf_init(&message, 0);
    char *live_text = write_value(live);
    char *patch_text = write_value(patch);
    json_t *merged = fx_typed_merge(schema, live, patch, &arena, &message, &err);
    char *live_after = write_value(live);
    char *patch_after = write_value(patch);
    assert(strcmp(live_text, live_after) == 0 && strcmp(patch_text, patch_after) == 0);
    assert(merged != NULL || err.code == FX_EMUTATE || err.code == FX_ENOMEM);
    assert(merged != NULL || err.code != FX_EMUTATE || message.len > 0);
    *ret_code = merged != NULL ? FX_OK : err.code;
    free(live_text);
    free(live_after);
    free(patch_text);
    free(patch_after);
    fx_buf_finish(&message);
    fx_arena_finish(&arena);
    return merged;
}

/* A null does not stay where it is merged with a map. */
static bool has_null(const json_t *node) {
    bool found = json_is_null(node);
    for (size_t i = 0; !found && i < json_array_size(node); i++) {
        found = has_null(json_array_get(node, i));
    }
    void *iter = json_is_object(node) ? fx_node_first(node) : NULL;
    for (; !found && iter != NULL; iter = fx_node_next(node, iter)) {
        found = has_null(json_object_iter_value(iter));
    }
    return found;
}

/* A tree that shares with `node` all but the topmost `levels` of it. */
static json_t *copy_levels(json_t *node, unsigned levels) {
    json_t *copy = json_incref(node);
    if (levels == 0) {
        return copy;
    }
    json_t *own = fx_tree_own_root(&copy);
    assert(own != NULL);
    void *iter = json_is_object(own) ? fx_node_first(own) : NULL;
    for (; iter != NULL; iter = fx_node_next(own, iter)) {
        json_t *child = copy_levels(json_object_iter_value(iter), levels - 1);
        assert(fx_tree_set_take(own, fx_node_key(iter), child));
    }
    for (size_t i = 0; i < json_array_size(own); i++) {
        json_t *child = copy_levels(json_array_get(own, i), levels - 1);
        assert(fx_tree_set_index_take(own, i, child));
    }
    return copy;
}

/* Merges in place: into an object that shares all nodes, then some, then none. `merged`
 * is the result of the merge that makes a new object; NULL if that refuses. */
static void check_plain(struct fx_schema schema, json_t *live, json_t *patch,
                        const json_t *merged) {
    json_t *roots[] = {json_incref(live), copy_levels(live, 2),
                       copy_levels(live, FX_LIMIT_JSON_DEPTH)};
    char *before = write_value(live);
    char *patch_before = write_value(patch);
    for (size_t i = 0; i < FX_COUNT(roots); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_arena arena;
        fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
        switch (fx_typed_merge_plain(schema, &roots[i], patch, &arena, &err)) {
        case FX_TYPED_SAME:
        case FX_TYPED_CHANGED:
            assert(merged != NULL && fx_equal(roots[i], merged));
            break;
        case FX_TYPED_NOT_PLAIN: assert(fx_equal(roots[i], live)); break;
        case FX_TYPED_FAILED: break; /* the arena was too small */
        }
        fx_arena_finish(&arena);
    }
    char *after = write_value(live);
    char *patch_after = write_value(patch);
    assert(strcmp(before, after) == 0 && strcmp(patch_before, patch_after) == 0);
    free(before);
    free(after);
    free(patch_before);
    free(patch_after);
    for (size_t i = 0; i < FX_COUNT(roots); i++) {
        json_decref(roots[i]);
    }
}

static void check_merge(struct fx_schema schema, json_t *live, json_t *patch) {
    enum fx_code code = FX_OK;
    json_t *merged = merge(schema, live, patch, &code);
    if (merged != NULL || code == FX_EMUTATE) {
        check_plain(schema, live, patch, merged);
    }
    if (merged == NULL) {
        return;
    }
    json_t *again = merge(schema, merged, patch, &code);
    if (!has_null(live) && !has_null(patch)) {
        assert(code != FX_EMUTATE);
        assert(again == NULL || fx_equal(again, merged));
    }
    json_decref(again);
    json_decref(merged);
}

/* Takes a text up to a line break or NUL. */
static struct fx_text take(struct fx_text *rest) {
    size_t len = 0;
    while (len < rest->len && rest->data[len] != '\n' && rest->data[len] != '\0') {
        len++;
    }
    const struct fx_text text = {rest->data, len};
    *rest = fx_text_rest(*rest, len < rest->len ? len + 1 : len);
    return text;
}

static struct fx_schema find_builtin(struct fx_text name) {
    struct fx_text parts[3] = {FX_TEXT(""), FX_TEXT(""), FX_TEXT("")};
    struct fx_text rest = name;
    size_t n = 0;
    while (n < 3 && rest.len > 0) {
        parts[n++] = fx_text_cut(&rest, '/');
    }
    return n == 3 ? fx_schema_find(&fx_schema_builtin, parts[0], parts[1], parts[2])
                  : fx_schema_find(&fx_schema_builtin, FX_TEXT(""), parts[0], parts[1]);
}

static struct fx_schema make_schema(struct fx_schema_builder *builder,
                                    struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_schema schema = find_builtin(text);
    json_t *given =
        schema.set == NULL && builder != NULL ? fx_json_read(text, NULL, &err) : NULL;
    if (given != NULL && fx_schema_add_structural(builder, FX_TEXT("g"), FX_TEXT("v"),
                                                  FX_TEXT("K"), given, &err)) {
        schema = fx_schema_find(fx_schema_builder_set(builder), FX_TEXT("g"),
                                FX_TEXT("v"), FX_TEXT("K"));
    }
    json_decref(given);
    return schema;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_text rest = {(const char *)data, size};
    struct fx_err err = FX_ERR_INIT;
    struct fx_schema_builder *builder = fx_schema_builder_create();
    const struct fx_schema schema = make_schema(builder, take(&rest));
    json_t *live = fx_json_read(take(&rest), NULL, &err);
    json_t *patch = fx_json_read(take(&rest), NULL, &err);
    if (schema.set != NULL && live != NULL && patch != NULL) {
        check_merge(schema, live, patch);
    }
    json_decref(live);
    json_decref(patch);
    fx_schema_builder_destroy(builder);
    return 0;
}
