/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_test.c - the steps one by one, and what becomes of broken
 * Secrets.
 */
#include "cluster/certificates/rotation_samples.h"

#include "net/tls_issue_samples.h"

/* Whose leaf ends with its CA. */
static const struct fx_rotation_settings brief = {
    .names = hook_names,
    .n_names = FX_COUNT(hook_names),
    .ca_validity = 90 * DAY,
    .leaf_validity = YEAR,
    .wait = WAIT,
};

static void assert_dates(const struct fx_buf *pem, int64_t from, int64_t to) {
    const struct fx_tls_dates dates = dates_of(pem);
    assert_true(dates.not_before == from);
    assert_true(dates.not_after == to);
}

/* ---- steps ---- */

static void the_first_is_made(void **state) {
    (void)state;
    assert_true(is_accepted(&ours.ca_cert, &ours, START));
    assert_dates(&ours.ca_cert, START - HOUR, START + 10 * YEAR);
    assert_dates(&ours.cert, START - HOUR, START + YEAR);
    struct fx_rotation rotation = decide(&settings, &ours, START, 0, -1);
    assert_int_equal(rotation.step, FX_ROTATION_KEEP);
    assert_string_equal(rotation.reason, "");
    assert_true(rotation.usable);
    assert_true(same_bytes(&rotation.bundle, &ours.ca_cert));
    assert_true(rotation.ca_not_after == START + 10 * YEAR);
    assert_true(rotation.leaf_not_after == START + YEAR);
    assert_true(rotation.check_in == 275 * DAY);
    fx_rotation_finish(&rotation);
    /* `check_in` is the time of the next step. */
    rotation = decide(&settings, &ours, START + 274 * DAY, DAY, -1);
    assert_true(rotation.check_in == DAY);
    fx_rotation_finish(&rotation);
}

static void a_leaf_is_renewed(void **state) {
    (void)state;
    const int64_t due = START + YEAR - 90 * DAY;
    struct secret secret;
    create(&settings, START, &secret);
    take(&settings, &secret, due - 1, DAY, DAY, FX_ROTATION_KEEP);
    take(&settings, &secret, due, 0, -1, FX_ROTATION_RENEW_LEAF);
    /* Of the same CA, and it begins no later than the one before. */
    assert_dates(&secret.ca_cert, START - HOUR, START + 10 * YEAR);
    assert_dates(&secret.cert, START - HOUR, due + YEAR);
    assert_true(is_accepted(&secret.ca_cert, &secret, due));
    take(&settings, &secret, due, 0, -1, FX_ROTATION_KEEP);
    secret_finish(&secret);
}

static void a_leaf_gets_all_names(void **state) {
    (void)state;
    struct fx_rotation_settings fewer = settings;
    fewer.n_names = 2;
    struct secret secret;
    create(&fewer, START, &secret);
    assert_false(is_accepted(&secret.ca_cert, &secret, START));
    take(&fewer, &secret, START, 0, -1, FX_ROTATION_KEEP);
    take(&settings, &secret, START, 0, -1, FX_ROTATION_RENEW_LEAF);
    assert_true(is_accepted(&secret.ca_cert, &secret, START));
    /* More than it must have does no harm. */
    take(&fewer, &secret, START, 0, -1, FX_ROTATION_KEEP);
    secret_finish(&secret);
}

static void an_authority_is_renewed_in_phases(void **state) {
    (void)state;
    const int64_t due = START + 60 * DAY;
    struct secret secret;
    struct fx_buf old_bundle = {0};
    struct fx_buf old_leaf = {0};
    create(&brief, START, &secret);
    assert_dates(&secret.cert, START - HOUR, START + 90 * DAY); /* not a year */
    fx_buf_text(&old_bundle, text_of(&secret.ca_cert));
    fx_buf_text(&old_leaf, text_of(&secret.cert));
    take(&brief, &secret, due - 1, DAY, DAY, FX_ROTATION_KEEP);
    take(&brief, &secret, due, 0, -1, FX_ROTATION_RENEW_CA);
    /* 1: the new one first, the old leaf in use */
    assert_int_equal(count_certificates(&secret.ca_cert), 2);
    assert_true(fx_text_contains(text_of(&secret.ca_cert), text_of(&old_bundle)));
    assert_dates(&secret.ca_cert, START - HOUR, due + 90 * DAY);
    assert_true(same_bytes(&secret.cert, &old_leaf));
    take(&brief, &secret, due + DAY, DAY, -1, FX_ROTATION_KEEP);
    take(&brief, &secret, due + DAY, DAY, 0, FX_ROTATION_KEEP);
    take(&brief, &secret, due + DAY, DAY, WAIT - 1, FX_ROTATION_KEEP);
    take(&brief, &secret, due + DAY, DAY, WAIT, FX_ROTATION_SWITCH_LEAF);
    /* 2: clients that trust only the old one had their time */
    assert_int_equal(count_certificates(&secret.ca_cert), 2);
    assert_false(is_accepted(&old_bundle, &secret, due + DAY));
    assert_true(is_accepted(&secret.ca_cert, &secret, due + DAY));
    take(&brief, &secret, due + DAY, WAIT - 1, DAY, FX_ROTATION_KEEP);
    take(&brief, &secret, due + DAY, WAIT, DAY, FX_ROTATION_DROP_CA);
    /* 3 */
    assert_int_equal(count_certificates(&secret.ca_cert), 1);
    assert_true(is_accepted(&secret.ca_cert, &secret, due + DAY));
    take(&brief, &secret, due + DAY, DAY, DAY, FX_ROTATION_KEEP);
    fx_buf_finish(&old_bundle);
    fx_buf_finish(&old_leaf);
    secret_finish(&secret);
}

/* If the configurations cannot be written, the old leaf serves as long as it is
 * valid; then the new one, which some clients may trust, is better than one that no
 * client accepts. */
static void a_rotation_may_be_stuck(void **state) {
    (void)state;
    struct secret secret;
    create(&brief, START, &secret);
    take(&brief, &secret, START + 60 * DAY, 0, -1, FX_ROTATION_RENEW_CA);
    take(&brief, &secret, START + 90 * DAY, DAY, -1, FX_ROTATION_KEEP);
    take(&brief, &secret, START + 90 * DAY + 1, DAY, -1, FX_ROTATION_RENEW_LEAF);
    assert_int_equal(count_certificates(&secret.ca_cert), 1);
    assert_true(is_accepted(&secret.ca_cert, &secret, START + 90 * DAY + 1));
    secret_finish(&secret);
}

/* A replica that has not seen the content before uses its annotation. */
static void the_annotation_counts(void **state) {
    (void)state;
    struct secret secret;
    create(&brief, START, &secret);
    take(&brief, &secret, START + 60 * DAY, 0, -1, FX_ROTATION_RENEW_CA);
    take(&brief, &secret, START + 61 * DAY, 0, WAIT, FX_ROTATION_SWITCH_LEAF);
    take(&brief, &secret, START + 61 * DAY + WAIT - 1, -1, WAIT, FX_ROTATION_KEEP);
    take(&brief, &secret, START + 60 * DAY, -1, WAIT, FX_ROTATION_KEEP); /* a clock */
    take(&brief, &secret, START + 61 * DAY + WAIT, 0, WAIT, FX_ROTATION_KEEP);
    take(&brief, &secret, START + 61 * DAY + WAIT, -1, WAIT, FX_ROTATION_DROP_CA);
    secret_finish(&secret);
}

/* ---- what is broken ---- */

struct broken {
    enum part ca_cert, ca_key, cert, key;
    int64_t age; /* since it was made */
    enum fx_rotation_step step;
    bool usable;
    size_t n_published, n_after; /* certificates in the bundle; in ca.crt afterwards */
    const char *reason;          /* its beginning; NULL: none */
};

static void assert_broken(const struct broken *row) {
    struct secret secret = put_together(row->ca_cert, row->ca_key, row->cert, row->key);
    if (row->ca_cert == OUR_LEAF) { /* no authority, though its key fits */
        fx_buf_printf(&secret.ca_cert, "%s%s", ours.cert.data, ours.ca_cert.data);
        fx_buf_text(&secret.ca_key, text_of(&ours.key));
    }
    const int64_t now = START + row->age;
    struct fx_rotation rotation = decide(&settings, &secret, now, DAY, DAY);
    assert_string_equal(fx_rotation_step_name(rotation.step),
                        fx_rotation_step_name(row->step));
    assert_int_equal(rotation.usable, row->usable);
    assert_int_equal(count_certificates(&rotation.bundle), row->n_published);
    assert_int_equal(count_certificates(&rotation.ca_cert), row->n_after);
    if (row->reason == NULL) {
        assert_string_equal(rotation.reason, "");
    } else {
        assert_true(strstr(rotation.reason, row->reason) == rotation.reason);
    }
    if (row->step == FX_ROTATION_RENEW_CA) { /* without a gap */
        assert_true(same_bytes(&rotation.cert, &secret.cert));
        assert_true(same_bytes(&rotation.key, &secret.key));
        assert_true(
            fx_text_contains(text_of(&rotation.ca_cert), text_of(&rotation.bundle)));
    }
    if (row->step != FX_ROTATION_KEEP) {
        /* All is well then, as far as can be seen, at least for all that is in ca.crt. */
        struct secret after = secret_of(&rotation);
        assert_true(is_accepted(&after.ca_cert, &after, now));
        take(&settings, &after, now, 0, -1, FX_ROTATION_KEEP);
        secret_finish(&after);
    }
    fx_rotation_finish(&rotation);
    secret_finish(&secret);
}

#define SOON (YEAR - 90 * DAY)
#define LATE (YEAR + 1)
#define SIGN "ca.key cannot sign for the first certificate of ca.crt: "

static void broken_secrets_are_mended(void **state) {
    (void)state;
    static const struct broken rows[] = {
        /* ca.crt, ca.key, tls.crt, tls.key */
        {OURS, OURS, OURS, OURS, 0, FX_ROTATION_KEEP, true, 1, 0, NULL},
        {OURS_NOISE, OURS, OURS, OURS, 0, FX_ROTATION_KEEP, true, 1, 0, NULL},
        /* ca.key is of no use: kept while it lasts, then rotated, then begun anew */
        {OURS, NONE, OURS, OURS, 0, FX_ROTATION_KEEP, true, 1, 0, SIGN "private key: "},
        {OURS, GARBAGE, OURS, OURS, 0, FX_ROTATION_KEEP, true, 1, 0, SIGN},
        {OURS, THEIRS, OURS, OURS, 0, FX_ROTATION_KEEP, true, 1, 0, SIGN},
        {BOTH_REVERSED, OURS, OURS, OURS, 0, FX_ROTATION_KEEP, true, 2, 0, SIGN},
        {OURS, NONE, OURS, OURS, SOON - 1, FX_ROTATION_KEEP, true, 1, 0, SIGN},
        {OURS, NONE, OURS, OURS, SOON + 1, FX_ROTATION_RENEW_CA, true, 1, 2,
         "the certificate expires soon, and ca.key cannot sign: private key: "},
        {OURS, THEIRS, OURS, OURS, SOON + 1, FX_ROTATION_RENEW_CA, true, 1, 2, "the"},
        {OURS, NONE, OURS, OURS, LATE, FX_ROTATION_START_OVER, true, 1, 2,
         "ca.key: private key: "},
        {OURS, NONE, OURS, OURS, 11 * YEAR, FX_ROTATION_START_OVER, true, 0, 1, "ca.key"},
        {OURS, NONE, NONE, NONE, 0, FX_ROTATION_START_OVER, false, 1, 2, "ca.key: "},
        {OURS, GARBAGE, OURS, THEIRS, 0, FX_ROTATION_START_OVER, false, 1, 2, "ca.key: "},
        {BOTH, NONE, GARBAGE, OURS, 0, FX_ROTATION_START_OVER, false, 2, 3, "ca.key: "},
        /* the authority is good: a leaf is soon made, which all trust already */
        {OURS, OURS, NONE, NONE, 0, FX_ROTATION_RENEW_LEAF, false, 1, 1, "tls.crt: cert"},
        {OURS, OURS, OURS, NONE, 0, FX_ROTATION_RENEW_LEAF, false, 1, 1, "tls.key: priv"},
        {OURS, OURS, NONE, OURS, 0, FX_ROTATION_RENEW_LEAF, false, 1, 1, "tls.crt: cert"},
        {OURS, OURS, GARBAGE, OURS, 0, FX_ROTATION_RENEW_LEAF, false, 1, 1, "tls.crt: c"},
        {OURS, OURS, OURS, GARBAGE, 0, FX_ROTATION_RENEW_LEAF, false, 1, 1, "tls.key: p"},
        {OURS, OURS, OURS, THEIRS, 0, FX_ROTATION_RENEW_LEAF, false, 1, 1, "tls.key: pr"},
        {OURS, OURS, OURS_NOISE, OURS, 0, FX_ROTATION_RENEW_LEAF, false, 1, 1, "tls.crt"},
        {OURS, OURS, THEIRS, THEIRS, 0, FX_ROTATION_RENEW_LEAF, true, 1, 1,
         "ca.crt or tls.crt: the certificate is not signed"},
        {OURS, OURS, OURS, OURS, LATE, FX_ROTATION_RENEW_LEAF, true, 1, 1,
         "tls.crt: a certificate of the chain has expired"},
        {BOTH, OURS, NONE, NONE, 0, FX_ROTATION_RENEW_LEAF, false, 2, 2, "tls.crt: cert"},
        {THEIRS, THEIRS, OURS, OURS, 0, FX_ROTATION_RENEW_LEAF, true, 1, 1, "ca.crt or"},
        /* no CA of ca.crt signed the leaf, and none can sign another: it is kept
         * while it is valid, for clients that trust it; then everything is made anew */
        {NONE, OURS, OURS, OURS, 0, FX_ROTATION_KEEP, true, 0, 0, "ca.crt: no certifica"},
        {GARBAGE, OURS, OURS, OURS, 0, FX_ROTATION_KEEP, true, 0, 0, "ca.crt: no certif"},
        {NONE, NONE, OURS, OURS, 0, FX_ROTATION_KEEP, true, 0, 0, "ca.crt: no certifica"},
        {THEIRS, OURS, OURS, OURS, 0, FX_ROTATION_KEEP, true, 0, 0, "ca.key: "},
        {OURS, NONE, THEIRS, THEIRS, 0, FX_ROTATION_KEEP, true, 0, 0, "ca.key: "},
        {NONE, OURS, OURS, OURS, SOON - 1, FX_ROTATION_KEEP, true, 0, 0, "ca.crt: no ce"},
        {NONE, OURS, OURS, OURS, SOON + 1, FX_ROTATION_START_OVER, true, 0, 1, "ca.crt:"},
        {THEIRS, OURS, OURS, OURS, SOON + 1, FX_ROTATION_START_OVER, true, 1, 2, "ca.ke"},
        {NONE, OURS, OURS, THEIRS, 0, FX_ROTATION_START_OVER, false, 0, 1,
         "ca.crt: no certificate; tls.key: private key"},
        {NONE, NONE, NONE, NONE, 0, FX_ROTATION_START_OVER, false, 0, 1,
         "ca.crt: no cer"},
        {GARBAGE, GARBAGE, GARBAGE, GARBAGE, 0, FX_ROTATION_START_OVER, false, 0, 1,
         "ca.crt: no certificate; tls.crt: certificate: "},
        {OURS, OURS, OURS, OURS, 11 * YEAR, FX_ROTATION_START_OVER, true, 0, 1, "ca.key"},
        /* the phases */
        {BOTH, OURS, THEIRS, THEIRS, 0, FX_ROTATION_SWITCH_LEAF, true, 2, 2, "every"},
        {BOTH, OURS, OURS, OURS, 0, FX_ROTATION_DROP_CA, true, 2, 1, "the old CA is"},
        /* resembles a CA, but is none */
        {OUR_LEAF, NONE, NONE, NONE, 0, FX_ROTATION_START_OVER, false, 2, 3, "ca.key: "},
        {OUR_LEAF, NONE, OURS, OURS, 0, FX_ROTATION_KEEP, true, 2, 0,
         SIGN "the authority may not sign"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        assert_broken(&rows[i]);
    }
}

/* A leaf that has some of the names is kept where it cannot be replaced without a new
 * authority; one that has none is of no use. */
static void names_without_a_key(void **state) {
    (void)state;
    static const char *const some[] = {"hook.shop.svc", "other.example"};
    static const char *const no[] = {"other.example"};
    struct fx_rotation_settings shall = settings;
    struct secret secret;
    create(&settings, START, &secret);
    fx_buf_reset(&secret.ca_key);
    shall.names = some;
    shall.n_names = 2;
    struct fx_rotation rotation = decide(&shall, &secret, START, DAY, DAY);
    assert_int_equal(rotation.step, FX_ROTATION_KEEP);
    assert_non_null(strstr(rotation.reason, "; the certificate is not for `other.exam"));
    fx_rotation_finish(&rotation);
    shall.names = no;
    shall.n_names = 1;
    take(&shall, &secret, START, DAY, DAY, FX_ROTATION_START_OVER);
    secret_finish(&secret);
}

/* An authority made elsewhere, whose name cannot be written as it was: its leaf serves,
 * and where a new one is needed, a new authority comes, in phases. */
static void a_foreign_authority_is_replaced(void **state) {
    (void)state;
    static const char *const names[] = {"a.b.svc", "10.0.0.1"};
    struct fx_rotation_settings shall = settings;
    struct secret secret = {.rotated_at = 0};
    fx_buf_str(&secret.ca_cert, rsa_between);
    fx_buf_str(&secret.ca_cert, rsa_root);
    fx_buf_str(&secret.ca_key, rsa_root_key);
    fx_buf_str(&secret.cert, rsa_leaf);
    fx_buf_str(&secret.key, rsa_leaf_key);
    shall.names = names;
    shall.n_names = 2;
    struct fx_rotation rotation = decide(&shall, &secret, SAMPLES_SHORT, DAY, DAY);
    assert_int_equal(rotation.step, FX_ROTATION_KEEP);
    fx_rotation_finish(&rotation);
    take(&shall, &secret, SAMPLES_TO - 89 * DAY, DAY, DAY, FX_ROTATION_RENEW_CA);
    take(&shall, &secret, SAMPLES_TO - 89 * DAY, DAY, DAY, FX_ROTATION_SWITCH_LEAF);
    take(&shall, &secret, SAMPLES_TO - 89 * DAY, DAY, DAY, FX_ROTATION_DROP_CA);
    take(&shall, &secret, SAMPLES_TO - 89 * DAY, DAY, DAY, FX_ROTATION_KEEP);
    assert_int_equal(count_certificates(&secret.ca_cert), 1);
    secret_finish(&secret);
}

/* ---- settings ---- */

static void settings_are_checked(void **state) {
    (void)state;
    static const char *const bad[] = {"a", "a b"};
    static const struct {
        int64_t ca, leaf, wait;
        size_t n_names;
        bool ok;
        enum fx_rotation_setting which;
    } cases[] = {
        {10 * YEAR, YEAR, 60, 1, true, FX_ROTATION_NAMES},
        {9, 9, 1, 1, true, FX_ROTATION_NAMES},
        {8, 9, 1, 1, false, FX_ROTATION_CA_VALIDITY},
        {9, 8, 1, 1, false, FX_ROTATION_LEAF_VALIDITY},
        {YEAR, YEAR + 1, 1, 1, true, FX_ROTATION_NAMES},
        {YEAR, YEAR, -1, 1, false, FX_ROTATION_WAIT},
        {0, YEAR, 0, 1, false, FX_ROTATION_CA_VALIDITY},
        {YEAR, 0, 0, 1, false, FX_ROTATION_LEAF_VALIDITY},
        {YEAR, -5, 0, 1, false, FX_ROTATION_LEAF_VALIDITY},
        {YEAR, INT64_MAX, 0, 1, false, FX_ROTATION_LEAF_VALIDITY},
        {YEAR, YEAR, INT64_MAX, 1, false, FX_ROTATION_WAIT},
        {YEAR, YEAR, 60, 0, false, FX_ROTATION_NAMES},
        {YEAR, YEAR, 60, 2, false, FX_ROTATION_NAMES},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct fx_rotation_settings shall = {bad, cases[i].n_names, cases[i].ca,
                                                   cases[i].leaf, cases[i].wait};
        struct fx_err err = FX_ERR_INIT;
        enum fx_rotation_setting which = FX_ROTATION_NAMES;
        assert_int_equal(fx_rotation_check_settings(&shall, &which, &err), cases[i].ok);
        assert_int_equal(which, cases[i].which);
        const struct fx_rotation_input view = {NULL, START, -1, -1, NULL};
        struct fx_rotation rotation = {0};
        assert_int_equal(fx_rotation_decide(&shall, &view, &rotation, &err), cases[i].ok);
        assert_true(cases[i].ok || err.code == FX_EINVALID);
        fx_rotation_finish(&rotation);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_is_made),
        cmocka_unit_test(a_leaf_is_renewed),
        cmocka_unit_test(a_leaf_gets_all_names),
        cmocka_unit_test(an_authority_is_renewed_in_phases),
        cmocka_unit_test(a_rotation_may_be_stuck),
        cmocka_unit_test(the_annotation_counts),
        cmocka_unit_test(broken_secrets_are_mended),
        cmocka_unit_test(names_without_a_key),
        cmocka_unit_test(a_foreign_authority_is_replaced),
        cmocka_unit_test(settings_are_checked),
    };
    return cmocka_run_group_tests(tests, make_secrets, drop_secrets);
}
