/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_report.h - what there is to tell of one object, and telling it: as text for
 * people, as JSON for programs.
 */
#ifndef FX_CLI_EXPLAIN_REPORT_H
#define FX_CLI_EXPLAIN_REPORT_H

#include <stdbool.h>

#include <jansson.h>

#include "admission/review.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "cli/explain_fields.h"
#include "cli/explain_idle.h"
#include "cli/explain_wanted.h"
#include "cli/input.h"
#include "engine/snapshot.h"
#include "engine/trace.h"

struct fx_explanation {
    /* Borrowed. */
    const struct fx_input_object *object;
    const struct fx_snapshot *snapshot;
    const struct fx_review_result *result;
    const struct fx_trace *trace;
    const struct fx_err *failure;   /* or NULL */
    const struct fx_wanted *wanted; /* or NULL: all there is */
    const char *wanted_text;
    bool lacks_namespace; /* nobody says which one the object is sent to */

    /* Its own. */
    struct fx_fields fields;
    struct fx_idlers idlers;
    struct fx_idlers judges; /* who did not refuse it */
    json_t *skipped;         /* why mutation was not even tried, a string; or NULL */
};

/* Fills in what is its own from what is given. ret_explanation is to be finished in any
 * case. Errors: FX_ENOMEM, FX_EINTERNAL. */
bool fx_explanation_make(struct fx_explanation *ret_explanation,
                         struct fx_err *err) FX_MUST_USE;
void fx_explanation_finish(struct fx_explanation *explanation); /* zeroed ones are fine */

/* Is the field among those that are told? */
bool fx_explanation_tells(const struct fx_explanation *explanation,
                          const struct fx_field *field);

/* How many judges there are. */
size_t fx_explanation_judges(const struct fx_explanation *explanation);

/* Is all that was asked whether somebody refuses it, since there is nothing to change? */
bool fx_explanation_only_judges(const struct fx_explanation *explanation);

/* What went wrong with a judge who refuses all the same; or NULL. */
const char *fx_explanation_less(const struct fx_explanation *explanation,
                                uint32_t mutator);

/* Who made a step of a field, and what made him. */
struct fx_actor {
    const char *kind;    /* "Assign"; "Provider" where the value came from one */
    struct fx_text name; /* with the namespace, if it lives in one */
    int32_t tier;        /* of a mutator that has one; else 0 */
    const struct fx_origin *origin; /* or NULL */
};
struct fx_actor fx_explanation_actor(const struct fx_explanation *explanation,
                                     uint32_t mutator, const json_t *before);

/* Appends the explanation; `all`: nothing is left out. Failure sticks in `buf`. */
void fx_explanation_print_text(struct fx_buf *buf,
                               const struct fx_explanation *explanation, bool colour,
                               bool all);

/* Appends it as one JSON document in a line. Failure sticks in `buf`. */
void fx_explanation_print_json(struct fx_buf *buf,
                               const struct fx_explanation *explanation);

#endif
