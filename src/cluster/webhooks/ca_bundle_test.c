/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/ca_bundle_test.c - which configurations hold a bundle, what is applied
 * so that they do, and the frame that every apply has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cluster/webhooks/webhooks.h"
#include "kube/body.h"
#include "kube/test_json.h"
#include "value/tree.h"

#define CONFIGURATION(webhooks)                                                 \
    "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":"             \
    "\"ValidatingWebhookConfiguration\",\"metadata\":{\"name\":\"c\",\"uid\":"  \
    "\"u\",\"resourceVersion\":\"7\",\"generation\":3,\"labels\":{\"a\":\"b\"}" \
    "}" webhooks "}"

static void a_bundle_is_in_where_every_webhook_has_it(void **state) {
    (void)state;
    static const struct {
        const char *webhooks;
        bool is_in;
    } cases[] = {
        {"", true},
        {",\"webhooks\":[]", true},
        {",\"webhooks\":null", true},
        {",\"webhooks\":[{\"clientConfig\":{\"caBundle\":\"QQ==\"}}]", true},
        {",\"webhooks\":[{\"clientConfig\":{\"caBundle\":\"QQ==\"}},{\"clientConfig\":{"
         "\"caBundle\":\"QQ==\",\"url\":\"https://a\"}}]",
         true},
        {",\"webhooks\":[{\"clientConfig\":{\"caBundle\":\"QQ==\"}},{\"clientConfig\":{"
         "\"caBundle\":\"Qg==\"}}]",
         false},
        {",\"webhooks\":[{\"clientConfig\":{\"caBundle\":\"QQ==\"}},{\"clientConfig\":{}}"
         "]",
         false},
        {",\"webhooks\":[{\"clientConfig\":{\"caBundle\":7}}]", false},
        {",\"webhooks\":[{}]", false},
        {",\"webhooks\":[{\"clientConfig\":{\"caBundle\":\"\"}}]", false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf text;
        fx_buf_init(&text, 0);
        fx_buf_printf(&text, CONFIGURATION("%s"), cases[i].webhooks);
        json_t *object = read_json(text.data);
        if (fx_ca_bundle_is_in(object, "QQ==") != cases[i].is_in) {
            fail_msg("%s", cases[i].webhooks);
        }
        json_decref(object);
        fx_buf_finish(&text);
    }
}

static void the_bundle_alone_is_applied_to_that_very_object(void **state) {
    (void)state;
    json_t *object = read_json(CONFIGURATION(
        ",\"webhooks\":[{\"name\":\"one\",\"sideEffects\":\"None\",\"clientConfig\":{"
        "\"caBundle\":\"Qg==\",\"service\":{\"name\":\"s\"}}},{\"name\":\"two\"}]"));
    expect_made(fx_ca_bundle_apply(object, "QQ=="),
                "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":"
                "\"ValidatingWebhookConfiguration\",\"metadata\":{\"name\":\"c\",\"uid\":"
                "\"u\",\"resourceVersion\":\"7\"},\"webhooks\":[{\"name\":\"one\","
                "\"clientConfig\":{\"caBundle\":\"QQ==\"}},{\"name\":\"two\","
                "\"clientConfig\":{\"caBundle\":\"QQ==\"}}]}");
    json_decref(object);
}

static void what_is_applied_makes_it_hold(void **state) {
    (void)state;
    json_t *object =
        read_json(CONFIGURATION(",\"webhooks\":[{\"name\":\"one\"},{\"name\":\"two\"}]"));
    json_t *body = fx_ca_bundle_apply(object, "QQ==");
    assert_false(fx_ca_bundle_is_in(object, "QQ=="));
    assert_true(fx_ca_bundle_is_in(body, "QQ=="));
    json_decref(body);
    json_decref(object);
}

static void a_frame_says_which_object_in_which_state(void **state) {
    (void)state;
    json_t *metadata = NULL;
    json_t *object = read_json(
        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"Opaque\",\"metadata\":{"
        "\"namespace\":\"n\",\"name\":\"s\",\"uid\":\"u\",\"resourceVersion\":\"9\","
        "\"annotations\":{\"a\":\"b\"},\"managedFields\":[]},\"data\":{\"k\":\"QQ==\"}}");
    json_t *frame = fx_kube_body_for(object, &metadata);
    assert_ptr_equal(metadata, fx_tree_view_key(frame, "metadata"));
    json_decref(object); /* the body is independent of the object */
    expect_made(frame,
                "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":"
                "\"n\",\"name\":\"s\",\"uid\":\"u\",\"resourceVersion\":\"9\"}}");
    object = read_json("{\"metadata\":{\"name\":\"s\"}}");
    expect_made(fx_kube_body_for(object, &metadata), "{\"metadata\":{\"name\":\"s\"}}");
    json_decref(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bundle_is_in_where_every_webhook_has_it),
        cmocka_unit_test(the_bundle_alone_is_applied_to_that_very_object),
        cmocka_unit_test(what_is_applied_makes_it_hold),
        cmocka_unit_test(a_frame_says_which_object_in_which_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
