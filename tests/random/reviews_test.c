/* SPDX-License-Identifier: Apache-2.0
 *
 * random/reviews_test.c - reviews.h, of bytes made from a seed. By hand, with another
 * seed and as many rounds as you like:
 *
 *     build/dev/tests/random/random_reviews_test SEED ROUNDS
 *
 * A case that fails is printed as small as it could be made, with the seed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/slow_testing.h"
#include "reviews.h"

#define SEED       UINT64_C(20261124)
#define ROUNDS     1500u
#define CASE_BYTES 480u
#define MOST_TRIES 4000u /* to make a case smaller */

/* SplitMix64. */
static uint64_t next_random(uint64_t *state) {
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

struct bytes {
    uint8_t data[CASE_BYTES];
    size_t size;
};

/* The bytes of a case: each seed has its own. */
static struct bytes make_bytes(uint64_t seed) {
    struct bytes bytes = {.size = CASE_BYTES};
    for (size_t i = 0; i < CASE_BYTES; i++) {
        bytes.data[i] = (uint8_t)(next_random(&seed) >> 40);
    }
    return bytes;
}

/* Does the case still fail for that reason? Then it is the smallest one so far. */
static bool is_smaller(const struct bytes *tried, const char *reason,
                       struct fx_buf *report, struct bytes *smallest) {
    const char *found = random_review(tried->data, tried->size, NULL, report);
    if (found == NULL || strcmp(found, reason) != 0) {
        return false;
    }
    *smallest = *tried;
    return true;
}

/* Replaces `len` bytes from `at` with the simplest choices, or removes them. */
static struct bytes without(const struct bytes *bytes, size_t at, size_t len,
                            bool removes) {
    struct bytes made = *bytes;
    if (removes) {
        memmove(made.data + at, made.data + at + len, made.size - at - len);
        made.size -= len;
    } else {
        memset(made.data + at, 0, len);
    }
    return made;
}

static bool is_zero(const struct bytes *bytes, size_t at, size_t len) {
    bool zero = true;
    for (size_t i = at; zero && i < at + len; i++) {
        zero = bytes->data[i] == 0;
    }
    return zero;
}

/* Makes the case smaller, by blocks that become shorter, until nothing helps. */
static void shrink(struct bytes *bytes, const char *reason, struct fx_buf *report) {
    size_t tries = 0;
    for (size_t len = CASE_BYTES / 2; len > 0; len /= 2) {
        for (size_t at = 0; at + len <= bytes->size && tries < MOST_TRIES; tries++) {
            struct bytes made = without(bytes, at, len, true);
            if (is_smaller(&made, reason, report, bytes)) {
                continue;
            }
            made = without(bytes, at, len, false);
            if (!is_zero(bytes, at, len)) {
                (void)is_smaller(&made, reason, report, bytes);
            }
            at += len;
        }
    }
    (void)random_review(bytes->data, bytes->size, NULL, report);
}

static bool play(uint64_t seed, struct random_counts *counts) {
    struct fx_buf report;
    struct bytes bytes = make_bytes(seed);
    fx_buf_init(&report, 0);
    const char *reason = random_review(bytes.data, bytes.size, counts, &report);
    if (reason != NULL) {
        shrink(&bytes, reason, &report);
        (void)fprintf(stderr, "%s\nThe case of seed %" PRIu64 ", made smaller:\n%s\n\n",
                      reason, seed, report.data);
    }
    fx_buf_finish(&report);
    return reason == NULL;
}

/* Policies that are not valid, or match nothing, would show nothing. */
static bool are_of_use(const struct random_counts *counts) {
    return counts->n_faulty * 10 <= counts->n_policies &&
           counts->n_mutated * 4 >= counts->n_objects && counts->n_unchanged > 0 &&
           counts->n_failed > 0 && counts->n_changed_again > 0;
}

int main(int argc, char **argv) {
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : SEED;
    const unsigned long rounds =
        argc > 2 ? strtoul(argv[2], NULL, 10) : ROUNDS / slow() + 1;
    struct random_counts counts = {0};
    unsigned long failures = 0;
    for (unsigned long i = 0; i < rounds && failures < 5; i++) {
        failures += play(first + i, &counts) ? 0 : 1;
    }
    (void)printf(
        "%zu policies (%zu errors), %zu objects: %zu mutated, %zu unchanged, %zu "
        "failed, %zu without a fixed point; %zu changed again\n",
        counts.n_policies, counts.n_faulty, counts.n_objects, counts.n_mutated,
        counts.n_unchanged, counts.n_failed, counts.n_endless, counts.n_changed_again);
    return failures == 0 && (argc > 1 || are_of_use(&counts)) ? EXIT_SUCCESS
                                                              : EXIT_FAILURE;
}
