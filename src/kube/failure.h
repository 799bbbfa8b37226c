/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/failure.h - why a request to the API server failed: a reason for the code, and a
 * message for people.
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

/* The reasons; the texts are label values of a metric. */
#define FX_KUBE_REASONS(X)                                                            \
    X(NONE, "ok")                                                                     \
    X(NETWORK, "network") /* no connection, cut, no answer in time, not JSON */       \
    X(UNAUTHORIZED, "unauthorized") /* 401 */                                         \
    X(FORBIDDEN, "forbidden")       /* 403 */                                         \
    X(NOT_FOUND, "not_found")       /* 404: the object does not exist */              \
    X(UNKNOWN, "unknown_resource")  /* 404: the resource does not exist (no CRD) */   \
    X(EXISTS, "already_exists")     /* 409 */                                         \
    X(CONFLICT, "conflict")         /* 409: another version, another field manager */ \
    X(EXPIRED, "expired")           /* 410: the version or page is too old */         \
    X(INVALID, "invalid") /* 400, 405, 406, 413, 415, 422: the request is wrong */    \
    X(BUSY, "busy")       /* 429 */                                                   \
    X(SERVER, "server")   /* 5xx */                                                   \
    X(MEMORY, "memory")   /* no memory here, or the answer is over a limit */

enum fx_kube_reason {
#define X(name, text) FX_KUBE_REASON_##name,
    FX_KUBE_REASONS(X)
#undef X
};

const char *fx_kube_reason_name(enum fx_kube_reason reason);

struct fx_kube_failure {
    enum fx_kube_reason reason; /* NONE if there is no failure */
    unsigned status; /* the HTTP status, or that of a Status in a stream; 0 if there is no
                      * answer */
    uint32_t retry_after_s; /* the server's Retry-After; 0 if there is none */
    /* The verb and resource, what happened, and advice for 401 and 403: `list
     * widgets.example.com: 403 Forbidden: …; the ClusterRole needs apiGroups
     * ["example.com"], resources ["widgets"], verbs ["list","watch"]`. Never empty after
     * a failure. */
    char message[FX_ERR_TEXT];
};

/* Reads the failure from an answer with this status, head and body: from a Status object
 * if the body is one, otherwise from its first line. A 404 is NOT_FOUND only if a Status
 * names an object; every other 404 (`404 page not found`) is UNKNOWN. The reason is
 * MEMORY if there is no memory to read a body that decides the reason. The Retry-After of
 * the head, in seconds, takes precedence over `retryAfterSeconds` of the Status; both are
 * limited to an hour.
 *
 * The message is that of the server alone, as in `409 AlreadyExists: …`, with control
 * characters replaced and cut to half of its space; fx_kube_failure_prefix() adds the
 * rest. The reason is never NONE. Allocates only to read the body. */
void fx_kube_failure_read(unsigned status, struct fx_text head, struct fx_text body,
                          struct fx_kube_failure *ret_failure);

/* The same for a Status object from an ERROR event of a watch. Any other object is a
 * failure too (SERVER). */
void fx_kube_failure_of_status(const json_t *status_object,
                               struct fx_kube_failure *ret_failure);

/* Sets the failure of a request without an answer: MEMORY for FX_ENOMEM and FX_ELIMIT,
 * otherwise NETWORK. The message is that of the error. */
void fx_kube_failure_of_error(const struct fx_err *error,
                              struct fx_kube_failure *ret_failure);

/* Puts the request before the message, as in `list widgets.example.com: ` and `patch
 * widgets.example.com/status blue: `, and, for 401 and for a 403 of the authorizer,
 * advice after it. `verb` is the verb of RBAC (fx_kube_verb_name()). Call it once for
 * each failure. Allocates nothing. */
void fx_kube_failure_prefix(struct fx_kube_failure *failure, const char *verb,
                            const struct fx_kube_resource *resource,
                            const struct fx_kube_name *name);

/* Can the same request succeed later without any other change? */
bool fx_kube_failure_is_temporary(const struct fx_kube_failure *failure);

#endif
