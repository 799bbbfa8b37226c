/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/queue.c - the jobs that wait, in the order in which they are due.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/limits.h"
#include "cluster/existing/existing_internal.h"

#define NS_IN_MS UINT64_C(1000000)

static struct fx_text identity_of(const struct fx_trigger *trigger) {
    return trigger == NULL ? FX_TEXT("") : fx_text_of(trigger->identity);
}

static uint64_t digest_of(const struct fx_mutator *rule,
                          const struct fx_trigger *trigger) {
    uint64_t digest = fx_hash_text(FX_HASH_START, fx_text_of(rule->group));
    digest = fx_hash_text(digest, fx_text_of(rule->kind));
    digest = fx_hash_text(digest, fx_text_of(rule->full_name));
    return fx_hash_text(digest, identity_of(trigger));
}

static size_t bytes_of(const struct fx_trigger *trigger) {
    return trigger == NULL ? 0 : trigger->parts.len;
}

static struct fx_existing_task *find_task(const struct fx_existing_queue *queue,
                                          uint64_t digest, const struct fx_mutator *rule,
                                          const struct fx_trigger *trigger) {
    for (struct fx_list_link *link = queue->list.first; link != NULL; link = link->next) {
        struct fx_existing_task *task = (struct fx_existing_task *)link;
        if (task->digest == digest && fx_mutator_compare_ids(task->rule, rule) == 0 &&
            (task->trigger == NULL) == (trigger == NULL) &&
            fx_text_equal(identity_of(task->trigger), identity_of(trigger))) {
            return task;
        }
    }
    return NULL;
}

/* Gives the task another version of its rule and trigger. */
static void replace_task(struct fx_existing_queue *queue, struct fx_existing_task *task,
                         struct fx_mutator *rule, struct fx_trigger *trigger) {
    queue->n_bytes += bytes_of(trigger);
    queue->n_bytes -= bytes_of(task->trigger);
    struct fx_mutator *old_rule = task->rule;
    struct fx_trigger *old_trigger = task->trigger;
    task->rule = fx_mutator_ref(rule);
    task->trigger = trigger == NULL ? NULL : fx_trigger_ref(trigger);
    fx_mutator_unref(old_rule);
    fx_trigger_unref(old_trigger);
}

static void append_task(struct fx_existing_queue *queue, struct fx_existing_task *task,
                        uint64_t now_ns) {
    task->due_ns = now_ns + NS_IN_MS * FX_LIMIT_EXISTING_DELAY_MS;
    fx_queue_append(&queue->list, &task->link);
}

/* The newest trigger is not stored yet, either. But triggers that keep coming must not
 * keep the task from running. */
static void put_off(struct fx_existing_queue *queue, struct fx_existing_task *task,
                    uint64_t now_ns) {
    if (now_ns - task->added_ns < NS_IN_MS * FX_LIMIT_EXISTING_PUT_OFF_MS) {
        fx_queue_remove(&queue->list, &task->link);
        append_task(queue, task, now_ns);
    }
}

enum fx_existing_put fx_existing_queue_put(struct fx_existing_queue *queue,
                                           struct fx_mutator *rule,
                                           struct fx_trigger *trigger, uint64_t now_ns) {
    const uint64_t digest = digest_of(rule, trigger);
    struct fx_existing_task *task = find_task(queue, digest, rule, trigger);
    if (task != NULL) {
        replace_task(queue, task, rule, trigger);
        put_off(queue, task, now_ns);
        return FX_EXISTING_REPLACED;
    }
    if (queue->n_tasks == FX_LIMIT_EXISTING_JOBS ||
        queue->n_bytes + bytes_of(trigger) > FX_LIMIT_EXISTING_BYTES) {
        return FX_EXISTING_FULL;
    }
    task = calloc(1, sizeof *task);
    if (task == NULL) {
        return FX_EXISTING_NO_MEMORY;
    }
    task->digest = digest;
    task->rule = fx_mutator_ref(rule);
    task->trigger = trigger == NULL ? NULL : fx_trigger_ref(trigger);
    task->added_ns = now_ns;
    append_task(queue, task, now_ns);
    queue->n_tasks++;
    queue->n_bytes += bytes_of(trigger);
    return FX_EXISTING_ADDED;
}

struct fx_existing_task *fx_existing_queue_pop(struct fx_existing_queue *queue,
                                               uint64_t now_ns) {
    struct fx_existing_task *task = (struct fx_existing_task *)queue->list.first;
    if (task == NULL || task->due_ns > now_ns) {
        return NULL;
    }
    fx_queue_remove(&queue->list, &task->link);
    queue->n_tasks--;
    queue->n_bytes -= bytes_of(task->trigger);
    return task;
}

void fx_existing_task_destroy(struct fx_existing_task *task) {
    if (task != NULL) {
        fx_mutator_unref(task->rule);
        fx_trigger_unref(task->trigger);
        free(task);
    }
}

void fx_existing_queue_finish(struct fx_existing_queue *queue) {
    struct fx_list_link *link = queue->list.first;
    while (link != NULL) {
        struct fx_existing_task *task = (struct fx_existing_task *)link;
        link = link->next;
        fx_existing_task_destroy(task);
    }
    *queue = (struct fx_existing_queue){.n_tasks = 0};
}
