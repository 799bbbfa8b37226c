/* SPDX-License-Identifier: Apache-2.0
 *
 * server/stalls.c - checks the running time of all jobs.
 */
#include "server/stalls.h"

#include "base/clock.h"
#include "base/log.h"

#define NS_IN_S UINT64_C(1000000000)

static int64_t seconds_of(const struct fx_job *job, uint64_t now_ns) {
    return (int64_t)((now_ns - job->since_ns) / NS_IN_S);
}

static void describe_job(const struct fx_job *job, struct fx_buf *text) {
    if (job->describe != NULL) {
        job->describe(job->user, text);
    }
}

/* ---- detecting ---- */

struct update {
    struct fx_stalls *stalls;
    uint64_t now_ns;
};

static bool is_late(const struct fx_job *job, const struct update *update) {
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
    const struct update *update = user;
    if (!job->is_stalled && is_late(job, update)) {
        job->is_stalled = true;
        atomic_fetch_add(&update->stalls->counts[job->type], 1);
        log_begin(job, update->now_ns);
    }
}

void fx_stalls_update(struct fx_stalls *stalls, uint64_t now_ns) {
    struct update update = {stalls, now_ns};
    fx_jobs_visit(update_job, &update);
}

void fx_stalls_log_end(const struct fx_job *job) {
    fx_log(WARN, "recovered from a stall", fx_log_str("what", job->name),
           fx_log_int("seconds", seconds_of(job, fx_clock_ns())));
}

/* ---- printing ---- */

struct print {
    struct fx_buf *lines;
    uint64_t now_ns;
    bool needs_restart;
};

/* While a build hangs, the previous policies stay active: only changes are lost, and a
 * restart would hang at the same place. */
static bool needs_restart(enum fx_job_type type) {
    return type != FX_JOB_BUILD;
}

static void print_job(const struct fx_job *job, const struct print *print) {
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
    struct print *print = user;
    if (job->is_stalled) {
        fx_buf_str(print->lines, "stalled: ");
        print_job(job, print);
        fx_buf_char(print->lines, '\n');
        print->needs_restart = print->needs_restart || needs_restart(job->type);
    }
}

bool fx_stalls_print(struct fx_buf *lines) {
    struct print print = {lines, fx_clock_ns(), false};
    fx_jobs_visit(print_if_stalled, &print);
    return print.needs_restart;
}

static void print_any(struct fx_job *job, void *user) {
    const struct print *print = user;
    fx_buf_str(print->lines, print->lines->len == 0 ? "" : "; ");
    print_job(job, print);
}

void fx_stalls_print_all_jobs(struct fx_buf *text) {
    struct print print = {text, fx_clock_ns(), false};
    fx_jobs_visit(print_any, &print);
}

struct count {
    enum fx_job_type type;
    size_t n;
};

static void count_if_stalled(struct fx_job *job, void *user) {
    struct count *count = user;
    count->n += job->is_stalled && job->type == count->type;
}

size_t fx_stalls_count(enum fx_job_type type) {
    struct count count = {type, 0};
    fx_jobs_visit(count_if_stalled, &count);
    return count.n;
}
