/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/url_escape.h - private: the escapes of URLs (RFC 3986 section 2.1), which
 * Go treats by the part of the URL.
 */
#ifndef FX_LOCATION_GO_URL_ESCAPE_H
#define FX_LOCATION_GO_URL_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

enum fx_go_url_part {
    FX_GO_URL_HOST,
    FX_GO_URL_ZONE,
    FX_GO_URL_USER,
    FX_GO_URL_PATH,
    FX_GO_URL_FRAGMENT,
};

#define FX_GO_URL_ESCAPE 3 /* characters of one */

/* Does Go escape the character in this part? */
bool fx_go_url_must_escape(char c, enum fx_go_url_part part);

/* Appends the text with escapes. */
void fx_go_url_escape(struct fx_buf *buf, struct fx_text text, enum fx_go_url_part part);

/* Returns the byte of the escape at the start of the text, or a negative number. */
int fx_go_url_escaped_byte(struct fx_text text);

/* Decodes the escapes of the text into *room, which it moves behind the result. A text
 * without escapes is its own result. `*room` NULL: the text is only checked. Errors: as
 * fx_go_url_parse(). */
bool fx_go_url_unescape(struct fx_text text, enum fx_go_url_part part, char **room,
                        struct fx_text *ret_text, struct fx_err *err) FX_MUST_USE;

/* Fails with `before`, the quoted text, and `after`. Always false. */
bool fx_go_url_fail(struct fx_err *err, const char *before, struct fx_text text,
                    const char *after);

#endif
