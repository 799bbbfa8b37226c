/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/reads_chain.h - private to reads*.c: a chain of fields, such
 * as `object.spec.replicas`, `params.data["team"]` or `variables.team.name`.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_READS_CHAIN_H
#define FX_MUTATORS_ADMISSION_POLICY_READS_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/text.h"
#include "mutators/admission_policy/reads.h"

struct map_chain {
    struct fx_buf path;
    const json_t *value;  /* borrowed until the end of the reads; NULL if it is absent */
    struct fx_text fault; /* of a variable: what to show instead of a value */
    size_t slot;          /* enum map_slot; MAP_SLOTS: a name of a loop */
    const struct map_variable *variable; /* that the chain begins with; or NULL */
    bool is_unknown; /* it begins with a counter, or a name without a known value */
    bool is_secret;  /* its value is not shown */
    size_t n_steps;  /* after the name at its beginning */
    struct fx_text keys[2]; /* of the first steps */
};

/* Reads the node. False if it is no chain. fx_map_chain_finish() in any case. */
bool fx_map_chain_read(struct map_reads *reads, const struct fx_cel_node *node,
                       struct map_chain *ret_chain);
void fx_map_chain_finish(struct map_chain *chain);

#endif
