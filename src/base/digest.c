/* SPDX-License-Identifier: Apache-2.0
 *
 * base/digest.c - SHA-1, SHA-256 and MD5 with mbedTLS, which does not allocate or fail
 * for them; Adler-32, which mbedTLS lacks. Below src/net no other file includes mbedTLS.
 */
#include "base/digest.h"

#include <assert.h>
#include <stddef.h>

#include <mbedtls/md5.h>
#include <mbedtls/sha1.h>
#include <mbedtls/sha256.h>
#include <mbedtls/version.h>

/* 2.28 has other names for the functions that return a status. */
#if MBEDTLS_VERSION_NUMBER < 0x03000000
#define mbedtls_md5    mbedtls_md5_ret
#define mbedtls_sha1   mbedtls_sha1_ret
#define mbedtls_sha256 mbedtls_sha256_ret
#endif

static const unsigned char *bytes_of(struct fx_text text) {
    return (const unsigned char *)(text.len > 0 ? text.data : "");
}

void fx_md5(struct fx_text bytes, uint8_t ret_digest[FX_MD5_BYTES]) {
    const int status = mbedtls_md5(bytes_of(bytes), bytes.len, ret_digest);
    assert(status == 0);
}

void fx_sha1(struct fx_text bytes, uint8_t ret_digest[FX_SHA1_BYTES]) {
    const int status = mbedtls_sha1(bytes_of(bytes), bytes.len, ret_digest);
    assert(status == 0);
}

void fx_sha256(struct fx_text bytes, uint8_t ret_digest[FX_SHA256_BYTES]) {
    const int status = mbedtls_sha256(bytes_of(bytes), bytes.len, ret_digest, 0);
    assert(status == 0);
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
