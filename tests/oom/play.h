/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/play.h - a play: a client of an API server, and the changes of the server's
 * objects. It is run again and again, each time with another allocation of the client
 * refused. Each time all memory must be freed, nothing may hang, and as soon as there is
 * memory the client must reach the same state as without a refusal.
 *
 * The server (kube/fake_api.h) has a loop of its own, whose allocations are never
 * refused. The loop itself runs the tasks of workers at once, so that allocations have
 * the same order each time. Time is skipped when there is nothing else to do.
 */
#ifndef FX_TESTS_OOM_PLAY_H
#define FX_TESTS_OOM_PLAY_H

#include "kube/fake_api.h"

#include "base/err.h"

/* The state of one run. */
struct stage {
    struct fake_api api;
    uv_loop_t loop; /* of the client */
    void *actor;    /* made by `begin` */
};

struct play {
    const char *name;
    /* Makes the server's objects for the start. */
    void (*prepare)(struct stage *stage);
    /* Starts the client. Errors: FX_ENOMEM. */
    bool (*begin)(struct stage *stage, struct fx_err *err);
    /* Changes the server's objects. Before each step is_right() was true. */
    void (*change)(struct stage *stage, unsigned step);
    unsigned n_steps;
    /* True if the client has the expected state after that step (0 is the start). */
    bool (*is_right)(struct stage *stage, unsigned step);
    /* Closes the client, even if `begin` failed halfway. */
    void (*end)(struct stage *stage);

    long least; /* the least number of allocations: fails if there are fewer */
    /* The first `exactly` allocations are each refused, then only every `stride`-th. A
     * prime as the stride hits many different places. */
    long exactly, stride;
    long starved_stride; /* the stride if memory has run out for good */
};

#define PLAY_EXACTLY 200

/* Runs the play with each allocation refused once. */
void play_refused(const struct play *play);

/* Runs the play with all allocations refused from one on, until the end of the play; then
 * there is memory again. */
void play_starved(const struct play *play);

/* Runs the play without refusals. */
void play_once(const struct play *play);

/* Makes a client with the URL of the server. NULL if out of memory. */
struct fx_kube_client *play_client(struct stage *stage, struct fx_err *err);

#endif
