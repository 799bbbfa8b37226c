/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/body_test.c - bodies of writes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kube/body.h"
#include "kube/test_json.h"

static const struct fx_kube_resource widgets = {"g", "v1", "widgets", "Widget"};

static void a_new_body(void **state) {
    (void)state;
    expect_made(fx_kube_body_new(&widgets, FX_TEXT(""), FX_TEXT("blue"), FX_TEXT("u-1")),
                "{\"apiVersion\":\"g/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":"
                "\"blue\",\"uid\":\"u-1\"}}");
    expect_made(
        fx_kube_body_new(&widgets, FX_TEXT("ns"), FX_TEXT("blue"), FX_TEXT("u-1")),
        "{\"apiVersion\":\"g/v1\",\"kind\":\"Widget\",\"metadata\":{\"namespace\":"
        "\"ns\",\"name\":\"blue\",\"uid\":\"u-1\"}}");
}

static void a_body_for_an_object(void **state) {
    (void)state;
    json_t *object = read_json(
        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{},\"metadata\":{\"name\":"
        "\"s\",\"uid\":\"u\",\"resourceVersion\":\"7\",\"labels\":{\"a\":\"b\"}}}");
    json_t *metadata = NULL;
    json_t *body = fx_kube_body_for(object, &metadata);
    assert_true(fx_kube_body_set_date(metadata, "at", 0));
    expect_made(body, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":"
                      "\"s\",\"uid\":\"u\",\"resourceVersion\":\"7\",\"at\":"
                      "\"1970-01-01T00:00:00Z\"}}");
    json_decref(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_body),
        cmocka_unit_test(a_body_for_an_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
