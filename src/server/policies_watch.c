/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policies_watch.c - files to policies, and what to say of them.
 */
#include "server/policies_watch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "server/reload.h"

/* Of one version's findings; the rest is only counted. */
#define FINDINGS_TOLD 100

struct fx_policies_watch {
    struct fx_reload *reload;
    struct fx_policies *current; /* written on the loop, between two runs of the worker */
    struct fx_metrics *metrics;
};

/* On a worker: `current` stands still until it is done. */
static bool build(void *user, const struct fx_file_set *files, void **ret_made,
                  struct fx_err *err) {
    const struct fx_policies_watch *watch = user;
    const size_t n = files->files.n_paths;
    struct fx_policy_input *inputs = calloc(n == 0 ? 1 : n, sizeof *inputs);
    if (inputs == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        const struct fx_file_content *content = &files->contents[i];
        inputs[i] = (struct fx_policy_input){
            .file = files->files.paths[i],
            .text = {content->bytes.data, content->bytes.len},
            .failure = content->failure,
        };
    }
    const struct fx_policies *previous = watch->current;
    const uint64_t generation = previous == NULL ? 1 : previous->snapshot->generation + 1;
    struct fx_policies *made = NULL;
    const bool ok = fx_policies_build(inputs, n, previous, generation, &made, err);
    free(inputs);
    if (ok) {
        *ret_made = made;
    }
    return ok;
}

/* What is not known of it is left out. */
static void tell_finding(const struct fx_finding *finding) {
    const bool works = finding->severity == FX_SEVERITY_WARNING;
    struct fx_log_field fields[7] = {{0}};
    size_t n = 0;
    fields[n++] = fx_log_str("severity", fx_severity_name(finding->severity));
    fields[n++] = fx_log_str("file", finding->file);
    if (finding->line > 0) {
        fields[n++] = fx_log_int("line", finding->line);
    }
    if (finding->column > 0) {
        fields[n++] = fx_log_int("column", finding->column);
    }
    if (finding->id != NULL) {
        fields[n++] = fx_log_str("mutator", finding->id);
    }
    fields[n] = fx_log_str("text", finding->text);
    fx_log_write(works ? FX_LOG_WARN : FX_LOG_ERROR, "policy finding", fields);
}

static size_t count_disabled(const struct fx_snapshot *snapshot) {
    size_t disabled = 0;
    for (size_t i = 0; i < snapshot->conflicts.n_mutators; i++) {
        disabled += snapshot->conflicts.sets[i].disabled;
    }
    return disabled;
}

/* Is it about a mutator, and not about a Provider or the like? */
static bool is_mutator(const char *id) {
    static const enum fx_resource_type types[] = {
        FX_RESOURCE_PROVIDER, FX_RESOURCE_EXCLUSION, FX_RESOURCE_EXPANSION};
    const size_t kind = strcspn(id, "/");
    for (size_t i = 0; i < FX_COUNT(types); i++) {
        if (fx_text_is((struct fx_text){id, kind}, fx_resource_kind(types[i]))) {
            return false;
        }
    }
    return true;
}

/* Mutators in error: neighbours with one id are one. */
static size_t count_refused(const struct fx_findings *findings) {
    size_t refused = 0;
    const char *last = NULL;
    for (size_t i = 0; i < findings->n_items; i++) {
        const struct fx_finding *finding = &findings->items[i];
        if (finding->severity == FX_SEVERITY_ERROR && finding->id != NULL &&
            is_mutator(finding->id) && (last == NULL || strcmp(last, finding->id) != 0)) {
            refused++;
            last = finding->id;
        }
    }
    return refused;
}

static void tell_version(const struct fx_policies *policies) {
    const struct fx_findings *findings = &policies->findings;
    for (size_t i = 0; i < findings->n_items && i < FINDINGS_TOLD; i++) {
        tell_finding(&findings->items[i]);
    }
    if (findings->n_items > FINDINGS_TOLD) {
        fx_log(WARN, "more findings than are told here: `fixpoint check` tells them all",
               fx_log_int("findings", (int64_t)findings->n_items));
    }
    const struct fx_snapshot *snapshot = policies->snapshot;
    fx_log(INFO, "policies in force",
           fx_log_int("generation", (int64_t)snapshot->generation),
           fx_log_int("files", (int64_t)policies->n_files),
           fx_log_int("mutators", (int64_t)snapshot->n_mutators),
           fx_log_int("conflicting", (int64_t)count_disabled(snapshot)),
           fx_log_int("errors", (int64_t)fx_findings_count(findings, FX_SEVERITY_ERROR)),
           fx_log_int("warnings",
                      (int64_t)fx_findings_count(findings, FX_SEVERITY_WARNING)));
}

static void take(struct fx_policies_watch *watch, struct fx_policies *made) {
    fx_policies_unref(watch->current);
    watch->current = made;
    const size_t disabled = count_disabled(made->snapshot);
    fx_metrics_set(watch->metrics, FX_METRIC_MUTATORS, FX_MUTATOR_ACTIVE,
                   (double)(made->snapshot->n_mutators - disabled));
    fx_metrics_set(watch->metrics, FX_METRIC_MUTATORS, FX_MUTATOR_ERROR,
                   (double)count_refused(&made->findings));
    fx_metrics_set(watch->metrics, FX_METRIC_CONFLICTING, 0, (double)disabled);
    tell_version(made);
}

static void done(void *user, enum fx_reload_result result, void *made,
                 const struct fx_err *failure, bool told) {
    struct fx_policies_watch *watch = user;
    if (result == FX_RELOAD_FAILED && told) {
        return;
    }
    if (watch->current != NULL) { /* the first time is no reload */
        fx_metrics_count(watch->metrics, FX_METRIC_RELOADS, (unsigned)result);
    }
    if (result == FX_RELOAD_FAILED) {
        fx_log(ERROR, "policies cannot be read: the previous version stays in force",
               fx_log_str("error", failure->msg));
    } else if (result == FX_RELOAD_CHANGED) {
        take(watch, made);
    }
}

static void discard(void *made) {
    fx_policies_unref(made);
}

static bool refuse_standard_input(const char *const *roots, size_t n_roots,
                                  struct fx_err *err) {
    for (size_t i = 0; i < n_roots; i++) {
        if (strcmp(roots[i], "-") == 0) {
            return fx_fail(err, FX_EINVALID,
                           "policies of a server cannot come from standard input");
        }
    }
    return true;
}

struct fx_policies_watch *
fx_policies_watch_create(uv_loop_t *loop, const char *const *roots, size_t n_roots,
                         struct fx_metrics *metrics, struct fx_err *err) {
    if (!refuse_standard_input(roots, n_roots, err)) {
        return NULL;
    }
    struct fx_policies_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    watch->metrics = metrics;
    const struct fx_reload_plan plan = {
        .roots = {roots, n_roots, FX_LIMIT_POLICY_FILE_BYTES},
        .user = watch,
        .build = build,
        .done = done,
        .discard = discard,
    };
    watch->reload = fx_reload_create(loop, &plan, err);
    if (watch->reload == NULL) {
        free(watch);
        return NULL;
    }
    assert(watch->current != NULL);
    return watch;
}

struct fx_policies *fx_policies_watch_sample(const struct fx_policies_watch *watch) {
    return fx_policies_ref(watch->current);
}

void fx_policies_watch_reload(struct fx_policies_watch *watch) {
    fx_reload_now(watch->reload);
}

static void on_closed(void *user) {
    struct fx_policies_watch *watch = user;
    fx_policies_unref(watch->current);
    free(watch);
}

void fx_policies_watch_close(struct fx_policies_watch *watch) {
    if (watch != NULL) {
        fx_reload_close(watch->reload, on_closed);
    }
}
