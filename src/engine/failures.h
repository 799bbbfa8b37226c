/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/failures.h - failures that a mutator reports while it is applied, and that do
 * not end its step: several in one step, some of which deny the request.
 */
#ifndef FX_ENGINE_FAILURES_H
#define FX_ENGINE_FAILURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macros.h"
#include "base/text.h"

/* One failure. */
struct fx_failure {
    uint32_t mutator, pass;
    /* The HTTP code and the reason of the status with which the request is denied, such
     * as 403 and "Invalid" (a constant). 0 and NULL: the failure is ignored. A code of
     * 500 or more takes precedence over other failures. */
    unsigned code;
    const char *reason;
    /* The part of the policy that failed, for explanations: "mutations[1]"; empty if it
     * is not known. In the arena, as the message is. */
    struct fx_text part;
    struct fx_text message;
};

/* The failures of a review, in order. The loop owns it. */
struct fx_failures {
    struct fx_arena *arena;
    uint32_t mutator, pass; /* of the current step */
    struct fx_failure *items;
    size_t n_items, cap_items;
};

/* Adds a failure of the current step. `failure` has its code, reason, part and message,
 * whose texts are copied. After the pass, the loop ends if a failure denies the request.
 * False without memory. */
bool fx_failures_add(struct fx_failures *failures,
                     const struct fx_failure *failure) FX_MUST_USE;

/* The failure whose status denies the request: the first one of a code of 500 or more, or
 * else the first one with a code. NULL: none denies it. */
const struct fx_failure *fx_failures_status(const struct fx_failures *failures);

#endif
