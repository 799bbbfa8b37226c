/* SPDX-License-Identifier: Apache-2.0
 *
 * server/binding.c - reviews of Bindings. The review runs on the serving thread's loop. A
 * message to the main loop and back annotates the Pod.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "admission/admit.h"
#include "base/log.h"
#include "cluster/cluster.h"
#include "server/respond.h"
#include "server/routes.h"
#include "server/state.h"

#define NAME_BYTES 256u /* RFC 1123: 253 */

struct binding_request {
    struct fx_thread *thread;
    struct fx_http_exchange *exchange;
    struct fx_review *review;
    uint64_t deadline_ns;
    struct fx_message message;
    /* Written by the main thread: */
    bool is_annotated; /* the Pod asked for it, and has the annotation */
    bool failed;
    struct fx_err failure;
};

/* ---- result --------------------------------------------------------------------- */

static void destroy_request(struct binding_request *request) {
    fx_review_destroy(request->review);
    free(request);
}

static void count_result(const struct binding_request *request,
                         enum fx_binding_result result) {
    fx_metrics_count(&request->thread->server->metrics, FX_METRIC_BINDINGS,
                     (unsigned)result);
}

static void finish_request(struct binding_request *request) {
    fx_respond_review(request->exchange, fx_review_result(request->review));
    destroy_request(request);
}

/* Reports the failure in the log, and as a warning in the response. */
static void report_failure(struct binding_request *request) {
    const struct fx_pod_binding *binding = fx_binding_view(request->review);
    char pod[2 * NAME_BYTES];
    char node[NAME_BYTES];
    (void)snprintf(pod, sizeof pod, "%.*s/%.*s", FX_TEXT_ARG(binding->namespace_),
                   FX_TEXT_ARG(binding->pod));
    (void)snprintf(node, sizeof node, "%.*s", FX_TEXT_ARG(binding->node));
    fx_log(WARN, "Pod not annotated with its Node", fx_log_str("pod", pod),
           fx_log_str("node", node), fx_log_str("error", request->failure.msg));
    (void)fx_err_prefix(&request->failure, "the Pod was not annotated with its Node: ");
    fx_binding_warn(request->review, request->failure.msg);
}

/* Called on the thread's loop. */
static void on_result(void *user) {
    struct binding_request *request = user;
    fx_shed_end_wait(&request->thread->shed, fx_http_body(request->exchange).len);
    if (request->failed) {
        report_failure(request);
        count_result(request, FX_BINDING_FAILED);
    } else {
        count_result(request, request->is_annotated ? FX_BINDING_ANNOTATED
                                                    : FX_BINDING_NOT_REQUESTED);
    }
    finish_request(request);
}

/* ---- on the main loop ------------------------------------------------------------ */

static void send_back(struct binding_request *request) {
    request->message = (struct fx_message){.handle = on_result, .user = request};
    fx_message_queue_post(&request->thread->queue, &request->message);
}

static void on_bound(bool is_annotated, const struct fx_err *failure, void *user) {
    struct binding_request *request = user;
    request->is_annotated = is_annotated;
    request->failed = failure != NULL;
    if (failure != NULL) {
        request->failure = *failure;
    }
    send_back(request);
}

static void on_request(void *user) {
    struct binding_request *request = user;
    const struct fx_pod_binding *wanted = fx_binding_view(request->review);
    const struct fx_cluster_binding binding = {
        .namespace_ = wanted->namespace_,
        .pod = wanted->pod,
        .node = wanted->node,
        .deadline_ns = request->deadline_ns,
    };
    struct fx_cluster_bindings *bindings =
        fx_cluster_get_bindings(request->thread->server->cluster);
    if (!fx_cluster_bindings_start(bindings, &binding, on_bound, request)) {
        request->failed = true;
        (void)fx_fail_nomem(&request->failure);
        send_back(request);
    }
}

/* ---- request --------------------------------------------------------------- */

/* Is this a Binding of a Pod, and is there a cluster with policies that may ask for the
 * annotation? */
static bool must_annotate(const struct binding_request *request) {
    const struct fx_server *server = request->thread->server;
    return server->cluster != NULL && fx_cluster_get_bindings(server->cluster) != NULL &&
           fx_binding_view(request->review) != NULL &&
           !atomic_load_explicit(&server->passthrough, memory_order_relaxed);
}

static void start_request(struct binding_request *request) {
    struct fx_thread *thread = request->thread;
    const enum fx_review_state state = fx_review_run(request->review);
    assert(state == FX_REVIEW_DONE);
    (void)state;
    if (!must_annotate(request)) {
        finish_request(request);
        return;
    }
    if (!fx_shed_begin_wait(&thread->shed, fx_http_body(request->exchange).len)) {
        fx_shed_reject(&thread->shed, &thread->server->metrics, request->exchange,
                       FX_SHED_WAITING);
        destroy_request(request);
        return;
    }
    request->message = (struct fx_message){.handle = on_request, .user = request};
    fx_message_queue_post(&thread->server->queue, &request->message);
}

void fx_handle_binding(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_request_reject_early(thread, exchange)) {
        return;
    }
    struct binding_request *request = calloc(1, sizeof *request);
    if (request == NULL) {
        fx_respond_no_memory(exchange);
        return;
    }
    request->thread = thread;
    request->exchange = exchange;
    request->deadline_ns = fx_request_deadline_ns(thread->server, exchange);
    request->review = fx_binding_create(fx_http_body(exchange), request->deadline_ns);
    if (request->review == NULL) {
        destroy_request(request);
        fx_respond_no_memory(exchange);
        return;
    }
    start_request(request);
}
