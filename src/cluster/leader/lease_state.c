/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease_state.c - the rules of the election.
 */
#include "cluster/leader/lease_state.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/hash.h"
#include "base/text.h"
#include "kube/object.h"
#include "value/tree.h"

#define NS_IN_S UINT64_C(1000000000)
#define US_IN_S INT64_C(1000000)

#define DURATION_MAX_S 3600 /* longer durations in a record are mistakes */
#define RELEASED_S     1    /* as in client-go */

const struct fx_lease_times fx_lease_times = {
    .duration_s = 30,
    .held_ns = 20 * NS_IN_S,
    .renew_ns = 10 * NS_IN_S,
    .retry_ns = 5 * NS_IN_S,
    .call_timeout_ms = 4000,
};

void fx_lease_init(struct fx_lease_state *state, const char *identity,
                   const struct fx_lease_times *times) {
    assert(times->held_ns < times->duration_s * NS_IN_S);
    *state = (struct fx_lease_state){.times = *times};
    (void)snprintf(state->identity, sizeof state->identity, "%s", identity);
}

/* ---- the record ---------------------------------------------------------------- */

/* Copies the text; false if it does not fit. */
static bool copy_text(char *into, size_t size, struct fx_text text) {
    if (text.len >= size) {
        into[0] = '\0';
        return false;
    }
    if (text.len > 0) {
        memcpy(into, text.data, text.len);
    }
    into[text.len] = '\0';
    return true;
}

static uint64_t digest_number(uint64_t digest, const json_t *spec, const char *key) {
    const json_int_t number = json_integer_value(fx_tree_view_key(spec, key));
    return fx_hash_bytes(digest, &number, sizeof number);
}

/* A digest of the fields that a renewal changes. */
static uint64_t digest_record(const json_t *spec) {
    uint64_t digest =
        fx_hash_text(FX_HASH_START, fx_tree_view_string(spec, "holderIdentity"));
    digest = fx_hash_text(digest, fx_tree_view_string(spec, "acquireTime"));
    digest = fx_hash_text(digest, fx_tree_view_string(spec, "renewTime"));
    digest = digest_number(digest, spec, "leaseDurationSeconds");
    return digest_number(digest, spec, "leaseTransitions");
}

/* The duration of the record, but not less than our own. */
static uint64_t duration_of(const struct fx_lease_state *state, const json_t *spec) {
    const json_int_t own = state->times.duration_s;
    json_int_t value = json_integer_value(fx_tree_view_key(spec, "leaseDurationSeconds"));
    value = value > DURATION_MAX_S ? DURATION_MAX_S : value;
    return (uint64_t)(value > own ? value : own) * NS_IN_S;
}

static int64_t transitions_of(const json_t *spec) {
    const json_int_t value =
        json_integer_value(fx_tree_view_key(spec, "leaseTransitions"));
    return value < 0 ? 0 : value > INT32_MAX ? INT32_MAX : value;
}

static void read_record(struct fx_lease_state *state, const json_t *spec,
                        uint64_t now_ns) {
    const struct fx_text holder = fx_tree_view_string(spec, "holderIdentity");
    const uint64_t digest = digest_record(spec);
    if (!state->known || digest != state->digest) {
        state->known = true;
        state->digest = digest;
        state->seen_ns = now_ns;
    }
    state->mine = fx_text_is(holder, state->identity);
    state->free = holder.len == 0;
    state->counts_ns = duration_of(state, spec);
    state->transitions = transitions_of(spec);
    (void)copy_text(state->acquired, sizeof state->acquired,
                    fx_tree_view_string(spec, "acquireTime"));
    (void)copy_text(state->renewed, sizeof state->renewed,
                    fx_tree_view_string(spec, "renewTime"));
}

void fx_lease_read(struct fx_lease_state *state, const json_t *lease, uint64_t now_ns) {
    state->fresh = true;
    state->uncertain = false;
    state->exists = lease != NULL;
    if (lease == NULL) {
        return; /* the last record still counts */
    }
    const json_t *metadata = fx_tree_view_key(lease, "metadata");
    read_record(state, fx_tree_view_key(lease, "spec"), now_ns);
    if (!copy_text(state->version, sizeof state->version,
                   fx_kube_object_version(lease)) ||
        !copy_text(state->uid, sizeof state->uid, fx_tree_view_string(metadata, "uid"))) {
        state->version[0] = '\0';
    }
    if (!state->mine) {
        state->held_until_ns = 0;
    }
}

void fx_lease_sent(struct fx_lease_state *state) {
    state->uncertain = true;
}

void fx_lease_written(struct fx_lease_state *state, const json_t *lease, uint64_t sent_ns,
                      uint64_t now_ns) {
    fx_lease_read(state, lease, now_ns);
    if (state->mine && !state->releasing) {
        state->held_until_ns = sent_ns + state->times.held_ns;
    }
}

void fx_lease_failed(struct fx_lease_state *state, bool uncertain) {
    state->fresh = false;
    state->uncertain = uncertain;
}

void fx_lease_expire_read(struct fx_lease_state *state) {
    state->fresh = state->fresh && state->exists && state->mine;
}

bool fx_lease_is_held(const struct fx_lease_state *state, uint64_t now_ns) {
    return !state->releasing && now_ns < state->held_until_ns;
}

/* ---- the next step --------------------------------------------------------------- */

/* Does another candidate still hold the Lease? */
static bool is_held_by_other(const struct fx_lease_state *state, uint64_t now_ns) {
    return state->known && !state->mine && !state->free &&
           now_ns - state->seen_ns < state->counts_ns;
}

static enum fx_lease_step next_of_release(const struct fx_lease_state *state) {
    if (!state->fresh) {
        return state->mine || state->uncertain ? FX_LEASE_READ : FX_LEASE_WAIT;
    }
    const bool ours = state->exists && state->mine && state->version[0] != '\0';
    return ours ? FX_LEASE_RELEASE : FX_LEASE_WAIT;
}

enum fx_lease_step fx_lease_next(const struct fx_lease_state *state, uint64_t now_ns) {
    if (state->releasing) {
        return next_of_release(state);
    }
    if (!state->fresh) {
        return FX_LEASE_READ;
    }
    if (is_held_by_other(state, now_ns)) {
        return FX_LEASE_WAIT;
    }
    if (!state->exists) {
        return FX_LEASE_CREATE;
    }
    if (state->version[0] == '\0') {
        return FX_LEASE_WAIT; /* a write needs a version to compare with */
    }
    return state->mine ? FX_LEASE_RENEW : FX_LEASE_ACQUIRE;
}

/* ---- bodies ---------------------------------------------------------------------- */

/* Prints MicroTime of the Kubernetes API: RFC 3339 with six digits after the seconds. */
static void print_micro_time(int64_t wall_us, char out[FX_LEASE_DATE_BYTES]) {
    char date[FX_DATE];
    fx_date_print(wall_us / US_IN_S, date);
    (void)snprintf(out, FX_LEASE_DATE_BYTES, "%.19s.%06dZ", date,
                   (int)(wall_us % US_IN_S));
}

/* Prints the time, changed if it equals the time in the record: other candidates would
 * not notice a write that changes nothing. */
static void print_now(const struct fx_lease_state *state, int64_t wall_us,
                      char out[FX_LEASE_DATE_BYTES]) {
    print_micro_time(wall_us, out);
    if (strcmp(out, state->renewed) == 0) {
        print_micro_time(wall_us + 1, out);
    }
}

static const char *acquired_at(const struct fx_lease_state *state,
                               enum fx_lease_step step, const char *now) {
    int64_t ignored = 0;
    const bool keeps =
        step == FX_LEASE_RENEW && fx_date_parse(fx_text_of(state->acquired), &ignored);
    return keeps ? state->acquired : now;
}

static int64_t transitions_after(const struct fx_lease_state *state,
                                 enum fx_lease_step step) {
    if (step == FX_LEASE_CREATE) {
        return 0;
    }
    const bool moves = step == FX_LEASE_ACQUIRE && state->transitions < INT32_MAX;
    return state->transitions + (moves ? 1 : 0);
}

/* The spec to write. API servers refuse an empty holderIdentity: null removes it. */
static json_t *new_spec(const struct fx_lease_state *state, enum fx_lease_step step,
                        int64_t wall_us) {
    const bool releases = step == FX_LEASE_RELEASE;
    char now[FX_LEASE_DATE_BYTES];
    print_now(state, wall_us, now);
    return json_pack("{s:s?, s:I, s:s, s:s, s:I}", "holderIdentity",
                     releases ? NULL : state->identity, "leaseDurationSeconds",
                     releases ? (json_int_t)RELEASED_S
                              : (json_int_t)state->times.duration_s,
                     "acquireTime", acquired_at(state, step, now), "renewTime", now,
                     "leaseTransitions", (json_int_t)transitions_after(state, step));
}

json_t *fx_lease_body(const struct fx_lease_state *state, enum fx_lease_step step,
                      const char *namespace_, const char *name, int64_t wall_us) {
    assert(step >= FX_LEASE_CREATE);
    const bool creates = step == FX_LEASE_CREATE;
    json_t *spec = new_spec(state, step, wall_us);
    return spec == NULL
               ? NULL
               : json_pack("{s:s, s:s, s:{s:s, s:s, s:s*, s:s*}, s:o}", "apiVersion",
                           "coordination.k8s.io/v1", "kind", "Lease", "metadata", "name",
                           name, "namespace", namespace_, "resourceVersion",
                           creates ? NULL : state->version, "uid",
                           creates || state->uid[0] == '\0' ? NULL : state->uid, "spec",
                           spec);
}
