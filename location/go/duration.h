/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/duration.h - spans of time as Go writes them: `1h30m0s`.
 */
#ifndef FX_LOCATION_GO_DURATION_H
#define FX_LOCATION_GO_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#define FX_GO_NANOSECOND  INT64_C(1)
#define FX_GO_MICROSECOND (1000 * FX_GO_NANOSECOND)
#define FX_GO_MILLISECOND (1000 * FX_GO_MICROSECOND)
#define FX_GO_SECOND      (1000 * FX_GO_MILLISECOND)
#define FX_GO_MINUTE      (60 * FX_GO_SECOND)
#define FX_GO_HOUR        (60 * FX_GO_MINUTE)

/* Reads `[-+] (digits [. digits] unit)+` with the units ns us µs ms s m h, also `0`
 * (time.ParseDuration). Errors: FX_EMUTATE in Go's words. */
bool fx_go_duration_parse(struct fx_text text, int64_t *ret_nanoseconds,
                          struct fx_err *err) FX_MUST_USE;

/* Appends the duration as Go prints it. */
void fx_go_duration_print(struct fx_buf *buf, int64_t nanoseconds);

#endif
