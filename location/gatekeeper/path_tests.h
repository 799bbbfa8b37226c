/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/path_tests.h - `pathTests`: what must or must not exist along a
 * location for it to be written (spec section 2).
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

/* NEVER is a condition of unknown words: it fails both ways. */
enum fx_path_test {
    FX_PATH_TEST_NONE,
#define X(name, text) FX_PATH_TEST_##name,
    FX_PATH_TESTS(X)
#undef X
        FX_PATH_TEST_NEVER,
};

/* Reads a condition's name; unknown and empty words give FX_PATH_TEST_NEVER. */
enum fx_path_test fx_path_test_parse(struct fx_text text);

/* One entry as the user wrote it. */
struct fx_path_test_entry {
    const struct fx_location *sub_path;
    struct fx_text condition;
};

/* A condition for each depth (a node's index in the location). Immutable once made. */
struct fx_path_tests {
    size_t n_depths;
    enum fx_path_test *by_depth;
};

/* Checks the entries against each other and the location, in the order and with the
 * words of spec section 2 (prefix rule, conflicts by entry index as Gatekeeper does), and
 * makes the table. Errors: FX_EINVALID (off: index of the entry at fault), FX_ENOMEM. */
bool fx_path_tests_compile(const struct fx_location *location,
                           const struct fx_path_test_entry *entries, size_t n_entries,
                           struct fx_path_tests **ret_tests,
                           struct fx_err *err) FX_MUST_USE;

void fx_path_tests_destroy(struct fx_path_tests *tests); /* NULL is fine */

/* May the walk go on at this depth? NULL tests and depths without one always pass. */
bool fx_path_tests_pass(const struct fx_path_tests *tests, size_t depth, bool exists);

#endif
