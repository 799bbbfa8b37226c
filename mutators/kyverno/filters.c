/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/filters.c - which requests Kyverno's configuration excludes.
 */
#include "base/wildcard.h"
#include "engine/request_memo.h"
#include "mutators/kyverno/filters_internal.h"
#include "value/tree.h"

const struct kyverno_filters *fx_kyverno_filters_of(const struct fx_unit *unit) {
    return unit == NULL ? NULL : (const struct kyverno_filters *)unit->linkable;
}

bool fx_kyverno_filters_read_old_object(const struct kyverno_filters *filters) {
    return filters != NULL && filters->objects != NULL;
}

/* ---- who asks ---------------------------------------------------------------------- */

static bool fits_any(struct fx_text pattern, const json_t *names) {
    for (size_t i = 0; i < json_array_size(names); i++) {
        if (fx_wildcard_match(pattern, fx_tree_text(json_array_get(names, i)))) {
            return true;
        }
    }
    return false;
}

static const json_t *view_user(const struct fx_request *request) {
    const json_t *user = fx_tree_view_key(request->admission, "userInfo");
    return user != NULL ? user : request->user_info;
}

static bool fits_asker(const struct kyverno_asker_pattern *asker,
                       const struct fx_request *request) {
    const json_t *user = view_user(request);
    switch (asker->asker) {
    case KYVERNO_ASKER_USER:
        return fx_wildcard_match(asker->pattern, fx_tree_view_string(user, "username"));
    case KYVERNO_ASKER_GROUP:
        return fits_any(asker->pattern, fx_tree_view_key(user, "groups"));
    case KYVERNO_ASKER_ROLE: return fits_any(asker->pattern, request->roles);
    case KYVERNO_ASKER_CLUSTER_ROLE:
        return fits_any(asker->pattern, request->cluster_roles);
    }
    return false;
}

/* Is the user excluded, and not included by another pattern? A request without a user, of
 * a command, is not excluded. */
static bool excludes_user(const struct kyverno_filters *filters,
                          const struct fx_request *request) {
    bool is_excluded = false;
    if (view_user(request) == NULL) {
        return false;
    }
    for (size_t i = 0; i < filters->n_askers; i++) {
        const struct kyverno_asker_pattern *asker = &filters->askers[i];
        const bool fits = fits_asker(asker, request);
        if (fits && asker->includes) {
            return false;
        }
        is_excluded = is_excluded || fits;
    }
    return is_excluded;
}

/* ---- what it is about -------------------------------------------------------------- */

static bool excludes_resource(const struct kyverno_filters *filters,
                              const struct fx_request *request,
                              const struct fx_subject *subject) {
    struct kyverno_request_kind kind;
    fx_kyverno_request_kind(request, subject, &kind);
    kind.is_ephemeral = false; /* filters make no exception for it */
    const struct fx_text namespace_ = fx_subject_object_namespace(subject, request);
    for (size_t i = 0; i < filters->n_filters; i++) {
        const struct kyverno_resource_filter *filter = &filters->filters[i];
        if (fx_kyverno_kind_matches(&filter->kind, &kind) &&
            ((fx_wildcard_match(filter->namespace_, namespace_) &&
              fx_wildcard_match(filter->name, subject->name)) ||
             (subject->is_namespace &&
              fx_wildcard_match(filter->namespace_, subject->name)))) {
            return true;
        }
    }
    return false;
}

/* Does the selector match, as that of a webhook? One that cannot be evaluated does. */
static bool selects(const struct fx_selector *selector, json_t *labels) {
    bool fits = true;
    struct fx_err err = FX_ERR_INIT;
    return !fx_selector_eval(selector, labels, &fits, &err) || fits;
}

static json_t *view_labels(const json_t *object) {
    return fx_tree_view_key(fx_tree_view_key(object, "metadata"), "labels");
}

/* A Namespace is selected by its own labels; objects in no namespace always are, and so
 * are those whose Namespace is not known. */
static bool selects_namespace(const struct kyverno_filters *filters,
                              const struct fx_request *request,
                              const struct fx_subject *subject) {
    if (filters->namespaces == NULL) {
        return true;
    }
    if (subject->is_namespace) {
        return selects(filters->namespaces, subject->labels);
    }
    return request->namespace_object == NULL ||
           selects(filters->namespaces, view_labels(request->namespace_object));
}

/* A webhook is called if the object has the labels, or had them. */
static bool selects_object(const struct kyverno_filters *filters,
                           const struct fx_request *request,
                           const struct fx_subject *subject) {
    return filters->objects == NULL || selects(filters->objects, subject->labels) ||
           (request->old_object != NULL &&
            selects(filters->objects, view_labels(request->old_object)));
}

/* ---- the whole --------------------------------------------------------------------- */

static bool exclude(const struct kyverno_filters *filters,
                    const struct fx_request *request, const struct fx_subject *subject) {
    return excludes_resource(filters, request, subject) ||
           !selects_namespace(filters, request, subject) ||
           !selects_object(filters, request, subject) || excludes_user(filters, request);
}

bool fx_kyverno_filters_exclude(const struct kyverno_filters *filters,
                                const struct fx_request *request,
                                const struct fx_subject *subject) {
    struct fx_request_memo *memo = request->memo;
    if (filters == NULL) {
        return false;
    }
    if (memo != NULL && memo->filters == filters) {
        return memo->is_excluded;
    }
    const bool is_excluded = exclude(filters, request, subject);
    if (memo != NULL) {
        memo->filters = filters;
        memo->is_excluded = is_excluded;
    }
    return is_excluded;
}
