/* SPDX-License-Identifier: Apache-2.0
 *
 * base/base64.h - bytes as text and back (RFC 4648 section 4, with padding): for the
 * patch of an AdmissionReview and the certificates of a configuration. mbedTLS is not
 * used, because its decoder accepts texts that Go refuses, and its encoder is slower
 * (constant time, for keys).
 */
#ifndef FX_BASE_BASE64_H
#define FX_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

/* Returns the number of characters that encode `len` bytes. */
size_t fx_base64_length(size_t len);

/* Appends the encoded bytes. A failure is kept in `buf`. */
void fx_base64_encode(struct fx_buf *buf, struct fx_text bytes);

/* Encodes the content of `buf` from offset `from` to its end in place, so that it need
 * not be copied. A failure is kept in `buf`. */
void fx_base64_encode_tail(struct fx_buf *buf, size_t from);

/* Appends the decoded bytes of `text`, like Go's StdEncoding: CR and LF are skipped,
 * padding is required, leftover bits are ignored. False, with nothing appended, for any
 * other text and if `buf` fails (then buf->failed is set). */
bool fx_base64_decode(struct fx_buf *buf, struct fx_text text) FX_MUST_USE;

/* Returns the position at which Go's StdEncoding refuses an invalid text, as in `illegal
 * base64 data at input byte %d`. */
size_t fx_base64_find_fault(struct fx_text text);

#endif
