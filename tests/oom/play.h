/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/play.h - a play: a client of an API server, and what the server's objects go
 * through. It is given again and again, with one allocation of the client refused after
 * the other: nothing is left behind, nothing hangs, and once there is memory the client
 * is as right as without a refusal.
 *
 * The server (kube/fake_api.h) has a loop of its own, whose allocations are granted.
 * Workers' tasks are run at once by the loop itself, so that allocations come in the same
 * order each time; time is skipped where nothing else is to be done.
 */
#ifndef FX_TESTS_OOM_PLAY_H
#define FX_TESTS_OOM_PLAY_H

#include "kube/fake_api.h"

#include "base/err.h"

/* One performance. */
struct stage {
    struct fake_api api;
    uv_loop_t loop; /* of the client */
    void *actor;    /* what `begin` made */
};

struct play {
    const char *name;
    /* The server's objects, at the beginning. */
    void (*prepare)(struct stage *stage);
    /* Begins. Errors: FX_ENOMEM. */
    bool (*begin)(struct stage *stage, struct fx_err *err);
    /* The server's objects, later; before each step all was right. */
    void (*change)(struct stage *stage, unsigned step);
    unsigned n_steps;
    /* Is the client as it should be after that step (0: after the beginning)? */
    bool (*is_right)(struct stage *stage, unsigned step);
    /* Closes what was begun, also half of it. */
    void (*end)(struct stage *stage);

    long least; /* that many allocations are made at least: it was tried at all */
    /* The first so many are each refused, after that only every so many-th: a stride that
     * is a prime meets all kinds of places. */
    long exactly, stride;
    long starved_stride; /* the same where memory has run out for good */
};

#define PLAY_EXACTLY 200

/* Each allocation refused once. */
void play_refused(const struct play *play);

/* All of them from some on, for as long as the whole play takes, and then there is memory
 * again. */
void play_starved(const struct play *play);

/* Nothing refused. */
void play_once(const struct play *play);

/* The client's URL is the server's. NULL without memory. */
struct fx_kube_client *play_client(struct stage *stage, struct fx_err *err);

#endif
