/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_state.h - private to rotation*.c: what the content of the
 * Secret is good for at a moment.
 */
#ifndef FX_CLUSTER_CERTIFICATES_ROTATION_STATE_H
#define FX_CLUSTER_CERTIFICATES_ROTATION_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "cluster/certificates/rotation.h"
#include "net/tls_issue.h"

#define ROTATION_WHY 256

/* What a client that trusts ca.crt makes of tls.crt and tls.key. */
enum rotation_chain {
    ROTATION_REFUSED,
    ROTATION_EARLY, /* it would accept them, but later */
    ROTATION_ACCEPTED,
};

struct rotation_state {
    const struct fx_rotation_settings *settings;
    const struct fx_rotation_content *content, *held;
    int64_t now, seen_for, published_for; /* as in struct fx_rotation_input */

    struct fx_buf all;     /* every certificate of ca.crt, well written */
    struct fx_buf bundle;  /* those that have not expired */
    struct fx_text newest; /* the first of ca.crt, within `all`; empty: there is none */
    size_t n_bundle;
    struct fx_tls_dates ca, leaf; /* of the newest; of tls.crt; zeroed: not known */

    bool usable;                 /* tls.key fits tls.crt */
    char no_fit[ROTATION_WHY];   /* why not */
    bool signs;                  /* ca.key fits the newest, which is valid for a while */
    char no_signs[ROTATION_WHY]; /* why not */
    enum rotation_chain chain;
    char no_chain[ROTATION_WHY]; /* why not, or not under all names */
    bool vouched;                /* ca.crt's signed the leaf, be it valid or not */
    bool by_newest;              /* the newest authority signed the leaf */
    bool has_names;              /* all that it must have */
    bool holds;                  /* REFUSED, but a client accepts what is held */
};

/* Finds out, from the first six, what stands below them. Errors: our own only. */
bool rotation_state_learn(struct rotation_state *state, struct fx_err *err) FX_MUST_USE;

void rotation_state_finish(struct rotation_state *state);

/* Which key of a Secret whose chain is refused is at fault, and why. */
void rotation_state_fault(const struct rotation_state *state,
                          char ret_words[FX_ROTATION_REASON]);

/* When a certificate with these dates is to be replaced: when less than a third of its
 * life is left, or 90 days. */
int64_t rotation_due_at(const struct fx_tls_dates *dates, int64_t validity);

/* Has the chain ended to be accepted by then? Errors: our own only. */
bool rotation_ends_before(const struct rotation_state *state, int64_t moment,
                          bool *ret_ends, struct fx_err *err) FX_MUST_USE;

#endif
