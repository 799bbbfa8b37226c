/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/label_guard.c - who may set the label that exempts a namespace
 * (spec section 8).
 */
#include "mutators/gatekeeper/webhook.h"
#include "value/tree.h"

#define LABEL "admission.gatekeeper.sh/ignore"

static const char *passes(const struct fx_guard_request *request) {
    if (request->operation == FX_OPERATION_DELETE) {
        return "Delete is always allowed";
    }
    const bool is_namespace =
        request->group.len == 0 && fx_text_is(request->kind, "Namespace");
    return is_namespace ? NULL : "Not a namespace";
}

static bool is_exempt(const struct fx_exemptions *exempt, struct fx_text name) {
    for (size_t i = 0; i < exempt->n_names; i++) {
        if (fx_text_is(name, exempt->names[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < exempt->n_prefixes; i++) {
        if (fx_text_starts(name, fx_text_of(exempt->prefixes[i]))) {
            return true;
        }
    }
    for (size_t i = 0; i < exempt->n_suffixes; i++) {
        if (fx_text_ends(name, fx_text_of(exempt->suffixes[i]))) {
            return true;
        }
    }
    return false;
}

static bool has_label(const json_t *object) {
    const json_t *metadata = fx_tree_view_key(object, "metadata");
    return fx_tree_view_key(fx_tree_view_key(metadata, "labels"), LABEL) != NULL;
}

/* A write of `status` or `finalize` may bring labels along, so it is checked, too. One
 * that only keeps the label is allowed: the controller that empties and ends a Namespace
 * writes both, and a denial would keep the Namespace for ever. */
static bool only_keeps_label(const struct fx_guard_request *request) {
    return request->subresource.len > 0 && has_label(request->object) &&
           has_label(request->old_object);
}

static bool allows(const struct fx_guard_request *request, struct fx_buf *message) {
    const json_t *metadata = fx_tree_view_key(request->object, "metadata");
    const struct fx_text name = fx_tree_view_string(metadata, "name");
    if (is_exempt(request->exempt, name)) {
        fx_buf_printf(message, "Namespace %.*s is allowed to set " LABEL,
                      FX_TEXT_ARG(name));
        return true;
    }
    if (only_keeps_label(request)) {
        fx_buf_str(message, "Namespace has the " LABEL " label already");
        return true;
    }
    if (has_label(request->object)) {
        fx_buf_str(message, "Only exempt namespace can have the " LABEL " label");
        return false;
    }
    fx_buf_str(message, "Namespace is not setting the " LABEL " label");
    return true;
}

const struct fx_guard fx_label_guard = {.passes = passes, .allows = allows};
