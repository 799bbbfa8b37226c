/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_fixture.h - for the tests of the client: certificates, calls and what
 * came of them.
 */
#ifndef FX_NET_HTTP_CLIENT_FIXTURE_H
#define FX_NET_HTTP_CLIENT_FIXTURE_H

#include "net/http_server_fixture.h"

#include "net/fake_server_fixture.h"
#include "net/http_client.h"
#include "net/tls.h"

#define MANY 64

static const char *const names[] = {"localhost", "127.0.0.1"};

/* Made once: keys take milliseconds. `trust` is the PEM that trusts `server_tls`. */
static struct fx_tls_config *server_tls, *other_tls;
static struct fx_buf trust, key, other_trust, other_key;

static inline int make_configs(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    server_tls = fx_tls_config_self_signed(names, FX_COUNT(names), &err);
    other_tls = fx_tls_config_self_signed(names, FX_COUNT(names), &err);
    if (server_tls == NULL || other_tls == NULL) {
        return -1;
    }
    fx_tls_config_print(server_tls, &trust);
    fx_tls_config_print_key(server_tls, &key);
    fx_tls_config_print(other_tls, &other_trust);
    fx_tls_config_print_key(other_tls, &other_key);
    return trust.failed || key.failed || other_trust.failed || other_key.failed ? -1 : 0;
}

static inline int drop_configs(void **state) {
    (void)state;
    fx_tls_config_unref(server_tls);
    fx_tls_config_unref(other_tls);
    fx_buf_finish(&trust);
    fx_buf_finish(&other_trust);
    fx_tls_wipe(&key);
    fx_tls_wipe(&other_key);
    return 0;
}

static inline struct fx_tls_config *client_tls(const struct fx_buf *ca, const char *name,
                                               const struct fx_buf *cert,
                                               const struct fx_buf *cert_key) {
    struct fx_err err = FX_ERR_INIT;
    const bool own = cert != NULL;
    struct fx_tls_config *config = fx_tls_config_client(
        fx_buf_view(ca), name, own ? fx_buf_view(cert) : (struct fx_text){0},
        own ? fx_buf_view(cert_key) : (struct fx_text){0}, &err);
    assert_non_null(config);
    return config;
}

/* ---- a call and what came of it ---- */

struct asked {
    struct fx_http_call *call;
    unsigned n_done;
    unsigned status;
    struct fx_buf body;
    struct fx_err failure;
};

static inline void on_done(const struct fx_http_call_result *result, void *user) {
    struct asked *asked = user;
    asked->n_done++;
    asked->call = NULL;
    if (result->failure != NULL) {
        asked->failure = *result->failure;
        return;
    }
    asked->status = result->status;
    fx_buf_text(&asked->body, result->body);
}

static inline struct fx_http_call_options
posting(const struct fx_url *url, struct fx_tls_config *tls, struct fx_text body) {
    return (struct fx_http_call_options){
        .url = url,
        .tls = tls,
        .method = "POST",
        .content_type = "application/json",
        .body = body,
        .timeout_ms = PATIENCE_MS,
    };
}

static inline void ask(uv_loop_t *loop, const struct fx_http_call_options *options,
                       struct asked *asked) {
    struct fx_err err = FX_ERR_INIT;
    *asked = (struct asked){.failure = FX_ERR_INIT};
    assert_true(fx_http_call_start(loop, options, on_done, asked, &asked->call, &err));
    assert_int_equal(asked->n_done, 0); /* later, never at once */
}

static inline void await(uv_loop_t *loop, const struct asked *asked) {
    for (const uint64_t end = now_ms() + 4 * (uint64_t)PATIENCE_MS;
         asked->n_done == 0 && now_ms() < end;) {
        if (uv_run(loop, UV_RUN_NOWAIT) != 0) {
            uv_sleep(1);
        }
    }
    assert_int_equal(asked->n_done, 1);
}

static inline void parse_url(struct fx_buf *text, struct fx_url *url, const char *format,
                             unsigned port) {
    struct fx_err err = FX_ERR_INIT;
    fx_buf_reset(text);
    char *to = fx_buf_reserve(text, 200);
    assert_non_null(to);
    /* The formats are all written below. */
    const char *mark = strstr(format, "PORT");
    assert_non_null(mark);
    fx_buf_add(text, format, (size_t)(mark - format));
    fx_buf_printf(text, "%u", port);
    fx_buf_str(text, mark + 4);
    assert_true(fx_url_parse(fx_buf_view(text), url, &err));
}

static inline void ask_actor(struct fake_server *fake, const char *format,
                             struct fx_http_call_options options, struct asked *asked) {
    struct fx_buf text = {0};
    struct fx_url url;
    fx_buf_reset(&fake->received);
    parse_url(&text, &url, format, fake->port);
    options.url = &url;
    ask(&fake->loop, &options, asked);
    fx_buf_finish(&text);
}

static inline void expect_failure(struct asked *asked, enum fx_code code,
                                  const char *message) {
    if (asked->failure.code != code || strstr(asked->failure.msg, message) == NULL) {
        fail_msg("wanted `%s`, got %d `%s`", message, (int)asked->failure.code,
                 asked->failure.msg);
    }
    fx_buf_finish(&asked->body);
}

static inline void expect_answer(struct asked *asked, unsigned status, const char *body) {
    if (asked->failure.code != FX_OK) {
        fail_msg("failed: %s", asked->failure.msg);
    }
    assert_int_equal(asked->status, status);
    assert_string_equal(asked->body.len == 0 ? "" : asked->body.data, body);
    fx_buf_finish(&asked->body);
}

#endif
