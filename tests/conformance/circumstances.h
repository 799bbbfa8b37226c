/* SPDX-License-Identifier: Apache-2.0
 *
 * circumstances.h - the request that a Gatekeeper case describes.
 */
#ifndef FX_CONFORMANCE_CIRCUMSTANCES_H
#define FX_CONFORMANCE_CIRCUMSTANCES_H

#include <jansson.h>

#include "engine/request.h"

/* Returns the request with the row's `operation` (default CREATE), `sourceType` (default
 * Original) and `namespace` (null for none). It is borrowed from the row. */
struct fx_request fx_case_request(json_t *row);

#endif
