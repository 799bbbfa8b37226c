/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease_state.h - the state of a candidate for the Lease, and its next
 * step. Private to this room. Pure: the caller passes the time and the answers of the API
 * server.
 *
 * The rules of client-go's leader election (tools/leaderelection), by which no two
 * candidates hold the Lease at once as long as their clocks run at about the same speed:
 *   - The holder acts as holder for `held_ns` from the moment at which a successful write
 *     was sent.
 *   - Another candidate takes the Lease when its record has not changed for its whole
 *     duration since the candidate first saw it, by its own clock; dates of others are
 *     never compared.
 *   - Each write is made against the version that was read, so that of two writes one
 *     fails.
 *   - A deleted Lease still counts for the rest of its duration; only a candidate that
 *     never saw it creates a new one at once.
 */
#ifndef FX_CLUSTER_LEADER_LEASE_STATE_H
#define FX_CLUSTER_LEADER_LEASE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"

#define FX_LEASE_IDENTITY_BYTES 320 /* a Pod name (253 characters) and a UUID */
#define FX_LEASE_VERSION_BYTES  256
#define FX_LEASE_UID_BYTES      256
#define FX_LEASE_DATE_BYTES     48

struct fx_lease_times {
    uint32_t duration_s; /* the time after which others may take the Lease */
    uint64_t held_ns;    /* how long the holder acts as holder; less than the duration */
    uint64_t renew_ns;   /* between two renewals */
    uint64_t retry_ns;   /* between two reads of other candidates, and after failures */
    uint64_t call_timeout_ms; /* of one request */
};
extern const struct fx_lease_times fx_lease_times;

/* A step of the candidate. */
enum fx_lease_step {
    FX_LEASE_WAIT, /* nothing now */
    FX_LEASE_READ,
    FX_LEASE_CREATE, /* this step and the following ones are writes */
    FX_LEASE_ACQUIRE,
    FX_LEASE_RENEW,
    FX_LEASE_RELEASE,
};

struct fx_lease_state {
    struct fx_lease_times times;
    char identity[FX_LEASE_IDENTITY_BYTES];
    bool releasing;     /* release the Lease, and do nothing else */
    bool fresh;         /* the last read is recent enough for a write */
    bool uncertain;     /* the result of a write is not known */
    bool exists, known; /* the Lease exists; it was read before */
    bool mine, free;    /* by the last record, this candidate holds it; none does */
    uint64_t digest;    /* of that record */
    uint64_t seen_ns;   /* when that record was first seen */
    uint64_t counts_ns; /* the duration of that record */
    int64_t transitions;
    char acquired[FX_LEASE_DATE_BYTES], renewed[FX_LEASE_DATE_BYTES];
    char version[FX_LEASE_VERSION_BYTES], uid[FX_LEASE_UID_BYTES];
    uint64_t held_until_ns; /* 0: not held */
};

/* Initialises a candidate. Every candidate needs a unique identity, which must differ
 * after a restart under the same name. */
void fx_lease_init(struct fx_lease_state *state, const char *identity,
                   const struct fx_lease_times *times);

/* Reports that time has passed, so that a Lease that is not ours must be read again. */
void fx_lease_expire_read(struct fx_lease_state *state);

/* The next step. */
enum fx_lease_step fx_lease_next(const struct fx_lease_state *state, uint64_t now_ns);

/* The body of a write. `wall_us`: microseconds since 1970; no candidate reads them. A new
 * tree; NULL without memory. */
json_t *fx_lease_body(const struct fx_lease_state *state, enum fx_lease_step step,
                      const char *namespace_, const char *name,
                      int64_t wall_us) FX_MUST_USE;

/* Reports the result of a read; NULL: there is no Lease. */
void fx_lease_read(struct fx_lease_state *state, const json_t *lease, uint64_t now_ns);

/* Reports that a write was sent. */
void fx_lease_sent(struct fx_lease_state *state);

/* Reports a successful write and the resulting Lease. */
void fx_lease_written(struct fx_lease_state *state, const json_t *lease, uint64_t sent_ns,
                      uint64_t now_ns);

/* Reports a write that was refused, or whose result is unknown (`uncertain`). */
void fx_lease_failed(struct fx_lease_state *state, bool uncertain);

/* Does this candidate hold the Lease? */
bool fx_lease_is_held(const struct fx_lease_state *state, uint64_t now_ns);

#endif
