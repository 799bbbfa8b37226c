/* SPDX-License-Identifier: Apache-2.0
 *
 * server/mutate.c - one review on the loop, from the request to the response.
 */
#include "server/mutate.h"

#include <assert.h>

#include "admission/review.h"
#include "base/clock.h"
#include "base/heap.h"
#include "base/limits.h"
#include "server/review_log.h"
#include "server/routes.h"
#include "server/state.h"
#include "server/timeout.h"

#define RETRY_AFTER "Retry-After: 1\r\n"

/* Files know namespaces at once: those they hold, and a plain one for each other name. */
static enum fx_lookup find_namespace(void *user, struct fx_text name, json_t **ret_object,
                                     struct fx_err *err) {
    const struct fx_policies *policies = user;
    json_t *object = fx_namespaces_find(&policies->namespaces, name);
    if (object == NULL) {
        (void)fx_fail_nomem(err);
        return FX_LOOKUP_FAILED;
    }
    *ret_object = object;
    return FX_LOOKUP_FOUND;
}

static uint64_t deadline_of(const struct fx_server *server,
                            const struct fx_http_exchange *exchange) {
    const uint64_t given = server->options->review_ms;
    return fx_http_arrival_ns(exchange) +
           fx_timeout_budget_ns(fx_http_query(exchange),
                                given == 0 ? FX_LIMIT_REVIEW_MS : given);
}

/* Gatekeeper's status for the reviews it counts; those allowed before mutation was tried,
 * and what is no review, it does not (spec section 8). */
static bool mutation_status(enum fx_decision decision,
                            enum fx_mutation_status *ret_status) {
    switch (decision) {
    case FX_DECISION_UNCHANGED:
    case FX_DECISION_MUTATED: *ret_status = FX_MUTATION_SUCCESS; return true;
    case FX_DECISION_FAILED: *ret_status = FX_MUTATION_ERROR; return true;
    case FX_DECISION_BROKEN: *ret_status = FX_MUTATION_UNKNOWN; return true;
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
    if (mutation_status(result->decision, &status)) {
        fx_metrics_count(metrics, FX_METRIC_MUTATIONS, (unsigned)status);
        fx_metrics_observe(metrics, FX_METRIC_MUTATION_SECONDS, (unsigned)status,
                           seconds);
    }
    count_iterations(metrics, result);
}

/* The texts of the result may live in the request: it is told before it is answered. */
static void finish(struct fx_server *server, struct fx_http_exchange *exchange,
                   const struct fx_review_result *result) {
    const double seconds = (double)(fx_clock_ns() - fx_http_arrival_ns(exchange)) / 1e9;
    count(&server->metrics, result, seconds);
    fx_review_log(result, fx_http_header(exchange, "traceparent"), seconds * 1e3);
    fx_http_respond(exchange, result->status,
                    result->status == 200 ? "application/json"
                                          : "text/plain; charset=utf-8",
                    result->retry_after ? RETRY_AFTER : NULL, result->body);
}

void fx_answer_mutate(struct fx_server *server, struct fx_http_exchange *exchange) {
    struct fx_policies *policies = fx_policies_watch_sample(server->policies);
    const bool large = fx_http_body(exchange).len > FX_LIMIT_KEPT_BODY_BYTES;
    const struct fx_admission admission = {
        .on_error = server->options->on_error,
        .annotates = server->options->mutation_annotations,
        .own_namespace = server->options->own_namespace,
        .find_namespace = find_namespace,
        .user = policies,
    };
    struct fx_review *review =
        fx_review_create(&admission, policies->snapshot, fx_http_body(exchange),
                         deadline_of(server, exchange));
    if (review == NULL) {
        fx_metrics_count(&server->metrics, FX_METRIC_REVIEWS, FX_DECISION_BROKEN);
        fx_answer_text(exchange, 503, RETRY_AFTER, "out of memory");
    } else {
        const enum fx_review_state state = fx_review_run(review);
        assert(state == FX_REVIEW_DONE); /* our look-up never waits */
        (void)state;
        finish(server, exchange, fx_review_result(review));
    }
    fx_review_destroy(review);
    fx_policies_unref(policies);
    if (large) {
        fx_heap_trim();
    }
}
