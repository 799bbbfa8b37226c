/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/expressions.c - each operator, function and step of JSONPath, evaluated on
 * objects of each shape.
 */
#include "meter.h"

#include <stdio.h>

#include "location/jsonpath/jsonpath.h"
#include "location/jsonpath/program.h"
#include "value/shapes_testing.h"

/* What is no operator between two values and no function. */
static const char *const others[] = {
    "$.a",
    "-$.a",
    "!$.a",
    "$.a ? $.b : 1",
    "\"\" + $.a",
    "\"x\" in $.b",
    "[$.a, $.b]",
    "{\"x\": $.a}",
    "$.a[*]",
    "$..x",
    "$..*",
    "$.a[0:-1:1]",
    "$.a[-1]",
    "$.a[0, 1, 2]",
    "$.a[? @ == $.b]",
    "$.a[? @ =~ \"^(1|a)*$\"]",
};

#define N_FUNCTIONS ((size_t)FUNCTION_NONE)
#define N_OPERATORS ((size_t)OPERATOR_NONE)

/* `$.a` and `$.b` are alike: made of the shape. A pattern is a constant. */
static bool write_expression(size_t index, char *out, size_t size) {
    if (index < N_OPERATORS) {
        const bool matches = index == OPERATOR_MATCH || index == OPERATOR_NO_MATCH;
        (void)snprintf(out, size, "$.a %s %s",
                       fx_jsonpath_operator((enum operator_id)index)->text,
                       matches ? "\"^(1|a)*$\"" : "$.b");
        return true;
    }
    index -= N_OPERATORS;
    if (index < N_FUNCTIONS) {
        (void)snprintf(out, size, "%s($.a)",
                       fx_jsonpath_function_name((enum function_id)index));
        return true;
    }
    index -= N_FUNCTIONS;
    if (index < FX_COUNT(others)) {
        (void)snprintf(out, size, "%s", others[index]);
        return true;
    }
    return false;
}

static bool describe(size_t index, struct meter_case *ret_case) {
    const size_t n = fx_value_shapes();
    if (!write_expression(index / n, ret_case->subject, sizeof ret_case->subject)) {
        return false;
    }
    (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s",
                   fx_value_shape_name(index % n));
    return true;
}

static void evaluate(const struct fx_jsonpath *path, json_t *root) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_jsonpath_result result = {0};
    meter_start();
    meter_stop(fx_jsonpath_eval(path, root, &result, &err));
    fx_jsonpath_result_finish(&result);
}

static void run(size_t index, size_t size) {
    const size_t n = fx_value_shapes();
    char text[64] = "";
    struct fx_jsonpath *path = NULL;
    struct fx_err err = FX_ERR_INIT;
    json_t *root = json_pack("{s:o, s:o}", "a", fx_value_shape_make(index % n, size), "b",
                             fx_value_shape_make(index % n, size));
    if (write_expression(index / n, text, sizeof text) &&
        fx_jsonpath_compile(fx_text_of(text), FX_JSONPATH_EXPRESSION, &path, &err)) {
        evaluate(path, root);
    }
    fx_jsonpath_destroy(path);
    json_decref(root);
}

const struct meter_set meter_expressions = {"expressions", describe, run};
