/* SPDX-License-Identifier: Apache-2.0
 *
 * result.h - the result of one conformance case, and the comparisons that decide it. Only
 * the first difference of a case is kept.
 */
#ifndef FX_CONFORMANCE_RESULT_H
#define FX_CONFORMANCE_RESULT_H

#include <stdbool.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/text.h"

/* A zeroed result has passed. */
struct fx_case_result {
    bool failed;
    const char *skipped; /* the reason why the case was not run (a constant), or NULL */
    struct fx_buf words; /* the message of the failure */
    const char *path;    /* of the file with the case */
};

void fx_case_result_finish(struct fx_case_result *result); /* NULL or zeroed is fine */

/* Fails the case: "<what>: expected <expected>, got <got>". */
void fx_case_fail(struct fx_case_result *result, const char *what, const char *expected,
                  const char *got);

/* Each fails the case if the two differ. Texts must be identical; values must be equal by
 * value/equal.h, and NULL stands for a missing value. */
void fx_case_expect_bool(struct fx_case_result *result, const char *what, bool expected,
                         bool got);
void fx_case_expect_text(struct fx_case_result *result, const char *what,
                         struct fx_text expected, struct fx_text got);
void fx_case_expect_json(struct fx_case_result *result, const char *what,
                         const json_t *expected, const json_t *got);

/* Fails the case if `got` does not contain `part`. */
void fx_case_expect_part(struct fx_case_result *result, const char *what,
                         struct fx_text part, struct fx_text got);

#endif
