/* SPDX-License-Identifier: Apache-2.0
 *
 * toy/toy.h - a small policy language for tests, which has what a real one may have: two
 * kinds, a link step, parameters of any kind, run options, and its own explanations.
 *
 *   kind: TagPolicy                            kind: TagBinding
 *   metadata: {name: owner}                    metadata: {name: shop}
 *   spec:                                      spec:
 *     paramKind: {apiVersion: v1,                policyName: owner
 *                 kind: ConfigMap}               paramRef: {name: owners, namespace: toy}
 *     match: {kinds: [Pod]}                      namespaces: [shop]
 *     tags:
 *       managed-by: toy
 *       owner: {fromParam: data.shop}
 *       region: {fromNamespace: region}
 *       team: {fromConfigMap: {annotation: team, key: name}}
 *       has-spec: {fromSchema: {field: spec, value: "yes"}}
 *     requires: {verb: update, resource: deployments}
 *     action: mutate
 *     reinvoke: IfNeeded
 *
 * Each binding makes one rule of its policy, which writes the tags into the annotations
 * of an object, or, with `action: deny`, refuses objects that lack them. A tag has a
 * text, or takes it from the parameter, from an annotation of the Namespace of the
 * object, or from the data of a ConfigMap in that namespace, which an annotation of the
 * object names; or it is only for objects whose schema has a field. With `requires`, the
 * rule matches only if the user may do that in that namespace.
 *
 * With `action: existing` the tags are written into other objects, the targets:
 *
 *     targets:
 *     - {apiVersion: v1, kind: ConfigMap, namespace: $namespace, name: "settings-*",
 *        selector: {matchLabels: {tagged: "yes"}}}
 *     tags: {by: toy, owner: {fromTrigger: owner}, log: {grows: x}}
 *     ownRequests: true
 *     onPolicyChange: true
 *     serverSideApply: true
 */
#ifndef FX_TOY_TOY_H
#define FX_TOY_TOY_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/text.h"
#include "engine/dialect.h"
#include "engine/existing.h"
#include "engine/link.h"
#include "engine/mutator.h"

#define TOY_GROUP "toy.fixpoint.dev"
#define TOY_RANK  3u

enum { TOY_POLICY, TOY_BINDING, TOY_END }; /* indices in fx_toy_kinds */
extern const struct fx_kind fx_toy_kinds[];

/* A TagPolicy. The nodes belong to `spec`. */
struct toy_policy {
    struct fx_linkable head;
    json_t *spec; /* counted */
    struct fx_named_kind param_kind;
    const json_t *kinds; /* an array of strings */
    json_t *tags;        /* strings, {fromParam: path}, {fromNamespace: annotation},
                          * {fromConfigMap: {annotation, key}},
                          * {fromSchema: {field, value}} */
    struct fx_text verb, resource; /* of `requires`; empty if it requires nothing */
    const json_t *targets;         /* an array of objects; NULL if there are none */
    enum fx_action action;
    bool on_own_requests, on_policy_change, by_apply; /* of an existing rule */
    bool has_params, wants_namespace, wants_config_map, once;
};

/* A TagBinding; the nodes belong to its `spec`, too. Its target is the policy's name. */
struct toy_binding {
    struct fx_linkable head;
    json_t *spec;
    struct fx_text param_name, param_namespace; /* empty if there is none */
    const json_t *namespaces;                   /* an array of strings; NULL for all */
};

/* Makes the rule of the policy and the binding, which are units. The rule writes or
 * requires `tags`, which it takes, and of which none is {fromParam: path} any more. NULL
 * if out of memory. */
struct fx_mutator *fx_toy_rule_create_take(struct fx_unit *policy,
                                           struct fx_unit *binding, uint32_t position,
                                           json_t *tags) FX_MUST_USE;

/* The policy of a rule, borrowed. */
const struct toy_policy *fx_toy_rule_policy(const struct fx_mutator *self);

/* Its tags, with the values of its parameter; borrowed. */
json_t *fx_toy_rule_tags(const struct fx_mutator *self);

/* Finds the value of a tag for this object, borrowed; NULL if there is none. Errors:
 * those of fx_inputs_read(). */
bool fx_toy_find_value(const struct fx_request *request, const json_t *root, json_t *tag,
                       json_t **ret_value, struct fx_err *err) FX_MUST_USE;

/* Sets an annotation of the object, copying on write. False if out of memory. */
bool fx_toy_set_tag(json_t **root, const char *key, json_t *value) FX_MUST_USE;

/* Declares that such a rule reads in the object only what `match` does. */
void fx_toy_declare_kind(const struct fx_mutator *self, struct fx_access *access);

/* The functions of rules with `action: existing`. */
extern const struct fx_existing_ops fx_toy_existing;

void fx_toy_link(struct fx_unit *unit, struct fx_link *link);

#endif
