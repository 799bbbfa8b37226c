/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/namespaces.h - the inputs of rules (engine/input.h) from files: Namespaces (any
 * other namespace has only the label with its name) and objects of any other kind.
 */
#ifndef FX_POLICY_NAMESPACES_H
#define FX_POLICY_NAMESPACES_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/input.h"

/* A sorted list: Namespaces, Nodes, others, each by name. Of several objects with one
 * kind, namespace and name the last one added counts. */
struct fx_namespaces {
    json_t **objects; /* counted */
    size_t n_objects, cap_objects;
};

void fx_namespaces_finish(struct fx_namespaces *namespaces); /* NULL, zeroed are fine */

/* Is this document a Namespace or a Node (v1) with a name? */
bool fx_namespaces_is_one(const json_t *document);

/* Does it have apiVersion, kind and a name, so that it can be added? */
bool fx_namespaces_can_hold(const json_t *document);

/* Adds or replaces the object; takes a reference of its own. False without memory. */
bool fx_namespaces_add(struct fx_namespaces *namespaces, json_t *object) FX_MUST_USE;

/* Adds several objects, in their order, to an empty list. The time does not depend on the
 * order. On failure the list stays empty. */
bool fx_namespaces_fill(struct fx_namespaces *namespaces, json_t *const *objects,
                        size_t n_objects) FX_MUST_USE;

/* Returns the namespace of that name as a new reference: the given one, or a new one with
 * the label `kubernetes.io/metadata.name`. NULL without memory. `namespaces` may be
 * NULL. */
json_t *fx_namespaces_find(const struct fx_namespaces *namespaces,
                           struct fx_text name) FX_MUST_USE;

/* Returns the number of Namespaces, which come first. NULL is fine. */
size_t fx_namespaces_count(const struct fx_namespaces *namespaces);

/* Returns the value of an input (engine/input.h) as a new reference: a Namespace as in
 * fx_namespaces_find(), or another given object. NULL on failure; errors: FX_EMUTATE (it
 * does not exist; access reviews need a cluster), FX_ENOMEM. `namespaces` may be NULL. */
json_t *fx_namespaces_find_input(const struct fx_namespaces *namespaces,
                                 const struct fx_input_key *wanted,
                                 struct fx_err *err) FX_MUST_USE;

/* The same as a function of type fx_input_find. `user` is the struct fx_namespaces, which
 * is only read. */
enum fx_lookup fx_namespaces_look_up_input(void *user, const struct fx_input_key *wanted,
                                           json_t **ret_value, struct fx_err *err);

#endif
