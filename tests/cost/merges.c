/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/merges.c - what mutations of admission policies do to an object: typed
 * merges of long lists and deep objects, and long JSON patches.
 */
#include "meter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "merge/typed.h"
#include "value/go_patch.h"
#include "value/json.h"
#include "value/tree.h"

/* ---- typed merges ------------------------------------------------------------------ */

/* Objects of a kind: the text before all, an element with its number in it, the text
 * after all. The configuration has every second element, and others. */
static const struct merge_shape {
    const char *name, *kind, *before, *element, *behind;
} merge_shapes[] = {
    {"labels", "Pod", "{\"metadata\":{\"labels\":{", "\"k%zu\":\"v\"", "}}}"},
    {"finalizers, a set", "Pod", "{\"metadata\":{\"finalizers\":[", "\"f.io/%zu\"",
     "]}}"},
    {"containers, by name", "Pod", "{\"spec\":{\"containers\":[",
     "{\"name\":\"c%zu\",\"image\":\"a\"}", "]}}"},
    {"ports, by two keys", "Service", "{\"spec\":{\"ports\":[", "{\"port\":%zu}", "]}}"},
    {"env, in one container", "Pod",
     "{\"spec\":{\"containers\":[{\"name\":\"c\",\"env\":[",
     "{\"name\":\"e%zu\",\"value\":\"a\"}", "]}]}}"},
    {"args, atomic", "Pod", "{\"spec\":{\"containers\":[{\"name\":\"c\",\"args\":[",
     "\"%zu\"", "]}]}}"},
    {"duplicate keys", "Pod", "{\"spec\":{\"containers\":[",
     "{\"name\":\"c\",\"image\":\"%zu\"}", "]}}"},
    {"wrong types", "Pod", "{\"spec\":{\"containers\":[", "{\"name\":%zu}", "]}}"},
};

static json_t *make_object(const struct merge_shape *shape, size_t size, size_t from,
                           size_t step) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, shape->before);
    for (size_t i = from; buf.len < size || i == from; i += step) {
        char element[128] = "";
        char *number = NULL;
        (void)snprintf(element, sizeof element, "%s%s", i == from ? "" : ",",
                       shape->element);
        number = strstr(element, "%zu");
        fx_buf_add(&buf, element, (size_t)(number - element));
        fx_buf_printf(&buf, "%zu%s", i, number + strlen("%zu"));
    }
    fx_buf_str(&buf, shape->behind);
    json_t *object = fx_json_read(fx_buf_view(&buf), NULL, &err);
    fx_buf_finish(&buf);
    return object;
}

static void merge(const struct merge_shape *shape, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_buf message;
    json_t *live = make_object(shape, size, 1, 1);
    json_t *patch = make_object(shape, size, 1, 2);
    const struct fx_schema schema = fx_schema_find(
        &fx_schema_builtin, FX_TEXT(""), FX_TEXT("v1"), fx_text_of(shape->kind));
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_buf_init(&message, 0);
    meter_start();
    json_t *merged = fx_typed_merge(schema, live, patch, &arena, &message, &err);
    meter_stop(merged != NULL);
    json_decref(merged);
    fx_buf_finish(&message);
    fx_arena_finish(&arena);
    json_decref(patch);
    json_decref(live);
}

/* ---- JSON patches ------------------------------------------------------------------ */

/* One operation, again and again. */
static const struct patch_shape {
    const char *name, *op, *path, *from;
} patch_shapes[] = {
    {"add at the front", "add", "/list/0", ""},
    {"add at the end", "add", "/list/-", ""},
    {"add a member", "add", "/map/k", ""},
    {"replace", "replace", "/list/0", ""},
    {"remove from the front", "remove", "/list/0", ""},
    {"test", "test", "/list", ""},
    {"move", "move", "/list/0", "/list/1"},
    {"copy a list into itself", "copy", "/list/-", "/list"},
    {"copy the object into itself", "copy", "/map/k", ""},
    {"long paths", "test", "/deep/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a", ""},
};

#define OPERATION_BYTES 32u /* of the size for an operation */

static json_t *make_patched(size_t size) {
    json_t *list = json_array();
    json_t *deep = json_integer(1);
    for (size_t i = 0; i <= size / OPERATION_BYTES + 1; i++) {
        (void)json_array_append_new(list, json_integer((json_int_t)i));
    }
    for (size_t i = 0; i < 16; i++) {
        deep = json_pack("{s:o}", "a", deep);
    }
    return json_pack("{s:o, s:{}, s:o}", "list", list, "map", "deep", deep);
}

static void apply(const struct fx_go_operation *operations, size_t n, json_t **root) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf message;
    struct fx_go_patch applied = {
        .version = FX_GO_PATCH_V4, .prefix = "", .message = &message};
    fx_buf_init(&message, 0);
    meter_start();
    meter_stop(fx_go_patch_apply(&applied, operations, n, root, &err));
    fx_buf_finish(&message);
}

static void patch(const struct patch_shape *shape, size_t size) {
    const size_t n = size / OPERATION_BYTES + 1;
    json_t *root = make_patched(size);
    json_t *value = shape->op[0] == 't' ? json_deep_copy(json_object_get(root, "list"))
                                        : json_string("v");
    struct fx_go_operation *operations = calloc(n, sizeof *operations);
    for (size_t i = 0; operations != NULL && i < n; i++) {
        operations[i] = (struct fx_go_operation){.op = fx_text_of(shape->op),
                                                 .path = fx_text_of(shape->path),
                                                 .from = fx_text_of(shape->from),
                                                 .value = value};
    }
    if (operations != NULL) {
        apply(operations, n, &root);
    }
    free(operations);
    json_decref(value);
    json_decref(root);
}

/* ---- the set ----------------------------------------------------------------------- */

static bool describe(size_t index, struct meter_case *ret_case) {
    const size_t n = FX_COUNT(merge_shapes);
    if (index >= n + FX_COUNT(patch_shapes)) {
        return false;
    }
    (void)snprintf(ret_case->subject, sizeof ret_case->subject, "%s: %s",
                   index < n ? "merge" : "patch",
                   index < n ? merge_shapes[index].name : patch_shapes[index - n].name);
    (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s",
                   index < n ? merge_shapes[index].kind : patch_shapes[index - n].path);
    return true;
}

static void run(size_t index, size_t size) {
    const size_t n = FX_COUNT(merge_shapes);
    if (index < n) {
        merge(&merge_shapes[index], size);
    } else {
        patch(&patch_shapes[index - n], size);
    }
}

const struct meter_set meter_merges = {"merges", describe, run};
