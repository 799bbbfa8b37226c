/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/cost_fuzz.c - any expression on an object of any shape and size: it
 * takes no longer than what it pays for.
 *
 *     shape | size | expression
 *
 * `$.a` and `$.b` are of the shape.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cost_testing.h"
#include "base/limits.h"
#include "location/jsonpath/jsonpath.h"
#include "value/shapes_testing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD          2
#define MOST_EXPONENT 17u

struct work {
    const struct fx_jsonpath *path;
    json_t *root;
};

static void evaluate(void *user, struct cost *ret_cost) {
    const struct work *work = user;
    struct fx_err err = FX_ERR_INIT;
    struct fx_jsonpath_result result = {0};
    cost_begin(ret_cost);
    const bool ok = fx_jsonpath_eval(work->path, work->root, &result, &err);
    cost_end(ret_cost);
    assert(!ok || ret_cost->units <= FX_LIMIT_JSONPATH_STEPS);
    fx_jsonpath_result_finish(&result);
}

/* The price of a pattern is not by its bytes. */
static bool has_pattern(struct fx_text text) {
    return fx_text_contains(text, FX_TEXT("=~")) || fx_text_contains(text, FX_TEXT("!~"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEAD) {
        return 0;
    }
    struct fx_err err = FX_ERR_INIT;
    struct fx_jsonpath *path = NULL;
    const struct fx_text text = {(const char *)data + HEAD, size - HEAD};
    if (has_pattern(text) ||
        !fx_jsonpath_compile(text, FX_JSONPATH_EXPRESSION, &path, &err)) {
        return 0;
    }
    const size_t shape = data[0] % fx_value_shapes();
    const size_t bytes = (size_t)1 << (data[1] % (MOST_EXPONENT + 1));
    struct work work = {
        path,
        json_pack("{s:o, s:o}", "a", fx_value_shape_make(shape, bytes), "b",
                  fx_value_shape_make(shape, bytes)),
    };
    cost_check(evaluate, &work, COST_NS_FREE);
    json_decref(work.root);
    fx_jsonpath_destroy(path);
    return 0;
}
