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
#include "engine/dialect.h"
#include "engine/mutator.h"
#include "engine/request.h"

/* A pattern for kinds: "Pod", "apps/v1/Deployment", "Pod/exec". Each part is a wildcard
 * pattern, borrowed from the document or a constant. */
struct kyverno_kind_pattern {
    struct fx_text group, version, kind, subresource;
};

struct kyverno_selector; /* private: labels with wildcards */

/* The attributes of one filter. All that are given must hold. Lists are arrays of texts
 * of the document; NULL if they are not given. */
struct kyverno_filter {
    bool is_empty; /* it has no attribute */
    struct kyverno_kind_pattern *kinds;
    size_t n_kinds;
    bool has_kinds, has_operations;
    unsigned operations; /* a set of FX_OPERATION_BIT */
    struct fx_text name; /* data NULL: not given */
    const json_t *names, *namespaces, *annotations;
    struct kyverno_selector *selector, *namespace_selector;
    const json_t *subjects, *roles, *cluster_roles;
    const char *field; /* "match.any[0].resources", in the arena */
    /* The names of the criteria, in the arena: enum kyverno_criterion. */
    const char *const *criteria;
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
    const struct fx_subject *subject;    /* the object; of a DELETE, the old one */
    const json_t *roles, *cluster_roles; /* of the user; NULL: none */
};

/* Reads `match` or `exclude`, which is an object. `field` is its place for messages. Its
 * memory is in the arena; fx_kyverno_match_finish() frees what is not. Unknown fields
 * give warnings. Errors: FX_EINVALID with the node and its field (a wrong type, an
 * unknown operation, a kind of more than four parts, a selector that Kubernetes rejects),
 * FX_ELIMIT, FX_ENOMEM. */
bool fx_kyverno_match_read(json_t *match, const char *field, struct fx_arena *arena,
                           struct fx_compilation *compilation,
                           struct kyverno_match *ret_match,
                           struct fx_err *err) FX_MUST_USE;
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

/* Makes the bindings of a match for the index, in the arena. *ret_n is 0 if it may match
 * any object. False without memory. */
bool fx_kyverno_match_bindings(const struct kyverno_match *match, struct fx_arena *arena,
                               struct fx_binding **ret_bindings,
                               size_t *ret_n) FX_MUST_USE;

#endif
