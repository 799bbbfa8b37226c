/* SPDX-License-Identifier: Apache-2.0
 *
 * server/dryruns.c - jobs: each waits, runs on a thread, and comes back as a message.
 */
#include "server/dryruns.h"

#include <assert.h>
#include <stdlib.h>
#include <strings.h>

#include "base/clock.h"
#include "base/jobs.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/priority.h"
#include "dryrun/dryrun.h"
#include "engine/activity.h"
#include "server/respond.h"
#include "server/state.h"

#define RETRY_AFTER "Retry-After: 1\r\n"
#define JSON        FX_TEXT("application/json")

/* One request. Its texts are the exchange's. */
struct fx_dryrun_job {
    struct fx_dryruns *dryruns;
    struct fx_http_exchange *exchange;
    struct fx_text body;
    uint64_t deadline_ns;
    struct fx_dryrun_job *next;
    uv_thread_t thread;
    struct fx_dryrun_answer answer; /* the thread's until the message comes */
    struct fx_message done;
    struct fx_activity activity;
    struct fx_job job; /* for the watchdog */
};

void fx_dryruns_init(struct fx_dryruns *dryruns, struct fx_server *server) {
    *dryruns = (struct fx_dryruns){.server = server};
    dryruns->last = &dryruns->first;
}

/* ---- answering ------------------------------------------------------------------- */

static enum fx_dryrun_status label_of(unsigned status) {
    switch (status) {
#define X(number) \
    case (number): return FX_DRYRUN_##number;
        FX_DRYRUN_STATUSES(X)
#undef X
    default: break;
    }
    return FX_DRYRUN_500;
}

/* Empties the body. */
static void respond(struct fx_server *server, struct fx_http_exchange *exchange,
                    unsigned status, struct fx_buf *body) {
    const double ms = fx_request_seconds(exchange) * 1e3;
    fx_metrics_count(&server->metrics, FX_METRIC_DRYRUNS, label_of(status));
    fx_log(INFO, "dry run", fx_log_int("status", status), fx_log_num("ms", ms));
    fx_http_respond(exchange, status, "application/json",
                    status == 503 ? RETRY_AFTER : NULL, body);
}

static void refuse(struct fx_server *server, struct fx_http_exchange *exchange,
                   unsigned status, const char *words) {
    struct fx_buf body;
    fx_buf_init(&body, 0);
    fx_dryrun_write_error(&body, fx_text_of(words));
    if (body.failed) { /* the status says enough */
        fx_buf_reset(&body);
    }
    respond(server, exchange, status, &body);
    fx_buf_finish(&body);
}

/* ---- running --------------------------------------------------------------------- */

/* On its thread, which stands behind all others: they have work for the cluster. */
static void run(void *user) {
    struct fx_dryrun_job *job = user;
    fx_priority_lowest();
    fx_activity_set_task(&job->activity, "a dry run");
    fx_dryrun(job->body, &job->dryruns->server->options->settings, job->deadline_ns,
              &job->activity, &job->answer);
    fx_message_queue_post(&job->dryruns->server->queue, &job->done);
}

static void on_done(void *user);

static void describe(void *user, struct fx_buf *words) {
    struct fx_dryrun_job *job = user;
    fx_activity_print(&job->activity, words);
}

static void free_job(struct fx_dryrun_job *job) {
    fx_activity_finish(&job->activity);
    free(job);
}

/* For the watchdog; the thread ends soon after the deadline, if it ends. */
static void tell_begin(struct fx_dryrun_job *job) {
    const uint64_t now = fx_clock_ns();
    job->job = (struct fx_job){
        .type = FX_JOB_DRY_RUN,
        .name = "dry run",
        .allowed_ns = job->deadline_ns > now ? job->deadline_ns - now : 0,
        .describe = describe,
        .user = job,
    };
    fx_job_begin(&job->job);
}

/* Where it does not begin, it is answered. */
static void start(struct fx_dryrun_job *job) {
    struct fx_dryruns *dryruns = job->dryruns;
    const bool is_late = fx_clock_ns() >= job->deadline_ns;
    job->done = (struct fx_message){.open = on_done, .user = job};
    tell_begin(job);
    if (!is_late && uv_thread_create(&job->thread, run, job) == 0) {
        dryruns->n_running++;
        return;
    }
    fx_job_end(&job->job);
    refuse(dryruns->server, job->exchange, 503,
           is_late ? "deadline exceeded before the dry run could begin"
                   : "no thread for it");
    free_job(job);
}

static struct fx_dryrun_job *take_next(struct fx_dryruns *dryruns) {
    struct fx_dryrun_job *job = dryruns->first;
    dryruns->first = job->next;
    dryruns->last = dryruns->first == NULL ? &dryruns->first : dryruns->last;
    dryruns->n_waiting--;
    return job;
}

static void start_all(struct fx_dryruns *dryruns) {
    while (dryruns->first != NULL && dryruns->n_running < FX_LIMIT_DRYRUNS) {
        start(take_next(dryruns));
    }
}

/* The thread has nothing left to do but to end. */
static void on_done(void *user) {
    struct fx_dryrun_job *job = user;
    struct fx_dryruns *dryruns = job->dryruns;
    const int joined = uv_thread_join(&job->thread);
    assert(joined == 0);
    (void)joined;
    fx_job_end(&job->job);
    dryruns->n_running--;
    respond(dryruns->server, job->exchange, job->answer.status, &job->answer.body);
    fx_buf_finish(&job->answer.body);
    free_job(job);
    start_all(dryruns);
}

/* ---- the route ------------------------------------------------------------------- */

/* "application/json; charset=utf-8", in any case. */
static bool is_json(struct fx_text type) {
    size_t len = 0;
    while (len < type.len && type.data[len] != ';') {
        len++;
    }
    while (len > 0 && (type.data[len - 1] == ' ' || type.data[len - 1] == '\t')) {
        len--;
    }
    return len == JSON.len && strncasecmp(type.data, JSON.data, len) == 0;
}

static void enqueue(struct fx_dryruns *dryruns, struct fx_dryrun_job *job) {
    *dryruns->last = job;
    dryruns->last = &job->next;
    dryruns->n_waiting++;
    start_all(dryruns);
}

void fx_handle_dryrun(struct fx_server *server, struct fx_http_exchange *exchange) {
    struct fx_dryruns *dryruns = &server->web.dryruns;
    if (!is_json(fx_http_header(exchange, "Content-Type"))) {
        refuse(server, exchange, 415, "the Content-Type must be application/json");
        return;
    }
    uint64_t deadline_ns = 0;
    if (!fx_request_find_deadline(server, exchange, &deadline_ns)) {
        refuse(server, exchange, 400, FX_BAD_TIMEOUT);
        return;
    }
    if (dryruns->n_waiting >= FX_LIMIT_DRYRUNS_WAITING) {
        refuse(server, exchange, 503, "too many dry runs at once");
        return;
    }
    struct fx_dryrun_job *job = calloc(1, sizeof *job);
    if (job == NULL || !fx_activity_init(&job->activity)) {
        free(job);
        refuse(server, exchange, 503, "out of memory");
        return;
    }
    job->dryruns = dryruns;
    job->exchange = exchange;
    job->body = fx_http_body(exchange);
    job->deadline_ns = deadline_ns;
    enqueue(dryruns, job);
}
