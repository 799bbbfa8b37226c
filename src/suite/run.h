/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/run.h - runs suites, and prints the result of each case.
 */
#ifndef FX_SUITE_RUN_H
#define FX_SUITE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "suite/suite.h"

/* A list of objects, all counted. */
struct fx_objects {
    json_t **items;
    size_t n_items, cap_items;
};

void fx_objects_finish(struct fx_objects *objects); /* NULL and zeroed are fine */

/* Appends the object, with a new reference to it. False without memory. */
bool fx_objects_add(struct fx_objects *objects, json_t *object) FX_MUST_USE;

/* A copy of `value` whose keys are in the order of `like`, followed by the keys that only
 * `value` has. With `part`: without the keys that `like` does not have, at any depth
 * (items of lists of the same length are paired), so the copy equals `like` if and only
 * if `value` contains `like`. Recursive: as deep as the shallower value, whose depth the
 * readers limit. NULL without memory. */
json_t *fx_expect_arrange(json_t *value, const json_t *like, bool part) FX_MUST_USE;

/* Compares the objects one by one (value/equal.h). With `part`: does each contain the
 * expected object? If not, appends a unified diff of YAML with the names of both sides.
 * Errors: FX_ENOMEM. */
struct fx_expectation {
    const struct fx_objects *expected, *got;
    bool part;
    const char *expected_name, *got_name;
    bool colour;
};

bool fx_expect_compare(const struct fx_expectation *expectation, bool *ret_same,
                       struct fx_buf *diff, struct fx_err *err) FX_MUST_USE;

/* Do both lists have equal objects (value/equal.h) in the same order? */
bool fx_objects_equal(const struct fx_objects *a, const struct fx_objects *b);

/* Appends the objects as YAML documents. */
void fx_objects_print(struct fx_buf *buf, const struct fx_objects *objects);

#define FX_SUITE_STATUSES(X)                              \
    X(PASS, "pass")                                       \
    X(FAIL, "fail")   /* the result is not as expected */ \
    X(SKIP, "skip")   /* it was not run */                \
    X(ERROR, "error") /* the suite, a policy or an object is invalid */

enum fx_suite_status {
#define X(name, text) FX_SUITE_##name,
    FX_SUITE_STATUSES(X)
#undef X
        FX_SUITE_N_STATUSES,
};

const char *fx_suite_status_name(enum fx_suite_status status);

/* The result of a case, or of a whole test or suite that was not run case by case. Owns
 * its texts, except `path`. */
struct fx_suite_result {
    const char *path; /* of the suite */
    char *name;       /* "suite/test/case" */
    char *reason;     /* why it did not pass, or a note if it passed, or NULL */
    char *diff;       /* unified, or NULL */
    char *file;       /* of the case, or of the error */
    uint32_t line;
    enum fx_suite_status status;
    uint64_t ns; /* how long it took */

    const struct fx_suite_case *case_; /* or NULL */
    struct fx_objects got;             /* the mutated objects, kept for an update */
};

struct fx_suite_results {
    struct fx_suite_result *items; /* the results of a suite are adjacent */
    size_t n_items, cap_items;
    size_t counts[FX_SUITE_N_STATUSES];
    size_t n_unchecked; /* cases that passed with ignored assertions */
};

void fx_suite_results_finish(
    struct fx_suite_results *results); /* NULL and zeroed are fine */

struct fx_suite_filter; /* opaque: selects the cases to run */

/* Reads a regular expression that is searched in a case's full name, "suite/test/case";
 * or, as in gator, two expressions separated by `//`, for the name of the test and that
 * of the case. Errors: those of fx_regex_compile(). */
bool fx_suite_filter_create(struct fx_text text, struct fx_suite_filter **ret_filter,
                            struct fx_err *err) FX_MUST_USE;
void fx_suite_filter_destroy(struct fx_suite_filter *filter); /* NULL is fine */

struct fx_suite_plan {
    const struct fx_suite_filter *filter; /* NULL: all cases */
    bool keeps;                           /* keep mutated objects for an update */
    bool colour;                          /* of diffs */
};

/* Runs the cases that the filter selects. An invalid case is reported to the host, and
 * its result is ERROR. Errors: our own only (base/err.h). */
bool fx_suites_run(const struct fx_suites *suites, const struct fx_suite_plan *plan,
                   struct fx_suite_results *ret_results, struct fx_err *err) FX_MUST_USE;

/* For each case that failed: overwrites its file of expected objects with the mutated
 * objects (in a folder, creates the file), and sets its result to PASS. A file that
 * several cases share is written only if all need the same content. Objects of cases,
 * policies and suites are never overwritten. Appends a line to `messages` for each file
 * written or refused. Errors: FX_EIO, FX_ENOMEM; files already written stay. */
bool fx_suites_update(const struct fx_suites *suites, struct fx_suite_results *results,
                      struct fx_buf *messages, struct fx_err *err) FX_MUST_USE;

/* ---- printing -------------------------------------------------------------------- */

#define FX_SUITE_FORMATS(X)                                                          \
    X(TEXT, text)     /* as `go test` prints */                                      \
    X(JUNIT, junit)   /* JUnit's XML */                                              \
    X(TAP, tap)       /* the Test Anything Protocol, version 14 */                   \
    X(JSON, json)     /* one event per line, as `go test -json`, with more fields */ \
    X(GITHUB, github) /* commands to a GitHub workflow */

enum fx_suite_format {
#define X(name, word) FX_SUITE_FORMAT_##name,
    FX_SUITE_FORMATS(X)
#undef X
};

extern const char *const fx_suite_format_words[]; /* NULL-terminated */

struct fx_suite_style {
    bool verbose; /* TEXT: also print cases that passed or were skipped */
    bool colour;  /* TEXT */
};

/* Appends all results in the format. Texts in results may be hostile: each format escapes
 * its special characters. Failure sticks in `buf`. */
void fx_suite_print(struct fx_buf *buf, enum fx_suite_format format,
                    const struct fx_suite_results *results,
                    const struct fx_suite_style *style);

#endif
