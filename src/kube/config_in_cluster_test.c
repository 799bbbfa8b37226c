/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/in_cluster_test.c - what a Pod is given, and what it may lack.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "kube/config.h"
#include "kube/folder_fixture.h"

static void set_service(const char *host, const char *port) {
    assert_int_equal(setenv("KUBERNETES_SERVICE_HOST", host, 1), 0);
    assert_int_equal(setenv("KUBERNETES_SERVICE_PORT", port, 1), 0);
}

static void fill_service_account(void) {
    write_file("token", "abc.def\n");
    write_file("ca.crt", "-----BEGIN C-----\nca\n");
    write_file("namespace", "fixpoint-system");
    set_service("10.96.0.1", "443");
}

static void a_pod_finds_its_api_server(void **state) {
    (void)state;
    char token_path[PATH_ROOM];
    struct fx_kube_config config = {0};
    struct fx_err err = FX_ERR_INIT;
    path_of("token", token_path);
    fill_service_account();
    if (!fx_kube_config_in_cluster(folder, &config, &err)) {
        fail_msg("%s", err.msg);
    }
    assert_string_equal(config.server, "https://10.96.0.1:443");
    assert_null(config.server_name);
    assert_string_equal(config.ca_pem, "-----BEGIN C-----\nca\n");
    assert_string_equal(config.token.data, "abc.def");
    assert_string_equal(config.token_file, token_path);
    assert_string_equal(config.namespace_, "fixpoint-system");
    assert_null(config.context);
    fx_kube_config_finish(&config);

    set_service("fd00::1", "6443");
    remove_file("namespace");
    assert_true(fx_kube_config_in_cluster(folder, &config, &err));
    assert_string_equal(config.server, "https://[fd00::1]:6443");
    assert_null(config.namespace_);
    fx_kube_config_finish(&config);
}

static void assert_no_pod(enum fx_code code, const char *message) {
    struct fx_kube_config config = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_false(fx_kube_config_in_cluster(folder, &config, &err));
    if (strstr(err.msg, message) == NULL) {
        fail_msg("`%s` is not in `%s`", message, err.msg);
    }
    assert_int_equal(err.code, code);
    assert_null(config.server);
}

static void missing_parts_of_a_pod_are_named(void **state) {
    (void)state;
    fill_service_account();
    set_service("", "");
    assert_no_pod(FX_EINVALID,
                  "not in a Pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_"
                  "PORT are not set");
    set_service("", "443");
    assert_no_pod(FX_EINVALID, "not in a Pod: KUBERNETES_SERVICE_HOST is not set");
    set_service("10.96.0.1", "");
    assert_no_pod(FX_EINVALID, "not in a Pod: KUBERNETES_SERVICE_PORT is not set");
    set_service("10.96.0.1/x", "443");
    assert_no_pod(FX_EINVALID, "KUBERNETES_SERVICE_PORT: not a host and a port");
    set_service("10.96.0.1", "https");
    assert_no_pod(FX_ESYNTAX, "KUBERNETES_SERVICE_PORT: not a port");
    set_service("10.96.0.1", "443");
    write_file("token", "\n");
    assert_no_pod(FX_EINVALID, "token: no token");
    remove_file("token");
    assert_no_pod(FX_EIO, "token: no such file; the Pod needs a service account");
    fill_service_account();
    write_file("ca.crt", "none\n");
    assert_no_pod(FX_EINVALID, "ca.crt: not PEM");
    remove_file("ca.crt");
    assert_no_pod(FX_EIO, "ca.crt: No such file");
    fill_service_account();
    write_file("namespace", "No_Namespace");
    assert_no_pod(FX_EINVALID, "namespace: not a valid namespace name");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pod_finds_its_api_server),
        cmocka_unit_test(missing_parts_of_a_pod_are_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
