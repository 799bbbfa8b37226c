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
#include "server/mutation_log.h"
#include "server/object_fetch.h"
#include "server/respond.h"
#include "server/review_log.h"
#include "server/sources.h"
#include "server/state.h"

/* Gatekeeper's status for the reviews it counts; those allowed before mutation was tried,
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
    const double seconds = fx_request_seconds(exchange);
    count(&server->metrics, result, seconds);
    fx_active_policies_record(server->active, thread->number, result);
    fx_log_review(result, fx_http_header(exchange, "traceparent"), seconds * 1e3);
    fx_skip_log_record(&thread->skip_log, result, fx_clock_ns);
    if (server->options->log_mutations) {
        fx_log_mutation(result);
    }
    fx_respond_review(exchange, result);
}

/* A review on its way, and what it needs until it is answered. */
struct request {
    struct fx_thread *thread;
    struct fx_http_exchange *exchange;
    struct fx_policies *policies; /* counted */
    uint64_t deadline_ns;
    struct fx_admission admission;
    struct fx_review *review;
    struct fx_object_fetch ask;
    bool waits; /* for others, and counts among those who do */
};

static enum fx_lookup find_object(void *user, const struct fx_reference *reference,
                                  json_t **ret_object, struct fx_err *err) {
    const struct request *request = user;
    return fx_sources_find_object(request->thread->server, request->policies, reference,
                                  ret_object, err);
}

static void end(struct request *request) {
    fx_review_destroy(request->review);
    fx_policies_unref(request->policies);
    free(request);
}

static void answer_no_memory(struct fx_server *server,
                             struct fx_http_exchange *exchange) {
    fx_metrics_count(&server->metrics, FX_METRIC_REVIEWS, FX_DECISION_BROKEN);
    fx_respond_no_memory(exchange);
}

static void resume(void *user);

/* False where too many wait already. */
static bool start_waiting(struct request *request) {
    struct fx_shed *shed = &request->thread->shed;
    request->waits = fx_shed_begin_wait(shed, fx_http_body(request->exchange).len);
    return request->waits;
}

static void stop_waiting(struct request *request) {
    if (request->waits) {
        fx_shed_end_wait(&request->thread->shed, fx_http_body(request->exchange).len);
        request->waits = false;
    }
}

static void answer_overloaded(struct request *request) {
    fx_shed_reject(&request->thread->shed, &request->thread->server->metrics,
                   request->exchange, FX_SHED_CROWD);
}

/* Providers are to be asked; nobody else waits for that. */
static bool ask_providers(struct request *request) {
    struct fx_arena *arena = NULL;
    struct fx_external_callback waiter = {.on_ready = resume, .user = request};
    struct fx_err err = FX_ERR_INIT;
    struct fx_external_calls *calls =
        fx_review_calls(request->review, &arena, &waiter.deadline_ns);
    return fx_external_client_run(request->thread->external, calls, arena, &waiter, &err);
}

static void on_object(json_t *object_take, const struct fx_err *failure, void *user) {
    struct request *request = user;
    fx_review_give(request->review, object_take, failure);
    resume(request);
}

/* What nobody here has is to be asked for: a namespace younger than the watch, or one of
 * which more is wanted than the watch tells; a Node. */
static void ask_object(struct request *request) {
    request->ask = (struct fx_object_fetch){
        .thread = request->thread,
        .reference = *fx_review_wanted(request->review),
        .deadline_ns = request->deadline_ns,
        .on_done = on_object,
        .user = request,
    };
    fx_object_fetch(&request->ask);
}

/* Where it waits now: true; else it has been answered that it cannot. */
static bool wait_for_data(struct request *request) {
    if (!start_waiting(request)) {
        answer_overloaded(request);
        return false;
    }
    if (!ask_providers(request)) {
        stop_waiting(request);
        answer_no_memory(request->thread->server, request->exchange);
        return false;
    }
    return true;
}

static bool wait_for_object(struct request *request) {
    if (!start_waiting(request)) {
        answer_overloaded(request);
        return false;
    }
    ask_object(request);
    return true;
}

/* From the start, or from where it waited, to the answer or the next wait. */
static void go_on(struct request *request) {
    stop_waiting(request);
    switch (fx_review_run(request->review)) {
    case FX_REVIEW_WANTS_DATA:
        if (wait_for_data(request)) {
            return;
        }
        break;
    case FX_REVIEW_WANTS_OBJECT:
        if (wait_for_object(request)) {
            return;
        }
        break;
    case FX_REVIEW_DONE:
        finish(request->thread, request->exchange, fx_review_result(request->review));
        break;
    }
    end(request);
}

/* What it waited for is there. */
static void resume(void *user) {
    struct request *request = user;
    struct fx_activity *activity = &request->thread->activity;
    fx_activity_set_task(activity, "a review that waited");
    go_on(request);
    fx_activity_set_task(activity, NULL);
}

/* False without memory. */
static bool begin(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    struct fx_server *server = thread->server;
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL) {
        return false;
    }
    const struct fx_server_options *options = server->options;
    request->thread = thread;
    request->exchange = exchange;
    request->policies = fx_sources_get_policies(server, thread->number);
    request->admission = (struct fx_admission){
        .on_error = options->on_error,
        .annotates = options->mutation_annotations,
        .tells_passes = options->log_mutations,
        .tells_fares = true,
        .share_percent = options->namespace_share,
        .skims = true,
        .own_namespace = options->own_namespace,
        .activity = &thread->activity,
        .find_object = find_object,
        .user = request,
    };
    request->deadline_ns = fx_request_deadline_ns(server, exchange);
    request->review = fx_review_create(&request->admission, request->policies->snapshot,
                                       fx_http_body(exchange), request->deadline_ns);
    if (request->review == NULL) {
        end(request);
        return false;
    }
    go_on(request);
    return true;
}

void fx_handle_mutate(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_request_reject_early(thread, exchange)) {
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
