/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/events.c - splits a stream into lines, and parses each.
 */
#include "kube/events.h"

#include <string.h>

#include "value/json.h"
#include "value/tree.h"

#define KEPT_BYTES (64u << 10) /* after a longer line its memory is freed */

static const char *const event_names[] = {FX_KUBE_EVENTS(FX_WORD)};

static struct fx_buf empty_line(const struct fx_kube_events *events) {
    return (struct fx_buf){.max = events->max, .secret = events->secret};
}

void fx_kube_events_init(struct fx_kube_events *events, size_t max, bool secret,
                         fx_kube_on_event *on_event, void *user) {
    *events = (struct fx_kube_events){
        .max = max, .secret = secret, .on_event = on_event, .user = user};
    events->line = empty_line(events);
}

void fx_kube_events_finish(struct fx_kube_events *events) {
    fx_buf_finish(&events->line);
}

static bool read_type(const json_t *event, enum fx_kube_event *ret_type,
                      struct fx_err *err) {
    const struct fx_text name = fx_tree_view_string(event, "type");
    for (size_t i = 0; i < FX_COUNT(event_names); i++) {
        if (fx_text_is(name, event_names[i])) {
            *ret_type = (enum fx_kube_event)i;
            return true;
        }
    }
    return fx_fail(err, FX_EINVALID, "an event of the watch has an unknown type");
}

static bool report_event(struct fx_kube_events *events, const json_t *event,
                         struct fx_err *err) {
    enum fx_kube_event type = FX_KUBE_EVENT_ERROR;
    json_t *object = fx_tree_view_key(event, "object");
    if (!read_type(event, &type, err)) {
        return false;
    }
    if (!json_is_object(object)) {
        return fx_fail(err, FX_EINVALID, "an event of the watch has no object");
    }
    return events->on_event(type, object, events->user, err);
}

static bool is_blank(struct fx_text line) {
    size_t i = 0;
    while (i < line.len && strchr(" \t\r", line.data[i]) != NULL && line.data[i] != 0) {
        i++;
    }
    return i == line.len;
}

static bool parse_line(struct fx_kube_events *events, struct fx_text line,
                       struct fx_err *err) {
    if (is_blank(line)) {
        return true;
    }
    json_t *event = fx_json_read(line, NULL, err);
    if (event == NULL) {
        return fx_err_prefix(err, "an event of the watch: ");
    }
    const bool ok = report_event(events, event, err);
    if (events->secret) {
        fx_tree_wipe(event);
    }
    json_decref(event);
    return ok;
}

static bool fail_long(const struct fx_kube_events *events, struct fx_err *err) {
    return fx_fail(err, FX_ELIMIT, "an event of the watch is larger than %zu bytes",
                   events->max);
}

/* Keeps the beginning of a line until the rest arrives. */
static bool keep_part(struct fx_kube_events *events, struct fx_text part,
                      struct fx_err *err) {
    if (part.len > events->max - events->line.len) {
        return fail_long(events, err);
    }
    fx_buf_text(&events->line, part);
    return !events->line.failed || fx_fail_nomem(err);
}

static void reset_line(struct fx_kube_events *events) {
    if (events->line.cap > KEPT_BYTES) {
        fx_buf_finish(&events->line);
        events->line = empty_line(events);
    }
    fx_buf_reset(&events->line);
}

/* Completes the line with `part`. A line in one piece is not copied. */
static bool complete_line(struct fx_kube_events *events, struct fx_text part,
                          struct fx_err *err) {
    if (events->line.len == 0) {
        return part.len <= events->max ? parse_line(events, part, err)
                                       : fail_long(events, err);
    }
    if (!keep_part(events, part, err)) {
        return false;
    }
    const bool ok = parse_line(events, fx_buf_view(&events->line), err);
    reset_line(events);
    return ok;
}

bool fx_kube_events_feed(struct fx_kube_events *events, struct fx_text piece,
                         struct fx_err *err) {
    while (piece.len > 0) {
        const char *end = memchr(piece.data, '\n', piece.len);
        if (end == NULL) {
            return keep_part(events, piece, err);
        }
        const size_t len = (size_t)(end - piece.data);
        if (!complete_line(events, (struct fx_text){piece.data, len}, err)) {
            return false;
        }
        piece = (struct fx_text){end + 1, piece.len - len - 1};
    }
    return true;
}

bool fx_kube_events_end(struct fx_kube_events *events, struct fx_err *err) {
    return complete_line(events, (struct fx_text){0}, err);
}
