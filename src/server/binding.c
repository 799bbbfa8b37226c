/* SPDX-License-Identifier: Apache-2.0
 *
 * server/binding.c - the review on a thread's loop, what it is about on the main loop, by
 * a letter there and back.
 */
#include "server/binding.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "admission/binding.h"
#include "base/log.h"
#include "cluster/cluster.h"
#include "server/answer.h"
#include "server/state.h"

#define NAME_BYTES 256u /* RFC 1123: 253 */

/* One on its way. */
struct journey {
    struct fx_thread *thread;
    struct fx_http_exchange *exchange;
    struct fx_review *review;
    uint64_t deadline_ns;
    struct fx_letter letter;
    /* Written by the main thread: */
    bool told;
    bool failed;
    struct fx_err failure;
};

/* ---- the end --------------------------------------------------------------------- */

static void end(struct journey *journey) {
    fx_review_destroy(journey->review);
    free(journey);
}

static void count(const struct journey *journey, enum fx_binding_result result) {
    fx_metrics_count(&journey->thread->server->metrics, FX_METRIC_BINDINGS,
                     (unsigned)result);
}

static void finish(struct journey *journey) {
    fx_answer_review(journey->exchange, fx_review_result(journey->review));
    end(journey);
}

/* Told once, here: to the log, and to whoever binds. */
static void say_failure(struct journey *journey) {
    const struct fx_pod_binding *binding = fx_binding_view(journey->review);
    char pod[2 * NAME_BYTES];
    char node[NAME_BYTES];
    (void)snprintf(pod, sizeof pod, "%.*s/%.*s", FX_TEXT_ARG(binding->namespace_),
                   FX_TEXT_ARG(binding->pod));
    (void)snprintf(node, sizeof node, "%.*s", FX_TEXT_ARG(binding->node));
    fx_log(WARN, "a Pod is not told its Node", fx_log_str("pod", pod),
           fx_log_str("node", node), fx_log_str("error", journey->failure.msg));
    (void)fx_err_prefix(&journey->failure, "the Pod is not told its Node: ");
    fx_binding_warn(journey->review, journey->failure.msg);
}

/* On the thread's loop. */
static void on_answer(void *user) {
    struct journey *journey = user;
    fx_shed_resume(&journey->thread->shed, fx_http_body(journey->exchange).len);
    if (journey->failed) {
        say_failure(journey);
        count(journey, FX_BINDING_FAILED);
    } else {
        count(journey, journey->told ? FX_BINDING_TOLD : FX_BINDING_UNASKED);
    }
    finish(journey);
}

/* ---- on the main loop ------------------------------------------------------------ */

static void answer(struct journey *journey) {
    journey->letter = (struct fx_letter){.open = on_answer, .user = journey};
    fx_mailbox_post(&journey->thread->mailbox, &journey->letter);
}

static void on_bound(bool told, const struct fx_err *failure, void *user) {
    struct journey *journey = user;
    journey->told = told;
    journey->failed = failure != NULL;
    if (failure != NULL) {
        journey->failure = *failure;
    }
    answer(journey);
}

static void on_question(void *user) {
    struct journey *journey = user;
    const struct fx_pod_binding *wanted = fx_binding_view(journey->review);
    const struct fx_cluster_binding binding = {
        .namespace_ = wanted->namespace_,
        .pod = wanted->pod,
        .node = wanted->node,
        .deadline_ns = journey->deadline_ns,
    };
    struct fx_cluster_bindings *bindings =
        fx_cluster_get_bindings(journey->thread->server->cluster);
    if (!fx_cluster_bindings_start(bindings, &binding, on_bound, journey)) {
        journey->failed = true;
        (void)fx_fail_nomem(&journey->failure);
        answer(journey);
    }
}

/* ---- the beginning --------------------------------------------------------------- */

/* Is there somebody to tell, and somebody who may? */
static bool acts(const struct journey *journey) {
    const struct fx_server *server = journey->thread->server;
    return server->cluster != NULL && fx_cluster_get_bindings(server->cluster) != NULL &&
           fx_binding_view(journey->review) != NULL &&
           !atomic_load_explicit(&server->passes, memory_order_relaxed);
}

static void begin(struct journey *journey) {
    struct fx_thread *thread = journey->thread;
    const enum fx_review_state state = fx_review_run(journey->review);
    assert(state == FX_REVIEW_DONE);
    (void)state;
    if (!acts(journey)) {
        finish(journey);
        return;
    }
    if (!fx_shed_wait(&thread->shed, fx_http_body(journey->exchange).len)) {
        fx_shed_refuse(&thread->shed, &thread->server->metrics, journey->exchange,
                       FX_SHED_CROWD);
        end(journey);
        return;
    }
    journey->letter = (struct fx_letter){.open = on_question, .user = journey};
    fx_mailbox_post(&thread->server->mailbox, &journey->letter);
}

void fx_answer_binding(struct fx_thread *thread, struct fx_http_exchange *exchange) {
    if (fx_answer_early(thread, exchange)) {
        return;
    }
    struct journey *journey = calloc(1, sizeof *journey);
    if (journey == NULL) {
        fx_answer_no_memory(exchange);
        return;
    }
    journey->thread = thread;
    journey->exchange = exchange;
    journey->deadline_ns = fx_answer_deadline_ns(thread->server, exchange);
    journey->review = fx_binding_create(fx_http_body(exchange), journey->deadline_ns);
    if (journey->review == NULL) {
        end(journey);
        fx_answer_no_memory(exchange);
        return;
    }
    begin(journey);
}
