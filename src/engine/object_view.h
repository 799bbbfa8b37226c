/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/object_view.h - how a dialect shows the object to its rules: with members that
 * the object does not have, or without some that it has. The object is restored before
 * the rules of another dialect run, so the view is in no result.
 */
#ifndef FX_ENGINE_OBJECT_VIEW_H
#define FX_ENGINE_OBJECT_VIEW_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/request.h"

/* Neither function may change the object's type or names. Rules must not write the
 * members that a view adds. */
struct fx_object_view {
    /* Changes *root to the view, copying on write. *ret_kept is what `restore` needs: a
     * new reference, or NULL. Errors: FX_ENOMEM. */
    bool (*show)(const struct fx_request *request, json_t **root, json_t **ret_kept,
                 struct fx_err *err);

    /* Undoes `show`. `kept` stays the caller's. Errors: FX_ENOMEM. */
    bool (*restore)(json_t **root, const json_t *kept, struct fx_err *err);
};

#endif
