/* SPDX-License-Identifier: Apache-2.0
 *
 * base/jobs.c - one list, one lock.
 */
#include "base/jobs.h"

#include <pthread.h>
#include <stddef.h>

#include "base/clock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fx_job *first;                      /* behind the lock */
static void (*watcher)(const struct fx_job *job); /* behind the lock */

void fx_job_begin(struct fx_job *job) {
    (void)pthread_mutex_lock(&lock);
    if (!job->is_running) {
        job->is_running = true;
        job->is_stalled = false;
        job->since_ns = fx_clock_ns();
        job->next = first;
        job->place = &first;
        if (first != NULL) {
            first->place = &job->next;
        }
        first = job;
    }
    (void)pthread_mutex_unlock(&lock);
}

static void take_out(struct fx_job *job) {
    job->is_running = false;
    *job->place = job->next;
    if (job->next != NULL) {
        job->next->place = job->place;
    }
}

void fx_job_end(struct fx_job *job) {
    (void)pthread_mutex_lock(&lock);
    if (job->is_running) {
        take_out(job);
        if (job->is_stalled && watcher != NULL) {
            watcher(job);
        }
    }
    (void)pthread_mutex_unlock(&lock);
}

bool fx_job_is_stalled(const struct fx_job *job) {
    (void)pthread_mutex_lock(&lock);
    const bool is_stalled = job->is_running && job->is_stalled;
    (void)pthread_mutex_unlock(&lock);
    return is_stalled;
}

void fx_jobs_visit(void (*visit)(struct fx_job *job, void *user), void *user) {
    (void)pthread_mutex_lock(&lock);
    for (struct fx_job *job = first; job != NULL; job = job->next) {
        visit(job, user);
    }
    (void)pthread_mutex_unlock(&lock);
}

void fx_jobs_watch(void (*on_resumed)(const struct fx_job *job)) {
    (void)pthread_mutex_lock(&lock);
    watcher = on_resumed;
    (void)pthread_mutex_unlock(&lock);
}
