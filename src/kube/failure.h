/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/failure.h - why a request to the API server failed: what to do about it, and the
 * words for people.
 */
#ifndef FX_KUBE_FAILURE_H
#define FX_KUBE_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "kube/resource.h"

/* As a caller decides by it; the words are label values of a metric. */
#define FX_KUBE_REASONS(X)                                                             \
    X(NONE, "ok")                                                                      \
    X(NETWORK, "network")           /* not reached, cut, no answer in time, no JSON */ \
    X(UNAUTHORIZED, "unauthorized") /* 401 */                                          \
    X(FORBIDDEN, "forbidden")       /* 403 */                                          \
    X(NOT_FOUND, "not_found")       /* 404: the object */                              \
    X(UNKNOWN, "unknown_resource")  /* 404: the resource, as without its CRD */        \
    X(EXISTS, "already_exists")     /* 409 */                                          \
    X(CONFLICT, "conflict")         /* 409: another version, another field manager */  \
    X(EXPIRED, "expired")           /* 410: the version or the page is too old */      \
    X(INVALID, "invalid")           /* 400, 405, 406, 413, 415, 422: asked wrongly */  \
    X(BUSY, "busy")                 /* 429 */                                          \
    X(SERVER, "server")             /* 5xx */                                          \
    X(MEMORY, "memory")             /* ours, or the answer is over a bound */

enum fx_kube_reason {
#define X(name, text) FX_KUBE_REASON_##name,
    FX_KUBE_REASONS(X)
#undef X
};

const char *fx_kube_reason_name(enum fx_kube_reason reason);

struct fx_kube_failure {
    enum fx_kube_reason reason; /* NONE: it did not fail */
    unsigned status;        /* HTTP's, or that of a Status in a stream; 0: none came */
    uint32_t retry_after_s; /* as the server wants it; 0: it said nothing */
    /* Which verb on which resource, what happened, and for 401 and 403 what to do:
     * `list assign.mutations.gatekeeper.sh: 403 Forbidden: …; the ClusterRole needs
     * apiGroups ["mutations.gatekeeper.sh"], resources ["assign"], verbs
     * ["list","watch"]`. Never empty where it failed. */
    char message[FX_ERR_TEXT];
};

/* What an answer of `status` with this head and body says: a Status object where the
 * body is one, else its first line. Of 404, only a Status that names an object is
 * NOT_FOUND; all else (`404 page not found`) is UNKNOWN. Where the body is needed to tell
 * and there is no memory to read it: MEMORY. The head's Retry-After, in seconds, goes
 * before the Status' `retryAfterSeconds`; both are cut to an hour.
 *
 * The words are those of the server alone, as in `409 AlreadyExists: …`, with control
 * characters replaced and cut to half of their room: fx_kube_failure_prefix() adds the
 * rest. Never NONE, whatever the answer. Allocates only to read the body. */
void fx_kube_failure_read(unsigned status, struct fx_text head, struct fx_text body,
                          struct fx_kube_failure *ret_failure);

/* The same of a Status that came in a watch as an ERROR event; anything else, too, is a
 * failure (SERVER). */
void fx_kube_failure_of_status(const json_t *status_object,
                               struct fx_kube_failure *ret_failure);

/* The failure of a request that brought no answer: FX_ENOMEM and FX_ELIMIT are MEMORY,
 * all else is NETWORK. The words are the error's. */
void fx_kube_failure_of_error(const struct fx_err *error,
                              struct fx_kube_failure *ret_failure);

/* Puts before the words what was asked for, as in `list assign.mutations.gatekeeper.sh: `
 * and `patch assign.mutations.gatekeeper.sh/status always-pull: `, and behind them, for
 * 401 and for a 403 of the authorizer, what to do. `verb` is RBAC's
 * (fx_kube_verb_name()). Once for each failure. Allocates nothing. */
void fx_kube_failure_prefix(struct fx_kube_failure *failure, const char *verb,
                            const struct fx_kube_resource *resource,
                            const struct fx_kube_name *name);

/* Would the same request succeed later, with nothing else changed? */
bool fx_kube_failure_is_temporary(const struct fx_kube_failure *failure);

#endif
