/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_invalid_test.c - a Secret that was invalid, where a
 * replica remembers what was good, and where it does not.
 */
#include "cluster/certificates/rotation_samples.h"

/* What is in the Secret; ours are held. */
struct invalid {
    enum part ca_cert, ca_key, cert, key;
    size_t n_after; /* certificates in ca.crt afterwards; 0: nothing is written */
    bool comes_in;  /* the authority of the Secret is to be the next */
    const char *reason;
};

static struct fx_rotation decide_holding(const struct secret *secret, int64_t now) {
    const struct fx_rotation_content content = content_of(secret);
    const struct fx_rotation_content held = content_of(&ours);
    const struct fx_rotation_input view = {&content, now, 0, 0, &held};
    struct fx_rotation rotation = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_rotation_decide(&settings, &view, &rotation, &err));
    return rotation;
}

/* A client that trusts the old bundle accepts the old certificate and the new one. */
static void assert_restored(struct fx_rotation *rotation, const struct invalid *row) {
    assert_false(rotation->usable);
    assert_false(rotation->good);
    assert_true(rotation->invalid);
    assert_true(same_bytes(&rotation->bundle, &ours.ca_cert));
    assert_true(rotation->ca_not_after == START + 10 * YEAR);
    assert_true(rotation->leaf_not_after == START + YEAR);
    assert_int_equal(count_certificates(&rotation->ca_cert), row->n_after);
    struct secret after = secret_of(rotation);
    assert_true(same_bytes(&after.cert, &ours.cert));
    assert_true(same_bytes(&after.key, &ours.key));
    assert_int_equal(same_bytes(&after.ca_cert, &ours.ca_cert), !row->comes_in);
    assert_true(same_bytes(&after.ca_key, row->comes_in ? &theirs.ca_key : &ours.ca_key));
    assert_true(is_accepted(&after.ca_cert, &after, START));
    take(&settings, &after, START, 0, row->comes_in ? WAIT : -1,
         row->comes_in ? FX_ROTATION_SWITCH_LEAF : FX_ROTATION_KEEP);
    secret_finish(&after);
}

static void assert_spoilt(const struct invalid *row) {
    struct secret secret = put_together(row->ca_cert, row->ca_key, row->cert, row->key);
    struct fx_rotation rotation = decide_holding(&secret, START);
    if (strstr(rotation.reason, row->reason) == NULL) {
        fail_msg("`%s` is not in `%s`", row->reason, rotation.reason);
    }
    if (row->n_after == 0) {
        assert_int_equal(rotation.step, FX_ROTATION_KEEP);
        assert_true(rotation.good);
        assert_false(rotation.invalid);
    } else {
        assert_int_equal(rotation.step, FX_ROTATION_RESTORE);
        assert_restored(&rotation, row);
    }
    fx_rotation_finish(&rotation);
    secret_finish(&secret);
}

static void what_is_held_is_written_back(void **state) {
    (void)state;
    static const struct invalid rows[] = {
        {NONE, OURS, OURS, OURS, 1, false, "ca.crt: no certificate"},
        {GARBAGE, OURS, OURS, OURS, 1, false, "ca.crt: no certificate"},
        {THEIRS, OURS, OURS, OURS, 1, false,
         "; ca.crt or tls.crt: the certificate is not signed"},
        {GARBAGE, GARBAGE, OURS, OURS, 1, false, "ca.crt: no certificate"},
        {OURS, OURS, GARBAGE, OURS, 1, false, "tls.crt: certificate: "},
        {OURS, OURS, NONE, OURS, 1, false, "tls.crt: certificate: "},
        {OURS, OURS, OURS, GARBAGE, 1, false, "tls.key: private key"},
        {OURS, OURS, OURS, THEIRS, 1, false, "tls.key: private key"},
        {OURS, OURS, THEIRS, THEIRS, 1, false,
         "ca.crt or tls.crt: the certificate is not signed"},
        {OURS, GARBAGE, GARBAGE, GARBAGE, 1, false, "; tls.crt: certificate: "},
        {GARBAGE, GARBAGE, GARBAGE, GARBAGE, 1, false, "; tls.crt: certificate: "},
        {NONE, NONE, NONE, NONE, 1, false, "ca.crt: no certificate; tls.crt: "},
        /* another party's CA is adopted, in phases */
        {THEIRS, THEIRS, OURS, OURS, 2, true,
         "ca.crt or tls.crt: the certificate is not signed"},
        {THEIRS, THEIRS, NONE, NONE, 2, true, "tls.crt: certificate: "},
        /* no client refuses it: kept */
        {OURS, GARBAGE, OURS, OURS, 0, false, "ca.key cannot sign"},
        {OURS, NONE, OURS, OURS, 0, false, "ca.key cannot sign"},
        {OURS, OURS, OURS, OURS, 0, false, ""},
        {THEIRS, THEIRS, THEIRS, THEIRS, 0, false, ""},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        assert_spoilt(&rows[i]);
    }
}

/* What has expired is no better than what is invalid. */
static void what_is_held_has_its_time(void **state) {
    (void)state;
    struct secret secret = put_together(GARBAGE, NONE, NONE, NONE);
    struct fx_rotation rotation = decide_holding(&secret, START + YEAR);
    assert_int_equal(rotation.step, FX_ROTATION_RESTORE);
    fx_rotation_finish(&rotation);
    rotation = decide_holding(&secret, START + YEAR + 1);
    assert_int_equal(rotation.step, FX_ROTATION_KEEP); /* others may hold more */
    assert_int_equal(rotation.check_in, 5);
    fx_rotation_finish(&rotation);
    secret_finish(&secret);
}

/* Without held content, replicas that hold some come first; but if the certificate
 * can serve, no replica waits for them. */
static void others_come_first(void **state) {
    (void)state;
    static const struct {
        int64_t seen_for;
        enum part ca_cert, ca_key, key;
        enum fx_rotation_step step;
    } rows[] = {
        {0, GARBAGE, NONE, NONE, FX_ROTATION_KEEP},
        {4, GARBAGE, NONE, NONE, FX_ROTATION_KEEP},
        {5, GARBAGE, NONE, NONE, FX_ROTATION_START_OVER},
        {4, OURS, OURS, NONE, FX_ROTATION_KEEP},
        {5, OURS, OURS, NONE, FX_ROTATION_RENEW_LEAF},
        {0, THEIRS, THEIRS, OURS, FX_ROTATION_RENEW_LEAF},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct secret secret =
            put_together(rows[i].ca_cert, rows[i].ca_key, OURS, rows[i].key);
        struct fx_rotation rotation =
            decide(&settings, &secret, START, rows[i].seen_for, -1);
        assert_int_equal(rotation.step, rows[i].step);
        assert_true(rotation.invalid);
        if (rotation.step == FX_ROTATION_KEEP) {
            assert_int_equal(rotation.check_in, 5 - rows[i].seen_for);
            assert_int_equal(rotation.bundle.len, 0);
        }
        fx_rotation_finish(&rotation);
        secret_finish(&secret);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_held_is_written_back),
        cmocka_unit_test(what_is_held_has_its_time),
        cmocka_unit_test(others_come_first),
    };
    return cmocka_run_group_tests(tests, make_secrets, drop_secrets);
}
