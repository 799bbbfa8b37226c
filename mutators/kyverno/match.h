/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/match.h - `match` and `exclude` of a rule, and `match` of a PolicyException
 * (spec/kyverno.md section 3).
 */
#ifndef FX_KYVERNO_MATCH_H
#define FX_KYVERNO_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/mutator.h"
#include "engine/request.h"
#include "engine/selector.h"
#include "kind_pattern.h"
#include "reading.h"

/* A label selector whose `matchLabels` may have wildcards. */
struct kyverno_selector {
    struct fx_selector *plain; /* what has no wildcards; owned */
    json_t *wild;              /* the other members of matchLabels; owned, or NULL */
};

/* The attributes of a filter, in the order in which they are compared. */
#define KYVERNO_ATTRIBUTES(X)                            \
    X(OPERATIONS, "resources.operations")                \
    X(KINDS, "resources.kinds")                          \
    X(NAME, "resources.name")                            \
    X(NAMES, "resources.names")                          \
    X(NAMESPACES, "resources.namespaces")                \
    X(ANNOTATIONS, "resources.annotations")              \
    X(SELECTOR, "resources.selector")                    \
    X(NAMESPACE_SELECTOR, "resources.namespaceSelector") \
    X(SUBJECTS, "subjects")                              \
    X(ROLES, "roles")                                    \
    X(CLUSTER_ROLES, "clusterRoles")

enum kyverno_attribute {
#define X(name, text) KYVERNO_BY_##name,
    KYVERNO_ATTRIBUTES(X)
#undef X
        KYVERNO_ATTRIBUTES_END,
};

/* One filter. All attributes that are given must hold. Lists are arrays of the document,
 * NULL if they are not given. */
struct kyverno_filter {
    unsigned given; /* a set of 1u << enum kyverno_attribute; empty: an empty filter */
    unsigned operations; /* a set of FX_OPERATION_BIT */
    struct kyverno_kind_pattern *kinds;
    size_t n_kinds;
    struct fx_text name;
    const json_t *names, *namespaces, *annotations, *subjects, *roles, *cluster_roles;
    const json_t *labels; /* matchLabels of `selector`, with wildcards; or NULL */
    struct kyverno_selector selector, namespace_selector;
    /* The places of the attributes: "match.any[0].resources.kinds". In the arena. */
    const char *fields[KYVERNO_ATTRIBUTES_END];
};

enum kyverno_match_form {
    KYVERNO_MATCH_ANY,  /* one filter must fit */
    KYVERNO_MATCH_ALL,  /* every filter must fit */
    KYVERNO_MATCH_FLAT, /* the old form: one filter, which may be empty */
};

struct kyverno_match {
    enum kyverno_match_form form;
    struct kyverno_filter *filters;
    size_t n_filters;
    const char *field; /* "match", "exclude" */
};

/* What is matched. Everything is borrowed. */
struct kyverno_match_subject {
    const struct fx_request *request;
    const struct fx_subject *subject;
};

/* Reads `match` or `exclude`, which is an object. `field` is its place in the rule or the
 * exception ("match"). Its memory is in the arena of the reading;
 * fx_kyverno_match_finish() frees what is not, also after a failure. Unknown fields give
 * warnings. Errors: FX_EINVALID with the node and its field (a wrong type, an unknown
 * operation, a kind of more than four parts, a selector that Kubernetes rejects),
 * FX_ENOMEM. */
bool fx_kyverno_match_read(const struct kyverno_reading *reading, const json_t *match,
                           const char *field,
                           struct kyverno_match *ret_match) FX_MUST_USE;
void fx_kyverno_match_finish(struct kyverno_match *match); /* zeroed is fine */

/* Does `match` hold? An empty filter matches only in the flat form. If it does not hold,
 * *ret_criterion is the name of the first attribute that does not, such as
 * "match.any[0].resources.kinds", memory of the match. Spends from the thread's budget.
 * Errors: FX_EDEADLINE, FX_ENOMEM. */
bool fx_kyverno_match_holds(const struct kyverno_match *match,
                            const struct kyverno_match_subject *subject, bool *ret_holds,
                            const char **ret_criterion, struct fx_err *err) FX_MUST_USE;

/* The same for `exclude`: an empty one, or an empty filter, excludes nothing. */
bool fx_kyverno_exclude_holds(const struct kyverno_match *exclude,
                              const struct kyverno_match_subject *subject,
                              bool *ret_holds, struct fx_err *err) FX_MUST_USE;

/* Does a filter name the operation DELETE? */
bool fx_kyverno_match_names_delete(const struct kyverno_match *match);

/* Makes the bindings of a match for the index, in the arena. *ret_n is 0 if it may match
 * any object. False without memory. */
bool fx_kyverno_match_bindings(const struct kyverno_match *match, struct fx_arena *arena,
                               struct fx_binding **ret_bindings,
                               size_t *ret_n) FX_MUST_USE;

/* Lists the namespaces of the objects that a match may match, in the arena: *ret_n is 0
 * if that may be any namespace, or one that a pattern with wildcards names. False without
 * memory. */
bool fx_kyverno_match_namespaces(const struct kyverno_match *match,
                                 struct fx_arena *arena, struct fx_text **ret_namespaces,
                                 size_t *ret_n) FX_MUST_USE;

#endif
