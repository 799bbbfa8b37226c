/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/client.h - requests to the API server: one object, a page of a list, a patch. Loop
 * thread only. Watches are kube/reflector.h's.
 *
 * Who we are is looked up for every request: a token file is read again when it changed,
 * and a request that is answered 401 meanwhile is made once more. Over plain HTTP no
 * token is sent, as kubectl has it. No secret of the configuration, and no body of a
 * request or answer, is ever logged.
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
struct fx_kube_call;   /* opaque: one request under way */

/* The verbs of RBAC, which are also label values. APPLY is a server-side apply (`patch`
 * in RBAC). */
#define FX_KUBE_VERBS(X)    \
    X(GET, "get")           \
    X(LIST, "list")         \
    X(WATCH, "watch")       \
    X(CREATE, "create")     \
    X(UPDATE, "update")     \
    X(APPLY, "patch")       \
    X(MERGE_PATCH, "patch") \
    X(DELETE, "delete")

enum fx_kube_verb {
#define X(name, text) FX_KUBE_VERB_##name,
    FX_KUBE_VERBS(X)
#undef X
};

const char *fx_kube_verb_name(enum fx_kube_verb verb);

/* Told of each request that has ended and was not given up, for metrics, right before who
 * asked is; the resource is borrowed for the call. A watch is told of at its end, with
 * the seconds until it had begun. */
typedef void fx_kube_on_request(enum fx_kube_verb verb,
                                const struct fx_kube_resource *resource,
                                enum fx_kube_reason reason, double seconds, void *user);

/* A client for the configuration, of which it keeps nothing borrowed. `on_request` may be
 * NULL. Errors: FX_EINVALID (an address or certificate of the configuration, by its
 * field), FX_ENOMEM. */
struct fx_kube_client *fx_kube_client_create(uv_loop_t *loop,
                                             const struct fx_kube_config *config,
                                             fx_kube_on_request *on_request, void *user,
                                             struct fx_err *err) FX_MUST_USE;

/* Cancels what is under way without telling it, and closes; the loop must run on to close
 * what was open. Its reflectors are closed before. NULL is fine. */
void fx_kube_client_close(struct fx_kube_client *client);

/* What to ask. Everything is borrowed for the call. */
struct fx_kube_request {
    enum fx_kube_verb verb; /* not WATCH */
    const struct fx_kube_resource *resource;
    struct fx_kube_name name;
    const json_t *body;  /* the object, of CREATE, UPDATE and the patches; DeleteOptions
                          * or NULL, of DELETE; else NULL */
    const char *query;   /* "limit=500&continue=…", escaped; or NULL */
    bool metadata_only;  /* GET, LIST: as PartialObjectMetadata, where the server can */
    const char *manager; /* the field manager of APPLY, also of the other writes */
    bool force;          /* APPLY: take fields that others own */
    uint64_t timeout_ms; /* 0: 30 s */
};

/* What came of it; borrowed for the call. */
struct fx_kube_answer {
    const struct fx_kube_failure *failure; /* NULL: it succeeded */
    json_t *object; /* the answer's body, to be kept by json_incref(); NULL after a
                     * failure */
};

/* Begins. `on_done` is called exactly once, later, on the loop, and may begin others, and
 * close the client. Any 2xx with a JSON object is success. A failure is told as one,
 * without memory, too; NULL only where not even that can be. GET, LIST and APPLY are
 * asked again where a connection that was kept turns out to be closed; the other writes
 * are not. */
struct fx_kube_call *
fx_kube_call_start(struct fx_kube_client *client, const struct fx_kube_request *request,
                   void (*on_done)(const struct fx_kube_answer *answer, void *user),
                   void *user) FX_MUST_USE;

/* Gives it up: `on_done` is not called any more. Only before `on_done`. NULL is fine. */
void fx_kube_call_cancel(struct fx_kube_call *call);

#endif
