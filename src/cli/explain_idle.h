/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_idle.h - the mutators that changed nothing, and why not: the first thing
 * that stood against each, as it was in the end.
 */
#ifndef FX_CLI_EXPLAIN_IDLE_H
#define FX_CLI_EXPLAIN_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "cli/explain_fields.h"
#include "cli/explain_wanted.h"
#include "engine/converge.h"
#include "engine/snapshot.h"
#include "engine/trace.h"

/* Nearest to acting first. reason, its name in JSON. */
#define FX_IDLE_REASONS(X)                                                    \
    X(LEFT_OUT, "leftOut")       /* it failed, which stopped nobody else */   \
    X(ELSEWHERE, "elsewhere")    /* it acted, but not on what is wanted */    \
    X(UNCHANGED, "unchanged")    /* all was as it wants it already */         \
    X(PRESENT, "present")        /* it was there, and is never overwritten */ \
    X(NOT_APPLIED, "notApplied") /* it matched; the criterion said no */      \
    X(LATE, "late")              /* it matches what came of it all, but … */  \
    X(NOT_MATCHED, "notMatched") /* the criterion said no */                  \
    X(CONFLICT, "conflict")      /* left out: others disagree with it */      \
    X(NOT_REACHED, "notReached") /* all ended before its turn */

enum fx_idle_reason {
#define X(name, text) FX_IDLE_##name,
    FX_IDLE_REASONS(X)
#undef X
};

const char *fx_idle_reason_name(enum fx_idle_reason reason);

struct fx_idler {
    uint32_t mutator; /* index in the snapshot */
    enum fx_idle_reason reason;
    const char *criterion; /* of NOT_APPLIED, NOT_MATCHED; a constant, "" for none */
    /* Of NOT_MATCHED and LATE, where the mutator has said more: what it asks for, and
     * what it found when it was asked, in which pass. The trace's. */
    struct fx_text wanted, found;
    uint32_t pass;
    const char *failure; /* of LEFT_OUT: its words; the trace's */
};

struct fx_idlers {
    struct fx_idler *items; /* those of one reason and criterion together */
    size_t n_items;
};

/* What they are found from. All borrowed. */
struct fx_idle_facts {
    const struct fx_snapshot *snapshot;
    const struct fx_trace *trace;
    const struct fx_fields *fields;
    const struct fx_mutator *failed;  /* is told of elsewhere; or NULL */
    const struct fx_wanted *wanted;   /* or NULL: all there are */
    const struct fx_outcome *outcome; /* or NULL: there is none */
    bool judges; /* those who may only refuse, instead of those who may change */
};

/* Finds them. With something wanted, only those whose `location` meets it. ret_idlers
 * (zeroed) is to be finished in any case. Errors: FX_ENOMEM. */
bool fx_idlers_find(const struct fx_idle_facts *facts, struct fx_idlers *ret_idlers,
                    struct fx_err *err) FX_MUST_USE;
void fx_idlers_finish(struct fx_idlers *idlers); /* NULL, zeroed are fine */

/* Are both idle for the same reason, by the same criterion? */
bool fx_idler_same(const struct fx_idler *a, const struct fx_idler *b);

#endif
