/* SPDX-License-Identifier: Apache-2.0
 *
 * base/hash.h - FNV-1a with 64 bits (RFC 9923): to tell one thing from another where
 * nobody gains by making two look alike.
 */
#ifndef FX_BASE_HASH_H
#define FX_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The hash of nothing, with which each begins. */
#define FX_HASH_START UINT64_C(0xcbf29ce484222325)

/* The hash of what `so_far` is the hash of, and these bytes behind it. `bytes` may be
 * NULL only where `len` is 0. */
uint64_t fx_hash_bytes(uint64_t so_far, const void *bytes, size_t len);

/* The same of one of several texts: with its length, so that `ab`, `c` is not `a`, `bc`.
 */
uint64_t fx_hash_text(uint64_t so_far, struct fx_text text);

#endif
