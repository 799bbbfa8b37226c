/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/client.h - requests to the API server: an object, a page of a list, a write, and
 * (for kube/reflector.h) a watch. Loop thread only.
 *
 * The token is looked up for every request: a token file is read again when it changed,
 * and a request that is answered 401 is sent once more if the token is new by then. Over
 * plain HTTP no token is sent, like kubectl. Secrets of the configuration and bodies of
 * requests and answers are never logged.
 */
#ifndef FX_KUBE_CLIENT_H
#define FX_KUBE_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "kube/failure.h"
#include "kube/resource.h"

struct fx_kube_config;
struct fx_kube_client; /* opaque */
struct fx_kube_call;   /* opaque: one request in progress */

/* The verbs of RBAC, also used as label values of metrics. APPLY is a server-side apply
 * (`patch` in RBAC). */
#define FX_KUBE_VERBS(X) \
    X(GET, "get")        \
    X(LIST, "list")      \
    X(WATCH, "watch")    \
    X(CREATE, "create")  \
    X(UPDATE, "update")  \
    X(APPLY, "patch")    \
    X(MERGE_PATCH, "patch")

enum fx_kube_verb {
#define X(name, text) FX_KUBE_VERB_##name,
    FX_KUBE_VERBS(X)
#undef X
};

const char *fx_kube_verb_name(enum fx_kube_verb verb);

/* Called for each request that ended and was not cancelled, for metrics, right before the
 * callback of the request. The resource is borrowed for the call. For a watch it is
 * called when the watch ends, with the seconds until its response head arrived. */
typedef void fx_kube_on_request(enum fx_kube_verb verb,
                                const struct fx_kube_resource *resource,
                                enum fx_kube_reason reason, double seconds, void *user);

/* Creates a client for the configuration, of which the client copies everything it needs.
 * `on_request` may be NULL. Returns NULL on failure; errors: FX_EINVALID (an address or
 * certificate of the configuration; the message names the field), FX_ENOMEM. */
struct fx_kube_client *fx_kube_client_create(uv_loop_t *loop,
                                             const struct fx_kube_config *config,
                                             fx_kube_on_request *on_request, void *user,
                                             struct fx_err *err) FX_MUST_USE;

/* Cancels all requests without calling their callbacks, and closes the client; the loop
 * must run on to close its connections. Close all reflectors of the client first. NULL is
 * allowed. */
void fx_kube_client_close(struct fx_kube_client *client);

/* A request. Everything is borrowed for the call that starts it. */
struct fx_kube_request {
    enum fx_kube_verb verb;
    const struct fx_kube_resource *resource;
    struct fx_kube_name name;
    const char *path; /* escaped, instead of the path of resource and name (then these are
                       * for messages only): "/openapi/v3"; may be NULL */
    const json_t *body; /* the object of CREATE, UPDATE and the patches; otherwise NULL */
    const char *query;  /* escaped: "limit=500&continue=…"; may be NULL */
    bool metadata_only; /* of GET and LIST: ask for PartialObjectMetadata */
    const char *manager; /* the field manager of APPLY and other writes */
    bool force;          /* of APPLY: take over fields of other managers */
    uint64_t timeout_ms; /* 0 for 30 s */
};

/* The result of a request; borrowed for the callback. */
struct fx_kube_answer {
    const struct fx_kube_failure *failure; /* NULL after success */
    json_t *object; /* the body of the answer, to be kept with json_incref(); NULL after a
                     * failure */
};
typedef void fx_kube_on_answer(const struct fx_kube_answer *answer, void *user);

/* Starts a request (not a watch). `on_done` is called exactly once, later, on the loop;
 * it may start other requests and close the client. Every 2xx answer with a JSON object
 * is a success. Failures, including a lack of memory, are reported to `on_done`; NULL is
 * returned only if there is not enough memory for that. GET, LIST and APPLY are sent
 * again if a connection that was kept open turns out to be closed; other requests are
 * not. */
struct fx_kube_call *fx_kube_call_start(struct fx_kube_client *client,
                                        const struct fx_kube_request *request,
                                        fx_kube_on_answer *on_done,
                                        void *user) FX_MUST_USE;

/* Cancels the request: `on_done` is not called. Not allowed after `on_done`. NULL is
 * allowed. */
void fx_kube_call_cancel(struct fx_kube_call *call);

/* ---- watches and long answers; private to this room ---- */

/* Receives the body of a successful answer. Both functions may cancel the call. */
struct fx_kube_sink {
    void (*on_open)(void *user); /* the response head has arrived, with a 2xx status */
    void (*on_piece)(struct fx_text piece, void *user);
    uint64_t silence_ms; /* the longest time without a byte; 0 for no limit */
};

/* The same as fx_kube_call_start() for FX_KUBE_VERB_WATCH, and for a GET whose answer is
 * not an object or is very long. `on_done` reports the end of the body: without failure
 * and object if it ended regularly. The timeout of the request is for the response head.
 */
struct fx_kube_call *fx_kube_call_stream(struct fx_kube_client *client,
                                         const struct fx_kube_request *request,
                                         const struct fx_kube_sink *sink,
                                         fx_kube_on_answer *on_done,
                                         void *user) FX_MUST_USE;

#endif
