/* SPDX-License-Identifier: Apache-2.0
 *
 * base/uuid.h - random names (RFC 9562, version 4).
 */
#ifndef FX_BASE_UUID_H
#define FX_BASE_UUID_H

#define FX_UUID_SIZE 37 /* with the NUL */

/* A fresh random UUID in lower case. Where the kernel gives no randomness, a name made
 * of the clock: these name reviews in messages and guard nothing. */
void fx_uuid_make(char out[FX_UUID_SIZE]);

#endif
