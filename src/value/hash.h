/* SPDX-License-Identifier: Apache-2.0
 *
 * value/hash.h - a hash of values for tables that hostile values are looked up in: with
 * a secret key, without which nobody can find values that collide. Values that are
 * equal (value/equal.h) have one hash.
 */
#ifndef FX_VALUE_HASH_H
#define FX_VALUE_HASH_H

#include <stdint.h>

#include <jansson.h>

#include "base/text.h"

struct fx_hash_key {
    uint64_t low, high;
};

/* A fresh random key. Where the kernel gives no randomness, one made of the time. */
struct fx_hash_key fx_hash_key_make(void);

/* SipHash-2-4 (Aumasson and Bernstein, 2012) of the bytes. */
uint64_t fx_hash_siphash(struct fx_hash_key key, struct fx_text bytes);

/* The hash of the value, in time linear in its size. Recursion as in fx_equal(). */
uint64_t fx_hash_value(struct fx_hash_key key, const json_t *value);

#endif
