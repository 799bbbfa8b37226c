/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation.h - when and how our certificates are replaced: a pure
 * function from what the Secret holds to the next step and what it shall hold then. No
 * I/O, no clock.
 *
 * Everything is derived from the content, so any replica may do any step, a crash between
 * two loses nothing, and who was first is settled by the Secret's resourceVersion. The
 * phases of a new authority, as they can be read from the Secret:
 *
 *     0  ca.crt = [A]      leaf of A    all is well
 *     1  ca.crt = [B, A]   leaf of A    B is published, A still serves
 *     2  ca.crt = [B, A]   leaf of B    once [B, A] was published everywhere for `wait`
 *     3  ca.crt = [B]      leaf of B    after a further `wait`; this is 0 again
 *
 * ca.key is always the first authority's. A new leaf of the same authority, which all
 * clients trust already, takes one step.
 *
 * A spoilt Secret: one whose leaf no client accepts that trusts its ca.crt.
 *
 *     what is held is good     what is held serves and is published; it is written back,
 *                              behind the Secret's own authority where that one is good
 *     else, tls.key spoilt,    nothing for a moment, in which a replica that holds good
 *     or tls.crt               content comes first; then
 *                                ca.crt and ca.key are good: a leaf of theirs
 *                                else: all anew
 *     else, the leaf serves    kept while it lasts, and nothing is published, since who
 *     and lasts, ca.crt does   trusts it is not known; when it is due, all anew
 *     not vouch for it         (ca.crt and ca.key are good: a leaf of theirs at once)
 *     else, expired            a leaf of ca.crt where that can sign, or all anew
 *
 * Where ca.key alone is spoilt, the chain is good: kept, until the certificate is due.
 *
 * Clocks. Who judges the leaf are API servers, so `now` should be right by theirs.
 * Replicas whose clocks differ come to rest after a few steps of each, because
 *  - a certificate begins an hour before `now` (a tenth of its validity, where that is
 *    less), and no later than the one it replaces, up to a validity back: clocks that
 *    are behind or ahead by less than that agree on it;
 *  - what is not valid yet is not thrown away: once it was seen for `wait`, it is rotated
 *    as if it were old, so that clients for whom it is valid notice nothing; what follows
 *    begins earlier and ends no sooner (within four validities);
 *  - what replaces an expired certificate begins no later than that began, however long
 *    ago: whose clock found the old one valid finds the new one valid.
 * So the span in which the leaf is valid comes to hold every replica's clock, and then
 * nobody has a reason to act. A replica whose clock is ahead by more than a validity
 * makes the others act once more each time that it renews a leaf. A clock that says a
 * time before 2025 is not set, and nothing at all is made by it.
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

/* What a Secret holds, borrowed; a key that it has not is empty. */
struct fx_rotation_content {
    struct fx_text ca_cert, ca_key; /* ca.crt, ca.key */
    struct fx_text cert, key;       /* tls.crt, tls.key */
    int64_t rotated_at;             /* of the annotation, since 1970; 0: there is none */
};

/* What shall be; borrowed. Times in seconds. */
struct fx_rotation_settings {
    const char *const *names; /* that the leaf must have; at least one */
    size_t n_names;
    int64_t ca_validity, leaf_validity;
    int64_t wait; /* for what was published to reach everybody */
};

/* What a replica sees. The two spans are measured by a clock that only goes forward. */
struct fx_rotation_input {
    const struct fx_rotation_content *content; /* NULL: there is no Secret */
    int64_t now;                               /* seconds since 1970 */
    int64_t seen_for;      /* since this very content was read first; -1: not known, then
                            * its annotation counts */
    int64_t published_for; /* since every webhook configuration was seen to hold the
                            * bundle of this content; -1: one does not */
    const struct fx_rotation_content *held; /* `good` when it was seen, and what is served
                                             * and published since; NULL: nothing */
};

#define FX_ROTATION_STEPS(X)                                  \
    X(KEEP, "keep")               /* nothing to be written */ \
    X(CREATE, "create")           /* there was no Secret */   \
    X(RENEW_CA, "renew-ca")       /* phase 1 */               \
    X(SWITCH_LEAF, "switch-leaf") /* phase 2 */               \
    X(DROP_CA, "drop-ca")         /* phase 3 */               \
    X(RENEW_LEAF, "renew-leaf")   /* of the same authority */ \
    X(RESTORE, "restore")         /* what is held */          \
    X(START_OVER, "start-over")   /* nothing of use was there */

enum fx_rotation_step {
#define X(name, text) FX_ROTATION_##name,
    FX_ROTATION_STEPS(X)
#undef X
};

const char *fx_rotation_step_name(enum fx_rotation_step step);

#define FX_ROTATION_REASON 512

/* What to do. Zeroed is empty. */
struct fx_rotation {
    enum fx_rotation_step step;
    /* Why, in words; of KEEP: what is wrong with what is kept, or empty. */
    char reason[FX_ROTATION_REASON];
    /* A server shall serve with tls.crt and tls.key as they are: it can (even if they
     * have expired), and what is held is no better. */
    bool usable;
    bool good;   /* a client accepts them now: this is content to be held */
    bool signs;  /* and ca.key is of use */
    bool spoilt; /* no client does, nor will */
    /* What is to be published as long as the content is as it is: the certificates that
     * have not expired of ca.crt, or of what is held. Empty: publish nothing new. */
    struct fx_buf bundle;
    int64_t ca_not_after, leaf_not_after; /* of the first each; 0: there is none */
    /* The content after the step, whole; empty with KEEP. Whether to write it is settled
     * by resourceVersion (or, with CREATE, by the name). */
    struct fx_buf ca_cert, ca_key, cert, key;
    int64_t rotated_at;
    /* In so many seconds something is to be done without any other event; at least 1.
     * Looking earlier does no harm; an hour is a good bound, since clocks jump. */
    int64_t look_in;
};

/* Wipes the keys and frees. NULL and zeroed are fine. */
void fx_rotation_finish(struct fx_rotation *rotation);

/* The next step. Errors (our own only; whatever the Secret holds is none): FX_EINVALID
 * (a name that no certificate can have), FX_ENOMEM, FX_EINTERNAL. */
bool fx_rotation_decide(const struct fx_rotation_settings *settings,
                        const struct fx_rotation_input *view,
                        struct fx_rotation *ret_rotation, struct fx_err *err) FX_MUST_USE;

enum fx_rotation_setting {
    FX_ROTATION_NAMES,
    FX_ROTATION_CA_VALIDITY,
    FX_ROTATION_LEAF_VALIDITY,
    FX_ROTATION_WAIT,
};

/* Can such settings do any good: a third of either validity must leave room for two
 * waits? If not, `ret_which` is the one to be changed (written in any case). Errors:
 * FX_EINVALID, FX_ENOMEM. */
bool fx_rotation_check_settings(const struct fx_rotation_settings *settings,
                                enum fx_rotation_setting *ret_which,
                                struct fx_err *err) FX_MUST_USE;

#endif
