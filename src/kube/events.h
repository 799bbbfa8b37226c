/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/events.h - parses the bytes of a watch into events: one JSON object per line,
 * `{"type":"ADDED","object":{…}}`. The bytes may be cut into pieces anywhere.
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

/* The types of events on the wire. */
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

/* Receives one event. `object` is borrowed and not shared. Returns false with `err` set
 * to stop; fx_kube_events_feed() or fx_kube_events_end() then returns that error. */
typedef bool fx_kube_on_event(enum fx_kube_event event, json_t *object, void *user,
                              struct fx_err *err);

struct fx_kube_events {
    struct fx_buf line; /* the line that is not complete yet */
    size_t max;         /* the longest line in bytes */
    bool secret;
    fx_kube_on_event *on_event;
    void *user;
};

/* Initializes the parser without allocating. Lines have at most `max` bytes. `secret`
 * makes it overwrite lines and parsed objects after use. */
void fx_kube_events_init(struct fx_kube_events *events, size_t max, bool secret,
                         fx_kube_on_event *on_event, void *user);
void fx_kube_events_finish(struct fx_kube_events *events);

/* Takes the next bytes and reports each event that they complete. Empty lines are
 * ignored. Errors: FX_ESYNTAX (a line is not JSON), FX_EINVALID (a line is not an event,
 * or has an unknown type), FX_ELIMIT (longer than `max`, or nested too deep), FX_ENOMEM,
 * and those of `on_event`. After an error only fx_kube_events_finish() is allowed. */
bool fx_kube_events_feed(struct fx_kube_events *events, struct fx_text piece,
                         struct fx_err *err) FX_MUST_USE;

/* Reports the end of the stream. A last line without newline counts if its JSON is
 * complete; otherwise it is FX_ESYNTAX. Other errors: those of fx_kube_events_feed(). */
bool fx_kube_events_end(struct fx_kube_events *events, struct fx_err *err) FX_MUST_USE;

#endif
