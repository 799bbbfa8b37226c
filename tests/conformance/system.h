/* SPDX-License-Identifier: Apache-2.0
 *
 * system.h - the mutators of a Gatekeeper case, put in one after another as a controller
 * would, each with what its upsert reports.
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
    struct fx_snapshot *snapshot; /* of them all */
    json_t *upsert_errors;        /* the words of each upsert that met a conflict */
};

/* A system without mutators, but with the row's `providers`, if it has any; one that is
 * null is not known. Errors: FX_ENOMEM. */
bool fx_case_system_init(struct fx_case_system *system, const json_t *row,
                         struct fx_err *err) FX_MUST_USE;
void fx_case_system_finish(struct fx_case_system *system); /* NULL, zeroed are fine */

/* Compiles the policy and puts it in, or in place of the one with its id. Errors: those
 * of the dialect's compile; FX_EINVALID where no dialect speaks the kind. */
bool fx_case_system_upsert(struct fx_case_system *system, json_t *policy,
                           struct fx_err *err) FX_MUST_USE;

/* Takes out the mutator of that id, if it is there. */
bool fx_case_system_remove(struct fx_case_system *system, struct fx_text kind,
                           struct fx_text name, struct fx_err *err) FX_MUST_USE;

/* Compares `conflicts` (who is disabled), `conflictsById` and `upsertErrors`, as far as
 * `expect` has them. */
void fx_case_system_compare(const struct fx_case_system *system, const json_t *expect,
                            struct fx_case_result *result);

#endif
