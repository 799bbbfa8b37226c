/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/external_internal.h - what the files of external.h share. Private to this
 * room.
 */
#ifndef FX_ADMISSION_EXTERNAL_INTERNAL_H
#define FX_ADMISSION_EXTERNAL_INTERNAL_H

#include "admission/external.h"
#include "base/limits.h"

/* An object is as deep as was read, then a location into it, then the value there. */
#define FX_EXTERNAL_DEPTH (4 * FX_LIMIT_JSON_DEPTH)

/* Orders struct fx_placeholder by provider, then key; for qsort(). */
int fx_external_compare(const void *left, const void *right);

/* FX_ELIMIT; always false. */
bool fx_external_fail_depth(struct fx_err *err);

#endif
