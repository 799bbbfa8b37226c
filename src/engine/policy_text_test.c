/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/policy_text_test.c - a policy written down is the same policy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "engine/policy_text.h"
#include "value/equal.h"
#include "value/json.h"

static struct fx_policy_text *text_of(const char *json) {
    struct fx_err err = FX_ERR_INIT;
    json_t *policy = fx_json_read(fx_text_of(json), NULL, &err);
    assert_non_null(policy);
    struct fx_policy_text *text = fx_policy_text_create(policy);
    assert_non_null(text);
    json_t *read = fx_policy_text_read(text);
    assert_true(fx_equal(read, policy));
    json_decref(read);
    json_decref(policy);
    return text;
}

static const struct {
    const char *a, *b;
    bool equal;
} pairs[] = {
    {"{\"a\":1,\"b\":[\"x\"]}", "{\"b\":[\"x\"],\"a\":1}", true},
    {"{\"a\":5.0}", "{\"a\":5}", true},
    {"{\"a\":\"5\"}", "{\"a\":5}", false},
    {"{\"a\":[1,2]}", "{\"a\":[2,1]}", false},
    {"{\"a\":null}", "{}", false},
    {"{\"a\\u0000b\":\"\\u0000\"}", "{\"a\":\"\\u0000\"}", false},
};

static void compares(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(pairs); i++) {
        struct fx_policy_text *a = text_of(pairs[i].a);
        struct fx_policy_text *b = text_of(pairs[i].b);
        assert_true(fx_policy_text_equal(a, a));
        assert_int_equal(fx_policy_text_equal(a, b), pairs[i].equal);
        assert_false(fx_policy_text_equal(a, NULL));
        fx_policy_text_unref(a);
        fx_policy_text_unref(b);
    }
}

static void nothing(void **state) {
    (void)state;
    assert_true(json_is_null(fx_policy_text_read(NULL)));
    assert_true(fx_policy_text_equal(NULL, NULL));
    fx_policy_text_unref(NULL);
}

static void counts(void **state) {
    (void)state;
    struct fx_policy_text *text = text_of("{\"a\":1}");
    assert_ptr_equal(fx_policy_text_ref(text), text);
    fx_policy_text_unref(text);
    json_t *read = fx_policy_text_read(text);
    assert_int_equal(json_integer_value(json_object_get(read, "a")), 1);
    json_decref(read);
    fx_policy_text_unref(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares),
        cmocka_unit_test(counts),
        cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
