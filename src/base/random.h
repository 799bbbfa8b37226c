/* SPDX-License-Identifier: Apache-2.0
 *
 * base/random.h - random bytes of the kernel, for hashes, identifiers and policies.
 */
#ifndef FX_BASE_RANDOM_H
#define FX_BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"

#define FX_RANDOM_MOST_BYTES 256u

/* Fills `bytes` with at most FX_RANDOM_MOST_BYTES random bytes, which nobody can predict.
 * Each thread takes them from a stock, because a system call each time would be slow.
 * False if the kernel gives none, which happens only just after the machine has started.
 */
bool fx_random_take(void *bytes, size_t n) FX_MUST_USE;

#endif
