/* SPDX-License-Identifier: Apache-2.0
 *
 * value/go_patch_fuzz.c - two JSON texts with a line break or NUL between them: an
 * object, and a list of operations. Applying them, as each version does, leaves the
 * object as it is, also if it fails; the result is within the limits, and the same again.
 */
#include <assert.h>
#include <string.h>

#include "base/limits.h"
#include "value/equal.h"
#include "value/go_patch.h"
#include "value/json.h"
#include "value/measure.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 32 /* operations */

static size_t read_operations(const json_t *list, struct fx_go_operation *operations) {
    const size_t n = json_array_size(list) < MOST ? json_array_size(list) : MOST;
    for (size_t i = 0; i < n; i++) {
        const json_t *given = json_array_get(list, i);
        operations[i] = (struct fx_go_operation){
            .op = fx_tree_view_string(given, "op"),
            .path = fx_tree_view_string(given, "path"),
            .from = fx_tree_view_string(given, "from"),
            .value = fx_tree_view_key(given, "value"),
        };
    }
    return n;
}

/* The result, or NULL after a failure. */
static json_t *apply(enum fx_go_patch_version version,
                     const struct fx_go_operation *operations, size_t n, json_t *object) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf message;
    struct fx_go_patch patch = {
        .version = version, .prefix = "prefix: ", .message = &message};
    json_t *root = json_incref(object);
    fx_buf_init(&message, 0);
    const bool ok = fx_go_patch_apply(&patch, operations, n, &root, &err);
    assert(ok || err.code == FX_EMUTATE || err.code == FX_ELIMIT ||
           err.code == FX_ENOMEM);
    assert(ok || err.code != FX_EMUTATE || strncmp(message.data, "prefix: ", 8) == 0);
    assert(version == FX_GO_PATCH_V4 || !patch.stopped);
    fx_buf_finish(&message);
    return fx_tree_keep_if(ok, root);
}

static void check(enum fx_go_patch_version version, const json_t *operations_given,
                  json_t *object) {
    struct fx_go_operation operations[MOST];
    const size_t n = read_operations(operations_given, operations);
    json_t *before = fx_tree_deep_copy(object);
    json_t *first = apply(version, operations, n, object);
    json_t *second = apply(version, operations, n, object);
    size_t nodes = (size_t)64 << 20;
    assert(fx_equal(object, before));
    assert((first == NULL) == (second == NULL));
    assert(first == NULL || (fx_equal(first, second) &&
                             fx_tree_measure(first, FX_LIMIT_JSON_DEPTH, &nodes)));
    json_decref(before);
    json_decref(first);
    json_decref(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_text rest = {(const char *)data, size};
    size_t len = 0;
    while (len < size && data[len] != '\n' && data[len] != '\0') {
        len++;
    }
    json_t *object = fx_json_read((struct fx_text){rest.data, len}, NULL, &err);
    json_t *list =
        fx_json_read(fx_text_rest(rest, len < size ? len + 1 : len), NULL, &err);
    if (json_is_object(object) && json_is_array(list)) {
        check(FX_GO_PATCH_V4, list, object);
        check(FX_GO_PATCH_V5, list, object);
    }
    json_decref(object);
    json_decref(list);
    return 0;
}
