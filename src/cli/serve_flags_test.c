/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/serve_flags_test.c - settings from flags and the environment of a Pod.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/serve_flags.h"

/* A kubeconfig in a file of its own, and the flags of a test. */
struct fixture {
    char file[64];
    struct fx_cluster_flags flags;
    struct fx_operations operations;
    struct fx_strings tls_names;
    struct fx_dialect_settings dialects;
    struct fx_cluster_context context;
    struct fx_cluster_settings settings;
    struct fx_err err;
};

static const char *const variables[] = {"POD_NAME", "POD_NAMESPACE",
                                        "KUBERNETES_SERVICE_HOST"};

static void begin(struct fixture *fixture, const char *namespace_) {
    *fixture = (struct fixture){.file = "serve_flags_test-XXXXXX"};
    const int fd = mkstemp(fixture->file);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    assert_true(
        fprintf(file,
                "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"current-context\":\"c\","
                "\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"k\",\"user\":"
                "\"u\"%s%s%s}}],\"clusters\":[{\"name\":\"k\",\"cluster\":{\"server\":"
                "\"http://127.0.0.1:1\"}}],\"users\":[{\"name\":\"u\",\"user\":{}}]}",
                namespace_ == NULL ? "" : ",\"namespace\":\"",
                namespace_ == NULL ? "" : namespace_,
                namespace_ == NULL ? "" : "\"") > 0);
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < FX_COUNT(variables); i++) {
        assert_int_equal(unsetenv(variables[i]), 0);
    }
    fixture->flags.kubeconfig = fixture->file;
    assert_true(
        fx_operations_read(&(struct fx_strings){0}, &fixture->operations, &fixture->err));
    fixture->context = (struct fx_cluster_context){.operations = &fixture->operations,
                                                   .apis = FX_CLUSTER_API_ALL,
                                                   .settings = &fixture->dialects,
                                                   .tls_names = &fixture->tls_names};
}

static bool read_settings(struct fixture *fixture) {
    fx_cluster_settings_finish(&fixture->settings);
    return fx_cluster_settings_read(&fixture->flags, &fixture->context,
                                    &fixture->settings, &fixture->err);
}

static void end(struct fixture *fixture) {
    fx_cluster_settings_finish(&fixture->settings);
    assert_int_equal(unlink(fixture->file), 0);
}

static void set(const char *variable, const char *value) {
    assert_int_equal(setenv(variable, value, 1), 0);
}

/* ---- */

static void without_flags_all_is_as_usual(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, NULL);
    assert_true(read_settings(&fixture));
    const struct fx_cluster_options *options = &fixture.settings.options;
    assert_string_equal(options->config->server, "http://127.0.0.1:1");
    assert_string_equal(options->identity.namespace_, "gatekeeper-system");
    assert_string_equal(options->identity.lease, "fixpoint");
    assert_true(strlen(options->identity.pod) > 0); /* the host's name */
    assert_int_equal(options->identity.n_operations, fixture.operations.n_names);
    assert_null(options->secret);
    assert_int_equal(options->webhooks.n_mutating, 1);
    assert_string_equal(options->webhooks.mutating[0],
                        "gatekeeper-mutating-webhook-configuration");
    assert_int_equal(options->webhooks.n_validating, 1);
    assert_string_equal(options->webhooks.validating[0],
                        "gatekeeper-validating-webhook-configuration");
    assert_false(options->webhooks.writes_ca); /* there is nothing to be published */
    assert_int_equal(options->writes_status, fixture.operations.reports);
    assert_int_equal(options->writes_events, fixture.operations.reports);
    end(&fixture);
}

static void who_we_are_comes_from_the_environment(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, "of-context");
    set("POD_NAME", "fixpoint-abc-1");
    assert_true(read_settings(&fixture));
    assert_string_equal(fixture.settings.options.identity.pod, "fixpoint-abc-1");
    assert_string_equal(fixture.settings.options.identity.namespace_, "of-context");
    set("POD_NAMESPACE", "of-pod");
    assert_true(read_settings(&fixture));
    assert_string_equal(fixture.settings.options.identity.namespace_, "of-pod");
    fixture.context.own_namespace = "of-flag";
    fixture.flags.lease = "other";
    assert_true(read_settings(&fixture));
    assert_string_equal(fixture.settings.options.identity.namespace_, "of-flag");
    assert_string_equal(fixture.settings.options.identity.lease, "other");
    set("POD_NAME", ""); /* as good as none */
    assert_true(read_settings(&fixture));
    assert_true(strlen(fixture.settings.options.identity.pod) > 0);
    end(&fixture);
}

static void the_leaf_is_for_the_service(void **state) {
    (void)state;
    static const char *const wanted[] = {
        "hook.shop.svc", "hook.shop",    "hook.shop.svc.cluster.local",
        "hook",          "hook.example", "10.0.0.7"};
    const char *more[] = {"hook.example", "10.0.0.7"};
    struct fixture fixture;
    begin(&fixture, "shop");
    fixture.flags.tls_secret = "certs";
    fixture.flags.service = "hook";
    fixture.tls_names = (struct fx_strings){more, 2, 2};
    assert_true(read_settings(&fixture));
    const struct fx_cluster_secret_options *secret = fixture.settings.options.secret;
    assert_non_null(secret);
    assert_string_equal(secret->name, "certs");
    assert_int_equal(secret->n_names, FX_COUNT(wanted));
    for (size_t i = 0; i < FX_COUNT(wanted); i++) {
        assert_string_equal(secret->names[i], wanted[i]);
    }
    assert_int_equal(secret->ca_validity_s, INT64_C(87600) * 3600);
    assert_int_equal(secret->leaf_validity_s, 8760 * 3600);
    assert_int_equal(secret->wait_s, 60);
    assert_true(secret->writes);
    assert_true(fixture.settings.options.webhooks.writes_ca);

    fixture.flags.service = NULL;
    fixture.flags.ca_validity = 60000;
    fixture.flags.cert_validity = 30000;
    fixture.flags.rotation_wait = 1500;
    assert_true(read_settings(&fixture));
    secret = fixture.settings.options.secret;
    assert_string_equal(secret->names[0], "fixpoint-webhook-service.shop.svc");
    assert_int_equal(secret->ca_validity_s, 60);
    assert_int_equal(secret->leaf_validity_s, 30);
    assert_int_equal(secret->wait_s, 1);
    end(&fixture);
}

static void times_that_make_no_sense_are_told_by_their_flags(void **state) {
    (void)state;
    static const struct {
        uint64_t ca_s, leaf_s, wait_s; /* 0: not given */
        const char *message;           /* NULL: nothing */
    } cases[] = {
        {0, 0, 0, NULL},
        {3600, 3600, 60, NULL},
        {3600, 0, 0,
         "--cert-validity: the certificate (31536000 s) cannot be valid for longer than "
         "its CA (3600 s)"},
        {3600, 3601, 60,
         "--cert-validity: the certificate (3601 s) cannot be valid for longer than its "
         "CA (3600 s)"},
        {300, 200, 60,
         "--ca-validity: a third of the validity of the CA (300 s) must be longer than "
         "twice the wait (60 s)"},
        {0, 300, 0,
         "--cert-validity: a third of the validity of the certificate (300 s) must be "
         "longer than twice the wait (60 s)"},
        {0, 0, UINT64_C(2000) * 366 * 86400,
         "--rotation-wait: the wait cannot be 63244800000 s"},
    };
    struct fixture fixture;
    begin(&fixture, NULL);
    assert_true(read_settings(&fixture));
    assert_true(
        fx_cluster_settings_check(&fixture.settings, &fixture.err)); /* no Secret */
    fixture.flags.tls_secret = "certs";
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        fixture.flags.ca_validity = cases[i].ca_s * 1000;
        fixture.flags.cert_validity = cases[i].leaf_s * 1000;
        fixture.flags.rotation_wait = cases[i].wait_s * 1000;
        fixture.err = FX_ERR_INIT;
        assert_true(read_settings(&fixture));
        assert_int_equal(fx_cluster_settings_check(&fixture.settings, &fixture.err),
                         cases[i].message == NULL);
        assert_string_equal(fixture.err.msg,
                            cases[i].message == NULL ? "" : cases[i].message);
    }
    end(&fixture);
}

static void nothing_is_written_where_rotation_is_off(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, NULL);
    fixture.context.publishes = true; /* --tls-ca */
    assert_true(read_settings(&fixture));
    assert_true(fixture.settings.options.webhooks.writes_ca);
    fixture.flags.tls_secret = "certs";
    fixture.flags.no_rotation = true;
    assert_true(read_settings(&fixture));
    assert_false(fixture.settings.options.webhooks.writes_ca);
    assert_false(fixture.settings.options.secret->writes);
    end(&fixture);
}

static void configurations_have_other_names(void **state) {
    (void)state;
    const char *more[17];
    struct fixture fixture;
    begin(&fixture, NULL);
    for (size_t i = 0; i < FX_COUNT(more); i++) {
        more[i] = "more";
    }
    fixture.flags.mutating = "m";
    fixture.flags.validating = "v";
    fixture.flags.also_mutating = (struct fx_strings){more, 16, 16};
    assert_true(read_settings(&fixture));
    const struct fx_cluster_webhooks_options *webhooks =
        &fixture.settings.options.webhooks;
    assert_int_equal(webhooks->n_mutating, 17);
    assert_string_equal(webhooks->mutating[0], "m");
    assert_string_equal(webhooks->mutating[16], "more");
    assert_string_equal(webhooks->validating[0], "v");
    fixture.flags.also_mutating.n_items = 17;
    assert_false(read_settings(&fixture));
    assert_int_equal(fixture.err.code, FX_EINVALID);
    assert_string_equal(
        fixture.err.msg,
        "--additional-mutating-webhook-configs-to-rotate-certs: 16 at most");
    end(&fixture);
}

static void events_are_written_by_who_reports(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, NULL);
    fixture.operations.reports = true;
    assert_true(read_settings(&fixture));
    assert_true(fixture.settings.options.writes_events);
    fixture.flags.no_events = true;
    assert_true(read_settings(&fixture));
    assert_true(fixture.settings.options.writes_status);
    assert_false(fixture.settings.options.writes_events);
    fixture.flags.no_events = false;
    fixture.operations.reports = false;
    assert_true(read_settings(&fixture));
    assert_false(fixture.settings.options.writes_status);
    assert_false(fixture.settings.options.writes_events);
    end(&fixture);
}

static void a_bad_kubeconfig_is_told(void **state) {
    (void)state;
    struct fixture fixture;
    begin(&fixture, NULL);
    fixture.flags.context = "other";
    assert_false(read_settings(&fixture));
    assert_non_null(strstr(fixture.err.msg, "no `other`"));
    fixture.flags.kubeconfig = "missing.yaml";
    assert_false(read_settings(&fixture));
    assert_int_equal(fixture.err.code, FX_EIO);
    end(&fixture);
}

static void where_the_policies_are(void **state) {
    (void)state;
    const struct fx_cluster_flags none = {0};
    const struct fx_cluster_flags outside = {.kubeconfig = "k"};
    assert_int_equal(unsetenv("KUBERNETES_SERVICE_HOST"), 0);
    assert_false(fx_cluster_flags_mean_one(&none));
    assert_true(fx_cluster_flags_mean_one(&outside));
    set("KUBERNETES_SERVICE_HOST", "10.96.0.1");
    assert_true(fx_cluster_flags_mean_one(&none));
    assert_int_equal(unsetenv("KUBERNETES_SERVICE_HOST"), 0);
}

static void flags_that_make_no_sense(void **state) {
    (void)state;
    static const struct {
        struct fx_cluster_flags flags;
        size_t n_files;
        const char *fault;
    } cases[] = {
        {{0}, 0, NULL},
        {{0}, 1, NULL},
        {{.kubeconfig = "k", .context = "c", .tls_secret = "s"}, 0, NULL},
        {{.tls_secret = "s"}, 0, NULL},
        {{.kubeconfig = "k"}, 1, "--policies: not together with --kubeconfig"},
        {{.context = "c"}, 0, "--context: only with --kubeconfig"},
        {{.context = "c"}, 1, "--context: only with --kubeconfig"},
        {{.tls_secret = "s"}, 1, "--tls-secret: only with a cluster"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const char *fault = fx_cluster_flags_fault(&cases[i].flags, cases[i].n_files);
        if (cases[i].fault == NULL) {
            assert_null(fault);
        } else {
            assert_string_equal(fault, cases[i].fault);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_flags_all_is_as_usual),
        cmocka_unit_test(who_we_are_comes_from_the_environment),
        cmocka_unit_test(the_leaf_is_for_the_service),
        cmocka_unit_test(times_that_make_no_sense_are_told_by_their_flags),
        cmocka_unit_test(nothing_is_written_where_rotation_is_off),
        cmocka_unit_test(configurations_have_other_names),
        cmocka_unit_test(events_are_written_by_who_reports),
        cmocka_unit_test(a_bad_kubeconfig_is_told),
        cmocka_unit_test(where_the_policies_are),
        cmocka_unit_test(flags_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
