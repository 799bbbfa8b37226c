/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/events_plan.c - Events from errors.
 */
#include "cluster/status/events_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "base/hash.h"
#include "base/vec.h"
#include "cluster/status/status.h"
#include "kube/body.h"
#include "value/tree.h"

#define COMPONENT  "fixpoint"
#define NAME_BYTES 254 /* a name has 253 characters at most */
#define HASH_CHARS 17  /* with the dot before it */

#define BURST       25
#define INTERVAL_NS UINT64_C(5000000000)

/* ---- what is told ---------------------------------------------------------------- */

static void copy_message(struct fx_text text, char out[FX_EVENTS_MESSAGE_BYTES + 1]) {
    static const char ellipsis[] = "…";
    const bool fits = text.len <= FX_EVENTS_MESSAGE_BYTES;
    const size_t room = FX_EVENTS_MESSAGE_BYTES - (sizeof ellipsis - 1);
    const size_t len = fits ? text.len : fx_text_rune_floor(text.data, room);
    (void)snprintf(out, FX_EVENTS_MESSAGE_BYTES + 1, "%.*s%s", (int)len,
                   len == 0 ? "" : text.data, fits ? "" : ellipsis);
}

void fx_event_read(const struct fx_cluster_object *object, const json_t *error,
                   struct fx_event *ret_event) {
    ret_event->reason = fx_cluster_status_reason(error);
    copy_message(fx_tree_view_string(error, "message"), ret_event->message);
    uint64_t digest = fx_hash_text(FX_HASH_START, object->uid);
    digest = fx_hash_bytes(digest, &object->generation, sizeof object->generation);
    digest = fx_hash_text(digest, fx_text_of(ret_event->reason));
    ret_event->digest = fx_hash_text(digest, fx_text_of(ret_event->message));
}

/* ---- bodies ---------------------------------------------------------------------- */

/* `NAME.DIGEST`, a subdomain of RFC 1123: a name that is too long is cut, and not behind
 * a dot or dash. */
static void print_name(struct fx_text name, uint64_t digest, char out[NAME_BYTES]) {
    const size_t room = NAME_BYTES - 1 - HASH_CHARS;
    size_t len = name.len < room ? name.len : room;
    while (len > 0 && (name.data[len - 1] == '.' || name.data[len - 1] == '-')) {
        len--;
    }
    (void)snprintf(out, NAME_BYTES, "%.*s%s%016" PRIx64, (int)len,
                   len == 0 ? "" : name.data, len == 0 ? "" : ".", digest);
}

static bool set_word(json_t *object, const char *key, const char *value) {
    return fx_kube_body_set_text(object, key, fx_text_of(value));
}

static bool set_date(json_t *object, const char *key, int64_t seconds) {
    char date[FX_DATE];
    fx_date_print(seconds, date);
    return set_word(object, key, date);
}

/* Sets a new object, which is borrowed from then on; NULL without memory. */
static json_t *set_object(json_t *parent, const char *key) {
    json_t *child = json_object();
    return fx_tree_set_take(parent, fx_text_of(key), child) ? child : NULL;
}

static bool fill_involved(json_t *involved, const struct fx_cluster_object *object) {
    return involved != NULL && fx_kube_body_set_type(involved, object->resource) &&
           fx_kube_body_set_identity(involved, object->namespace_, object->name,
                                     object->uid);
}

static bool fill_metadata(json_t *metadata, const struct fx_cluster_object *object,
                          const struct fx_event *event) {
    const bool has_namespace = object->namespace_.len > 0;
    char name[NAME_BYTES];
    print_name(object->name, event->digest, name);
    return metadata != NULL && set_word(metadata, "name", name) &&
           fx_kube_body_set_text(metadata, "namespace",
                                 has_namespace ? object->namespace_
                                               : FX_TEXT(FX_EVENTS_NAMESPACE));
}

static bool fill_source(json_t *source) {
    return source != NULL && set_word(source, "component", COMPONENT);
}

static bool fill(json_t *body, const struct fx_cluster_identity *identity,
                 const struct fx_cluster_object *object, const struct fx_event *event,
                 int64_t now) {
    return set_word(body, "apiVersion", "v1") && set_word(body, "kind", "Event") &&
           fill_metadata(set_object(body, "metadata"), object, event) &&
           fill_involved(set_object(body, "involvedObject"), object) &&
           set_word(body, "type", "Warning") && set_word(body, "reason", event->reason) &&
           set_word(body, "message", event->message) &&
           fill_source(set_object(body, "source")) &&
           set_word(body, "reportingComponent", COMPONENT) &&
           set_word(body, "reportingInstance", identity->pod) &&
           set_date(body, "firstTimestamp", now) &&
           set_date(body, "lastTimestamp", now) &&
           fx_tree_set_take(body, FX_TEXT("count"), json_integer(1));
}

json_t *fx_event_new(const struct fx_cluster_identity *identity,
                     const struct fx_cluster_object *object, const struct fx_event *event,
                     int64_t now) {
    json_t *body = json_object();
    if (body == NULL || !fill(body, identity, object, event, now)) {
        json_decref(body);
        return NULL;
    }
    return body;
}

/* One whose date is no date, or lies ahead, is due: nobody would ever count it. */
bool fx_event_is_due(const json_t *there, int64_t now) {
    int64_t last = 0;
    return !fx_date_parse(fx_tree_view_string(there, "lastTimestamp"), &last) ||
           last > now || now - last >= FX_EVENTS_REPEAT_S;
}

json_t *fx_event_count_up(const json_t *there, int64_t now) {
    const json_int_t count = json_integer_value(fx_tree_view_key(there, "count"));
    const json_int_t next = count < 1 ? 2 : count < INT32_MAX ? count + 1 : INT32_MAX;
    json_t *metadata = NULL;
    json_t *body = fx_kube_body_for(there, &metadata);
    if (body == NULL || !set_date(body, "lastTimestamp", now) ||
        !fx_tree_set_take(body, FX_TEXT("count"), json_integer(next))) {
        json_decref(body);
        return NULL;
    }
    return body;
}

/* ---- what is known --------------------------------------------------------------- */

void fx_events_known_finish(struct fx_events_known *known) {
    free(known->items);
    *known = (struct fx_events_known){0};
}

void fx_events_known_begin(struct fx_events_known *known) {
    known->walk++;
}

static size_t lower_bound(const struct fx_events_known *known, uint64_t digest) {
    size_t from = 0;
    size_t to = known->n_items;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (known->items[middle].digest < digest) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

bool fx_events_known_add(struct fx_events_known *known, uint64_t digest, bool *ret_new) {
    const size_t at = lower_bound(known, digest);
    *ret_new = at == known->n_items || known->items[at].digest != digest;
    if (!*ret_new) {
        known->items[at].walk = known->walk;
        return true;
    }
    if (!FX_VEC_GROW(known->items, known->n_items, known->cap_items)) {
        return false;
    }
    struct fx_event_known *slot = known->items + at;
    memmove(slot + 1, slot, (known->n_items - at) * sizeof *slot);
    *slot = (struct fx_event_known){digest, known->walk};
    known->n_items++;
    return true;
}

void fx_events_known_forget(struct fx_events_known *known, uint64_t digest) {
    const size_t at = lower_bound(known, digest);
    if (at < known->n_items && known->items[at].digest == digest) {
        known->items[at].walk--;
    }
}

void fx_events_known_end(struct fx_events_known *known) {
    size_t n = 0;
    for (size_t i = 0; i < known->n_items; i++) {
        if (known->items[i].walk == known->walk) {
            known->items[n++] = known->items[i];
        }
    }
    known->n_items = n;
}

/* ---- the rate -------------------------------------------------------------------- */

/* Each costs an interval; so many of them may be owed. */
bool fx_events_rate_take(struct fx_events_rate *rate, uint64_t now_ns) {
    const uint64_t from_ns = rate->paid_until_ns > now_ns ? rate->paid_until_ns : now_ns;
    if (from_ns - now_ns > (BURST - 1) * INTERVAL_NS) {
        return false;
    }
    rate->paid_until_ns = from_ns + INTERVAL_NS;
    return true;
}
