/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/inactive.h - the mutators that changed nothing, and why: for each the first
 * criterion that failed, the last time it was asked.
 */
#ifndef FX_EXPLAIN_INACTIVE_H
#define FX_EXPLAIN_INACTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/converge.h"
#include "engine/snapshot.h"
#include "engine/trace.h"
#include "explain/fields.h"
#include "explain/query.h"

/* In the order of the report: those that came nearest to acting first. The texts are the
 * names in JSON. */
#define FX_INACTIVE_REASONS(X)                                                        \
    X(SKIPPED, "skipped")        /* it failed, and the others went on */              \
    X(ELSEWHERE, "elsewhere")    /* it changed fields that the query does not name */ \
    X(UNCHANGED, "unchanged")    /* it applied, and the object had all it writes */   \
    X(PRESENT, "present")        /* the field exists, and it never overwrites it */   \
    X(NOT_APPLIED, "notApplied") /* it matched; the criterion failed */               \
    X(LATE, "late")              /* it matches the result, but not before it */       \
    X(NOT_MATCHED, "notMatched") /* the criterion failed */                           \
    X(CONFLICT, "conflict")      /* disabled by a conflict */                         \
    X(NOT_REACHED, "notReached") /* the review ended before its step */

enum fx_inactive_reason {
#define X(name, text) FX_INACTIVE_##name,
    FX_INACTIVE_REASONS(X)
#undef X
};

const char *fx_inactive_reason_name(enum fx_inactive_reason reason);

struct fx_inactive {
    uint32_t mutator; /* index in the snapshot */
    enum fx_inactive_reason reason;
    const char *criterion; /* of NOT_APPLIED, NOT_MATCHED, LATE; "" for none. Borrowed */
    struct fx_criterion policy; /* where there is a criterion: what the policy says */
    /* Of NOT_MATCHED and LATE: what the mutator found when it was asked, in which pass.
     * The trace's. */
    struct fx_text found;
    uint32_t pass;
    const char *failure; /* of SKIPPED: the error message; the trace's */
};

struct fx_inactive_list {
    struct fx_inactive *items; /* those of one reason and criterion together */
    size_t n_items;
};

/* What the list is made from. All borrowed. */
struct fx_inactive_input {
    const struct fx_snapshot *snapshot;
    const struct fx_trace *trace;
    const struct fx_fields *fields;
    const struct fx_query *query;     /* or NULL: all fields */
    const struct fx_outcome *outcome; /* or NULL: the loop did not run */
    bool validators;                  /* list validators instead of mutators */
};

/* Lists the mutators that changed nothing: with a query, those that may write the field
 * it is about and did not change it. A mutator whose failure ended the review is not
 * among them. ret_list (zeroed) is to be finished in any case. Errors: FX_ENOMEM. */
bool fx_inactive_find(const struct fx_inactive_input *input,
                      struct fx_inactive_list *ret_list, struct fx_err *err) FX_MUST_USE;
void fx_inactive_list_finish(struct fx_inactive_list *list); /* zeroed is fine */

/* Are both inactive for the same reason, by the same criterion? */
bool fx_inactive_same(const struct fx_inactive *a, const struct fx_inactive *b);

#endif
