/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/url_escape.h - private to url*.c: what is escaped where.
 */
#ifndef FX_LOCATION_SPRIG_URL_ESCAPE_H
#define FX_LOCATION_SPRIG_URL_ESCAPE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/run.h"

enum url_part { URL_HOST, URL_ZONE, URL_USER, URL_PATH, URL_FRAGMENT };

/* Appends the text with all escaped that must be in that part. */
void url_escape(struct fx_buf *buf, struct fx_text text, enum url_part part);

/* The text without escapes; borrowed where there is none. False with run->err where one
 * is no escape, or a character may not stand in that part. */
bool url_unescape(struct run *run, struct fx_text text, enum url_part part,
                  struct fx_text *ret_text) FX_MUST_USE;

/* The text as Go's %q writes it, in the run's scratch buffer. */
const char *url_quote(struct run *run, struct fx_text text);

#endif
