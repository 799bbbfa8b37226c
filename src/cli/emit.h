/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/emit.h - prints the results of mutation in the chosen format.
 */
#ifndef FX_CLI_EMIT_H
#define FX_CLI_EMIT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "cli/answer.h"
#include "cli/input.h"

#define FX_FORMATS(X)                                                                    \
    X(YAML, "yaml")   /* documents with --- between them */                              \
    X(JSON, "json")   /* one object as it is, several as a v1 List */                    \
    X(PATCH, "patch") /* JSON Patch; for several objects, one line each with its name */ \
    X(DIFF, "diff")   /* unified, of the YAML */                                         \
    X(REVIEW, "review") /* the AdmissionReview response of the webhook, one per line */

enum fx_format {
#define X(name, text) FX_FORMAT_##name,
    FX_FORMATS(X)
#undef X
};

extern const char *const fx_format_words[]; /* NULL-terminated */

/* To begin, set the first three fields and zero the others. */
struct fx_emitter {
    enum fx_format format;
    bool single; /* there is only one object */
    bool colour; /* of diffs */
    struct fx_buf out;
    json_t *items; /* JSON: the objects so far */
    size_t n_done; /* objects */
    bool differs;  /* one of them was changed */
};

void fx_emitter_finish(struct fx_emitter *emitter);

/* Adds an object and its result. If the mutation failed, only the format `review` prints
 * something. Errors: FX_ENOMEM. */
bool fx_emitter_add(struct fx_emitter *emitter, const struct fx_input_object *object,
                    const struct fx_answer *answer, struct fx_err *err) FX_MUST_USE;

/* Completes `out`. */
bool fx_emitter_end(struct fx_emitter *emitter, struct fx_err *err) FX_MUST_USE;

/* ---- failures -------------------------------------------------------------------- */

/* Prints a mutation that failed: appends file, line and object, and the error. If the
 * object does not converge, also the mutators of the last pass and the field that each
 * changed; if it is denied, the policies that deny it. Failure sticks in `buf`. */
void fx_failure_print(struct fx_buf *buf, const struct fx_input_object *object,
                      const struct fx_review_result *result, const struct fx_err *err,
                      bool colour);

/* Appends a warning for each policy that warns or audits, that failed and was skipped, or
 * that found a violation but failed to make its message. A policy without a file is
 * reported at the file of the object. Failure sticks in `buf`. */
void fx_failure_print_drops(struct fx_buf *buf, const struct fx_input_object *object,
                            const struct fx_review_result *result, bool colour);

#endif
