/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/path_tests.h - `pathTests`: the nodes that must or must not exist
 * along a location before it is written (spec section 2).
 */
#ifndef FX_LOCATION_GATEKEEPER_PATH_TESTS_H
#define FX_LOCATION_GATEKEEPER_PATH_TESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gatekeeper/location.h"

#define FX_PATH_TESTS(X)       \
    X(MUST_EXIST, "MustExist") \
    X(MUST_NOT_EXIST, "MustNotExist")

/* NEVER is an unknown condition, which always fails. */
enum fx_path_test {
    FX_PATH_TEST_NONE,
#define X(name, text) FX_PATH_TEST_##name,
    FX_PATH_TESTS(X)
#undef X
        FX_PATH_TEST_NEVER,
};

/* Parses the name of a condition; an unknown or empty name gives FX_PATH_TEST_NEVER. */
enum fx_path_test fx_path_test_parse(struct fx_text text);

/* An entry of a policy. */
struct fx_path_test_entry {
    const struct fx_location *sub_path;
    struct fx_text condition;
};

/* A condition for each depth (index of a step in the location). Immutable. */
struct fx_path_tests {
    size_t n_depths;
    enum fx_path_test by_depth[];
};

/* Checks the entries against each other and the location, in the order and with the
 * messages of spec section 2 (prefix rule, conflicts by entry index as in Gatekeeper),
 * and makes the table. Errors: FX_EINVALID (err->off: index of the faulty entry),
 * FX_ENOMEM. */
bool fx_path_tests_compile(const struct fx_location *location,
                           const struct fx_path_test_entry *entries, size_t n_entries,
                           struct fx_path_tests **ret_tests,
                           struct fx_err *err) FX_MUST_USE;

void fx_path_tests_destroy(struct fx_path_tests *tests); /* NULL is fine */

/* True if the condition at this depth holds. NULL tests, and depths without a condition,
 * always pass. */
bool fx_path_tests_pass(const struct fx_path_tests *tests, size_t depth, bool exists);

#endif
