/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/policy.h - ClusterPolicy, Policy and PolicyException as they are compiled:
 * documents become these structs, the link step makes rules of them (spec/kyverno.md
 * sections 1, 13 and 16).
 */
#ifndef FX_KYVERNO_POLICY_H
#define FX_KYVERNO_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "context_entries.h"
#include "engine/dialect.h"
#include "engine/link.h"
#include "engine/unit.h"
#include "foreach.h"
#include "images.h"
#include "match.h"
#include "patch.h"
#include "preconditions.h"
#include "targets.h"

#define KYVERNO_GROUP "kyverno.io"
/* With the value "true": the policy is for requests even if spec.admission is false. */
#define KYVERNO_ADMISSION_ANNOTATION "policies.fixpoint.dev/admission"

#define KYVERNO_RANK 3u /* position in a pass */

/* The setting for the namespace whose PolicyExceptions count; "*": of all. */
#define KYVERNO_EXCEPTIONS_SETTING "policy-exceptions"

/* Indices in fx_kyverno_kinds. */
enum {
    KYVERNO_CLUSTER_POLICY,
    KYVERNO_POLICY,
    KYVERNO_EXCEPTION,
    KYVERNO_CONFIG,
    KYVERNO_KINDS_END,
};
extern const struct fx_kind fx_kyverno_kinds[];

/* One rule with `mutate`, the policy's own or a generated one. Immutable, in the arena of
 * its policy. */
struct kyverno_rule_body {
    struct fx_text name;
    json_t *document; /* counted: the rule, to which texts and nodes belong */
    struct kyverno_match match, exclude;
    bool has_exclude;
    bool is_generated;                           /* by autogen */
    struct kyverno_context_entries *context;     /* NULL: none */
    struct kyverno_preconditions *preconditions; /* NULL: none */
    struct kyverno_extractors *extractors;       /* NULL: none */
    /* The rest of the rule, whose variables a plain patch resolves, too (section 7). NULL
     * if it has none, and in a rule with a foreach. */
    struct kyverno_template *rest;
    struct kyverno_patch *patch; /* one of these two */
    struct kyverno_foreach *foreach;
    struct kyverno_targets targets; /* if there are any, the rule mutates them alone */
    bool runs_on_policy_change;     /* mutateExistingOnPolicyUpdate */
    struct fx_binding *bindings;    /* for the index; in the arena */
    size_t n_bindings;
    struct fx_text *namespaces; /* the same; 0 of them for any namespace */
    size_t n_namespaces;
};

struct kyverno_merge_options;

struct kyverno_policy {
    struct fx_linkable head;
    json_t *document;                /* counted */
    struct fx_arena arena;           /* of the rules */
    struct fx_text name, namespace_; /* of the document; data NULL: cluster-scoped */
    struct kyverno_merge_options *merge_options; /* NULL: none */
    bool ignores_failure;                        /* failurePolicy: Ignore */
    bool applies_one;                            /* applyRules: One */
    bool runs_on_policy_change;                  /* mutateExistingOnPolicyUpdate */
    struct kyverno_rule_body *rules;             /* own ones, then generated ones */
    size_t n_rules;
};

/* One of `exceptions`. */
struct kyverno_excepted {
    struct fx_text policy; /* "name" or "namespace/name" */
    const json_t *rules;   /* an array of wildcard patterns */
};

struct kyverno_exception {
    struct fx_linkable head;
    json_t *document; /* counted */
    struct fx_arena arena;
    struct kyverno_excepted *excepted;
    size_t n_excepted;
    bool is_allowed; /* exceptions of its namespace count */
    struct kyverno_match match;
    struct kyverno_preconditions *conditions; /* NULL: none */
};

/* Compile one document (policy_read.c, exception.c): fx_dialect.compile. Rules that do
 * not mutate give a warning. Errors: FX_EINVALID with the node, FX_ELIMIT, FX_EDEADLINE,
 * FX_ENOMEM. */
bool fx_kyverno_policy_compile(json_t *document, struct fx_compilation *ret_compilation,
                               struct fx_err *err) FX_MUST_USE;
bool fx_kyverno_exception_compile(json_t *document,
                                  struct fx_compilation *ret_compilation,
                                  struct fx_err *err) FX_MUST_USE;

/* The link step (link.c): a rule for each of the policy, with its exceptions. */
void fx_kyverno_link(struct fx_unit *unit, struct fx_link *link);

#endif
