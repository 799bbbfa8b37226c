/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_guise.c - the object changes its clothes between the dialects of a
 * pass.
 */
#include "engine/converge_run.h"

/* The texts of the subject stay: a guise leaves type and names alone. */
static void follow(struct run *run) {
    run->subject.object = *run->root;
    run->is_stale = true;
}

bool fx_run_dress(struct run *run, const struct fx_guise *guise, struct fx_err *err) {
    if (run->guise != NULL) {
        const bool ok = run->guise->take_off(run->root, run->kept, err);
        json_decref(run->kept);
        run->kept = NULL;
        run->guise = NULL;
        follow(run);
        if (!ok) {
            return false;
        }
    }
    if (guise != NULL) {
        if (!guise->put_on(run->request, run->root, &run->kept, err)) {
            return false;
        }
        run->guise = guise;
        follow(run);
    }
    return true;
}
