/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/queries.c - each function and operator of JMESPath, evaluated on values of
 * each shape: with the value in all places that take it, in the first, and in the last.
 */
#include "meter.h"

#include <stdio.h>
#include <string.h>

#include "location/jmespath/function.h"
#include "location/jmespath/jmespath.h"
#include "value/shapes_testing.h"

static const char *const others[] = {
    "a",
    "!a",
    "a == b",
    "a != b",
    "a < b",
    "a || b",
    "a && b",
    "a | @",
    "[a, b]",
    "{x: a, y: b}",
    "a.x",
    "a[-1]",
    "a[*]",
    "a[*].x",
    "a.*",
    "a[]",
    "a[?@]",
    "a[?@ == 'x']",
    "a[::-1]",
    "a[0:9]",
    "map(&[@], a)",
    "sort_by(a, &to_string(@))",
};

enum { LARGE_ALL, LARGE_FIRST, LARGE_LAST, N_PLACES };

/* ---- calls --------------------------------------------------------------------------
 */

static unsigned type_of_shape(const json_t *value) {
    return json_is_string(value)   ? FX_JMESPATH_STRING
           : json_is_object(value) ? FX_JMESPATH_OBJECT
           : json_is_array(value)  ? FX_JMESPATH_ARRAY | FX_JMESPATH_ARRAY_OF_STRING |
                                        FX_JMESPATH_ARRAY_OF_NUMBER
                                  : FX_JMESPATH_NUMBER;
}

/* What is given where the value of the shape is not. */
static const char *small_argument(unsigned types) {
    return (types & FX_JMESPATH_EXPRESSION) != 0        ? "&@"
           : (types & FX_JMESPATH_STRING) != 0          ? "'1'"
           : (types & FX_JMESPATH_NUMBER) != 0          ? "`1`"
           : (types & FX_JMESPATH_OBJECT) != 0          ? "`{\"a\": 1}`"
           : (types & FX_JMESPATH_ARRAY) != 0           ? "`[1]`"
           : (types & FX_JMESPATH_ARRAY_OF_STRING) != 0 ? "`[\"a\"]`"
                                                        : "`[1]`";
}

static size_t count_parameters(const struct fx_jmespath_function *function) {
    size_t n = 0;
    while (n < FX_JMESPATH_MOST_PARAMETERS && function->parameters[n].types != 0) {
        n++;
    }
    return n;
}

/* Writes the call, and tells how many of the arguments are of the shape. */
static void write_call(const struct fx_jmespath_function *function, unsigned type,
                       unsigned place, char *out, size_t size, size_t *ret_n_large) {
    bool is_large[FX_JMESPATH_MOST_PARAMETERS];
    const size_t n = count_parameters(function);
    size_t first = n;
    size_t last = n;
    size_t n_large = 0;
    for (size_t i = 0; i < n; i++) {
        is_large[i] = (function->parameters[i].types & type) != 0;
        first = is_large[i] && first == n ? i : first;
        last = is_large[i] ? i : last;
        n_large += is_large[i] ? 1 : 0;
    }
    int len = snprintf(out, size, "%s(", function->name);
    for (size_t i = 0; i < n; i++) {
        const bool is_given = is_large[i] && (place == LARGE_ALL ||
                                              i == (place == LARGE_FIRST ? first : last));
        len += snprintf(out + len, size - (size_t)len, "%s%s", i == 0 ? "" : ", ",
                        is_given ? (i == first ? "a" : "b")
                                 : small_argument(function->parameters[i].types));
    }
    (void)snprintf(out + len, size - (size_t)len, ")");
    *ret_n_large = n_large;
}

/* ---- cases ---------------------------------------------------------------------------
 */

static size_t count_functions(void) {
    size_t n = 0;
    while (fx_jmespath_function_at(n) != NULL) {
        n++;
    }
    return n;
}

/* Splits the number of a case into what is called, the shape, and the place. */
struct query_case {
    size_t subject, shape;
    unsigned place;
};

static struct query_case case_of(size_t index) {
    const size_t shapes = fx_value_shapes();
    return (struct query_case){index / N_PLACES / shapes, index / N_PLACES % shapes,
                               (unsigned)(index % N_PLACES)};
}

static bool describe(size_t index, struct meter_case *ret_case) {
    const struct query_case one = case_of(index);
    const size_t n_functions = count_functions();
    if (one.subject >= n_functions + FX_COUNT(others)) {
        return false;
    }
    const bool is_call = one.subject < n_functions;
    (void)snprintf(ret_case->subject, sizeof ret_case->subject, "%s%s",
                   is_call ? fx_jmespath_function_at(one.subject)->name
                           : others[one.subject - n_functions],
                   is_call ? "()" : "");
    (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s",
                   fx_value_shape_name(one.shape));
    return true;
}

/* False if the case is the same as an earlier one. */
static bool write_query(const struct query_case *one, const json_t *value, char *out,
                        size_t size) {
    const size_t n_functions = count_functions();
    if (one->subject < n_functions) {
        size_t n_large = 0;
        write_call(fx_jmespath_function_at(one->subject), type_of_shape(value),
                   one->place, out, size, &n_large);
        return one->place == LARGE_ALL ? n_large > 0 || one->shape == 0 : n_large > 1;
    }
    (void)snprintf(out, size, "%s", others[one->subject - n_functions]);
    return one->place == LARGE_ALL;
}

static void evaluate(const struct fx_jmespath *query, json_t *root) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = NULL;
    meter_start();
    meter_stop(fx_jmespath_search(query, root, NULL, &value, &err) == FX_JMESPATH_VALUE);
    json_decref(value);
}

static void run(size_t index, size_t size) {
    const struct query_case one = case_of(index);
    char text[256] = "";
    struct fx_jmespath *query = NULL;
    struct fx_err err = FX_ERR_INIT;
    json_t *a = fx_value_shape_make(one.shape, size);
    if (write_query(&one, a, text, sizeof text) &&
        fx_jmespath_compile(fx_text_of(text), &query, &err)) {
        json_t *root =
            json_pack("{s:O, s:o}", "a", a, "b", fx_value_shape_make(one.shape, size));
        evaluate(query, root);
        json_decref(root);
    }
    fx_jmespath_destroy(query);
    json_decref(a);
}

const struct meter_set meter_queries = {"queries", describe, run};
