/* SPDX-License-Identifier: Apache-2.0
 *
 * merge/typed.h - merges a configuration into an object by its schema, as server-side
 * apply does (structured-merge-diff; spec/mutating-admission-policy.md sections 8.2 and
 * 18).
 */
#ifndef FX_MERGE_TYPED_H
#define FX_MERGE_TYPED_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "merge/schema.h"

/* A new node that stands in a configuration for a value that JSON does not have (a uint,
 * a date). No schema accepts it, so no result of a merge has it. `go_type`: its type as
 * messages name it, "uint64", "time.Time". NULL without memory. */
json_t *fx_typed_new_foreign(const char *go_type) FX_MUST_USE;

/*
 * Merges `patch` into `live`, neither of which is written. Returns a new reference: to
 * `live` itself if nothing changes, else to a tree that shares what did not change.
 * Memory of the work comes from `arena`.
 *
 * Of the live object only what the configuration is merged with is checked. (The API
 * server checks all of it; but what it sends fits its own schemas.) It may have fields
 * that the schema does not declare (those of a newer
 * Kubernetes): they stay as they are.
 *
 * NULL with FX_EMUTATE: the configuration or the object does not fit the schema, or the
 * configuration has an atomic list, map or struct; `ret_message` (initialised) has the
 * whole text, in the words of the API server. NULL with FX_ENOMEM, FX_ELIMIT or
 * FX_EDEADLINE.
 */
json_t *fx_typed_merge(struct fx_schema schema, json_t *live, json_t *patch,
                       struct fx_arena *arena, struct fx_buf *ret_message,
                       struct fx_err *err) FX_MUST_USE;

/* What became of a configuration that was to be merged in place. */
enum fx_typed_plain {
    FX_TYPED_NOT_PLAIN, /* nothing is written: fx_typed_merge() has to decide */
    FX_TYPED_SAME,      /* the object has all of it: nothing is written */
    FX_TYPED_CHANGED,
    FX_TYPED_FAILED, /* err has FX_ENOMEM or FX_EDEADLINE */
};

/*
 * Merges a plain configuration into *root, in place: a node that another tree shares is
 * copied before it is written, as in value/tree.h; the others are not. `patch` is not
 * written; values that the object did not have are shared with it. The result is that of
 * fx_typed_merge().
 *
 * A configuration is plain if fx_typed_merge() accepts it, if each of its lists has keys
 * and only items that the object has, in the same order, and if each scalar that changes
 * has the form in which an API server writes its type, so that decoding the result would
 * not change it either (no dates, quantities and nulls, for instance). Whether it is
 * plain depends on what the object has, too.
 *
 * After FX_ENOMEM, a *root that nobody shares may have a part of the configuration;
 * otherwise *root is unchanged after a failure.
 */
enum fx_typed_plain fx_typed_merge_plain(struct fx_schema schema, json_t **root,
                                         const json_t *patch, struct fx_arena *arena,
                                         struct fx_err *err) FX_MUST_USE;

#endif
