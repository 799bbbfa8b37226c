/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/failure.c - the words of a failed mutation:
 *
 *   pods.yaml:1: error: Pod/shop/web: mutation not converging: ...
 *     these mutators go on changing it, in this order:
 *       AssignImage/a  /spec/containers/0/image  (policies/a.yaml:1)
 */
#include "cli/failure.h"

#include <stdlib.h>
#include <string.h>

#include "policy/plain.h"

static void print_contender(struct fx_buf *buf, const struct fx_review_result *result,
                            const struct fx_contender *contender) {
    const struct fx_mutator *mutator = result->snapshot->mutators[contender->mutator];
    fx_buf_printf(buf, "    %s/", mutator->kind);
    fx_plain_add(buf, fx_text_of(mutator->full_name));
    fx_buf_str(buf, "  ");
    fx_plain_add(buf, contender->path);
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
    fx_buf_str(buf, "  these mutators go on changing it, in this order:\n");
    for (size_t i = 0; i < outcome->n_cycle; i++) {
        print_contender(buf, result, &outcome->cycle[i]);
    }
}

void fx_failure_print(struct fx_buf *buf, const struct fx_input_object *object,
                      const struct fx_review_result *result, const struct fx_err *err,
                      bool colour) {
    struct fx_buf identity;
    fx_buf_init(&identity, 0);
    fx_answer_print_identity(&identity, object->root);
    char *file = strdup(object->file);
    char *words = strdup(err->msg);
    if (file == NULL || words == NULL || identity.failed) {
        buf->failed = true;
    } else {
        const struct fx_finding finding = {
            .severity = FX_SEVERITY_ERROR,
            .file = file,
            .line = object->line,
            .id = identity.data,
            .text = words,
        };
        fx_finding_print(buf, &finding, colour);
        print_cycle(buf, result);
    }
    free(file);
    free(words);
    fx_buf_finish(&identity);
}
