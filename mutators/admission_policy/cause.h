/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/cause.h - private: finds what a value was computed from that
 * a mutation wrote: the sub-expression that gave it, and what that reads.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_CAUSE_H
#define FX_MUTATORS_ADMISSION_POLICY_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/text.h"
#include "mutators/admission_policy/reads.h"

/* A location in the object, and the walk along it. */
struct map_location {
    const struct fx_text *tokens; /* of its JSON Pointer, unescaped */
    size_t n_tokens;
    json_t *after; /* the object after the mutation */
    /* Of a patch: indices of lists, which shift, match any other index; and an operation
     * that leads to the location was found. */
    bool is_loose, is_found;
};

/* Adds to reads->list what the expression of a configuration read for the value at the
 * location. */
void fx_map_trace_configuration(struct map_reads *reads,
                                const struct map_location *location);

/* The same for the operations of a JSON Patch. */
void fx_map_trace_patch(struct map_reads *reads, struct map_location *location);

/* The same for a node whose value was written at the first `depth` tokens; `value` is the
 * value there after the mutation, or NULL. */
void fx_map_trace_value(struct map_reads *reads, const struct map_location *location,
                        const struct fx_cel_node *node, size_t depth,
                        const json_t *value);

/* May the node have made this element of a list? Its fields that are texts, such as the
 * name, must be those of the element. */
bool fx_map_may_make(struct map_reads *reads, const struct fx_cel_node *node,
                     const json_t *element);

/* For `causes` of a mutator. */
bool fx_map_rule_causes(const struct fx_mutator *self, const struct fx_request *request,
                        json_t *before, struct fx_trace_change *changes, size_t n_changes,
                        struct fx_arena *arena);

#endif
