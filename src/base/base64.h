/* SPDX-License-Identifier: Apache-2.0
 *
 * base/base64.h - bytes as text and back (RFC 4648 section 4, with padding): the patch of
 * an AdmissionReview, the certificates of a configuration. mbedTLS's reader takes texts
 * that Go's refuses, and its writer is slower, for the sake of keys.
 */
#ifndef FX_BASE_BASE64_H
#define FX_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

/* How many characters `len` bytes become. */
size_t fx_base64_length(size_t len);

/* Appends the bytes, encoded. Failure sticks in `buf`. */
void fx_base64_encode(struct fx_buf *buf, struct fx_text bytes);

/* Encodes, in place, what stands in `buf` from offset `from` to its end: text that was
 * written there once need not be written a second time. Failure sticks in `buf`. */
void fx_base64_encode_tail(struct fx_buf *buf, size_t from);

/* Appends the bytes that `text` stands for. As Go's StdEncoding reads it: CR and LF are
 * skipped, padding is required, leftover bits are ignored. False, with nothing appended,
 * for any other text and where `buf` fails (then buf->failed is set). */
bool fx_base64_decode(struct fx_buf *buf, struct fx_text text) FX_MUST_USE;

/* The byte at which Go's StdEncoding gives up on a text that is no base64: what its
 * `illegal base64 data at input byte %d` says. */
size_t fx_base64_find_fault(struct fx_text text);

#endif
