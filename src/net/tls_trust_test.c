/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_trust_test.c - which peers are trusted: bundles, client certificates, names.
 */
#include "net/tls_clients.h"
#include "net/tls_fixture.h"

#include <string.h>

#include "base/macros.h"

static const char *const names[] = {"localhost"};

/* Two strangers, each with what trusts it and its key. */
static struct fx_tls_config *ours, *theirs;
static struct fx_buf our_pem, our_key, their_pem, their_key;

/* Of a server without alternative names, made by `openssl`. */
static const char nameless[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBgDCCASWgAwIBAgIUJualnkZk6CZATMXsl/vHH4dRBpswCgYIKoZIzj0EAwIw\n"
    "FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE0NDkwNFoYDzIxMjYxMDI4\n"
    "MTQ0OTA0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO\n"
    "PQMBBwNCAATiF90bP2/3gGDMB2VCLPwL1iuYC7XIsl3LxDLAFnLmmBpuc7+QEMon\n"
    "pREPLo8l0DTiWzeEofy0vpWkQwhechXko1MwUTAdBgNVHQ4EFgQUpwvqWyTcp8DP\n"
    "JWDhQSv48nALglowHwYDVR0jBBgwFoAUpwvqWyTcp8DPJWDhQSv48nALglowDwYD\n"
    "VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAprXs84jKNVtpOJH2S0JL\n"
    "Y60KoR9lPOCjuZRZK78wt0ECIQDOIiWYR7HBK75oh0Uwtwe37zdbeix1ln6AhQ1p\n"
    "Pf8IhA==\n"
    "-----END CERTIFICATE-----\n";
static const char nameless_key[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvPidIMQrkjqHvy7R\n"
    "THr3BnljsZpKu2w5+EgYzHD9ZPGhRANCAATiF90bP2/3gGDMB2VCLPwL1iuYC7XI\n"
    "sl3LxDLAFnLmmBpuc7+QEMonpREPLo8l0DTiWzeEofy0vpWkQwhechXk\n"
    "-----END PRIVATE KEY-----\n";

static int make_configs(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    ours = fx_tls_config_self_signed(names, 1, &err);
    theirs = fx_tls_config_self_signed(names, 1, &err);
    if (ours == NULL || theirs == NULL) {
        return -1;
    }
    fx_tls_config_print(ours, &our_pem);
    fx_tls_config_print_key(ours, &our_key);
    fx_tls_config_print(theirs, &their_pem);
    fx_tls_config_print_key(theirs, &their_key);
    return our_pem.failed || our_key.failed || their_pem.failed || their_key.failed ? -1
                                                                                    : 0;
}

static int drop_configs(void **state) {
    (void)state;
    fx_tls_config_unref(ours);
    fx_tls_config_unref(theirs);
    fx_buf_finish(&our_pem);
    fx_buf_finish(&their_pem);
    fx_tls_wipe(&our_key);
    fx_tls_wipe(&their_key);
    assert_null(our_key.data);
    return 0;
}

static void a_key_is_printed(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    assert_non_null(strstr(our_key.data, "PRIVATE KEY-----"));
    assert_int_equal(our_key.len, strlen(our_key.data));
    /* It fits its certificate and no other. */
    struct fx_tls_config *again =
        fx_tls_config_server(fx_buf_view(&our_pem), fx_buf_view(&our_key), &err);
    assert_non_null(again);
    fx_tls_config_unref(again);
    assert_null(
        fx_tls_config_server(fx_buf_view(&our_pem), fx_buf_view(&their_key), &err));
    /* A client without one has none to print. */
    struct fx_buf none = {0};
    struct fx_tls_config *client = fx_tls_config_client(
        fx_buf_view(&our_pem), "a", (struct fx_text){0}, (struct fx_text){0}, &err);
    assert_non_null(client);
    fx_tls_config_print_key(client, &none);
    assert_true(none.failed);
    fx_buf_reset(&none);
    fx_tls_config_print(client, &none);
    assert_int_equal(none.len, 0);
    fx_tls_config_unref(client);
    fx_buf_finish(&none);
}

static void a_bundle_is_checked(void **state) {
    (void)state;
    struct fx_buf both = {0};
    struct fx_buf key_first = {0};
    struct fx_buf noise = {0};
    fx_buf_str(&both, "# a bundle\n");
    fx_buf_text(&both, fx_buf_view(&their_pem));
    fx_buf_text(&both, fx_buf_view(&our_pem));
    fx_buf_text(&key_first, fx_buf_view(&our_key));
    fx_buf_text(&key_first, fx_buf_view(&our_pem));
    for (int i = 0; i < 100000; i++) {
        fx_buf_str(&noise, "-----BEGIN CERTIFICATE-----");
    }
    const struct {
        const char *pem, *failure; /* beginning of the message; NULL: none */
    } cases[] = {
        {our_pem.data, NULL},
        {both.data, NULL},
        {nameless, NULL},
        {"-----BEGIN X-----\nno base64\n-----END X-----\n-----BEGIN CERTIFICATE", "bad"},
        {"", "bad caBundle"},
        {"no PEM", "bad caBundle"},
        {"-----BEGIN CERTIFICATE-----\n", "bad caBundle"},
        {"-----BEGIN CERTIFICATE-----\nAAAA\n", "bad caBundle"},
        {"-----BEGIN CERTIFICATE-----\nAAAA\n-----END X-----\n", "bad caBundle"},
        {"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "bad caBundle"},
        {"-----BEGIN \nX-----\nAAAA\n-----END \nX-----\n", "bad caBundle"},
        {noise.data, "bad caBundle"},
        {"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
         "failed to parse caBundle: X509 - "},
        {our_key.data, "failed to parse caBundle: X509 - "},
        {key_first.data, "failed to parse caBundle: X509 - "},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        const bool ok = fx_tls_check_ca(fx_text_of(cases[i].pem), &err);
        if (ok != (cases[i].failure == NULL)) {
            fail_msg("case %zu: %s", i, err.msg);
        }
        if (!ok) {
            assert_int_equal(err.code, FX_EINVALID);
            assert_ptr_equal(strstr(err.msg, cases[i].failure), err.msg);
        }
    }
    fx_buf_finish(&both);
    fx_buf_finish(&key_first);
    fx_buf_finish(&noise);
}

static void a_client_needs_a_whole_pair(void **state) {
    (void)state;
    const struct fx_text none = {0};
    const struct {
        struct fx_text cert, key;
        const char *message;
    } cases[] = {
        {fx_buf_view(&our_pem), none, "private key"},
        {none, fx_buf_view(&our_key), "certificate"},
        {fx_buf_view(&our_pem), fx_buf_view(&their_key), "does not fit"},
        {FX_TEXT("no PEM"), fx_buf_view(&our_key), "certificate"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        assert_null(fx_tls_config_client(fx_buf_view(&our_pem), "a", cases[i].cert,
                                         cases[i].key, &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_non_null(strstr(err.msg, cases[i].message));
    }
}

/* Does the server receive what such a client sends? */
static bool is_heard(struct fx_tls_config *server_config, struct fx_text ca,
                     struct fx_text cert, struct fx_text key) {
    struct fx_err err = FX_ERR_INIT;
    struct side client;
    struct side server;
    struct fx_tls_config *config = fx_tls_config_client(ca, "localhost", cert, key, &err);
    assert_non_null(config);
    side_init(&client, config);
    side_init(&server, server_config);
    exchange_output(&client, &server);
    if (client.state == FX_TLS_OPEN) { /* with TLS 1.3 before the server has decided */
        assert_true(
            fx_tls_send(client.tls, FX_TEXT("hello"), &client.cipher, &client.err));
        pass_output(&client, &server);
    }
    const bool received = server.state == FX_TLS_OPEN && server.plain.len == 5;
    side_finish(&client);
    side_finish(&server);
    fx_tls_config_unref(config);
    return received;
}

static void a_server_may_demand_a_certificate(void **state) {
    (void)state;
    const struct fx_text none = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *server = fx_tls_config_self_signed(names, 1, &err);
    struct fx_buf pem = {0};
    assert_non_null(server);
    fx_tls_config_print(server, &pem);
    assert_true(is_heard(server, fx_buf_view(&pem), none, none));
    assert_true(is_heard(server, none, none, none));
    /* A client certificate that is not requested does no harm. */
    assert_true(is_heard(server, fx_buf_view(&pem), fx_buf_view(&our_pem),
                         fx_buf_view(&our_key)));
    assert_false(fx_tls_config_set_clients(
        server, &(const struct fx_tls_clients){.ca_pem = none}, &err));
    assert_int_equal(err.code, FX_EINVALID);
    assert_true(fx_tls_config_set_clients(
        server, &(const struct fx_tls_clients){.ca_pem = fx_buf_view(&our_pem)}, &err));
    assert_true(is_heard(server, fx_buf_view(&pem), fx_buf_view(&our_pem),
                         fx_buf_view(&our_key)));
    assert_true(is_heard(server, none, fx_buf_view(&our_pem), fx_buf_view(&our_key)));
    assert_false(is_heard(server, fx_buf_view(&pem), fx_buf_view(&their_pem),
                          fx_buf_view(&their_key)));
    assert_false(is_heard(server, fx_buf_view(&pem), none, none));
    fx_tls_config_unref(server);
    fx_buf_finish(&pem);
}

/* A common name is no name of a server (RFC 9525). */
static void a_server_needs_an_alternative_name(void **state) {
    (void)state;
    const struct fx_text none = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *server =
        fx_tls_config_server(FX_TEXT(nameless), FX_TEXT(nameless_key), &err);
    assert_non_null(server);
    assert_false(is_heard(server, FX_TEXT(nameless), none, none));
    assert_true(is_heard(server, none, none, none)); /* accepts any server */
    fx_tls_config_unref(server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_printed),
        cmocka_unit_test(a_bundle_is_checked),
        cmocka_unit_test(a_client_needs_a_whole_pair),
        cmocka_unit_test(a_server_may_demand_a_certificate),
        cmocka_unit_test(a_server_needs_an_alternative_name),
    };
    return cmocka_run_group_tests(tests, make_configs, drop_configs);
}
