/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/cost_fuzz.c - any query on a root of any shape and size: it takes no
 * longer than what it pays for.
 *
 *     shape | size | query
 *
 * `a` and `b` are of the shape.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cost_testing.h"
#include "base/limits.h"
#include "location/jmespath/jmespath.h"
#include "value/shapes_testing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD          2
#define MOST_EXPONENT 17u

struct work {
    const struct fx_jmespath *query;
    json_t *root;
};

static void evaluate(void *user, struct cost *ret_cost) {
    const struct work *work = user;
    struct fx_err err = FX_ERR_INIT;
    json_t *value = NULL;
    cost_begin(ret_cost);
    const enum fx_jmespath_outcome outcome =
        fx_jmespath_search(work->query, work->root, NULL, &value, &err);
    cost_end(ret_cost);
    assert(outcome != FX_JMESPATH_VALUE || ret_cost->units <= FX_LIMIT_JMESPATH_STEPS);
    json_decref(value);
}

/* The price of a pattern is not by its bytes. */
static bool has_pattern(struct fx_text text) {
    return fx_text_contains(text, FX_TEXT("regex_"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEAD) {
        return 0;
    }
    struct fx_err err = FX_ERR_INIT;
    struct fx_jmespath *query = NULL;
    const struct fx_text text = {(const char *)data + HEAD, size - HEAD};
    if (has_pattern(text) || !fx_jmespath_compile(text, &query, &err)) {
        return 0;
    }
    const size_t shape = data[0] % fx_value_shapes();
    const size_t bytes = (size_t)1 << (data[1] % (MOST_EXPONENT + 1));
    struct work work = {
        query,
        json_pack("{s:o, s:o}", "a", fx_value_shape_make(shape, bytes), "b",
                  fx_value_shape_make(shape, bytes)),
    };
    cost_check(evaluate, &work, COST_NS_FREE);
    json_decref(work.root);
    fx_jmespath_destroy(query);
    return 0;
}
