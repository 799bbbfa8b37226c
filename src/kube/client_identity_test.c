/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/client_identity_test.c - credentials and trust: certificates, tokens that rotate,
 * and invalid configurations.
 */
#include "kube/api_fixture.h"
#include "net/tls_clients.h"

#include <stdio.h>
#include <unistd.h>

#define OK_REPLY    OK_HEAD "Content-Length: 2\r\n\r\n{}"
#define ASKS(token) "Authorization: Bearer " token "\r\n"

static const char *const server_names[] = {"127.0.0.1"};
static const char *const other_names[] = {"kubernetes.default"};
static struct fx_tls_config *server_tls, *other_tls;
static struct fx_buf trust, other_trust, other_key, unauthorized;
static char folder[] = "/tmp/fx-kube-client-XXXXXX";
static char *token_file;

static int make_fixture(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf path = {0};
    server_tls = fx_tls_config_self_signed(server_names, 1, &err);
    other_tls = fx_tls_config_self_signed(other_names, 1, &err);
    if (server_tls == NULL || other_tls == NULL || mkdtemp(folder) == NULL) {
        return -1;
    }
    fx_tls_config_print(server_tls, &trust);
    fx_tls_config_print(other_tls, &other_trust);
    fx_tls_config_print_key(other_tls, &other_key);
    read_recording("401-bad-token", &unauthorized);
    fx_buf_printf(&path, "%s/token", folder);
    token_file = fx_buf_steal(&path);
    return token_file == NULL ? -1 : 0;
}

static int drop_fixture(void **state) {
    (void)state;
    fx_tls_config_unref(server_tls);
    fx_tls_config_unref(other_tls);
    fx_buf_finish(&trust);
    fx_buf_finish(&other_trust);
    fx_tls_wipe(&other_key);
    fx_buf_finish(&unauthorized);
    (void)unlink(token_file);
    (void)rmdir(folder);
    free(token_file);
    return 0;
}

static void write_token(const char *token) {
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_file_replace(token_file, fx_text_of(token), &err));
}

struct outcome {
    unsigned n_done;
    struct fx_kube_failure failure;
};

static void on_done(const struct fx_kube_answer *answer, void *user) {
    struct outcome *outcome = user;
    outcome->n_done++;
    if (answer->failure != NULL) {
        outcome->failure = *answer->failure;
    }
}

static const struct fx_kube_request get_assign = {
    .verb = FX_KUBE_VERB_GET,
    .resource = &assign,
    .name = {.name = {"a", 1}},
};

static void begin(struct api *api, struct fx_kube_client *client,
                  struct outcome *outcome) {
    *outcome = (struct outcome){0};
    fx_buf_reset(&api->server.received);
    assert_non_null(fx_kube_call_start(client, &get_assign, on_done, outcome));
}

static void ask(struct api *api, struct fx_kube_client *client, struct outcome *outcome) {
    begin(api, client, outcome);
    RUN_UNTIL(api, outcome->n_done != 0);
}

static void expect_ok(const struct outcome *outcome) {
    if (outcome->failure.reason != FX_KUBE_REASON_NONE) {
        fail_msg("failed: %s", outcome->failure.message);
    }
}

static void a_token_goes_with_every_request(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome;
    struct fx_kube_config config = {.ca_pem = trust.data};
    const struct reply replies[] = {{ASKS("fixed"), OK_REPLY, KEEP_OPEN, 0},
                                    {ASKS("fixed"), OK_REPLY, KEEP_OPEN, 0}};
    fx_buf_str(&config.token, "fixed");
    api_start(&api, server_tls);
    struct fx_kube_client *client = make_client(&api, &config, NULL, NULL);
    api_set_replies(&api, replies, FX_COUNT(replies));
    ask(&api, client, &outcome);
    expect_ok(&outcome);
    ask(&api, client, &outcome);
    expect_ok(&outcome);
    assert_int_equal(api.server.n_accepted, 1);
    fx_buf_finish(&config.token);
    fx_kube_client_close(client);
    api_finish(&api);
}

static void no_token_over_plain_http(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome;
    struct fx_kube_config config = {0};
    const struct reply reply = {NULL, OK_REPLY, KEEP_OPEN, 0};
    fx_buf_str(&config.token, "fixed");
    api_start(&api, NULL);
    struct fx_kube_client *client = make_client(&api, &config, NULL, NULL);
    api_set_replies(&api, &reply, 1);
    ask(&api, client, &outcome);
    expect_ok(&outcome);
    assert_null(strstr(api.server.received.data, "Authorization"));
    fx_buf_finish(&config.token);
    fx_kube_client_close(client);
    api_finish(&api);
}

/* The file was replaced while the request was in progress: it is sent again. */
static void a_401_for_an_old_token(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome;
    struct fx_kube_config config = {.ca_pem = trust.data, .token_file = token_file};
    const struct reply replies[] = {{ASKS("two"), OK_REPLY, KEEP_OPEN, 0}};
    write_token("one\n");
    api_start(&api, server_tls);
    struct fx_kube_client *client = make_client(&api, &config, NULL, NULL);
    begin(&api, client, &outcome);
    RUN_UNTIL(&api, api.server.n_requests == 1);
    assert_non_null(strstr(api.server.received.data, ASKS("one")));
    write_token("two\n");
    api_set_replies(&api, replies, FX_COUNT(replies));
    say(&api, unauthorized.data);
    RUN_UNTIL(&api, outcome.n_done != 0);
    expect_ok(&outcome);
    assert_int_equal(api.server.n_requests, 2);
    fx_kube_client_close(client);
    api_finish(&api);
}

/* The first to be refused reads the new token; the second showed the old one, too. */
static void two_401s_for_an_old_token(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome[2];
    struct fx_kube_config config = {.ca_pem = trust.data, .token_file = token_file};
    const struct reply always[] = {{ASKS("one"), unauthorized.data, KEEP_OPEN, 0},
                                   {ASKS("two"), OK_REPLY, KEEP_OPEN, 0}};
    write_token("one\n");
    api_start(&api, server_tls);
    api.always = always;
    api.n_always = FX_COUNT(always);
    struct fx_kube_client *client = make_client(&api, &config, NULL, NULL);
    begin(&api, client, &outcome[0]);
    begin(&api, client, &outcome[1]);
    write_token("two\n");
    RUN_UNTIL(&api, outcome[0].n_done + outcome[1].n_done == 2);
    expect_ok(&outcome[0]);
    expect_ok(&outcome[1]);
    assert_int_equal(api.server.n_requests, 4);
    fx_kube_client_close(client);
    api_finish(&api);
}

static void a_401_for_the_right_token_is_reported(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome;
    struct fx_kube_config config = {.ca_pem = trust.data, .token_file = token_file};
    const struct reply replies[] = {{ASKS("one"), unauthorized.data, KEEP_OPEN, 0},
                                    {ASKS("two"), unauthorized.data, KEEP_OPEN, 0}};
    write_token("one\n");
    api_start(&api, server_tls);
    struct fx_kube_client *client = make_client(&api, &config, NULL, NULL);
    api_set_replies(&api, replies, FX_COUNT(replies));
    ask(&api, client, &outcome);
    assert_int_equal(outcome.failure.reason, FX_KUBE_REASON_UNAUTHORIZED);
    assert_int_equal(api.server.n_requests, 1);
    write_token("two\n");
    ask(&api, client, &outcome);
    assert_int_equal(outcome.failure.reason, FX_KUBE_REASON_UNAUTHORIZED);
    assert_int_equal(api.server.n_requests, 2);
    assert_null(strstr(outcome.failure.message, "two"));
    fx_kube_client_close(client);
    api_finish(&api);
}

/* However often it is swapped. */
static void asked_again_once(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome;
    struct fx_kube_config config = {.ca_pem = trust.data, .token_file = token_file};
    write_token("one\n");
    api_start(&api, server_tls);
    struct fx_kube_client *client = make_client(&api, &config, NULL, NULL);
    begin(&api, client, &outcome);
    RUN_UNTIL(&api, api.server.n_requests == 1);
    write_token("two\n");
    say(&api, unauthorized.data);
    RUN_UNTIL(&api, api.server.n_requests == 2);
    write_token("three\n");
    say(&api, unauthorized.data);
    RUN_UNTIL(&api, outcome.n_done != 0);
    assert_int_equal(outcome.failure.reason, FX_KUBE_REASON_UNAUTHORIZED);
    assert_int_equal(api.server.n_requests, 2);
    fx_kube_client_close(client);
    api_finish(&api);
}

/* Asked without it then, and the refusal says why. */
static void a_token_that_cannot_be_read(void **state) {
    (void)state;
    struct api api;
    struct outcome outcome;
    struct fx_kube_config config = {.ca_pem = trust.data, .token_file = token_file};
    const struct reply reply = {NULL, unauthorized.data, KEEP_OPEN, 0};
    (void)unlink(token_file);
    api_start(&api, server_tls);
    struct fx_kube_client *client = make_client(&api, &config, NULL, NULL);
    api_set_replies(&api, &reply, 1);
    ask(&api, client, &outcome);
    assert_null(strstr(api.server.received.data, "Authorization"));
    assert_int_equal(outcome.failure.reason, FX_KUBE_REASON_UNAUTHORIZED);
    assert_non_null(strstr(outcome.failure.message, token_file));
    fx_kube_client_close(client);
    api_finish(&api);
}

/* ---- certificates ---- */

static void only_a_trusted_server_is_asked(void **state) {
    (void)state;
    const struct {
        char *ca, *name;
        bool ok;
    } cases[] = {
        {trust.data, NULL, true},
        {trust.data, (char[]){"kubernetes"}, false},
        {other_trust.data, NULL, false},
        {NULL, NULL, true},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct api api;
        struct outcome outcome;
        struct fx_kube_config config = {.ca_pem = cases[i].ca,
                                        .server_name = cases[i].name};
        const struct reply reply = {NULL, OK_REPLY, KEEP_OPEN, 0};
        api_start(&api, server_tls);
        struct fx_kube_client *client = make_client(&api, &config, NULL, NULL);
        api_set_replies(&api, &reply, 1);
        ask(&api, client, &outcome);
        assert_int_equal(outcome.failure.reason,
                         cases[i].ok ? FX_KUBE_REASON_NONE : FX_KUBE_REASON_NETWORK);
        fx_kube_client_close(client);
        api_finish(&api);
    }
}

static void our_certificate_is_shown(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct api api;
    struct outcome outcome;
    struct fx_kube_config config = {
        .ca_pem = trust.data, .cert_pem = other_trust.data, .key_pem = other_key};
    const struct reply reply = {NULL, OK_REPLY, KEEP_OPEN, 0};
    struct fx_tls_config *strict = fx_tls_config_self_signed(server_names, 1, &err);
    struct fx_buf strict_trust = {0};
    assert_non_null(strict);
    fx_tls_config_print(strict, &strict_trust);
    config.ca_pem = strict_trust.data;
    assert_true(fx_tls_config_set_clients(
        strict, &(const struct fx_tls_clients){.ca_pem = fx_buf_view(&other_trust)},
        &err));
    for (int shown = 0; shown < 2; shown++) {
        config.cert_pem = shown != 0 ? other_trust.data : NULL;
        api_start(&api, strict);
        struct fx_kube_client *client = make_client(&api, &config, NULL, NULL);
        api_set_replies(&api, &reply, 1);
        ask(&api, client, &outcome);
        assert_int_equal(outcome.failure.reason,
                         shown != 0 ? FX_KUBE_REASON_NONE : FX_KUBE_REASON_NETWORK);
        fx_kube_client_close(client);
        api_finish(&api);
    }
    fx_buf_finish(&strict_trust);
    fx_tls_config_unref(strict);
}

/* ---- configurations ---- */

static void wrong_fields_are_named(void **state) {
    (void)state;
    const struct {
        char *server, *ca, *cert;
        const char *message;
    } cases[] = {
        {(char[]){"kubernetes"}, trust.data, NULL, "server: "},
        {(char[]){"ftp://host:21"}, trust.data, NULL,
         "server: `ftp://host:21` is not a URL"},
        {(char[]){"https://host/?a=1"}, trust.data, NULL, "server: `https://host/?a=1`"},
        {(char[]){"https://host/#a"}, trust.data, NULL, "server: `https://host/#a`"},
        {(char[]){"https://host"}, (char[]){"no PEM"}, NULL, "certificate-authority: "},
        {(char[]){"https://host"}, trust.data, trust.data,
         "client-certificate, client-key: "},
    };
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_kube_config config = {.server = cases[i].server,
                                        .ca_pem = cases[i].ca,
                                        .cert_pem = cases[i].cert,
                                        .key_pem = other_key};
        assert_null(fx_kube_client_create(&loop, &config, NULL, NULL, &err));
        assert_int_equal(err.code, FX_EINVALID);
        if (strncmp(err.msg, cases[i].message, strlen(cases[i].message)) != 0) {
            fail_msg("wanted `%s`, got `%s`", cases[i].message, err.msg);
        }
    }
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_goes_with_every_request),
        cmocka_unit_test(no_token_over_plain_http),
        cmocka_unit_test(a_401_for_an_old_token),
        cmocka_unit_test(two_401s_for_an_old_token),
        cmocka_unit_test(a_401_for_the_right_token_is_reported),
        cmocka_unit_test(asked_again_once),
        cmocka_unit_test(a_token_that_cannot_be_read),
        cmocka_unit_test(only_a_trusted_server_is_asked),
        cmocka_unit_test(our_certificate_is_shown),
        cmocka_unit_test(wrong_fields_are_named),
    };
    return cmocka_run_group_tests(tests, make_fixture, drop_fixture);
}
