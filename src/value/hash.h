/* SPDX-License-Identifier: Apache-2.0
 *
 * value/hash.h - a hash of values for tables with hostile values: values that collide
 * cannot be found without its secret key. Equal values (value/equal.h) have the same
 * hash.
 */
#ifndef FX_VALUE_HASH_H
#define FX_VALUE_HASH_H

#include <stdint.h>

#include <jansson.h>

#include "base/text.h"

struct fx_hash_key {
    uint64_t low, high;
};

/* Creates a random key. If the kernel gives no random bytes, the key is made from the
 * time. */
struct fx_hash_key fx_hash_key_make(void);

/* Returns SipHash-2-4 (Aumasson and Bernstein, 2012) of the bytes. */
uint64_t fx_hash_siphash(struct fx_hash_key key, struct fx_text bytes);

/* Returns the hash of the value, in time linear in its size. Recursion is as deep as in
 * fx_equal(). */
uint64_t fx_hash_value(struct fx_hash_key key, const json_t *value);

#endif
