/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/path_tests.c - checks path tests against their location and each
 * other, and keeps one condition for each depth (spec section 2).
 */
#include "location/gatekeeper/path_tests.h"

#include <stdlib.h>

static const char *const path_test_names[] = {
#define X(name, text) [FX_PATH_TEST_##name] = text,
    FX_PATH_TESTS(X)
#undef X
};

enum fx_path_test fx_path_test_parse(struct fx_text text) {
    for (size_t i = 0; i < FX_COUNT(path_test_names); i++) {
        if (path_test_names[i] != NULL && fx_text_is(text, path_test_names[i])) {
            return (enum fx_path_test)i;
        }
    }
    return FX_PATH_TEST_NEVER;
}

/* Appends the path quoted as by Go's %q, or `<nil>`. */
static void print_quoted(struct fx_buf *buf, const struct fx_location *location) {
    if (location == NULL) {
        fx_buf_str(buf, "<nil>");
        return;
    }
    struct fx_buf plain;
    fx_buf_init(&plain, 0);
    fx_location_print(&plain, location);
    fx_text_quote_go(buf, fx_buf_view(&plain));
    fx_buf_finish_part(buf, &plain);
}

/* Fails with "<before><a><between><b><after>" at the entry `index`. */
static bool fail_paths(struct fx_err *err, size_t index, const char *const parts[3],
                       const struct fx_location *a, const struct fx_location *b) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, parts[0]);
    print_quoted(&text, a);
    fx_buf_str(&text, parts[1]);
    if (parts[2] != NULL) {
        print_quoted(&text, b);
        fx_buf_str(&text, parts[2]);
    }
    (void)fx_buf_fail(&text, err, FX_EINVALID);
    err->off = (uint32_t)index;
    return false;
}

static bool check_prefixes(const struct fx_location *location,
                           const struct fx_path_test_entry *entries, size_t n_entries,
                           struct fx_err *err) {
    static const char *const parts[] = {
        "all subpaths must be a prefix of the `location` value of the mutation: subpath ",
        " is not a prefix of location ", ""};
    for (size_t i = 0; i < n_entries; i++) {
        if (!fx_location_has_prefix(location, entries[i].sub_path)) {
            return fail_paths(err, i, parts, entries[i].sub_path, location);
        }
    }
    return true;
}

/* Finds the last entry of a depth, by the number of steps of its sub path. */
static void find_last(const struct fx_path_test_entry *entries, size_t n_entries,
                      const struct fx_path_test_entry **last) {
    for (size_t i = 0; i < n_entries; i++) {
        last[entries[i].sub_path->n_steps] = &entries[i];
    }
}

/* Checks entries of the same depth: the last one is used, and all must have the same
 * condition. As in Gatekeeper, the error names the first entry that differs, and unknown
 * conditions are compared as texts. */
static bool check_depths(const struct fx_path_test_entry *entries, size_t n_entries,
                         const struct fx_path_test_entry *const *last,
                         struct fx_err *err) {
    static const char *const parts[] = {"conflicting path test conditions: path ",
                                        " is marked both MustExist and MustNotExist",
                                        NULL};
    for (size_t i = 0; i < n_entries; i++) {
        const struct fx_path_test_entry *other = last[entries[i].sub_path->n_steps];
        if (!fx_text_equal(entries[i].condition, other->condition)) {
            return fail_paths(err, i, parts, entries[i].sub_path, NULL);
        }
    }
    return true;
}

/* Fills the table. The empty path has no depth: it is checked, but never used. */
static bool fill_depths(struct fx_path_tests *tests,
                        const struct fx_path_test_entry *entries, size_t n_entries,
                        struct fx_err *err) {
    const struct fx_path_test_entry **last =
        calloc(tests->n_depths + 1, sizeof(const struct fx_path_test_entry *));
    if (last == NULL) {
        return fx_fail_nomem(err);
    }
    find_last(entries, n_entries, last);
    const bool ok = check_depths(entries, n_entries, last, err);
    for (size_t depth = 0; ok && depth < tests->n_depths; depth++) {
        if (last[depth + 1] != NULL) {
            tests->by_depth[depth] = fx_path_test_parse(last[depth + 1]->condition);
        }
    }
    free((void *)last);
    return ok;
}

static const struct fx_location *path_at(const struct fx_path_test_entry *entries,
                                         size_t n_entries, size_t depth) {
    for (size_t i = 0; i < n_entries; i++) {
        if (entries[i].sub_path->n_steps == depth + 1) {
            return entries[i].sub_path;
        }
    }
    return NULL;
}

/* Refuses a child that must exist under a parent that must not. Gatekeeper compares
 * indexes of entries instead of depths; this accepts and refuses the same policies. */
static bool check_order(const struct fx_path_test_entry *entries, size_t n_entries,
                        struct fx_err *err) {
    static const char *const parts[] = {"conflicting path test conditions: path ",
                                        " is marked MustExist but parent ",
                                        " MustNotExist"};
    size_t lowest_not = n_entries;
    size_t highest = 0;
    for (size_t i = 0; i < n_entries; i++) {
        const enum fx_path_test test = fx_path_test_parse(entries[i].condition);
        if (test == FX_PATH_TEST_MUST_NOT_EXIST && lowest_not == n_entries) {
            lowest_not = i;
        } else if (test == FX_PATH_TEST_MUST_EXIST) {
            highest = i;
        }
    }
    if (highest <= lowest_not) {
        return true;
    }
    return fail_paths(err, highest, parts, path_at(entries, n_entries, highest),
                      path_at(entries, n_entries, lowest_not));
}

bool fx_path_tests_compile(const struct fx_location *location,
                           const struct fx_path_test_entry *entries, size_t n_entries,
                           struct fx_path_tests **ret_tests, struct fx_err *err) {
    if (!check_prefixes(location, entries, n_entries, err)) {
        return false;
    }
    struct fx_path_tests *tests =
        calloc(1, sizeof *tests + location->n_steps * sizeof *tests->by_depth);
    if (tests == NULL) {
        return fx_fail_nomem(err);
    }
    tests->n_depths = location->n_steps;
    if (!fill_depths(tests, entries, n_entries, err) ||
        !check_order(entries, n_entries, err)) {
        free(tests);
        return false;
    }
    *ret_tests = tests;
    return true;
}

void fx_path_tests_destroy(struct fx_path_tests *tests) {
    free(tests);
}

bool fx_path_tests_pass(const struct fx_path_tests *tests, size_t depth, bool exists) {
    if (tests == NULL || depth >= tests->n_depths) {
        return true;
    }
    switch (tests->by_depth[depth]) {
    case FX_PATH_TEST_MUST_EXIST: return exists;
    case FX_PATH_TEST_MUST_NOT_EXIST: return !exists;
    case FX_PATH_TEST_NEVER: return false;
    case FX_PATH_TEST_NONE: return true;
    }
    return true;
}
