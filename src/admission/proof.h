/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/proof.h - a patch is tried before it is sent: one that does not apply blocks
 * the user, even under `failurePolicy: Ignore`. Private to this room.
 */
#ifndef FX_ADMISSION_PROOF_H
#define FX_ADMISSION_PROOF_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "value/patch.h"

/* Applies the patch to *root, copying on write: what comes of it must be `wanted`.
 * Errors: FX_ENOMEM; all others are our own bug, FX_EINTERNAL. */
bool fx_proof_try(const struct fx_patch *patch, json_t **root, const json_t *wanted,
                  struct fx_err *err) FX_MUST_USE;

#endif
