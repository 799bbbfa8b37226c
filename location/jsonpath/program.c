/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/program.c - the vocabulary, and the end of a program.
 */
#include "location/jsonpath/program.h"

#include <assert.h>
#include <stdlib.h>

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
