/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/failure.c - the message of a failed mutation:
 *
 *   pods.yaml:1: error: Pod/shop/web: mutation not converging: ...
 *     these mutators keep changing it, in this order:
 *       AssignImage/a  /spec/containers/0/image  (policies/a.yaml:1)
 *
 * of a denial, and the warnings: of policies that warn or audit, and of those that were
 * skipped.
 */
#include "cli/failure.h"

#include <stdlib.h>
#include <string.h>

#include "explain/names.h"
#include "policy/plain.h"

/* "    Assign/a  /spec/x  (policies/a.yaml:1)" */
static void print_mutator(struct fx_buf *buf, const struct fx_mutator *mutator,
                          struct fx_text path) {
    fx_buf_printf(buf, "    %s/", mutator->kind);
    fx_plain_add(buf, fx_text_of(mutator->full_name));
    if (path.len > 0) {
        fx_buf_str(buf, "  ");
        fx_plain_add(buf, path);
    }
    if (mutator->origin.file != NULL) {
        fx_buf_str(buf, "  (");
        fx_plain_add(buf, fx_text_of(mutator->origin.file));
        fx_buf_printf(buf, ":%u)", (unsigned)mutator->origin.line);
    }
    fx_buf_char(buf, '\n');
}

static void print_cycle(struct fx_buf *buf, const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result != NULL ? result->outcome : NULL;
    if (outcome == NULL || outcome->n_cycle == 0) {
        return;
    }
    fx_buf_str(buf, "  these mutators keep changing it, in this order:\n");
    for (size_t i = 0; i < outcome->n_cycle; i++) {
        const struct fx_cycle_mutator *member = &outcome->cycle[i];
        print_mutator(buf, result->snapshot->mutators[member->mutator], member->path);
    }
}

static void print_deniers(struct fx_buf *buf, const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result != NULL ? result->outcome : NULL;
    if (outcome == NULL || outcome->denial.len == 0) {
        return;
    }
    fx_buf_str(buf, "  denied by:\n");
    for (size_t i = 0; i < outcome->n_violations; i++) {
        const struct fx_violation *violation = &outcome->violations[i];
        if (violation->action == FX_ACTION_DENY) {
            print_mutator(buf, result->snapshot->mutators[violation->mutator],
                          FX_TEXT(""));
        }
    }
}

/* A denial is printed whole, however long. */
static char *message_of(const struct fx_review_result *result, const struct fx_err *err) {
    const bool denied = err->code == FX_EDENIED && result != NULL &&
                        result->outcome != NULL && result->outcome->denial.len > 0;
    return denied ? fx_text_dup(result->outcome->denial) : strdup(err->msg);
}

void fx_failure_print(struct fx_buf *buf, const struct fx_input_object *object,
                      const struct fx_review_result *result, const struct fx_err *err,
                      bool colour) {
    struct fx_buf identity = {0};
    fx_print_object(&identity, object->root);
    char *file = strdup(object->file);
    char *message = message_of(result, err);
    if (file == NULL || message == NULL || identity.failed) {
        buf->failed = true;
    } else {
        const struct fx_finding finding = {
            .severity = FX_SEVERITY_ERROR,
            .file = file,
            .line = object->line,
            .id = identity.data,
            .text = message,
        };
        fx_finding_print(buf, &finding, colour);
        print_cycle(buf, result);
        print_deniers(buf, result);
    }
    free(file);
    free(message);
    fx_buf_finish(&identity);
}

/* ---- warnings -------------------------------------------------------------------- */

/* What is printed of warnings: those of one object. */
struct warnings {
    struct fx_buf *buf;
    const struct fx_input_object *object;
    bool colour;
};

/* "rules.yaml:1: warning: Rule/shop/a: skipped for Pod/shop/web: …" */
static void print_warning(const struct warnings *warnings,
                          const struct fx_mutator *mutator, const char *before,
                          const char *after, struct fx_text message) {
    struct fx_buf *buf = warnings->buf;
    const struct fx_input_object *object = warnings->object;
    struct fx_buf id = {0};
    struct fx_buf line = {0};
    fx_buf_printf(&id, "%s/%s", mutator->kind, mutator->full_name);
    fx_buf_str(&line, before);
    fx_print_object(&line, object->root);
    fx_buf_str(&line, after);
    fx_buf_text(&line, message);
    const bool has_file = mutator->origin.file != NULL;
    char *file = strdup(has_file ? mutator->origin.file : object->file);
    if (file == NULL || id.failed || line.failed) {
        buf->failed = true;
    } else {
        const struct fx_finding finding = {
            .severity = FX_SEVERITY_WARNING,
            .file = file,
            .line = has_file ? mutator->origin.line : object->line,
            .id = id.data,
            .text = line.data,
        };
        fx_finding_print(buf, &finding, warnings->colour);
    }
    free(file);
    fx_buf_finish(&id);
    fx_buf_finish(&line);
}

void fx_failure_print_drops(struct fx_buf *buf, const struct fx_input_object *object,
                            const struct fx_review_result *result, bool colour) {
    const struct fx_outcome *outcome = result != NULL ? result->outcome : NULL;
    const struct warnings warnings = {buf, object, colour};
    for (size_t i = 0; outcome != NULL && i < outcome->n_violations; i++) {
        const struct fx_violation *violation = &outcome->violations[i];
        if (violation->action != FX_ACTION_DENY) {
            print_warning(&warnings, result->snapshot->mutators[violation->mutator], "",
                          violation->action == FX_ACTION_AUDIT ? ": audit: " : ": ",
                          violation->entry);
        }
    }
    for (size_t i = 0; outcome != NULL && i < outcome->n_skipped; i++) {
        const struct fx_skipped_mutator *skipped = &outcome->skipped[i];
        print_warning(&warnings, result->snapshot->mutators[skipped->mutator],
                      skipped->fails ? "skipped for " : "", ": ",
                      fx_text_of(skipped->message));
    }
}
