/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/certificate_oom_test.c - the same with its certificate, the webhook
 * configurations, and the end of a disable.
 */
#include "replica.h"

#include "base/base64.h"
#include "base/date.h"
#include "base/log.h"
#include "cluster/certificates/rotation.h"
#include "cluster/webhooks/disable.h"
#include "cluster/webhooks/webhooks.h"
#include "refuse.h"

#define SECRET SECRETS "/cert"

/* ---- the certificate, the webhook configurations ---------------------------------- */

#define CA_S   (86400 * INT64_C(3650))
#define LEAF_S (86400 * INT64_C(365))
#define WAIT_S 60

static const char *const hook_names[] = {"hook.ns.svc"};
static struct fx_buf ready_secret; /* as JSON */

static void print_value(const char *key, const struct fx_buf *value) {
    fx_buf_printf(&ready_secret, "\"%s\":\"", key);
    fx_base64_encode(&ready_secret, (struct fx_text){value->data, value->len});
    fx_buf_str(&ready_secret, "\",");
}

static int make_secret(void **state) {
    (void)state;
    const struct fx_rotation_settings settings = {.names = hook_names,
                                                  .n_names = 1,
                                                  .ca_validity = CA_S,
                                                  .leaf_validity = LEAF_S,
                                                  .wait = WAIT_S};
    const struct fx_rotation_input view = {
        .now = fx_date_now(), .seen_for = -1, .published_for = -1};
    struct fx_rotation made = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!fx_rotation_decide(&settings, &view, &made, &err)) {
        return 1;
    }
    fx_buf_str(&ready_secret, "{\"metadata\":{\"name\":\"cert\"},\"data\":{");
    print_value("ca.crt", &made.ca_cert);
    print_value("ca.key", &made.ca_key);
    print_value("tls.crt", &made.cert);
    print_value("tls.key", &made.key);
    fx_buf_str(&ready_secret, "\"more\":\"\"}}");
    fx_rotation_finish(&made);
    return ready_secret.failed;
}

static int forget_secret(void **state) {
    (void)state;
    fx_buf_finish(&ready_secret);
    return 0;
}

#define CONFIGURATION(kind)                                                             \
    "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":\"" kind              \
    "\",\"metadata\":{\"name\":\"w\"},\"webhooks\":[{\"name\":\"one.x\","               \
    "\"clientConfig\":{\"service\":{\"name\":\"s\"}},\"objectSelector\":{"              \
    "\"matchLabels\":{\"a\":\"b\"}}},{\"name\":\"two.x\",\"clientConfig\":{\"service\"" \
    ":{\"name\":\"s\"},\"caBundle\":\"b2xk\"}}]}"

static void put_configurations(struct stage *stage) {
    fake_put(&stage->api, MUTATING "/w", CONFIGURATION("MutatingWebhookConfiguration"));
    fake_put(&stage->api, VALIDATING "/w",
             CONFIGURATION("ValidatingWebhookConfiguration"));
}

/* Without a Secret. */
static void prepare_nothing(struct stage *stage) {
    replica_prepare(stage);
    put_configurations(stage);
}

static void prepare_secret(struct stage *stage) {
    prepare_nothing(stage);
    fake_put(&stage->api, SECRET, ready_secret.data);
}

/* For a time that is over. */
static void disable(struct stage *stage) {
    static const struct fx_disable_request wish = {
        .by = "somebody", .reason = "a test", .now = 1, .end = 2};
    struct fx_err err = FX_ERR_INIT;
    json_t *copy = json_deep_copy(fake_view(&stage->api, MUTATING "/w"));
    json_t *body = fx_disable_apply(copy, &wish, &err);
    assert_non_null(body);
    fake_apply_webhooks(copy, body, FX_DISABLE_MANAGER);
    fake_store(&stage->api, MUTATING "/w", copy);
    json_decref(body);
}

/* All as it was before us, and then disabled. */
static void change_configurations(struct stage *stage, unsigned step) {
    if (step == 1) {
        put_configurations(stage);
    } else {
        disable(stage);
    }
}

/* Without memory there may be none yet. */
static void take_secret_away(struct stage *stage, unsigned step) {
    (void)step;
    if (fake_view(&stage->api, SECRET) != NULL) {
        fake_delete(&stage->api, SECRET);
    }
}

static const char *secret_value(const struct stage *stage, const char *key) {
    const char *value = json_string_value(
        fx_tree_view_key(fx_tree_view_key(fake_view(&stage->api, SECRET), "data"), key));
    return value == NULL ? "" : value;
}

static bool is_served(const struct stage *stage) {
    struct fx_buf text = {0};
    fx_base64_encode(&text, (struct fx_text){replica.cert.data, replica.cert.len});
    const bool served =
        text.len > 0 && strcmp(text.data, secret_value(stage, "tls.crt")) == 0;
    fx_buf_finish(&text);
    return served;
}

static bool is_enabled(const struct stage *stage) {
    const json_t *configuration = fake_view(&stage->api, MUTATING "/w");
    const json_t *webhook = json_array_get(json_object_get(configuration, "webhooks"), 0);
    struct fx_disable_record record;
    fx_disable_read(configuration, &record);
    return !record.disabled && !record.recorded && !replica_look().disabled &&
           json_object_get(json_object_get(webhook, "objectSelector"), "matchLabels") !=
               NULL;
}

static bool is_certified(struct stage *stage, unsigned step) {
    const char *bundle = secret_value(stage, "ca.crt");
    (void)step;
    return bundle[0] != '\0' &&
           fx_ca_bundle_is_in(fake_view(&stage->api, MUTATING "/w"), bundle) &&
           fx_ca_bundle_is_in(fake_view(&stage->api, VALIDATING "/w"), bundle) &&
           replica_look().published && replica_look().configured && is_served(stage) &&
           is_enabled(stage) && replica_holds_lease(stage);
}

static bool begin_certificate(struct stage *stage, struct fx_err *err) {
    static const char *const configurations[] = {"w"};
    static const struct fx_cluster_secret_options secret = {.namespace_ = "ns",
                                                            .name = "cert",
                                                            .names = hook_names,
                                                            .n_names = 1,
                                                            .ca_validity_s = CA_S,
                                                            .leaf_validity_s = LEAF_S,
                                                            .wait_s = WAIT_S,
                                                            .writes = true};
    static const struct fx_cluster_options options = {
        .apis = FX_CLUSTER_API_ALL,
        .webhooks = {.mutating = configurations,
                     .n_mutating = 1,
                     .validating = configurations,
                     .n_validating = 1,
                     .writes_ca = true},
        .secret = &secret,
    };
    return replica_begin(stage, &options, err);
}

/* What is begun takes less than a hundred; the lists after it are those of `policies`. */
static const struct play webhooks = {
    .name = "webhooks",
    .prepare = prepare_secret,
    .begin = begin_certificate,
    .change = change_configurations,
    .n_steps = 2,
    .is_right = is_certified,
    .end = replica_end,
    .least = 2000,
    .exactly = 100,
    .stride = 31,
    .starved_stride = 199,
};

/* Here keys are made, which takes its time; it begins as the one above. */
static const struct play certificate = {
    .name = "certificate",
    .prepare = prepare_nothing,
    .begin = begin_certificate,
    .change = take_secret_away,
    .n_steps = 1,
    .is_right = is_certified,
    .end = replica_end,
    .least = 2000,
    .stride = 109,
};

static void test_webhooks(void **state) {
    (void)state;
    play_refused(&webhooks);
}

static void test_webhooks_starved(void **state) {
    (void)state;
    play_starved(&webhooks);
}

static unsigned n_bundles_refused;

/* NOLINTBEGIN(readability-identifier-naming): the linker's names. */
bool __real_fx_cluster_webhooks_publish(struct fx_cluster_webhooks *targets,
                                        struct fx_text ca_bundle);
bool __wrap_fx_cluster_webhooks_publish(struct fx_cluster_webhooks *targets,
                                        struct fx_text ca_bundle);

bool __wrap_fx_cluster_webhooks_publish(struct fx_cluster_webhooks *targets,
                                        struct fx_text ca_bundle) {
    if (n_bundles_refused > 0) {
        n_bundles_refused--;
        return false;
    }
    return __real_fx_cluster_webhooks_publish(targets, ca_bundle);
}
/* NOLINTEND(readability-identifier-naming) */

/* The place that strides pass by: a bundle for which there is no memory comes again. */
static void test_bundle(void **state) {
    (void)state;
    n_bundles_refused = 3;
    play_once(&webhooks);
    assert_int_equal(n_bundles_refused, 0);
}

static void test_certificate(void **state) {
    (void)state;
    play_refused(&certificate);
}

/* ---- disabling and enabling by hand ----------------------------------------------- */

static json_t *new_disabled(const json_t *configuration, struct fx_err *err) {
    static const struct fx_disable_request wish = {.by = "somebody", .now = 1};
    return fx_disable_apply(configuration, &wish, err);
}

static void refuse_bodies(json_t *(*make)(const json_t *configuration,
                                          struct fx_err *err),
                          const json_t *configuration) {
    const long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        struct fx_err err = FX_ERR_INIT;
        refuse_from(n, false);
        json_t *body = make(configuration, &err);
        refused = refuse_stop();
        assert_int_equal(body == NULL, refused);
        assert_int_equal(err.code, refused ? FX_ENOMEM : FX_OK);
        json_decref(body);
        assert_int_equal(refuse_live(), live);
    }
    assert_true(n > 10);
}

static void test_disable_and_enable(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *configuration =
        fx_json_read(FX_TEXT(CONFIGURATION("MutatingWebhookConfiguration")), NULL, &err);
    assert_non_null(configuration);
    refuse_bodies(new_disabled, configuration);
    json_t *body = new_disabled(configuration, &err);
    fake_apply_webhooks(configuration, body, FX_DISABLE_MANAGER);
    refuse_bodies(new_disabled, configuration);
    refuse_bodies(fx_enable_apply, configuration);
    json_decref(body);
    json_decref(configuration);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_bundle),
        cmocka_unit_test(test_webhooks),
        cmocka_unit_test(test_webhooks_starved),
        cmocka_unit_test(test_disable_and_enable),
    };
    refuse_install();
    fx_log_set_level(FX_LOG_ERROR);
    return cmocka_run_group_tests(tests, make_secret, forget_secret);
}
