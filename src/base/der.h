/* SPDX-License-Identifier: Apache-2.0
 *
 * base/der.h - reads values of ASN.1 in their distinguished encoding (X.690):
 * certificates whose content a policy wants to see. Keys and signatures are in src/net.
 *
 * A value is a span of bytes; readers remove values from the start of a span. Lengths
 * have to be minimal, as in Go. Nothing is allocated.
 */
#ifndef FX_BASE_DER_H
#define FX_BASE_DER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

/* Tags, as they are encoded in one byte. */
enum fx_der_tag {
    FX_DER_BOOLEAN = 0x01,
    FX_DER_INTEGER = 0x02,
    FX_DER_BIT_STRING = 0x03,
    FX_DER_OCTET_STRING = 0x04,
    FX_DER_OID = 0x06,
    FX_DER_UTF8_STRING = 0x0C,
    FX_DER_NUMERIC_STRING = 0x12,
    FX_DER_PRINTABLE_STRING = 0x13,
    FX_DER_T61_STRING = 0x14,
    FX_DER_IA5_STRING = 0x16,
    FX_DER_UTC_TIME = 0x17,
    FX_DER_GENERALIZED_TIME = 0x18,
    FX_DER_BMP_STRING = 0x1E,
    FX_DER_SEQUENCE = 0x30,
    FX_DER_SET = 0x31,
    FX_DER_CONTEXT = 0x80,             /* + number: a tag of the context */
    FX_DER_CONTEXT_CONSTRUCTED = 0xA0, /* + number: the same, of a value of values */
};

/* Removes one value. `ret_whole` (may be NULL) gets its bytes with tag and length. False
 * if the bytes are not a value. */
bool fx_der_take_any(struct fx_text *from, unsigned *ret_tag, struct fx_text *ret_content,
                     struct fx_text *ret_whole) FX_MUST_USE;

/* Removes a value with this tag. False, also for a value with another tag. */
bool fx_der_take(struct fx_text *from, unsigned tag,
                 struct fx_text *ret_content) FX_MUST_USE;

/* Does a value with this tag follow? */
bool fx_der_follows(struct fx_text from, unsigned tag);

/* Removes a value with this tag if one follows; otherwise *ret_content is empty, without
 * data. False if the bytes are not a value. */
bool fx_der_take_optional(struct fx_text *from, unsigned tag,
                          struct fx_text *ret_content) FX_MUST_USE;

/* Removes a bit string, and gives its bytes and the number of bits of the last one that
 * do not belong to it. */
bool fx_der_take_bits(struct fx_text *from, struct fx_text *ret_bytes,
                      unsigned *ret_unused) FX_MUST_USE;

/* Reads the content of an integer that fits 64 bits. False for any other. */
bool fx_der_integer(struct fx_text content, int64_t *ret_integer) FX_MUST_USE;

/* Reads the content of a boolean. */
bool fx_der_boolean(struct fx_text content, bool *ret_boolean) FX_MUST_USE;

/* Removes one number from the content of an object identifier; the first one of the
 * encoding stands for two numbers. False if it does not fit 31 bits.
 */
bool fx_der_oid_take(struct fx_text *content, uint32_t *ret_number) FX_MUST_USE;

/* Is it the object identifier "2.5.4.3"? */
bool fx_der_oid_is(struct fx_text content, const char *text);

/* Appends an object identifier as in "2.5.4.3". False if it is none. */
bool fx_der_oid_print(struct fx_buf *buf, struct fx_text content) FX_MUST_USE;

#endif
