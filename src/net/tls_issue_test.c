/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_issue_test.c - issuing certificates and checking those of others. All times are
 * far from the system clock, which the functions must not read.
 */
#include "net/tls_fixture.h"

#include <string.h>
#include <time.h>

#include "base/macros.h"
#include "net/tls_issue.h"
#include "net/tls_issue_samples.h"

#define FROM INT64_C(3000000000) /* 2065 */
#define TO   INT64_C(3100000000)

static const char *const names[] = {"hook.shop.svc", "*.wild.example", "10.0.0.1", "::1"};
static const struct fx_tls_dates dates = {FROM, TO};
static const struct fx_text none = {0};

/* Two authorities of the same name, and a leaf of the first; made once. */
static struct fx_tls_pair ca, other_ca, leaf;

static int make_pairs(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_tls_issue_authority("an authority", dates, &ca, &err) &&
                    fx_tls_issue_authority("an authority", dates, &other_ca, &err) &&
                    fx_tls_issue_leaf(fx_buf_view(&ca.cert), fx_buf_view(&ca.key), names,
                                      FX_COUNT(names), dates, &leaf, &err);
    return ok ? 0 : -1;
}

static int drop_pairs(void **state) {
    (void)state;
    fx_tls_pair_finish(&ca);
    fx_tls_pair_finish(&other_ca);
    fx_tls_pair_finish(&leaf);
    fx_tls_pair_finish(&leaf); /* twice is fine */
    fx_tls_pair_finish(NULL);
    return 0;
}

static bool is_accepted(struct fx_text ca_pem, struct fx_text cert, struct fx_text key,
                        const char *name, int64_t now, struct fx_err *err) {
    *err = FX_ERR_INIT;
    const bool ok = fx_tls_check_chain(ca_pem, cert, key, &name, 1, now, err);
    assert_true(ok || err->msg[0] != '\0');
    return ok;
}

/* Is it accepted, or refused with a message that begins like this (NULL: accepted)? */
static void assert_verdict(bool ok, const struct fx_err *err, const char *failure) {
    assert_int_equal(ok, failure == NULL);
    if (!ok && failure != NULL) {
        assert_int_equal(err->code, FX_EINVALID);
        assert_true(strncmp(err->msg, failure, strlen(failure)) == 0);
    }
}

static void an_authority_signs_leaves(void **state) {
    (void)state;
    static const struct {
        int64_t now;
        const char *failure; /* NULL: none */
    } cases[] = {
        {FROM, NULL},
        {TO, NULL},
        {FROM - 1, "a certificate of the chain is not valid yet"},
        {TO + 1, "a certificate of the chain has expired"},
        {0, "a certificate"},
        {INT64_MAX, "a certificate"},
        {INT64_MIN, "a certificate"},
    };
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const bool ok =
            is_accepted(fx_buf_view(&ca.cert), fx_buf_view(&leaf.cert),
                        fx_buf_view(&leaf.key), "10.0.0.1", cases[i].now, &err);
        assert_verdict(ok, &err, cases[i].failure);
    }
    assert_true(fx_tls_check_chain(fx_buf_view(&ca.cert), fx_buf_view(&leaf.cert),
                                   fx_buf_view(&leaf.key), names, FX_COUNT(names), FROM,
                                   &err));
    assert_true(fx_tls_check_chain(fx_buf_view(&ca.cert), fx_buf_view(&leaf.cert),
                                   fx_buf_view(&leaf.key), NULL, 0, FROM, &err));
}

/* A leaf's own dates count, not only its authority's. */
static void each_certificate_has_its_dates(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_pair brief = {0};
    assert_true(fx_tls_issue_leaf(fx_buf_view(&ca.cert), fx_buf_view(&ca.key), names, 1,
                                  (struct fx_tls_dates){FROM + 100, FROM + 200}, &brief,
                                  &err));
    static const struct {
        int64_t now;
        const char *failure;
    } cases[] = {
        {FROM + 99, "a certificate of the chain is not valid yet"},
        {FROM + 100, NULL},
        {FROM + 200, NULL},
        {FROM + 201, "a certificate of the chain has expired"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const bool ok =
            is_accepted(fx_buf_view(&ca.cert), fx_buf_view(&brief.cert),
                        fx_buf_view(&brief.key), names[0], cases[i].now, &err);
        assert_verdict(ok, &err, cases[i].failure);
    }
    struct fx_tls_dates read = {0};
    assert_true(fx_tls_read_dates(fx_buf_view(&brief.cert), &read, &err));
    assert_true(read.not_before == FROM + 100 && read.not_after == FROM + 200);
    fx_tls_pair_finish(&brief);
}

static void names_are_compared(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool ok;
    } cases[] = {
        {"hook.shop.svc", true},
        {"HOOK.shop.SVC", true},
        {"a.wild.example", true},
        {"10.0.0.1", true},
        {"::1", true},
        {"0:0:0:0:0:0:0:1", true},
        {"a.b.wild.example", false},
        {"wild.example", false},
        {"shop.svc", false},
        {"hook.shop.svc.", false},
        {"10.0.0.2", false},
        {"::2", false},
        {"", false},
    };
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const bool ok = is_accepted(fx_buf_view(&ca.cert), fx_buf_view(&leaf.cert),
                                    fx_buf_view(&leaf.key), cases[i].name, FROM, &err);
        assert_int_equal(ok, cases[i].ok);
        assert_true(ok || strstr(err.msg, "the certificate is not for `") == err.msg);
    }
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    struct fx_buf halved = {0};
    fx_buf_add(&halved, leaf.cert.data, leaf.cert.len / 2);
    const struct {
        struct fx_text ca, cert, key;
        const char *failure;
    } cases[] = {
        {none, fx_buf_view(&leaf.cert), fx_buf_view(&leaf.key),
         "no authority's certificate"},
        {fx_buf_view(&ca.key), fx_buf_view(&leaf.cert), fx_buf_view(&leaf.key),
         "no authority's"},
        {fx_buf_view(&ca.cert), none, fx_buf_view(&leaf.key), "certificate: "},
        {fx_buf_view(&ca.cert), fx_buf_view(&halved), fx_buf_view(&leaf.key),
         "certificate: 1 of"},
        {fx_buf_view(&ca.cert), fx_buf_view(&leaf.cert), none, "private key: "},
        {fx_buf_view(&ca.cert), fx_buf_view(&leaf.cert), fx_buf_view(&leaf.cert),
         "private key: "},
        {fx_buf_view(&ca.cert), fx_buf_view(&leaf.cert), fx_buf_view(&ca.key),
         "private key does not fit"},
        {fx_buf_view(&other_ca.cert), fx_buf_view(&leaf.cert), fx_buf_view(&leaf.key),
         "the certificate is not signed"},
        {fx_buf_view(&leaf.cert), fx_buf_view(&leaf.cert), fx_buf_view(&leaf.key),
         "the certificate is not signed"},
    };
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_false(
            is_accepted(cases[i].ca, cases[i].cert, cases[i].key, names[0], FROM, &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_true(strstr(err.msg, cases[i].failure) == err.msg);
    }
    fx_buf_finish(&halved);
}

/* Those of the samples, which others made. */
static void samples_are_judged(void **state) {
    (void)state;
    static const char chain[] = "leaf and between";
    static const char twins[] = "short root, then root";
    static const struct {
        const char *ca, *cert, *name;
        int64_t now;
        const char *failure;
    } cases[] = {
        {rsa_root, chain, "a.b.svc", SAMPLES_FROM, NULL},
        {rsa_root, chain, "x.wild.example", SAMPLES_TO, NULL},
        {rsa_root, chain, "10.0.0.1", SAMPLES_SHORT, NULL},
        {rsa_root, chain, "10.0.0.2", SAMPLES_SHORT, "the certificate is not for"},
        {rsa_root, chain, "a.b.svc", SAMPLES_TO + 1,
         "a certificate of the chain has expired"},
        {rsa_root, chain, "a.b.svc", SAMPLES_FROM - 1,
         "a certificate of the chain is not"},
        {rsa_between, rsa_leaf, "a.b.svc", SAMPLES_FROM, NULL},
        {rsa_root, rsa_leaf, "a.b.svc", SAMPLES_FROM, "the certificate is not signed"},
        {rsa_root, rsa_sha1_leaf, "a.b.svc", SAMPLES_FROM,
         "The certificate is signed with an unacceptable hash."},
        {rsa_root, rsa_client_leaf, "a.b.svc", SAMPLES_FROM,
         "the certificate is not for servers"},
        {rsa_root_short, chain, "a.b.svc", SAMPLES_SHORT, NULL},
        {rsa_root_short, chain, "a.b.svc", SAMPLES_SHORT + 1,
         "the certificate is not signed"},
        {twins, chain, "a.b.svc", SAMPLES_SHORT + 1, NULL},
        {twins, chain, "a.b.svc", SAMPLES_SHORT - 1, NULL},
    };
    struct fx_buf both = {0};
    struct fx_buf roots = {0};
    struct fx_err err = FX_ERR_INIT;
    fx_buf_printf(&both, "%s%s", rsa_leaf, rsa_between);
    fx_buf_printf(&roots, "%s%s", rsa_root_short, rsa_root);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const bool ok = is_accepted(
            cases[i].ca == twins ? fx_buf_view(&roots) : fx_text_of(cases[i].ca),
            cases[i].cert == chain ? fx_buf_view(&both) : fx_text_of(cases[i].cert),
            FX_TEXT(rsa_leaf_key), cases[i].name, cases[i].now, &err);
        assert_verdict(ok, &err, cases[i].failure);
    }
    fx_buf_finish(&both);
    fx_buf_finish(&roots);
}

static void chains_have_an_end(void **state) {
    (void)state;
    struct fx_buf chain = {0};
    struct fx_err err = FX_ERR_INIT;
    fx_buf_str(&chain, rsa_leaf);
    for (int i = 1; i < 32; i++) {
        fx_buf_str(&chain, rsa_between);
    }
    assert_true(is_accepted(FX_TEXT(rsa_root), fx_buf_view(&chain), FX_TEXT(rsa_leaf_key),
                            "a.b.svc", SAMPLES_FROM, &err));
    fx_buf_str(&chain, rsa_between);
    assert_false(is_accepted(FX_TEXT(rsa_root), fx_buf_view(&chain),
                             FX_TEXT(rsa_leaf_key), "a.b.svc", SAMPLES_FROM, &err));
    assert_string_equal(err.msg, "more than 32 certificates in the chain");
    fx_buf_finish(&chain);
}

static void requests_are_checked(void **state) {
    (void)state;
    static const char long_name[] =
        "a23456789012345678901234567890123456789012345678901234"
        "567890.12345.svc"; /* 70 bytes */
    static const struct {
        const char *common_name;
        int64_t from, to;
        bool ok;
    } authorities[] = {
        {"fixpoint CA", 0, 0, true},
        {"a", INT64_C(253402300799), INT64_C(253402300799), true},
        {"a", INT64_C(253402300799), INT64_C(253402300800), false},
        {"a", -1, 5, false},
        {"a", 5, 4, false},
        {"a", 0, INT64_MAX, false},
        {"", 0, 1, false},
        {" a", 0, 1, false},
        {"a ", 0, 1, false},
        {"a,O=b", 0, 1, false},
        {"a\\", 0, 1, false},
        {"a\n", 0, 1, false},
        {long_name, 0, 1, false},
    };
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < FX_COUNT(authorities); i++) {
        struct fx_tls_pair made = {0};
        const bool ok = fx_tls_issue_authority(
            authorities[i].common_name,
            (struct fx_tls_dates){authorities[i].from, authorities[i].to}, &made, &err);
        assert_int_equal(ok, authorities[i].ok);
        assert_true(ok || (err.code == FX_EINVALID && made.key.data == NULL));
        fx_tls_pair_finish(&made);
    }
    static const char *const too_long[] = {long_name};
    static const char *const bad[] = {"a b"};
    struct fx_tls_pair made = {0};
    assert_true(fx_tls_issue_leaf(fx_buf_view(&ca.cert), fx_buf_view(&ca.key), too_long,
                                  1, dates, &made, &err));
    assert_true(is_accepted(fx_buf_view(&ca.cert), fx_buf_view(&made.cert),
                            fx_buf_view(&made.key), long_name, FROM, &err));
    fx_tls_pair_finish(&made);
    assert_false(fx_tls_issue_leaf(fx_buf_view(&ca.cert), fx_buf_view(&ca.key), bad, 1,
                                   dates, &made, &err));
    assert_false(fx_tls_issue_leaf(fx_buf_view(&ca.cert), fx_buf_view(&ca.key), bad, 0,
                                   dates, &made, &err));
    assert_false(fx_tls_issue_leaf(fx_buf_view(&ca.cert), fx_buf_view(&ca.key), names, 1,
                                   (struct fx_tls_dates){2, 1}, &made, &err));
    assert_null(made.cert.data);
}

static void only_authorities_sign(void **state) {
    (void)state;
    const struct {
        struct fx_text cert, key;
        const char *failure;
    } cases[] = {
        {fx_buf_view(&leaf.cert), fx_buf_view(&leaf.key), "the authority may not sign"},
        {fx_buf_view(&ca.cert), fx_buf_view(&leaf.key), "private key does not fit"},
        {fx_buf_view(&ca.cert), none, "private key: "},
        {none, fx_buf_view(&ca.key), "certificate: "},
        {fx_buf_view(&ca.key), fx_buf_view(&ca.cert), "certificate: "},
        /* Its name is a PrintableString, ours would be an UTF8String. */
        {FX_TEXT(rsa_root), FX_TEXT(rsa_root_key), "the authority's name cannot be"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_tls_pair made = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_false(
            fx_tls_issue_leaf(cases[i].cert, cases[i].key, names, 1, dates, &made, &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_true(strstr(err.msg, cases[i].failure) == err.msg);
        assert_null(made.cert.data);
    }
}

/* The order of authorities of one name in a bundle does not matter; real sessions give
 * the same result. */
static void a_session_agrees(void **state) {
    (void)state;
    const int64_t now = (int64_t)time(NULL);
    const struct fx_tls_dates today = {now - 60, now + 600};
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_pair authority = {0};
    struct fx_tls_pair made = {0};
    struct fx_buf bundle = {0};
    assert_true(fx_tls_issue_authority("an authority", today, &authority, &err));
    assert_true(fx_tls_issue_leaf(fx_buf_view(&authority.cert),
                                  fx_buf_view(&authority.key), names, FX_COUNT(names),
                                  today, &made, &err));
    fx_buf_text(&bundle, fx_buf_view(&ca.cert));
    fx_buf_text(&bundle, fx_buf_view(&authority.cert));
    fx_buf_text(&bundle, fx_buf_view(&other_ca.cert));
    struct fx_tls_config *server =
        fx_tls_config_server(fx_buf_view(&made.cert), fx_buf_view(&made.key), &err);
    assert_non_null(server);
    for (size_t i = 0; i < 2; i++) {
        struct side client;
        struct side serving;
        struct fx_tls_config *config = fx_tls_config_client(
            fx_buf_view(i == 0 ? &bundle : &ca.cert), "10.0.0.1", none, none, &err);
        assert_non_null(config);
        side_init(&client, config);
        side_init(&serving, server);
        exchange_output(&client, &serving);
        assert_int_equal(client.state, i == 0 ? FX_TLS_OPEN : FX_TLS_FAILED);
        assert_int_equal(is_accepted(fx_buf_view(i == 0 ? &bundle : &ca.cert),
                                     fx_buf_view(&made.cert), fx_buf_view(&made.key),
                                     "10.0.0.1", now, &err),
                         i == 0);
        side_finish(&client);
        side_finish(&serving);
        fx_tls_config_unref(config);
    }
    fx_tls_config_unref(server);
    fx_buf_finish(&bundle);
    fx_tls_pair_finish(&authority);
    fx_tls_pair_finish(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_authority_signs_leaves),
        cmocka_unit_test(each_certificate_has_its_dates),
        cmocka_unit_test(names_are_compared),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(samples_are_judged),
        cmocka_unit_test(chains_have_an_end),
        cmocka_unit_test(requests_are_checked),
        cmocka_unit_test(only_authorities_sign),
        cmocka_unit_test(a_session_agrees),
    };
    return cmocka_run_group_tests(tests, make_pairs, drop_pairs);
}
