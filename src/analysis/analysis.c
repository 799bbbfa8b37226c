/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/analysis.c - the analysis from its beginning to its end.
 */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "analysis/study.h"
#include "base/limits.h"
#include "engine/guise.h"
#include "value/tree.h"

/* ---- circumstances --------------------------------------------------------------- */

bool fx_situation_init(struct situation *situation, const struct study *study,
                       json_t *object, size_t origin, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    *situation = (struct situation){.origin = origin};
    if (!subject.is_namespace && subject.namespace_.len > 0) {
        situation->namespace_ =
            fx_namespaces_find(study->input->namespaces, subject.namespace_);
        if (situation->namespace_ == NULL) {
            return fx_fail_nomem(err);
        }
    }
    situation->object = json_incref(object);
    situation->request = (struct fx_request){
        .operation = FX_OPERATION_CREATE,
        .source = FX_SOURCE_ORIGINAL,
        .namespace_object = situation->namespace_,
        .placeholders = study->result->placeholders,
        .mutation_id = "",
    };
    return true;
}

void fx_situation_finish(struct situation *situation) {
    json_decref(situation->object);
    json_decref(situation->namespace_);
    *situation = (struct situation){0};
}

struct trial fx_study_trial(struct study *study, const struct situation *situation,
                            const uint32_t *order, size_t n_order) {
    return (struct trial){
        .snapshot = study->snapshot,
        .request = &situation->request,
        .order = order,
        .n_order = n_order,
        .steps_left = &study->steps_left,
        .arena = &study->passes,
    };
}

/* The object as the mutator is shown it: a new reference. NULL without memory. */
static json_t *show(const struct fx_mutator *mutator, const struct situation *situation,
                    struct fx_err *err) {
    json_t *shown = json_incref(situation->object);
    json_t *kept = NULL;
    if (mutator->ops->guise != NULL &&
        !mutator->ops->guise->put_on(&situation->request, &shown, &kept, err)) {
        json_decref(shown);
        shown = NULL;
    }
    json_decref(kept);
    return shown;
}

bool fx_study_matches(const struct study *study, const struct situation *situation,
                      uint32_t mutator, const char **ret_criterion, bool *ret_matches,
                      struct fx_err *err) {
    const struct fx_mutator *asked = study->snapshot->mutators[mutator];
    struct fx_subject subject;
    struct fx_verdict verdict = {.matched = false};
    json_t *shown = show(asked, situation, err);
    if (shown == NULL) {
        return false;
    }
    fx_subject_read(shown, &subject);
    bool ok = asked->ops->match(asked, &situation->request, &subject, &verdict, err);
    json_decref(shown);
    if (!ok) {
        verdict = (struct fx_verdict){false, NULL};
        ok = !fx_err_is_ours(err);
    }
    *ret_criterion = verdict.criterion;
    *ret_matches = verdict.matched;
    return ok;
}

bool fx_study_diff(struct study *study, json_t *before, json_t *after,
                   struct fx_patch *ret_patch, struct fx_err *err) {
    fx_arena_reset(&study->arena);
    fx_patch_init(ret_patch, &study->arena);
    return fx_patch_diff(ret_patch, before, after, err);
}

/* ---- objects that are given ------------------------------------------------------ */

bool fx_study_candidates(const struct study *study, const struct situation *situation,
                         struct fx_candidates *ret_candidates, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(situation->object, &subject);
    return fx_snapshot_candidates(study->snapshot, &situation->request, &subject,
                                  ret_candidates, err);
}

static bool try_each(struct study *study, const struct situation *situation,
                     const struct fx_candidates *candidates, struct fx_err *err) {
    for (size_t i = 0; i < candidates->n_indices; i++) {
        if (!fx_study_touches(study, situation, candidates->indices[i], err)) {
            return false;
        }
    }
    return true;
}

/* An object as it is made, and as it is written again. */
static bool try_given(struct study *study, size_t index, struct fx_err *err) {
    static const enum fx_operation operations[] = {FX_OPERATION_CREATE,
                                                   FX_OPERATION_UPDATE};
    struct situation situation;
    if (!fx_situation_init(&situation, study, study->input->objects[index], index, err)) {
        return false;
    }
    struct fx_candidates candidates = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < FX_COUNT(operations); i++) {
        situation.request.operation = operations[i];
        ok = fx_study_candidates(study, &situation, &candidates, err) &&
             try_each(study, &situation, &candidates, err) &&
             fx_study_company(study, &situation, candidates.indices, candidates.n_indices,
                              err);
    }
    fx_candidates_finish(&candidates);
    study->result->n_objects++;
    fx_situation_finish(&situation);
    return ok;
}

static bool run(struct study *study, struct fx_err *err) {
    if (study->input->made) {
        return fx_study_made(study, err);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < study->input->n_objects; i++) {
        ok = try_given(study, i, err);
    }
    return ok;
}

/* ---- all of it ------------------------------------------------------------------- */

/* What is told in the order of the list was found first. */
static int compare_findings(const void *left, const void *right) {
    const struct fx_analysis_finding *a = left;
    const struct fx_analysis_finding *b = right;
    if (a->rule != b->rule) {
        return a->rule < b->rule ? -1 : 1;
    }
    for (size_t i = 0; i < a->n_mutators && i < b->n_mutators; i++) {
        if (a->mutators[i] != b->mutators[i]) {
            return a->mutators[i] < b->mutators[i] ? -1 : 1;
        }
    }
    if (a->n_mutators != b->n_mutators) {
        return a->n_mutators < b->n_mutators ? -1 : 1;
    }
    return fx_text_compare(fx_text_of(a->path), fx_text_of(b->path));
}

bool fx_analysis_run(const struct fx_analysis_input *input,
                     struct fx_analysis *ret_analysis, struct fx_err *err) {
    *ret_analysis = (struct fx_analysis){0};
    struct study study = {
        .input = input,
        .snapshot = input->snapshot,
        .result = ret_analysis,
        .steps_left = input->max_steps > 0 ? input->max_steps : FX_LIMIT_CHECK_STEPS,
        .noted = calloc(input->snapshot->n_mutators + 1, sizeof *study.noted),
    };
    fx_arena_init(&study.arena, FX_LIMIT_ARENA_BYTES);
    fx_arena_init(&study.passes, FX_LIMIT_ARENA_BYTES);
    study.tried = json_object();
    ret_analysis->placeholders = fx_placeholders_create();
    bool ok =
        study.noted != NULL && study.tried != NULL && ret_analysis->placeholders != NULL;
    ok = ok ? run(&study, err) : fx_fail_nomem(err);
    if (!ok) {
        fx_analysis_finish(ret_analysis);
    } else if (ret_analysis->n_findings > 0) {
        qsort(ret_analysis->findings, ret_analysis->n_findings,
              sizeof *ret_analysis->findings, compare_findings);
    }
    fx_arena_finish(&study.arena);
    fx_arena_finish(&study.passes);
    json_decref(study.tried);
    free(study.noted);
    return ok;
}
