/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/check.h - the static checker: finds what each name and call means and the
 * type of each node, as cel-go does (spec/cel.md sections 2, 7 and 8). Private to the
 * room.
 */
#ifndef FX_LOCATION_CEL_CHECK_H
#define FX_LOCATION_CEL_CHECK_H

#include <stdbool.h>

#include "location/cel/cel.h"

enum fx_cel_check_mode {
    FX_CEL_CHECK_STRICT,
    FX_CEL_CHECK_LOOSE,   /* literals may be of mixed types */
    FX_CEL_CHECK_LENIENT, /* fx_cel_compile_options.lenient */
};

/* Checks a parsed expression: sets `checked` of each node, and what names and calls mean
 * (ast.h). Adds a fault for each mistake, in the order of their positions. False if there
 * are faults, and err->code is FX_OK; or with err->code set (FX_ENOMEM, FX_EDEADLINE,
 * FX_ELIMIT), and no fault. */
bool fx_cel_check(const struct fx_cel_env *env, struct fx_cel_node *root,
                  struct fx_arena *arena, enum fx_cel_check_mode mode,
                  struct fx_cel_faults *faults, struct fx_err *err) FX_MUST_USE;

/* Sets what names and calls of an unchecked expression mean, by name and number of
 * arguments alone; all types are dyn. What is not known fails when it is evaluated. */
bool fx_cel_resolve_unchecked(const struct fx_cel_env *env, struct fx_cel_node *root,
                              struct fx_arena *arena, struct fx_err *err) FX_MUST_USE;

#endif
