/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/guise.h - a dialect whose rules are shown the object with members that are not
 * in it, or without some that are. What was put on is taken off again before anybody else
 * looks: it is in no result.
 */
#ifndef FX_ENGINE_GUISE_H
#define FX_ENGINE_GUISE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/request.h"

/* Neither may change the object's type or names. Those who see the guise must leave what
 * was put on alone. */
struct fx_guise {
    /* Puts it on, copying on write. *ret_kept is what has to be put back: a new
     * reference, or NULL for nothing. Errors: FX_ENOMEM. */
    bool (*put_on)(const struct fx_request *request, json_t **root, json_t **ret_kept,
                   struct fx_err *err);

    /* Takes it off. `kept` stays the caller's. Errors: FX_ENOMEM. */
    bool (*take_off)(json_t **root, const json_t *kept, struct fx_err *err);

    /* The Node whose manifest belongs to the guise of this object, by its name as the
     * object gives it, whatever that is; empty: none. Borrowed from the object. May be
     * NULL: never any. */
    struct fx_text (*node_name)(const struct fx_subject *subject);
};

#endif
