/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease_state.h - what a candidate knows of a Lease, and what it does
 * next. Private to this room. Pure: it is told the time and what the API server answers.
 *
 * The rules of client-go's leader election (tools/leaderelection), which keep two from
 * holding it at once, as long as their clocks run about equally fast:
 *   - Who holds it counts itself as holder from the moment at which a successful write
 *     was sent, for `held_ns`.
 *   - Who does not takes it when the record has not changed for its whole duration, by
 *     its own clock, since it first saw it so; dates of others are never compared.
 *   - Each write is against the version that was read, so that of two one fails.
 *   - A Lease that was deleted counts for as long as it would have; only who never saw it
 *     makes a new one at once.
 */
#ifndef FX_CLUSTER_LEADER_LEASE_STATE_H
#define FX_CLUSTER_LEADER_LEASE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"

#define FX_LEASE_IDENTITY_BYTES 320 /* a Pod's name (253 characters) and a UUID */
#define FX_LEASE_VERSION_BYTES  256
#define FX_LEASE_UID_BYTES      256
#define FX_LEASE_DATE_BYTES     48

struct fx_lease_times {
    uint32_t duration_s;      /* after which others may take it */
    uint64_t held_ns;         /* that one counts itself as holder; less than that */
    uint64_t renew_ns;        /* between two renewals */
    uint64_t retry_ns;        /* between two looks of the others, and after failures */
    uint64_t call_timeout_ms; /* of one request */
};
extern const struct fx_lease_times fx_lease_times;

/* What to do next. */
enum fx_lease_step {
    FX_LEASE_WAIT, /* nothing for now */
    FX_LEASE_READ,
    FX_LEASE_CREATE,
    FX_LEASE_ACQUIRE, /* the last four are writes */
    FX_LEASE_RENEW,
    FX_LEASE_RELEASE,
};

struct fx_lease_state {
    struct fx_lease_times times;
    char identity[FX_LEASE_IDENTITY_BYTES];
    bool leaving;       /* it is to be given back, and no more */
    bool fresh;         /* what is known can be written against */
    bool uncertain;     /* a write may or may not have been heard */
    bool exists, known; /* there is a Lease; there was one */
    bool mine, free;    /* of the last record that was seen: is it ours, nobody's? */
    uint64_t digest;    /* of that record, */
    uint64_t seen_ns;   /* first seen then, */
    uint64_t counts_ns; /* which counts so long */
    int64_t transitions;
    char acquired[FX_LEASE_DATE_BYTES], renewed[FX_LEASE_DATE_BYTES];
    char version[FX_LEASE_VERSION_BYTES], uid[FX_LEASE_UID_BYTES];
    uint64_t held_until_ns; /* 0: not held */
};

/* A candidate that knows nothing yet. No two have the same identity, not even one after
 * the other under one name. */
void fx_lease_init(struct fx_lease_state *state, const char *identity,
                   const struct fx_lease_times *times);

/* Some time has passed: what is not ours has to be read again. */
void fx_lease_expire_read(struct fx_lease_state *state);

enum fx_lease_step fx_lease_next(const struct fx_lease_state *state, uint64_t now_ns);

/* The body of a write; `wall_us`: microseconds since 1970, of which nobody makes
 * anything. NULL without memory. */
json_t *fx_lease_body(const struct fx_lease_state *state, enum fx_lease_step step,
                      const char *namespace_, const char *name,
                      int64_t wall_us) FX_MUST_USE;

/* The Lease was read; NULL: there is none. */
void fx_lease_read(struct fx_lease_state *state, const json_t *lease, uint64_t now_ns);

/* A write is on its way. */
void fx_lease_sent(struct fx_lease_state *state);

/* It was successful: the Lease as it is now. */
void fx_lease_written(struct fx_lease_state *state, const json_t *lease, uint64_t sent_ns,
                      uint64_t now_ns);

/* It was refused, or (`uncertain`) nobody knows. */
void fx_lease_failed(struct fx_lease_state *state, bool uncertain);

/* Do we hold it? */
bool fx_lease_is_held(const struct fx_lease_state *state, uint64_t now_ns);

#endif
