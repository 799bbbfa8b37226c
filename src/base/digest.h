/* SPDX-License-Identifier: Apache-2.0
 *
 * base/digest.h - SHA-1 and SHA-256 (FIPS 180-4), MD5 (RFC 1321) and Adler-32, for the
 * functions of policies. Keys and signatures are in src/net.
 */
#ifndef FX_BASE_DIGEST_H
#define FX_BASE_DIGEST_H

#include <stdint.h>

#include "base/text.h"

#define FX_MD5_BYTES    16
#define FX_SHA1_BYTES   20
#define FX_SHA256_BYTES 32

void fx_md5(struct fx_text bytes, uint8_t ret_digest[FX_MD5_BYTES]);
void fx_sha1(struct fx_text bytes, uint8_t ret_digest[FX_SHA1_BYTES]);
void fx_sha256(struct fx_text bytes, uint8_t ret_digest[FX_SHA256_BYTES]);

/* Returns the checksum Adler-32 (RFC 1950 section 8.2). */
uint32_t fx_adler32(struct fx_text bytes);

#endif
