/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_plain.h - bytes that stand for themselves in a JSON string, eight at a time;
 * private to this room.
 */
#ifndef FX_VALUE_JSON_PLAIN_H
#define FX_VALUE_JSON_PLAIN_H

#include <stdint.h>
#include <string.h>

/* How many of the eight bytes, from the first on, are plain: ASCII, no control, no quote,
 * no backslash? The well-known test of a word for a byte below n: borrow into the top
 * bits. What a borrow spoils lies behind a byte that is not plain. */
static inline unsigned fx_json_count_plain(const char *at) {
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t tops = 0x8080808080808080u;
    uint64_t word = 0;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    const uint64_t quote = word ^ ones * '"';
    const uint64_t slash = word ^ ones * '\\';
    const uint64_t hits =
        (word | (word - ones * 0x20) | (quote - ones) | (slash - ones)) & tops;
    return hits == 0 ? 8 : (unsigned)__builtin_ctzll(hits) / 8;
}

#endif
