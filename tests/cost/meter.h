/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/meter.h - what the cost meter measures: sets of cases, each of which does
 * one piece of work at any size.
 */
#ifndef FX_TESTS_COST_METER_H
#define FX_TESTS_COST_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The work starts and ends: what stands outside of the two is not counted. */
void meter_start(void);
void meter_stop(bool ok);

/* One case: what is measured, and by which arguments. */
struct meter_case {
    char subject[64];
    char shape[64];
};

struct meter_set {
    const char *name;
    /* The case of that number; false: there are no more. */
    bool (*describe)(size_t index, struct meter_case *ret_case);
    /* Does its work once, in arguments of that size. */
    void (*run)(size_t index, size_t size);
};

extern const struct meter_set meter_templates;    /* functions of templates */
extern const struct meter_set meter_formats;      /* verbs of printf */
extern const struct meter_set meter_expressions;  /* of JSONPath */
extern const struct meter_set meter_queries;      /* of JMESPath */
extern const struct meter_set meter_functions;    /* of CEL */
extern const struct meter_set meter_programs;     /* of CEL */
extern const struct meter_set meter_compilations; /* of CEL */
extern const struct meter_set meter_merges;       /* typed merges and JSON patches */
extern const struct meter_set meter_policies;     /* of admission */
extern const struct meter_set meter_values;       /* readers, writers, digests, patches */

#endif
