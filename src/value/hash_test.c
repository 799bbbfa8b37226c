/* SPDX-License-Identifier: Apache-2.0
 *
 * value/hash_test.c - SipHash as its inventors have it; equal values, one hash; others,
 * others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "value/equal.h"
#include "value/hash.h"
#include "value/json.h"

/* 00 01 02 … 0f, as in the appendix of the paper. */
static const struct fx_hash_key known_key = {UINT64_C(0x0706050403020100),
                                             UINT64_C(0x0f0e0d0c0b0a0908)};

static void known_hashes(void **state) {
    (void)state;
    static const char bytes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    static const struct {
        size_t len;
        uint64_t hash;
    } known[] = {
        {0, UINT64_C(0x726fdb47dd0e0e31)},
        {1, UINT64_C(0x74f839c593dc67fd)},
        {8, UINT64_C(0x93f5f5799a932462)},
        {15, UINT64_C(0xa129ca6149be45e5)}, /* the one of the appendix */
    };
    for (size_t i = 0; i < FX_COUNT(known); i++) {
        const struct fx_text text = {bytes, known[i].len};
        assert_true(fx_hash_siphash(known_key, text) == known[i].hash);
    }
    assert_true(fx_hash_siphash(known_key, (struct fx_text){NULL, 0}) == known[0].hash);
}

/* No two of different lines are equal; those of one line all are. */
static const char *const equal[][3] = {
    {"5", "5.0", "50e-1"},
    {"0", "-0.0", "0.0"},
    {"-3", "-3.0", "-3"},
    {"5.5", "55e-1", "5.50"},
    {"1", "1", "1.0"},
    {"9007199254740992", "9007199254740992.0", "9007199254740992"},
    {"9007199254740993", "9007199254740993", "9007199254740993"},
    {"9223372036854775807", "9223372036854775807", "9223372036854775807"},
    {"9223372036854775807.0", "9223372036854775808", "9223372036854775808.0"},
    {"-9223372036854775808", "-9223372036854775808.0", "-9223372036854775808"},
    {"1e300", "10e299", "1e300"},
    {"-1e300", "-10e299", "-1e300"},
    {"true", "true", "true"},
    {"false", "false", "false"},
    {"null", "null", "null"},
    {"\"\"", "\"\"", "\"\""},
    {"\"1\"", "\"\\u0031\"", "\"1\""},
    {"\"a\\u0000b\"", "\"a\\u0000b\"", "\"a\\u0000b\""},
    {"\"a\\u0000c\"", "\"a\\u0000c\"", "\"a\\u0000c\""},
    {"\"longer than a word\"", "\"longer than a word\"", "\"longer than a word\""},
    {"[]", "[]", "[]"},
    {"[[]]", "[[]]", "[[]]"},
    {"[[],[]]", "[[],[]]", "[[],[]]"},
    {"[1,2]", "[1.0,2]", "[1,2.0]"},
    {"[2,1]", "[2,1]", "[2.0,1]"},
    {"[[1],2]", "[[1],2]", "[[1.0],2]"},
    {"{}", "{}", "{}"},
    {"[{}]", "[{}]", "[{}]"},
    {"{\"a\":1,\"b\":[2],\"c\":3}", "{\"b\":[2.0],\"c\":3,\"a\":1}",
     "{\"c\":3,\"b\":[2],\"a\":1}"},
    {"{\"a\":2,\"b\":1}", "{\"b\":1,\"a\":2}", "{\"b\":1.0,\"a\":2}"},
    {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", "{\"b\":2.0,\"a\":1}"},
    {"{\"a\":null}", "{\"a\":null}", "{\"a\":null}"},
    {"{\"a\\u0000x\":1}", "{\"a\\u0000x\":1}", "{\"a\\u0000x\":1.0}"},
    {"{\"a\\u0000y\":1}", "{\"a\\u0000y\":1}", "{\"a\\u0000y\":1.0}"},
    {"{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1.0}}"},
    {"{\"a\":{},\"b\":1}", "{\"b\":1,\"a\":{}}", "{\"a\":{},\"b\":1.0}"},
};

static json_t *must_read(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(value);
    return value;
}

/* With the known key, so that the test always finds the same. */
static uint64_t hash_of(const char *text) {
    json_t *value = must_read(text);
    const uint64_t hash = fx_hash_value(known_key, value);
    json_decref(value);
    return hash;
}

static void expect_equal(const char *a, const char *b) {
    json_t *one = must_read(a);
    json_t *other = must_read(b);
    if (!fx_equal(one, other) || hash_of(a) != hash_of(b)) {
        fail_msg("%s and %s", a, b);
    }
    json_decref(one);
    json_decref(other);
}

static void equal_values_have_one_hash(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(equal); i++) {
        expect_equal(equal[i][0], equal[i][1]);
        expect_equal(equal[i][0], equal[i][2]);
    }
}

static void expect_other(const char *a, const char *b) {
    if (hash_of(a) == hash_of(b)) {
        fail_msg("%s and %s", a, b);
    }
}

static void other_values_have_others(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(equal); i++) {
        for (size_t j = 0; j < i; j++) {
            expect_other(equal[i][0], equal[j][0]);
        }
    }
}

static void keys_make_others(void **state) {
    (void)state;
    const struct fx_hash_key one = fx_hash_key_make();
    const struct fx_hash_key other = fx_hash_key_make();
    assert_true(one.low != other.low || one.high != other.high);
    for (size_t i = 0; i < FX_COUNT(equal); i++) {
        json_t *value = must_read(equal[i][0]);
        assert_true(fx_hash_value(one, value) == fx_hash_value(one, value));
        assert_true(fx_hash_value(one, value) != fx_hash_value(other, value));
        json_decref(value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_hashes),
        cmocka_unit_test(equal_values_have_one_hash),
        cmocka_unit_test(other_values_have_others),
        cmocka_unit_test(keys_make_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
