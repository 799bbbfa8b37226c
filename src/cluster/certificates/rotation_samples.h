/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_samples.h - for the tests of the rotation: two Secrets,
 * and others assembled from their parts.
 */
#ifndef FX_CLUSTER_CERTIFICATES_ROTATION_SAMPLES_H
#define FX_CLUSTER_CERTIFICATES_ROTATION_SAMPLES_H

#include "cluster/certificates/rotation_fixture.h"

#define START INT64_C(1900000000)
#define WAIT  60

static const struct fx_rotation_settings settings = {
    .names = hook_names,
    .n_names = FX_COUNT(hook_names),
    .ca_validity = 10 * YEAR,
    .leaf_validity = YEAR,
    .wait = WAIT,
};

/* Made once at START; two that know nothing of each other. */
static struct secret ours, theirs;

static inline struct fx_rotation decide(const struct fx_rotation_settings *shall,
                                        const struct secret *secret, int64_t now,
                                        int64_t seen_for, int64_t published_for) {
    struct fx_rotation rotation = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_rotation_content content = {.rotated_at = 0};
    if (secret != NULL) {
        content = content_of(secret);
    }
    const struct fx_rotation_input view = {secret == NULL ? NULL : &content, now,
                                           seen_for, published_for, NULL};
    assert_true(fx_rotation_decide(shall, &view, &rotation, &err));
    assert_true(rotation.check_in >= 1);
    assert_int_equal(rotation.step == FX_ROTATION_KEEP, rotation.cert.len == 0);
    assert_int_equal(rotation.step == FX_ROTATION_KEEP, rotation.ca_key.len == 0);
    assert_true(rotation.step == FX_ROTATION_KEEP || rotation.reason[0] != '\0');
    return rotation;
}

/* The step must be this one; the Secret holds its content afterwards. */
static inline void take(const struct fx_rotation_settings *shall, struct secret *secret,
                        int64_t now, int64_t seen_for, int64_t published_for,
                        enum fx_rotation_step step) {
    struct fx_rotation rotation = decide(shall, secret, now, seen_for, published_for);
    assert_string_equal(fx_rotation_step_name(rotation.step),
                        fx_rotation_step_name(step));
    if (step != FX_ROTATION_KEEP) {
        assert_true(rotation.rotated_at == now);
        secret_finish(secret);
        *secret = secret_of(&rotation);
    }
    fx_rotation_finish(&rotation);
}

static inline void create(const struct fx_rotation_settings *shall, int64_t now,
                          struct secret *ret_secret) {
    struct fx_rotation rotation = decide(shall, NULL, now, -1, -1);
    assert_int_equal(rotation.step, FX_ROTATION_CREATE);
    assert_int_equal(rotation.bundle.len, 0);
    *ret_secret = secret_of(&rotation);
    fx_rotation_finish(&rotation);
}

static inline int make_secrets(void **state) {
    (void)state;
    create(&settings, START, &ours);
    create(&settings, START, &theirs);
    return 0;
}

static inline int drop_secrets(void **state) {
    (void)state;
    secret_finish(&ours);
    secret_finish(&theirs);
    fx_rotation_finish(NULL);
    return 0;
}

/* The parts of which a Secret is assembled. */
enum part { OURS, THEIRS, NONE, GARBAGE, OURS_NOISE, BOTH, BOTH_REVERSED, OUR_LEAF };

static inline void add_part(struct fx_buf *to, enum part part, const struct fx_buf *our,
                            const struct fx_buf *their) {
    static const char bad[] = "-----BEGIN X-----\n-----BEGIN CERTIFICATE-----\nAAAA\n"
                              "-----END CERTIFICATE-----\nno PEM";
    switch (part) {
    case OURS: fx_buf_text(to, text_of(our)); break;
    case THEIRS: fx_buf_text(to, text_of(their)); break;
    case NONE: break;
    case GARBAGE: fx_buf_str(to, bad); break;
    case OURS_NOISE: fx_buf_printf(to, "%s\r\n%s\r\n%s", bad, our->data, bad); break;
    case BOTH: fx_buf_printf(to, "%s%s", our->data, their->data); break;
    case BOTH_REVERSED: fx_buf_printf(to, "%s%s", their->data, our->data); break;
    case OUR_LEAF: break;
    }
}

static inline struct secret put_together(enum part ca_cert, enum part ca_key,
                                         enum part cert, enum part key) {
    struct secret secret = {.rotated_at = 0};
    add_part(&secret.ca_cert, ca_cert, &ours.ca_cert, &theirs.ca_cert);
    add_part(&secret.ca_key, ca_key, &ours.ca_key, &theirs.ca_key);
    add_part(&secret.cert, cert, &ours.cert, &theirs.cert);
    add_part(&secret.key, key, &ours.key, &theirs.key);
    return secret;
}

#endif
