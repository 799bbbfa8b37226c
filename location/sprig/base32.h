/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/base32.h - private: bytes as text and back (RFC 4648 section 6,
 * with padding).
 */
#ifndef FX_LOCATION_SPRIG_BASE32_H
#define FX_LOCATION_SPRIG_BASE32_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

/* Appends the bytes, encoded. Failure sticks in `buf`. */
void base32_encode(struct fx_buf *buf, struct fx_text bytes);

/* Appends the bytes that `text` stands for; CR and LF are skipped. False for any other
 * text, with the byte where Go sees the fault, line ends not counted. Then something may
 * have been appended. Failure of `buf` sticks in it. */
bool base32_decode(struct fx_buf *buf, struct fx_text text,
                   size_t *ret_fault) FX_MUST_USE;

#endif
