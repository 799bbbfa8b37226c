/* SPDX-License-Identifier: Apache-2.0
 *
 * value/hash.c - SipHash of texts and numbers, and of the hashes of elements and members.
 */
#include "value/hash.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "value/tree.h"

struct fx_hash_key fx_hash_key_make(void) {
    struct fx_hash_key key = {0};
    if (!fx_random_take(&key, sizeof key)) {
        key = (struct fx_hash_key){.low = fx_clock_ns()};
    }
    return key;
}

/* ---- SipHash --------------------------------------------------------------------- */

struct sip {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t word, unsigned bits) {
    return word << bits | word >> (64 - bits);
}

static void sip_round(struct sip *sip) {
    sip->v0 += sip->v1;
    sip->v1 = rotate(sip->v1, 13) ^ sip->v0;
    sip->v0 = rotate(sip->v0, 32);
    sip->v2 += sip->v3;
    sip->v3 = rotate(sip->v3, 16) ^ sip->v2;
    sip->v0 += sip->v3;
    sip->v3 = rotate(sip->v3, 21) ^ sip->v0;
    sip->v2 += sip->v1;
    sip->v1 = rotate(sip->v1, 17) ^ sip->v2;
    sip->v2 = rotate(sip->v2, 32);
}

static struct sip sip_start(struct fx_hash_key key) {
    return (struct sip){
        .v0 = key.low ^ UINT64_C(0x736f6d6570736575),
        .v1 = key.high ^ UINT64_C(0x646f72616e646f6d),
        .v2 = key.low ^ UINT64_C(0x6c7967656e657261),
        .v3 = key.high ^ UINT64_C(0x7465646279746573),
    };
}

static void sip_word(struct sip *sip, uint64_t word) {
    sip->v3 ^= word;
    sip_round(sip);
    sip_round(sip);
    sip->v0 ^= word;
}

static uint64_t sip_end(struct sip *sip) {
    sip->v2 ^= 0xff;
    for (int i = 0; i < 4; i++) {
        sip_round(sip);
    }
    return sip->v0 ^ sip->v1 ^ sip->v2 ^ sip->v3;
}

/* Returns up to eight bytes from `at` on, as a little endian word. */
static uint64_t word_at(struct fx_text bytes, size_t at) {
    const size_t end = bytes.len - at < 8 ? bytes.len : at + 8;
    uint64_t word = 0;
    for (size_t i = end; i > at; i--) {
        word = word << 8 | (unsigned char)bytes.data[i - 1];
    }
    return word;
}

uint64_t fx_hash_siphash(struct fx_hash_key key, struct fx_text bytes) {
    struct sip sip = sip_start(key);
    size_t at = 0;
    for (; bytes.len - at >= 8; at += 8) {
        sip_word(&sip, word_at(bytes, at));
    }
    sip_word(&sip, word_at(bytes, at) | (uint64_t)bytes.len << 56);
    return sip_end(&sip);
}

/* ---- values ---------------------------------------------------------------------- */

/* Returns the hash of two 64-bit values. */
static uint64_t hash_pair(struct fx_hash_key key, uint64_t a, uint64_t b) {
    struct sip sip = sip_start(key);
    sip_word(&sip, a);
    sip_word(&sip, b);
    sip_word(&sip, UINT64_C(16) << 56);
    return sip_end(&sip);
}

/* A real that is an integer of 64 bits has the hash of the integer, which it equals. */
static uint64_t hash_real(struct fx_hash_key key, double real) {
    if (real >= -0x1p63 && real < 0x1p63 && (double)(json_int_t)real == real) {
        return hash_pair(key, JSON_INTEGER, (uint64_t)(json_int_t)real);
    }
    uint64_t bits = 0;
    memcpy(&bits, &real, sizeof bits);
    return hash_pair(key, JSON_REAL, bits);
}

static uint64_t hash_array(struct fx_hash_key key, const json_t *array) {
    uint64_t hash = hash_pair(key, JSON_ARRAY, json_array_size(array));
    size_t index = 0;
    const json_t *element = NULL;
    json_array_foreach (array, index, element) {
        hash = hash_pair(key, hash, fx_hash_value(key, element));
    }
    return hash;
}

/* The hash is a sum, so that the order of the members does not matter. */
static uint64_t hash_object(struct fx_hash_key key, const json_t *object) {
    uint64_t sum = 0;
    for (void *iter = fx_node_first(object); iter != NULL;
         iter = fx_node_next(object, iter)) {
        sum += hash_pair(key, fx_hash_siphash(key, fx_node_key(iter)),
                         fx_hash_value(key, json_object_iter_value(iter)));
    }
    return hash_pair(key, JSON_OBJECT, sum);
}

uint64_t fx_hash_value(struct fx_hash_key key, const json_t *value) {
    assert(value != NULL);
    switch (json_typeof(value)) {
    case JSON_OBJECT: return hash_object(key, value);
    case JSON_ARRAY: return hash_array(key, value);
    case JSON_STRING: return fx_hash_siphash(key, fx_tree_text(value));
    case JSON_REAL: return hash_real(key, json_real_value(value));
    case JSON_INTEGER:
        return hash_pair(key, JSON_INTEGER, (uint64_t)json_integer_value(value));
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: return hash_pair(key, json_typeof(value), 0);
    }
    return 0;
}
