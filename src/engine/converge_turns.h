/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_turns.h - a cycle without end, field by field.
 */
#ifndef FX_ENGINE_CONVERGE_TURNS_H
#define FX_ENGINE_CONVERGE_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macros.h"
#include "engine/converge.h"
#include "engine/trace.h"

/* Sorts the changes of one turn of the whole object (`period` passes from 1; 0: one pass
 * of a cycle that never comes back) by field, and leaves of each field its own shortest
 * turn. Shortest first, then by path. The turns are the arena's, their nodes the trace's.
 * False without memory. */
bool fx_turns_find(const struct fx_trace *trace, uint32_t period, struct fx_arena *arena,
                   struct fx_cycle_field **ret_turns, size_t *ret_n_turns) FX_MUST_USE;

#endif
