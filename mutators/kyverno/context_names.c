/* SPDX-License-Identifier: Apache-2.0
 *
 * context_names.c - the variables that every rule has: `request`, `images`, the service
 * account, `target`; and those of elements of a foreach.
 */
#include <stdio.h>

#include "context_internal.h"
#include "engine/admission_request.h"
#include "value/tree.h"

#define REQUEST        FX_TEXT("request")
#define ACCOUNT_PREFIX "system:serviceaccount:"

/* ---- request -------------------------------------------------------------------------
 */

/* Sets a member to a new reference of the value; null for NULL. */
static bool set_shared(json_t *object, const char *key, const json_t *value) {
    json_t *shared = value == NULL ? json_null() : json_incref(fx_node_unconst(value));
    return fx_tree_set_take(object, fx_text_of(key), shared);
}

static bool set_given(json_t *object, const char *key, const json_t *value) {
    return value == NULL || set_shared(object, key, value);
}

static bool is_empty(const json_t *member) {
    return member != NULL && fx_tree_text(member).len == 0 &&
           json_array_size(member) + json_object_size(member) == 0;
}

/* Removes members that are empty texts, lists or maps from object[key], or from the
 * object itself if `key` is NULL: API servers leave them out, so that there are no such
 * names. The object is owned. False without memory. */
static bool remove_empty(json_t *object, const char *key, const char *const *names) {
    const json_t *from = key == NULL ? object : fx_tree_view_key(object, key);
    bool ok = true;
    for (; ok && *names != NULL; names++) {
        if (is_empty(fx_tree_view_key(from, *names))) {
            json_t *own = key == NULL ? object : fx_tree_own_key(object, fx_text_of(key));
            ok = own != NULL;
            if (ok) {
                fx_tree_remove_key(own, fx_text_of(*names));
                from = own;
            }
        }
    }
    return ok;
}

static bool remove_all_empty(json_t *request) {
    static const char *const names[] = {"name", "namespace", "subResource", NULL};
    static const char *const of_user[] = {"username", "uid", "groups", "extra", NULL};
    return remove_empty(request, NULL, names) &&
           remove_empty(request, "userInfo", of_user);
}

/* The AdmissionRequest without objects, which the caller may write. */
static json_t *copy_admission(const struct kyverno_context *context) {
    if (context->request->admission != NULL) {
        return fx_tree_copy(context->request->admission);
    }
    struct fx_subject subject;
    fx_subject_read(context->object, &subject);
    return fx_admission_request_make(context->request, &subject);
}

/* Sets the members of `request` that the caller of the review gave: texts and other
 * values that are no objects, so that objects of the request stay whole. */
static bool set_variables(json_t *request, const json_t *variables) {
    const json_t *given = fx_tree_view_text(variables, REQUEST);
    bool ok = true;
    for (void *iter = given == NULL ? NULL : fx_node_first(given); ok && iter != NULL;
         iter = fx_node_next(given, iter)) {
        json_t *value = json_object_iter_value(iter);
        ok = json_is_object(value) ||
             fx_tree_set_take(request, fx_node_key(iter), json_incref(value));
    }
    return ok;
}

/* An AdmissionReview has a uid that its request does not carry here. */
static bool set_uid(json_t *request, struct fx_text uid) {
    return uid.len == 0 ||
           fx_tree_set_take(request, FX_TEXT("uid"), fx_tree_new_string(uid));
}

/* Makes `request` with this object. */
static json_t *make_request(const struct kyverno_context *context, const json_t *object) {
    json_t *made = copy_admission(context);
    if (made == NULL) {
        return NULL;
    }
    const bool ok = remove_all_empty(made) && set_shared(made, "object", object) &&
                    set_shared(made, "oldObject", context->request->old_object) &&
                    set_uid(made, context->request->uid) &&
                    (fx_tree_view_key(made, "options") != NULL ||
                     set_shared(made, "options", NULL)) &&
                    set_given(made, "roles", context->roles) &&
                    set_given(made, "clusterRoles", context->cluster_roles) &&
                    set_variables(made, context->request->variables);
    return fx_tree_keep_if(ok, made);
}

/* On DELETE there is no object: variables read the old one for it. */
static bool reads_old(const struct kyverno_context *context) {
    return context->request->operation == FX_OPERATION_DELETE && !context->is_query;
}

static bool find_request(struct kyverno_context *context, json_t **ret_value,
                         struct fx_err *err) {
    const bool old = reads_old(context);
    json_t **kept = old ? &context->variable_value : &context->request_value;
    if (*kept == NULL) {
        *kept =
            make_request(context, old ? context->request->old_object : context->object);
    }
    *ret_value = json_incref(*kept);
    return *kept != NULL || fx_fail_nomem(err);
}

/* ---- images --------------------------------------------------------------------------
 */

static bool find_images(struct kyverno_context *context, json_t **ret_value,
                        struct fx_err *err) {
    json_t *object = context->incoming != NULL ? context->incoming : context->object;
    if (!context->has_images &&
        !fx_kyverno_images(object, context->extractors, &context->images, err)) {
        return false;
    }
    context->has_images = true;
    *ret_value = json_incref(context->images);
    return true;
}

/* ---- the service account -------------------------------------------------------------
 */

/* Splits the user's name, "system:serviceaccount:NAMESPACE:NAME"; empty texts if it is no
 * service account. */
static void read_account(const struct kyverno_context *context,
                         struct fx_text *ret_namespace, struct fx_text *ret_name) {
    const json_t *user = fx_tree_view_key(context->request->admission, "userInfo");
    user = user == NULL ? context->request->user_info : user;
    struct fx_text rest = fx_tree_view_string(user, "username");
    *ret_namespace = *ret_name = FX_TEXT("");
    if (!fx_text_starts(rest, FX_TEXT(ACCOUNT_PREFIX))) {
        return;
    }
    rest = fx_text_rest(rest, sizeof ACCOUNT_PREFIX - 1);
    *ret_namespace = fx_text_cut(&rest, ':');
    *ret_name = fx_text_cut(&rest, ':');
}

static bool give_text(struct fx_text text, json_t **ret_value, struct fx_err *err) {
    *ret_value = fx_tree_new_string(text);
    return *ret_value != NULL || fx_fail_nomem(err);
}

static bool find_account_name(struct kyverno_context *context, json_t **ret_value,
                              struct fx_err *err) {
    struct fx_text namespace_, name;
    read_account(context, &namespace_, &name);
    return give_text(name, ret_value, err);
}

static bool find_account_namespace(struct kyverno_context *context, json_t **ret_value,
                                   struct fx_err *err) {
    struct fx_text namespace_, name;
    read_account(context, &namespace_, &name);
    return give_text(namespace_, ret_value, err);
}

/* ---- all of them ---------------------------------------------------------------------
 */

static bool find_target(struct kyverno_context *context, json_t **ret_value,
                        struct fx_err *err) {
    (void)err;
    *ret_value = json_incref(context->target);
    return true;
}

static const struct {
    const char *name;
    bool (*find)(struct kyverno_context *context, json_t **ret_value, struct fx_err *err);
} known_names[] = {
    {"request", find_request},
    {"images", find_images},
    {"target", find_target},
    {"serviceAccountName", find_account_name},
    {"serviceAccountNamespace", find_account_namespace},
};

json_t *fx_kyverno_given_variable(const struct kyverno_context *context,
                                  struct fx_text name) {
    return fx_text_equal(name, REQUEST)
               ? NULL
               : fx_tree_view_text(context->request->variables, name);
}

bool fx_kyverno_find_name(struct kyverno_context *context, struct fx_text name,
                          json_t **ret_value, struct fx_err *err) {
    *ret_value = json_incref(fx_kyverno_given_variable(context, name));
    if (*ret_value != NULL) {
        return true;
    }
    for (size_t i = 0; i < FX_COUNT(known_names); i++) {
        if (fx_text_is(name, known_names[i].name)) {
            return known_names[i].find(context, ret_value, err);
        }
    }
    return true;
}

bool fx_kyverno_add_names(struct kyverno_context *context, json_t *object,
                          struct fx_err *err) {
    bool ok = true;
    for (size_t i = 0; ok && i < FX_COUNT(known_names); i++) {
        json_t *value = NULL;
        ok = known_names[i].find(context, &value, err) &&
             (value == NULL ||
              fx_tree_set_take(object, fx_text_of(known_names[i].name), value) ||
              fx_fail_nomem(err));
    }
    const json_t *given = context->request->variables;
    for (void *iter = given == NULL ? NULL : fx_node_first(given); ok && iter != NULL;
         iter = fx_node_next(given, iter)) {
        ok = fx_text_equal(fx_node_key(iter), REQUEST) ||
             fx_tree_set_take(object, fx_node_key(iter),
                              json_incref(json_object_iter_value(iter))) ||
             fx_fail_nomem(err);
    }
    return ok;
}

/* ---- elements ------------------------------------------------------------------------
 */

/* Is it `name`, or `name` with the depth of the frame? */
static bool is_of_frame(const struct kyverno_frame *frame, struct fx_text text,
                        const char *name) {
    const struct fx_text begin = fx_text_of(name);
    if (!fx_text_starts(text, begin)) {
        return false;
    }
    struct fx_text rest = fx_text_rest(text, begin.len);
    int depth;
    return rest.len == 0 || ((rest.len == 1 || fx_text_first(rest) != '0') &&
                             fx_text_take_number(&rest, 1, 4, &depth) && rest.len == 0 &&
                             (unsigned)depth + 1 == frame->level);
}

bool fx_kyverno_find_element(const struct kyverno_frame *frame, struct fx_text name,
                             json_t **ret_value, struct fx_err *err) {
    *ret_value = NULL;
    if (frame->element == NULL) {
        return true;
    }
    if (is_of_frame(frame, name, "element")) {
        *ret_value = json_incref(frame->element);
    } else if (is_of_frame(frame, name, "elementIndex")) {
        *ret_value = json_integer((json_int_t)frame->index);
        return *ret_value != NULL || fx_fail_nomem(err);
    }
    return true;
}

bool fx_kyverno_add_element(const struct kyverno_frame *frame, json_t *object,
                            struct fx_err *err) {
    static const char *const names[] = {"element", "elementIndex"};
    bool ok = true;
    for (size_t i = 0; ok && frame->element != NULL && i < 2; i++) {
        char deep[32];
        json_t *value = NULL;
        (void)snprintf(deep, sizeof deep, "%s%u", names[i], frame->level - 1);
        ok = fx_kyverno_find_element(frame, fx_text_of(names[i]), &value, err) &&
             ((fx_tree_set_take(object, fx_text_of(names[i]), json_incref(value)) &&
               fx_tree_set_take(object, fx_text_of(deep), json_incref(value))) ||
              fx_fail_nomem(err));
        json_decref(value);
    }
    return ok;
}
