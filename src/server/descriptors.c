/* SPDX-License-Identifier: Apache-2.0
 *
 * server/descriptors.c - the limit, and how it is divided.
 */
#include "server/descriptors.h"

#include <sys/resource.h>

#include "base/log.h"

/* Descriptors for health connections, connections to providers and the API server, files
 * and loops. At most half of all descriptors. */
#define RESERVE 640u

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

void fx_descriptors_share(size_t limit, struct fx_descriptors *wanted) {
    wanted->webhook = least(wanted->webhook, limit - least(limit / 2, RESERVE));
    wanted->health = least(wanted->health, limit / 4);
}

void fx_descriptors_plan(struct fx_descriptors *wanted) {
    const size_t before = wanted->webhook;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return;
    }
    const struct rlimit all = {limit.rlim_max, limit.rlim_max};
    if (limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &all) == 0) {
        limit = all;
    }
    if (limit.rlim_cur == RLIM_INFINITY) {
        return;
    }
    fx_descriptors_share((size_t)limit.rlim_cur, wanted);
    if (wanted->webhook < before) {
        fx_log(WARN, "too few file descriptors: connection limit lowered",
               fx_log_int("descriptors", (int64_t)limit.rlim_cur),
               fx_log_int("wanted", (int64_t)before),
               fx_log_int("connections", (int64_t)wanted->webhook));
    }
}
