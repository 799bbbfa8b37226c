/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/expand.c - mutates resultants, recursively.
 */
#include "cli/expand.h"

#include "base/limits.h"
#include "engine/resource.h"

#define DEPTH 30u /* of templates that expand what others make */

struct expand_run {
    const struct fx_question *question;
    const struct fx_input_object *object; /* what the user gave */
    enum fx_exit (*take)(void *user, const struct fx_input_object *resultant,
                         const struct fx_answer *answer, const struct fx_err *failure);
    void *user;
    size_t n_made;
    unsigned depth;
};

static enum fx_exit expand(struct expand_run *run, json_t *generator);

/* "failed to mutate resultant resource web-pod: …" (spec section 10) */
static bool generate(const struct expand_run *run, json_t *made, struct fx_answer *answer,
                     struct fx_err *err) {
    if (fx_answer_generate(run->question, made, answer, err)) {
        return true;
    }
    if (!fx_err_is_ours(err)) {
        struct fx_subject subject;
        fx_subject_read(made, &subject);
        (void)fx_err_prefix(
            err, "failed to mutate resultant resource %.*s: ", FX_TEXT_ARG(subject.name));
    }
    return false;
}

/* One resultant; its reference is taken over. */
static enum fx_exit follow_take(struct expand_run *run, json_t *made) {
    const struct fx_input_object resultant = {run->object->file, run->object->line, made};
    struct fx_answer answer = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = generate(run, made, &answer, &err);
    enum fx_exit status = run->take(run->user, &resultant, &answer, ok ? NULL : &err);
    if (ok) {
        run->depth++;
        status = fx_exit_worse(status, expand(run, answer.object));
        run->depth--;
    }
    fx_answer_finish(&answer);
    json_decref(made);
    return status;
}

static json_t *make(struct expand_run *run, const struct fx_resource *expansion,
                    const json_t *generator, struct fx_err *err) {
    if (run->depth == DEPTH) {
        (void)fx_fail(err, FX_EMUTATE, "maximum recursion depth of %u reached", DEPTH);
        return NULL;
    }
    if (run->n_made++ == FX_LIMIT_RESULTANTS) {
        (void)fx_fail(err, FX_EMUTATE, "more than %u resultants", FX_LIMIT_RESULTANTS);
        return NULL;
    }
    const struct fx_text nowhere = {0};
    return expansion->ops->expand(expansion, generator, nowhere, err);
}

static enum fx_exit expand_by(struct expand_run *run, const struct fx_resource *expansion,
                              json_t *generator) {
    struct fx_err err = FX_ERR_INIT;
    if (!expansion->ops->expands(expansion, generator)) {
        return FX_EXIT_DONE;
    }
    json_t *made = make(run, expansion, generator, &err);
    if (made == NULL) {
        const struct fx_input_object failed = {run->object->file, run->object->line,
                                               generator};
        const struct fx_answer nothing = {0};
        if (!fx_err_is_ours(&err)) {
            err.code = FX_EMUTATE;
        }
        return run->take(run->user, &failed, &nothing, &err);
    }
    return follow_take(run, made);
}

/* Recursive; as deep as DEPTH. */
static enum fx_exit expand(struct expand_run *run, json_t *generator) {
    const struct fx_snapshot *snapshot = run->question->snapshot;
    enum fx_exit worst = FX_EXIT_DONE;
    size_t n_expansions = 0;
    struct fx_resource *const *expansions =
        fx_snapshot_resources(snapshot, FX_RESOURCE_EXPANSION, &n_expansions);
    for (size_t i = 0; i < n_expansions && run->n_made <= FX_LIMIT_RESULTANTS; i++) {
        worst = fx_exit_worse(worst, expand_by(run, expansions[i], generator));
    }
    return worst;
}

enum fx_exit fx_expand(const struct fx_question *question,
                       const struct fx_input_object *object, json_t *generator,
                       enum fx_exit (*take)(void *user,
                                            const struct fx_input_object *resultant,
                                            const struct fx_answer *answer,
                                            const struct fx_err *failure),
                       void *user) {
    struct expand_run run = {
        .question = question, .object = object, .take = take, .user = user};
    return expand(&run, generator);
}
