/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/client_test.c - single requests, answered as a real API server answers them, and
 * worse.
 */
#include "kube/api_fixture.h"

#include <stdio.h>

#include "value/freed_testing.h"

#define JSON_REPLY(status, text) \
    "HTTP/1.1 " status "\r\nContent-Type: application/json\r\n" text

struct outcome {
    unsigned n_done, n_counted;
    json_t *object;
    struct fx_kube_failure failure;
    enum fx_kube_verb verb;
    enum fx_kube_reason reason;
    char plural[32];
    struct fx_kube_client **closes; /* in `on_done` */
};

static void on_done(const struct fx_kube_answer *answer, void *user) {
    struct outcome *outcome = user;
    outcome->n_done++;
    assert_true((answer->failure == NULL) == (answer->object != NULL));
    if (answer->failure != NULL) {
        outcome->failure = *answer->failure;
    }
    outcome->object = json_incref(answer->object);
    if (outcome->closes != NULL) {
        fx_kube_client_close(*outcome->closes);
        *outcome->closes = NULL;
    }
}

static void on_request(enum fx_kube_verb verb, const struct fx_kube_resource *resource,
                       enum fx_kube_reason reason, double seconds, void *user) {
    struct outcome *outcome = user;
    assert_int_equal(outcome->n_done, 0);
    assert_true(seconds >= 0 && seconds < TIMEOUT_MS);
    outcome->n_counted++;
    outcome->verb = verb;
    outcome->reason = reason;
    (void)snprintf(outcome->plural, sizeof outcome->plural, "%s", resource->plural);
}

static void forget(struct outcome *outcome) {
    json_decref(outcome->object);
    *outcome = (struct outcome){0};
}

static void ask_for(struct api *api, struct fx_kube_client *client,
                    const struct fx_kube_request *request, struct outcome *outcome) {
    forget(outcome);
    fx_buf_reset(&api->server.received);
    assert_non_null(fx_kube_call_start(client, request, on_done, outcome));
    assert_int_equal(outcome->n_done, 0); /* later, never at once */
    RUN_UNTIL(api, outcome->n_done != 0);
}

static const struct fx_kube_request get_assign = {
    .verb = FX_KUBE_VERB_GET,
    .resource = &assign,
    .name = {.name = {"always-pull", sizeof "always-pull" - 1}},
};

/* ---- what a real server says ---- */

static const struct {
    const char *recording;
    enum fx_kube_verb verb;
    enum fx_kube_reason reason;
    const char *message; /* of the failure, or of the object */
} recordings[] = {
    {"list-assign", FX_KUBE_VERB_LIST, FX_KUBE_REASON_NONE, "AssignList"},
    {"list-namespaces", FX_KUBE_VERB_LIST, FX_KUBE_REASON_NONE, "NamespaceList"},
    {"patch-status-apply", FX_KUBE_VERB_APPLY, FX_KUBE_REASON_NONE, "Assign"},
    {"401-bad-token", FX_KUBE_VERB_LIST, FX_KUBE_REASON_UNAUTHORIZED,
     "list assign.mutations.gatekeeper.sh: 401 Unauthorized; "},
    {"403-anonymous", FX_KUBE_VERB_LIST, FX_KUBE_REASON_FORBIDDEN,
     "list assign.mutations.gatekeeper.sh: 403 Forbidden: "},
    {"403-anonymous", FX_KUBE_VERB_LIST, FX_KUBE_REASON_FORBIDDEN,
     "; the ClusterRole needs apiGroups [\"mutations.gatekeeper.sh\"], resources "
     "[\"assign\"], verbs [\"list\",\"watch\"]"},
    {"404-missing-object", FX_KUBE_VERB_GET, FX_KUBE_REASON_NOT_FOUND, "404"},
    {"404-unknown-resource", FX_KUBE_VERB_LIST, FX_KUBE_REASON_UNKNOWN,
     "404 page not found"},
    {"409-conflict", FX_KUBE_VERB_APPLY, FX_KUBE_REASON_CONFLICT, "has been modified"},
    {"422-invalid", FX_KUBE_VERB_CREATE, FX_KUBE_REASON_INVALID, "is invalid"},
    {"patch-404", FX_KUBE_VERB_APPLY, FX_KUBE_REASON_NOT_FOUND, "not found"},
};

static void expect_recording(size_t i, const struct outcome *outcome) {
    assert_int_equal(outcome->n_counted, 1);
    assert_int_equal(outcome->reason, recordings[i].reason);
    assert_int_equal(outcome->verb, recordings[i].verb);
    assert_string_equal(outcome->plural, "assign");
    if (recordings[i].reason == FX_KUBE_REASON_NONE) {
        assert_non_null(outcome->object);
        assert_string_equal(json_string_value(json_object_get(outcome->object, "kind")),
                            recordings[i].message);
        return;
    }
    assert_int_equal(outcome->failure.reason, recordings[i].reason);
    if (strstr(outcome->failure.message, recordings[i].message) == NULL) {
        fail_msg("wanted `%s`, got `%s`", recordings[i].message,
                 outcome->failure.message);
    }
}

/* Each recording split in two at some offsets, all on the same client. */
static void recordings_are_understood(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome = {0};
    struct fx_kube_config config = {0};
    api_start(&api, NULL);
    struct fx_kube_client *client = make_client(&api, &config, on_request, &outcome);
    json_t *body = json_pack("{s:s}", "kind", "Assign");
    for (size_t i = 0; i < FX_COUNT(recordings); i++) {
        struct fx_buf bytes;
        struct fx_kube_request request = get_assign;
        request.verb = recordings[i].verb;
        request.name.name.len = request.verb == FX_KUBE_VERB_LIST ? 0 : 11;
        request.body =
            request.verb == FX_KUBE_VERB_GET || request.verb == FX_KUBE_VERB_LIST ? NULL
                                                                                  : body;
        read_recording(recordings[i].recording, &bytes);
        for (size_t split = 0; split < bytes.len; split += 97) {
            const struct reply reply = {
                .about = "mutations.gatekeeper.sh/v1/assign",
                .bytes = bytes.data,
                .split = split,
            };
            api_set_replies(&api, &reply, 1);
            ask_for(&api, client, &request, &outcome);
            expect_recording(i, &outcome);
        }
        fx_buf_finish(&bytes);
    }
    assert_int_equal(api.server.n_accepted, 1); /* the connection is kept */
    json_decref(body);
    forget(&outcome);
    fx_kube_client_close(client);
    api_finish(&api);
}

/* ---- what else may come ---- */

static const struct {
    const char *bytes;
    enum ending ending;
    enum fx_kube_reason reason;
    const char *message;
} faults[] = {
    {JSON_REPLY("200 OK", "Content-Length: 5\r\n\r\nhello"), KEEP_OPEN,
     FX_KUBE_REASON_NETWORK,
     "get assign.mutations.gatekeeper.sh always-pull: the answer is not from an API "
     "server: "},
    {JSON_REPLY("200 OK", "Content-Length: 2\r\n\r\n[]"), KEEP_OPEN,
     FX_KUBE_REASON_NETWORK, "not an object"},
    {JSON_REPLY("200 OK", "Content-Length: 0\r\n\r\n"), KEEP_OPEN, FX_KUBE_REASON_NETWORK,
     "not from an API server"},
    {JSON_REPLY("200 OK", "Content-Length: 9\r\n\r\n{\"kind\""), CUT,
     FX_KUBE_REASON_NETWORK, "ended in the middle"},
    {JSON_REPLY("200 OK", "Content-Length: 99999999\r\n\r\n{"), KEEP_OPEN,
     FX_KUBE_REASON_MEMORY, "larger than 8388608 bytes"},
    {JSON_REPLY("503 Busy", "Content-Length: 4\r\nRetry-After: 7\r\n\r\nbusy"), KEEP_OPEN,
     FX_KUBE_REASON_SERVER, "503 Service Unavailable: busy"},
    {JSON_REPLY("429 Slow", "Content-Length: 0\r\nRetry-After: 7\r\n\r\n"), KEEP_OPEN,
     FX_KUBE_REASON_BUSY, "429"},
    {JSON_REPLY("302 Found", "Content-Length: 0\r\nLocation: /login\r\n\r\n"), KEEP_OPEN,
     FX_KUBE_REASON_INVALID, "302"},
    {"SSH-2.0-OpenSSH_9.2\r\n", KEEP_OPEN, FX_KUBE_REASON_NETWORK, "malformed"},
    {"", RESET, FX_KUBE_REASON_NETWORK, ""},
    {"", CUT, FX_KUBE_REASON_NETWORK, "ended without an answer"},
};

static void faults_have_words(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(faults); i++) {
        struct api api;
        struct outcome outcome = {0};
        struct fx_kube_config config = {0};
        const struct reply reply = {NULL, faults[i].bytes, faults[i].ending, 0};
        api_start(&api, NULL);
        struct fx_kube_client *client = make_client(&api, &config, on_request, &outcome);
        api_set_replies(&api, &reply, 1);
        ask_for(&api, client, &get_assign, &outcome);
        assert_int_equal(outcome.failure.reason, faults[i].reason);
        assert_int_equal(outcome.reason, faults[i].reason);
        if (strstr(outcome.failure.message, faults[i].message) == NULL) {
            fail_msg("wanted `%s`, got `%s`", faults[i].message, outcome.failure.message);
        }
        assert_int_equal(outcome.failure.retry_after_s,
                         strstr(faults[i].bytes, "Retry-After") != NULL ? 7 : 0);
        forget(&outcome);
        fx_kube_client_close(client);
        api_finish(&api);
    }
}

static void no_server_there(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome = {0};
    struct fx_kube_config config = {0};
    api_start(&api, NULL);
    struct fx_kube_client *client = make_client(&api, &config, on_request, &outcome);
    fx_listener_close(&api.server.listener);
    run_for(&api, 5);
    ask_for(&api, client, &get_assign, &outcome);
    assert_int_equal(outcome.failure.reason, FX_KUBE_REASON_NETWORK);
    assert_non_null(strstr(outcome.failure.message, "connection refused"));
    fx_kube_client_close(client);
    api_finish(&api);
}

static void an_answer_that_never_comes(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome = {0};
    struct fx_kube_config config = {0};
    struct fx_kube_request request = get_assign;
    request.timeout_ms = 20;
    api_start(&api, NULL);
    struct fx_kube_client *client = make_client(&api, &config, on_request, &outcome);
    ask_for(&api, client, &request, &outcome);
    assert_int_equal(outcome.failure.reason, FX_KUBE_REASON_NETWORK);
    assert_non_null(strstr(outcome.failure.message, "no answer within 20 ms"));
    fx_kube_client_close(client);
    api_finish(&api);
}

/* A request that cannot be sent is reported like every other. */
static void a_request_that_cannot_be_made(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome = {0};
    struct fx_kube_config config = {0};
    struct fx_buf query = {0};
    struct fx_kube_request request = get_assign;
    fx_buf_fill(&query, 'x', 9000);
    request.query = query.data;
    api_start(&api, NULL);
    struct fx_kube_client *client = make_client(&api, &config, on_request, &outcome);
    ask_for(&api, client, &request, &outcome);
    assert_int_equal(outcome.failure.reason, FX_KUBE_REASON_MEMORY);
    assert_non_null(strstr(outcome.failure.message,
                           "get assign.mutations.gatekeeper.sh always-pull: "));
    struct fx_kube_call *call = fx_kube_call_start(client, &request, on_done, &outcome);
    fx_kube_call_cancel(call);
    run_for(&api, 5);
    assert_int_equal(outcome.n_done, 1);
    fx_buf_finish(&query);
    fx_kube_client_close(client);
    api_finish(&api);
}

/* ---- the end ---- */

static void a_cancelled_call_is_not_reported(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome = {0};
    struct fx_kube_config config = {0};
    api_start(&api, NULL);
    struct fx_kube_client *client = make_client(&api, &config, on_request, &outcome);
    struct fx_kube_call *first =
        fx_kube_call_start(client, &get_assign, on_done, &outcome);
    struct fx_kube_call *second =
        fx_kube_call_start(client, &get_assign, on_done, &outcome);
    assert_non_null(fx_kube_call_start(client, &get_assign, on_done, &outcome));
    RUN_UNTIL(&api, api.server.n_requests == 3);
    fx_kube_call_cancel(second);
    fx_kube_call_cancel(first);
    fx_kube_call_cancel(NULL);
    fx_kube_client_close(client);
    fx_kube_client_close(NULL);
    run_for(&api, 5);
    assert_int_equal(outcome.n_done, 0);
    assert_int_equal(outcome.n_counted, 0);
    api_finish(&api);
}

/* With another call in progress, and from the callback of the first one. */
static void closed_in_its_callback(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome = {0};
    struct fx_kube_config config = {0};
    const struct reply reply = {NULL, JSON_REPLY("200 OK", "Content-Length: 2\r\n\r\n{}"),
                                KEEP_OPEN, 0};
    api_start(&api, NULL);
    struct fx_kube_client *client = make_client(&api, &config, on_request, &outcome);
    struct outcome other = {0};
    assert_non_null(fx_kube_call_start(client, &get_assign, on_done, &other));
    RUN_UNTIL(&api, api.server.n_requests == 1);
    api_set_replies(&api, &reply, 1);
    outcome.closes = &client;
    assert_non_null(fx_kube_call_start(client, &get_assign, on_done, &outcome));
    RUN_UNTIL(&api, outcome.n_done != 0);
    assert_null(client);
    run_for(&api, 5);
    assert_int_equal(other.n_done, 0);
    forget(&outcome);
    api_finish(&api);
}

static void on_secret(const struct fx_kube_answer *answer, void *user) {
    struct outcome *outcome = user;
    assert_int_equal(json_object_size(json_object_get(answer->object, "data")), 1);
    outcome->n_done++;
}

static void a_secret_is_overwritten(void **state) {
    (void)state;
    static const struct fx_kube_resource secrets = {"", "v1", "secrets", "Secret"};
    static const struct fx_kube_request get = {
        .verb = FX_KUBE_VERB_GET,
        .resource = &secrets,
        .name = {.name = {"certificate", sizeof "certificate" - 1}},
    };
    static const struct reply reply = {
        "GET /",
        OK_HEAD "Content-Length: 46\r\n\r\n{\"data\":{\"ca.key\":\"" FREED_SECRET "\"}}",
        KEEP_OPEN, 0};
    struct api api;
    struct fx_kube_config config = {0};
    struct outcome outcome = {0};
    api_start(&api, NULL);
    struct fx_kube_client *client = make_client(&api, &config, NULL, NULL);
    api_set_replies(&api, &reply, 1);
    freed_begin();
    assert_non_null(fx_kube_call_start(client, &get, on_secret, &outcome));
    RUN_UNTIL(&api, outcome.n_done != 0);
    freed_end();
    fx_kube_client_close(client);
    api_finish(&api);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_are_understood),
        cmocka_unit_test(faults_have_words),
        cmocka_unit_test(no_server_there),
        cmocka_unit_test(an_answer_that_never_comes),
        cmocka_unit_test(a_request_that_cannot_be_made),
        cmocka_unit_test(a_cancelled_call_is_not_reported),
        cmocka_unit_test(closed_in_its_callback),
        cmocka_unit_test(a_secret_is_overwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
