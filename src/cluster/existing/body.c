/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/body.c - the body of a write, from an object as it was read and as it
 * shall be: a merge patch (RFC 7396), or an apply configuration. Recursion is as deep as
 * the object, whose depth the reader of JSON limits.
 */
#include "kube/body.h"
#include "cluster/existing/existing_internal.h"
#include "value/equal.h"
#include "value/tree.h"

/* An API server drops null members, so null is the same as no member. */
static bool is_there(const json_t *node) {
    return node != NULL && !json_is_null(node);
}

static bool is_removed(void *iter, const json_t *after) {
    return is_there(json_object_iter_value(iter)) &&
           !is_there(fx_tree_view_text(after, fx_node_key(iter)));
}

static bool make_patch(const json_t *before, const json_t *after, json_t **ret_patch,
                       bool *ret_removes);

/* Adds the difference of one member to the patch, which is made if it is NULL. */
static bool add_member(json_t **patch, const json_t *before, void *iter, bool *removes) {
    const struct fx_text key = fx_node_key(iter);
    json_t *value = json_object_iter_value(iter);
    const json_t *old = fx_tree_view_text(before, key);
    json_t *part = NULL;
    if (!is_there(value) || value == old || fx_equal(value, old)) {
        return true;
    }
    if (json_is_object(value) && json_is_object(old)) {
        if (!make_patch(old, value, &part, removes)) {
            return false;
        }
    } else {
        part = json_incref(value);
    }
    if (part == NULL) {
        return true;
    }
    *patch = *patch == NULL ? json_object() : *patch;
    if (*patch == NULL) {
        json_decref(part);
        return false;
    }
    return fx_tree_set_take(*patch, key, part);
}

/* Adds null for each member that is gone. */
static bool add_removed(json_t **patch, const json_t *before, const json_t *after,
                        bool *removes) {
    bool ok = true;
    for (void *iter = fx_node_first(before); ok && iter != NULL;
         iter = fx_node_next(before, iter)) {
        if (is_removed(iter, after)) {
            *removes = true;
            *patch = *patch == NULL ? json_object() : *patch;
            ok = *patch != NULL &&
                 fx_tree_set_take(*patch, fx_node_key(iter), json_null());
        }
    }
    return ok;
}

/* Makes the merge patch of two objects; *ret_patch stays NULL if they are equal. Sets
 * *ret_removes if it removes a member. False without memory. */
static bool make_patch(const json_t *before, const json_t *after, json_t **ret_patch,
                       bool *ret_removes) {
    json_t *patch = NULL;
    bool ok = true;
    for (void *iter = fx_node_first(after); ok && iter != NULL;
         iter = fx_node_next(after, iter)) {
        ok = add_member(&patch, before, iter, ret_removes);
    }
    if (!ok || !add_removed(&patch, before, after, ret_removes)) {
        json_decref(patch);
        return false;
    }
    *ret_patch = patch;
    return true;
}

static bool keeps_identity(const json_t *before, const json_t *after) {
    static const char *const of_metadata[] = {"name", "namespace", "uid",
                                              "resourceVersion"};
    const json_t *old = fx_tree_view_key(before, "metadata");
    const json_t *new_ = fx_tree_view_key(after, "metadata");
    bool same =
        fx_equal(fx_tree_view_key(before, "apiVersion"),
                 fx_tree_view_key(after, "apiVersion")) &&
        fx_equal(fx_tree_view_key(before, "kind"), fx_tree_view_key(after, "kind"));
    for (size_t i = 0; same && i < FX_COUNT(of_metadata); i++) {
        same = fx_equal(fx_tree_view_key(old, of_metadata[i]),
                        fx_tree_view_key(new_, of_metadata[i]));
    }
    return same;
}

/* Adds type, name, uid and resourceVersion, so that no other object is written, and no
 * other version of this one. */
static bool add_identity(const json_t *before, json_t *patch) {
    json_t *metadata = NULL;
    json_t *identity = fx_kube_body_for(before, &metadata);
    json_t *changes = fx_tree_view_key(patch, "metadata");
    bool ok = identity != NULL &&
              (changes == NULL || json_object_update(metadata, changes) == 0) &&
              json_object_update(patch, identity) == 0;
    json_decref(identity);
    return ok;
}

bool fx_existing_body_make(const json_t *before, const json_t *after, bool by_apply,
                           struct fx_existing_body *ret_body, struct fx_err *err) {
    bool removes = false;
    json_t *patch = NULL;
    if (!keeps_identity(before, after)) {
        return fx_fail(err, FX_EMUTATE, "the rule changes the identity of the target");
    }
    if (fx_tree_view_string(fx_tree_view_key(before, "metadata"), "resourceVersion")
            .len == 0) {
        return fx_fail(err, FX_EMUTATE, "the target has no resourceVersion");
    }
    if (!make_patch(before, after, &patch, &removes)) {
        return fx_fail_nomem(err);
    }
    patch = patch == NULL ? json_object() : patch;
    if (patch == NULL || !add_identity(before, patch)) {
        json_decref(patch);
        return fx_fail_nomem(err);
    }
    *ret_body =
        (struct fx_existing_body){.by_apply = by_apply && !removes, .body = patch};
    return true;
}
