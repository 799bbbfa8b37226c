/* SPDX-License-Identifier: Apache-2.0
 *
 * merge/strategic.h - merges a strategic merge patch into an object as Kyverno does
 * (spec/kyverno.md section 9.5): maps member by member, lists with a merge strategy by
 * their keys, every other list as a whole.
 *
 * A schema (merge/schema.h) says which lists have a strategy: FX_SCHEMA_LIST with keys,
 * or `is_set` for lists of scalars. A list that the schema does not have is replaced.
 */
#ifndef FX_MERGE_STRATEGIC_H
#define FX_MERGE_STRATEGIC_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "merge/schema.h"

/* The lists with a merge strategy in the kinds of Kubernetes 1.21: what Kyverno works
 * with. (strategic_types.c) */
extern const struct fx_schema_set fx_strategic_builtin;

/*
 * Merges `patch` into *root, which is an object. A node that is not shared is written in
 * place, a shared one is copied first (value/tree.h). Nothing is written where the patch
 * says what the object already has: a patch without effect leaves *root the same pointer.
 * Nodes of the patch become nodes of the object; the patch itself is never written.
 * `schema` is that of the object's kind; its `set` may be NULL: no list has a strategy.
 * *ret_changed, if it is not NULL, says whether anything was written. If the patch has no
 * lists, the object differs then.
 *
 * Errors: FX_EMUTATE: the patch does not fit the object (a map where the object has a
 * list, an unknown `$patch`, an element without the key of its list); *root is
 * unchanged. FX_ENOMEM, FX_EDEADLINE, FX_ELIMIT: *root may have a part of the patch.
 */
bool fx_strategic_merge(struct fx_schema schema, json_t **root, json_t *patch,
                        bool *ret_changed, struct fx_err *err) FX_MUST_USE;

#endif
