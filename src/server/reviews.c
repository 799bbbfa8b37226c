/* SPDX-License-Identifier: Apache-2.0
 *
 * server/reviews.c - reviews on a serving thread's loop, from the request to the
 * response: of objects (POST /v1/mutate), of policies, and of guarded objects.
 *
 * Reviews of policies and guarded objects never wait. For a mutation, inputs that are not
 * cached are fetched: objects and access reviews by the main thread, which gets one
 * message and returns it; this thread calls the providers. The review continues when both
 * are done.
 */
#include <assert.h>
#include <stdlib.h>

#include "admission/admit.h"
#include "admission/paths.h"
#include "admission/review.h"
#include "base/clock.h"
#include "base/heap.h"
#include "base/limits.h"
#include "server/respond.h"
#include "server/review_log.h"
#include "server/routes.h"
#include "server/state.h"

/* The status under which the review is counted. False if it is not counted: it was
 * allowed before mutation, or the request is not a review (spec section 8). */
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

/* A review, and its state until it is answered. */
struct mutate_request {
    struct fx_thread *thread;
    struct fx_http_exchange *exchange;
    struct fx_policies *policies; /* counted */
    uint64_t deadline_ns;
    struct fx_admission admission;
    struct fx_rule_choice choice;
    struct fx_schemas schemas;
    struct fx_review *review;
    bool is_waiting;          /* and is counted in thread->shed */
    unsigned n_waits;         /* pending: the main thread, calls to providers (0 to 2) */
    struct fx_inputs *inputs; /* of the waiting review */
    struct fx_message message;
    /* Inputs that the main thread has not fetched yet. Used only there. */
    size_t n_fetches;
};

static void resume(void *user);

/* Responds, and counts and logs the review. Logs before it responds, as texts of the
 * result may be part of the request. */
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

/* ---- fetching objects and access reviews ------------------------------------------ */

static void end_wait(void *user) {
    struct mutate_request *request = user;
    if (--request->n_waits == 0) {
        resume(request);
    }
}

/* On the main loop. */
static void end_fetch(struct mutate_request *request) {
    if (--request->n_fetches == 0) {
        request->message = (struct fx_message){.handle = end_wait, .user = request};
        fx_message_queue_post(&request->thread->queue, &request->message);
    }
}

/* On the main loop. The thread that fetches an entry owns it. */
static void on_fetched(json_t *value_take, const struct fx_err *failure, void *user) {
    struct fx_input_entry *entry = user;
    fx_inputs_give(entry, value_take, failure);
    end_fetch(entry->fetcher);
}

/* On the main loop. */
static void on_schemas(struct fx_schema_catalog *catalog_take,
                       const struct fx_err *failure, void *user) {
    struct fx_input_entry *entry = user;
    fx_inputs_give_schemas(entry, catalog_take, failure);
    end_fetch(entry->fetcher);
}

/* On the main loop. False without memory. */
static bool fetch_input(const struct mutate_request *request,
                        struct fx_input_entry *entry) {
    struct fx_cluster *cluster = request->thread->server->cluster;
    const struct fx_input_key *key = &entry->key;
    return key->type == FX_INPUT_SCHEMA
               ? fx_cluster_schemas_fetch(fx_cluster_get_schemas(cluster), key->group,
                                          key->version, request->deadline_ns, on_schemas,
                                          entry)
               : fx_cluster_fetch_input(cluster, key, request->deadline_ns, on_fetched,
                                        entry);
}

/* On the main loop. */
static void start_fetch(struct mutate_request *request, struct fx_input_entry *entry) {
    entry->fetcher = request;
    request->n_fetches++;
    if (!fetch_input(request, entry)) {
        struct fx_err err;
        fx_err_reset(&err);
        (void)fx_fail_nomem(&err);
        on_fetched(NULL, &err, entry);
    }
}

/* Does the main thread fetch the input? Calls are checked by type, as their state may be
 * written meanwhile. */
static bool is_fetched_by_main(const struct fx_input_entry *entry) {
    return entry->key.type != FX_INPUT_CALL && entry->state == FX_INPUT_AWAITED;
}

/* On the main loop. */
static void on_fetch(void *user) {
    struct mutate_request *request = user;
    request->n_fetches = 1; /* one more until all are started */
    for (struct fx_input_entry *entry = request->inputs->first; entry != NULL;
         entry = entry->next) {
        if (is_fetched_by_main(entry)) {
            start_fetch(request, entry);
        }
    }
    end_fetch(request);
}

static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_value, struct fx_err *err) {
    const struct mutate_request *request = user;
    return fx_sources_find_input(request->thread->server, request->policies, key,
                                 ret_value, err);
}

static enum fx_lookup find_schemas(void *user, struct fx_text group,
                                   struct fx_text version,
                                   struct fx_schema_catalog **ret_catalog,
                                   struct fx_err *err) {
    const struct mutate_request *request = user;
    return fx_cluster_schemas_find(
        fx_cluster_get_schemas(request->thread->server->cluster), group, version,
        ret_catalog, err);
}

/* ---- waiting --------------------------------------------------------------------- */

static void stop_waiting(struct mutate_request *request) {
    if (request->is_waiting) {
        fx_shed_end_wait(&request->thread->shed, fx_http_body(request->exchange).len);
        request->is_waiting = false;
    }
}

/* Fetches the missing inputs. False if out of memory. */
static bool fetch_inputs(struct mutate_request *request) {
    struct fx_external_callback callback = {.on_ready = end_wait, .user = request};
    struct fx_err err;
    bool has_calls = false;
    bool has_others = false;
    fx_err_reset(&err);
    request->inputs = fx_review_inputs(request->review, &callback.deadline_ns);
    for (const struct fx_input_entry *entry = request->inputs->first; entry != NULL;
         entry = entry->next) {
        has_others = has_others || is_fetched_by_main(entry);
        has_calls = has_calls || (entry->key.type == FX_INPUT_CALL &&
                                  entry->state == FX_INPUT_AWAITED);
    }
    request->n_waits = (has_calls ? 1u : 0u) + (has_others ? 1u : 0u);
    if (has_calls && !fx_external_client_run(request->thread->external, request->inputs,
                                             &callback, &err)) {
        return false;
    }
    if (has_others) {
        request->message = (struct fx_message){.handle = on_fetch, .user = request};
        fx_message_queue_post(&request->thread->server->queue, &request->message);
    }
    return true;
}

/* Starts to wait for the inputs. False if the review cannot wait: then it is answered. */
static bool start_waiting(struct mutate_request *request) {
    struct fx_shed *shed = &request->thread->shed;
    struct fx_server *server = request->thread->server;
    request->is_waiting = fx_shed_begin_wait(shed, fx_http_body(request->exchange).len);
    if (!request->is_waiting) {
        fx_shed_reject(shed, &server->metrics, request->exchange, FX_SHED_WAITING);
        return false;
    }
    if (!fetch_inputs(request)) {
        stop_waiting(request);
        respond_no_memory(server, request->exchange);
        return false;
    }
    return true;
}

/* Runs the review to its end or to its next wait. */
static void run_review(struct mutate_request *request) {
    stop_waiting(request);
    if (fx_review_run(request->review) == FX_REVIEW_DONE) {
        respond_result(request->thread, request->exchange,
                       fx_review_result(request->review));
        fx_triggers_post(&request->thread->server->triggers, request->review);
    } else if (start_waiting(request)) {
        return;
    }
    destroy_request(request);
}

/* Called when all inputs are there. */
static void resume(void *user) {
    struct mutate_request *request = user;
    struct fx_activity *activity = &request->thread->activity;
    fx_activity_set_task(activity, "a review that waited");
    run_review(request);
    fx_activity_set_task(activity, NULL);
}

/* ---- the route ------------------------------------------------------------------- */

/* Sets which rules run, if the path of the request says so. The path lives as long as the
 * exchange, which the review does not outlive. */
static void choose_rules(struct mutate_request *request) {
    const struct fx_webhook *webhook = NULL;
    struct fx_rule_choice *choice = &request->choice;
    const struct fx_webhook_path *path = fx_webhook_path_find(
        fx_http_path(request->exchange), &webhook, &choice->argument);
    if (path != NULL && path->selects != NULL) {
        choice->selects = path->selects;
        request->admission.choice = choice;
    }
}

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
        .partial_decode = true,
        .own_namespace = options->own_namespace,
        .activity = &thread->activity,
        .find_input = find_input,
        .user = request,
        .schemas = &request->schemas,
    };
    choose_rules(request);
    request->schemas = (struct fx_schemas){
        .given = {options->schemas, request->policies->schemas},
        .look_up = fx_sources_may_fetch(server, request->policies) ? find_schemas : NULL,
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

/* ---- policies and guarded objects ---- */

/* Runs the review (NULL: out of memory), responds, and destroys it. */
static void run_and_respond(struct fx_server *server, struct fx_http_exchange *exchange,
                            struct fx_review *review) {
    if (review == NULL) {
        fx_metrics_count(&server->metrics, FX_METRIC_ADMISSIONS, FX_DECISION_BROKEN);
        fx_respond_no_memory(exchange);
        return;
    }
    const enum fx_review_state state = fx_review_run(review);
    assert(state == FX_REVIEW_DONE);
    (void)state;
    const struct fx_review_result *result = fx_review_result(review);
    fx_metrics_count(&server->metrics, FX_METRIC_ADMISSIONS, (unsigned)result->decision);
    fx_log_admission(result, fx_http_header(exchange, "traceparent"),
                     fx_request_seconds(exchange) * 1e3);
    fx_respond_review(exchange, result);
    fx_review_destroy(review);
}

void fx_handle_admit(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_request_reject_early(thread, exchange)) {
        return;
    }
    struct fx_server *server = thread->server;
    const struct fx_admission admission = {
        .settings = &server->options->settings,
        .own_namespace = server->options->own_namespace,
    };
    run_and_respond(server, exchange,
                    fx_admit_create(&admission, fx_http_body(exchange),
                                    fx_request_deadline_ns(server, exchange)));
}

void fx_handle_defaults(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_request_reject_early(thread, exchange)) {
        return;
    }
    struct fx_server *server = thread->server;
    run_and_respond(server, exchange,
                    fx_defaults_create(fx_http_body(exchange),
                                       fx_request_deadline_ns(server, exchange)));
}

void fx_handle_guard(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_request_reject_early(thread, exchange)) {
        return;
    }
    struct fx_server *server = thread->server;
    run_and_respond(server, exchange,
                    fx_guard_create(fx_guard_find(fx_http_path(exchange)),
                                    &server->options->exempt, fx_http_body(exchange),
                                    fx_request_deadline_ns(server, exchange)));
}
