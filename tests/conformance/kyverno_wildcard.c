/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_wildcard.c - kyverno/wildcard.jsonl: whether a pattern matches a text.
 */
#include "base/wildcard.h"

#include "kinds.h"
#include "value/tree.h"

void fx_case_wildcard(json_t *row, struct fx_case_result *result) {
    const bool matches = fx_wildcard_match(fx_tree_view_string(row, "pattern"),
                                           fx_tree_view_string(row, "text"));
    fx_case_expect_json(result, "match", fx_tree_view_key(row, "expect"),
                        matches ? json_true() : json_false());
}
