/* SPDX-License-Identifier: Apache-2.0
 *
 * base/hash.h - FNV-1a with 64 bits (RFC 9923): for comparisons in which a collision does
 * no harm.
 */
#ifndef FX_BASE_HASH_H
#define FX_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The hash of no bytes. Each hash begins with it. */
#define FX_HASH_START UINT64_C(0xcbf29ce484222325)

/* Continues the hash `so_far` with these bytes. `bytes` may be NULL only if `len` is
 * 0. */
uint64_t fx_hash_bytes(uint64_t so_far, const void *bytes, size_t len);

/* The same for one of several texts: the hash includes the length, so that `ab`, `c`
 * differs from `a`, `bc`. */
uint64_t fx_hash_text(uint64_t so_far, struct fx_text text);

#endif
