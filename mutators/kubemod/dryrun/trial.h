/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/trial.h - private: the policies of a dry run, tried on its
 * object.
 */
#ifndef FX_MUTATORS_KUBEMOD_DRYRUN_TRIAL_H
#define FX_MUTATORS_KUBEMOD_DRYRUN_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "admission/mutation.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/uuid.h"
#include "engine/trace.h"
#include "mutators/kubemod/dryrun/question.h"
#include "policy/policies.h"

struct fx_dryrun_trial {
    /* Given; borrowed. */
    const struct fx_dryrun_question *question;
    const struct fx_policies *policies;
    struct fx_activity *activity; /* or NULL: who watches it (engine/activity.h) */

    struct fx_arena arena;
    struct fx_trace trace;       /* how all of them fared */
    struct fx_mutation mutation; /* by all; without a result where judges refuse it */
    struct fx_mutation patched;  /* then: by all but those */
    const struct fx_mutation *result; /* the one with the patch */

    /* Private. */
    size_t text_left;
    struct fx_snapshot *acting; /* counted, of `patched`; or NULL */
    json_t *namespace_object;   /* counted, or NULL */
    char mutation_id[FX_UUID_SIZE];
};

/* Tries it: the rest of the trial, zeroed, is filled. To be finished in any case. That
 * judges refuse the object is no failure. Errors: as fx_mutation_begin() and _end(). */
bool fx_dryrun_try(struct fx_dryrun_trial *trial, struct fx_err *err) FX_MUST_USE;
void fx_dryrun_trial_finish(struct fx_dryrun_trial *trial);

#endif
