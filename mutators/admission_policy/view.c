/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/view.c - a template as a Pod, and back.
 */
#include "mutators/admission_policy/view.h"

#include "value/equal.h"
#include "value/tree.h"

/* The path of the template in an object; NULL ends. */
static const char *const *path_of(enum map_view view) {
    static const char *const template_path[] = {"spec", "template", NULL};
    static const char *const cron_job_path[] = {"spec", "jobTemplate", "spec", "template",
                                                NULL};
    return view == MAP_VIEW_CRON_JOB ? cron_job_path : template_path;
}

static const json_t *view_template(enum map_view view, const json_t *object) {
    for (const char *const *key = path_of(view); *key != NULL; key++) {
        object = fx_tree_view_key(object, *key);
    }
    return object;
}

static json_t *namespace_of(const json_t *object) {
    return fx_tree_view_key(fx_tree_view_key(object, "metadata"), "namespace");
}

/* The metadata of the Pod: those of the template, in the namespace of the object. A new
 * reference; NULL without memory. */
static json_t *make_metadata(const json_t *object, const json_t *template_) {
    json_t *given = fx_tree_view_key(template_, "metadata");
    json_t *namespace_ = namespace_of(object);
    if (given != NULL && !json_is_object(given)) {
        return json_incref(given);
    }
    json_t *metadata = given == NULL ? json_object() : json_incref(given);
    if (metadata == NULL || namespace_ == NULL) {
        return metadata;
    }
    json_t *with =
        fx_tree_with_take(metadata, FX_TEXT("namespace"), json_incref(namespace_));
    json_decref(metadata);
    return with;
}

bool fx_map_view_make(enum map_view view, const json_t *object, json_t **ret_pod,
                      struct fx_err *err) {
    const json_t *template_ = view_template(view, object);
    *ret_pod = NULL;
    if (!json_is_object(template_)) {
        return true;
    }
    json_t *metadata = make_metadata(object, template_);
    *ret_pod = metadata == NULL ? NULL
                                : json_pack("{s:s, s:s, s:o, s:O*}", "apiVersion", "v1",
                                            "kind", "Pod", "metadata", metadata, "spec",
                                            fx_tree_view_key(template_, "spec"));
    return *ret_pod != NULL || fx_fail_nomem(err);
}

/* ---- back ---------------------------------------------------------------------------
 */

/* Removes the namespace that the metadata of the Pod have beside those of the template. A
 * new reference; NULL without memory. */
static json_t *own_metadata(const json_t *pod, const json_t *root,
                            const json_t *template_) {
    const json_t *given = fx_tree_view_key(pod, "metadata");
    const json_t *before = fx_tree_view_key(template_, "metadata");
    const json_t *namespace_ = fx_tree_view_key(given, "namespace");
    json_t *metadata = json_incref(fx_node_unconst(given));
    if (namespace_ == NULL || namespace_of(root) == NULL ||
        fx_tree_view_key(before, "namespace") != NULL ||
        !fx_equal(namespace_, namespace_of(root))) {
        return metadata;
    }
    if (fx_tree_own_root(&metadata) == NULL) {
        json_decref(metadata);
        return NULL;
    }
    fx_tree_remove_key(metadata, FX_TEXT("namespace"));
    return metadata;
}

/* Returns the template, writable; NULL without memory. */
static json_t *own_template(enum map_view view, json_t **root) {
    json_t *own = fx_tree_own_root(root);
    for (const char *const *key = path_of(view); own != NULL && *key != NULL; key++) {
        own = fx_tree_own_key(own, fx_text_of(*key));
    }
    return own;
}

static bool is_same(const json_t *a, const json_t *b) {
    return a == b || (a != NULL && b != NULL && fx_equal(a, b));
}

/* Sets or removes a member of the template unless it is the same. Consumes `value`, which
 * may be NULL. False without memory. */
static bool put_take(enum map_view view, json_t **root, const char *key, json_t *value) {
    if (is_same(fx_tree_view_key(view_template(view, *root), key), value)) {
        json_decref(value);
        return true;
    }
    json_t *template_ = own_template(view, root);
    if (template_ == NULL) {
        json_decref(value);
        return false;
    }
    if (value == NULL) {
        fx_tree_remove_key(template_, fx_text_of(key));
        return true;
    }
    return fx_tree_set_take(template_, fx_text_of(key), value);
}

bool fx_map_view_write(enum map_view view, const json_t *pod, json_t **root,
                       struct fx_err *err) {
    const json_t *template_ = view_template(view, *root);
    const json_t *given = fx_tree_view_key(pod, "metadata");
    json_t *metadata = own_metadata(pod, *root, template_);
    if (given != NULL && metadata == NULL) {
        return fx_fail_nomem(err);
    }
    if (fx_tree_view_key(template_, "metadata") == NULL && json_is_object(metadata) &&
        json_object_size(metadata) == 0) {
        json_decref(metadata);
        metadata = NULL;
    }
    json_t *spec = json_incref(fx_tree_view_key(pod, "spec"));
    if (!put_take(view, root, "metadata", metadata)) {
        json_decref(spec);
        return fx_fail_nomem(err);
    }
    return put_take(view, root, "spec", spec) || fx_fail_nomem(err);
}
