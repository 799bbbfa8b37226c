/* SPDX-License-Identifier: Apache-2.0
 *
 * server/dryruns.c - the jobs, each of which waits in the queue, runs on a thread and
 * returns as a message; and the port.
 */
#include "server/dryruns.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/jobs.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/priority.h"
#include "engine/activity.h"
#include "engine/dialect.h"
#include "net/http_head.h"
#include "server/respond.h"
#include "server/routes.h"
#include "server/state.h"

/* One request. Its texts are borrowed from the exchange. */
struct fx_dryrun_job {
    struct fx_dryruns *dryruns;
    const struct fx_dry_run *api;
    struct fx_http_exchange *exchange;
    struct fx_text body;
    uint64_t deadline_ns;
    struct fx_dryrun_job *next;
    uv_thread_t thread;
    struct fx_dry_run_answer answer; /* owned by the thread until the message comes */
    struct fx_message done;
    struct fx_activity activity;
    struct fx_job job; /* for the watchdog */
};

/* ---- responses ------------------------------------------------------------------- */

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

/* Consumes the body. */
static void respond_dry_run(struct fx_server *server, struct fx_http_exchange *exchange,
                            unsigned status, struct fx_buf *body) {
    const double ms = fx_request_seconds(exchange) * 1e3;
    fx_metrics_count(&server->metrics, FX_METRIC_DRYRUNS, label_of(status));
    fx_log(INFO, "dry run", fx_log_int("status", status), fx_log_num("ms", ms));
    fx_http_respond(exchange, status, "application/json",
                    status == 503 ? FX_RETRY_AFTER : NULL, body);
}

static void respond_error(struct fx_server *server, const struct fx_dry_run *api,
                          struct fx_http_exchange *exchange, unsigned status,
                          const char *text) {
    struct fx_buf body = {0};
    api->write_error(&body, fx_text_of(text));
    if (body.failed) { /* respond with the status and an empty body */
        fx_buf_reset(&body);
    }
    respond_dry_run(server, exchange, status, &body);
    fx_buf_finish(&body);
}

/* ---- running --------------------------------------------------------------------- */

/* Called on the job's thread, which has the lowest priority so that serving threads are
 * not delayed. */
static void run_job(void *user) {
    struct fx_dryrun_job *job = user;
    fx_priority_lowest();
    fx_activity_set_task(&job->activity, "a dry run");
    job->api->answer(job->body, &job->dryruns->server->options->settings,
                     job->deadline_ns, &job->activity, &job->answer);
    fx_message_queue_post(&job->dryruns->server->queue, &job->done);
}

static void on_done(void *user);

static void describe_job(void *user, struct fx_buf *text) {
    struct fx_dryrun_job *job = user;
    fx_activity_print(&job->activity, text);
}

static void free_job(struct fx_dryrun_job *job) {
    fx_activity_finish(&job->activity);
    free(job);
}

/* Registers the job for the watchdog. The thread should end soon after the deadline. */
static void register_job(struct fx_dryrun_job *job) {
    const uint64_t now = fx_clock_ns();
    job->job = (struct fx_job){
        .type = FX_JOB_DRY_RUN,
        .name = "dry run",
        .allowed_ns = job->deadline_ns > now ? job->deadline_ns - now : 0,
        .describe = describe_job,
        .user = job,
    };
    fx_job_begin(&job->job);
}

/* Starts the job, or responds with an error. */
static void start_job(struct fx_dryrun_job *job) {
    struct fx_dryruns *dryruns = job->dryruns;
    const bool is_late = fx_clock_ns() >= job->deadline_ns;
    job->done = (struct fx_message){.handle = on_done, .user = job};
    register_job(job);
    if (!is_late && uv_thread_create(&job->thread, run_job, job) == 0) {
        dryruns->n_running++;
        return;
    }
    fx_job_end(&job->job);
    respond_error(dryruns->server, job->api, job->exchange, 503,
                  is_late ? "deadline exceeded before the dry run could begin"
                          : "no thread can be created for the dry run");
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
        start_job(take_next(dryruns));
    }
}

/* Called on the main thread when the job's thread is about to end. */
static void on_done(void *user) {
    struct fx_dryrun_job *job = user;
    struct fx_dryruns *dryruns = job->dryruns;
    const int joined = uv_thread_join(&job->thread);
    assert(joined == 0);
    (void)joined;
    fx_job_end(&job->job);
    dryruns->n_running--;
    respond_dry_run(dryruns->server, job->exchange, job->answer.status,
                    &job->answer.body);
    fx_buf_finish(&job->answer.body);
    free_job(job);
    start_all(dryruns);
}

/* ---- the route ------------------------------------------------------------------- */

/* "application/json; charset=utf-8", in any case. */
static bool is_json(struct fx_text type) {
    struct fx_text name = fx_text_cut(&type, ';');
    while (name.len > 0 && strchr(" \t", name.data[name.len - 1]) != NULL) {
        name.len--;
    }
    return fx_http_equals_nocase(name, "application/json");
}

static void enqueue(struct fx_dryruns *dryruns, struct fx_dryrun_job *job) {
    *dryruns->last = job;
    dryruns->last = &job->next;
    dryruns->n_waiting++;
    start_all(dryruns);
}

const struct fx_dry_run *fx_dryruns_find(struct fx_text path) {
    for (size_t i = 0; fx_dry_runs[i] != NULL; i++) {
        if (fx_text_is(path, fx_dry_runs[i]->path)) {
            return fx_dry_runs[i];
        }
    }
    return NULL;
}

void fx_handle_dryrun(struct fx_server *server, struct fx_http_exchange *exchange) {
    struct fx_dryruns *dryruns = &server->dryruns;
    const struct fx_dry_run *api = fx_dryruns_find(fx_http_path(exchange));
    if (!is_json(fx_http_header(exchange, "Content-Type"))) {
        respond_error(server, api, exchange, 415,
                      "the Content-Type must be application/json");
        return;
    }
    uint64_t deadline_ns = 0;
    if (!fx_request_find_deadline(server, exchange, &deadline_ns)) {
        respond_error(server, api, exchange, 400, FX_BAD_TIMEOUT);
        return;
    }
    if (dryruns->n_waiting >= FX_LIMIT_DRYRUNS_WAITING) {
        respond_error(server, api, exchange, 503, "too many dry runs at once");
        return;
    }
    struct fx_dryrun_job *job = calloc(1, sizeof *job);
    if (job == NULL || !fx_activity_init(&job->activity)) {
        free(job);
        respond_error(server, api, exchange, 503, "out of memory");
        return;
    }
    job->dryruns = dryruns;
    job->api = api;
    job->exchange = exchange;
    job->body = fx_http_body(exchange);
    job->deadline_ns = deadline_ns;
    enqueue(dryruns, job);
}

/* ---- the port --------------------------------------------------------------------- */

static void on_request(struct fx_http_exchange *exchange, void *user) {
    fx_routes_dispatch_main(&fx_routes_dryruns, user, exchange);
}

bool fx_dryruns_start(struct fx_server *server, size_t max_connections,
                      struct fx_err *err) {
    const struct fx_server_options *options = server->options;
    struct fx_dryruns *dryruns = &server->dryruns;
    const struct fx_http_server_options http = {
        .max_connections = max_connections,
        .max_body = FX_LIMIT_DRYRUN_BODY_BYTES,
        .max_held = FX_LIMIT_DRYRUN_HELD_BYTES,
        .idle_ms = options->idle_ms,
        .message_ms = options->message_ms,
        .on_request = on_request,
        .user = server,
    };
    if (options->web_listen == NULL) {
        return true;
    }
    *dryruns = (struct fx_dryruns){.server = server};
    dryruns->last = &dryruns->first;
    dryruns->http = fx_http_server_open(&server->loop, &http, options->web_listen, err);
    if (dryruns->http == NULL) {
        return false;
    }
    struct fx_buf listen = {0};
    fx_http_server_print_address(dryruns->http, options->web_listen, &listen);
    fx_log(INFO, "serving dry runs",
           fx_log_str("listen", listen.failed ? "" : listen.data));
    fx_buf_finish(&listen);
    return true;
}

void fx_dryruns_drain(struct fx_dryruns *dryruns) {
    if (dryruns->http != NULL) {
        fx_http_server_drain(dryruns->http);
    }
}

void fx_dryruns_stop(struct fx_dryruns *dryruns, void (*on_stopped)(void *user),
                     void *user) {
    if (dryruns->http == NULL) {
        on_stopped(user);
        return;
    }
    fx_http_server_stop(dryruns->http, on_stopped, user);
}

void fx_dryruns_finish(struct fx_dryruns *dryruns) {
    fx_http_server_destroy(dryruns->http);
    dryruns->http = NULL;
}
