/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_internal.h - shared by the files of the reflector, with the delays that
 * its tests change. Private to this room.
 *
 *   reflector.c        life, states, pauses, reporting of objects
 *   reflector_list.c   a whole list, page by page
 *   reflector_watch.c  a watch, from its beginning to its end
 */
#ifndef FX_KUBE_REFLECTOR_INTERNAL_H
#define FX_KUBE_REFLECTOR_INTERNAL_H

#include <uv.h>

#include "base/buf.h"
#include "kube/backoff.h"
#include "kube/events.h"
#include "kube/known.h"
#include "kube/object.h"
#include "kube/reflector.h"

struct fx_kube_delays {
    uint64_t backoff_min_ms, backoff_max_ms; /* after failures */
    uint64_t second_ms;                      /* the length of a second of Retry-After */
    uint64_t max_retry_after_ms;             /* the most that counts of a Retry-After */
    uint64_t absent_min_ms, absent_max_ms; /* before an absent resource is tried again */
    uint64_t interval_ms;                  /* between the starts of two watches */
    uint64_t healthy_ms;                   /* a watch that lasts this long is healthy */
    /* The server is asked to end a watch after this time. */
    uint64_t watch_min_s, watch_max_s;
    uint64_t silence_ms;   /* how long the watch may be silent after that */
    uint64_t preferred_ms; /* between two requests for the preferred version */
    unsigned page;         /* the number of objects in a page */
};

/* The step that follows a pause. */
enum fx_kube_step {
    FX_KUBE_STEP_LIST,
    FX_KUBE_STEP_WATCH,
    FX_KUBE_STEP_HEALTHY, /* the watch in progress has lasted long enough */
};

/* A reflector. Either a call is in progress or the timer is set; during a watch both
 * are. */
struct fx_kube_reflector {
    uint32_t magic;
    struct fx_kube_client *client;
    struct fx_kube_reflector_options options; /* its texts are owned: */
    char *namespace_, *name;
    struct fx_kube_reflector_events events;
    void *user;
    struct fx_kube_delays delays;
    struct fx_kube_random random;
    struct fx_kube_backoff backoff; /* of failures */
    struct fx_kube_backoff relists; /* of lists that a watch made necessary */
    uv_timer_t timer;
    enum fx_kube_step step;    /* the step when the timer fires */
    struct fx_kube_call *call; /* in progress, or NULL */
    struct fx_kube_known known;
    struct fx_kube_reflector_status status;

    size_t at;                     /* the index of the version that is requested */
    struct fx_kube_type_meta type; /* of its objects */
    bool served;                   /* the last list in this version succeeded */
    size_t reported_at; /* index of the version in which objects were reported; SIZE_MAX
                         * if there is none */

    bool trying_preferred;       /* a list in a preferred version is in progress */
    enum fx_kube_step then;      /* the step that follows if it is not served */
    size_t preferred_at;         /* the next preferred version to try */
    uint64_t preferred_after_ms; /* the earliest time for it */

    struct fx_buf page_token; /* of the next page; empty for the first */
    struct fx_buf list_version;
    size_t n_pages, n_items; /* of the list so far */
    bool unlimited;          /* a page expired, so everything is requested at once */

    struct fx_buf version; /* the last seen version, from which a watch continues */
    struct fx_kube_events stream;
    uint64_t watch_ms;             /* the start of the watch */
    unsigned n_failed;             /* failed watches in a row */
    struct fx_kube_failure ending; /* from an ERROR event; otherwise NONE */
};

/* For tests, which call it right after fx_kube_reflector_create(). */
extern const struct fx_kube_delays fx_kube_default_delays;
void fx_kube_reflector_set_delays(struct fx_kube_reflector *reflector,
                                  const struct fx_kube_delays *delays);

/* ---- reflector.c ---- */

/* Returns the resource in the version that is requested. */
const struct fx_kube_resource *
fx_kube_reflector_resource(const struct fx_kube_reflector *reflector);

/* Appends `&fieldSelector=…` if there is a name. */
void fx_kube_reflector_write_selector(const struct fx_kube_reflector *reflector,
                                      struct fx_buf *query);

uint64_t fx_kube_reflector_now_ms(void);

/* Sets the timer, and the step that follows the pause. */
void fx_kube_reflector_wait(struct fx_kube_reflector *reflector, enum fx_kube_step step,
                            uint64_t ms);

/* The same with the pause that follows this failure. */
void fx_kube_reflector_retry(struct fx_kube_reflector *reflector, enum fx_kube_step step,
                             const struct fx_kube_failure *failure);

/* Changes the state and reports the change. */
void fx_kube_reflector_set_state(struct fx_kube_reflector *reflector,
                                 enum fx_kube_state state,
                                 const struct fx_kube_failure *failure);

/* Notes the time of a contact with the server. */
void fx_kube_reflector_note_contact(struct fx_kube_reflector *reflector);

/* Reports that all objects have been reported. */
void fx_kube_reflector_report_synced(struct fx_kube_reflector *reflector);

/* Is called when the watch works. Forgets earlier failures. */
void fx_kube_reflector_set_healthy(struct fx_kube_reflector *reflector);

/* Reports the object if its uid or version differs from the known one, or if `always`. If
 * the uid differs, the old object is reported as gone first. Errors: FX_ENOMEM, FX_ELIMIT
 * (too many objects). */
bool fx_kube_reflector_report_object(struct fx_kube_reflector *reflector, json_t *object,
                                     const struct fx_kube_identity *identity, bool always,
                                     struct fx_err *err) FX_MUST_USE;

/* The same for the object of an event, which is ignored if it is older than the known
 * version. */
bool fx_kube_reflector_report_event(struct fx_kube_reflector *reflector,
                                    enum fx_kube_event event, json_t *object,
                                    const struct fx_kube_identity *identity,
                                    struct fx_err *err) FX_MUST_USE;

/* Reports all objects as gone that were not seen since fx_kube_known_begin_list(). */
void fx_kube_reflector_report_removed(struct fx_kube_reflector *reflector);

/* ---- reflector_list.c ---- */

/* Starts a list. */
void fx_kube_reflector_list(struct fx_kube_reflector *reflector);

/* Is called before the step `then`. Requests a version that is preferred to the one in
 * use, if there is one and the request is due. If the answer is a list, that version is
 * used from then on; otherwise the step `then` follows. False if nothing is requested. */
bool fx_kube_reflector_try_preferred(struct fx_kube_reflector *reflector,
                                     enum fx_kube_step then);

/* ---- reflector_watch.c ---- */

/* Starts a watch. */
void fx_kube_reflector_watch(struct fx_kube_reflector *reflector);

#endif
