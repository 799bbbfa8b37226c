/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server_tls_fixture.h - for the tests of the server over TLS: certificates, and
 * clients that shake hands byte by byte in our hands.
 */
#ifndef FX_NET_HTTP_SERVER_TLS_FIXTURE_H
#define FX_NET_HTTP_SERVER_TLS_FIXTURE_H

#include "net/http_server_fixture.h"
#include "net/tls.h"

static inline struct fx_tls_config *self_signed(void) {
    static const char *const names[] = {"localhost"};
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *config = fx_tls_config_self_signed(names, 1, &err);
    assert_non_null(config);
    return config;
}

static inline struct fx_tls_config *trusting(const struct fx_tls_config *server) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf pem = {0};
    fx_tls_config_print(server, &pem);
    struct fx_tls_config *config = fx_tls_config_client(
        fx_buf_view(&pem), "localhost", (struct fx_text){0}, (struct fx_text){0}, &err);
    assert_non_null(config);
    fx_buf_finish(&pem);
    return config;
}

struct client {
    struct fx_tls *tls;
    struct fx_buf raw, plain, cipher;
    enum fx_tls_state state;
    int fd;
};

/* Sends the output of TLS and receives once. */
static inline bool exchange_tls(struct fixture *fixture, struct client *client) {
    struct fx_err err = FX_ERR_INIT;
    say_n(fixture, client->fd, fx_buf_view(&client->cipher));
    fx_buf_reset(&client->cipher);
    fx_buf_reset(&client->raw);
    const bool more = receive_some(fixture, client->fd, &client->raw);
    client->state = fx_tls_receive(client->tls, fx_buf_view(&client->raw), &client->plain,
                                   &client->cipher, &err);
    return more && client->state != FX_TLS_FAILED;
}

/* Until the server has read the client's last word of the handshake: with TLS 1.3 that is
 * the very last one, so a client is open before its server. */
static inline void await_shaken(struct fixture *fixture, struct client *client,
                                struct fx_http_server_counts before) {
    say_n(fixture, client->fd, fx_buf_view(&client->cipher));
    fx_buf_reset(&client->cipher);
    for (const uint64_t end = now_ms() + PATIENCE_MS; now_ms() < end; run_once(fixture)) {
        const struct fx_http_server_counts now = fx_http_server_counts(fixture->server);
        if (now.handshakes + now.handshake_fails >
            before.handshakes + before.handshake_fails) {
            return;
        }
    }
    fail_msg("the server has not ended the handshake");
}

static inline struct client dial_tls(struct fixture *fixture,
                                     struct fx_tls_config *config) {
    struct fx_err err = FX_ERR_INIT;
    const struct fx_http_server_counts before = fx_http_server_counts(fixture->server);
    struct client client = {.fd = dial(fixture), .tls = fx_tls_create(config)};
    assert_non_null(client.tls);
    client.state = fx_tls_receive(client.tls, (struct fx_text){0}, &client.plain,
                                  &client.cipher, &err);
    while (client.state == FX_TLS_HANDSHAKE && exchange_tls(fixture, &client)) {
    }
    await_shaken(fixture, &client, before);
    return client;
}

static inline void hang_up_tls(struct client *client) {
    (void)close(client->fd);
    fx_tls_destroy(client->tls);
    fx_buf_finish(&client->raw);
    fx_buf_finish(&client->plain);
    fx_buf_finish(&client->cipher);
}

static inline void ask_tls(struct fixture *fixture, struct client *client,
                           const char *request) {
    struct fx_err err = FX_ERR_INIT;
    fx_buf_reset(&client->plain);
    assert_true(fx_tls_send(client->tls, fx_text_of(request), &client->cipher, &err));
    while (answer_length(&client->plain) == 0) {
        assert_true(exchange_tls(fixture, client));
    }
}

#endif
