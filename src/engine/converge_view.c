/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_view.c - shows the object as the dialect of the next rule needs it.
 */
#include "engine/converge_run.h"

/* The texts of the subject stay valid: a view does not change type and names. */
static void follow(struct converge *run) {
    run->subject.object = *run->root;
    run->is_stale = true;
}

bool fx_converge_set_view(struct converge *run, const struct fx_object_view *view,
                          struct fx_err *err) {
    if (run->view != NULL) {
        const bool ok = run->view->restore(run->root, run->kept, err);
        json_decref(run->kept);
        run->kept = NULL;
        run->view = NULL;
        follow(run);
        if (!ok) {
            return false;
        }
    }
    if (view != NULL) {
        if (!view->show(run->request, run->root, &run->kept, err)) {
            return false;
        }
        run->view = view;
        follow(run);
    }
    return true;
}
