/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_index.h - private to snapshot.c: which mutators may match an object.
 */
#ifndef FX_ENGINE_SNAPSHOT_INDEX_H
#define FX_ENGINE_SNAPSHOT_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "base/text.h"
#include "engine/request.h"
#include "engine/snapshot.h"

/* The facts by which mutators are looked up. `namespace_` has no data if the object has
 * no namespace. */
struct fx_snapshot_query {
    enum fx_operation operation;
    struct fx_text group, version, kind, namespace_;
    struct fx_text object_namespace; /* fx_subject_object_namespace() */
};

/* Makes an index of the snapshot's enabled mutators, which it borrows. NULL without
 * memory. */
struct fx_snapshot_index *
fx_snapshot_index_create(const struct fx_snapshot *snapshot) FX_MUST_USE;
void fx_snapshot_index_destroy(struct fx_snapshot_index *index); /* NULL is fine */

/* Fills `candidates`, ascending and without repeats. False without memory. */
bool fx_snapshot_index_find(const struct fx_snapshot_index *index,
                            const struct fx_snapshot_query *query,
                            struct fx_candidates *candidates) FX_MUST_USE;

#endif
