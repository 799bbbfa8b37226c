/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector.h - all objects of one resource, listed once and watched from then on,
 * however often the connection is lost. Loop thread only.
 *
 *   list, page by page → told → watch ──────────────── an event is told
 *     ↑                           ↑ ends, breaks, 5xx: again from the last version
 *     └───────────────────────────┴ 410: the version is too old
 *
 * Failures are retried with growing, jittered pauses, or when the server says
 * (Retry-After); what was told stays true meanwhile. After a list, what it no longer
 * holds is told as gone. A resource that the server does not know (no CRD) counts as
 * empty, and is asked for again every few seconds. Where it is served in a version that
 * is not the preferred one, that is asked for, with one request, before each further list
 * and, at most every five minutes, where a watch has ended.
 *
 * Pauses: after failures 0.5 s, doubling to 30 s, each half of it more or less; the
 * server's Retry-After counts up to a minute. A watch is asked to end after four to eight
 * minutes; five in a row that bring nothing make a list. A list that a watch makes
 * necessary is made at once, and the next ones after growing pauses until a watch has
 * lasted for five seconds.
 */
#ifndef FX_KUBE_REFLECTOR_H
#define FX_KUBE_REFLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "kube/client.h"

struct fx_kube_reflector; /* opaque */

/* Where it stands. */
#define FX_KUBE_STATES(X)                                                         \
    X(STARTING, "starting") /* the first list is not yet whole */                 \
    X(WATCHING, "watching")                                                       \
    X(ABSENT, "absent")   /* the server does not know the resource: no objects */ \
    X(FAILING, "failing") /* it cannot be asked; what was told last is what counts */

enum fx_kube_state {
#define X(name, text) FX_KUBE_STATE_##name,
    FX_KUBE_STATES(X)
#undef X
};

const char *fx_kube_state_name(enum fx_kube_state state);

/* What is told, on the loop. None may close the reflector; each may use the client. */
struct fx_kube_reflector_events {
    /* Added or changed: an object, with kind and apiVersion even where the items of a
     * list have none, and without metadata.managedFields and kubectl's annotation
     * last-applied-configuration. Borrowed: keep it by json_incref(), it is never written
     * again. After a list, objects that did not change (the same uid and resourceVersion)
     * are not told again, unless the version of the API is another now. One that was
     * deleted and made anew (another uid) is told as gone first. False where there is no
     * memory to take it: then it is told again, later. */
    bool (*on_object)(json_t *object, void *user);
    /* Deleted, or no longer there after a list. */
    void (*on_gone)(struct fx_text namespace_, struct fx_text name, void *user);
    /* A whole list has been told, or the resource is absent: nothing is unknown now. */
    void (*on_synced)(void *user);
    /* The state is another, or it is FAILING for another reason. `failure` is NULL but
     * for FAILING. A watch that breaks and can be resumed at once is no change. */
    void (*on_state)(enum fx_kube_state state, const struct fx_kube_failure *failure,
                     void *user);
};

/* What to reflect. The texts are copied, the resource's are borrowed. */
struct fx_kube_reflector_options {
    /* Its versions, the preferred one first: the first that the server serves. All of one
     * group, plural and kind. Borrowed until the reflector is closed. */
    const struct fx_kube_resource *versions;
    size_t n_versions;
    const char *namespace_;     /* NULL: all */
    const char *name;           /* only the one object of this name; NULL: all */
    const char *label_selector; /* NULL: all */
    bool metadata_only;         /* told of are kind, apiVersion (the resource's own) and
                                 * metadata, whatever the server sends */
    /* A resource is believed to be absent only if the server answers for another one that
     * every API server has: a proxy before one that is gone says 404 of everything. */
    bool doubts;
    bool optional; /* 403 counts as absent, after it was told as FAILING */
};

/* Begins, later, on the loop. Close it before the client. Errors: FX_ENOMEM. */
struct fx_kube_reflector *
fx_kube_reflector_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_kube_reflector_options *options,
                         const struct fx_kube_reflector_events *events, void *user,
                         struct fx_err *err) FX_MUST_USE;

/* Ends it; nothing is told any more. The memory goes when the loop has closed its
 * handles. NULL is fine. */
void fx_kube_reflector_close(struct fx_kube_reflector *reflector);

/* How it stands, for readiness and metrics. */
struct fx_kube_reflector_status {
    enum fx_kube_state state;
    enum fx_kube_reason reason; /* of FAILING; else NONE */
    bool synced;                /* on_synced was told at least once */
    uint64_t synced_ns; /* base/clock.h: when the server was last heard: a list, an
                         * event, a bookmark, the orderly end of a watch; 0: never */
    size_t n_objects;
    uint64_t n_lists, n_watches, n_events;  /* since the start */
    const struct fx_kube_resource *version; /* the one in use; NULL: none yet */
};
void fx_kube_reflector_get_status(const struct fx_kube_reflector *reflector,
                                  struct fx_kube_reflector_status *ret_status);

#endif
