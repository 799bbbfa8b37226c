/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/match.c - matches a request with rules and selectors.
 */
#include "mutators/admission_policy/match.h"

#include "base/budget.h"
#include "engine/admission_request.h"
#include "engine/kind.h"
#include "value/tree.h"

/* ---- the attributes of a request --------------------------------------------------- */

static bool guess_resource(const struct fx_subject *subject,
                           struct map_attributes *attributes) {
    fx_resource_guess(&attributes->guessed, subject->kind);
    attributes->group = subject->group;
    attributes->version = subject->version;
    attributes->resource = fx_buf_view(&attributes->guessed);
    return !attributes->guessed.failed;
}

struct fx_text fx_map_params_namespace(const struct fx_subject *subject,
                                       const struct fx_request *request) {
    return subject->is_namespace ? subject->name
                                 : fx_subject_object_namespace(subject, request);
}

/* Is the object in a namespace? A Namespace is not, though its request has one. API
 * servers always send the namespace. Of a manifest without one, the kind decides: kubectl
 * would send it to a namespace unless the kind is cluster-scoped. The scope of kinds that
 * are not built in is not known. */
static bool is_namespaced(const struct fx_subject *subject,
                          const struct map_attributes *attributes) {
    const struct fx_named_kind kind = {subject->group, subject->version, subject->kind};
    return !attributes->is_namespace &&
           (attributes->namespace_.len > 0 ||
            (fx_map_is_builtin(&kind) &&
             !fx_kind_is_cluster_scoped(kind.group, kind.kind)));
}

bool fx_map_attributes_read(const struct fx_request *request,
                            const struct fx_subject *subject,
                            struct map_attributes *ret_attributes) {
    struct fx_request_resource resource;
    fx_request_resource_read(request, &resource);
    *ret_attributes = (struct map_attributes){
        .group = resource.group,
        .version = resource.version,
        .resource = resource.resource,
        .subresource = resource.subresource,
        .name = resource.name,
        .namespace_ = fx_map_params_namespace(subject, request),
        .operation = request->operation,
        .is_converted = resource.is_converted,
    };
    fx_buf_init(&ret_attributes->guessed, 0);
    if (ret_attributes->name.len == 0) {
        ret_attributes->name = subject->name;
    }
    if (ret_attributes->resource.len == 0 && !guess_resource(subject, ret_attributes)) {
        return false;
    }
    ret_attributes->is_namespace = ret_attributes->group.len == 0 &&
                                   fx_text_is(ret_attributes->resource, "namespaces");
    ret_attributes->is_namespaced = is_namespaced(subject, ret_attributes);
    return true;
}

void fx_map_attributes_finish(struct map_attributes *attributes) {
    fx_buf_finish(&attributes->guessed);
}

bool fx_map_is_exempt(const struct map_attributes *attributes) {
    static const char *const rows[][2] = {
        {"admissionregistration.k8s.io", "mutatingwebhookconfigurations"},
        {"admissionregistration.k8s.io", "validatingwebhookconfigurations"},
        {"admissionregistration.k8s.io", "mutatingadmissionpolicies"},
        {"admissionregistration.k8s.io", "mutatingadmissionpolicybindings"},
        {"admissionregistration.k8s.io", "validatingadmissionpolicies"},
        {"admissionregistration.k8s.io", "validatingadmissionpolicybindings"},
        {"authentication.k8s.io", "tokenreviews"},
        {"authentication.k8s.io", "selfsubjectreviews"},
        {"authorization.k8s.io", "subjectaccessreviews"},
        {"authorization.k8s.io", "localsubjectaccessreviews"},
        {"authorization.k8s.io", "selfsubjectaccessreviews"},
        {"authorization.k8s.io", "selfsubjectrulesreviews"},
    };
    if (!fx_text_ends(attributes->group, FX_TEXT(".k8s.io"))) {
        return false;
    }
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        if (fx_text_is(attributes->group, rows[i][0]) &&
            fx_text_is(attributes->resource, rows[i][1])) {
            return true;
        }
    }
    return false;
}

/* ---- rules ------------------------------------------------------------------------- */

/* Does the list have the text, or "*"? */
static bool has_or_any(const json_t *list, struct fx_text text) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct fx_text item = fx_tree_text(json_array_get(list, i));
        (void)fx_spend(1);
        if (fx_text_equal(item, text) || fx_text_is(item, "*")) {
            return true;
        }
    }
    return false;
}

/* resource := ( name | '*' ) [ '/' ( name | '*' ) ]
 * Without a slash it means the resource itself; `*` after the slash means that, too. */
static bool has_resource(const json_t *list, const struct map_attributes *attributes) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct fx_text sub = fx_tree_text(json_array_get(list, i));
        const struct fx_text main = fx_text_cut(&sub, '/');
        (void)fx_spend(1);
        if ((fx_text_is(main, "*") || fx_text_equal(main, attributes->resource)) &&
            (fx_text_is(sub, "*") || fx_text_equal(sub, attributes->subresource))) {
            return true;
        }
    }
    return false;
}

static bool has_scope(enum map_scope scope, const struct map_attributes *attributes) {
    return scope == MAP_SCOPE_ANY ||
           (scope == MAP_SCOPE_NAMESPACED) == attributes->is_namespaced;
}

static bool has_name(const json_t *names, struct fx_text name) {
    for (size_t i = 0; i < json_array_size(names); i++) {
        (void)fx_spend(1);
        if (fx_text_equal(fx_tree_text(json_array_get(names, i)), name)) {
            return true;
        }
    }
    return json_array_size(names) == 0;
}

static bool fits_rule(const struct map_resource_rule *rule,
                      const struct map_attributes *attributes) {
    return (rule->operations & FX_OPERATION_BIT(attributes->operation)) != 0 &&
           has_scope(rule->scope, attributes) &&
           has_or_any(rule->groups, attributes->group) &&
           has_or_any(rule->versions, attributes->version) &&
           has_resource(rule->resources, attributes) &&
           has_name(rule->names, attributes->name);
}

/* With matchPolicy Exact, a request that the API server has converted matches no rule:
 * its own version is not known here. With Equivalent, the API server has converted it to
 * the version that the webhook configuration asks for, and no other one is known. */
static bool fits_rules(const struct map_match *match,
                       const struct map_resource_rule *rules, size_t n_rules,
                       const struct map_attributes *attributes) {
    for (size_t i = 0; i < n_rules && !(match->is_exact && attributes->is_converted);
         i++) {
        if (fits_rule(&rules[i], attributes)) {
            return true;
        }
    }
    return false;
}

/* ---- selectors --------------------------------------------------------------------- */

static json_t *view_labels(const json_t *object) {
    return fx_tree_view_key(fx_tree_view_key(object, "metadata"), "labels");
}

/* Of a Namespace that is created or updated, the labels of the object itself count. */
static bool fits_namespace(const struct fx_selector *selector,
                           const struct map_attributes *attributes,
                           const struct fx_request *request,
                           const struct fx_subject *subject, bool *ret_fits,
                           struct fx_err *err) {
    *ret_fits = true;
    if (selector == NULL ||
        (attributes->namespace_.len == 0 && !attributes->is_namespace)) {
        return true;
    }
    if (attributes->is_namespace && attributes->subresource.len == 0) {
        return fx_selector_eval(selector, subject->labels, ret_fits, err);
    }
    if (request->namespace_object == NULL) {
        return fx_fail(err, FX_EMUTATE, "namespaces \"%.*s\" not found",
                       FX_TEXT_ARG(attributes->namespace_));
    }
    return fx_selector_eval(selector, view_labels(request->namespace_object), ret_fits,
                            err);
}

/* The labels of the object or of the old object must fit. An object without metadata
 * (options of a CONNECT) has no labels. */
static bool fits_object(const struct fx_selector *selector,
                        const struct fx_request *request,
                        const struct fx_subject *subject, bool *ret_fits,
                        struct fx_err *err) {
    *ret_fits = true;
    if (selector == NULL) {
        return true;
    }
    if (!fx_selector_eval(selector, subject->labels, ret_fits, err)) {
        return false;
    }
    return *ret_fits || request->old_object == NULL ||
           fx_selector_eval(selector, view_labels(request->old_object), ret_fits, err);
}

bool fx_map_match_eval(const struct map_match *match,
                       const struct map_attributes *attributes,
                       const struct fx_request *request, const struct fx_subject *subject,
                       enum map_criterion *ret_criterion, struct fx_err *err) {
    bool fits = true;
    *ret_criterion = MAP_CRITERION_NONE;
    if (fits_rules(match, match->excludes, match->n_excludes, attributes)) {
        *ret_criterion = MAP_CRITERION_EXCLUDE_RESOURCE_RULES;
        return true;
    }
    if (match->n_rules > 0 &&
        !fits_rules(match, match->rules, match->n_rules, attributes)) {
        *ret_criterion = MAP_CRITERION_RESOURCE_RULES;
        return true;
    }
    if (!fits_namespace(match->namespace_selector, attributes, request, subject, &fits,
                        err)) {
        return false;
    }
    if (!fits) {
        *ret_criterion = MAP_CRITERION_NAMESPACE_SELECTOR;
        return true;
    }
    if (!fits_object(match->object_selector, request, subject, &fits, err)) {
        return false;
    }
    *ret_criterion = fits ? MAP_CRITERION_NONE : MAP_CRITERION_OBJECT_SELECTOR;
    return true;
}
