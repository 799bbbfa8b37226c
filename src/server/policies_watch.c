/* SPDX-License-Identifier: Apache-2.0
 *
 * server/policies_watch.c - builds policies from files.
 */
#include "server/policies_watch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/heap.h"
#include "base/limits.h"
#include "base/log.h"
#include "server/reload.h"

struct fx_policies_watch {
    struct fx_reload *reload;
    struct fx_policies *current; /* written on the loop while no worker runs */
    double seconds;              /* of the last build */
    bool is_emptied;             /* the files have no mutators, but had some before */
    struct fx_policies_watch_options options;
    struct fx_policies_watch_events events;
};

/* Called on a worker thread. `current` does not change meanwhile. */
static bool build_policies(void *user, const struct fx_file_set *files, void **ret_made,
                           struct fx_err *err) {
    struct fx_policies_watch *watch = user;
    const uint64_t begin = fx_clock_ns();
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
    const struct fx_policy_sources sources = {
        .inputs = inputs,
        .n_inputs = n,
        .previous = previous,
        .generation = previous == NULL ? 1 : previous->snapshot->generation + 1,
        .settings = watch->options.settings,
    };
    struct fx_policies *made = NULL;
    const bool ok = fx_policies_build_from(&sources, &made, err);
    free(inputs);
    fx_heap_trim(); /* the trees of the documents are freed */
    watch->seconds = (double)(fx_clock_ns() - begin) * 1e-9;
    if (ok) {
        *ret_made = made;
    }
    return ok;
}

static void set_current(struct fx_policies_watch *watch, struct fx_policies *made) {
    watch->events.on_policies(made, watch->current, watch->seconds, watch->events.user);
    fx_policies_unref(watch->current);
    watch->current = made;
}

/* ---- files without mutators ---- */

static void set_emptied(struct fx_policies_watch *watch, bool emptied) {
    watch->is_emptied = emptied;
    fx_metrics_set(watch->options.metrics, FX_METRIC_EMPTIED, 0, emptied);
}

/* Have the files lost all their mutators? Also true for an empty version after an empty
 * one. */
static bool is_emptied_by(const struct fx_policies_watch *watch,
                          const struct fx_policies *made) {
    return made->snapshot->n_mutators == 0 && watch->current != NULL &&
           (watch->is_emptied || watch->current->snapshot->n_mutators > 0);
}

static const char *emptied_message(enum fx_on_empty on_empty) {
    switch (on_empty) {
    case FX_ON_EMPTY_KEEP:
        return "the policy files have no mutators any more: the previous policies stay "
               "active";
    case FX_ON_EMPTY_NOT_READY:
        return "the policy files have no mutators any more: nothing is mutated, not "
               "ready";
    case FX_ON_EMPTY_ACCEPT: break;
    }
    return "the policy files have no mutators any more: nothing is mutated";
}

static void handle_emptied(struct fx_policies_watch *watch, struct fx_policies *made) {
    const enum fx_on_empty on_empty = watch->options.on_empty;
    fx_log(WARN, emptied_message(on_empty),
           fx_log_int("mutators_before", (int64_t)watch->current->snapshot->n_mutators));
    set_emptied(watch, true);
    if (on_empty == FX_ON_EMPTY_KEEP) {
        fx_policies_unref(made);
    } else {
        set_current(watch, made);
    }
}

bool fx_policies_watch_ready(const struct fx_policies_watch *watch,
                             const char **ret_reason) {
    *ret_reason = "the policy files have no mutators any more";
    return !watch->is_emptied || watch->options.on_empty != FX_ON_EMPTY_NOT_READY;
}

/* ---- runs ---- */

/* The result for metrics. An empty version that is not used counts as failed. */
static enum fx_reload_result result_of(const struct fx_policies_watch *watch,
                                       enum fx_reload_result result, const void *made) {
    return result == FX_RELOAD_CHANGED && is_emptied_by(watch, made) &&
                   watch->options.on_empty == FX_ON_EMPTY_KEEP
               ? FX_RELOAD_FAILED
               : result;
}

static void on_read(void *user, enum fx_reload_result result, void *made,
                    const struct fx_err *failure, bool is_repeated) {
    struct fx_policies_watch *watch = user;
    if (result == FX_RELOAD_FAILED && is_repeated) {
        return;
    }
    if (watch->current != NULL) { /* the first read is not a reload */
        fx_metrics_count(watch->options.metrics, FX_METRIC_RELOADS,
                         (unsigned)result_of(watch, result, made));
    }
    if (result == FX_RELOAD_FAILED) {
        fx_log(ERROR, "policies cannot be read: the previous version stays active",
               fx_log_str("error", failure->msg));
    } else if (result == FX_RELOAD_CHANGED && is_emptied_by(watch, made)) {
        handle_emptied(watch, made);
    } else if (result == FX_RELOAD_CHANGED) {
        set_emptied(watch, false);
        set_current(watch, made);
    }
}

static void discard_policies(void *made) {
    fx_policies_unref(made);
}

static bool refuse_standard_input(const struct fx_policies_watch_options *options,
                                  struct fx_err *err) {
    for (size_t i = 0; i < options->n_roots; i++) {
        if (strcmp(options->roots[i], "-") == 0) {
            return fx_fail(err, FX_EINVALID,
                           "a server cannot read policies from standard input");
        }
    }
    return true;
}

struct fx_policies_watch *
fx_policies_watch_create(uv_loop_t *loop, const struct fx_policies_watch_options *options,
                         const struct fx_policies_watch_events *events,
                         struct fx_err *err) {
    if (!refuse_standard_input(options, err)) {
        return NULL;
    }
    struct fx_policies_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    watch->options = *options;
    watch->events = *events;
    const struct fx_reload_options reload = {
        .roots = {options->roots, options->n_roots, FX_LIMIT_POLICY_FILE_BYTES},
        .name = "reload of policies",
        .user = watch,
        .build = build_policies,
        .done = on_read,
        .discard = discard_policies,
    };
    watch->reload = fx_reload_create(loop, &reload, err);
    if (watch->reload == NULL) {
        free(watch);
        return NULL;
    }
    assert(watch->current != NULL);
    return watch;
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
        fx_reload_close(watch->reload, on_closed, watch);
    }
}
