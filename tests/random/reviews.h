/* SPDX-License-Identifier: Apache-2.0
 *
 * random/reviews.h - reviews random objects under random policies, and checks what must
 * hold of every review.
 */
#ifndef FX_RANDOM_REVIEWS_H
#define FX_RANDOM_REVIEWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* What became of many cases, so that a test can tell that they are of use. */
struct random_counts {
    size_t n_policies, n_faulty; /* policies, and errors found in them */
    size_t n_objects;
    size_t n_mutated, n_unchanged, n_failed, n_endless; /* outcomes of first reviews */
    size_t n_changed_again; /* a second review changes the result, and `check` says so */
};

/*
 * Makes policies and objects of the bytes (draw.h), and reviews each object:
 *
 *   - The loop ends: with a result, with the failure of a policy, or because there is no
 *     fixed point. A loop that skips steps has the same outcome as one that does not.
 *   - The response to an object that was read in part is that to the whole object, and
 *     its patch gives the result of the loop.
 *   - A second review of the result changes nothing, or `check` has a finding about it.
 *     random_unreported is the sentence for a case without one: the test fails, the fuzz
 *     target does not, because `check` is no proof for each set that a fuzzer can invent.
 *
 * Returns NULL if that holds; otherwise a sentence about what does not. `report` then has
 * the policies and the object. Adds to `counts`, which may be NULL.
 */
extern const char random_unreported[];
const char *random_review(const uint8_t *bytes, size_t size, struct random_counts *counts,
                          struct fx_buf *report);

#endif
