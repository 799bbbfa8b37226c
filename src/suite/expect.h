/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/expect.h - compares objects with the expected ones.
 * Private to this room.
 */
#ifndef FX_SUITE_EXPECT_H
#define FX_SUITE_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"

/* A list of objects, all counted. */
struct fx_objects {
    json_t **items;
    size_t n_items, cap_items;
};

void fx_objects_finish(struct fx_objects *objects); /* NULL, zeroed are fine */

/* Appends, and takes a reference of its own. False without memory. */
bool fx_objects_add(struct fx_objects *objects, json_t *object) FX_MUST_USE;

/* A new value equal to `value`, its keys in the order in which `like` has them, those
 * that only `value` has behind them. With `part`: without the keys that `like` does not
 * have, at any depth (items of lists of the same length are paired); so that it
 * equals `like` exactly where `value` contains it. Recursion is as deep as the shallower
 * value, which the readers bound. NULL without memory. */
json_t *fx_expect_arrange(json_t *value, const json_t *like, bool part) FX_MUST_USE;

/* Are they equal (value/equal.h), one by one? With `part`: does each contain the expected
 * one? Where not, appends the difference as a unified diff of YAML, with the names of the
 * two sides. Errors: FX_ENOMEM. */
struct fx_expectation {
    const struct fx_objects *expected, *got;
    bool part;
    const char *expected_name, *got_name;
    bool colour;
};

bool fx_expect_compare(const struct fx_expectation *expectation, bool *ret_same,
                       struct fx_buf *diff, struct fx_err *err) FX_MUST_USE;

/* Are there as many, and are they equal (value/equal.h), one by one? */
bool fx_objects_equal(const struct fx_objects *a, const struct fx_objects *b);

/* Appends the objects as YAML documents. */
void fx_objects_print(struct fx_buf *buf, const struct fx_objects *objects);

#endif
