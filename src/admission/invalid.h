/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/invalid.h - what is wrong with a policy, as an API server tells it of any
 * object: one sentence for people, and a list of causes by field for their tools (kubectl
 * prints that). Private to this room.
 */
#ifndef FX_ADMISSION_INVALID_H
#define FX_ADMISSION_INVALID_H

#include <jansson.h>

#include "base/buf.h"
#include "engine/dialect.h"

/* Appends the `status` of a response: code 422, reason Invalid, with the faults, of which
 * there is at least one, up to FX_LIMIT_REPORTED_FAULTS; the others are counted. */
void fx_invalid_add_status(struct fx_buf *body, const json_t *policy,
                           const struct fx_compilation *told);

#endif
