/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/match.h - private: does a request match matchConstraints or
 * matchResources (spec/mutating-admission-policy.md section 3)?
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_MATCH_H
#define FX_MUTATORS_ADMISSION_POLICY_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "engine/mutator.h"
#include "engine/request.h"
#include "mutators/admission_policy/policy.h"

/* The criteria, in the order in which reports rank them: the last one first. */
#define MAP_CRITERIA(X)                               \
    X(NAMESPACE_SELECTOR, "namespaceSelector")        \
    X(OBJECT_SELECTOR, "objectSelector")              \
    X(EXCLUDE_RESOURCE_RULES, "excludeResourceRules") \
    X(RESOURCE_RULES, "resourceRules")

enum map_criterion {
#define X(name, text) MAP_CRITERION_##name,
    MAP_CRITERIA(X)
#undef X
        MAP_CRITERION_NONE, /* it matches */
};

/* The request as matching sees it. Texts are borrowed from the request and the subject.
 */
struct map_attributes {
    struct fx_text group, version, resource, subresource;
    struct fx_text name, namespace_; /* of a Namespace: its own name */
    enum fx_operation operation;
    bool is_namespace;  /* the resource is `namespaces` */
    bool is_namespaced; /* the object is in a namespace, or would be sent to one */
    bool is_converted;  /* the request was for another version, which the API server has
                         * converted to this one */
    struct fx_buf guessed; /* the resource, if the request does not name it */
};

/* The namespace of the request, in which parameters are looked up: of a Namespace, that
 * of its own name. Empty for other cluster-scoped objects. */
struct fx_text fx_map_params_namespace(const struct fx_subject *subject,
                                       const struct fx_request *request);

/* Reads the attributes; the resource is guessed from the kind if no request names it.
 * False without memory. Finish them in any case. */
bool fx_map_attributes_read(const struct fx_request *request,
                            const struct fx_subject *subject,
                            struct map_attributes *ret_attributes) FX_MUST_USE;
void fx_map_attributes_finish(struct map_attributes *attributes);

/* Is the resource one that admission policies never see: policies and webhook
 * configurations, and reviews of access? */
bool fx_map_is_exempt(const struct map_attributes *attributes);

/* Evaluates matchConstraints or matchResources: *ret_criterion is the first criterion
 * that is false. Selectors are evaluated last, because a faulty one matters only if the
 * rules match. Errors: FX_EMUTATE (a faulty selector; the Namespace is not known),
 * FX_ENOMEM. */
bool fx_map_match_eval(const struct map_match *match,
                       const struct map_attributes *attributes,
                       const struct fx_request *request, const struct fx_subject *subject,
                       enum map_criterion *ret_criterion, struct fx_err *err) FX_MUST_USE;

/* ---- for the index (match_index.c) ------------------------------------------------ */

/* The objects that resourceRules may match, for the head of a mutator. *ret_n is 0 if
 * that may be any object. The caller frees them. False without memory. */
bool fx_map_match_bindings(const struct map_match *match,
                           struct fx_binding **ret_bindings, size_t *ret_n) FX_MUST_USE;

/* Finds the kind of a resource among the built-in ones. Its data is NULL if there is
 * none: the name of a kind of another API is not known for certain. False without memory.
 */
bool fx_map_find_kind(struct fx_text group, struct fx_text resource,
                      struct fx_text *ret_kind) FX_MUST_USE;

/* Does the subresource ("status", or empty) have objects of the kind of its resource?
 * (Others have kinds of their own: Scale, Eviction, PodExecOptions.) */
bool fx_map_subresource_has_own_kind(struct fx_text subresource);

/* Sets *ret_may unless the group is one of Kubernetes' own, as far as its kinds are built
 * in, and none of its kinds has this resource. False without memory. */
bool fx_map_may_have_resource(struct fx_text group, struct fx_text resource,
                              bool *ret_may) FX_MUST_USE;

/* May the namespaceSelector match objects in this namespace? It is decided only for
 * selectors that ask for nothing but the label with the name of the namespace.
 * `resources` is the object that has the selector. */
bool fx_map_match_may_match_namespace(const struct map_match *match,
                                      const json_t *resources, struct fx_text namespace_);

#endif
