/* SPDX-License-Identifier: Apache-2.0
 *
 * webhook.h - reads responses as an API server reads them.
 */
#ifndef FX_CONFORMANCE_WEBHOOK_H
#define FX_CONFORMANCE_WEBHOOK_H

#include <stdbool.h>

#include <jansson.h>

#include "answer.h"
#include "base/err.h"
#include "base/macros.h"

#define FX_CASE_UID "705ab4f5-6393-11e8-b7cc-42010a800002" /* of each request */

/* Makes what the patch of the response, which allows the request, makes of the object.
 * Errors: FX_EINVALID if the response or its patch are not valid. */
bool fx_case_read_patched(json_t *object, const json_t *response,
                          struct fx_case_answer *ret_answer,
                          struct fx_err *err) FX_MUST_USE;

#endif
