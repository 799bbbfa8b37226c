/* SPDX-License-Identifier: Apache-2.0
 *
 * system.h - the mutators of a Gatekeeper case. They are added one after another, as a
 * controller does, and the error of each upsert is recorded.
 */
#ifndef FX_CONFORMANCE_SYSTEM_H
#define FX_CONFORMANCE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/snapshot.h"
#include "result.h"

struct fx_case_system {
    struct fx_mutator **mutators; /* counted, one for each id, in the order of upserts */
    size_t n_mutators, cap_mutators;
    struct fx_resource **providers; /* counted */
    size_t n_providers, cap_providers;
    struct fx_snapshot *snapshot; /* of all mutators */
    json_t *upsert_errors;        /* the message of each upsert that caused a conflict */
};

/* Makes a system without mutators, but with the row's `providers`, if it has any. A
 * provider that is null is not added. Errors: FX_ENOMEM. */
bool fx_case_system_init(struct fx_case_system *system, const json_t *row,
                         struct fx_err *err) FX_MUST_USE;
void fx_case_system_finish(struct fx_case_system *system); /* NULL or zeroed is fine */

/* Compiles the policy and adds its mutator, or replaces the one with the same id. Errors:
 * those of the dialect's compile; FX_EINVALID if no dialect has the kind. */
bool fx_case_system_upsert(struct fx_case_system *system, json_t *policy,
                           struct fx_err *err) FX_MUST_USE;

/* Removes the mutator with that id, if there is one. */
bool fx_case_system_remove(struct fx_case_system *system, struct fx_text kind,
                           struct fx_text name, struct fx_err *err) FX_MUST_USE;

/* Compares `conflicts` (the disabled mutators), `conflictsById` and `upsertErrors`, as
 * far as `expect` has them. */
void fx_case_system_compare(const struct fx_case_system *system, const json_t *expect,
                            struct fx_case_result *result);

#endif
