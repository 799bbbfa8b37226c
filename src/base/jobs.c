/* SPDX-License-Identifier: Apache-2.0
 *
 * base/jobs.c - the list of jobs and its lock.
 */
#include "base/jobs.h"

#include <pthread.h>
#include <stddef.h>

#include "base/clock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fx_list_link *first;                /* guarded by the lock */
static void (*watcher)(const struct fx_job *job); /* guarded by the lock */

void fx_job_begin(struct fx_job *job) {
    (void)pthread_mutex_lock(&lock);
    if (!job->is_running) {
        job->is_running = true;
        job->is_stalled = false;
        job->since_ns = fx_clock_ns();
        fx_list_add(&first, &job->link);
    }
    (void)pthread_mutex_unlock(&lock);
}

void fx_job_end(struct fx_job *job) {
    (void)pthread_mutex_lock(&lock);
    if (job->is_running) {
        job->is_running = false;
        fx_list_remove(&first, &job->link);
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
    for (struct fx_list_link *link = first; link != NULL; link = link->next) {
        visit((struct fx_job *)(void *)link, user); /* the first member */
    }
    (void)pthread_mutex_unlock(&lock);
}

void fx_jobs_watch(void (*on_resumed)(const struct fx_job *job)) {
    (void)pthread_mutex_lock(&lock);
    watcher = on_resumed;
    (void)pthread_mutex_unlock(&lock);
}
