/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/admission_request.h"
#include "value/equal.h"
#include "value/json.h"

static void resources_are_plurals(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"Pod", "pods"},
        {"Ingress", "ingresses"},
        {"Endpoints", "endpoints"},
        {"NetworkPolicy", "networkpolicies"},
        {"Gateway", "gateways"},
        {"Mesh", "meshes"},
        {"Y", "ys"},
        {"", ""},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_resource_guess(&buf, fx_text_of(rows[i][0]));
        assert_true(fx_text_is(fx_buf_view(&buf), rows[i][1]));
        fx_buf_finish(&buf);
    }
}

static void a_request_is_made_from_the_object(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *object = fx_json_read(
        FX_TEXT("{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":"
                "{\"name\":\"d\",\"namespace\":\"shop\"}}"),
        NULL, &err);
    json_t *user = fx_json_read(FX_TEXT("{\"username\":\"ann\"}"), NULL, &err);
    json_t *wanted = fx_json_read(
        FX_TEXT("{\"kind\":{\"group\":\"apps\",\"version\":\"v1\",\"kind\":"
                "\"Deployment\"},\"requestKind\":{\"group\":\"apps\",\"version\":\"v1\","
                "\"kind\":\"Deployment\"},\"resource\":{\"group\":\"apps\",\"version\":"
                "\"v1\",\"resource\":\"deployments\"},\"requestResource\":{\"group\":"
                "\"apps\",\"version\":\"v1\",\"resource\":\"deployments\"},\"name\":"
                "\"d\",\"namespace\":\"shop\",\"operation\":\"UPDATE\",\"userInfo\":"
                "{\"username\":\"ann\"},\"dryRun\":false,\"options\":{\"kind\":"
                "\"UpdateOptions\",\"apiVersion\":\"meta.k8s.io/v1\"}}"),
        NULL, &err);
    assert_non_null(object);
    assert_non_null(user);
    assert_non_null(wanted);
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    const struct fx_request request = {.operation = FX_OPERATION_UPDATE,
                                       .user_info = user};
    json_t *made = fx_admission_request_make(&request, &subject);
    assert_true(fx_equal(made, wanted));
    json_decref(made);
    json_decref(wanted);
    json_decref(user);
    json_decref(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resources_are_plurals),
        cmocka_unit_test(a_request_is_made_from_the_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
