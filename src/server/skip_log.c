/* SPDX-License-Identifier: Apache-2.0
 *
 * server/skip_log.c - a short table of who failed lately.
 */
#include "server/skip_log.h"

#include "base/hash.h"
#include "base/log.h"
#include "server/review_log.h"

static uint64_t id_of(const struct fx_mutator *mutator) {
    const uint64_t kind = fx_hash_text(FX_HASH_START, fx_text_of(mutator->kind));
    return fx_hash_text(kind, fx_text_of(mutator->full_name));
}

/* A place for one that is not in the table: a new one, or that of a policy of which the
 * next failure would be told in any case. NULL where there is none. */
static struct fx_skip_log_item *make_room(struct fx_skip_log *log, uint64_t now) {
    if (log->n_items < FX_SKIP_LOG_ITEMS) {
        return &log->items[log->n_items++];
    }
    for (size_t i = 0; i < FX_SKIP_LOG_ITEMS; i++) {
        if (now - log->items[i].told_ns >= FX_SKIP_LOG_NS) {
            return &log->items[i];
        }
    }
    return NULL;
}

static struct fx_skip_log_item *find(struct fx_skip_log *log, uint64_t id) {
    for (size_t i = 0; i < log->n_items; i++) {
        if (log->items[i].id == id) {
            return &log->items[i];
        }
    }
    return NULL;
}

/* Is a line due? *ret_times: how often it was left out since the last one. */
static bool is_due(struct fx_skip_log *log, uint64_t id, uint64_t now,
                   uint64_t *ret_times) {
    struct fx_skip_log_item *item = find(log, id);
    if (item == NULL) {
        item = make_room(log, now);
        if (item == NULL) {
            return false;
        }
        *item = (struct fx_skip_log_item){.id = id};
    }
    item->times++;
    if (item->told_ns != 0 && now - item->told_ns < FX_SKIP_LOG_NS) {
        return false;
    }
    *ret_times = item->times;
    item->told_ns = now;
    item->times = 0;
    return true;
}

void fx_skip_log_record(struct fx_skip_log *log, const struct fx_review_result *result,
                        uint64_t (*clock_ns)(void)) {
    const struct fx_outcome *outcome = result->outcome;
    for (size_t i = 0; outcome != NULL && i < outcome->n_drops; i++) {
        const struct fx_mutator *mutator =
            result->snapshot->mutators[outcome->drops[i].mutator];
        uint64_t times = 0;
        if (outcome->drops[i].fails && is_due(log, id_of(mutator), clock_ns(), &times)) {
            fx_log_skipped_mutator(result, mutator, times);
        }
    }
}
