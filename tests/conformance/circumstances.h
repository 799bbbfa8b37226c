/* SPDX-License-Identifier: Apache-2.0
 *
 * circumstances.h - the request that a Gatekeeper case describes.
 */
#ifndef FX_CONFORMANCE_CIRCUMSTANCES_H
#define FX_CONFORMANCE_CIRCUMSTANCES_H

#include <jansson.h>

#include "engine/request.h"

/* `operation` (CREATE where there is none), `sourceType` (Original where there is none)
 * and `namespace` (null: none) of the row, borrowed from it. */
struct fx_request fx_case_request(json_t *row);

#endif
