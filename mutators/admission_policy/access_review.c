/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/access_review.c - what `authorizer` asks becomes a
 * SubjectAccessReview, which is an input of the rule.
 */
#include "engine/input.h"
#include "mutators/admission_policy/activation.h"
#include "value/tree.h"

/* ---- the review -------------------------------------------------------------------- */

/* Sets a member, unless the text is empty. */
static bool set_text(json_t *object, const char *key, struct fx_text text) {
    return text.len == 0 ||
           fx_tree_set_take(object, fx_text_of(key), fx_tree_new_string(text));
}

/* Sets a copy of the member of the user, unless it is missing. */
static bool copy_member(json_t *object, const char *key, const json_t *user,
                        const char *from) {
    json_t *value = fx_tree_view_key(user, from);
    return value == NULL || json_is_null(value) ||
           json_object_set(object, key, value) == 0;
}

/* The groups of a service account are those that API servers give it. */
static bool set_account(json_t *spec, const struct fx_cel_access_subject *subject) {
    json_t *name = json_sprintf("system:serviceaccount:%.*s:%.*s",
                                FX_TEXT_ARG(subject->account_namespace),
                                FX_TEXT_ARG(subject->account_name));
    json_t *group = json_sprintf("system:serviceaccounts:%.*s",
                                 FX_TEXT_ARG(subject->account_namespace));
    json_t *groups = json_array();
    const bool ok = name != NULL && group != NULL && groups != NULL &&
                    fx_tree_append_take(groups, json_string("system:serviceaccounts")) &&
                    fx_tree_append_take(groups, json_incref(group)) &&
                    fx_tree_append_take(groups, json_string("system:authenticated")) &&
                    json_object_set(spec, "user", name) == 0 &&
                    json_object_set(spec, "groups", groups) == 0;
    json_decref(name);
    json_decref(group);
    json_decref(groups);
    return ok;
}

static bool set_subject(json_t *spec, const struct fx_cel_access_subject *subject) {
    return subject->user == NULL
               ? set_account(spec, subject)
               : copy_member(spec, "user", subject->user, "username") &&
                     copy_member(spec, "uid", subject->user, "uid") &&
                     copy_member(spec, "groups", subject->user, "groups") &&
                     copy_member(spec, "extra", subject->user, "extra");
}

static bool set_selector(json_t *attributes, const char *key, bool is_there,
                         struct fx_text selector) {
    if (!is_there) {
        return true;
    }
    json_t *made = json_object();
    if (made == NULL ||
        !fx_tree_set_take(made, FX_TEXT("rawSelector"), fx_tree_new_string(selector))) {
        json_decref(made);
        return false;
    }
    return fx_tree_set_take(attributes, fx_text_of(key), made);
}

static bool set_attributes(json_t *attributes,
                           const struct fx_cel_access_review *review) {
    return set_text(attributes, "namespace", review->namespace_) &&
           set_text(attributes, "verb", review->verb) &&
           set_text(attributes, "group", review->group) &&
           set_text(attributes, "version", FX_TEXT("*")) &&
           set_text(attributes, "resource", review->resource) &&
           set_text(attributes, "subresource", review->subresource) &&
           set_text(attributes, "name", review->name) &&
           set_selector(attributes, "fieldSelector", review->has_field_selector,
                        review->field_selector) &&
           set_selector(attributes, "labelSelector", review->has_label_selector,
                        review->label_selector);
}

static bool set_what(json_t *spec, const struct fx_cel_access_review *review) {
    json_t *what = json_object();
    const bool ok =
        what != NULL &&
        (review->has_path ? set_text(what, "path", review->path) &&
                                set_text(what, "verb", review->verb)
                          : set_attributes(what, review)) &&
        json_object_set(spec,
                        review->has_path ? "nonResourceAttributes" : "resourceAttributes",
                        what) == 0;
    json_decref(what);
    return ok;
}

static json_t *make_spec(const struct fx_cel_access_review *review) {
    json_t *spec = json_object();
    const bool ok =
        spec != NULL && set_subject(spec, &review->subject) && set_what(spec, review);
    return fx_tree_keep_if(ok, spec);
}

/* ---- the answer -------------------------------------------------------------------- */

static bool is_set(const json_t *status, const char *key) {
    return json_is_true(fx_tree_view_key(status, key));
}

/* The texts live as long as the review: the value belongs to its inputs. */
static struct fx_cel_access_decision read_status(const json_t *status) {
    return (struct fx_cel_access_decision){
        .access = is_set(status, "allowed")  ? FX_CEL_ACCESS_ALLOWED
                  : is_set(status, "denied") ? FX_CEL_ACCESS_DENIED
                                             : FX_CEL_ACCESS_NO_OPINION,
        .reason = fx_tree_view_string(status, "reason"),
        .error = fx_tree_view_string(status, "evaluationError"),
    };
}

bool fx_map_review_access(void *context, struct fx_cel_run *run,
                          const struct fx_cel_access_review *review,
                          struct fx_cel_access_decision *ret, struct fx_err *err) {
    (void)run;
    const struct map_activation *activation = context;
    struct fx_input_key key = {.type = FX_INPUT_ACCESS, .spec = make_spec(review)};
    json_t *status = NULL;
    const bool ok = key.spec == NULL
                        ? fx_fail_nomem(err)
                        : fx_inputs_read(activation->request->inputs, &key, &status, err);
    json_decref(key.spec);
    *ret = read_status(status);
    if (!ok && err->code == FX_EMUTATE) {
        /* Without an answer nothing is known about the permission: the expression fails,
         * and failurePolicy decides. (An API server has its authorizer at hand.) */
        err->code = FX_ELIMIT;
    }
    return ok;
}
