/* SPDX-License-Identifier: Apache-2.0
 *
 * server/stalls.c - looking at the clock for all jobs.
 */
#include "server/stalls.h"

#include "base/clock.h"
#include "base/log.h"

#define NS_IN_S UINT64_C(1000000000)

static int64_t seconds_of(const struct fx_job *job, uint64_t now_ns) {
    return (int64_t)((now_ns - job->since_ns) / NS_IN_S);
}

static void describe(const struct fx_job *job, struct fx_buf *words) {
    if (job->describe != NULL) {
        job->describe(job->user, words);
    }
}

/* ---- looking ---- */

struct look {
    struct fx_stalls *stalls;
    uint64_t now_ns;
};

static bool is_late(const struct fx_job *job, const struct look *look) {
    const uint64_t since = job->since_ns > look->stalls->not_before_ns
                               ? job->since_ns
                               : look->stalls->not_before_ns;
    return since <= look->now_ns &&
           look->now_ns - since >= look->stalls->after_ns + job->allowed_ns;
}

static void tell_begin(const struct fx_job *job, uint64_t now_ns) {
    struct fx_buf where;
    fx_buf_init(&where, 0);
    describe(job, &where);
    fx_log(ERROR, "stalled", fx_log_str("what", job->name),
           fx_log_str("where", where.failed ? "" : where.data),
           fx_log_int("seconds", seconds_of(job, now_ns)));
    fx_buf_finish(&where);
}

static void look_at(struct fx_job *job, void *user) {
    const struct look *look = user;
    if (!job->is_stalled && is_late(job, look)) {
        job->is_stalled = true;
        atomic_fetch_add(&look->stalls->counts[job->type], 1);
        tell_begin(job, look->now_ns);
    }
}

void fx_stalls_update(struct fx_stalls *stalls, uint64_t now_ns) {
    struct look look = {stalls, now_ns};
    fx_jobs_visit(look_at, &look);
}

void fx_stalls_log_end(const struct fx_job *job) {
    fx_log(WARN, "goes on after a stall", fx_log_str("what", job->name),
           fx_log_int("seconds", seconds_of(job, fx_clock_ns())));
}

/* ---- telling ---- */

struct page {
    struct fx_buf *lines;
    uint64_t now_ns;
    bool wants_restart;
};

/* A build that hangs leaves the policies of before in use: nothing is lost but changes,
 * and a restart would hang at the same place. */
static bool wants_restart(enum fx_job_type type) {
    return type != FX_JOB_BUILD;
}

static void print_job(const struct fx_job *job, const struct page *page) {
    struct fx_buf where;
    fx_buf_init(&where, 0);
    describe(job, &where);
    fx_buf_printf(page->lines, "%s: %lld s", job->name,
                  (long long)seconds_of(job, page->now_ns));
    if (!where.failed && where.len > 0) {
        fx_buf_printf(page->lines, " in %s", where.data);
    }
    fx_buf_finish(&where);
}

static void print_if_stalled(struct fx_job *job, void *user) {
    struct page *page = user;
    if (job->is_stalled) {
        fx_buf_str(page->lines, "stalled: ");
        print_job(job, page);
        fx_buf_char(page->lines, '\n');
        page->wants_restart = page->wants_restart || wants_restart(job->type);
    }
}

bool fx_stalls_print(struct fx_buf *lines) {
    struct page page = {lines, fx_clock_ns(), false};
    fx_jobs_visit(print_if_stalled, &page);
    return page.wants_restart;
}

static void print_any(struct fx_job *job, void *user) {
    const struct page *page = user;
    fx_buf_str(page->lines, page->lines->len == 0 ? "" : "; ");
    print_job(job, page);
}

void fx_stalls_print_all_jobs(struct fx_buf *words) {
    struct page page = {words, fx_clock_ns(), false};
    fx_jobs_visit(print_any, &page);
}

struct counts {
    enum fx_job_type type;
    size_t n;
};

static void count_if_stalled(struct fx_job *job, void *user) {
    struct counts *counts = user;
    counts->n += job->is_stalled && job->type == counts->type;
}

size_t fx_stalls_count(enum fx_job_type type) {
    struct counts counts = {type, 0};
    fx_jobs_visit(count_if_stalled, &counts);
    return counts.n;
}
