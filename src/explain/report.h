/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/report.h - what mutation did to one object: which mutator changed which field,
 * which did nothing and why, which validators found a violation. Built from the trace of
 * a review that has ended, and printed as text for people or as JSON for programs. Pure:
 * no I/O.
 */
#ifndef FX_EXPLAIN_REPORT_H
#define FX_EXPLAIN_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/converge.h"
#include "engine/snapshot.h"
#include "engine/trace.h"
#include "explain/fields.h"
#include "explain/inactive.h"
#include "explain/query.h"

/* What a report is made from. Everything is borrowed and must outlive the report. */
struct fx_explain_input {
    json_t *object;   /* as it was sent */
    const char *file; /* where the object was read, */
    uint32_t line;    /* and at which line its text begins */
    const struct fx_snapshot *snapshot;
    const struct fx_trace *trace;
    const struct fx_outcome *outcome; /* NULL: the object never came to the loop */
    const struct fx_err *failure;     /* NULL: the review succeeded */
    struct fx_text skipped;       /* why the object is not mutated at all; or no data */
    bool is_changed;              /* the result differs from the object */
    bool is_delete;               /* of a DELETE request: nothing but validators run */
    bool lacks_namespace;         /* it could live in a namespace, and none is known */
    const struct fx_query *query; /* report this field only; NULL: all fields */
    const char *query_text;       /* the text of `query` */
};

struct fx_explanation {
    struct fx_explain_input input;
    struct fx_fields fields;
    struct fx_inactive_list inactive;   /* the mutators that changed nothing */
    struct fx_inactive_list validators; /* the validators that found no violation */
};

/* Builds the report. ret_explanation is to be finished in any case. Errors: FX_ENOMEM;
 * FX_EINTERNAL where the trace is not one of this object. */
bool fx_explanation_make(const struct fx_explain_input *input,
                         struct fx_explanation *ret_explanation,
                         struct fx_err *err) FX_MUST_USE;
void fx_explanation_finish(struct fx_explanation *explanation); /* zeroed ones are fine */

/* Appends the report as text, in lines of 80 columns. `colour`: with ANSI colours; `all`:
 * long lists are not cut. Failure sticks in `buf`. */
void fx_explanation_print_text(struct fx_buf *buf,
                               const struct fx_explanation *explanation, bool colour,
                               bool all);

/* Appends the report as one JSON document in a line. Failure sticks in `buf`. */
void fx_explanation_print_json(struct fx_buf *buf,
                               const struct fx_explanation *explanation);

/* ---- for both printers ----------------------------------------------------------- */

/* Does the report include the field? (All, or those that the query covers.) */
bool fx_explanation_includes(const struct fx_explanation *explanation,
                             const struct fx_field *field);

/* How many validators the snapshot has. */
size_t fx_explanation_validators(const struct fx_explanation *explanation);

/* The error of a validator that found a violation nevertheless; or NULL. Borrowed. */
const char *fx_explanation_validator_error(const struct fx_explanation *explanation,
                                           uint32_t mutator);

/* Who made a step of a field. Everything is borrowed. */
struct fx_actor {
    const char *kind;    /* "Assign"; "Provider" where a provider gave the value */
    struct fx_text name; /* "namespace/name", or the name alone */
    int32_t tier;        /* of a mutator that has one; else 0 */
    const struct fx_origin *origin; /* where the policy was read; or NULL */
};

struct fx_actor fx_actor_of(const struct fx_mutator *mutator);

/* `mutator` is that of a trace; `before`, the value that the step replaced, tells the
 * provider where it is FX_TRACE_EXTERNAL. */
struct fx_actor fx_explanation_actor(const struct fx_explanation *explanation,
                                     uint32_t mutator, const json_t *before);

#endif
