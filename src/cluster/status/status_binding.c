/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_binding.c - the entry of a binding: is its policy there, and are
 * its parameters?
 */
#include "cluster/status/status_internal.h"

#include "base/buf.h"
#include "engine/link.h"
#include "value/tree.h"

/* Appends an error without a type. */
static bool append_error(json_t *errors, const char *message) {
    return fx_tree_append_take(errors, json_pack("{s:s}", "message", message));
}

/* Appends that there is no such policy. */
static bool append_no_policy(json_t *errors, const struct fx_unit *binding) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "there is no valid %s `%.*s`", binding->kind->policy->kind,
                  FX_TEXT_ARG(binding->linkable->target));
    const bool ok = !text.failed && append_error(errors, text.data);
    fx_buf_finish(&text);
    return ok;
}

static const char *namespace_of(const struct fx_unit *object) {
    return object->namespace_ != NULL ? object->namespace_ : "";
}

/* "NAMESPACE/NAME", or "NAME" of an object without a namespace. NULL without memory. */
static json_t *print_parameter(const struct fx_unit *object) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "%s%s%s", namespace_of(object),
                  namespace_of(object)[0] == '\0' ? "" : "/", object->name);
    json_t *printed = text.failed ? NULL : fx_tree_new_string(fx_buf_view(&text));
    fx_buf_finish(&text);
    return printed;
}

/* Sets the number of the parameters, and the first names. */
static bool set_parameters(json_t *entry, const struct fx_objects_found *found) {
    json_t *names = json_array();
    bool ok = names != NULL;
    for (size_t i = 0; ok && i < found->n_items && i < FX_STATUS_PARAMETERS; i++) {
        ok = fx_tree_append_take(names, print_parameter(found->items[i]));
    }
    ok = ok && fx_tree_set_take(entry, FX_TEXT("parametersFound"),
                                json_integer((json_int_t)found->n_items));
    if (!ok || found->n_items == 0) {
        json_decref(names);
        return ok;
    }
    return fx_tree_set_take(entry, FX_TEXT("parameters"), names);
}

/* What the link step of its policy found; NULL if there is no such policy. */
static const struct fx_link_binding *find_linked(const struct fx_policies *built,
                                                 const struct fx_unit *binding) {
    const struct fx_unit *policy = fx_units_find(&built->units, binding->kind->policy,
                                                 FX_TEXT(""), binding->linkable->target);
    const struct fx_linked *linked =
        policy == NULL ? NULL : fx_linked_find(built->linked, built->n_linked, policy);
    return linked == NULL ? NULL : fx_linked_find_binding(linked, binding);
}

bool fx_status_add_binding(const struct fx_policies *built, const struct fx_unit *unit,
                           json_t *entry, json_t *errors) {
    if (unit->kind == NULL || unit->kind->policy == NULL || unit->linkable == NULL) {
        return true;
    }
    const struct fx_link_binding *found = find_linked(built, unit);
    if (found == NULL) {
        return append_no_policy(errors, unit);
    }
    return (found->fault == NULL || append_error(errors, found->fault)) &&
           (!found->has_parameters || set_parameters(entry, &found->parameters));
}
