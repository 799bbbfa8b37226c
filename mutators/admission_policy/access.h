/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/access.h - private: what a rule reads and writes in an
 * object, as far as its policy says.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_ACCESS_H
#define FX_MUTATORS_ADMISSION_POLICY_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/access.h"
#include "engine/mutator.h"
#include "mutators/admission_policy/policy.h"

/* The engine's access slot (engine/mutator.h), for each type of rule. */
void fx_map_rule_access(const struct fx_mutator *self, struct fx_access *access);

/* ---- writes (access_writes.c) ------------------------------------------------------ */

/* The most steps of a declared path; what is below counts as a part of the value at its
 * end. */
#define MAP_MOST_STEPS 24u

/* The most paths of a rule, and the most nodes of expressions that are followed. With
 * more of either the rule may write anywhere. */
#define MAP_MOST_PATHS 64u
#define MAP_MOST_NODES 4096u

/* Paths that are being declared. */
struct map_writing {
    const struct map_policy *policy;
    struct fx_access *access;
    bool only_reads; /* of a validator: what mutations would write is only read */
    struct fx_path_step steps[MAP_MOST_STEPS];
    size_t n_steps;
    size_t n_paths, n_nodes;
    bool is_anywhere; /* it may write anywhere, and reads the whole object */
};

/* Begins a declared path of this type with the steps of `writing`, unless there is an
 * equal one. Without steps it is the whole object. */
void fx_map_write_here(struct map_writing *writing, bool writes);

/* Adds a step; false if there are too many. */
bool fx_map_push_step(struct map_writing *writing, struct fx_path_step step) FX_MUST_USE;

/* Counts a node of an expression; false if there are too many. */
bool fx_map_follow_node(struct map_writing *writing) FX_MUST_USE;

/* The expression of the variable that the node selects from `variables`; NULL if it is
 * another node. */
const struct fx_cel_node *fx_map_followed_variable(const struct map_policy *policy,
                                                   const struct fx_cel_node *node);

/* The expression of the items that map() and transformList() make; NULL for another node.
 */
const struct fx_cel_node *fx_map_made_item(const struct fx_cel_node *node);

/* Is it a call of this global function with so many arguments? */
bool fx_map_is_global_call(const struct fx_cel_node *node, const char *function,
                           size_t n_args);

/* Is it a call of this method? */
bool fx_map_is_method(const struct fx_cel_node *node, const char *method);

/* Declares what the value of an ApplyConfiguration, which is an Object{…}, may write. */
void fx_map_write_configuration(struct map_writing *writing,
                                const struct fx_cel_node *node);

/* ---- JSON patches (access_patch.c) ------------------------------------------------- */

/* Declares what the operations of a list of JSONPatch{…} read and write. */
void fx_map_write_patch(struct map_writing *writing, const struct fx_cel_node *node);

#endif
