/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutate.c - POST /v1/mutate: one review on a serving thread's loop, from the
 * request to the response.
 *
 * An object that the review needs and that is not cached is fetched by the main thread: a
 * message goes there and back.
 */
#include <stdlib.h>

#include "admission/review.h"
#include "base/clock.h"
#include "base/heap.h"
#include "base/limits.h"
#include "server/respond.h"
#include "server/review_log.h"
#include "server/routes.h"
#include "server/sources.h"
#include "server/state.h"

/* The status under which the review is counted. False if it is not counted: reviews that
 * are allowed before mutation, and requests that are not reviews (spec section 8). */
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

static void count_review(struct fx_metrics *metrics,
                         const struct fx_review_result *result, double seconds) {
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

/* A review, and what it needs until it is answered. */
struct mutate_request {
    struct fx_thread *thread;
    struct fx_http_exchange *exchange;
    struct fx_policies *policies; /* counted */
    uint64_t deadline_ns;
    struct fx_admission admission;
    struct fx_review *review;
    bool is_waiting; /* and counts as such in thread->shed */
    /* While an object is fetched: */
    struct fx_message message;
    struct fx_reference wanted; /* its text is borrowed from the review */
    json_t *object;             /* the result: written by the main thread, */
    struct fx_err failure;      /* or why there is none */
};

static void resume(void *user);

/* The texts of the result may be part of the request: use them before the response. */
static void respond_result(struct fx_thread *thread, struct fx_http_exchange *exchange,
                           const struct fx_review_result *result) {
    struct fx_server *server = thread->server;
    const double seconds = fx_request_seconds(exchange);
    count_review(&server->metrics, result, seconds);
    fx_active_policies_record(server->active, thread->number, result);
    fx_log_review(result, fx_http_header(exchange, "traceparent"), seconds * 1e3);
    fx_skip_log_record(&thread->skip_log, result, fx_clock_ns);
    if (server->options->log_mutations) {
        fx_log_mutation(result);
    }
    fx_respond_review(exchange, result);
}

static void destroy_request(struct mutate_request *request) {
    fx_review_destroy(request->review);
    fx_policies_unref(request->policies);
    free(request);
}

static void respond_no_memory(struct fx_server *server,
                              struct fx_http_exchange *exchange) {
    fx_metrics_count(&server->metrics, FX_METRIC_REVIEWS, FX_DECISION_BROKEN);
    fx_respond_no_memory(exchange);
}

/* ---- fetching an object; the first four functions run on the main loop --------------
 */

static void on_object(void *user) {
    struct mutate_request *request = user;
    const struct fx_err failure = request->failure; /* the request may be destroyed */
    fx_review_give(request->review, request->object,
                   request->object == NULL ? &failure : NULL);
    resume(request);
}

static void send_back(struct mutate_request *request) {
    request->message = (struct fx_message){.handle = on_object, .user = request};
    fx_message_queue_post(&request->thread->queue, &request->message);
}

static void on_fetched(json_t *object_take, const struct fx_err *failure, void *user) {
    struct mutate_request *request = user;
    request->object = object_take;
    if (object_take == NULL) {
        request->failure = *failure;
    }
    send_back(request);
}

/* Another review may have fetched the namespace since the message was posted. */
static bool fetch_namespace(struct mutate_request *request, struct fx_cluster *cluster) {
    struct fx_cluster_namespaces *spaces = fx_cluster_get_namespaces(cluster);
    const struct fx_cluster_namespace_request wanted = {
        .name = request->wanted.name,
        .whole = request->wanted.type == FX_REFERENCE_NAMESPACE,
        .deadline_ns = request->deadline_ns,
    };
    request->object =
        wanted.whole ? fx_cluster_namespaces_find_whole(spaces, wanted.name) : NULL;
    if (request->object != NULL) {
        send_back(request);
        return true;
    }
    return fx_cluster_namespaces_fetch(spaces, &wanted, on_fetched, request);
}

static bool fetch_object(struct mutate_request *request) {
    struct fx_cluster *cluster = request->thread->server->cluster;
    switch (request->wanted.type) {
    case FX_REFERENCE_LABELS:
    case FX_REFERENCE_NAMESPACE: return fetch_namespace(request, cluster);
    case FX_REFERENCE_NODE: break;
    }
    return fx_cluster_fetch_node(cluster, request->wanted.name, request->deadline_ns,
                                 on_fetched, request);
}

static void on_fetch(void *user) {
    struct mutate_request *request = user;
    if (!fetch_object(request)) {
        (void)fx_fail_nomem(&request->failure);
        send_back(request);
    }
}

/* Fetches what no cache has: a namespace that is newer than the watch, or of which more
 * is needed than the watch keeps; a Node. */
static void start_fetch(struct mutate_request *request) {
    request->wanted = *fx_review_wanted(request->review);
    request->object = NULL;
    request->failure = (struct fx_err){0};
    request->message = (struct fx_message){.handle = on_fetch, .user = request};
    fx_message_queue_post(&request->thread->server->queue, &request->message);
}

static enum fx_lookup find_object(void *user, const struct fx_reference *reference,
                                  json_t **ret_object, struct fx_err *err) {
    const struct mutate_request *request = user;
    return fx_sources_find_object(request->thread->server, request->policies, reference,
                                  ret_object, err);
}

/* ---- waiting ------------------------------------------------------------------------
 */

static void stop_waiting(struct mutate_request *request) {
    if (request->is_waiting) {
        fx_shed_end_wait(&request->thread->shed, fx_http_body(request->exchange).len);
        request->is_waiting = false;
    }
}

/* Calls the external data providers. False if out of memory. */
static bool call_providers(struct mutate_request *request) {
    struct fx_arena *arena = NULL;
    struct fx_external_callback callback = {.on_ready = resume, .user = request};
    struct fx_err err = FX_ERR_INIT;
    struct fx_external_calls *calls =
        fx_review_calls(request->review, &arena, &callback.deadline_ns);
    return fx_external_client_run(request->thread->external, calls, arena, &callback,
                                  &err);
}

/* Starts to wait for what the review needs. False if it cannot wait: then it is answered.
 */
static bool wait_for(struct mutate_request *request, enum fx_review_state state) {
    struct fx_shed *shed = &request->thread->shed;
    struct fx_server *server = request->thread->server;
    request->is_waiting = fx_shed_begin_wait(shed, fx_http_body(request->exchange).len);
    if (!request->is_waiting) {
        fx_shed_reject(shed, &server->metrics, request->exchange, FX_SHED_WAITING);
        return false;
    }
    if (state == FX_REVIEW_WANTS_OBJECT) {
        start_fetch(request);
    } else if (!call_providers(request)) {
        stop_waiting(request);
        respond_no_memory(server, request->exchange);
        return false;
    }
    return true;
}

/* Runs the review to its end or to its next wait. */
static void run_review(struct mutate_request *request) {
    stop_waiting(request);
    const enum fx_review_state state = fx_review_run(request->review);
    if (state == FX_REVIEW_DONE) {
        respond_result(request->thread, request->exchange,
                       fx_review_result(request->review));
    } else if (wait_for(request, state)) {
        return;
    }
    destroy_request(request);
}

/* What the review waited for has come. */
static void resume(void *user) {
    struct mutate_request *request = user;
    struct fx_activity *activity = &request->thread->activity;
    fx_activity_set_task(activity, "a review that waited");
    run_review(request);
    fx_activity_set_task(activity, NULL);
}

/* ---- the route ----------------------------------------------------------------------
 */

/* False if out of memory. */
static bool start_review(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    struct fx_server *server = thread->server;
    struct mutate_request *request = calloc(1, sizeof *request);
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
        .reports_passes = options->log_mutations,
        .collects_stats = true,
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
        destroy_request(request);
        return false;
    }
    run_review(request);
    return true;
}

void fx_handle_mutate(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_request_reject_early(thread, exchange)) {
        return;
    }
    const bool is_large = fx_http_body(exchange).len > FX_LIMIT_KEPT_BODY_BYTES;
    if (!start_review(thread, exchange)) {
        respond_no_memory(thread->server, exchange);
    }
    if (is_large) {
        fx_heap_trim();
    }
}
