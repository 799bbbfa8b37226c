/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/modrule.h - private: KubeMod's ModRule, compiled. "The spec" in this
 * folder is KubeMod's.
 */
#ifndef FX_MUTATORS_KUBEMOD_MODRULE_H
#define FX_MUTATORS_KUBEMOD_MODRULE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/regex.h"
#include "engine/dialect.h"
#include "engine/mutator.h"
#include "engine/request.h"
#include "location/gotemplate/gotemplate.h"
#include "mutators/kubemod/match_item.h"
#include "mutators/kubemod/patch_rule.h"

#define CLUSTER_NAMESPACE_SETTING "cluster-modrules-namespace"
#define KUBEMOD_GROUP             "api.kubemod.io"
#define KUBEMOD_RANK              2u /* position in a pass */

/* The default cluster namespace. Its rules apply to objects of other namespaces and to
 * cluster-scoped objects. */
#define KUBEMOD_CLUSTER_NAMESPACE "kubemod-system"

/* Immutable once made. */
struct modrule {
    struct fx_mutator head; /* first */
    bool is_cluster;        /* the rule is in the cluster namespace */
    bool rejects;
    unsigned operations;     /* FX_OPERATION_BIT */
    struct fx_regex *target; /* targetNamespaceRegex, or NULL */
    json_t *target_pattern;  /* the text of `target`, counted, or NULL */
    struct match_item *items;
    size_t n_items;
    struct patch_operation *patch;
    size_t n_patch;
    struct fx_gotemplate *message; /* rejectMessage, or NULL */

    /* For the index. */
    struct fx_binding *bindings;
    struct fx_text own_namespace;
};

/* Sets the name of a rule that was read, and completes its head. On failure it takes
 * nothing of `rule`. `settings` may be NULL. False if out of memory. */
bool fx_modrule_begin(struct modrule *rule, const struct fx_subject *policy,
                      json_t *source,
                      const struct fx_dialect_settings *settings) FX_MUST_USE;

/* Sets the fields for the index. False if out of memory. */
bool fx_modrule_index(struct modrule *rule) FX_MUST_USE;

/* Turns the rule from a mutator into a validator, which rejects objects. Call it before
 * the rule is in a snapshot. */
void fx_modrule_set_type(struct modrule *rule, bool rejects);

void fx_modrule_destroy(struct modrule *rule); /* NULL and incomplete rules are fine */

/* The engine's access slot (engine/mutator.h). */
void fx_modrule_access(const struct fx_mutator *self, struct fx_access *access);

/* Sets the inputs of the rule: whether it reads `syntheticRefs.namespace` and
 * `syntheticRefs.node`. False if out of memory. */
bool fx_modrule_find_inputs(struct modrule *rule) FX_MUST_USE;

/* The engine's example slot. The object has the nodes to which match items and
 * selects lead, if they are plain paths. */
json_t *fx_modrule_example(const struct fx_mutator *self, struct fx_err *err);

/* The engine's explain slots (explain.c). */
void fx_modrule_explain(const struct fx_mutator *self, const char *criterion,
                        struct fx_criterion *ret_criterion);
void fx_modrule_found(const struct fx_mutator *self, const struct fx_request *request,
                      const struct fx_subject *subject, const char *criterion,
                      struct fx_buf *found);

/* The criteria that are checked before the items of `match`, for verdicts. */
#define MODRULE_OPERATIONS "admissionOperations"
#define MODRULE_TARGET     "targetNamespaceRegex"
#define MODRULE_NAMESPACE  "namespace"
/* The label of a Namespace, with the value "true", that disables rules (section 9). */
#define MODRULE_IGNORE "admission.kubemod.io/ignore"

/* Returns the object. Rules do not write to it; results are counted references. */
json_t *fx_modrule_object(const struct fx_subject *subject);

/* Returns the namespace of the request, which rules match, and which templates see as
 * `.Namespace`. Empty for cluster-scoped objects, including a Namespace (section 2). */
struct fx_text fx_modrule_namespace(const struct fx_request *request,
                                    const struct fx_subject *subject);

#endif
