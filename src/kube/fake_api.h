/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/fake_api.h - for tests: a fake API server that keeps objects. It supports paths,
 * names and versions, lists in pages, watches, and the part of server-side apply that the
 * tests need: fields are merged, webhooks by name, an entry of `status.byPod` belongs to
 * the manager `fixpoint-ID`, and all annotations of a webhook configuration belong to
 * `fixpoint-disable`. It runs on the loop of the client. Answers of a real server are
 * tested by kube/client_test.c and tests/e2e.
 */
#ifndef FX_KUBE_FAKE_API_H
#define FX_KUBE_FAKE_API_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/macros.h"
#include "kube/client.h"
#include "kube/config.h"
#include "net/fake_server_fixture.h"
#include "value/json.h"
#include "value/tree.h"

#define FAKE_TIMEOUT_MS 120000
#define FAKE_FAULTS     4

/* The event of a watch whose version is too old. */
#define FAKE_EXPIRED                                                               \
    "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":" \
    "\"Expired\",\"message\":\"so it is\"}}\n"

/* The answer to the next `times` requests whose line starts with `about`. */
struct fake_fault {
    const char *about;
    unsigned status, times;
    bool silent; /* no answer at all */
};

struct fake_api {
    struct fake_server server;
    char url[64];
    json_t *objects;     /* path → object */
    json_t *collections; /* path → kind of its objects, or true */
    json_t *history;     /* of all changes: {"version", "path", "event"}, for watches */
    unsigned version;
    unsigned oldest; /* watches from versions before it are answered 410 */
    bool endless;    /* lists have no last page: the first page is sent again and again */
    const char *metrics;    /* the page /metrics, as text; NULL: there is none */
    struct fx_buf writes;   /* a line for each write: `PATCH PATH MANAGER BODY` */
    struct fx_buf requests; /* a line for each request: `GET PATH?QUERY` */
    struct fake_fault faults[FAKE_FAULTS];
};

/* A parsed request. */
struct fake_request {
    struct fx_text method;
    char *path, *query; /* the path without its subresource */
    bool is_status;
    json_t *body; /* NULL: none */
};

/* ---- writing ---- */

static inline struct fake_api *fake_api_of(const struct fake_connection *connection) {
    return connection->server->user;
}

static inline void fake_send(struct fake_connection *connection,
                             struct fx_buf *bytes_take) {
    assert_false(bytes_take->failed);
    fx_stream_write(&connection->stream, fx_buf_view(bytes_take));
    fx_buf_finish(bytes_take);
}

static inline void fake_send_chunk(struct fake_connection *connection,
                                   const char *event) {
    struct fx_buf bytes = {0};
    fx_buf_printf(&bytes, "%zx\r\n%s\r\n", strlen(event), event);
    fake_send(connection, &bytes);
}

static inline void fake_answer(struct fake_connection *connection, unsigned status,
                               const json_t *body) {
    struct fx_buf text = {0};
    struct fx_buf bytes = {0};
    fx_json_write(&text, body, FX_JSON_COMPACT);
    fx_buf_printf(&bytes,
                  "HTTP/1.1 %u X\r\nContent-Type: application/json\r\n"
                  "Content-Length: %zu\r\n\r\n",
                  status, text.len);
    fx_buf_add(&bytes, text.data, text.len);
    fx_buf_finish(&text);
    fake_send(connection, &bytes);
}

static inline void fake_answer_error(struct fake_connection *connection, unsigned status,
                                     const char *reason, const char *name) {
    json_t *body = json_pack("{s:s,s:s,s:i,s:s,s:s,s:{s:s}}", "kind", "Status", "status",
                             "Failure", "code", (int)status, "reason", reason, "message",
                             "so it is", "details", "name", name);
    assert_non_null(body);
    fake_answer(connection, status, body);
    json_decref(body);
}

/* ---- objects ---- */

static inline const char *fake_name_of(const char *path) {
    return strrchr(path, '/') + 1;
}

/* The path as it would be if its object lived in no namespace: the collection of those of
 * all namespaces has it, too. */
static inline void fake_remove_namespace(const char *path, char *out, size_t size) {
    static const char step[] = "/namespaces/";
    const char *at = strstr(path, step);
    const char *rest = at == NULL ? NULL : strchr(at + strlen(step), '/');
    (void)snprintf(out, size, "%.*s%s",
                   rest == NULL ? (int)strlen(path) : (int)(at - path), path,
                   rest == NULL ? "" : rest);
}

static inline bool fake_is_in(const char *path, const char *collection) {
    const size_t len = strlen(collection);
    char bare[600];
    fake_remove_namespace(path, bare, sizeof bare);
    if (strncmp(bare, collection, len) == 0) {
        path = bare;
    }
    return strncmp(path, collection, len) == 0 && path[len] == '/' &&
           strchr(path + len + 1, '/') == NULL;
}

static inline void fake_notify_watchers(struct fake_api *api, const char *type,
                                        const char *path, const json_t *object) {
    struct fx_buf event = {0};
    fx_buf_printf(&event, "{\"type\":\"%s\",\"object\":", type);
    fx_json_write(&event, object, FX_JSON_COMPACT);
    fx_buf_str(&event, "}\n");
    for (struct fake_connection *at = api->server.connections; at != NULL;
         at = at->next) {
        if (at->watches != NULL && fake_is_in(path, at->watches)) {
            fake_send_chunk(at, event.data);
        }
    }
    assert_int_equal(
        json_array_append_new(api->history,
                              json_pack("{s:i,s:s,s:s}", "version", (int)api->version,
                                        "path", path, "event", event.data)),
        0);
    fx_buf_finish(&event);
}

static inline void fake_set_version(struct fake_api *api, json_t *object) {
    char text[32];
    json_t *metadata = json_object_get(object, "metadata");
    assert_non_null(metadata);
    (void)snprintf(text, sizeof text, "%u", ++api->version);
    assert_int_equal(json_object_set_new(metadata, "resourceVersion", json_string(text)),
                     0);
}

/* Stores the object under the path, as a new version; takes it over. */
static inline void fake_store(struct fake_api *api, const char *path, json_t *object) {
    char text[32];
    const bool is_new = json_object_get(api->objects, path) == NULL;
    json_t *metadata = json_object_get(object, "metadata");
    fake_set_version(api, object);
    if (json_object_get(metadata, "uid") == NULL) {
        (void)snprintf(text, sizeof text, "uid-%u", api->version);
        assert_int_equal(json_object_set_new(metadata, "uid", json_string(text)), 0);
    }
    assert_int_equal(json_object_set_new(api->objects, path, object), 0);
    fake_notify_watchers(api, is_new ? "ADDED" : "MODIFIED", path, object);
}

static inline void fake_put(struct fake_api *api, const char *path, const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *object = fx_json_read(fx_text_of(text), NULL, &err);
    if (object == NULL) {
        fail_msg("%s: %s", err.msg, text);
    }
    fake_store(api, path, object);
}

static inline json_t *fake_view(const struct fake_api *api, const char *path) {
    return json_object_get(api->objects, path);
}

static inline void fake_delete(struct fake_api *api, const char *path) {
    json_t *object = json_incref(fake_view(api, path));
    assert_non_null(object);
    fake_set_version(api, object);
    assert_int_equal(json_object_del(api->objects, path), 0);
    fake_notify_watchers(api, "DELETED", path, object);
    json_decref(object);
}

/* ---- server-side apply, a little ---- */

static inline json_t *fake_entries(json_t *object) {
    json_t *status = json_object_get(object, "status");
    if (status == NULL) {
        status = json_object();
        assert_int_equal(json_object_set_new(object, "status", status), 0);
    }
    json_t *entries = json_object_get(status, "byPod");
    if (entries == NULL) {
        entries = json_array();
        assert_int_equal(json_object_set_new(status, "byPod", entries), 0);
    }
    return entries;
}

static inline void fake_drop_entry(json_t *entries, const char *id) {
    for (size_t i = json_array_size(entries); i > 0; i--) {
        const json_t *entry = json_array_get(entries, i - 1);
        if (fx_text_is(fx_tree_view_string(entry, "id"), id)) {
            assert_int_equal(json_array_remove(entries, i - 1), 0);
        }
    }
}

/* Replaces the manager's former fields by those that it applies. */
static inline void fake_apply_status(json_t *object, const json_t *body,
                                     const char *manager) {
    json_t *entries = fake_entries(object);
    const json_t *own = fx_tree_view_key(fx_tree_view_key(body, "status"), "byPod");
    json_t *conditions = json_object_get(json_object_get(body, "status"), "conditions");
    if (strncmp(manager, "fixpoint-", strlen("fixpoint-")) == 0) {
        fake_drop_entry(entries, manager + strlen("fixpoint-"));
    }
    if (conditions != NULL) {
        json_t *status = json_object_get(object, "status");
        assert_int_equal(json_object_set(status, "conditions", conditions), 0);
    }
    for (size_t i = 0; i < json_array_size(own); i++) {
        assert_int_equal(json_array_append(entries, json_array_get(own, i)), 0);
    }
}

/* The webhook of that name gets these fields; of clientConfig, these among others. */
static inline void fake_merge_webhook(json_t *webhooks, json_t *webhook) {
    const struct fx_text name = fx_tree_view_string(webhook, "name");
    const char *key = NULL;
    size_t i = 0;
    json_t *own = NULL;
    json_t *value = NULL;
    json_array_foreach (webhooks, i, own) {
        if (fx_text_equal(fx_tree_view_string(own, "name"), name)) {
            break;
        }
    }
    assert_true(i < json_array_size(webhooks));
    json_object_foreach (webhook, key, value) {
        json_t *config = json_object_get(own, "clientConfig");
        assert_int_equal(strcmp(key, "clientConfig") == 0 && config != NULL
                             ? json_object_update(config, value)
                             : json_object_set(own, key, value),
                         0);
    }
}

static inline void fake_apply_webhooks(json_t *object, json_t *body,
                                       const char *manager) {
    json_t *webhooks = json_object_get(body, "webhooks");
    json_t *annotations =
        json_object_get(json_object_get(body, "metadata"), "annotations");
    size_t i = 0;
    json_t *webhook = NULL;
    json_array_foreach (webhooks, i, webhook) {
        fake_merge_webhook(json_object_get(object, "webhooks"), webhook);
    }
    if (strcmp(manager, "fixpoint-disable") == 0) {
        json_t *metadata = json_object_get(object, "metadata");
        (void)json_object_del(metadata, "annotations");
        assert_true(annotations == NULL ||
                    json_object_set(metadata, "annotations", annotations) == 0);
    }
}

static inline const char *fake_text(const json_t *object, const char *key) {
    return json_string_value(fx_tree_view_key(fx_tree_view_key(object, "metadata"), key));
}

/* A field of the metadata that was sent must be that of the object. */
static inline bool fake_differs(const json_t *object, const json_t *body,
                                const char *key) {
    const char *sent = fake_text(body, key);
    return sent != NULL && strcmp(sent, fake_text(object, key)) != 0;
}

/* ---- requests ---- */

static inline void fake_record_write(struct fake_api *api,
                                     const struct fake_request *request) {
    const char *manager = strstr(request->query, "fieldManager=");
    const size_t len = manager == NULL ? 0 : strcspn(manager + 13, "&");
    fx_buf_printf(&api->writes, "%.*s %s%s %.*s ", FX_TEXT_ARG(request->method),
                  request->path, request->is_status ? "/status" : "", (int)len,
                  manager == NULL ? "" : manager + 13);
    fx_json_write(&api->writes, request->body, FX_JSON_COMPACT);
    fx_buf_char(&api->writes, '\n');
}

static inline void fake_change(struct fake_connection *connection,
                               const struct fake_request *request) {
    struct fake_api *api = fake_api_of(connection);
    const json_t *before = fake_view(api, request->path);
    fake_record_write(api, request);
    if (before == NULL) {
        fake_answer_error(connection, 404, "NotFound", fake_name_of(request->path));
        return;
    }
    if (fake_differs(before, request->body, "uid") ||
        fake_differs(before, request->body, "resourceVersion")) {
        fake_answer_error(connection, 409, "Conflict", fake_name_of(request->path));
        return;
    }
    json_t *after = json_deep_copy(before);
    const bool applies = fx_text_is(request->method, "PATCH");
    const char *manager = strstr(request->query, "fieldManager=");
    char name[200] = "";
    if (manager != NULL) {
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(manager + 13, "&"),
                       manager + 13);
    }
    if (applies && request->is_status) {
        fake_apply_status(after, request->body, name);
    } else if (applies && json_object_get(after, "webhooks") != NULL) {
        fake_apply_webhooks(after, request->body, name);
    } else if (applies) {
        /* One manager owns all of a `spec`: what it no longer says is gone. */
        if (json_object_get(request->body, "spec") != NULL) {
            (void)json_object_del(after, "spec");
        }
        assert_int_equal(json_object_update_recursive(after, request->body), 0);
    } else {
        assert_int_equal(
            json_object_set(after, "status", json_object_get(request->body, "status")),
            0);
    }
    fake_store(api, request->path, after);
    fake_answer(connection, 200, after);
}

/* The user `bob` may do everything. */
static inline void fake_review_access(struct fake_connection *connection,
                                      const json_t *review) {
    const json_t *spec = fx_tree_view_key(review, "spec");
    json_t *answer =
        json_pack("{s:s,s:{s:b}}", "kind", "SubjectAccessReview", "status", "allowed",
                  fx_text_is(fx_tree_view_string(spec, "user"), "bob"));
    assert_non_null(answer);
    fake_answer(connection, 201, answer);
    json_decref(answer);
}

static inline void fake_create(struct fake_connection *connection,
                               const struct fake_request *request) {
    if (strstr(request->path, "/subjectaccessreviews") != NULL) {
        fake_record_write(fake_api_of(connection), request);
        fake_review_access(connection, request->body);
        return;
    }
    struct fx_buf path = {0};
    fx_buf_printf(&path, "%s/%s", request->path, fake_text(request->body, "name"));
    fake_record_write(fake_api_of(connection), request);
    if (fake_view(fake_api_of(connection), path.data) != NULL) {
        fake_answer_error(connection, 409, "AlreadyExists", fake_name_of(path.data));
    } else {
        fake_store(fake_api_of(connection), path.data, json_deep_copy(request->body));
        fake_answer(connection, 201, fake_view(fake_api_of(connection), path.data));
    }
    fx_buf_finish(&path);
}

static inline size_t fake_number(const char *query, const char *key, size_t otherwise) {
    const char *at = strstr(query, key);
    return at == NULL ? otherwise : (size_t)strtoul(at + strlen(key), NULL, 10);
}

static inline void fake_list(struct fake_connection *connection,
                             const struct fake_request *request) {
    struct fake_api *api = fake_api_of(connection);
    const size_t from = fake_number(request->query, "continue=", 0);
    const size_t limit = fake_number(request->query, "limit=", SIZE_MAX);
    char version[16];
    char token[24] = "";
    json_t *items = json_array();
    size_t n = 0;
    const char *path = NULL;
    json_t *object = NULL;
    json_object_foreach (api->objects, path, object) {
        if (!fake_is_in(path, request->path) || n++ < from) {
            continue;
        }
        if (json_array_size(items) == limit) {
            (void)snprintf(token, sizeof token, "%zu", from + limit);
            break;
        }
        assert_int_equal(json_array_append(items, object), 0);
    }
    if (api->endless) {
        (void)snprintf(token, sizeof token, "%zu", from);
    }
    (void)snprintf(version, sizeof version, "%u", api->version);
    json_t *list = json_pack("{s:{s:s,s:s},s:o}", "metadata", "resourceVersion", version,
                             "continue", token, "items", items);
    assert_non_null(list);
    fake_answer(connection, 200, list);
    json_decref(list);
}

/* What has changed since that version. */
static inline void fake_replay(struct fake_connection *connection, unsigned version) {
    size_t i = 0;
    const json_t *change = NULL;
    if (version < fake_api_of(connection)->oldest) {
        fake_send_chunk(connection, FAKE_EXPIRED);
        return;
    }
    json_array_foreach (fake_api_of(connection)->history, i, change) {
        if (json_integer_value(json_object_get(change, "version")) > version &&
            fake_is_in(json_string_value(json_object_get(change, "path")),
                       connection->watches)) {
            fake_send_chunk(connection,
                            json_string_value(json_object_get(change, "event")));
        }
    }
}

static inline void fake_watch(struct fake_connection *connection,
                              const struct fake_request *request) {
    struct fx_buf head = {0};
    fx_buf_str(&head, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n");
    connection->watches = strdup(request->path);
    assert_non_null(connection->watches);
    fake_send(connection, &head);
    fake_replay(connection, (unsigned)fake_number(request->query, "resourceVersion=", 0));
}

/* The resources of a version, from the collections in no namespace. A collection whose
 * value is a text is of that kind, others have none. False: no version. */
static inline bool fake_discover(struct fake_connection *connection, const char *path) {
    json_t *resources = json_array();
    const char *collection = NULL;
    json_t *kind = NULL;
    json_object_foreach (fake_api_of(connection)->collections, collection, kind) {
        char bare[600];
        fake_remove_namespace(collection, bare, sizeof bare);
        if (json_is_string(kind) && fake_is_in(bare, path)) {
            assert_int_equal(
                json_array_append_new(
                    resources, json_pack("{s:s,s:s,s:b}", "name", fake_name_of(bare),
                                         "kind", json_string_value(kind), "namespaced",
                                         strcmp(bare, collection) != 0)),
                0);
        }
    }
    const bool found = json_array_size(resources) > 0;
    json_t *list =
        json_pack("{s:s,s:o}", "kind", "APIResourceList", "resources", resources);
    assert_non_null(list);
    if (found) {
        fake_answer(connection, 200, list);
    }
    json_decref(list);
    return found;
}

static inline void fake_answer_text(struct fake_connection *connection,
                                    const char *text) {
    struct fx_buf bytes = {0};
    fx_buf_printf(&bytes,
                  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                  "Content-Length: %zu\r\n\r\n%s",
                  strlen(text), text);
    fake_send(connection, &bytes);
}

static inline void fake_get(struct fake_connection *connection,
                            const struct fake_request *request) {
    struct fake_api *api = fake_api_of(connection);
    const bool is_list = json_object_get(api->collections, request->path) != NULL;
    if (api->metrics != NULL && strcmp(request->path, "/metrics") == 0) {
        fake_answer_text(connection, api->metrics);
    } else if (is_list && strstr(request->query, "watch=true") != NULL) {
        fake_watch(connection, request);
    } else if (is_list) {
        fake_list(connection, request);
    } else if (fake_view(api, request->path) != NULL) {
        fake_answer(connection, 200, fake_view(api, request->path));
    } else if (fake_discover(connection, request->path)) {
        return;
    } else if (strstr(request->query, "limit=") != NULL) {
        fake_answer_error(connection, 404, "NotFound", ""); /* no such resource */
    } else {
        fake_answer_error(connection, 404, "NotFound", fake_name_of(request->path));
    }
}

/* True where a fault was the answer. */
static inline bool fake_inject_fault(struct fake_connection *connection,
                                     const char *line) {
    for (size_t i = 0; i < FAKE_FAULTS; i++) {
        struct fake_fault *fault = &fake_api_of(connection)->faults[i];
        if (fault->times > 0 && strncmp(line, fault->about, strlen(fault->about)) == 0) {
            fault->times--;
            if (!fault->silent) {
                fake_answer_error(connection, fault->status, "Fault", "it");
            }
            return true;
        }
    }
    return false;
}

static inline void fake_handle_request(struct fake_connection *connection) {
    char *line = connection->received.data;
    char *body = strstr(line, "\r\n\r\n") + 4;
    struct fx_err err = FX_ERR_INIT;
    line[strcspn(line, "\r\n")] = '\0';
    *strrchr(line, ' ') = '\0'; /* HTTP/1.1 */
    fx_buf_printf(&fake_api_of(connection)->requests, "%s\n", line);
    if (fake_inject_fault(connection, line)) {
        return;
    }
    struct fake_request request = {.method = {line, strcspn(line, " ")}};
    request.path = strchr(line, ' ') + 1;
    request.query = request.path + strcspn(request.path, "?");
    if (*request.query == '?') {
        *request.query++ = '\0';
    }
    char *end = strstr(request.path, "/status");
    if (end != NULL) {
        *end = '\0';
        request.is_status = true;
    }
    request.body = *body == '\0' ? NULL : fx_json_read(fx_text_of(body), NULL, &err);
    if (fx_text_is(request.method, "GET")) {
        fake_get(connection, &request);
    } else if (fx_text_is(request.method, "POST")) {
        fake_create(connection, &request);
    } else {
        fake_change(connection, &request);
    }
    json_decref(request.body);
}

/* ---- all of it ---- */

static inline void fake_collect(struct fake_api *api, const char *path) {
    assert_int_equal(json_object_set_new(api->collections, path, json_true()), 0);
}

/* A collection whose kind the server names: a path with "/namespaces/NAME/" makes it a
 * namespaced one. */
static inline void fake_collect_kind(struct fake_api *api, const char *path,
                                     const char *kind) {
    assert_int_equal(json_object_set_new(api->collections, path, json_string(kind)), 0);
}

static inline void fake_start(struct fake_api *api) {
    *api = (struct fake_api){
        .objects = json_object(), .collections = json_object(), .history = json_array()};
    fake_server_start(&api->server, NULL);
    api->server.on_request = fake_handle_request;
    api->server.user = api;
    (void)snprintf(api->url, sizeof api->url, "http://127.0.0.1:%u", api->server.port);
    fx_buf_str(&api->writes, "");
    fx_buf_str(&api->requests, "");
}

static inline struct fx_kube_client *fake_client(struct fake_api *api) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_kube_config config = {.server = api->url};
    struct fx_kube_client *client =
        fx_kube_client_create(&api->server.loop, &config, NULL, NULL, &err);
    if (client == NULL) {
        fail_msg("no client: %s", err.msg);
    }
    return client;
}

/* Everything of ours is closed: nothing keeps the loop alive but the server. */
static inline void fake_finish(struct fake_api *api) {
    fake_server_finish(&api->server);
    json_decref(api->objects);
    json_decref(api->collections);
    json_decref(api->history);
    fx_buf_finish(&api->writes);
    fx_buf_finish(&api->requests);
}

static inline uint64_t fake_now_ms(void) {
    return fx_clock_ns() / 1000000;
}

static inline void fake_run_for(struct fake_api *api, uint64_t ms) {
    for (const uint64_t end = fake_now_ms() + ms; fake_now_ms() < end;) {
        (void)uv_run(&api->server.loop, UV_RUN_NOWAIT);
        uv_sleep(1);
    }
}

/* Runs until it is so; fails where patience ends before. */
#define FAKE_UNTIL(api, what)                                                   \
    do {                                                                        \
        for (const uint64_t end_ = fake_now_ms() + FAKE_TIMEOUT_MS; !(what);) { \
            assert_true(fake_now_ms() < end_);                                  \
            (void)uv_run(&(api)->server.loop, UV_RUN_NOWAIT);                   \
            uv_sleep(1);                                                        \
        }                                                                       \
    } while (0)

static inline size_t fake_count(const struct fx_buf *lines, const char *start) {
    size_t n = 0;
    for (const char *at = lines->data; at != NULL && *at != '\0';) {
        n += strncmp(at, start, strlen(start)) == 0 ? 1 : 0;
        at = strchr(at, '\n');
        at = at == NULL ? NULL : at + 1;
    }
    return n;
}

#endif
