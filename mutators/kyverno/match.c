/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/match.c - does a match hold for an object and its request?
 */
#include "match.h"

#include "base/budget.h"
#include "base/buf.h"
#include "base/wildcard.h"
#include "engine/admission_request.h"
#include "merge/schema.h"
#include "value/tree.h"

/* ---- kinds --------------------------------------------------------------------------
 */

static bool fits_kinds(const struct kyverno_filter *filter,
                       const struct kyverno_match_subject *of) {
    struct kyverno_request_kind kind;
    fx_kyverno_request_kind(of->request, of->subject, &kind);
    for (size_t i = 0; i < filter->n_kinds && fx_spend(1); i++) {
        if (fx_kyverno_kind_matches(&filter->kinds[i], &kind)) {
            return true;
        }
    }
    return false;
}

/* ---- texts --------------------------------------------------------------------------
 */

static bool fits_one(const json_t *patterns, struct fx_text text) {
    for (size_t i = 0; i < json_array_size(patterns) && fx_spend(1); i++) {
        if (fx_wildcard_match(fx_tree_text(json_array_get(patterns, i)), text)) {
            return true;
        }
    }
    return false;
}

static struct fx_text name_of(const struct kyverno_match_subject *of) {
    return of->subject->name.len > 0 ? of->subject->name : of->subject->generate_name;
}

static struct fx_text namespace_of(const struct kyverno_match_subject *of) {
    return of->subject->is_namespace
               ? of->subject->name
               : fx_subject_object_namespace(of->subject, of->request);
}

/* Has a map of texts a member whose key and value match both patterns? */
static bool has_member(const json_t *map, struct fx_text key, struct fx_text value) {
    for (void *iter = fx_node_first(map); iter != NULL && fx_spend(1);
         iter = fx_node_next(map, iter)) {
        if (fx_wildcard_match(key, fx_node_key(iter)) &&
            fx_wildcard_match(value, fx_tree_text(json_object_iter_value(iter)))) {
            return true;
        }
    }
    return false;
}

/* Has `map` a member for each of `patterns`? */
static bool has_members(const json_t *map, const json_t *patterns) {
    for (void *iter = fx_node_first(patterns); iter != NULL && fx_spend(1);
         iter = fx_node_next(patterns, iter)) {
        if (!has_member(map, fx_node_key(iter),
                        fx_tree_text(json_object_iter_value(iter)))) {
            return false;
        }
    }
    return true;
}

/* ---- selectors ----------------------------------------------------------------------
 */

static bool fits_selector(const struct kyverno_selector *selector, json_t *labels,
                          bool *ret_fits, struct fx_err *err) {
    if (selector->wild != NULL && !has_members(labels, selector->wild)) {
        *ret_fits = false;
        return true;
    }
    return fx_selector_eval(selector->plain, labels, ret_fits, err);
}

static bool fits_namespace(const struct kyverno_filter *filter,
                           const struct kyverno_match_subject *of, bool *ret_fits,
                           struct fx_err *err) {
    const json_t *metadata = fx_tree_view_key(of->request->namespace_object, "metadata");
    *ret_fits = false;
    return of->subject->is_namespace ||
           fits_selector(&filter->namespace_selector,
                         fx_tree_view_key(metadata, "labels"), ret_fits, err);
}

/* ---- the user -----------------------------------------------------------------------
 */

static const json_t *user_of(const struct fx_request *request) {
    const json_t *user = fx_tree_view_key(request->admission, "userInfo");
    return user != NULL ? user : request->user_info;
}

static bool is_account(const json_t *subject, struct fx_text user) {
    struct fx_text rest = user;
    const struct fx_text prefix = FX_TEXT("system:serviceaccount:");
    const struct fx_text namespace_ = fx_tree_view_string(subject, "namespace");
    const struct fx_text name = fx_tree_view_string(subject, "name");
    struct fx_buf pattern;
    fx_buf_init(&pattern, 0);
    fx_buf_text(&pattern, prefix);
    fx_buf_text(&pattern, namespace_);
    fx_buf_char(&pattern, ':');
    fx_buf_text(&pattern, name);
    const bool fits = !pattern.failed && fx_wildcard_match(fx_buf_view(&pattern), rest);
    fx_buf_finish(&pattern);
    return fits;
}

static bool is_subject(const json_t *subject, const json_t *user) {
    const struct fx_text kind = fx_tree_view_string(subject, "kind");
    const struct fx_text name = fx_tree_view_string(subject, "name");
    const struct fx_text user_name = fx_tree_view_string(user, "username");
    if (fx_text_is(kind, "User")) {
        return fx_wildcard_match(name, user_name);
    }
    if (fx_text_is(kind, "ServiceAccount")) {
        return is_account(subject, user_name);
    }
    const json_t *groups = fx_tree_view_key(user, "groups");
    for (size_t i = 0; fx_text_is(kind, "Group") && i < json_array_size(groups); i++) {
        if (fx_wildcard_match(name, fx_tree_text(json_array_get(groups, i)))) {
            return true;
        }
    }
    return false;
}

static bool fits_subjects(const json_t *subjects, const struct fx_request *request) {
    const json_t *user = user_of(request);
    for (size_t i = 0; i < json_array_size(subjects) && fx_spend(1); i++) {
        if (is_subject(json_array_get(subjects, i), user)) {
            return true;
        }
    }
    return false;
}

/* Is one of the wanted roles among those that the user has? */
static bool fits_roles(const json_t *wanted, const json_t *roles) {
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const struct fx_text one = fx_tree_text(json_array_get(wanted, i));
        for (size_t j = 0; j < json_array_size(roles) && fx_spend(1); j++) {
            if (fx_text_equal(one, fx_tree_text(json_array_get(roles, j)))) {
                return true;
            }
        }
    }
    return false;
}

/* ---- a filter -----------------------------------------------------------------------
 */

static bool fits_operation(const struct kyverno_filter *filter,
                           const struct fx_request *request) {
    return (filter->operations & FX_OPERATION_BIT(request->operation)) != 0;
}

static bool fits(const struct kyverno_filter *filter, enum kyverno_attribute attribute,
                 const struct kyverno_match_subject *of, bool *ret_fits,
                 struct fx_err *err) {
    switch (attribute) {
    case KYVERNO_BY_OPERATIONS: *ret_fits = fits_operation(filter, of->request); break;
    case KYVERNO_BY_KINDS: *ret_fits = fits_kinds(filter, of); break;
    case KYVERNO_BY_NAME: *ret_fits = fx_wildcard_match(filter->name, name_of(of)); break;
    case KYVERNO_BY_NAMES: *ret_fits = fits_one(filter->names, name_of(of)); break;
    case KYVERNO_BY_NAMESPACES:
        *ret_fits = fits_one(filter->namespaces, namespace_of(of));
        break;
    case KYVERNO_BY_ANNOTATIONS:
        *ret_fits = has_members(of->subject->annotations, filter->annotations);
        break;
    case KYVERNO_BY_SELECTOR:
        return fits_selector(&filter->selector, of->subject->labels, ret_fits, err);
    case KYVERNO_BY_NAMESPACE_SELECTOR: return fits_namespace(filter, of, ret_fits, err);
    case KYVERNO_BY_SUBJECTS:
        *ret_fits = fits_subjects(filter->subjects, of->request);
        break;
    case KYVERNO_BY_ROLES:
        *ret_fits = fits_roles(filter->roles, of->request->roles);
        break;
    case KYVERNO_BY_CLUSTER_ROLES:
        *ret_fits = fits_roles(filter->cluster_roles, of->request->cluster_roles);
        break;
    case KYVERNO_ATTRIBUTES_END: break;
    }
    return true;
}

/* Finds the first of the attributes `given` that does not fit; KYVERNO_ATTRIBUTES_END if
 * all fit. */
static bool find_unfit(const struct kyverno_filter *filter, unsigned given,
                       const struct kyverno_match_subject *of,
                       enum kyverno_attribute *ret_unfit, struct fx_err *err) {
    enum kyverno_attribute at = 0;
    for (; at < KYVERNO_ATTRIBUTES_END; at++) {
        bool it_fits = false;
        if ((given >> at & 1u) == 0) {
            continue;
        }
        if (!fits(filter, at, of, &it_fits, err)) {
            return false;
        }
        if (!it_fits) {
            break;
        }
    }
    *ret_unfit = at;
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING || fx_fail_exceeded(err);
}

/* What asks for the user is not looked at in `match` if the user is not known: objects of
 * files have none. */
static unsigned counting(const struct kyverno_filter *filter,
                         const struct kyverno_match_subject *of) {
    const unsigned of_user = 1u << KYVERNO_BY_SUBJECTS | 1u << KYVERNO_BY_ROLES |
                             1u << KYVERNO_BY_CLUSTER_ROLES;
    return user_of(of->request) == NULL ? filter->given & ~of_user : filter->given;
}

/* ---- the whole ----------------------------------------------------------------------
 */

/* Of the filters of an `any` that do not fit, the one that came furthest is named. */
static bool holds_any(const struct kyverno_match *match,
                      const struct kyverno_match_subject *of, bool *ret_holds,
                      const char **ret_criterion, struct fx_err *err) {
    int furthest = -1;
    for (size_t i = 0; i < match->n_filters; i++) {
        const struct kyverno_filter *filter = &match->filters[i];
        const unsigned given = counting(filter, of);
        enum kyverno_attribute unfit = 0;
        if (given != 0 && !find_unfit(filter, given, of, &unfit, err)) {
            return false;
        }
        if (unfit == KYVERNO_ATTRIBUTES_END) {
            *ret_holds = true;
            return true;
        }
        if ((int)unfit > furthest && given != 0) {
            furthest = (int)unfit;
            *ret_criterion = filter->fields[unfit];
        }
    }
    *ret_holds = false;
    return true;
}

static bool holds_all(const struct kyverno_match *match,
                      const struct kyverno_match_subject *of, bool *ret_holds,
                      const char **ret_criterion, struct fx_err *err) {
    *ret_holds = false;
    for (size_t i = 0; i < match->n_filters; i++) {
        const struct kyverno_filter *filter = &match->filters[i];
        const unsigned given = counting(filter, of);
        enum kyverno_attribute unfit = KYVERNO_ATTRIBUTES_END;
        if (given == 0 && match->form != KYVERNO_MATCH_FLAT) {
            return true;
        }
        if (!find_unfit(filter, given, of, &unfit, err)) {
            return false;
        }
        if (unfit != KYVERNO_ATTRIBUTES_END) {
            *ret_criterion = filter->fields[unfit];
            return true;
        }
    }
    *ret_holds = match->n_filters > 0;
    return true;
}

bool fx_kyverno_match_holds(const struct kyverno_match *match,
                            const struct kyverno_match_subject *subject, bool *ret_holds,
                            const char **ret_criterion, struct fx_err *err) {
    *ret_criterion = match->field;
    return match->form == KYVERNO_MATCH_ANY
               ? holds_any(match, subject, ret_holds, ret_criterion, err)
               : holds_all(match, subject, ret_holds, ret_criterion, err);
}

bool fx_kyverno_exclude_holds(const struct kyverno_match *exclude,
                              const struct kyverno_match_subject *subject,
                              bool *ret_holds, struct fx_err *err) {
    size_t n_fit = 0;
    for (size_t i = 0; i < exclude->n_filters; i++) {
        const struct kyverno_filter *filter = &exclude->filters[i];
        enum kyverno_attribute unfit = 0;
        if (filter->given != 0 &&
            !find_unfit(filter, filter->given, subject, &unfit, err)) {
            return false;
        }
        n_fit += unfit == KYVERNO_ATTRIBUTES_END ? 1 : 0;
    }
    *ret_holds = exclude->form == KYVERNO_MATCH_ANY
                     ? n_fit > 0
                     : n_fit > 0 && n_fit == exclude->n_filters;
    return true;
}

bool fx_kyverno_match_names_delete(const struct kyverno_match *match) {
    unsigned operations = 0;
    for (size_t i = 0; i < match->n_filters; i++) {
        operations |= match->filters[i].operations;
    }
    return (operations & FX_OPERATION_BIT(FX_OPERATION_DELETE)) != 0;
}

/* ---- the index ----------------------------------------------------------------------
 */

static bool is_exact(struct fx_text pattern) {
    return fx_text_is(pattern, "*") || !fx_wildcard_is_pattern(pattern);
}

/* Can the index tell the objects that the filter may match? Requests for subresources
 * have objects of other kinds. */
static bool is_indexed(const struct kyverno_filter *filter) {
    for (size_t i = 0; i < filter->n_kinds; i++) {
        const struct kyverno_kind_pattern *kind = &filter->kinds[i];
        if (!is_exact(kind->group) || !is_exact(kind->version) || !is_exact(kind->kind) ||
            kind->subresource.len > 0) {
            return false;
        }
    }
    return filter->n_kinds > 0;
}

static struct fx_binding binding_of(const struct kyverno_filter *filter, size_t index) {
    const struct kyverno_kind_pattern *kind = &filter->kinds[index];
    const bool has_operations = (filter->given >> KYVERNO_BY_OPERATIONS & 1u) != 0;
    return (struct fx_binding){
        .group = kind->group,
        .version = kind->version,
        .kind = kind->kind,
        .operations = has_operations ? filter->operations : ~0u,
        .no_operation = !has_operations,
        .any_group = fx_text_is(kind->group, "*"),
        .any_version = fx_text_is(kind->version, "*"),
        .any_kind = fx_text_is(kind->kind, "*"),
    };
}

bool fx_kyverno_match_bindings(const struct kyverno_match *match, struct fx_arena *arena,
                               struct fx_binding **ret_bindings, size_t *ret_n) {
    size_t n = 0;
    *ret_n = 0;
    for (size_t i = 0; i < match->n_filters; i++) {
        if (!is_indexed(&match->filters[i])) {
            return true;
        }
        n += match->filters[i].n_kinds;
    }
    *ret_bindings = fx_arena_alloc(arena, n * sizeof **ret_bindings);
    if (*ret_bindings == NULL) {
        return false;
    }
    for (size_t i = 0; i < match->n_filters; i++) {
        for (size_t j = 0; j < match->filters[i].n_kinds; j++) {
            (*ret_bindings)[(*ret_n)++] = binding_of(&match->filters[i], j);
        }
    }
    return true;
}

/* Does the filter name its namespaces, without wildcards? */
static bool names_namespaces(const struct kyverno_filter *filter) {
    const size_t n = json_array_size(filter->namespaces);
    for (size_t i = 0; i < n; i++) {
        const struct fx_text name = fx_tree_text(json_array_get(filter->namespaces, i));
        if (name.len == 0 || fx_wildcard_is_pattern(name)) {
            return false;
        }
    }
    return n > 0;
}

bool fx_kyverno_match_namespaces(const struct kyverno_match *match,
                                 struct fx_arena *arena, struct fx_text **ret_namespaces,
                                 size_t *ret_n) {
    /* Of an `all` each filter must fit, so the first one is enough. */
    const size_t n_filters =
        match->form == KYVERNO_MATCH_ANY || match->n_filters == 0 ? match->n_filters : 1;
    size_t n = 0;
    *ret_n = 0;
    *ret_namespaces = NULL;
    for (size_t i = 0; i < n_filters; i++) {
        if (!names_namespaces(&match->filters[i])) {
            return true;
        }
        n += json_array_size(match->filters[i].namespaces);
    }
    *ret_namespaces = fx_arena_alloc(arena, (n + 1) * sizeof **ret_namespaces);
    if (*ret_namespaces == NULL) {
        return false;
    }
    for (size_t i = 0; i < n_filters; i++) {
        const json_t *names = match->filters[i].namespaces;
        for (size_t j = 0; j < json_array_size(names); j++) {
            (*ret_namespaces)[(*ret_n)++] = fx_tree_text(json_array_get(names, j));
        }
    }
    return true;
}
