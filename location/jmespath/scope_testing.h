/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/scope_testing.h - a scope for tests: its names are the members of an
 * object.
 */
#ifndef FX_LOCATION_JMESPATH_SCOPE_TESTING_H
#define FX_LOCATION_JMESPATH_SCOPE_TESTING_H

#include "location/jmespath/jmespath.h"
#include "value/tree.h"

static inline bool jmespath_scope_find(void *context, struct fx_text name,
                                       json_t **ret_value, struct fx_err *err) {
    (void)err;
    *ret_value = json_incref(fx_tree_view_text(context, name));
    return true;
}

static inline bool jmespath_scope_all(void *context, json_t **ret_object,
                                      struct fx_err *err) {
    (void)err;
    *ret_object = json_incref(context);
    return true;
}

/* The scope borrows the object. */
static inline struct fx_jmespath_scope jmespath_scope_of(json_t *object) {
    return (struct fx_jmespath_scope){
        .find = jmespath_scope_find, .all = jmespath_scope_all, .context = object};
}

#endif
