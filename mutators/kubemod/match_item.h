/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/match_item.h - private: one entry of a ModRule's `match` (spec section
 * 4).
 */
#ifndef FX_MUTATORS_KUBEMOD_MATCH_ITEM_H
#define FX_MUTATORS_KUBEMOD_MATCH_ITEM_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/regex.h"
#include "location/jsonpath/jsonpath.h"

struct match_item {
    char *criterion; /* "match[0]", for verdicts */
    struct fx_jsonpath *select;
    bool for_all, negate;
    json_t *value;  /* counted; a string, or NULL */
    json_t *values; /* counted; a list of strings, or NULL */
    struct fx_regex *regex;
    json_t *pattern; /* the text of the expression, counted, or NULL */
};

void fx_match_item_finish(struct match_item *item); /* zeroed is fine */

/* True if the item tests the selected values, and not only that there is one. */
bool fx_match_item_tests(const struct match_item *item);

/* Finds out whether the item holds for the object. Errors: FX_ELIMIT, FX_EDEADLINE,
 * FX_ENOMEM. */
bool fx_match_item_eval(const struct match_item *item, json_t *root, bool *ret_holds,
                        struct fx_err *err) FX_MUST_USE;

#endif
