/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation.h - when and how the CA and the server certificate are
 * replaced: a pure function from the content of the Secret to the next step and the
 * content after it. No I/O, no clock.
 *
 * Everything is derived from the content, so any replica may do any step, a crash between
 * two steps loses nothing, and the Secret's resourceVersion settles which write was
 * first. The phases of a new CA, as they show in the Secret:
 *
 *     0  ca.crt = [A]      leaf of A    the usual state
 *     1  ca.crt = [B, A]   leaf of A    B is published, A still serves
 *     2  ca.crt = [B, A]   leaf of B    after [B, A] was published everywhere for `wait`
 *     3  ca.crt = [B]      leaf of B    after another `wait`; this is 0 again
 *
 * ca.key is always the key of the first CA. A new leaf of the same CA, which all clients
 * trust already, takes one step.
 *
 * The Secret is invalid if no client that trusts its ca.crt accepts its leaf. The first
 * of these cases decides:
 *  - The held content is good: it is served, published and written back; ca.crt then
 *    begins with the CA of the Secret if ca.key can sign by it.
 *  - tls.key does not fit tls.crt: for a few seconds nothing is written, so that a
 *    replica that holds good content can restore it. Then ca.key signs a new leaf if it
 *    can; else everything is made anew.
 *  - The leaf is valid, but no CA of ca.crt signed it: ca.key signs a new leaf at once if
 *    it can. Else the leaf is served, and nothing is published, since the CA that clients
 *    trust is not known; when the leaf is due, everything is made anew.
 *  - The leaf has expired: ca.key signs a new leaf if it can; else everything is made
 *    anew.
 *
 * If only ca.key is invalid, the chain is good: it is kept until the certificate is due.
 *
 * Clocks. API servers verify the leaf, so `now` should agree with their clocks. Replicas
 * whose clocks differ stop changing the Secret after a few steps each, because
 *  - a certificate begins an hour before `now` (or a tenth of its validity, if that is
 *    less), and no later than the one it replaces, at most one validity earlier: clocks
 *    that differ by less than that agree on it;
 *  - a certificate that is not valid yet is not dropped: after it was seen for `wait`, it
 *    is rotated as if it were old, so that clients for which it is valid notice nothing;
 *    its successor begins earlier and ends no sooner (within four validities);
 *  - the successor of an expired certificate begins no later than that one did: it is
 *    valid by every clock by which the old one was valid.
 * So after some steps the leaf is valid by the clocks of all replicas. A replica whose
 * clock is ahead by more than a validity causes one more step of the others each time it
 * renews a leaf. With a clock before 2025, which counts as not set, no certificate is
 * made.
 */
#ifndef FX_CLUSTER_CERTIFICATES_ROTATION_H
#define FX_CLUSTER_CERTIFICATES_ROTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* The annotation with the time of the last step (RFC 3339). */
#define FX_ROTATION_ANNOTATION "fixpoint.dev/rotated-at"

/* The content of a Secret, borrowed. A missing key is empty. */
struct fx_rotation_content {
    struct fx_text ca_cert, ca_key; /* ca.crt, ca.key */
    struct fx_text cert, key;       /* tls.crt, tls.key */
    int64_t rotated_at;             /* the annotation, in seconds since 1970; 0: none */
};

/* The settings. Borrowed. Times in seconds. */
struct fx_rotation_settings {
    const char *const *names; /* the DNS names of the leaf; at least one */
    size_t n_names;
    int64_t ca_validity, leaf_validity;
    int64_t wait; /* the time in which a published bundle reaches every client */
};

/* The input of a decision. The two spans are measured by a monotonic clock. */
struct fx_rotation_input {
    const struct fx_rotation_content *content; /* NULL: there is no Secret */
    int64_t now;                               /* seconds since 1970 */
    /* The time since this content was first read; -1: unknown, then its annotation
     * counts. */
    int64_t seen_for;
    /* The time for which every webhook configuration has held this bundle; -1: one
     * does not hold it. */
    int64_t published_for;
    /* The last content that was `good`, which is served and published; NULL: none. */
    const struct fx_rotation_content *held;
};

#define FX_ROTATION_STEPS(X)                                        \
    X(KEEP, "keep")               /* nothing to write */            \
    X(CREATE, "create")           /* there was no Secret */         \
    X(RENEW_CA, "renew-ca")       /* phase 1 */                     \
    X(SWITCH_LEAF, "switch-leaf") /* phase 2 */                     \
    X(DROP_CA, "drop-ca")         /* phase 3 */                     \
    X(RENEW_LEAF, "renew-leaf")   /* a leaf of the same CA */       \
    X(RESTORE, "restore")         /* write back the held content */ \
    X(START_OVER, "start-over")   /* make everything anew */

enum fx_rotation_step {
#define X(name, text) FX_ROTATION_##name,
    FX_ROTATION_STEPS(X)
#undef X
};

const char *fx_rotation_step_name(enum fx_rotation_step step);

#define FX_ROTATION_REASON 512

/* A decision. Zeroed is empty. */
struct fx_rotation {
    enum fx_rotation_step step;
    /* The reason for the step; for KEEP: what is wrong with the content, or empty. */
    char reason[FX_ROTATION_REASON];
    /* Serve tls.crt and tls.key as they are: they fit (even if expired), and the held
     * content is not better. */
    bool usable;
    bool good;    /* a client accepts them now: hold this content */
    bool signs;   /* `good`, and ca.key can sign */
    bool invalid; /* no client accepts them now or later */
    /* The bundle to publish as long as the content stays: the certificates of ca.crt, or
     * of the held content, that have not expired. Empty: publish nothing new. */
    struct fx_buf bundle;
    int64_t ca_not_after, leaf_not_after; /* of the first certificates; 0: none */
    /* The whole content after the step; empty for KEEP. Write it against the
     * resourceVersion that was read (for CREATE, the name decides). */
    struct fx_buf ca_cert, ca_key, cert, key;
    int64_t rotated_at;
    /* The seconds until the next decision, if there is no event before; at least 1.
     * Deciding earlier does no harm; limit this to an hour, since clocks jump. */
    int64_t check_in;
};

/* Wipes the keys and frees everything. NULL and zeroed are allowed. */
void fx_rotation_finish(struct fx_rotation *rotation);

/* Decides the next step. Invalid content of the Secret is not an error. Errors:
 * FX_EINVALID (an invalid name in the settings), FX_ENOMEM, FX_EINTERNAL. */
bool fx_rotation_decide(const struct fx_rotation_settings *settings,
                        const struct fx_rotation_input *input,
                        struct fx_rotation *ret_rotation, struct fx_err *err) FX_MUST_USE;

enum fx_rotation_setting {
    FX_ROTATION_NAMES,
    FX_ROTATION_CA_VALIDITY,
    FX_ROTATION_LEAF_VALIDITY,
    FX_ROTATION_WAIT,
};

/* Checks the settings: a third of each validity must be longer than two waits. On failure
 * `*ret_which` is the wrong setting (it is written in any case). Errors: FX_EINVALID,
 * FX_ENOMEM. */
bool fx_rotation_check_settings(const struct fx_rotation_settings *settings,
                                enum fx_rotation_setting *ret_which,
                                struct fx_err *err) FX_MUST_USE;

/*
 * Like fx_rotation_decide(). `deleted`: the Secret does not exist any more, and the input
 * has its last content. A user who deletes it wants new keys or made a mistake, but never
 * wants an outage. So the Secret is created again, with a new CA in addition to the old
 * one and, if it is valid, the certificate in use: phase 1 of a rotation, which the other
 * phases follow. Bundle, dates and `usable` of the result are those of the old content.
 */
bool fx_secret_step(const struct fx_rotation_settings *settings,
                    const struct fx_rotation_input *input, bool deleted,
                    struct fx_rotation *ret_rotation, struct fx_err *err) FX_MUST_USE;

#endif
