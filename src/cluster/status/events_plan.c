/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/events_plan.c - makes Events from errors.
 */
#include "cluster/status/status_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/date.h"
#include "base/hash.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "cluster/status/status.h"
#include "kube/body.h"
#include "value/tree.h"

#define COMPONENT  "fixpoint"
#define NAME_BYTES 254 /* a name has 253 characters at most */
#define HASH_CHARS 17  /* including the dot before it */

#define BURST       25
#define INTERVAL_NS UINT64_C(5000000000)

/* ---- one error ------------------------------------------------------------------- */

static void copy_message(struct fx_text text, char out[FX_EVENTS_MESSAGE_BYTES + 1]) {
    static const char ellipsis[] = "…";
    const bool fits = text.len <= FX_EVENTS_MESSAGE_BYTES;
    const size_t room = FX_EVENTS_MESSAGE_BYTES - (sizeof ellipsis - 1);
    const size_t len = fits ? text.len : fx_text_rune_floor(text.data, room);
    (void)snprintf(out, FX_EVENTS_MESSAGE_BYTES + 1, "%.*s%s", (int)len,
                   len == 0 ? "" : text.data, fits ? "" : ellipsis);
}

static void make_event(const struct fx_cluster_object *object, struct fx_text message,
                       struct fx_event *ret_event) {
    copy_message(message, ret_event->message);
    uint64_t digest = fx_hash_text(FX_HASH_START, object->uid);
    digest = fx_hash_bytes(digest, &object->generation, sizeof object->generation);
    digest = fx_hash_text(digest, fx_text_of(ret_event->reason));
    ret_event->digest = fx_hash_text(digest, fx_text_of(ret_event->message));
}

void fx_event_read(const struct fx_cluster_object *object, const json_t *error,
                   struct fx_event *ret_event) {
    ret_event->type = "Warning";
    ret_event->reason = fx_cluster_status_reason(error);
    make_event(object, fx_tree_view_string(error, "message"), ret_event);
}

void fx_event_of_left(const struct fx_cluster_object *object, enum fx_native_state state,
                      const char *reason, struct fx_event *ret_event) {
    char message[FX_EVENTS_MESSAGE_BYTES + 1];
    const bool is_left = state == FX_NATIVE_LEFT;
    (void)snprintf(message, sizeof message,
                   is_left ? "Fixpoint leaves this policy to the API server: %s"
                           : "Fixpoint does not run this policy, because the API server "
                             "may run it: %s",
                   reason);
    ret_event->type = is_left ? "Normal" : "Warning";
    ret_event->reason = is_left ? "LeftToAPIServer" : "NotRun";
    make_event(object, fx_text_of(message), ret_event);
}

void fx_event_of_cause(const struct fx_cluster_object *object, const char *reason,
                       struct fx_text message, struct fx_event *ret_event) {
    ret_event->type = "Warning";
    ret_event->reason = reason;
    make_event(object, message, ret_event);
}

/* ---- bodies ---------------------------------------------------------------------- */

/* Prints `NAME.DIGEST`, a subdomain of RFC 1123. A name that is too long is cut, but
 * never after a dot or dash. */
static void print_name(struct fx_text name, uint64_t digest, char out[NAME_BYTES]) {
    const size_t room = NAME_BYTES - 1 - HASH_CHARS;
    size_t len = name.len < room ? name.len : room;
    while (len > 0 && (name.data[len - 1] == '.' || name.data[len - 1] == '-')) {
        len--;
    }
    (void)snprintf(out, NAME_BYTES, "%.*s%s%016" PRIx64, (int)len,
                   len == 0 ? "" : name.data, len == 0 ? "" : ".", digest);
}

json_t *fx_event_new(const struct fx_cluster_identity *identity,
                     const struct fx_cluster_object *object, const struct fx_event *event,
                     int64_t now) {
    const bool has_namespace = object->namespace_.len > 0;
    char name[NAME_BYTES];
    char date[FX_DATE];
    json_t *involved = json_object();
    print_name(object->name, event->digest, name);
    fx_date_print(now, date);
    if (involved == NULL || !fx_kube_body_set_type(involved, object->resource) ||
        !fx_kube_body_set_identity(involved, object->namespace_, object->name,
                                   object->uid)) {
        json_decref(involved);
        return NULL;
    }
    const struct fx_text namespace_ =
        has_namespace ? object->namespace_ : FX_TEXT(FX_EVENTS_NAMESPACE);
    return json_pack("{s:s, s:s, s:{s:s, s:s#}, s:o, s:s, s:s, s:s, s:{s:s}, s:s, s:s, "
                     "s:s, s:s, s:i}",
                     "apiVersion", "v1", "kind", "Event", "metadata", "name", name,
                     "namespace", namespace_.data, (int)namespace_.len, "involvedObject",
                     involved, "type", event->type, "reason", event->reason, "message",
                     event->message, "source", "component", COMPONENT,
                     "reportingComponent", COMPONENT, "reportingInstance", identity->pod,
                     "firstTimestamp", date, "lastTimestamp", date, "count", 1);
}

/* An Event with an invalid date, or a date in the future, is due: otherwise no replica
 * would ever count it up. */
bool fx_event_is_due(const json_t *existing, int64_t now) {
    int64_t last = 0;
    return !fx_date_parse(fx_tree_view_string(existing, "lastTimestamp"), &last) ||
           last > now || now - last >= FX_EVENTS_REPEAT_S;
}

json_t *fx_event_count_up(const json_t *existing, int64_t now) {
    const json_int_t count = json_integer_value(fx_tree_view_key(existing, "count"));
    const json_int_t next = count < 1 ? 2 : count < INT32_MAX ? count + 1 : INT32_MAX;
    json_t *metadata = NULL;
    json_t *body = fx_kube_body_for(existing, &metadata);
    if (body == NULL || !fx_kube_body_set_date(body, "lastTimestamp", now) ||
        !fx_tree_set_take(body, FX_TEXT("count"), json_integer(next))) {
        json_decref(body);
        return NULL;
    }
    return body;
}

/* ---- known errors ---------------------------------------------------------------- */

void fx_events_known_finish(struct fx_events_known *known) {
    free(known->items);
    *known = (struct fx_events_known){0};
}

void fx_events_known_begin(struct fx_events_known *known) {
    known->pass++;
}

static int compare_digest(const void *key, const void *item) {
    const uint64_t *digest = key;
    const struct fx_event_known *known = item;
    return *digest < known->digest ? -1 : *digest > known->digest;
}

static size_t find_index(const struct fx_events_known *known, uint64_t digest,
                         bool *ret_found) {
    return fx_sorted_find(known->items, known->n_items, sizeof *known->items, &digest,
                          compare_digest, ret_found);
}

bool fx_events_known_add(struct fx_events_known *known, uint64_t digest, bool *ret_new) {
    bool found = false;
    const size_t at = find_index(known, digest, &found);
    *ret_new = !found;
    if (!found) {
        if (!FX_VEC_GROW(known->items, known->n_items, known->cap_items)) {
            return false;
        }
        FX_SORTED_INSERT(known->items, known->n_items, at);
    }
    known->items[at] = (struct fx_event_known){digest, known->pass};
    return true;
}

void fx_events_known_forget(struct fx_events_known *known, uint64_t digest) {
    bool found = false;
    const size_t at = find_index(known, digest, &found);
    if (found) {
        known->items[at].pass--;
    }
}

void fx_events_known_end(struct fx_events_known *known) {
    size_t n = 0;
    for (size_t i = 0; i < known->n_items; i++) {
        if (known->items[i].pass == known->pass) {
            known->items[n++] = known->items[i];
        }
    }
    known->n_items = n;
}

/* ---- the rate -------------------------------------------------------------------- */

/* Each Event takes one interval of the rate; a burst may take them in advance. */
bool fx_events_rate_take(struct fx_events_rate *rate, uint64_t now_ns) {
    const uint64_t from_ns = rate->paid_until_ns > now_ns ? rate->paid_until_ns : now_ns;
    if (from_ns - now_ns > (BURST - 1) * INTERVAL_NS) {
        return false;
    }
    rate->paid_until_ns = from_ns + INTERVAL_NS;
    return true;
}
