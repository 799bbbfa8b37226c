/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/analysis.c - the steps of the analysis.
 */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "analysis/analyzer.h"
#include "base/limits.h"
#include "engine/input.h"
#include "engine/mutator.h"
#include "value/tree.h"

/* ---- cases ----------------------------------------------------------------------- */

bool fx_trial_case_init(struct trial_case *tcase, const struct analyzer *analyzer,
                        json_t *object, size_t origin, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    *tcase = (struct trial_case){.origin = origin};
    if (!subject.is_namespace && subject.namespace_.len > 0) {
        tcase->namespace_ =
            fx_namespaces_find(analyzer->input->namespaces, subject.namespace_);
        if (tcase->namespace_ == NULL) {
            return fx_fail_nomem(err);
        }
    }
    tcase->object = json_incref(object);
    tcase->request = (struct fx_request){
        .operation = FX_OPERATION_CREATE,
        .source = FX_SOURCE_ORIGINAL,
        .namespace_object = tcase->namespace_,
        .inputs = analyzer->inputs,
        .schemas = analyzer->input->schemas,
        .placeholders = analyzer->result->placeholders,
        .mutation_id = "",
    };
    return true;
}

void fx_trial_case_finish(struct trial_case *tcase) {
    json_decref(tcase->object);
    json_decref(tcase->namespace_);
    *tcase = (struct trial_case){0};
}

struct trial fx_analyzer_trial(struct analyzer *analyzer, const struct trial_case *tcase,
                               const uint32_t *order, size_t n_order) {
    fx_inputs_clear(analyzer->inputs);
    return (struct trial){
        .snapshot = analyzer->snapshot,
        .request = &tcase->request,
        .order = order,
        .n_order = n_order,
        .steps_left = &analyzer->steps_left,
        .arena = &analyzer->passes,
    };
}

/* The mutator's view of the object: a new reference. NULL without memory. */
static json_t *make_view(const struct fx_mutator *mutator, const struct trial_case *tcase,
                         struct fx_err *err) {
    json_t *shown = json_incref(tcase->object);
    json_t *kept = NULL;
    if (mutator->ops->view != NULL &&
        !mutator->ops->view->show(&tcase->request, &shown, &kept, err)) {
        json_decref(shown);
        shown = NULL;
    }
    json_decref(kept);
    return shown;
}

bool fx_analyzer_matches(const struct analyzer *analyzer, const struct trial_case *tcase,
                         uint32_t mutator, const char **ret_criterion, bool *ret_matches,
                         struct fx_err *err) {
    const struct fx_mutator *candidate = analyzer->snapshot->mutators[mutator];
    struct fx_subject subject;
    struct fx_verdict verdict = {.matched = false};
    json_t *shown = make_view(candidate, tcase, err);
    if (shown == NULL) {
        return false;
    }
    fx_subject_read(shown, &subject);
    fx_inputs_clear(analyzer->inputs);
    bool ok = candidate->ops->match(candidate, &tcase->request, &subject, &verdict, err);
    json_decref(shown);
    if (!ok) {
        verdict = (struct fx_verdict){false, NULL};
        ok = !fx_err_is_ours(err);
    }
    if (ret_criterion != NULL) {
        *ret_criterion = verdict.criterion;
    }
    *ret_matches = verdict.matched;
    return ok;
}

bool fx_analyzer_set_type(json_t *object, const struct fx_binding *binding) {
    json_t *version =
        json_sprintf("%.*s%s%.*s", FX_TEXT_ARG(binding->group),
                     binding->group.len > 0 ? "/" : "", FX_TEXT_ARG(binding->version));
    return fx_tree_set_take(object, FX_TEXT("apiVersion"), version) &&
           fx_tree_set_take(object, FX_TEXT("kind"), fx_tree_new_string(binding->kind));
}

bool fx_analyzer_diff(struct analyzer *analyzer, json_t *before, json_t *after,
                      struct fx_patch *ret_patch, struct fx_err *err) {
    fx_arena_reset(&analyzer->arena);
    fx_patch_init(ret_patch, &analyzer->arena);
    return fx_patch_diff(ret_patch, before, after, err);
}

/* ---- given objects --------------------------------------------------------------- */

bool fx_analyzer_candidates(const struct analyzer *analyzer,
                            const struct trial_case *tcase,
                            struct fx_candidates *ret_candidates, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(tcase->object, &subject);
    return fx_snapshot_candidates(analyzer->snapshot, &tcase->request, &subject,
                                  ret_candidates, err);
}

static bool try_each(struct analyzer *analyzer, const struct trial_case *tcase,
                     const struct fx_candidates *candidates, struct fx_err *err) {
    for (size_t i = 0; i < candidates->n_indices; i++) {
        if (!fx_analyzer_check_alone(analyzer, tcase, candidates->indices[i], err)) {
            return false;
        }
    }
    return true;
}

/* Tries a given object on CREATE and on UPDATE. */
static bool try_given(struct analyzer *analyzer, size_t index, struct fx_err *err) {
    static const enum fx_operation operations[] = {FX_OPERATION_CREATE,
                                                   FX_OPERATION_UPDATE};
    struct trial_case tcase;
    if (!fx_trial_case_init(&tcase, analyzer, analyzer->input->objects[index], index,
                            err)) {
        return false;
    }
    struct fx_candidates candidates = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < FX_COUNT(operations); i++) {
        tcase.request.operation = operations[i];
        ok = fx_analyzer_candidates(analyzer, &tcase, &candidates, err) &&
             try_each(analyzer, &tcase, &candidates, err) &&
             fx_analyzer_try_set(analyzer, &tcase, candidates.indices,
                                 candidates.n_indices, err);
    }
    fx_candidates_finish(&candidates);
    analyzer->result->n_objects++;
    fx_trial_case_finish(&tcase);
    return ok;
}

static bool run_analysis(struct analyzer *analyzer, struct fx_err *err) {
    if (analyzer->input->made) {
        return fx_analyzer_try_made(analyzer, err);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < analyzer->input->n_objects; i++) {
        ok = try_given(analyzer, i, err);
    }
    return ok;
}

/* ---- the whole analysis ---------------------------------------------------------- */

/* Sorts by rule, then by mutators, then by path. */
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
    struct fx_inputs inputs = {.find = fx_namespaces_look_up_input,
                               .user = input->namespaces};
    struct analyzer analyzer = {
        .input = input,
        .snapshot = input->snapshot,
        .result = ret_analysis,
        .steps_left = input->max_steps > 0 ? input->max_steps : FX_LIMIT_CHECK_STEPS,
        .inputs = &inputs,
        .noted = calloc(input->snapshot->n_mutators + 1, sizeof *analyzer.noted),
    };
    fx_arena_init(&analyzer.arena, FX_LIMIT_ARENA_BYTES);
    fx_arena_init(&analyzer.passes, FX_LIMIT_ARENA_BYTES);
    analyzer.tried = json_object();
    ret_analysis->placeholders = fx_placeholders_create();
    bool ok = analyzer.noted != NULL && analyzer.tried != NULL &&
              ret_analysis->placeholders != NULL;
    ok = ok ? run_analysis(&analyzer, err) : fx_fail_nomem(err);
    if (!ok) {
        fx_analysis_finish(ret_analysis);
    } else if (ret_analysis->n_findings > 0) {
        qsort(ret_analysis->findings, ret_analysis->n_findings,
              sizeof *ret_analysis->findings, compare_findings);
    }
    fx_inputs_finish(&inputs);
    fx_arena_finish(&analyzer.arena);
    fx_arena_finish(&analyzer.passes);
    json_decref(analyzer.tried);
    free(analyzer.noted);
    return ok;
}
