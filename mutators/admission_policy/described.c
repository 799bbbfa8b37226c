/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/described.c - the value of `request`. An API server makes it
 * from JSON without empty members, so that has(request.subResource) tells whether there
 * is one.
 */
#include "engine/admission_request.h"
#include "mutators/admission_policy/activation.h"
#include "value/tree.h"

static bool is_empty(const json_t *value) {
    return json_is_null(value) ||
           (json_is_string(value) && json_string_length(value) == 0) ||
           ((json_is_object(value) || json_is_array(value)) &&
            json_object_size(value) + json_array_size(value) == 0);
}

/* Removes empty members from an object, copying on write. */
static bool drop_empty(json_t **object, const char *const *keys) {
    for (; *keys != NULL; keys++) {
        const json_t *value = fx_tree_view_key(*object, *keys);
        if (value == NULL || !is_empty(value)) {
            continue;
        }
        if (fx_tree_own_root(object) == NULL) {
            return false;
        }
        fx_tree_remove_key(*object, fx_text_of(*keys));
    }
    return true;
}

static bool tidy_user(json_t **request) {
    static const char *const keys[] = {"username", "uid", "groups", "extra", NULL};
    json_t *user = json_incref(fx_tree_view_key(*request, "userInfo"));
    const json_t *before = user;
    bool ok = user == NULL || drop_empty(&user, keys);
    if (ok && user != before) {
        ok = fx_tree_own_root(request) != NULL &&
             fx_tree_set_take(*request, FX_TEXT("userInfo"), json_incref(user));
    }
    json_decref(user);
    return ok;
}

static bool add_dry_run(json_t **request) {
    return json_is_boolean(fx_tree_view_key(*request, "dryRun")) ||
           (fx_tree_own_root(request) != NULL &&
            fx_tree_set_take(*request, FX_TEXT("dryRun"), json_false()));
}

/* Takes a second reference to a tree that is only read. */
static json_t *share(const json_t *tree) {
    const union {
        const json_t *in;
        json_t *out;
    } pointer = {.in = tree};
    return json_incref(pointer.out);
}

json_t *fx_map_describe_request(const struct fx_request *request, json_t *object) {
    static const char *const keys[] = {
        "name",    "namespace",   "subResource",     "requestSubResource",
        "options", "requestKind", "requestResource", NULL};
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    json_t *made = request->admission != NULL
                       ? share(request->admission)
                       : fx_admission_request_make(request, &subject);
    const bool ok =
        made != NULL && drop_empty(&made, keys) && tidy_user(&made) && add_dry_run(&made);
    return fx_tree_keep_if(ok, made);
}
