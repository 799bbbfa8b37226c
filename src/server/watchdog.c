/* SPDX-License-Identifier: Apache-2.0
 *
 * server/watchdog.c - the watchdog's loop (a message queue, two timers, two signals), and
 * checks of the running time of all jobs.
 */
#include "server/watchdog.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <uv.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"

#define NS_IN_MS         UINT64_C(1000000)
#define NS_IN_S          UINT64_C(1000000000)
#define CHECKS_PER_STALL 4u  /* checks in the time after which a loop has stalled */
#define MIN_CHECK_MS     50u /* between two checks */
#define MAX_CHECK_MS     2500u
#define LAST_WAIT_NS     100000000L
#define LOG_END_MS       1000u /* to write the last lines */

static int64_t seconds_of(const struct fx_job *job, uint64_t now_ns) {
    return (int64_t)((now_ns - job->since_ns) / NS_IN_S);
}

static void describe_job(const struct fx_job *job, struct fx_buf *text) {
    if (job->describe != NULL) {
        job->describe(job->user, text);
    }
}

/* ---- detecting stalls ---- */

struct stall_update {
    struct fx_stalls *stalls;
    uint64_t now_ns;
};

static bool is_late(const struct fx_job *job, const struct stall_update *update) {
    const uint64_t since = job->since_ns > update->stalls->not_before_ns
                               ? job->since_ns
                               : update->stalls->not_before_ns;
    return since <= update->now_ns &&
           update->now_ns - since >= update->stalls->after_ns + job->allowed_ns;
}

static void log_begin(const struct fx_job *job, uint64_t now_ns) {
    struct fx_buf where = {0};
    describe_job(job, &where);
    fx_log(ERROR, "stalled", fx_log_str("what", job->name),
           fx_log_str("where", where.failed ? "" : where.data),
           fx_log_int("seconds", seconds_of(job, now_ns)));
    fx_buf_finish(&where);
}

static void update_job(struct fx_job *job, void *user) {
    const struct stall_update *update = user;
    if (!job->is_stalled && is_late(job, update)) {
        job->is_stalled = true;
        atomic_fetch_add(&update->stalls->counts[job->type], 1);
        log_begin(job, update->now_ns);
    }
}

void fx_stalls_update(struct fx_stalls *stalls, uint64_t now_ns) {
    struct stall_update update = {stalls, now_ns};
    fx_jobs_visit(update_job, &update);
}

void fx_stalls_log_end(const struct fx_job *job) {
    fx_log(WARN, "recovered from a stall", fx_log_str("what", job->name),
           fx_log_int("seconds", seconds_of(job, fx_clock_ns())));
}

/* ---- printing jobs ---- */

struct stall_print {
    struct fx_buf *lines;
    uint64_t now_ns;
    bool needs_restart;
};

/* Does a stalled job of this type need a restart? Not a build: the previous policies stay
 * active, and the build would hang again. */
static bool needs_restart(enum fx_job_type type) {
    return type != FX_JOB_BUILD;
}

static void print_job(const struct fx_job *job, const struct stall_print *print) {
    struct fx_buf where = {0};
    describe_job(job, &where);
    fx_buf_printf(print->lines, "%s: %lld s", job->name,
                  (long long)seconds_of(job, print->now_ns));
    if (!where.failed && where.len > 0) {
        fx_buf_printf(print->lines, " in %s", where.data);
    }
    fx_buf_finish(&where);
}

static void print_if_stalled(struct fx_job *job, void *user) {
    struct stall_print *print = user;
    if (job->is_stalled) {
        fx_buf_str(print->lines, "stalled: ");
        print_job(job, print);
        fx_buf_char(print->lines, '\n');
        print->needs_restart = print->needs_restart || needs_restart(job->type);
    }
}

bool fx_stalls_print(struct fx_buf *lines) {
    struct stall_print print = {lines, fx_clock_ns(), false};
    fx_jobs_visit(print_if_stalled, &print);
    return print.needs_restart;
}

static void print_any(struct fx_job *job, void *user) {
    const struct stall_print *print = user;
    fx_buf_str(print->lines, print->lines->len == 0 ? "" : "; ");
    print_job(job, print);
}

void fx_stalls_print_all_jobs(struct fx_buf *text) {
    struct stall_print print = {text, fx_clock_ns(), false};
    fx_jobs_visit(print_any, &print);
}

struct stall_count {
    enum fx_job_type type;
    size_t n;
};

static void count_if_stalled(struct fx_job *job, void *user) {
    struct stall_count *count = user;
    count->n += job->is_stalled && job->type == count->type;
}

size_t fx_stalls_count(enum fx_job_type type) {
    struct stall_count count = {type, 0};
    fx_jobs_visit(count_if_stalled, &count);
    return count.n;
}

/* ---- the watchdog ---- */

static const int signals[] = {SIGTERM, SIGINT};

struct fx_watchdog {
    struct fx_watchdog_options options;
    uv_thread_t id;
    uv_loop_t loop;
    struct fx_message_queue queue;
    struct fx_message wake, close;
    uv_timer_t check, end;
    uv_signal_t signals[FX_COUNT(signals)];
    uint64_t checked_ns;
    struct fx_stalls stalls;

    uv_mutex_t lock;            /* of the members below */
    struct fx_list_link *loops; /* struct fx_watched_loop */
    uint64_t end_ns;            /* when the process ends; UINT64_MAX: not set */
    bool is_answered;
};

/* ---- ending the process ---- */

static void end_within(struct fx_watchdog *watchdog, uint64_t ms) {
    const uint64_t end = fx_clock_ns() + ms * NS_IN_MS;
    uv_mutex_lock(&watchdog->lock);
    watchdog->end_ns = end < watchdog->end_ns ? end : watchdog->end_ns;
    uv_mutex_unlock(&watchdog->lock);
}

static bool is_answered(struct fx_watchdog *watchdog) {
    uv_mutex_lock(&watchdog->lock);
    const bool answered = watchdog->is_answered;
    uv_mutex_unlock(&watchdog->lock);
    return answered;
}

static void post_to_all(struct fx_watchdog *watchdog);

/* Posts another message to each loop: a loop that does not handle it becomes a running
 * job. */
static void post_once_more(struct fx_watchdog *watchdog) {
    const struct timespec span = {.tv_nsec = LAST_WAIT_NS};
    post_to_all(watchdog);
    (void)nanosleep(&span, NULL);
}

/* Ends the process at once: threads that hang cannot be joined, so nothing is freed. */
static void end_process(struct fx_watchdog *watchdog) {
    const bool answered = is_answered(watchdog);
    const size_t n_requests =
        answered ? 0 : watchdog->options.count_requests(watchdog->options.user);
    struct fx_buf jobs = {0};
    post_once_more(watchdog);
    fx_stalls_print_all_jobs(&jobs);
    const char *text = jobs.failed || jobs.len == 0 ? "" : jobs.data;
    if (answered) {
        fx_log(WARN, "stopped: all requests answered, background work abandoned",
               fx_log_str("abandoned", text));
    } else {
        fx_log(ERROR, "stopped: shutdown deadline exceeded, work abandoned",
               fx_log_str("abandoned", text),
               fx_log_int("requests", (int64_t)n_requests));
    }
    fx_log_stop(LOG_END_MS);
    _exit(answered ? 0 : watchdog->options.left_status);
}

static void set_end(struct fx_watchdog *watchdog);

static void on_end(uv_timer_t *timer) {
    struct fx_watchdog *watchdog = timer->data;
    uv_mutex_lock(&watchdog->lock);
    const bool is_due = fx_clock_ns() >= watchdog->end_ns;
    uv_mutex_unlock(&watchdog->lock);
    if (is_due) {
        end_process(watchdog);
    } else {
        set_end(watchdog);
    }
}

static void set_end(struct fx_watchdog *watchdog) {
    uv_mutex_lock(&watchdog->lock);
    const uint64_t end = watchdog->end_ns;
    uv_mutex_unlock(&watchdog->lock);
    const uint64_t now = fx_clock_ns();
    if (end != UINT64_MAX) {
        const uint64_t left_ms = end <= now ? 0 : (end - now) / NS_IN_MS + 1;
        (void)uv_timer_start(&watchdog->end, on_end, left_ms, 0);
    }
}

static void on_wake(void *user) {
    set_end(user);
}

static void on_signal(uv_signal_t *handle, int number) {
    (void)number;
    struct fx_watchdog *watchdog = handle->data;
    end_within(watchdog, watchdog->options.drain_ms + watchdog->options.grace_ms);
    set_end(watchdog);
}

static void end_soon(struct fx_watchdog *watchdog, uint64_t ms) {
    end_within(watchdog, ms);
    fx_message_queue_post(&watchdog->queue, &watchdog->wake);
}

void fx_watchdog_drain(struct fx_watchdog *watchdog) {
    end_soon(watchdog, watchdog->options.drain_ms + watchdog->options.grace_ms);
}

void fx_watchdog_stop(struct fx_watchdog *watchdog) {
    if (watchdog != NULL) {
        end_soon(watchdog, watchdog->options.grace_ms);
    }
}

void fx_watchdog_answered(struct fx_watchdog *watchdog) {
    if (watchdog == NULL) {
        return;
    }
    uv_mutex_lock(&watchdog->lock);
    watchdog->is_answered = true;
    uv_mutex_unlock(&watchdog->lock);
    end_soon(watchdog, FX_LIMIT_LEFT_MS);
}

/* ---- checks ---- */

static void on_message(void *user) {
    struct fx_watched_loop *watched = user;
    fx_job_end(&watched->job);
    if (watched->on_message != NULL) {
        watched->on_message(watched->user);
    }
}

static void post_to_all(struct fx_watchdog *watchdog) {
    uv_mutex_lock(&watchdog->lock);
    for (struct fx_list_link *at = watchdog->loops; at != NULL; at = at->next) {
        struct fx_watched_loop *watched = (struct fx_watched_loop *)at;
        fx_job_begin(&watched->job);
        fx_message_queue_post(watched->queue, &watched->message);
    }
    uv_mutex_unlock(&watchdog->lock);
}

/* Checks all jobs. If this thread itself is late, the process or the machine was
 * suspended. */
static void on_check(uv_timer_t *timer) {
    struct fx_watchdog *watchdog = timer->data;
    const uint64_t now = fx_clock_ns();
    const uint64_t every = uv_timer_get_repeat(timer) * NS_IN_MS;
    if (now - watchdog->checked_ns > 2 * every) {
        watchdog->stalls.not_before_ns = now;
    }
    watchdog->checked_ns = now;
    fx_stalls_update(&watchdog->stalls, now);
    post_to_all(watchdog);
}

static uint64_t check_interval_ms(uint64_t stall_ms) {
    const uint64_t ms = stall_ms / CHECKS_PER_STALL;
    return ms < MIN_CHECK_MS ? MIN_CHECK_MS : ms > MAX_CHECK_MS ? MAX_CHECK_MS : ms;
}

void fx_watchdog_add(struct fx_watchdog *watchdog, struct fx_watched_loop *watched,
                     struct fx_message_queue *queue, const char *name) {
    watched->job.type = FX_JOB_LOOP;
    watched->job.name = name;
    watched->message = (struct fx_message){.handle = on_message, .user = watched};
    watched->queue = queue;
    uv_mutex_lock(&watchdog->lock);
    fx_list_add(&watchdog->loops, &watched->link);
    uv_mutex_unlock(&watchdog->lock);
}

void fx_watchdog_remove(struct fx_watchdog *watchdog, struct fx_watched_loop *watched) {
    if (watchdog == NULL) {
        return;
    }
    uv_mutex_lock(&watchdog->lock); /* removing another loop also writes to this one */
    if (watched->queue != NULL) {
        fx_list_remove(&watchdog->loops, &watched->link);
        watched->queue = NULL;
    }
    uv_mutex_unlock(&watchdog->lock);
    fx_job_end(&watched->job);
}

uint64_t fx_watchdog_stalls(const struct fx_watchdog *watchdog, enum fx_job_type type) {
    return atomic_load(&watchdog->stalls.counts[type]);
}

/* ---- the thread ---- */

/* Ignores signals from now on: they must not change the exit status of an orderly
 * shutdown. */
static void close_signals(struct fx_watchdog *watchdog) {
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < FX_COUNT(signals); i++) {
        uv_close((uv_handle_t *)&watchdog->signals[i], NULL);
        (void)sigaction(signals[i], &ignore, NULL);
    }
}

static void close_all(void *user) {
    struct fx_watchdog *watchdog = user;
    uv_close((uv_handle_t *)&watchdog->check, NULL);
    uv_close((uv_handle_t *)&watchdog->end, NULL);
    close_signals(watchdog);
    fx_message_queue_close(&watchdog->queue);
}

static void run_loop(void *user) {
    struct fx_watchdog *watchdog = user;
    (void)uv_run(&watchdog->loop, UV_RUN_DEFAULT);
}

static void destroy_handles(struct fx_watchdog *watchdog) {
    const int status = uv_loop_close(&watchdog->loop);
    assert(status == 0);
    (void)status;
    fx_message_queue_finish(&watchdog->queue);
    uv_mutex_destroy(&watchdog->lock);
    free(watchdog);
}

/* Opens the loop and its handles. Only the queue is active. */
static bool open_loop(struct fx_watchdog *watchdog, struct fx_err *err) {
    uv_loop_t *loop = &watchdog->loop;
    const int status = uv_loop_init(loop);
    if (status != 0) {
        return fx_fail(err, FX_EIO, "event loop: %s", uv_strerror(status));
    }
    if (!fx_message_queue_init(&watchdog->queue, loop, err)) {
        (void)uv_loop_close(loop);
        return false;
    }
    (void)uv_timer_init(loop, &watchdog->check); /* cannot fail */
    (void)uv_timer_init(loop, &watchdog->end);
    watchdog->check.data = watchdog;
    watchdog->end.data = watchdog;
    for (size_t i = 0; i < FX_COUNT(signals); i++) {
        (void)uv_signal_init(loop, &watchdog->signals[i]);
        watchdog->signals[i].data = watchdog;
    }
    return true;
}

static bool start_thread(struct fx_watchdog *watchdog, struct fx_err *err) {
    int status = 0;
    for (size_t i = 0; status == 0 && i < FX_COUNT(signals); i++) {
        status = uv_signal_start(&watchdog->signals[i], on_signal, signals[i]);
    }
    if (watchdog->options.stall_ms > 0) {
        const uint64_t every = check_interval_ms(watchdog->options.stall_ms);
        watchdog->checked_ns = fx_clock_ns();
        (void)uv_timer_start(&watchdog->check, on_check, every, every);
    }
    if (status == 0) {
        status = uv_thread_create(&watchdog->id, run_loop, watchdog);
    }
    return status == 0 || fx_fail(err, FX_EIO, "watchdog: %s", uv_strerror(status));
}

struct fx_watchdog *fx_watchdog_create(const struct fx_watchdog_options *options,
                                       struct fx_err *err) {
    struct fx_watchdog *watchdog = calloc(1, sizeof *watchdog);
    if (watchdog == NULL || uv_mutex_init(&watchdog->lock) != 0) {
        free(watchdog);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    watchdog->options = *options;
    watchdog->end_ns = UINT64_MAX;
    watchdog->stalls.after_ns = options->stall_ms * NS_IN_MS;
    watchdog->wake = (struct fx_message){.handle = on_wake, .user = watchdog};
    watchdog->close = (struct fx_message){.handle = close_all, .user = watchdog};
    if (!open_loop(watchdog, err)) {
        uv_mutex_destroy(&watchdog->lock);
        free(watchdog);
        return NULL;
    }
    if (!start_thread(watchdog, err)) {
        close_all(watchdog);
        run_loop(watchdog);
        destroy_handles(watchdog);
        return NULL;
    }
    fx_jobs_watch(fx_stalls_log_end);
    return watchdog;
}

void fx_watchdog_destroy(struct fx_watchdog *watchdog) {
    if (watchdog == NULL) {
        return;
    }
    fx_jobs_watch(NULL);
    fx_message_queue_post(&watchdog->queue, &watchdog->close);
    (void)uv_thread_join(&watchdog->id);
    assert(watchdog->loops == NULL);
    destroy_handles(watchdog);
}

/* ---- libuv's worker threads ---- */

static void on_work(uv_work_t *work) {
    (void)work;
}

static void on_worked(uv_work_t *work, int status) {
    (void)status; /* it is never cancelled */
    struct fx_worker_check *check = work->data;
    fx_job_end(&check->job);
    check->is_queued = false;
}

void fx_worker_check_start(struct fx_worker_check *check, uv_loop_t *loop) {
    if (check->is_queued) {
        return;
    }
    check->job.type = FX_JOB_POOL;
    check->job.name = "worker threads";
    check->work.data = check;
    fx_job_begin(&check->job);
    check->is_queued = uv_queue_work(loop, &check->work, on_work, on_worked) == 0;
    if (!check->is_queued) { /* cannot fail with valid arguments */
        fx_job_end(&check->job);
    }
}
