/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_state.h - checks of the content of the Secret at one
 * moment. Private to rotation*.c.
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

/* Does a client that trusts ca.crt accept tls.crt and tls.key? */
enum rotation_chain {
    ROTATION_REFUSED,
    ROTATION_EARLY, /* not yet, but later */
    ROTATION_ACCEPTED,
};

struct rotation_state {
    const struct fx_rotation_settings *settings;
    const struct fx_rotation_content *content, *held;
    int64_t now, seen_for, published_for; /* as in struct fx_rotation_input */

    struct fx_buf all;     /* every certificate of ca.crt, normalized */
    struct fx_buf bundle;  /* the certificates that have not expired */
    struct fx_text newest; /* the first of ca.crt, in `all`; empty: none */
    size_t n_bundle;
    /* The dates of `newest`; of tls.crt; zeroed: not known. */
    struct fx_tls_dates ca, leaf;

    bool usable;                 /* tls.key fits tls.crt */
    char no_fit[ROTATION_WHY];   /* why not */
    bool signs;                  /* ca.key fits `newest`, which is valid for a while */
    char no_signs[ROTATION_WHY]; /* why not */
    enum rotation_chain chain;
    char no_chain[ROTATION_WHY]; /* why it is not accepted, or not for all names */
    bool signed_by_ca;           /* a CA of ca.crt signed tls.crt; it may have expired */
    bool by_newest;              /* `newest` signed tls.crt */
    bool has_names;              /* tls.crt has all names of the settings */
    bool holds;                  /* REFUSED, but a client accepts `held` */
};

/* Computes the other fields from the first six. Errors: internal only; invalid content is
 * not an error. */
bool rotation_state_compute(struct rotation_state *state, struct fx_err *err) FX_MUST_USE;

void rotation_state_finish(struct rotation_state *state);

/* Describes which key of a refused Secret is at fault, and why. */
void rotation_state_fault(const struct rotation_state *state,
                          char ret_message[FX_ROTATION_REASON]);

/* The time at which to replace a certificate with these dates: when less than a third of
 * its validity, or less than 90 days, is left. */
int64_t rotation_due_at(const struct fx_tls_dates *dates, int64_t validity);

/* Do clients stop accepting the chain by `moment`? Errors: internal only. */
bool rotation_ends_before(const struct rotation_state *state, int64_t moment,
                          bool *ret_ends, struct fx_err *err) FX_MUST_USE;

#endif
