/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/duration.h - private: spans of time as Go writes them: `1h30m0s`.
 */
#ifndef FX_LOCATION_GO_DURATION_H
#define FX_LOCATION_GO_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

#define NANOSECOND  INT64_C(1)
#define MICROSECOND (1000 * NANOSECOND)
#define MILLISECOND (1000 * MICROSECOND)
#define SECOND      (1000 * MILLISECOND)
#define MINUTE      (60 * SECOND)
#define HOUR        (60 * MINUTE)

/* Reads `[-+] (digits [. digits] unit)+` with the units ns us µs ms s m h, also `0`
 * (time.ParseDuration). Errors: FX_EMUTATE in Go's words. */
bool duration_parse(struct fx_text text, int64_t *ret_nanoseconds,
                    struct fx_err *err) FX_MUST_USE;

/* Appends the duration as Go prints it. */
void duration_print(struct fx_buf *buf, int64_t nanoseconds);

#endif
