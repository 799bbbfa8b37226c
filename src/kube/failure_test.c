/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/failure_test.c - recorded and invented refusals of an API server, and the message
 * that users see.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "kube/failure.h"
#include "value/json.h"
#include "value/tree.h"

#define RECORDINGS FX_SOURCE_DIR "/tests/recordings/api/"

static const struct fx_kube_resource assign = {"mutations.gatekeeper.sh", "v1", "assign",
                                               "Assign"};
static const struct fx_kube_resource secrets = {"", "v1", "secrets", "Secret"};

/* ---- recordings -------------------------------------------------------------------- */

struct recording {
    struct fx_buf bytes;
    unsigned status;
    struct fx_text head, body;
};

static void open_recording(const char *name, struct recording *recording) {
    char path[512];
    struct fx_err err = FX_ERR_INIT;
    *recording = (struct recording){0};
    (void)snprintf(path, sizeof path, RECORDINGS "%s", name);
    if (!fx_file_read(path, 1u << 20, &recording->bytes, &err)) {
        fail_msg("%s", err.msg);
    }
    const char *text = recording->bytes.data;
    const char *blank = strstr(text, "\r\n\r\n");
    assert_non_null(blank);
    assert_int_equal(sscanf(text, "HTTP/1.1 %u", &recording->status), 1);
    recording->head = (struct fx_text){text, (size_t)(blank - text) + 4};
    recording->body = fx_text_of(blank + 4);
}

static const struct {
    const char *name;
    enum fx_kube_reason reason;
    const char *text;
} recordings[] = {
    {"401-bad-token.http", FX_KUBE_REASON_UNAUTHORIZED, "401 Unauthorized"},
    {"403-anonymous.http", FX_KUBE_REASON_FORBIDDEN,
     "403 Forbidden: assign.mutations.gatekeeper.sh is forbidden: User "
     "\"system:anonymous\" cannot list resource \"assign\" in API group "
     "\"mutations.gatekeeper.sh\" at the cluster scope"},
    {"404-missing-object.http", FX_KUBE_REASON_NOT_FOUND,
     "404 NotFound: assign.mutations.gatekeeper.sh \"missing\" not found"},
    {"404-unknown-resource.http", FX_KUBE_REASON_UNKNOWN,
     "404 Not Found: 404 page not found"},
    {"409-conflict.http", FX_KUBE_REASON_CONFLICT,
     "409 Conflict: Operation cannot be fulfilled on assign.mutations.gatekeeper.sh "
     "\"always-pull\": the object has been modified; please apply your changes to the "
     "latest version and try again"},
    {"422-invalid.http", FX_KUBE_REASON_INVALID,
     "422 Invalid: Assign.mutations.gatekeeper.sh \"bad\" is invalid: spec.applyTo: "
     "Invalid value: \"string\": spec.applyTo in body must be of type array: "
     "\"string\""},
    {"patch-404.http", FX_KUBE_REASON_NOT_FOUND,
     "404 NotFound: mutatingwebhookconfigurations.admissionregistration.k8s.io \"none\" "
     "not found"},
};

static void recorded_refusals_are_understood(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(recordings); i++) {
        struct recording recording;
        struct fx_kube_failure failure;
        open_recording(recordings[i].name, &recording);
        fx_kube_failure_read(recording.status, recording.head, recording.body, &failure);
        assert_int_equal(failure.reason, recordings[i].reason);
        assert_int_equal(failure.status, recording.status);
        assert_int_equal(failure.retry_after_s, 0);
        assert_string_equal(failure.message, recordings[i].text);
        assert_false(fx_kube_failure_is_temporary(&failure));
        fx_buf_finish(&recording.bytes);
    }
}

/* The object of the one event in a recorded watch. */
static json_t *read_event(const struct recording *recording) {
    struct fx_err err = FX_ERR_INIT;
    const char *from = strchr(recording->body.data, '{');
    const char *to = strrchr(recording->body.data, '}');
    assert_true(from != NULL && to != NULL);
    json_t *event =
        fx_json_read((struct fx_text){from, (size_t)(to - from) + 1}, NULL, &err);
    assert_non_null(event);
    assert_true(fx_text_is(fx_tree_view_string(event, "type"), "ERROR"));
    return event;
}

static void recorded_watch_errors_are_understood(void **state) {
    (void)state;
    struct recording recording;
    struct fx_kube_failure failure;

    open_recording("watch-assign-too-old.http", &recording);
    json_t *event = read_event(&recording);
    fx_kube_failure_of_status(fx_tree_view_key(event, "object"), &failure);
    assert_int_equal(failure.reason, FX_KUBE_REASON_EXPIRED);
    assert_int_equal(failure.status, 410);
    assert_string_equal(failure.message,
                        "410 Expired: too old resource version: 1 (314)");
    json_decref(event);
    fx_buf_finish(&recording.bytes);

    open_recording("watch-error-500-in-stream.http", &recording);
    event = read_event(&recording);
    fx_kube_failure_of_status(fx_tree_view_key(event, "object"), &failure);
    assert_int_equal(failure.reason, FX_KUBE_REASON_SERVER);
    assert_int_equal(failure.status, 500);
    assert_true(fx_kube_failure_is_temporary(&failure));
    json_decref(event);
    fx_buf_finish(&recording.bytes);
}

/* ---- what else there may be -------------------------------------------------------- */

static const struct {
    unsigned status;
    const char *head, *body;
    enum fx_kube_reason reason;
    uint32_t retry_after_s;
    const char *text;
} answers[] = {
    {409, "",
     "{\"kind\":\"Status\",\"reason\":\"AlreadyExists\",\"message\":\"leases \\\"a\\\" "
     "already exists\"}",
     FX_KUBE_REASON_EXISTS, 0, "409 AlreadyExists: leases \"a\" already exists"},
    {409, "", "busy", FX_KUBE_REASON_CONFLICT, 0, "409 Conflict: busy"},
    {404, "",
     "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"message\":\"the server could not "
     "find the requested resource\",\"details\":{\"group\":\"g\"}}",
     FX_KUBE_REASON_UNKNOWN, 0,
     "404 NotFound: the server could not find the requested resource"},
    {404, "", "{\"kind\":\"Status\",\"details\":{\"name\":\"\"}}", FX_KUBE_REASON_UNKNOWN,
     0, "404 Not Found"},
    {404, "", "{\"kind\":\"Status\",\"details\":{\"name\":7}}", FX_KUBE_REASON_UNKNOWN, 0,
     "404 Not Found"},
    {404, "", "{\"details\":{\"name\":\"a\"}}", FX_KUBE_REASON_UNKNOWN, 0,
     "404 Not Found: {\"details\":{\"name\":\"a\"}}"},
    {404, "", "", FX_KUBE_REASON_UNKNOWN, 0, "404 Not Found"},
    {404, "", "{", FX_KUBE_REASON_UNKNOWN, 0, "404 Not Found: {"},
    {410, "", "{\"kind\":\"Status\",\"reason\":\"Gone\"}", FX_KUBE_REASON_EXPIRED, 0,
     "410 Gone"},
    {500, "", "{\"kind\":\"Status\",\"reason\":\"Expired\",\"message\":\"page\"}",
     FX_KUBE_REASON_EXPIRED, 0, "500 Expired: page"},
    {429, "HTTP/1.1 429 x\r\nRetry-After: 3\r\n\r\n", "slow down\nplease",
     FX_KUBE_REASON_BUSY, 3, "429 Too Many Requests: slow down"},
    {429, "HTTP/1.1 429 x\r\nretry-after: 2\r\n\r\n",
     "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":9}}", FX_KUBE_REASON_BUSY,
     2, "429 Too Many Requests"},
    {503, "HTTP/1.1 503 x\r\n\r\n",
     "{\"kind\":\"Status\",\"reason\":\"ServiceUnavailable\",\"details\":"
     "{\"retryAfterSeconds\":9}}",
     FX_KUBE_REASON_SERVER, 9, "503 ServiceUnavailable"},
    {503, "HTTP/1.1 503 x\r\nRetry-After: 99999999999999999999\r\n\r\n", "",
     FX_KUBE_REASON_SERVER, 3600, "503 Service Unavailable"},
    {503, "HTTP/1.1 503 x\r\nRetry-After: Sat, 21 Nov 2026 10:02:33 GMT\r\n\r\n", "",
     FX_KUBE_REASON_SERVER, 0, "503 Service Unavailable"},
    {503, "HTTP/1.1 503 x\r\nRetry-After: -1\r\n\r\n",
     "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":-4}}",
     FX_KUBE_REASON_SERVER, 0, "503 Service Unavailable"},
    {503, "", "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":1e99}}",
     FX_KUBE_REASON_SERVER, 0, "503 Service Unavailable"},
    {408, "", "", FX_KUBE_REASON_NETWORK, 0, "408 Request Timeout"},
    {302, "", "", FX_KUBE_REASON_INVALID, 0, "302 Found"},
    {400, "", "  \r\n<html>\r\n<b>no</b>", FX_KUBE_REASON_INVALID, 0,
     "400 Bad Request: <html>"},
    {405, "", "", FX_KUBE_REASON_INVALID, 0, "405 Method Not Allowed"},
    {413, "", "", FX_KUBE_REASON_INVALID, 0, "413 Content Too Large"},
    {418, "", "teapot", FX_KUBE_REASON_INVALID, 0, "418: teapot"},
    {599, "", "", FX_KUBE_REASON_SERVER, 0, "599"},
    {0, "", "", FX_KUBE_REASON_SERVER, 0, "failure without a message"},
    /* What a terminal would obey is not passed on. */
    {500, "", "a\x1b[31mb\x7f\xc2\x9b\xe2\x80\xae!", FX_KUBE_REASON_SERVER, 0,
     "500 Internal Server Error: a [31mb   !"},
    {500, "",
     "{\"kind\":\"Status\",\"reason\":\"a\\nb\",\"message\":\" x\\n\\ty\\u0000\\ud800 "
     "\"}",
     FX_KUBE_REASON_SERVER, 0, "500 a b: x  y \xef\xbf\xbd"},
};

static void other_answers_are_understood(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(answers); i++) {
        struct fx_kube_failure failure;
        fx_kube_failure_read(answers[i].status, fx_text_of(answers[i].head),
                             fx_text_of(answers[i].body), &failure);
        assert_string_equal(failure.message, answers[i].text);
        assert_string_equal(fx_kube_reason_name(failure.reason),
                            fx_kube_reason_name(answers[i].reason));
        assert_int_equal(failure.retry_after_s, answers[i].retry_after_s);
    }
}

static const struct {
    const char *json;
    enum fx_kube_reason reason;
    unsigned status;
    const char *text;
} statuses[] = {
    {"{}", FX_KUBE_REASON_SERVER, 0, "failure without a message"},
    {"[]", FX_KUBE_REASON_SERVER, 0, "failure without a message"},
    {"{\"code\":200,\"message\":\"well\"}", FX_KUBE_REASON_SERVER, 200, "200 OK: well"},
    {"{\"code\":-410,\"message\":\"odd\"}", FX_KUBE_REASON_SERVER, 0, "odd"},
    {"{\"code\":\"410\",\"reason\":\"Expired\"}", FX_KUBE_REASON_EXPIRED, 0, "Expired"},
    {"{\"code\":410}", FX_KUBE_REASON_EXPIRED, 410, "410"},
    {"{\"code\":403,\"reason\":\"Forbidden\"}", FX_KUBE_REASON_FORBIDDEN, 403,
     "403 Forbidden"},
};

static void odd_statuses_of_a_stream_are_failures(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(statuses); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_kube_failure failure;
        json_t *object = fx_json_read(fx_text_of(statuses[i].json), NULL, &err);
        assert_non_null(object);
        fx_kube_failure_of_status(object, &failure);
        assert_int_equal(failure.reason, statuses[i].reason);
        assert_int_equal(failure.status, statuses[i].status);
        assert_string_equal(failure.message, statuses[i].text);
        json_decref(object);
    }
    struct fx_kube_failure failure;
    fx_kube_failure_of_status(NULL, &failure);
    assert_int_equal(failure.reason, FX_KUBE_REASON_SERVER);
}

static void errors_are_failures(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_kube_failure failure;
    (void)fx_fail(&err, FX_EIO, "connect 10.96.0.1:443: connection refused");
    fx_kube_failure_of_error(&err, &failure);
    assert_int_equal(failure.reason, FX_KUBE_REASON_NETWORK);
    assert_int_equal(failure.status, 0);
    assert_string_equal(failure.message, "connect 10.96.0.1:443: connection refused");
    assert_true(fx_kube_failure_is_temporary(&failure));
    (void)fx_fail(&err, FX_ELIMIT, "too long");
    fx_kube_failure_of_error(&err, &failure);
    assert_int_equal(failure.reason, FX_KUBE_REASON_MEMORY);
}

/* ---- messages -------------------------------------------------------------------------
 */

static const struct {
    unsigned status;
    const char *message, *verb;
    const struct fx_kube_resource *resource;
    struct fx_kube_name name;
    const char *text;
} asked[] = {
    {403,
     "no",
     "list",
     &assign,
     {.name = {0}},
     "list assign.mutations.gatekeeper.sh: 403 Forbidden: no; the ClusterRole needs "
     "apiGroups [\"mutations.gatekeeper.sh\"], resources [\"assign\"], verbs "
     "[\"list\",\"watch\"]"},
    {403,
     "x is forbidden: User u cannot patch resource y",
     "patch",
     &assign,
     {.name = {"always-pull", 11}, .subresource = "status"},
     "patch assign.mutations.gatekeeper.sh/status always-pull: 403 Forbidden: x is "
     "forbidden: User u cannot patch resource y; the ClusterRole needs apiGroups "
     "[\"mutations.gatekeeper.sh\"], resources [\"assign/status\"], verbs [\"patch\"]"},
    {403,
     "x is forbidden: User u cannot create resource y",
     "patch",
     &secrets,
     {.name = {"cert", 4}, .namespace_ = {"ns", 2}},
     "patch secrets cert in namespace ns: 403 Forbidden: x is forbidden: User u cannot "
     "create resource y; the Role in namespace ns needs apiGroups [\"\"], resources "
     "[\"secrets\"], verbs [\"create\",\"patch\"]"},
    {403,
     "x is forbidden: User u cannot watch resource y",
     "watch",
     &secrets,
     {.namespace_ = {"ns", 2}},
     "watch secrets in namespace ns: 403 Forbidden: x is forbidden: User u cannot watch "
     "resource y; the Role in namespace ns needs apiGroups [\"\"], resources "
     "[\"secrets\"], verbs [\"list\",\"watch\"]"},
    {403,
     "x is forbidden: User u cannot update resource y",
     "update",
     &assign,
     {.name = {"a", 1}, .namespace_ = {"ns", 2}, .everywhere = true},
     "update assign.mutations.gatekeeper.sh a in namespace ns: 403 Forbidden: x is "
     "forbidden: User u cannot update resource y; the ClusterRole needs apiGroups "
     "[\"mutations.gatekeeper.sh\"], resources [\"assign\"], verbs [\"update\"]"},
    /* No rule helps against admission. */
    {403,
     "secrets x is forbidden: exceeded quota",
     "create",
     &secrets,
     {.namespace_ = {"ns", 2}},
     "create secrets in namespace ns: 403 Forbidden: secrets x is forbidden: exceeded "
     "quota"},
    {403,
     "admission webhook w denied the request: y",
     "update",
     &secrets,
     {.name = {"a", 1}, .namespace_ = {"ns", 2}},
     "update secrets a in namespace ns: 403 Forbidden: admission webhook w denied the "
     "request: y"},
    {401,
     "Unauthorized",
     "get",
     &secrets,
     {.name = {"a", 1}, .namespace_ = {"ns", 2}},
     "get secrets a in namespace ns: 401 Unauthorized; the token or client certificate "
     "is missing, expired, or of another cluster"},
    {409,
     "taken",
     "create",
     &assign,
     {.name = {0}},
     "create assign.mutations.gatekeeper.sh: 409 Conflict: taken"},
};

static void messages_name_the_request_and_the_remedy(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(asked); i++) {
        struct fx_kube_failure failure;
        fx_kube_failure_read(asked[i].status, FX_TEXT(""), fx_text_of(asked[i].message),
                             &failure);
        fx_kube_failure_prefix(&failure, asked[i].verb, asked[i].resource,
                               &asked[i].name);
        assert_string_equal(failure.message, asked[i].text);
    }
}

static void the_advice_stands_behind_any_message(void **state) {
    (void)state;
    struct fx_buf body = {0};
    struct fx_kube_failure failure;
    for (int i = 0; i < 5000; i++) {
        fx_buf_str(&body, "\xe2\x82\xac");
    }
    fx_kube_failure_read(403, FX_TEXT(""), fx_buf_view(&body), &failure);
    assert_true(fx_text_is_utf8(fx_text_of(failure.message)));
    fx_kube_failure_prefix(&failure, "list", &assign, &(struct fx_kube_name){0});
    const struct fx_text text = fx_text_of(failure.message);
    assert_true(fx_text_is_utf8(text));
    assert_true(
        fx_text_starts(text, FX_TEXT("list assign.mutations.gatekeeper.sh: 403 ")));
    assert_true(fx_text_contains(text, FX_TEXT("\xe2\x82\xac…; the ClusterRole")));
    assert_true(fx_text_ends(text, FX_TEXT("verbs [\"list\",\"watch\"]")));
    fx_buf_finish(&body);
}

static void names_of_any_length_fit(void **state) {
    (void)state;
    static char longest[4000];
    memset(longest, 'n', sizeof longest);
    const struct fx_kube_name name = {.namespace_ = {longest, sizeof longest},
                                      .name = {longest, sizeof longest}};
    struct fx_kube_failure failure;
    fx_kube_failure_read(403, FX_TEXT(""), (struct fx_text){longest, sizeof longest},
                         &failure);
    fx_kube_failure_prefix(&failure, "list", &secrets, &name);
    assert_non_null(strstr(failure.message, "resources [\"secrets\"], verbs"));
}

static void every_reason_has_a_name(void **state) {
    (void)state;
    assert_string_equal(fx_kube_reason_name(FX_KUBE_REASON_NONE), "ok");
    assert_string_equal(fx_kube_reason_name(FX_KUBE_REASON_UNKNOWN), "unknown_resource");
    assert_string_equal(fx_kube_reason_name(FX_KUBE_REASON_MEMORY), "memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_refusals_are_understood),
        cmocka_unit_test(recorded_watch_errors_are_understood),
        cmocka_unit_test(other_answers_are_understood),
        cmocka_unit_test(odd_statuses_of_a_stream_are_failures),
        cmocka_unit_test(errors_are_failures),
        cmocka_unit_test(messages_name_the_request_and_the_remedy),
        cmocka_unit_test(the_advice_stands_behind_any_message),
        cmocka_unit_test(names_of_any_length_fit),
        cmocka_unit_test(every_reason_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
