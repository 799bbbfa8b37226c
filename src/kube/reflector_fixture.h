/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_fixture.h - for the tests of the reflector: one in a hurry, and what it
 * reported, as one line of text:
 *
 *     +always-pull@4004 synced =watching -always-pull
 */
#ifndef FX_KUBE_REFLECTOR_FIXTURE_H
#define FX_KUBE_REFLECTOR_FIXTURE_H

#include "kube/api_fixture.h"

#include <stdio.h>

#include "kube/reflector_internal.h"
#include "value/tree.h"

struct fixture {
    struct api api;
    struct fx_kube_client *client;
    struct fx_kube_reflector *reflector;
    struct fx_buf reported;
    struct fx_kube_failure failure; /* of the last on_state() */
    json_t *object;                 /* of the last on_object() */
    bool with_api_version;          /* +v1/name@version */
};

/* No test waits for a pause, but for those about pauses. */
static const struct fx_kube_delays fast = {
    .backoff_min_ms = 2,
    .backoff_max_ms = 8,
    .second_ms = 1,
    .max_retry_after_ms = 60,
    .absent_min_ms = 5,
    .absent_max_ms = 10,
    .interval_ms = 1,
    .healthy_ms = TIMEOUT_MS,
    .watch_min_s = 300,
    .watch_max_s = 300,
    .silence_ms = 30000,
    .preferred_ms = TIMEOUT_MS,
    .page = 500,
};

static inline void note(struct fixture *fixture, const char *mark,
                        struct fx_text namespace_, struct fx_text name) {
    fx_buf_printf(&fixture->reported, "%s%s%.*s%s%.*s",
                  fixture->reported.len > 0 ? " " : "", mark, (int)namespace_.len,
                  namespace_.len > 0 ? namespace_.data : "",
                  namespace_.len > 0 ? "/" : "", FX_TEXT_ARG(name));
}

static inline bool on_object(json_t *object, void *user) {
    struct fixture *fixture = user;
    struct fx_kube_identity identity;
    assert_true(fx_kube_object_identify(object, &identity));
    assert_true(json_is_string(json_object_get(object, "kind")));
    assert_null(fx_tree_view_key(fx_tree_view_key(object, "metadata"), "managedFields"));
    note(fixture, "+", identity.namespace_, identity.name);
    fx_buf_printf(&fixture->reported, "@%.*s", FX_TEXT_ARG(identity.version));
    if (fixture->with_api_version) {
        fx_buf_printf(&fixture->reported, ":%s",
                      json_string_value(json_object_get(object, "apiVersion")));
    }
    json_decref(fixture->object);
    fixture->object = json_incref(object);
    return true;
}

static inline void on_gone(struct fx_text namespace_, struct fx_text name, void *user) {
    note(user, "-", namespace_, name);
}

static inline void on_synced(void *user) {
    note(user, "synced", (struct fx_text){0}, FX_TEXT(""));
}

static inline void on_state(enum fx_kube_state state,
                            const struct fx_kube_failure *failure, void *user) {
    struct fixture *fixture = user;
    note(fixture, "=", (struct fx_text){0}, fx_text_of(fx_kube_state_name(state)));
    assert_true((failure != NULL) == (state == FX_KUBE_STATE_FAILING));
    if (failure != NULL) {
        fixture->failure = *failure;
        fx_buf_printf(&fixture->reported, ":%s", fx_kube_reason_name(failure->reason));
    }
}

static const struct fx_kube_reflector_events reflector_events = {
    .on_object = on_object,
    .on_gone = on_gone,
    .on_synced = on_synced,
    .on_state = on_state,
};

static const struct fx_kube_reflector_options all_assigns = {.versions = &assign,
                                                             .n_versions = 1};

static inline void fixture_begin(struct fixture *fixture) {
    struct fx_kube_config config = {0};
    *fixture = (struct fixture){0};
    api_start(&fixture->api, NULL);
    fixture->client = make_client(&fixture->api, &config, NULL, NULL);
}

static inline void reflect(struct fixture *fixture,
                           const struct fx_kube_reflector_options *options,
                           const struct fx_kube_delays *pauses) {
    struct fx_err err = FX_ERR_INIT;
    fixture->reflector =
        fx_kube_reflector_create(&fixture->api.server.loop, fixture->client, options,
                                 &reflector_events, fixture, &err);
    assert_non_null(fixture->reflector);
    fx_kube_reflector_set_delays(fixture->reflector, pauses);
}

/* A reflector of all Assigns, with these answers. */
static inline void fixture_start(struct fixture *fixture, const struct reply *replies,
                                 size_t n_replies) {
    fixture_begin(fixture);
    api_set_replies(&fixture->api, replies, n_replies);
    reflect(fixture, &all_assigns, &fast);
}

static inline void fixture_finish(struct fixture *fixture) {
    fx_kube_reflector_close(fixture->reflector);
    fx_kube_client_close(fixture->client);
    api_finish(&fixture->api);
    fx_buf_finish(&fixture->reported);
    json_decref(fixture->object);
}

/* Until so many requests have come, of which the last ones may wait for an answer. */
static inline void await_requests(struct fixture *fixture, size_t n) {
    RUN_UNTIL(&fixture->api, fixture->api.server.n_requests >= n);
}

static inline void await_reported(struct fixture *fixture, const char *end) {
    RUN_UNTIL(&fixture->api, fx_text_ends((struct fx_text){fixture->reported.data == NULL
                                                               ? ""
                                                               : fixture->reported.data,
                                                           fixture->reported.len},
                                          fx_text_of(end)));
}

static inline void expect_reported(struct fixture *fixture, const char *reported) {
    assert_string_equal(fixture->reported.data == NULL ? "" : fixture->reported.data,
                        reported);
}

static inline void clear_reported(struct fixture *fixture) {
    fx_buf_reset(&fixture->reported);
    fx_buf_reset(&fixture->api.server.received);
}

static inline struct fx_kube_reflector_status status_of(const struct fixture *fixture) {
    struct fx_kube_reflector_status status;
    fx_kube_reflector_get_status(fixture->reflector, &status);
    return status;
}

/* ---- answers ---- */

#define OBJECT(name, uid, version)                        \
    "{\"metadata\":{\"name\":\"" name "\",\"uid\":\"" uid \
    "\",\"resourceVersion\":\"" version "\"}}"
#define LIST_OF(version, token, items)                                               \
    OK_HEAD "Connection: close\r\n\r\n{\"metadata\":{\"resourceVersion\":\"" version \
            "\",\"continue\":\"" token "\"},\"items\":[" items "]}"
#define LIST(about, version, items) {about, LIST_OF(version, "", items), CLOSE, 0}
#define PAGE(about, version, token, items) \
    {about, LIST_OF(version, token, items), CLOSE, 0}

/* A stream that the end of the connection ends, so that no chunk need be counted. */
#define STREAM              OK_HEAD "Connection: close\r\n\r\n"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(version) \
    EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"" version "\"}}")
#define ERROR(code, reason)                                                      \
    EVENT("ERROR", "{\"kind\":\"Status\",\"code\":" code ",\"reason\":\"" reason \
                   "\",\"message\":\"so it is\"}")

#define STATUS(status, reason)                                                \
    "HTTP/1.1 " status " X\r\nConnection: close\r\n\r\n{\"kind\":\"Status\"," \
    "\"code\":" status ",\"reason\":\"" reason "\",\"message\":\"so it is\"}"

/* What a request has in it. */
#define IS_LIST "/v1/assign?limit=500 "
#define IS_WATCH                                                         \
    "/v1/assign?watch=true&allowWatchBookmarks=true&timeoutSeconds=300&" \
    "resourceVersion="
#define FROM(version) IS_WATCH version " "

#endif
