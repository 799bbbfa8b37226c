/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client_lookup_test.c - calls to names with several addresses, some of them
 * unreachable. The test replaces the resolver of the C library.
 */
#include "net/http_client_fixture.h"

#include <netdb.h>

static const char *const *resolved; /* what any name means; ends in NULL */
static bool slow;                   /* takes its time */

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C
 * library are reserved to it. */
int getaddrinfo(const char *restrict node, const char *restrict service,
                const struct addrinfo *restrict hints, struct addrinfo **restrict res) {
    (void)node;
    (void)hints;
    struct addrinfo **end = res;
    *res = NULL;
    if (slow) {
        uv_sleep(200);
    }
    for (const char *const *at = resolved; *at != NULL; at++) {
        struct addrinfo *info = calloc(1, sizeof *info);
        struct sockaddr_in6 *socket = calloc(1, sizeof *socket); /* room for both */
        const int port = (int)strtol(service, NULL, 10);
        if (info == NULL || socket == NULL ||
            (uv_ip4_addr(*at, port, (struct sockaddr_in *)socket) != 0 &&
             uv_ip6_addr(*at, port, socket) != 0)) {
            abort();
        }
        info->ai_addr = (struct sockaddr *)socket;
        info->ai_family = info->ai_addr->sa_family;
        *end = info;
        end = &info->ai_next;
    }
    return *res == NULL ? EAI_NONAME : 0;
}

void freeaddrinfo(struct addrinfo *all) {
    while (all != NULL) {
        struct addrinfo *next = all->ai_next;
        free(all->ai_addr);
        free(all);
        all = next;
    }
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

static void ask_name(struct fixture *fixture, uint64_t timeout_ms, struct asked *asked) {
    struct fx_buf text = {0};
    struct fx_url url;
    parse_url(&text, &url, "http://provider:PORT/", fx_http_server_port(fixture->server));
    struct fx_http_call_options options = posting(&url, NULL, FX_TEXT("x"));
    options.timeout_ms = timeout_ms;
    ask(&fixture->loop, &options, asked);
    fx_buf_finish(&text);
}

#define ANSWER "POST /  fixpoint/" FX_VERSION " [x]"

static void addresses_are_tried_in_order(void **state) {
    (void)state;
    static const struct {
        const char *addresses[4];
        const char *failure; /* of the last; NULL: an answer */
    } cases[] = {
        {{"127.0.0.1"}, NULL},
        {{"127.0.0.2", "127.0.0.1"}, NULL},
        {{"127.0.0.2", "127.0.0.3", "127.0.0.1"}, NULL},
        {{"127.0.0.1", "127.0.0.2"}, NULL},
        {{"::1", "127.0.0.1"}, NULL},
        {{"127.0.0.3", "127.0.0.2"}, "connect 127.0.0.2:"},
        {{"127.0.0.2", "::1"}, "connect [::1]:"},
        {{NULL}, "lookup provider: name or service not known"},
    };
    struct fixture fixture;
    struct asked asked;
    start(&fixture, (struct fx_http_server_options){0});
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        resolved = cases[i].addresses;
        ask_name(&fixture, PATIENCE_MS, &asked);
        await(&fixture.loop, &asked);
        if (cases[i].failure == NULL) {
            expect_answer(&asked, 200, ANSWER);
        } else {
            expect_failure(&asked, FX_EIO, cases[i].failure);
        }
    }
    finish(&fixture);
}

/* A listener whose queue is full: to connect there takes for ever. */
struct full {
    int listener, clients[8];
};

static void fill(struct full *full, uint16_t port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    at.sin_addr.s_addr = htonl(0x7f000002);
    full->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(full->listener, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(full->listener, 0), 0);
    for (size_t i = 0; i < FX_COUNT(full->clients); i++) {
        full->clients[i] = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(fcntl(full->clients[i], F_SETFL, O_NONBLOCK), 0);
        const int rc = connect(full->clients[i], (const struct sockaddr *)&at, sizeof at);
        assert_true(rc == 0 || errno == EINPROGRESS);
    }
}

static void a_dead_address_takes_its_share_of_the_time_only(void **state) {
    (void)state;
    static const char *const both[] = {"127.0.0.2", "127.0.0.1", NULL};
    static const char *const dead[] = {"127.0.0.2", NULL};
    struct fixture fixture;
    struct asked asked;
    struct full full;
    start(&fixture, (struct fx_http_server_options){0});
    fill(&full, fx_http_server_port(fixture.server));
    resolved = both;
    const uint64_t begun = now_ms();
    ask_name(&fixture, 1000, &asked);
    await(&fixture.loop, &asked);
    expect_answer(&asked, 200, ANSWER);
    assert_true(now_ms() - begun >= 490);
    resolved = dead;
    ask_name(&fixture, 100, &asked);
    await(&fixture.loop, &asked);
    expect_failure(&asked, FX_EDEADLINE, "no answer within 100 ms");
    for (size_t i = 0; i < FX_COUNT(full.clients); i++) {
        (void)close(full.clients[i]);
    }
    (void)close(full.listener);
    finish(&fixture);
}

/* The call has failed, or is given up, when the resolver comes with its answer. */
static void a_slow_lookup_is_outlived(void **state) {
    (void)state;
    static const char *const here[] = {"127.0.0.1", NULL};
    struct fixture fixture;
    struct asked asked;
    resolved = here;
    slow = true;
    start(&fixture, (struct fx_http_server_options){0});
    ask_name(&fixture, 20, &asked);
    await(&fixture.loop, &asked);
    expect_failure(&asked, FX_EDEADLINE, "no answer within 20 ms");
    ask_name(&fixture, PATIENCE_MS, &asked);
    run_for(&fixture, 20);
    fx_http_call_cancel(asked.call);
    run_for(&fixture, 300);
    assert_int_equal(asked.n_done, 0);
    assert_int_equal(fixture.n_requests, 0);
    finish(&fixture);
    slow = false;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_tried_in_order),
        cmocka_unit_test(a_dead_address_takes_its_share_of_the_time_only),
        cmocka_unit_test(a_slow_lookup_is_outlived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
