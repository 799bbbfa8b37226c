/* SPDX-License-Identifier: Apache-2.0
 *
 * base/uuid.h - random UUIDs (RFC 9562, version 4).
 */
#ifndef FX_BASE_UUID_H
#define FX_BASE_UUID_H

#define FX_UUID_SIZE 37 /* includes the NUL */

/* Makes a random UUID in lower case. If the kernel gives no random bytes, it is made from
 * the clock: UUIDs identify reviews in messages and protect nothing. */
void fx_uuid_make(char out[FX_UUID_SIZE]);

#endif
