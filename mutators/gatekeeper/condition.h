/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/condition.h - private: one condition: conditions_read.c compiles
 * it, conditions.c evaluates it.
 */
#ifndef FX_MUTATORS_GATEKEEPER_CONDITION_H
#define FX_MUTATORS_GATEKEEPER_CONDITION_H

#include <stddef.h>

#include <jansson.h>

#include "base/regex.h"
#include "mutators/gatekeeper/other_place.h"

/* operator, as written */
#define CONDITION_OPERATORS(X)        \
    X(EXISTS, "Exists")               \
    X(DOES_NOT_EXIST, "DoesNotExist") \
    X(IN, "In")                       \
    X(NOT_IN, "NotIn")                \
    X(MATCHES, "Matches")

enum condition_operator {
#define X(name, text) CONDITION_##name,
    CONDITION_OPERATORS(X)
#undef X
};

struct condition {
    struct other_place place;
    enum condition_operator relation; /* its `operator` */
    json_t *values;                   /* In, NotIn: the list, counted */
    json_t *strings;                  /* likewise: those that are strings, as keys */
    struct fx_regex **patterns;       /* Matches */
    size_t n_patterns;
};

#endif
