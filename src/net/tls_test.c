/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_test.c - sessions of a client and a server in memory.
 */
#include "net/tls_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/macros.h"

static const char *const names[] = {"webhook.shop.svc", "localhost", "127.0.0.1", "::1"};

/* One server for all tests: making keys takes its time. */
static struct fx_tls_config *server_config;
static struct fx_buf server_pem;

static struct fx_tls_config *client_config(struct fx_text ca, const char *name) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *config =
        fx_tls_config_client(ca, name, (struct fx_text){0}, (struct fx_text){0}, &err);
    assert_non_null(config);
    return config;
}

static void start(struct side *client, struct side *server, const char *name) {
    struct fx_tls_config *config = client_config(fx_buf_view(&server_pem), name);
    side_init(client, config);
    side_init(server, server_config);
    fx_tls_config_unref(config); /* the session holds it */
    exchange_output(client, server);
}

static int make_server(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    server_config = fx_tls_config_self_signed(names, FX_COUNT(names), &err);
    fx_buf_init(&server_pem, 0);
    if (server_config == NULL) {
        return -1;
    }
    fx_tls_config_print(server_config, &server_pem);
    return server_pem.failed ? -1 : 0;
}

static int drop_server(void **state) {
    (void)state;
    fx_tls_config_unref(server_config);
    fx_buf_finish(&server_pem);
    return 0;
}

static void every_name_is_accepted(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        struct side client;
        struct side server;
        start(&client, &server, names[i]);
        assert_int_equal(client.state, FX_TLS_OPEN);
        assert_int_equal(server.state, FX_TLS_OPEN);
        side_finish(&client);
        side_finish(&server);
    }
}

static void other_names_are_refused(void **state) {
    (void)state;
    static const char *const others[] = {"shop.svc", "example.org", "127.0.0.2", "::2"};
    for (size_t i = 0; i < FX_COUNT(others); i++) {
        struct side client;
        struct side server;
        start(&client, &server, others[i]);
        assert_int_equal(client.state, FX_TLS_FAILED);
        assert_non_null(strstr(client.err.msg, "certificate"));
        assert_int_not_equal(server.state, FX_TLS_OPEN);
        side_finish(&client);
        side_finish(&server);
    }
}

static void another_ca_is_refused(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf pem = {0};
    struct side client;
    struct side server;
    struct fx_tls_config *other = fx_tls_config_self_signed(names, FX_COUNT(names), &err);
    assert_non_null(other);
    fx_tls_config_print(other, &pem);
    struct fx_tls_config *config = client_config(fx_buf_view(&pem), "localhost");
    side_init(&client, config);
    side_init(&server, server_config);
    exchange_output(&client, &server);
    assert_int_equal(client.state, FX_TLS_FAILED);
    assert_int_equal(client.err.code, FX_EIO);
    side_finish(&client);
    side_finish(&server);
    fx_tls_config_unref(config);
    fx_tls_config_unref(other);
    fx_buf_finish(&pem);
}

static void no_ca_accepts_anyone(void **state) {
    (void)state;
    struct side client;
    struct side server;
    struct fx_tls_config *config = client_config((struct fx_text){0}, "anyone");
    side_init(&client, config);
    side_init(&server, server_config);
    exchange_output(&client, &server);
    assert_int_equal(client.state, FX_TLS_OPEN);
    side_finish(&client);
    side_finish(&server);
    fx_tls_config_unref(config);
}

/* 1 MiB one way, in pieces that fit no record, and something short back. */
static void much_comes_through(void **state) {
    (void)state;
    const size_t size = 1u << 20;
    struct side client;
    struct side server;
    start(&client, &server, "localhost");
    char *data = malloc(size);
    assert_non_null(data);
    for (size_t i = 0; i < size; i++) {
        data[i] = (char)(i * 7 + i / 251);
    }
    assert_true(fx_tls_send(client.tls, (struct fx_text){data, size}, &client.cipher,
                            &client.err));
    for (size_t at = 0; at < client.cipher.len; at += 5003) {
        const size_t left = client.cipher.len - at;
        server.state = fx_tls_receive(
            server.tls,
            (struct fx_text){client.cipher.data + at, left < 5003 ? left : 5003},
            &server.plain, &server.cipher, &server.err);
        assert_int_equal(server.state, FX_TLS_OPEN);
    }
    fx_buf_reset(&client.cipher);
    assert_int_equal(server.plain.len, size);
    assert_memory_equal(server.plain.data, data, size);
    assert_true(fx_tls_send(server.tls, FX_TEXT("done"), &server.cipher, &server.err));
    pass_output(&server, &client);
    assert_string_equal(client.plain.data, "done");
    free(data);
    side_finish(&client);
    side_finish(&server);
}

static void a_goodbye_is_heard(void **state) {
    (void)state;
    struct side client;
    struct side server;
    start(&client, &server, "localhost");
    assert_true(fx_tls_send(client.tls, FX_TEXT("last"), &client.cipher, &client.err));
    fx_tls_close_notify(client.tls, &client.cipher);
    pass_output(&client, &server);
    assert_int_equal(server.state, FX_TLS_CLOSED);
    assert_string_equal(server.plain.data, "last");
    /* The other direction is still open. */
    assert_true(fx_tls_send(server.tls, FX_TEXT("bye"), &server.cipher, &server.err));
    fx_tls_close_notify(server.tls, &server.cipher);
    pass_output(&server, &client);
    assert_string_equal(client.plain.data, "bye");
    assert_int_equal(client.state, FX_TLS_CLOSED);
    pass_output(&client, &server); /* nothing, and nothing happens */
    assert_int_equal(server.state, FX_TLS_CLOSED);
    side_finish(&client);
    side_finish(&server);
}

/* Each version that the library has may be the lowest, and no other. */
static void a_lowest_version_is_kept(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    const bool has_1_3 = strncmp(fx_tls_library(), "mbed TLS 2.", 11) != 0;
    assert_true(fx_tls_set_min_version(FX_TLS_1_2, &err));
    assert_int_equal(fx_tls_set_min_version(FX_TLS_1_3, &err), has_1_3);
    if (!has_1_3) {
        assert_int_equal(err.code, FX_EINVALID);
        assert_non_null(strstr(err.msg, "has no TLS 1.3"));
    }
    struct fx_tls_config *config =
        fx_tls_config_self_signed((const char *const[]){"localhost"}, 1, &err);
    struct fx_buf pem = {0};
    assert_non_null(config);
    fx_tls_config_print(config, &pem);
    struct fx_tls_config *trust = fx_tls_config_client(
        fx_buf_view(&pem), "localhost", (struct fx_text){0}, (struct fx_text){0}, &err);
    assert_non_null(trust);
    struct side client;
    struct side server;
    side_init(&client, trust);
    side_init(&server, config);
    exchange_output(&client, &server);
    assert_int_equal(client.state, FX_TLS_OPEN);
    assert_int_equal(server.state, FX_TLS_OPEN);
    side_finish(&client);
    side_finish(&server);
    fx_buf_finish(&pem);
    fx_tls_config_unref(trust);
    fx_tls_config_unref(config);
    assert_true(fx_tls_set_min_version(FX_TLS_1_2, &err));
}

static void garbage_breaks_the_session(void **state) {
    (void)state;
    static const char *const cases[] = {"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                                        "\x16\x03\x01\x00\x05\x02\x00\x00\x01x",
                                        "\x17\x03\x03\x00\x02xx"};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct side server;
        side_init(&server, server_config);
        const struct fx_text bytes = {cases[i], i == 1 ? 10 : 7};
        server.state =
            fx_tls_receive(server.tls, bytes, &server.plain, &server.cipher, &server.err);
        assert_int_equal(server.state, FX_TLS_FAILED);
        assert_int_equal(server.err.code, FX_EIO);
        assert_int_equal(server.plain.len, 0);
        /* And stays broken. */
        assert_int_equal(
            fx_tls_receive(server.tls, bytes, &server.plain, &server.cipher, &server.err),
            FX_TLS_FAILED);
        side_finish(&server);
    }
}

static void alerts_have_their_words(void **state) {
    (void)state;
    static const struct {
        const char bytes[8];
        const char *message;
    } cases[] = {
        {"\x15\x03\x03\x00\x02\x02\x46", "no version in common with the peer"},
        {"\x15\x03\x03\x00\x02\x02\x28", "SSL - "}, /* handshake_failure */
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct side client;
        struct fx_tls_config *config =
            client_config(fx_buf_view(&server_pem), "localhost");
        side_init(&client, config);
        fx_tls_config_unref(config);
        client.state = fx_tls_receive(client.tls, (struct fx_text){0}, &client.plain,
                                      &client.cipher, &client.err);
        assert_int_equal(client.state, FX_TLS_HANDSHAKE);
        client.state = fx_tls_receive(client.tls, (struct fx_text){cases[i].bytes, 7},
                                      &client.plain, &client.cipher, &client.err);
        assert_int_equal(client.state, FX_TLS_FAILED);
        assert_non_null(strstr(client.err.msg, cases[i].message));
        side_finish(&client);
    }
}

static void a_changed_byte_breaks_the_session(void **state) {
    (void)state;
    struct side client;
    struct side server;
    start(&client, &server, "localhost");
    assert_true(fx_tls_send(client.tls, FX_TEXT("hello"), &client.cipher, &client.err));
    client.cipher.data[client.cipher.len - 1] ^= 1;
    pass_output(&client, &server);
    assert_int_equal(server.state, FX_TLS_FAILED);
    assert_int_equal(server.plain.len, 0);
    side_finish(&client);
    side_finish(&server);
}

static void half_a_handshake_waits(void **state) {
    (void)state;
    struct side client;
    struct side server;
    struct fx_tls_config *config = client_config(fx_buf_view(&server_pem), "localhost");
    side_init(&client, config);
    side_init(&server, server_config);
    client.state = fx_tls_receive(client.tls, (struct fx_text){0}, &client.plain,
                                  &client.cipher, &client.err);
    assert_int_equal(client.state, FX_TLS_HANDSHAKE);
    for (size_t i = 0; i + 1 < client.cipher.len; i++) { /* byte by byte */
        server.state =
            fx_tls_receive(server.tls, (struct fx_text){client.cipher.data + i, 1},
                           &server.plain, &server.cipher, &server.err);
        assert_int_equal(server.state, FX_TLS_HANDSHAKE);
        assert_int_equal(server.cipher.len, 0);
    }
    side_finish(&client);
    side_finish(&server);
    fx_tls_config_unref(config);
}

static void the_certificate_is_valid_for_a_year(void **state) {
    (void)state;
    int64_t from = 0;
    int64_t to = 0;
    const int64_t now = (int64_t)time(NULL);
    fx_tls_config_validity(server_config, &from, &to);
    assert_true(from <= now - 3590 && from >= now - 3900);
    assert_true(to - from == INT64_C(365) * 86400);
}

static void both_certificates_are_printed(void **state) {
    (void)state;
    static const char mark[] = "-----BEGIN CERTIFICATE-----\n";
    const char *leaf = strstr(server_pem.data, mark);
    assert_ptr_equal(leaf, server_pem.data);
    const char *ca = strstr(leaf + 1, mark);
    assert_non_null(ca);
    assert_null(strstr(ca + 1, mark));
    assert_int_equal(server_pem.len, strlen(server_pem.data));
    assert_null(strstr(server_pem.data, "KEY"));
}

/* Of a server that was made elsewhere, by `openssl`. */
static void files_are_read(void **state) {
    (void)state;
    static const char cert[] =
        "-----BEGIN CERTIFICATE-----\n"
        "MIIBmDCCAT+gAwIBAgIUXcyiQAE4KqazDIHPIgsupAObdTswCgYIKoZIzj0EAwIw\n"
        "FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTEyMTExNDY0MVoXDTM2MTExODEx\n"
        "NDY0MVowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D\n"
        "AQcDQgAE6NXhBNMDdn0VZWqyZ9DDbsCrXH6AJqegWrsA5MXdRm0f5dNLW9NeVsib\n"
        "E//KrbrMBdPfYogIqzXmYJ34fCV8nKNvMG0wHQYDVR0OBBYEFLHCiqsb5t39hhZg\n"
        "OjkATwTwEG/uMB8GA1UdIwQYMBaAFLHCiqsb5t39hhZgOjkATwTwEG/uMA8GA1Ud\n"
        "EwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49\n"
        "BAMCA0cAMEQCIGP7PzpN3URhXWAiA2xmPSswwjwd+qU1PJS6aN2mo6WgAiAeICRQ\n"
        "6zLxE1BFe6RgQHmxFeX79+0RDMGDiySH+STaLA==\n"
        "-----END CERTIFICATE-----\n";
    static const char key[] =
        "-----BEGIN PRIVATE KEY-----\n"
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8PIBE8m28bzY+vMO\n"
        "sPIBV7Hbyx2Ov4Lk3kR/12H0dFGhRANCAATo1eEE0wN2fRVlarJn0MNuwKtcfoAm\n"
        "p6BauwDkxd1GbR/l00tb015WyJsT/8qtuswF099iiAirNeZgnfh8JXyc\n"
        "-----END PRIVATE KEY-----\n";
    static const char other_key[] =
        "-----BEGIN PRIVATE KEY-----\n"
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5wWlrN+z4B0RhEnh\n"
        "DSsEoV9yxHDPvR+cLHZSUqglq4OhRANCAAQuO1hq2NXJGXbzx1qptVKk6lyuFStz\n"
        "ohmhuzKY8J4/L5Y9Fkh5KpcpLTYjB1HwB8ppcfOqT4oCRx+FrADXWgEa\n"
        "-----END PRIVATE KEY-----\n";
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *config =
        fx_tls_config_server(fx_text_of(cert), fx_text_of(key), &err);
    assert_non_null(config);
    int64_t from = 0;
    int64_t to = 0;
    fx_tls_config_validity(config, &from, &to);
    assert_true(from == 1795261601 && to == 2110621601);
    fx_tls_config_unref(config);

    static const struct {
        const char *cert, *key, *message;
    } cases[] = {
        {cert, other_key, "private key does not fit the certificate"},
        {cert, "", "private key"},
        {cert, cert, "private key"},
        {"", key, "certificate"},
        {"no PEM", key, "certificate"},
        {key, key, "certificate"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_null(fx_tls_config_server(fx_text_of(cases[i].cert),
                                         fx_text_of(cases[i].key), &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_non_null(strstr(err.msg, cases[i].message));
    }
    assert_null(fx_tls_config_client(FX_TEXT("no PEM"), "a", (struct fx_text){0},
                                     (struct fx_text){0}, &err));
}

static void a_certificate_needs_good_names(void **state) {
    (void)state;
    const char *bad[] = {"good", "not a name"};
    struct fx_err err = FX_ERR_INIT;
    assert_null(fx_tls_config_self_signed(bad, 2, &err));
    assert_int_equal(err.code, FX_EINVALID);
    assert_null(fx_tls_config_self_signed(bad, 0, &err));
    assert_non_null(strstr(fx_tls_library(), "TLS"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_accepted),
        cmocka_unit_test(other_names_are_refused),
        cmocka_unit_test(another_ca_is_refused),
        cmocka_unit_test(no_ca_accepts_anyone),
        cmocka_unit_test(much_comes_through),
        cmocka_unit_test(a_goodbye_is_heard),
        cmocka_unit_test(a_lowest_version_is_kept),
        cmocka_unit_test(garbage_breaks_the_session),
        cmocka_unit_test(alerts_have_their_words),
        cmocka_unit_test(a_changed_byte_breaks_the_session),
        cmocka_unit_test(half_a_handshake_waits),
        cmocka_unit_test(the_certificate_is_valid_for_a_year),
        cmocka_unit_test(both_certificates_are_printed),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(a_certificate_needs_good_names),
    };
    return cmocka_run_group_tests(tests, make_server, drop_server);
}
