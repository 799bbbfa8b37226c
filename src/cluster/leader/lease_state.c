/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease_state.c - records that change or do not, and moments.
 */
#include "cluster/leader/lease_state.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/hash.h"
#include "base/text.h"
#include "kube/body.h"
#include "kube/object.h"
#include "value/tree.h"

#define NS_IN_S UINT64_C(1000000000)
#define US_IN_S INT64_C(1000000)

#define DURATION_MAX_S 3600 /* a record that says more is somebody's mistake */
#define RELEASED_S     1    /* as client-go writes it */

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

/* ---- what is seen ---------------------------------------------------------------- */

/* False where it does not fit. */
static bool keep(char *into, size_t size, struct fx_text text) {
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

/* All that a renewal changes, and nothing that somebody else may touch. */
static uint64_t digest_record(const json_t *spec) {
    uint64_t digest =
        fx_hash_text(FX_HASH_START, fx_tree_view_string(spec, "holderIdentity"));
    digest = fx_hash_text(digest, fx_tree_view_string(spec, "acquireTime"));
    digest = fx_hash_text(digest, fx_tree_view_string(spec, "renewTime"));
    digest = digest_number(digest, spec, "leaseDurationSeconds");
    return digest_number(digest, spec, "leaseTransitions");
}

/* What the record says, but never less than what we promise each other. */
static uint64_t duration_of(const struct fx_lease_state *state, const json_t *spec) {
    const json_int_t own = state->times.duration_s;
    json_int_t said = json_integer_value(fx_tree_view_key(spec, "leaseDurationSeconds"));
    said = said > DURATION_MAX_S ? DURATION_MAX_S : said;
    return (uint64_t)(said > own ? said : own) * NS_IN_S;
}

static int64_t transitions_of(const json_t *spec) {
    const json_int_t said =
        json_integer_value(fx_tree_view_key(spec, "leaseTransitions"));
    return said < 0 ? 0 : said > INT32_MAX ? INT32_MAX : said;
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
    (void)keep(state->acquired, sizeof state->acquired,
               fx_tree_view_string(spec, "acquireTime"));
    (void)keep(state->renewed, sizeof state->renewed,
               fx_tree_view_string(spec, "renewTime"));
}

void fx_lease_read(struct fx_lease_state *state, const json_t *lease, uint64_t now_ns) {
    state->fresh = true;
    state->uncertain = false;
    state->exists = lease != NULL;
    if (lease == NULL) {
        return; /* what was known of it still counts */
    }
    const json_t *metadata = fx_tree_view_key(lease, "metadata");
    read_record(state, fx_tree_view_key(lease, "spec"), now_ns);
    if (!keep(state->version, sizeof state->version, fx_kube_object_version(lease)) ||
        !keep(state->uid, sizeof state->uid, fx_tree_view_string(metadata, "uid"))) {
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
    if (state->mine && !state->leaving) {
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
    return !state->leaving && now_ns < state->held_until_ns;
}

/* ---- what to do ------------------------------------------------------------------ */

/* Is it somebody else's still? */
static bool counts(const struct fx_lease_state *state, uint64_t now_ns) {
    return state->known && !state->mine && !state->free &&
           now_ns - state->seen_ns < state->counts_ns;
}

static enum fx_lease_step leave(const struct fx_lease_state *state) {
    if (!state->fresh) {
        return state->mine || state->uncertain ? FX_LEASE_READ : FX_LEASE_WAIT;
    }
    const bool ours = state->exists && state->mine && state->version[0] != '\0';
    return ours ? FX_LEASE_RELEASE : FX_LEASE_WAIT;
}

enum fx_lease_step fx_lease_next(const struct fx_lease_state *state, uint64_t now_ns) {
    if (state->leaving) {
        return leave(state);
    }
    if (!state->fresh) {
        return FX_LEASE_READ;
    }
    if (counts(state, now_ns)) {
        return FX_LEASE_WAIT;
    }
    if (!state->exists) {
        return FX_LEASE_CREATE;
    }
    if (state->version[0] == '\0') {
        return FX_LEASE_WAIT; /* a write against no version could meet any */
    }
    return state->mine ? FX_LEASE_RENEW : FX_LEASE_ACQUIRE;
}

/* ---- bodies ---------------------------------------------------------------------- */

/* MicroTime of the Kubernetes API: RFC 3339 with six digits behind the seconds. */
static void print_micro_time(int64_t wall_us, char out[FX_LEASE_DATE_BYTES]) {
    char date[FX_DATE];
    fx_date_print(wall_us / US_IN_S, date);
    (void)snprintf(out, FX_LEASE_DATE_BYTES, "%.19s.%06dZ", date,
                   (int)(wall_us % US_IN_S));
}

static bool set_text(json_t *object, const char *key, const char *value) {
    return fx_kube_body_set_text(object, key, fx_text_of(value));
}

static bool set_number(json_t *object, const char *key, int64_t value) {
    return fx_tree_set_take(object, fx_text_of(key), json_integer(value));
}

/* The moment, in another word than the record has: a write that changed nothing would be
 * none to those who watch the record. */
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
    const bool stays =
        step == FX_LEASE_RENEW && fx_date_parse(fx_text_of(state->acquired), &ignored);
    return stays ? state->acquired : now;
}

static int64_t transitions_after(const struct fx_lease_state *state,
                                 enum fx_lease_step step) {
    if (step == FX_LEASE_CREATE) {
        return 0;
    }
    const bool moves = step == FX_LEASE_ACQUIRE && state->transitions < INT32_MAX;
    return state->transitions + (moves ? 1 : 0);
}

static bool fill_spec(json_t *spec, const struct fx_lease_state *state,
                      enum fx_lease_step step, int64_t wall_us) {
    const bool leaves = step == FX_LEASE_RELEASE;
    char now[FX_LEASE_DATE_BYTES];
    print_now(state, wall_us, now);
    /* An empty name is refused: who leaves takes the field away. */
    return (leaves ? fx_tree_set_take(spec, FX_TEXT("holderIdentity"), json_null())
                   : set_text(spec, "holderIdentity", state->identity)) &&
           set_number(spec, "leaseDurationSeconds",
                      leaves ? RELEASED_S : (int64_t)state->times.duration_s) &&
           set_text(spec, "acquireTime", acquired_at(state, step, now)) &&
           set_text(spec, "renewTime", now) &&
           set_number(spec, "leaseTransitions", transitions_after(state, step));
}

static bool fill_metadata(json_t *metadata, const struct fx_lease_state *state,
                          enum fx_lease_step step, const char *namespace_,
                          const char *name) {
    return set_text(metadata, "name", name) &&
           set_text(metadata, "namespace", namespace_) &&
           (step == FX_LEASE_CREATE ||
            (set_text(metadata, "resourceVersion", state->version) &&
             (state->uid[0] == '\0' || set_text(metadata, "uid", state->uid))));
}

json_t *fx_lease_body(const struct fx_lease_state *state, enum fx_lease_step step,
                      const char *namespace_, const char *name, int64_t wall_us) {
    assert(step >= FX_LEASE_CREATE);
    json_t *body = json_object();
    json_t *metadata = json_object();
    json_t *spec = json_object();
    bool ok = body != NULL && metadata != NULL && spec != NULL &&
              set_text(body, "apiVersion", "coordination.k8s.io/v1") &&
              set_text(body, "kind", "Lease") &&
              fill_metadata(metadata, state, step, namespace_, name) &&
              fill_spec(spec, state, step, wall_us);
    ok = ok && fx_tree_set_take(body, FX_TEXT("metadata"), json_incref(metadata)) &&
         fx_tree_set_take(body, FX_TEXT("spec"), json_incref(spec));
    json_decref(metadata);
    json_decref(spec);
    if (!ok) {
        json_decref(body);
        return NULL;
    }
    return body;
}
