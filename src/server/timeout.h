/* SPDX-License-Identifier: Apache-2.0
 *
 * server/timeout.h - how long a review may take: the API server names its timeout in the
 * query (`?timeout=5s`), of which a fifth is left for the way back.
 */
#ifndef FX_SERVER_TIMEOUT_H
#define FX_SERVER_TIMEOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* How long a request with this query may take: 0.8 × `timeout`, where more than a minute
 * counts as a minute (an API server waits 30 s at most); or `default_ms` if the query has
 * no `timeout`, or "0". False if `timeout` is negative or not a duration of Go
 * (time.ParseDuration). */
bool fx_timeout_budget_ns(struct fx_text query, uint64_t default_ms,
                          uint64_t *ret_ns) FX_MUST_USE;

#endif
