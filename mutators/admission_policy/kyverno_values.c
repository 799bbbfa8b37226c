/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/kyverno_values.c - the variables that Kyverno gives its
 * policies beside those of API servers: `images`, `exceptions`, `resource`, and the
 * objects in `request`.
 */
#include "base/budget.h"
#include "engine/input.h"
#include "engine/link.h"
#include "mutators/admission_policy/activation.h"
#include "mutators/admission_policy/match.h"
#include "value/tree.h"

/* ---- request ------------------------------------------------------------------------
 */

bool fx_map_describe_objects(json_t **described, const struct fx_request *request,
                             json_t *object) {
    if (fx_tree_own_root(described) == NULL) {
        return false;
    }
    json_t *old = fx_node_unconst(request->old_object);
    return fx_tree_set_take(*described, FX_TEXT("object"), json_incref(object)) &&
           fx_tree_set_take(*described, FX_TEXT("oldObject"),
                            old == NULL ? json_null() : json_incref(old));
}

/* ---- images -------------------------------------------------------------------------
 */

/* The spec of the Pod that the object is, or makes. */
static const json_t *view_pod_spec(const json_t *object) {
    const json_t *spec = fx_tree_view_key(object, "spec");
    const json_t *job = fx_tree_view_key(spec, "jobTemplate");
    if (job != NULL) {
        spec = fx_tree_view_key(job, "spec");
    }
    const json_t *template_ = fx_tree_view_key(spec, "template");
    return template_ == NULL ? spec : fx_tree_view_key(template_, "spec");
}

/* Adds the images of a list of containers. False without memory. */
static bool add_images(struct fx_cel_run *run, struct fx_cel_value map,
                       const json_t *spec, const char *key) {
    const json_t *containers = fx_tree_view_key(spec, key);
    struct fx_cel_value list = fx_cel_new_list(run, 0);
    bool ok = !fx_cel_is_error(list);
    for (size_t i = 0; ok && i < json_array_size(containers) && fx_spend(1); i++) {
        const json_t *image = fx_tree_view_key(json_array_get(containers, i), "image");
        ok =
            !json_is_string(image) || fx_cel_list_add(run, list, fx_cel_make_node(image));
    }
    return ok && fx_cel_map_set(run, map, fx_cel_make_string(fx_text_of(key)), list);
}

static struct fx_cel_value make_images(struct fx_cel_run *run, const json_t *object) {
    static const char *const keys[] = {"containers", "initContainers",
                                       "ephemeralContainers"};
    const json_t *spec = view_pod_spec(object);
    struct fx_cel_value map = fx_cel_new_map(run, FX_COUNT(keys));
    bool ok = !fx_cel_is_error(map);
    for (size_t i = 0; ok && i < FX_COUNT(keys); i++) {
        ok = add_images(run, map, spec, keys[i]);
    }
    return ok ? map : fx_cel_no_memory(run);
}

/* ---- exceptions ---------------------------------------------------------------------
 */

/* The elements that all exceptions have in this list. */
static struct fx_cel_value make_list(struct fx_cel_run *run,
                                     const struct map_activation *activation,
                                     bool are_images) {
    struct fx_cel_value list = fx_cel_new_list(run, 0);
    bool ok = !fx_cel_is_error(list);
    for (size_t i = 0; ok && i < activation->n_exceptions; i++) {
        const struct map_exception *exception = activation->exceptions[i];
        const json_t *items = are_images ? exception->images : exception->values;
        for (size_t k = 0; ok && k < json_array_size(items) && fx_spend(1); k++) {
            ok = fx_cel_list_add(run, list, fx_cel_make_node(json_array_get(items, k)));
        }
    }
    return ok ? list : fx_cel_no_memory(run);
}

static struct fx_cel_value make_exceptions(struct fx_cel_run *run,
                                           const struct map_activation *activation) {
    struct fx_cel_value map = fx_cel_new_map(run, 2);
    const struct fx_cel_value images = make_list(run, activation, true);
    const struct fx_cel_value values = make_list(run, activation, false);
    const bool ok =
        !fx_cel_is_error(map) && !fx_cel_is_error(images) && !fx_cel_is_error(values) &&
        fx_cel_map_set(run, map, fx_cel_make_string(FX_TEXT("allowedImages")), images) &&
        fx_cel_map_set(run, map, fx_cel_make_string(FX_TEXT("allowedValues")), values);
    return ok ? map : fx_cel_no_memory(run);
}

/* ---- resource -----------------------------------------------------------------------
 */

/* Finds the object among the inputs of the request: fx_cel_kyverno_get. Secrets are never
 * read. */
static bool get_object(void *context, const struct fx_cel_kyverno_object *wanted,
                       json_t **ret_object, struct fx_err *err) {
    const struct map_activation *activation = context;
    struct fx_input_key key = {.type = FX_INPUT_OBJECT,
                               .group = wanted->group,
                               .version = wanted->version,
                               .namespace_ = wanted->namespace_,
                               .name = wanted->name};
    if (!fx_map_find_kind(wanted->group, wanted->resource, &key.kind)) {
        return fx_fail_nomem(err);
    }
    if (key.kind.data == NULL) {
        return fx_fail(err, FX_EMUTATE,
                       "the kind of the resource `%.*s` in the group `%.*s` is not known",
                       FX_TEXT_ARG(wanted->resource), FX_TEXT_ARG(wanted->group));
    }
    if (wanted->group.len == 0 && fx_text_is(key.kind, "Secret")) {
        return fx_fail(err, FX_EMUTATE, FX_SECRETS_ARE_NOT_READ);
    }
    return fx_inputs_read(activation->request->inputs, &key, ret_object, err);
}

struct fx_cel_value fx_map_resolve_kyverno(struct fx_cel_run *run,
                                           struct map_activation *activation,
                                           enum map_slot slot) {
    if (slot == MAP_SLOT_IMAGES) {
        return make_images(run, activation->object);
    }
    if (slot == MAP_SLOT_EXCEPTIONS) {
        return make_exceptions(run, activation);
    }
    if (slot == MAP_SLOT_RESOURCE) {
        activation->reader =
            (struct fx_cel_kyverno_reader){.get = get_object, .context = activation};
        return fx_cel_make_kyverno_resource(&activation->reader);
    }
    return fx_cel_fail(run, "the variable has no value"); /* its methods are refused */
}
