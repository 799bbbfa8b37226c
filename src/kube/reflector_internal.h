/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_internal.h - what the files of the reflector share, and what its tests
 * change: its pauses.
 *
 *   reflector.c        life, states, pauses
 *   reflector_list.c   a whole list, page by page
 *   reflector_watch.c  a watch, from its beginning to its end
 *   reflector_tell.c   one object: is it news?
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
    uint64_t second_ms;                      /* what the server calls a second, and */
    uint64_t max_wish_ms;                    /* how long it may make us wait */
    uint64_t absent_min_ms, absent_max_ms;   /* a resource that is not there */
    uint64_t interval_ms;              /* from watch to watch, where they end at once */
    uint64_t well_ms;                  /* a watch that lasts so long goes well */
    uint64_t watch_min_s, watch_max_s; /* as the server is asked to end it */
    uint64_t silence_ms;               /* and so much longer it may be silent */
    uint64_t seek_ms;                  /* from look to look for a better version */
    unsigned page;                     /* objects at a time */
};

/* What a pause comes before. */
enum fx_kube_step {
    FX_KUBE_STEP_LIST,
    FX_KUBE_STEP_WATCH,
    FX_KUBE_STEP_HEALTHY, /* no step: the watch under way has lasted */
};

struct fx_kube_reflector {
    uint32_t magic;
    struct fx_kube_client *client;
    struct fx_kube_reflector_options options; /* its texts are these: */
    char *namespace_, *name, *label_selector;
    struct fx_kube_reflector_events events;
    void *user;
    struct fx_kube_delays pauses;
    struct fx_kube_random random;
    struct fx_kube_backoff backoff; /* of what failed */
    struct fx_kube_backoff relists; /* of lists that a watch made necessary */
    uv_timer_t timer;
    enum fx_kube_step step;    /* when the timer goes off */
    struct fx_kube_call *call; /* under way, or NULL */
    struct fx_kube_known known;
    struct fx_kube_reflector_status status;

    size_t at;                     /* the version that is asked for, */
    struct fx_kube_type_meta kind; /* and what its objects share */
    bool served;                   /* it was, when it was last listed */
    size_t told_at; /* the one in which objects were told; SIZE_MAX: none */

    bool seeking;                /* a better one than that is asked for, */
    enum fx_kube_step seek_then; /* and if it is not served, this is next */
    size_t seek_at;              /* of several better ones, the next to be asked for */
    uint64_t seek_ms;            /* not before */

    struct fx_buf page_token; /* of the next page; empty: the first */
    struct fx_buf list_version;
    size_t n_pages, n_items; /* of the list so far */
    bool unlimited;          /* the pages grew too old: all at once */

    struct fx_buf version; /* seen so far: where a watch goes on */
    struct fx_kube_events stream;
    uint64_t watch_ms;             /* when it began */
    unsigned n_failed;             /* watches in a row that brought nothing */
    struct fx_kube_failure ending; /* what an ERROR event said, or NONE */
};

/* For tests: right after fx_kube_reflector_create(), which begins later, on the loop. */
extern const struct fx_kube_delays fx_kube_default_delays;
void fx_kube_reflector_set_delays(struct fx_kube_reflector *reflector,
                                  const struct fx_kube_delays *pauses);

/* ---- reflector.c ---- */

/* The resource in the version that is asked for. */
const struct fx_kube_resource *
fx_kube_reflector_resource(const struct fx_kube_reflector *reflector);

/* Appends `&fieldSelector=…&labelSelector=…`, where there are such. */
void fx_kube_reflector_write_selectors(const struct fx_kube_reflector *reflector,
                                       struct fx_buf *query);

uint64_t fx_kube_reflector_now_ms(void);
void fx_kube_reflector_wait(struct fx_kube_reflector *reflector, enum fx_kube_step step,
                            uint64_t ms);
void fx_kube_reflector_set_state(struct fx_kube_reflector *reflector,
                                 enum fx_kube_state state,
                                 const struct fx_kube_failure *failure);
void fx_kube_reflector_note_contact(struct fx_kube_reflector *reflector);

/* All that was told holds, nothing more is to come. */
void fx_kube_reflector_report_synced(struct fx_kube_reflector *reflector);

/* The pause after this failure, before `step`. */
void fx_kube_reflector_retry(struct fx_kube_reflector *reflector, enum fx_kube_step step,
                             const struct fx_kube_failure *failure);

/* It goes well: failures before count no more. */
void fx_kube_reflector_set_healthy(struct fx_kube_reflector *reflector);

/* ---- reflector_list.c ---- */

void fx_kube_reflector_list(struct fx_kube_reflector *reflector);

/* Before that step: asks for a version that goes before the one in use, if there is one
 * and it is time for that. It takes one request; if it is answered by a list, that
 * version is in use from then on, and else the step follows. False: it is not asked. */
bool fx_kube_reflector_try_preferred(struct fx_kube_reflector *reflector,
                                     enum fx_kube_step then);

/* ---- reflector_watch.c ---- */

void fx_kube_reflector_watch(struct fx_kube_reflector *reflector);

/* ---- reflector_tell.c ---- */

/* Tells it where it is news: another uid or version than the known one, or `anyway`. An
 * object of another uid is a new one: the old one is told as gone first. Errors:
 * FX_ENOMEM, FX_ELIMIT (too many of them). */
bool fx_kube_reflector_report_object(struct fx_kube_reflector *reflector, json_t *object,
                                     const struct fx_kube_identity *identity, bool anyway,
                                     struct fx_err *err) FX_MUST_USE;

/* The same of an event: one that is older than what is known is no news. */
bool fx_kube_reflector_report_event(struct fx_kube_reflector *reflector,
                                    enum fx_kube_event event, json_t *object,
                                    const struct fx_kube_identity *identity,
                                    struct fx_err *err) FX_MUST_USE;

/* Tells what was not seen since fx_kube_known_begin_list() as gone. */
void fx_kube_reflector_report_removed(struct fx_kube_reflector *reflector);

#endif
