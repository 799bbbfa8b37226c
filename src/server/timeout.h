/* SPDX-License-Identifier: Apache-2.0
 *
 * server/timeout.h - how long a review may take: the API server names its own patience in
 * the query (`?timeout=5s`), and we leave it a fifth of that for the way back.
 */
#ifndef FX_SERVER_TIMEOUT_H
#define FX_SERVER_TIMEOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* Reads a duration as Go's time.ParseDuration does: decimal numbers with a unit each (ns
 * us µs ms s m h), a sign, or the bare "0". False for anything else, and where it does
 * not fit 64 bits of nanoseconds. */
bool fx_timeout_parse(struct fx_text text, int64_t *ret_ns) FX_MUST_USE;

/* The nanoseconds a request with this query may take: 0.8 × `timeout`, of which more than
 * a minute counts as a minute (an API server waits 30 s at most); of `default_ms` all,
 * where the query names none, or "0", which means the same. False where `timeout` is
 * below zero or is no duration. */
bool fx_timeout_budget_ns(struct fx_text query, uint64_t default_ms,
                          uint64_t *ret_ns) FX_MUST_USE;

#endif
