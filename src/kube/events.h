/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/events.h - the bytes of a watch as events: one JSON object a line,
 * `{"type":"ADDED","object":{…}}`. How the bytes are cut into pieces makes no difference.
 */
#ifndef FX_KUBE_EVENTS_H
#define FX_KUBE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* The wire's own words. */
#define FX_KUBE_EVENTS(X)   \
    X(ADDED, "ADDED")       \
    X(MODIFIED, "MODIFIED") \
    X(DELETED, "DELETED")   \
    X(BOOKMARK, "BOOKMARK") \
    X(ERROR, "ERROR")

enum fx_kube_event {
#define X(name, text) FX_KUBE_EVENT_##name,
    FX_KUBE_EVENTS(X)
#undef X
};

/* Takes one event; `object` is borrowed, and seen by nobody else. False: no more are
 * wanted, with `err` filled, which then comes out of the function below. */
typedef bool fx_kube_on_event(enum fx_kube_event event, json_t *object, void *user,
                              struct fx_err *err);

struct fx_kube_events {
    struct fx_buf line; /* begun, not yet ended */
    size_t max;         /* bytes of one line */
    bool secret;
    fx_kube_on_event *on_event;
    void *user;
};

/* Lines have at most `max` bytes; `secret`: they are overwritten after their use, and
 * what was read of them. Allocates nothing. */
void fx_kube_events_init(struct fx_kube_events *events, size_t max, bool secret,
                         fx_kube_on_event *on_event, void *user);
void fx_kube_events_finish(struct fx_kube_events *events);

/* Takes the next bytes and tells each event that they complete. Empty lines are none.
 * Errors: FX_ESYNTAX (a line is no JSON), FX_EINVALID (it is no event, or one of a type
 * that does not exist), FX_ELIMIT (it is longer than `max`, or too deep), FX_ENOMEM, and
 * those of `on_event`. Not to be used any more then. */
bool fx_kube_events_feed(struct fx_kube_events *events, struct fx_text piece,
                         struct fx_err *err) FX_MUST_USE;

/* No more bytes come. A last line without its end is an event where it is whole, which
 * JSON tells by itself; else FX_ESYNTAX. Other errors as above. */
bool fx_kube_events_end(struct fx_kube_events *events, struct fx_err *err) FX_MUST_USE;

#endif
