/* SPDX-License-Identifier: Apache-2.0
 *
 * map_prepare.c - completes the cases that come from unit tests of the API server: these
 * use Go structs, and neither validation nor a store sees their policies.
 */
#include "map.h"
#include "value/tree.h"

/* A policy without what only validation requires. */
static void complete_policy(json_t *policy) {
    json_t *spec = fx_tree_view_key(policy, "spec");
    if (fx_tree_view_key(spec, "reinvocationPolicy") == NULL) {
        (void)json_object_set_new(spec, "reinvocationPolicy", json_string("Never"));
    }
}

/* Bindings of two policies may have the same name. */
static void name_binding(json_t *binding, size_t index) {
    json_t *metadata = fx_tree_view_key(binding, "metadata");
    if (index > 0 && fx_text_is(fx_tree_view_string(metadata, "name"), "binding")) {
        (void)json_object_set_new(metadata, "name", json_sprintf("binding-%zu", index));
    }
}

/* Sets object[key] unless the object has it, and returns it. */
static json_t *ensure(json_t *object, const char *key, json_t *value_take) {
    if (fx_tree_view_key(object, key) == NULL) {
        (void)json_object_set(object, key, value_take);
    }
    json_decref(value_take);
    return fx_tree_view_key(object, key);
}

/* The members of a Deployment that a Go struct always encodes. */
static void complete_deployment(json_t *object) {
    (void)ensure(object, "metadata", json_object());
    (void)ensure(object, "status", json_object());
    json_t *spec = ensure(object, "spec", json_object());
    (void)ensure(spec, "selector", json_null());
    (void)ensure(spec, "strategy", json_object());
    json_t *template = ensure(spec, "template", json_object());
    (void)ensure(template, "metadata", json_object());
    (void)ensure(ensure(template, "spec", json_object()), "containers", json_null());
}

void fx_case_map_prepare(json_t *row) {
    json_t *policies = fx_tree_view_key(row, "policies");
    json_t *bindings = fx_tree_view_key(row, "bindings");
    json_t *object = fx_tree_view_key(row, "object");
    if (!fx_text_starts(fx_tree_view_string(row, "source"), FX_TEXT("apiserver:"))) {
        return;
    }
    for (size_t i = 0; i < json_array_size(policies); i++) {
        complete_policy(json_array_get(policies, i));
    }
    for (size_t i = 0; i < json_array_size(bindings); i++) {
        name_binding(json_array_get(bindings, i), i);
    }
    if (fx_text_is(fx_tree_view_string(object, "kind"), "Deployment")) {
        complete_deployment(object);
    }
}
