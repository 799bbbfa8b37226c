/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_internal.h - the list of operations; private to this room.
 */
#ifndef FX_VALUE_PATCH_INTERNAL_H
#define FX_VALUE_PATCH_INTERNAL_H

#include "value/patch.h"

/* Appends an operation for the caller to fill; NULL without memory. */
struct fx_patch_op *fx_patch_append(struct fx_patch *patch) FX_MUST_USE;

/* "add", "remove", … */
const char *fx_patch_op_name(enum fx_patch_op_kind kind);

#endif
