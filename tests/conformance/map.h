/* SPDX-License-Identifier: Apache-2.0
 *
 * map.h - cases of MutatingAdmissionPolicy: what map.c and its parts share.
 */
#ifndef FX_CONFORMANCE_MAP_H
#define FX_CONFORMANCE_MAP_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/snapshot.h"
#include "result.h"

/* ---- map_prepare.c ------------------------------------------------------------------
 */

/* Completes a case that comes from a unit test of the API server. */
void fx_case_map_prepare(json_t *row);

/* ---- map_request.c ------------------------------------------------------------------
 */

/* The object as the policies see it: if the row has that, with the server's defaults.
 * Borrowed. */
json_t *fx_case_map_object(const json_t *row);

/* The AdmissionReview; a new reference. */
json_t *fx_case_map_review(const json_t *row);

/* ---- map_create.c: what an API server refuses when a policy is created ---------------
 */

/* Compiles the policies and bindings of the row, and compares their faults with those
 * that the row expects. True if there are none, so that the row goes on. */
bool fx_case_map_create(json_t *row, struct fx_case_result *result) FX_MUST_USE;

/* ---- map_compare.c ------------------------------------------------------------------
 */

/* What an API server adds to an object beside the changes of policies. */
enum fx_case_map_added {
    FX_CASE_MAP_DECODED,   /* zeros of fields that Go always writes, in built-in kinds */
    FX_CASE_MAP_DEFAULTED, /* these, and fields that it sets by itself */
};

/* Is it missing (NULL), null, an empty map or an empty list? */
bool fx_case_is_nothing(const json_t *value);

/* Returns a copy without nulls, empty maps and empty lists; a new reference. */
json_t *fx_case_tidy(const json_t *value);

/* Compares two objects without nulls, empty maps and empty lists, and without what
 * `expected` has only because of an API server. */
void fx_case_map_compare_object(struct fx_case_result *result, const json_t *expected,
                                const json_t *got, enum fx_case_map_added added);

/* Compares the status of a denial: `expected` is an object with code, reason, message and
 * causes, as far as it has them, or the message alone. */
void fx_case_map_compare_status(struct fx_case_result *result, const json_t *expected,
                                const json_t *status);

/* Does the message say what is expected? Lines and lists of paths have any order, and
 * nothing is compared from where Go prints its own values. */
bool fx_case_map_says(struct fx_text got, struct fx_text expected);

#endif
