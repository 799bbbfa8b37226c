/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/http_oom_test.c - reviews over the wire, plain and over TLS, with every
 * allocation refused in turn: accepting, shaking hands, reading, reviewing, answering.
 * Each ends in the answer, in 503, or with the connection closed before a byte of an
 * answer came; the next client is answered, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "admission/review.h"
#include "base/clock.h"
#include "base/limits.h"
#include "net/http_server.h"
#include "net/tls.h"
#include "policy/policies.h"
#include "refuse.h"

#define RUNS_MAX    100000 /* no run needs that many allocations */
#define PATIENCE_NS UINT64_C(60000000000)
#define EXACTLY     200 /* these are refused one by one, then a stride is taken */
#define STRIDE      61  /* a prime: it meets all kinds of places */

static const char policies_text[] = "apiVersion: mutations.gatekeeper.sh/v1\n"
                                    "kind: AssignMetadata\n"
                                    "metadata: {name: owner}\n"
                                    "spec:\n"
                                    "  location: metadata.labels.owner\n"
                                    "  parameters: {assign: {value: me}}\n";

#define BODY                                                                            \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":" \
    "{\"uid\":\"u\",\"operation\":\"CREATE\",\"namespace\":\"\",\"kind\":{\"group\":"   \
    "\"\",\"version\":\"v1\",\"kind\":\"Node\"},\"object\":{\"apiVersion\":\"v1\","     \
    "\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}}}"

static struct fx_policies *policies;

/* ---- the server ------------------------------------------------------------------ */

struct host {
    uv_loop_t loop;
    struct fx_http_server *server;
    bool stopped;
};

static void respond(struct fx_http_exchange *exchange,
                    const struct fx_review_result *result) {
    fx_http_respond(exchange, result->status, "application/json",
                    result->retry_after ? "Retry-After: 1\r\n" : NULL, result->body);
}

static void on_request(struct fx_http_exchange *exchange, void *user) {
    static const struct fx_admission admission = {.own_namespace = "own",
                                                  .partial_decode = true};
    (void)user;
    struct fx_review *review =
        fx_review_create(&admission, policies->snapshot, fx_http_body(exchange), 0);
    if (review == NULL) {
        struct fx_buf none;
        fx_buf_init(&none, 0);
        fx_http_respond(exchange, 503, NULL, "Retry-After: 1\r\n", &none);
        return;
    }
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    respond(exchange, fx_review_result(review));
    fx_review_destroy(review);
}

static void on_stopped(void *user) {
    ((struct host *)user)->stopped = true;
}

static void open_host(struct host *host, struct fx_tls_config *tls) {
    struct fx_err err = FX_ERR_INIT;
    const struct fx_http_server_options options = {
        .tls = tls, .on_request = on_request, .user = host};
    *host = (struct host){0};
    assert_int_equal(uv_loop_init(&host->loop), 0);
    host->server = fx_http_server_create(&host->loop, &options, &err);
    assert_non_null(host->server);
    assert_true(fx_http_server_listen(host->server, "127.0.0.1:0", &err));
}

/* A turn of the loop; sleeps where nothing happens. */
static void turn(struct host *host, int fd) {
    struct pollfd fds[] = {{.fd = uv_backend_fd(&host->loop), .events = POLLIN},
                           {.fd = fd, .events = POLLIN}};
    if (uv_backend_timeout(&host->loop) != 0) {
        (void)poll(fds, fd < 0 ? 1 : 2, 5);
    }
    (void)uv_run(&host->loop, UV_RUN_NOWAIT);
}

static void close_host(struct host *host) {
    fx_http_server_stop(host->server, on_stopped, host);
    for (const uint64_t end = fx_clock_ns() + PATIENCE_NS; !host->stopped;) {
        assert_true(fx_clock_ns() < end);
        turn(host, -1);
    }
    fx_http_server_destroy(host->server);
    while (uv_run(&host->loop, UV_RUN_NOWAIT) != 0) {
    }
    assert_int_equal(uv_loop_close(&host->loop), 0);
}

/* ---- a client, to whom nothing is refused ---------------------------------------- */

struct client {
    int fd;
    struct fx_tls *tls; /* NULL: plain */
    struct fx_buf plain, cipher;
    bool open, asked, closed;
};

static void push(struct client *client, struct fx_buf *bytes) {
    for (size_t at = 0; at < bytes->len;) {
        const ssize_t n =
            send(client->fd, bytes->data + at, bytes->len - at, MSG_NOSIGNAL);
        if (n <= 0) {
            client->closed = true; /* it fits the socket's buffer */
            break;
        }
        at += (size_t)n;
    }
    fx_buf_reset(bytes);
}

static void ask(struct client *client, struct fx_text request) {
    struct fx_err err = FX_ERR_INIT;
    client->asked = true;
    if (client->tls == NULL) {
        fx_buf_text(&client->cipher, request);
    } else {
        assert_true(fx_tls_send(client->tls, request, &client->cipher, &err));
    }
    push(client, &client->cipher);
}

/* Without memory the server listens only now and then. */
static int connect_to(struct host *host) {
    struct sockaddr_in to = {.sin_family = AF_INET};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (const uint64_t end = fx_clock_ns() + PATIENCE_NS; fx_clock_ns() < end;) {
        const uint16_t port = fx_http_server_port(host->server);
        const int fd = socket(AF_INET, SOCK_STREAM, 0);
        to.sin_port = htons(port);
        if (port != 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0) {
            return fd;
        }
        (void)close(fd);
        refuse_resume();
        turn(host, -1);
        refuse_pause();
    }
    fail_msg("nobody listens");
    return -1;
}

static struct client dial(struct host *host, struct fx_tls_config *tls) {
    struct fx_err err = FX_ERR_INIT;
    struct client client = {.fd = connect_to(host)};
    assert_int_equal(fcntl(client.fd, F_SETFL, O_NONBLOCK), 0);
    if (tls != NULL) {
        client.tls = fx_tls_create(tls);
        assert_non_null(client.tls);
        assert_int_equal(fx_tls_receive(client.tls, (struct fx_text){0}, &client.plain,
                                        &client.cipher, &err),
                         FX_TLS_HANDSHAKE);
        push(&client, &client.cipher);
    }
    return client;
}

static void take(struct client *client, struct fx_text bytes) {
    struct fx_err err = FX_ERR_INIT;
    if (client->tls == NULL) {
        fx_buf_text(&client->plain, bytes);
        return;
    }
    const enum fx_tls_state state =
        fx_tls_receive(client->tls, bytes, &client->plain, &client->cipher, &err);
    push(client, &client->cipher);
    client->open = state == FX_TLS_OPEN;
    client->closed = client->closed || state == FX_TLS_FAILED || state == FX_TLS_CLOSED;
}

/* What has come, if anything has. */
static void hear(struct client *client) {
    static char bytes[65536];
    const ssize_t n = recv(client->fd, bytes, sizeof bytes, 0);
    if (n > 0) {
        take(client, (struct fx_text){bytes, (size_t)n});
    } else if (n == 0 || errno != EAGAIN) {
        client->closed = true;
    }
}

static bool has_answer(const struct client *client) {
    const char *end =
        client->plain.len == 0 ? NULL : strstr(client->plain.data, "\r\n\r\n");
    const char *field =
        end == NULL ? NULL : strstr(client->plain.data, "Content-Length: ");
    const size_t body = field == NULL ? 0 : strtoul(field + 16, NULL, 10);
    return end != NULL &&
           client->plain.len >= (size_t)(end + 4 - client->plain.data) + body;
}

static void hang_up(struct client *client) {
    (void)close(client->fd);
    fx_tls_destroy(client->tls);
    fx_buf_finish(&client->plain);
    fx_buf_finish(&client->cipher);
}

/* ---- one request ----------------------------------------------------------------- */

enum end { ANSWERED, TURNED_AWAY, CLOSED };

static enum end validator(const struct client *client) {
    if (!has_answer(client)) {
        assert_true(client->closed);
        assert_int_equal(client->plain.len, 0); /* never a part of one */
        return CLOSED;
    }
    if (strncmp(client->plain.data, "HTTP/1.1 200 ", 13) == 0) {
        assert_non_null(strstr(client->plain.data, "\"patch\""));
        return ANSWERED;
    }
    assert_memory_equal(client->plain.data, "HTTP/1.1 503 ", 13);
    assert_non_null(strstr(client->plain.data, "Retry-After: "));
    return TURNED_AWAY;
}

/* The client's part is left in peace. */
static enum end request(struct host *host, struct fx_tls_config *trust) {
    static const char text[] =
        "POST /v1/mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 235\r\n\r\n" BODY;
    static_assert(sizeof BODY - 1 == 235, "the length that is said");
    refuse_pause();
    struct client client = dial(host, trust);
    client.open = trust == NULL;
    for (const uint64_t end = fx_clock_ns() + PATIENCE_NS;
         !client.closed && !has_answer(&client);) {
        assert_true(fx_clock_ns() < end);
        if (client.open && !client.asked) {
            ask(&client, FX_TEXT(text));
        }
        refuse_resume();
        turn(host, client.fd);
        refuse_pause();
        hear(&client);
    }
    const enum end end = validator(&client);
    hang_up(&client);
    refuse_resume();
    return end;
}

/* ---- all of them ----------------------------------------------------------------- */

struct tally {
    unsigned ends[3];
    long n;
};

/* One server: a client who meets the refusal, and one who comes after it. True where an
 * allocation was refused. */
static bool serve_two(struct fx_tls_config *tls, struct fx_tls_config *trust, long nth,
                      bool ever_after, struct tally *tally) {
    struct host host;
    open_host(&host, tls);
    refuse_from(nth, ever_after);
    const enum end end = request(&host, trust);
    const bool refused = refuse_stop();
    if (!refused) {
        assert_int_equal(end, ANSWERED);
    }
    tally->ends[end]++;
    assert_int_equal(request(&host, trust), ANSWERED);
    close_host(&host);
    return refused;
}

static void refuse_all(struct fx_tls_config *tls, struct fx_tls_config *trust,
                       bool ever_after) {
    struct tally tally = {0};
    for (bool refused = true; refused;) {
        const long live = refuse_live();
        assert_true(tally.n < RUNS_MAX);
        refused = serve_two(tls, trust, tally.n, ever_after, &tally);
        if (refuse_live() != live) {
            fail_msg("%ld allocations are left behind, where number %ld was refused",
                     refuse_live() - live, tally.n);
        }
        tally.n += tally.n < EXACTLY ? 1 : STRIDE;
    }
    print_message("%ld allocations: %u answered, %u turned away, %u closed\n", tally.n,
                  tally.ends[ANSWERED], tally.ends[TURNED_AWAY], tally.ends[CLOSED]);
    assert_true(tally.n > 30 && tally.ends[CLOSED] > 0);
    assert_true(tls != NULL || ever_after || tally.ends[TURNED_AWAY] > 0);
}

static void test_plain(void **state) {
    (void)state;
    refuse_all(NULL, NULL, false);
    refuse_all(NULL, NULL, true);
}

static struct fx_tls_config *trusting(const struct fx_tls_config *server) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf pem;
    fx_buf_init(&pem, 0);
    fx_tls_config_print(server, &pem);
    struct fx_tls_config *config =
        fx_tls_config_client((struct fx_text){pem.data, pem.len}, "localhost",
                             (struct fx_text){0}, (struct fx_text){0}, &err);
    assert_non_null(config);
    fx_buf_finish(&pem);
    return config;
}

static void test_tls(void **state) {
    (void)state;
    static const char *const names[] = {"localhost"};
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *tls = fx_tls_config_self_signed(names, 1, &err);
    assert_non_null(tls);
    struct fx_tls_config *trust = trusting(tls);
    struct tally first = {0}; /* mbedTLS keeps a table of the key's curve */
    assert_false(serve_two(tls, trust, RUNS_MAX, false, &first));
    refuse_all(tls, trust, false);
    refuse_all(tls, trust, true);
    fx_tls_config_unref(trust);
    fx_tls_config_unref(tls);
}

static int build_policies(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_policy_input input = {.file = "p.yaml",
                                          .text = FX_TEXT(policies_text)};
    return !fx_policies_build(&input, 1, NULL, 1, &policies, &err);
}

static int forget_policies(void **state) {
    (void)state;
    fx_policies_unref(policies);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_tls),
    };
    refuse_install();
    return cmocka_run_group_tests(tests, build_policies, forget_policies);
}
