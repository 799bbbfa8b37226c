/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/configuration.h - what an ApplyConfiguration does to an
 * object (spec/mutating-admission-policy.md sections 8 and 18).
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_CONFIGURATION_H
#define FX_MUTATORS_ADMISSION_POLICY_CONFIGURATION_H

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "location/cel/cel.h"
#include "mutators/admission_policy/target.h"

/* The tree of an Object{…} value, to be merged: a new reference; NULL if it fails. It has
 * no apiVersion and no kind, because a configuration cannot change these. */
json_t *fx_map_configuration_read(struct fx_cel_value value,
                                  struct fx_map_refusal *refusal,
                                  struct fx_err *err) FX_MUST_USE;

/* The tree of an expression that reads no variable and is evaluated in few steps: then it
 * has the same value for every object. *ret_tree is a new reference; NULL if there is no
 * such tree, also if the expression fails or its value is refused: then it does so for
 * every object. Errors: FX_ENOMEM, FX_EDEADLINE. */
bool fx_map_configuration_fold(const struct fx_cel_program *program, json_t **ret_tree,
                               struct fx_err *err) FX_MUST_USE;

/* Merges a tree that fx_map_configuration_read() made into *root, by the kind's schema.
 * The tree is not written; it may be merged into other objects, too, on any thread.
 *
 * *root is written in place if that is simple (fx_typed_merge_plain()), otherwise it
 * becomes a new tree that shares what did not change. In either way nodes that others
 * share are not written, and *root stays the same node, with its nodes, if nothing
 * changes. The arena has memory for the work. On failure *root is unchanged; only after
 * FX_ENOMEM, a part of the configuration may be in a *root that nobody shares. */
bool fx_map_configuration_merge(json_t *tree, const struct fx_map_target *target,
                                json_t **root, struct fx_arena *arena,
                                struct fx_map_refusal *refusal,
                                struct fx_map_change *ret_change,
                                struct fx_err *err) FX_MUST_USE;

#endif
