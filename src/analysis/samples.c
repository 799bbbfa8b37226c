/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/samples.c - the example objects of the mutators, after a trial.
 */
#include "analysis/analyzer.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "value/equal.h"
#include "value/tree.h"

#define NAMESPACES_MAX                                              \
    64u /* the most given namespaces that are tried for one mutator \
         */

void fx_samples_destroy(struct sample *samples, size_t n_samples) {
    for (size_t i = 0; samples != NULL && i < n_samples; i++) {
        fx_trial_case_finish(&samples[i].tcase);
        for (size_t k = 0; k < samples[i].n_paths; k++) {
            free(samples[i].paths[k]);
        }
    }
    free(samples);
}

/* ---- requests -------------------------------------------------------------------- */

/* Finds an operation and a source with which the mutator matches. *ret_criterion: the
 * last criterion that failed. */
static bool find_request(const struct analyzer *analyzer, struct trial_case *tcase,
                         uint32_t mutator, const char **ret_criterion, bool *ret_found,
                         struct fx_err *err) {
    static const struct {
        enum fx_operation operation;
        enum fx_source source;
    } ways[] = {
        {FX_OPERATION_CREATE, FX_SOURCE_ORIGINAL},
        {FX_OPERATION_UPDATE, FX_SOURCE_ORIGINAL},
        {FX_OPERATION_CREATE, FX_SOURCE_GENERATED},
    };
    *ret_found = false;
    for (size_t i = 0; !*ret_found && i < FX_COUNT(ways); i++) {
        tcase->request.operation = ways[i].operation;
        tcase->request.source = ways[i].source;
        if (!fx_analyzer_matches(analyzer, tcase, mutator, ret_criterion, ret_found,
                                 err)) {
            return false;
        }
    }
    return true;
}

/* A copy of the object, in another namespace. */
static json_t *move_to(json_t *object, const json_t *namespace_) {
    json_t *moved = fx_tree_deep_copy(object);
    json_t *metadata = fx_tree_view_key(moved, "metadata");
    json_t *name = fx_tree_view_key(fx_tree_view_key(namespace_, "metadata"), "name");
    if (moved == NULL || name == NULL ||
        !fx_tree_set_take(metadata, FX_TEXT("namespace"), json_incref(name))) {
        json_decref(moved);
        return NULL;
    }
    return moved;
}

/* Tries the given namespaces, as one may have the labels that a selector needs. */
static bool find_namespace(const struct analyzer *analyzer, struct trial_case *tcase,
                           uint32_t mutator, bool *ret_found, struct fx_err *err) {
    const struct fx_namespaces *given = analyzer->input->namespaces;
    *ret_found = false;
    if (!json_is_object(fx_tree_view_key(tcase->object, "metadata"))) {
        return true;
    }
    const size_t n = fx_namespaces_count(given);
    for (size_t i = 0; !*ret_found && i < n && i < NAMESPACES_MAX; i++) {
        json_t *moved = move_to(tcase->object, given->objects[i]);
        if (moved == NULL) {
            return fx_fail_nomem(err);
        }
        struct trial_case there;
        const char *criterion = NULL;
        bool ok = fx_trial_case_init(&there, analyzer, moved, FX_ANALYSIS_MADE, err);
        json_decref(moved);
        ok = ok && find_request(analyzer, &there, mutator, &criterion, ret_found, err);
        if (ok && *ret_found) {
            fx_trial_case_finish(tcase);
            *tcase = there;
        } else {
            fx_trial_case_finish(&there);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* ---- the paths ------------------------------------------------------------------- */

/* A copy with `#` for each index of a list. */
static char *without_indices(const char *path) {
    struct fx_buf buf = {0};
    fx_buf_str(&buf, "");
    while (*path != '\0') {
        const size_t len = 1 + strcspn(path + 1, "/");
        if (len > 1 && strspn(path + 1, "0123456789") >= len - 1) {
            fx_buf_str(&buf, "/#");
        } else {
            fx_buf_add(&buf, path, len);
        }
        path += len;
    }
    char *made = fx_buf_steal(&buf);
    fx_buf_finish(&buf);
    return made;
}

static bool take_paths(struct sample *sample, const struct leaves *leaves,
                       struct fx_err *err) {
    for (size_t i = 0; i < leaves->n_paths && sample->n_paths < SAMPLE_PATHS; i++) {
        char *path = without_indices(leaves->paths[i]);
        if (path == NULL) {
            return fx_fail_nomem(err);
        }
        sample->paths[sample->n_paths++] = path;
    }
    return true;
}

/* Runs the mutator on the sample. *ret_acts: it changes something. */
static bool try_out(struct analyzer *analyzer, struct sample *sample, uint32_t mutator,
                    bool *ret_acts, struct fx_err *err) {
    const struct trial trial = fx_analyzer_trial(analyzer, &sample->tcase, &mutator, 1);
    struct trial_outcome outcome;
    if (!fx_trial_run(&trial, sample->tcase.object, &outcome, err)) {
        return false;
    }
    bool ok = true;
    *ret_acts =
        outcome.failed == TRIAL_NONE && !fx_equal(sample->tcase.object, outcome.object);
    if (*ret_acts) {
        struct leaves leaves = {.n_paths = 0};
        ok = fx_leaves_find(analyzer, sample->tcase.object, outcome.object, &leaves,
                            err) &&
             take_paths(sample, &leaves, err);
        fx_leaves_finish(&leaves);
    }
    sample->failed = outcome.failed != TRIAL_NONE;
    fx_trial_finish(&outcome);
    return ok;
}

/* ---- making ---------------------------------------------------------------------- */

/* May the failed criterion (or NULL) hold in another namespace? */
static bool varies_by_namespace(const struct fx_mutator *mutator, const char *criterion,
                                bool *ret_varies, struct fx_err *err) {
    *ret_varies = false;
    if (criterion == NULL) {
        return true;
    }
    struct fx_criterion policy;
    fx_mutator_explain(mutator, criterion, &policy);
    const bool ok = !policy.field.failed && !policy.wanted.failed;
    *ret_varies = policy.asks_namespace;
    fx_criterion_finish(&policy);
    return ok || fx_fail_nomem(err);
}

/* Makes a sample from the mutator's example. *ret_made: the mutator acts on it. */
static bool make_example(struct analyzer *analyzer, struct sample *sample, uint32_t index,
                         bool *ret_made, struct fx_err *err) {
    const struct fx_mutator *mutator = analyzer->snapshot->mutators[index];
    *ret_made = false;
    err->code = FX_OK;
    json_t *object =
        mutator->ops->example == NULL ? NULL : mutator->ops->example(mutator, err);
    if (object == NULL) {
        return err->code == FX_OK;
    }
    const char *criterion = NULL;
    bool ok = fx_trial_case_init(&sample->tcase, analyzer, object, FX_ANALYSIS_MADE, err);
    json_decref(object);
    ok = ok && find_request(analyzer, &sample->tcase, index, &criterion, ret_made, err);
    bool varies = false;
    ok = ok && (*ret_made || varies_by_namespace(mutator, criterion, &varies, err));
    if (ok && varies) {
        ok = find_namespace(analyzer, &sample->tcase, index, ret_made, err);
    }
    if (ok && *ret_made) {
        ok = try_out(analyzer, sample, index, ret_made, err);
    }
    if (ok && !*ret_made) {
        fx_trial_case_finish(&sample->tcase);
    }
    return ok;
}

static bool add_untried(struct fx_analysis *analysis, uint32_t index,
                        struct fx_err *err) {
    if (!FX_VEC_GROW(analysis->untried, analysis->n_untried, analysis->cap_untried)) {
        return fx_fail_nomem(err);
    }
    analysis->untried[analysis->n_untried++] = index;
    return true;
}

/* ---- examples that fail ---------------------------------------------------------- */

/* Runs the mutator on the object, and reports its failure. *ret_reported is false if it
 * does not fail. */
static bool report_failure(struct analyzer *analyzer, const struct trial_case *tcase,
                           uint32_t mutator, bool *ret_reported, struct fx_err *err) {
    const struct trial trial = fx_analyzer_trial(analyzer, tcase, &mutator, 1);
    const struct fx_analysis_finding finding = {
        .rule = FX_ANALYSIS_FAILURE, .mutators = {mutator}, .n_mutators = 1};
    struct trial_outcome outcome;
    struct fx_buf text = {0};
    if (!fx_trial_run(&trial, tcase->object, &outcome, err)) {
        return false;
    }
    bool ok = true;
    *ret_reported = outcome.failed != TRIAL_NONE;
    if (*ret_reported) {
        fx_analyzer_print_id(&text, analyzer, mutator);
        fx_buf_printf(&text, " fails: %s", outcome.failure.msg);
        ok = fx_analyzer_report(analyzer, tcase, &finding, &text, FX_TEXT(""), err);
    }
    fx_trial_finish(&outcome);
    return ok;
}

/* A mutator has failed on its example, which may lack a field. Reports it if it fails
 * with all fields, too. */
static bool check_failure(struct analyzer *analyzer, uint32_t index, bool *ret_reported,
                          struct fx_err *err) {
    const struct fx_mutator *mutator = analyzer->snapshot->mutators[index];
    *ret_reported = false;
    err->code = FX_OK;
    json_t *object = mutator->ops->full_example == NULL
                         ? NULL
                         : mutator->ops->full_example(mutator, err);
    if (object == NULL) {
        return err->code == FX_OK;
    }
    struct trial_case tcase;
    const char *criterion = NULL;
    bool matches = false;
    bool ok = fx_trial_case_init(&tcase, analyzer, object, FX_ANALYSIS_MADE, err);
    json_decref(object);
    ok = ok && find_request(analyzer, &tcase, index, &criterion, &matches, err) &&
         (!matches || report_failure(analyzer, &tcase, index, ret_reported, err));
    fx_trial_case_finish(&tcase);
    return ok;
}

/* Makes a sample; a mutator without one is reported, or listed as untried. */
static bool add_sample(struct analyzer *analyzer, struct sample *sample, uint32_t index,
                       struct fx_err *err) {
    bool made = false;
    bool reported = false;
    const bool ok = make_example(analyzer, sample, index, &made, err) &&
                    (!sample->failed || check_failure(analyzer, index, &reported, err)) &&
                    (made || reported || add_untried(analyzer->result, index, err));
    analyzer->result->n_objects += made;
    return ok;
}

struct sample *fx_samples_make(struct analyzer *analyzer, struct fx_err *err) {
    const struct fx_snapshot *snapshot = analyzer->snapshot;
    struct sample *samples = calloc(snapshot->n_mutators + 1, sizeof *samples);
    if (samples == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < snapshot->n_mutators; i++) {
        if (!snapshot->conflicts.sets[i].disabled &&
            !fx_mutator_never_matches(snapshot->mutators[i]) &&
            !fx_mutator_is_validator(snapshot->mutators[i])) {
            ok = add_sample(analyzer, &samples[i], i, err);
        }
    }
    if (!ok) {
        fx_samples_destroy(samples, snapshot->n_mutators);
        return NULL;
    }
    return samples;
}
