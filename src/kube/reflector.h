/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector.h - reports all objects of one resource: lists them once, and then
 * watches them, however often the connection is lost. Loop thread only.
 *
 *   list, page by page → report → watch ────────────── report each event
 *     ↑                            ↑ ends, breaks, 5xx: watch again from the last version
 *     └────────────────────────────┴ 410, the version is too old: list again
 *
 * Failures are retried after growing, jittered pauses, or when the server says so
 * (Retry-After). Meanwhile the reported objects stay valid. Objects that a new list does
 * not contain are reported as gone. A resource that the server does not know (no CRD)
 * counts as empty and is requested again every few seconds. If it is served in a version
 * that is not the preferred one, the preferred version is tried, with one request, before
 * each further list and, at most every five minutes, after the end of a watch.
 *
 * Pauses: after failures 0.5 s, doubling to 30 s, plus or minus half; the server's
 * Retry-After counts up to a minute. A watch is asked to end after four to eight minutes;
 * five failed watches in a row cause a list. A list that a watch makes necessary starts
 * at once, and further ones after growing pauses until a watch has lasted for five
 * seconds.
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

#define FX_KUBE_STATES(X)                                                         \
    X(STARTING, "starting") /* the first list is not complete */                  \
    X(WATCHING, "watching")                                                       \
    X(ABSENT, "absent")   /* the server does not know the resource: no objects */ \
    X(FAILING, "failing") /* requests fail; the objects reported last stay valid */

enum fx_kube_state {
#define X(name, text) FX_KUBE_STATE_##name,
    FX_KUBE_STATES(X)
#undef X
};

const char *fx_kube_state_name(enum fx_kube_state state);

/* Callbacks, on the loop. They must not close the reflector, and may use the client. */
struct fx_kube_reflector_events {
    /* An object was added or changed. It has kind and apiVersion, also if the items of a
     * list have none, and neither metadata.managedFields nor kubectl's annotation
     * last-applied-configuration. Borrowed: keep it with json_incref(); it is never
     * written again. After a list, objects that did not change (the same uid and
     * resourceVersion) are not reported again, unless the version of the API changed. An
     * object that was deleted and created again (another uid) is reported as gone first.
     * Returns false if there is no memory to take the object: it is reported again later.
     */
    bool (*on_object)(json_t *object, void *user);
    /* An object was deleted, or is missing in a new list. */
    void (*on_gone)(struct fx_text namespace_, struct fx_text name, void *user);
    /* A whole list has been reported, or the resource is absent. */
    void (*on_synced)(void *user);
    /* The state, or the reason for FAILING, has changed. `failure` is NULL unless the
     * state is FAILING. It is not called for a watch that breaks and can be resumed at
     * once. */
    void (*on_state)(enum fx_kube_state state, const struct fx_kube_failure *failure,
                     void *user);
};

/* The options of a reflector. Texts are copied, those of the resource are borrowed. */
struct fx_kube_reflector_options {
    /* The versions of the resource, the preferred one first. The first one that the
     * server serves is used. All have the same group, plural and kind. Borrowed until the
     * reflector is closed. */
    const struct fx_kube_resource *versions;
    size_t n_versions;
    const char *namespace_; /* NULL for all */
    const char *name;       /* only the object of this name; NULL for all */
    bool metadata_only;     /* report only kind, apiVersion (that of the resource) and
                             * metadata, whatever the server sends */
    /* Before a resource counts as absent, requests an object that every API server has,
     * because a proxy in front of a server that is down may answer 404 to everything. */
    bool confirm_absence;
};

/* Creates a reflector, which starts later, on the loop. Close it before the client.
 * Returns NULL on failure; errors: FX_ENOMEM. */
struct fx_kube_reflector *
fx_kube_reflector_create(uv_loop_t *loop, struct fx_kube_client *client,
                         const struct fx_kube_reflector_options *options,
                         const struct fx_kube_reflector_events *events, void *user,
                         struct fx_err *err) FX_MUST_USE;

/* Stops the reflector; no callback is called any more. Its memory is freed after the loop
 * has closed its handles. NULL is allowed. */
void fx_kube_reflector_close(struct fx_kube_reflector *reflector);

/* The status, for readiness and metrics. */
struct fx_kube_reflector_status {
    enum fx_kube_state state;
    enum fx_kube_reason reason; /* of FAILING; otherwise NONE */
    bool synced;                /* on_synced was called at least once */
    uint64_t synced_ns; /* base/clock.h: the last contact with the server: a list, an
                         * event, a bookmark, the regular end of a watch; 0 if there was
                         * none */
    size_t n_objects;
    uint64_t n_lists, n_watches, n_events;  /* since the start */
    const struct fx_kube_resource *version; /* the version in use; NULL if there is none
                                             * yet */
};
void fx_kube_reflector_get_status(const struct fx_kube_reflector *reflector,
                                  struct fx_kube_reflector_status *ret_status);

#endif
