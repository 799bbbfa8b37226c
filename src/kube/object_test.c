/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/object_test.c - reading metadata, comparing versions, and removing unused fields.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "kube/object.h"
#include "value/json.h"

#define X64  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X256 X64 X64 X64 X64

static json_t *read(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *object = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(object);
    return object;
}

static const struct {
    const char *object;
    const char *namespace_, *name, *uid, *version; /* `name` NULL: refused */
} identities[] = {
    {"{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}", "", "a", "", "1"},
    {"{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\","
     "\"resourceVersion\":\"1\"}}",
     "n", "a", "u", "1"},
    {"{\"metadata\":{\"name\":\"system:node\",\"resourceVersion\":\"x\"}}", "",
     "system:node", "", "x"},
    {"{}", NULL, NULL, NULL, NULL},
    {"[]", NULL, NULL, NULL, NULL},
    {"{\"metadata\":[]}", NULL, NULL, NULL, NULL},
    {"{\"metadata\":{\"resourceVersion\":\"1\"}}", NULL, NULL, NULL, NULL},
    {"{\"metadata\":{\"name\":\"a\"}}", NULL, NULL, NULL, NULL},
    {"{\"metadata\":{\"name\":\"\",\"resourceVersion\":\"1\"}}", NULL, NULL, NULL, NULL},
    {"{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"\"}}", NULL, NULL, NULL, NULL},
    {"{\"metadata\":{\"name\":\"a\",\"resourceVersion\":1}}", NULL, NULL, NULL, NULL},
    {"{\"metadata\":{\"name\":7,\"resourceVersion\":\"1\"}}", NULL, NULL, NULL, NULL},
    {"{\"metadata\":{\"name\":\"a/b\",\"resourceVersion\":\"1\"}}", NULL, NULL, NULL,
     NULL},
    {"{\"metadata\":{\"name\":\"a\\u0000b\",\"resourceVersion\":\"1\"}}", NULL, NULL,
     NULL, NULL},
    {"{\"metadata\":{\"name\":\"a\",\"namespace\":\"../x\",\"resourceVersion\":\"1\"}}",
     NULL, NULL, NULL, NULL},
    {"{\"metadata\":{\"name\":\"" X256 "\",\"resourceVersion\":\"1\"}}", NULL, NULL, NULL,
     NULL},
    {"{\"metadata\":{\"name\":\"a\",\"uid\":\"" X256 "\",\"resourceVersion\":\"1\"}}",
     NULL, NULL, NULL, NULL},
    {"{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"" X256 "\"}}", NULL, NULL, NULL,
     NULL},
};

static void reads_identities(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(identities); i++) {
        struct fx_kube_identity identity;
        json_t *object = read(identities[i].object);
        const bool ok = fx_kube_object_identify(object, &identity);
        if (ok != (identities[i].name != NULL)) {
            fail_msg("%s", identities[i].object);
        }
        if (ok) {
            assert_true(fx_text_is(identity.namespace_, identities[i].namespace_));
            assert_true(fx_text_is(identity.name, identities[i].name));
            assert_true(fx_text_is(identity.uid, identities[i].uid));
            assert_true(fx_text_is(identity.version, identities[i].version));
        }
        json_decref(object);
    }
}

static void versions_in_order(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool before;
    } cases[] = {
        {"1", "2", true},
        {"2", "1", false},
        {"2", "2", false},
        {"9", "10", true},
        {"10", "9", false},
        {"0", "1", true},
        {"18446744073709551615", "18446744073709551616", true},
        /* Not counters: the order is not known. */
        {"01", "2", false},
        {"", "2", false},
        {"1", "", false},
        {"a", "b", false},
        {"1", "b", false},
        {"-1", "1", false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_true(fx_kube_version_is_before(fx_text_of(cases[i].a),
                                              fx_text_of(cases[i].b)) == cases[i].before);
    }
}

#define OURS "\"apiVersion\":\"g/v1\",\"kind\":\"K\""

static const struct {
    bool metadata_only;
    const char *object, *wanted;
} slims[] = {
    {false, "{\"metadata\":{\"name\":\"a\"},\"spec\":{}}",
     "{" OURS ",\"metadata\":{\"name\":\"a\"},\"spec\":{}}"},
    {false,
     "{" OURS ",\"metadata\":{\"managedFields\":[{}],\"annotations\":{\"a\":\"b\","
     "\"kubectl.kubernetes.io/last-applied-configuration\":\"{}\"}}}",
     "{" OURS ",\"metadata\":{\"annotations\":{\"a\":\"b\"}}}"},
    {false,
     "{" OURS ",\"metadata\":{\"annotations\":{"
     "\"kubectl.kubernetes.io/last-applied-configuration\":\"{}\"}}}",
     "{" OURS ",\"metadata\":{}}"},
    /* What was empty before stays; what is no object is left alone. */
    {false, "{" OURS ",\"metadata\":{\"annotations\":{}}}",
     "{" OURS ",\"metadata\":{\"annotations\":{}}}"},
    {false, "{" OURS ",\"metadata\":{\"annotations\":[1]}}",
     "{" OURS ",\"metadata\":{\"annotations\":[1]}}"},
    {false, "{" OURS ",\"metadata\":1}", "{" OURS ",\"metadata\":1}"},
    /* apiVersion and kind of the object win, unless they are not strings. */
    {false, "{\"apiVersion\":\"g/v1beta1\",\"kind\":\"L\",\"metadata\":{}}",
     "{\"apiVersion\":\"g/v1beta1\",\"kind\":\"L\",\"metadata\":{}}"},
    {false, "{\"apiVersion\":1,\"kind\":null,\"metadata\":{}}",
     "{" OURS ",\"metadata\":{}}"},
    {true,
     "{\"apiVersion\":\"meta.k8s.io/v1\",\"kind\":\"PartialObjectMetadata\","
     "\"metadata\":{\"name\":\"a\"}}",
     "{" OURS ",\"metadata\":{\"name\":\"a\"}}"},
    {true,
     "{\"spec\":{},\"metadata\":{\"name\":\"a\"},\"status\":{},\"data\":{},\"x\\u0000\":"
     "1}",
     "{" OURS ",\"metadata\":{\"name\":\"a\"}}"},
};

static void what_is_left(void **state) {
    (void)state;
    const struct fx_kube_resource resource = {"g", "v1", "ks", "K"};
    struct fx_kube_type_meta kind;
    assert_true(fx_kube_type_meta_init(&kind, &resource));
    for (size_t i = 0; i < FX_COUNT(slims); i++) {
        struct fx_buf text = {0};
        json_t *object = read(slims[i].object);
        assert_true(fx_kube_object_strip(object, &kind, slims[i].metadata_only));
        fx_json_write(&text, object, FX_JSON_SORT_KEYS);
        assert_string_equal(text.data, slims[i].wanted);
        fx_buf_finish(&text);
        json_decref(object);
    }
    fx_kube_type_meta_finish(&kind);
    fx_kube_type_meta_finish(&kind);
}

static void the_core_group(void **state) {
    (void)state;
    const struct fx_kube_resource resource = {"", "v1", "secrets", "Secret"};
    struct fx_kube_type_meta kind;
    assert_true(fx_kube_type_meta_init(&kind, &resource));
    assert_string_equal(json_string_value(kind.api_version), "v1");
    /* Two objects, one word. */
    json_t *one = read("{\"apiVersion\":\"v1\"}");
    assert_true(fx_kube_object_strip(one, &kind, false));
    assert_ptr_equal(json_object_get(one, "apiVersion"), kind.api_version);
    json_decref(one);
    fx_kube_type_meta_finish(&kind);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_identities),
        cmocka_unit_test(versions_in_order),
        cmocka_unit_test(what_is_left),
        cmocka_unit_test(the_core_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
