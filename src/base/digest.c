/* SPDX-License-Identifier: Apache-2.0
 *
 * base/digest.c - the rounds of FIPS 180-4, with its names.
 */
#include "base/digest.h"

#include <stddef.h>
#include <string.h>

#define BLOCK        64 /* bytes */
#define LENGTH_BYTES 8  /* at the end of the last block */

/* Takes one block into the state. */
typedef void take_block(uint32_t *state, const uint8_t block[BLOCK]);

static uint32_t rotate_left(uint32_t x, unsigned by) {
    return x << by | x >> (32 - by);
}

static uint32_t rotate_right(uint32_t x, unsigned by) {
    return x >> by | x << (32 - by);
}

static uint32_t choose(uint32_t x, uint32_t y, uint32_t z) {
    return (x & y) ^ (~x & z);
}

static uint32_t parity(uint32_t x, uint32_t y, uint32_t z) {
    return x ^ y ^ z;
}

static uint32_t majority(uint32_t x, uint32_t y, uint32_t z) {
    return (x & y) ^ (x & z) ^ (y & z);
}

static uint32_t read_word(const uint8_t *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 |
           (uint32_t)from[3];
}

static void write_word(uint8_t *to, uint32_t word) {
    for (unsigned i = 0; i < 4; i++) {
        to[i] = (uint8_t)(word >> (24 - 8 * i));
    }
}

/* ---- SHA-1 (section 6.1.2) --------------------------------------------------------- */

#define SHA1_ROUNDS 80
#define SHA1_WORDS  5

/* f and K of round t (sections 4.1.1, 4.2.1). */
static uint32_t sha1_mix(unsigned t, uint32_t b, uint32_t c, uint32_t d) {
    switch (t / 20) {
    case 0: return choose(b, c, d) + 0x5a827999u;
    case 1: return parity(b, c, d) + 0x6ed9eba1u;
    case 2: return majority(b, c, d) + 0x8f1bbcdcu;
    default: return parity(b, c, d) + 0xca62c1d6u;
    }
}

static void sha1_block(uint32_t *state, const uint8_t block[BLOCK]) {
    uint32_t w[SHA1_ROUNDS];
    for (unsigned t = 0; t < 16; t++) {
        w[t] = read_word(block + (size_t)t * 4);
    }
    for (unsigned t = 16; t < SHA1_ROUNDS; t++) {
        w[t] = rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    }
    uint32_t a = state[0];
    uint32_t b = state[1];
    uint32_t c = state[2];
    uint32_t d = state[3];
    uint32_t e = state[4];
    for (unsigned t = 0; t < SHA1_ROUNDS; t++) {
        const uint32_t sum = rotate_left(a, 5) + sha1_mix(t, b, c, d) + e + w[t];
        e = d;
        d = c;
        c = rotate_left(b, 30);
        b = a;
        a = sum;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

/* ---- SHA-256 (section 6.2.2) ------------------------------------------------------- */

#define SHA256_ROUNDS 64
#define SHA256_WORDS  8

/* Section 4.2.2: of the cube roots of the first 64 primes. */
static const uint32_t sha256_k[SHA256_ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
};

/* Section 4.1.2. */
static uint32_t big_sigma_0(uint32_t x) {
    return rotate_right(x, 2) ^ rotate_right(x, 13) ^ rotate_right(x, 22);
}

static uint32_t big_sigma_1(uint32_t x) {
    return rotate_right(x, 6) ^ rotate_right(x, 11) ^ rotate_right(x, 25);
}

static uint32_t small_sigma_0(uint32_t x) {
    return rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3;
}

static uint32_t small_sigma_1(uint32_t x) {
    return rotate_right(x, 17) ^ rotate_right(x, 19) ^ x >> 10;
}

static void sha256_block(uint32_t *state, const uint8_t block[BLOCK]) {
    uint32_t w[SHA256_ROUNDS];
    for (unsigned t = 0; t < 16; t++) {
        w[t] = read_word(block + (size_t)t * 4);
    }
    for (unsigned t = 16; t < SHA256_ROUNDS; t++) {
        w[t] = small_sigma_1(w[t - 2]) + w[t - 7] + small_sigma_0(w[t - 15]) + w[t - 16];
    }
    uint32_t v[SHA256_WORDS]; /* a to h */
    memcpy(v, state, sizeof v);
    for (unsigned t = 0; t < SHA256_ROUNDS; t++) {
        const uint32_t first =
            v[7] + big_sigma_1(v[4]) + choose(v[4], v[5], v[6]) + sha256_k[t] + w[t];
        const uint32_t second = big_sigma_0(v[0]) + majority(v[0], v[1], v[2]);
        memmove(v + 1, v, (SHA256_WORDS - 1) * sizeof v[0]);
        v[4] += first;
        v[0] = first + second;
    }
    for (unsigned i = 0; i < SHA256_WORDS; i++) {
        state[i] += v[i];
    }
}

/* ---- both -------------------------------------------------------------------------- */

/* The last blocks: the rest of the bytes, a 1 bit, zeros, the length in bits (5.1.1). */
static void take_end(uint32_t *state, take_block *take, struct fx_text rest,
                     uint64_t total) {
    uint8_t end[2 * BLOCK] = {0};
    if (rest.len > 0) {
        memcpy(end, rest.data, rest.len);
    }
    end[rest.len] = 0x80;
    const size_t len = rest.len + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK;
    const uint64_t bits = total * 8;
    write_word(end + len - 8, (uint32_t)(bits >> 32));
    write_word(end + len - 4, (uint32_t)bits);
    for (size_t at = 0; at < len; at += BLOCK) {
        take(state, end + at);
    }
}

static void digest(uint32_t *state, size_t n_words, take_block *take,
                   struct fx_text bytes, uint8_t *ret_digest) {
    const size_t total = bytes.len;
    while (bytes.len >= BLOCK) {
        take(state, (const uint8_t *)bytes.data);
        bytes.data += BLOCK;
        bytes.len -= BLOCK;
    }
    take_end(state, take, bytes, total);
    for (size_t i = 0; i < n_words; i++) {
        write_word(ret_digest + i * 4, state[i]);
    }
}

void fx_sha1(struct fx_text bytes, uint8_t ret_digest[FX_SHA1_BYTES]) {
    uint32_t state[SHA1_WORDS] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
                                  0xc3d2e1f0};
    digest(state, SHA1_WORDS, sha1_block, bytes, ret_digest);
}

void fx_sha256(struct fx_text bytes, uint8_t ret_digest[FX_SHA256_BYTES]) {
    uint32_t state[SHA256_WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    digest(state, SHA256_WORDS, sha256_block, bytes, ret_digest);
}

uint32_t fx_adler32(struct fx_text bytes) {
    const uint32_t base = 65521; /* the largest prime below 65536 */
    uint32_t s1 = 1;
    uint32_t s2 = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        s1 = (s1 + (uint8_t)bytes.data[i]) % base;
        s2 = (s2 + s1) % base;
    }
    return s2 << 16 | s1;
}
