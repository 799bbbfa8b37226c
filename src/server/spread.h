/* SPDX-License-Identifier: Apache-2.0
 *
 * server/spread.h - which thread a new connection goes to. The API server keeps a few
 * connections and sends everything on them: chance (SO_REUSEPORT) would have several on
 * one thread and none on another. Pure.
 */
#ifndef FX_SERVER_SPREAD_H
#define FX_SERVER_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread, as the one who chooses sees it. */
struct fx_thread_load {
    size_t n_connections; /* open, or on their way */
    uint64_t given_at;    /* the number of the connection it was given last; 0: none */
    bool is_overloaded;   /* by handshakes that wait for their turn */
};

/* The thread with the fewest connections among those that are not crowded (among all,
 * where all are); of several, the one that was given none for the longest time. `n` is at
 * least 1. */
size_t fx_threads_choose(const struct fx_thread_load *loads, size_t n);

#endif
