/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutate.c - one review on a thread's loop, from the request to the response.
 */
#include "server/mutate.h"

#include <stdlib.h>

#include "admission/review.h"
#include "base/clock.h"
#include "base/heap.h"
#include "base/limits.h"
#include "server/answer.h"
#include "server/mutation_log.h"
#include "server/object_ask.h"
#include "server/review_log.h"
#include "server/sources.h"
#include "server/state.h"

/* The status of the reviews that are counted; those allowed before mutation was tried,
 * and what is no review, it does not (spec section 8). */
static bool mutation_status(enum fx_decision decision,
                            enum fx_mutation_status *ret_status) {
    switch (decision) {
    case FX_DECISION_UNCHANGED:
    case FX_DECISION_DENIED:
    case FX_DECISION_MUTATED: *ret_status = FX_MUTATION_SUCCESS; return true;
    case FX_DECISION_FAILED: *ret_status = FX_MUTATION_ERROR; return true;
    case FX_DECISION_BROKEN: *ret_status = FX_MUTATION_UNKNOWN; return true;
    case FX_DECISION_EXCLUDED: *ret_status = FX_MUTATION_SKIP; return true;
    case FX_DECISION_SKIPPED:
    case FX_DECISION_REFUSED: break;
    }
    return false;
}

static void count_iterations(struct fx_metrics *metrics,
                             const struct fx_review_result *result) {
    if (result->outcome == NULL) {
        return;
    }
    fx_metrics_observe(metrics, FX_METRIC_PASSES, 0, result->outcome->iterations);
    if (result->decision == FX_DECISION_MUTATED) {
        fx_metrics_observe(metrics, FX_METRIC_ITERATIONS, FX_SUCCESS_TRUE,
                           result->outcome->iterations);
    } else if (result->decision == FX_DECISION_UNCHANGED) {
        fx_metrics_observe(metrics, FX_METRIC_ITERATIONS, FX_SUCCESS_TRUE, 0);
    } else if (result->failure != NULL && result->failure->code == FX_ENOCONVERGE) {
        fx_metrics_observe(metrics, FX_METRIC_ITERATIONS, FX_SUCCESS_FALSE,
                           result->outcome->iterations);
    }
}

static void count(struct fx_metrics *metrics, const struct fx_review_result *result,
                  double seconds) {
    enum fx_mutation_status status = FX_MUTATION_UNKNOWN;
    fx_metrics_count(metrics, FX_METRIC_REVIEWS, (unsigned)result->decision);
    fx_metrics_observe(metrics, FX_METRIC_REVIEW_SECONDS, 0, seconds);
    if (mutation_status(result->decision, &status)) {
        fx_metrics_count(metrics, FX_METRIC_MUTATIONS, (unsigned)status);
        fx_metrics_observe(metrics, FX_METRIC_MUTATION_SECONDS, (unsigned)status,
                           seconds);
    }
    count_iterations(metrics, result);
}

/* The texts of the result may live in the request: it is told before it is answered. */
static void finish(struct fx_thread *thread, struct fx_http_exchange *exchange,
                   const struct fx_review_result *result) {
    struct fx_server *server = thread->server;
    const double seconds = fx_answer_seconds(exchange);
    count(&server->metrics, result, seconds);
    fx_in_force_note(server->in_force, thread->number, result);
    fx_review_log(result, fx_http_header(exchange, "traceparent"), seconds * 1e3);
    fx_drop_log_note(&thread->drop_log, result, fx_clock_ns);
    if (server->options->log_mutations) {
        fx_mutation_log(result);
    }
    fx_answer_review(exchange, result);
}

/* A review on its way, and what it needs until it is answered. */
struct journey {
    struct fx_thread *thread;
    struct fx_http_exchange *exchange;
    struct fx_policies *policies; /* counted */
    uint64_t deadline_ns;
    struct fx_admission admission;
    struct fx_review *review;
    struct fx_object_ask ask;
    bool waits; /* for others, and counts among those who do */
};

static enum fx_lookup find_object(void *user, const struct fx_reference *reference,
                                  json_t **ret_object, struct fx_err *err) {
    const struct journey *journey = user;
    return fx_sources_find_object(journey->thread->server, journey->policies, reference,
                                  ret_object, err);
}

static void end(struct journey *journey) {
    fx_review_destroy(journey->review);
    fx_policies_unref(journey->policies);
    free(journey);
}

static void answer_no_memory(struct fx_server *server,
                             struct fx_http_exchange *exchange) {
    fx_metrics_count(&server->metrics, FX_METRIC_REVIEWS, FX_DECISION_BROKEN);
    fx_answer_no_memory(exchange);
}

static void resume(void *user);

/* False where too many wait already. */
static bool start_waiting(struct journey *journey) {
    struct fx_shed *shed = &journey->thread->shed;
    journey->waits = fx_shed_wait(shed, fx_http_body(journey->exchange).len);
    return journey->waits;
}

static void stop_waiting(struct journey *journey) {
    if (journey->waits) {
        fx_shed_resume(&journey->thread->shed, fx_http_body(journey->exchange).len);
        journey->waits = false;
    }
}

static void answer_overloaded(struct journey *journey) {
    fx_shed_refuse(&journey->thread->shed, &journey->thread->server->metrics,
                   journey->exchange, FX_SHED_CROWD);
}

/* Providers are to be asked; nobody else waits for that. */
static bool ask_providers(struct journey *journey) {
    struct fx_arena *arena = NULL;
    struct fx_external_waiter waiter = {.on_ready = resume, .user = journey};
    struct fx_err err = FX_ERR_INIT;
    struct fx_external_calls *calls =
        fx_review_calls(journey->review, &arena, &waiter.deadline_ns);
    return fx_external_client_run(journey->thread->external, calls, arena, &waiter, &err);
}

static void on_object(json_t *object_take, const struct fx_err *failure, void *user) {
    struct journey *journey = user;
    fx_review_give(journey->review, object_take, failure);
    resume(journey);
}

/* What nobody here has is to be asked for: a namespace younger than the watch, or one of
 * which more is wanted than the watch tells; a Node. */
static void ask_object(struct journey *journey) {
    journey->ask = (struct fx_object_ask){
        .thread = journey->thread,
        .reference = *fx_review_wanted(journey->review),
        .deadline_ns = journey->deadline_ns,
        .on_done = on_object,
        .user = journey,
    };
    fx_object_ask(&journey->ask);
}

/* Where it waits now: true; else it has been answered that it cannot. */
static bool wait_for_data(struct journey *journey) {
    if (!start_waiting(journey)) {
        answer_overloaded(journey);
        return false;
    }
    if (!ask_providers(journey)) {
        stop_waiting(journey);
        answer_no_memory(journey->thread->server, journey->exchange);
        return false;
    }
    return true;
}

static bool wait_for_object(struct journey *journey) {
    if (!start_waiting(journey)) {
        answer_overloaded(journey);
        return false;
    }
    ask_object(journey);
    return true;
}

/* From the start, or from where it waited, to the answer or the next wait. */
static void go_on(struct journey *journey) {
    stop_waiting(journey);
    switch (fx_review_run(journey->review)) {
    case FX_REVIEW_WANTS_DATA:
        if (wait_for_data(journey)) {
            return;
        }
        break;
    case FX_REVIEW_WANTS_OBJECT:
        if (wait_for_object(journey)) {
            return;
        }
        break;
    case FX_REVIEW_DONE:
        finish(journey->thread, journey->exchange, fx_review_result(journey->review));
        break;
    }
    end(journey);
}

/* What it waited for is there. */
static void resume(void *user) {
    struct journey *journey = user;
    struct fx_activity *activity = &journey->thread->activity;
    fx_activity_set_task(activity, "a review that waited");
    go_on(journey);
    fx_activity_set_task(activity, NULL);
}

/* False without memory. */
static bool begin(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    struct fx_server *server = thread->server;
    struct journey *journey = calloc(1, sizeof *journey);
    if (journey == NULL) {
        return false;
    }
    const struct fx_server_options *options = server->options;
    journey->thread = thread;
    journey->exchange = exchange;
    journey->policies = fx_sources_sample(server, thread->number);
    journey->admission = (struct fx_admission){
        .on_error = options->on_error,
        .annotates = options->mutation_annotations,
        .tells_passes = options->log_mutations,
        .tells_fares = true,
        .share_percent = options->namespace_share,
        .skims = true,
        .own_namespace = options->own_namespace,
        .activity = &thread->activity,
        .find_object = find_object,
        .user = journey,
    };
    journey->deadline_ns = fx_answer_deadline_ns(server, exchange);
    journey->review = fx_review_create(&journey->admission, journey->policies->snapshot,
                                       fx_http_body(exchange), journey->deadline_ns);
    if (journey->review == NULL) {
        end(journey);
        return false;
    }
    go_on(journey);
    return true;
}

void fx_answer_mutate(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_answer_early(thread, exchange)) {
        return;
    }
    const bool large = fx_http_body(exchange).len > FX_LIMIT_KEPT_BODY_BYTES;
    if (!begin(thread, exchange)) {
        answer_no_memory(thread->server, exchange);
    }
    if (large) {
        fx_heap_trim();
    }
}
