/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_clients_test.c - which clients a server accepts, and what it reports about the
 * others.
 */
#include "net/tls_fixture.h"

#include <string.h>
#include <time.h>

#include "base/macros.h"
#include "net/tls_clients.h"
#include "net/tls_issue.h"

#define DAY INT64_C(86400)

static const char *const localhost[] = {"localhost"};

static struct fx_tls_pair ours, theirs; /* authorities */

/* The last refusal. */
static struct {
    size_t n_refused;
    enum fx_tls_refusal refusal;
    char name[128];
} reported;

static void on_refused(enum fx_tls_refusal refusal, const char *common_name, void *user) {
    assert_ptr_equal(user, &reported);
    reported.n_refused++;
    reported.refusal = refusal;
    assert_true(strlen(common_name) < sizeof reported.name);
    strcpy(reported.name,
           common_name); /* NOLINT(clang-analyzer-security*): just measured */
}

static struct fx_tls_dates days(int from, int to) {
    const int64_t now = (int64_t)time(NULL);
    return (struct fx_tls_dates){now + from * DAY, now + to * DAY};
}

static int make_authorities(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_tls_issue_authority("ours", days(-9, 9), &ours, &err) &&
                    fx_tls_issue_authority("theirs", days(-9, 9), &theirs, &err);
    return ok ? 0 : -1;
}

static int drop_authorities(void **state) {
    (void)state;
    fx_tls_pair_finish(&ours);
    fx_tls_pair_finish(&theirs);
    return 0;
}

static struct fx_tls_pair issue(const struct fx_tls_pair *authority, const char *name,
                                struct fx_tls_dates dates) {
    struct fx_tls_pair leaf = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_tls_issue_leaf(fx_buf_view(&authority->cert),
                                  fx_buf_view(&authority->key), &name, 1, dates, &leaf,
                                  &err));
    return leaf;
}

/* A server that lets in those of ours, perhaps with one of these names. */
static struct fx_tls_config *server_for(const char *const *names, size_t n_names,
                                        const struct fx_tls_pair *known) {
    struct fx_err err = FX_ERR_INIT;
    const struct fx_tls_clients clients = {
        .ca_pem = fx_buf_view(&ours.cert),
        .names = names,
        .n_names = n_names,
        .known_pem = known == NULL ? (struct fx_text){0} : fx_buf_view(&known->cert),
        .on_refused = on_refused,
        .user = &reported,
    };
    struct fx_tls_config *server = fx_tls_config_self_signed(localhost, 1, &err);
    assert_non_null(server);
    assert_true(fx_tls_config_set_clients(server, &clients, &err));
    return server;
}

/* Does it come in with that? */
static bool comes_in(struct fx_tls_config *config, const struct fx_tls_pair *pair) {
    const struct fx_text none = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *offered = fx_tls_config_client(
        none, "localhost", pair == NULL ? none : fx_buf_view(&pair->cert),
        pair == NULL ? none : fx_buf_view(&pair->key), &err);
    assert_non_null(offered);
    struct side client;
    struct side server;
    side_init(&client, offered);
    side_init(&server, config);
    exchange_output(&client, &server);
    const bool is_in = server.state == FX_TLS_OPEN;
    assert_true(is_in || server.state == FX_TLS_FAILED);
    side_finish(&client);
    side_finish(&server);
    fx_tls_config_unref(offered);
    return is_in;
}

/* Is the client refused for this reason, once, with this name? Frees the client. */
static void assert_refused(struct fx_tls_config *server, struct fx_tls_pair pair,
                           enum fx_tls_refusal refusal, const char *name) {
    reported.n_refused = 0;
    assert_false(comes_in(server, pair.cert.len == 0 ? NULL : &pair));
    assert_int_equal(reported.n_refused, 1);
    assert_string_equal(fx_tls_refusal_name(reported.refusal),
                        fx_tls_refusal_name(refusal));
    assert_string_equal(reported.name, name);
    fx_tls_pair_finish(&pair);
}

static void assert_let_in(struct fx_tls_config *server, struct fx_tls_pair pair) {
    reported.n_refused = 0;
    assert_true(comes_in(server, &pair));
    assert_int_equal(reported.n_refused, 0);
    fx_tls_pair_finish(&pair);
}

static void a_chain_is_needed(void **state) {
    (void)state;
    struct fx_tls_config *server = server_for(NULL, 0, NULL);
    assert_let_in(server, issue(&ours, "any-client", days(-1, 1)));
    assert_refused(server, issue(&theirs, "any-client", days(-1, 1)),
                   FX_TLS_REFUSAL_UNTRUSTED, "any-client");
    assert_refused(server, issue(&ours, "late", days(-3, -1)), FX_TLS_REFUSAL_EXPIRED,
                   "late");
    assert_refused(server, issue(&ours, "soon", days(1, 3)), FX_TLS_REFUSAL_EARLY,
                   "soon");
    assert_refused(server, (struct fx_tls_pair){0}, FX_TLS_REFUSAL_MISSING, "");
    fx_tls_config_unref(server);
}

static void one_of_the_names_is_needed(void **state) {
    (void)state;
    static const char *const names[] = {"kube-apiserver", "other"};
    struct fx_tls_config *server = server_for(names, FX_COUNT(names), NULL);
    assert_let_in(server, issue(&ours, "kube-apiserver", days(-1, 1)));
    assert_let_in(server, issue(&ours, "other", days(-1, 1)));
    assert_refused(server, issue(&ours, "kube-apiserver.", days(-1, 1)),
                   FX_TLS_REFUSAL_NAME, "kube-apiserver.");
    assert_refused(server, issue(&ours, "kube-apiserve", days(-1, 1)),
                   FX_TLS_REFUSAL_NAME, "kube-apiserve");
    assert_refused(server, issue(&theirs, "kube-apiserver", days(-1, 1)),
                   FX_TLS_REFUSAL_UNTRUSTED, "kube-apiserver");
    fx_tls_config_unref(server);
}

/* The known certificate is accepted whatever its name, dates and issuer are, but only
 * with its key. */
static void the_known_one_is_let_in(void **state) {
    (void)state;
    static const char *const names[] = {"kube-apiserver"};
    struct fx_tls_pair known = issue(&theirs, "ourselves", days(-3, -1));
    struct fx_tls_config *server = server_for(names, 1, &known);
    assert_true(comes_in(server, &known));
    assert_refused(server, issue(&theirs, "ourselves", days(-3, -1)),
                   FX_TLS_REFUSAL_UNTRUSTED, "ourselves");
    assert_refused(server, issue(&ours, "ourselves", days(-1, 1)), FX_TLS_REFUSAL_NAME,
                   "ourselves");
    assert_let_in(server, issue(&ours, "kube-apiserver", days(-1, 1)));
    fx_tls_pair_finish(&known);
    fx_tls_config_unref(server);
}

/* A client whose handshake ends before certificates has sent none. */
static void other_failures_are_no_refusals(void **state) {
    (void)state;
    struct fx_tls_config *config = server_for(NULL, 0, NULL);
    struct side server;
    side_init(&server, config);
    reported.n_refused = 0;
    server.state = fx_tls_receive(server.tls, FX_TEXT("GET / HTTP/1.1\r\n\r\n"),
                                  &server.plain, &server.cipher, &server.err);
    assert_int_equal(server.state, FX_TLS_FAILED);
    assert_int_equal(reported.n_refused, 0);
    side_finish(&server);
    fx_tls_config_unref(config);
}

/* A copy of the configuration accepts the clients that it is given. */
static void a_server_is_made_again(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *server = server_for(NULL, 0, NULL);
    struct fx_tls_config *again = fx_tls_config_clone(server, &err);
    struct fx_buf before = {0};
    struct fx_buf after = {0};
    assert_non_null(again);
    fx_tls_config_print(server, &before);
    fx_tls_config_print(again, &after);
    assert_string_equal(before.data, after.data);
    assert_false(comes_in(server, NULL));
    assert_true(comes_in(again, NULL));
    fx_tls_config_unref(server);
    assert_true(comes_in(again, NULL));
    fx_tls_config_unref(again);
    fx_buf_finish(&before);
    fx_buf_finish(&after);
}

static void a_bundle_has_a_certificate(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf many = {0};
    assert_true(fx_tls_clients_check(fx_buf_view(&ours.cert), &err));
    assert_false(fx_tls_clients_check(FX_TEXT(""), &err));
    assert_int_equal(err.code, FX_EINVALID);
    assert_false(fx_tls_clients_check(fx_buf_view(&ours.key), &err));
    for (size_t i = 0; i <= FX_TLS_BUNDLE_CERTS; i++) {
        fx_buf_text(&many, fx_buf_view(&ours.cert));
    }
    assert_false(fx_tls_clients_check(fx_buf_view(&many), &err));
    assert_non_null(strstr(err.msg, "more than 100"));
    struct fx_tls_config *server = fx_tls_config_self_signed(localhost, 1, &err);
    assert_non_null(server);
    assert_false(fx_tls_config_set_clients(
        server, &(struct fx_tls_clients){.ca_pem = FX_TEXT("nothing")}, &err));
    fx_tls_config_unref(server);
    fx_buf_finish(&many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_needed),
        cmocka_unit_test(one_of_the_names_is_needed),
        cmocka_unit_test(the_known_one_is_let_in),
        cmocka_unit_test(other_failures_are_no_refusals),
        cmocka_unit_test(a_server_is_made_again),
        cmocka_unit_test(a_bundle_has_a_certificate),
    };
    return cmocka_run_group_tests(tests, make_authorities, drop_authorities);
}
