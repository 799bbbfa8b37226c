/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_compare.h - compares the answer of Kyverno's rules with a case.
 */
#ifndef FX_CONFORMANCE_KYVERNO_COMPARE_H
#define FX_CONFORMANCE_KYVERNO_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "result.h"

struct fx_kyverno_answer {
    bool ok;
    struct fx_err err; /* if not */
    json_t *object;    /* counted; NULL after a failure */
    json_t *rules;     /* counted: the rules that matched, with their statuses */
    bool parts_agree;  /* a part of the object gives the same patch; if not, */
    struct fx_err part_err;
};

/* Is the object the wanted one, compared as `expect` says? */
bool fx_kyverno_is_expected(const json_t *expect, const json_t *resource,
                            const json_t *got);

/* Compares with `expect`, and if that differs, with `intended` of the case. A case that
 * differs on purpose is skipped (skips.h). */
void fx_kyverno_compare(const json_t *row, const struct fx_kyverno_answer *answer,
                        struct fx_case_result *result);

#endif
