/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/program.c - the vocabulary, and the end of a program.
 */
#include "location/jsonpath/program.h"

#include <assert.h>
#include <stdlib.h>

#include "location/go/strconv.h"

static const struct operator_entry operators[] = {
#define X(name, text, binding) [OPERATOR_##name] = {text, binding},
    OPERATORS(X)
#undef X
};

const struct operator_entry *fx_jsonpath_operator(enum operator_id id) {
    assert(id < OPERATOR_NONE);
    return &operators[id];
}

static const char *const function_names[] = {
#define X(id, name) [FUNCTION_##id] = name,
    FUNCTIONS(X)
#undef X
};

const char *fx_jsonpath_function_name(enum function_id id) {
    assert(id < FUNCTION_NONE);
    return function_names[id];
}

bool fx_jsonpath_parse_float(struct fx_text text, double *ret_number) {
    return text.len <= FX_GO_SHORT_NUMBER &&
           fx_go_parse_float(text, ret_number) == FX_GO_NUMBER;
}

void fx_jsonpath_destroy(struct fx_jsonpath *path) {
    if (path == NULL) {
        return;
    }
    for (size_t i = 0; i < path->n_patterns; i++) {
        fx_regex_destroy(path->patterns[i]);
    }
    free(path->patterns);
    free(path->nodes);
    free(path->store);
    free(path);
}
