/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/escape.h - private: text for HTML, JavaScript and queries of URLs,
 * as text/template's functions of these names write it.
 */
#ifndef FX_LOCATION_GOTEMPLATE_ESCAPE_H
#define FX_LOCATION_GOTEMPLATE_ESCAPE_H

#include "base/buf.h"
#include "base/text.h"

/* Each appends the text; failure sticks in the buffer. */
void escape_html(struct fx_buf *buf, struct fx_text text);
void escape_js(struct fx_buf *buf, struct fx_text text);
void escape_query(struct fx_buf *buf, struct fx_text text);

#endif
