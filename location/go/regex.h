/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/regex.h - what Go's package regexp says of an invalid pattern.
 */
#ifndef FX_LOCATION_GO_REGEX_H
#define FX_LOCATION_GO_REGEX_H

#include "base/buf.h"

/* Appends Go's message for one of base/regex.h: "missing closing ): `a(b`" for
 * "missing ): a(b". */
void fx_go_regex_message(struct fx_buf *buf, const char *message);

#endif
