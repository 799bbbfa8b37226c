/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/kyverno_values_test.c - Kyverno's functions of numbers, lists and
 * objects, encodings and times.
 */
#include "base/date.h"
#include "location/jmespath/testing.h"

static const char document[] =
    "{\"n\": 5, \"f\": 2.75, \"o\": {\"b\": 1, \"a\": [2]}, \"l\": [\"x\", null, 3],"
    " \"max\": 9223372036854775807, \"min\": -9223372036854775808}";

#define TYPES "operands of these types do not go together"
#define LONG  "the duration is too long"

static void sums(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"add(n, f)", "7.75"},
        {"add(max, `-1`)", "9223372036854775806"},
        {"add(max, `1`)", "9223372036854776000"},
        {"subtract(min, `1`)", "-9223372036854776000"},
        {"subtract(n, `7`)", "-2"},
        {"add('1Gi', '1')", "\"1073741825\""},
        {"add('1', '1Gi')", "\"1073741825\""},
        {"add('0.5', '500m')", "\"1\""},
        {"add('1e3', '1')", "\"1001\""},
        {"subtract('1Ki', '1Ki')", "\"0\""},
        {"add('1h', '30m1ms')", "\"1h30m0.001s\""},
        {"subtract('1m0s', '61s')", "\"-1s\""},
        {"add('2562047h', '2562047h')", "! function `add`: " LONG},
        {"add('30m', '1h')", "! function `add`: " TYPES}, /* 30m is 0.03 */
        {"add(n, '1')", "! function `add`: " TYPES},
        {"add('x', '1')",
         "! function `add`: the operand is neither a quantity nor a duration"},
        {"add(l, '1')",
         "! function `add`: the operand is no number, quantity or duration"},
        {"sum(`[1, 2.5, 3]`)", "6.5"},
        {"sum(['1Ki', '1', '1023'])", "\"2048\""}, /* no longer binary after 1025 */
        {"sum(['x'])", "\"x\""},
        {"sum(`[]`)", "! function `sum`: the list is empty"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void products(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"multiply(n, `3`)", "15"},
        {"multiply(max, `2`)", "18446744073709552000"},
        {"multiply(f, '2Ki')", "\"5632\""},
        {"multiply('100m', `1e-10`)", "\"100e-12\""}, /* of 1n: no less is read */
        {"multiply('90s', `0.5`)", "\"45s\""},
        {"multiply(`1e30`, '1h')", "! function `multiply`: " LONG},
        {"multiply('1', '1')", "! function `multiply`: " TYPES},
        {"divide(`7`, `2`)", "3.5"},
        {"divide(`6`, `2`)", "3"},
        {"divide('10', `4`)", "\"2\""},
        {"divide('10.00', `4`)", "\"2500m\""},
        {"divide('1Gi', '1Mi')", "1024"},
        {"divide('1h', '90m')", "! function `divide`: " TYPES},
        {"divide('1h', `7`)", "\"8m34.285714285s\""},
        {"divide('1h', '30m')", "! function `divide`: " TYPES},
        {"divide('1h', '90s')", "40"},
        {"divide('1', '0')", "! function `divide`: division by zero"},
        {"divide('1s', '0s')", "! function `divide`: division by zero"},
        {"divide('1', `0.0`)", "! function `divide`: division by zero"},
        {"divide(n, '1')", "! function `divide`: " TYPES},
        {"modulo(`-7`, `3`)", "-1"},
        {"modulo(min, `-1`)", "0"},
        {"modulo(`7.0`, n)", "2"},
        {"modulo('10Ki', '3Ki')", "\"1Ki\""},
        {"modulo('1h', '7s')", "\"2s\""},
        {"modulo('1500m', '1')", "! function `modulo`: the operands have to be integers"},
        {"modulo(f, n)", "! function `modulo`: the operands have to be integers"},
        {"modulo('1s', '0s')", "! function `modulo`: division by zero"},
        {"round(`2.5`, `0`)", "3"},
        {"round(`-2.5`, `0`)", "-3"},
        {"round(`1234.5678`, `2`)", "1234.57"},
        {"round(max, `3`)", "9223372036854775807"},
        {"round(f, `400`)", "2.75"},
        {"round(f, `-1`)",
         "! function `round`: the number of digits has to be an integer that is not "
         "negative"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void collections(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"label_match(`{}`, o)", "true"},
        {"label_match(`{\"b\": 1.0}`, o)", "true"},
        {"label_match(`{\"a\": [2]}`, o)", "true"},
        {"label_match(`{\"b\": 1, \"c\": 2}`, o)", "false"},
        {"lookup(o, 'a')", "[2]"},
        {"lookup(o, 'z')", "null"},
        {"lookup(l, `2`)", "3"},
        {"lookup(l, `1`)", "null"},
        {"lookup(l, `3`)", "null"},
        {"lookup(l, `-1`)", "null"},
        {"lookup(l, `1e30`)", "null"},
        {"lookup(l, `0.5`)", "! function `lookup`: argument 2 has to be an integer"},
        {"lookup(l, 'a')",
         "! function `lookup`: argument 2 has to be a number, the index in a list"},
        {"lookup(o, `0`)",
         "! function `lookup`: argument 2 has to be a string, the key of an object"},
        {"items(o, 'k', 'v')", "[{\"k\":\"a\",\"v\":[2]},{\"k\":\"b\",\"v\":1}]"},
        {"items(l, 'i', 'i')", "[{\"i\":\"x\"},{\"i\":null},{\"i\":3}]"},
        {"items(l, 'i', 'v')[2]", "{\"i\":2,\"v\":3}"},
        {"items(`{}`, 'i', 'v')", "[]"},
        {"object_from_lists(['a', `1.5`, `true`, 'a'], [n])",
         "{\"a\":null,\"1.5\":null,\"true\":null}"},
        {"object_from_lists(`[1e3]`, l)", "{\"1000\":\"x\"}"},
        {"object_from_lists(l, l)",
         "! function `object_from_lists`: the keys have to be strings, numbers or "
         "booleans"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void encodings(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"base64_encode('h\xc3\xa9')", "\"aMOp\""},
        {"base64_decode('aMOp')", "\"h\xc3\xa9\""},
        {"base64_decode('aP8=')", "\"h\xef\xbf\xbd\""},
        {"base64_decode('a')",
         "! function `base64_decode`: illegal base64 data at input byte 0"},
        {"md5('')", "\"d41d8cd98f00b204e9800998ecf8427e\""},
        {"md5('abc')", "\"900150983cd24fb0d6963f7d28e17f72\""}, /* RFC 1321 */
        {"sha1('abc')", "\"a9993e364706816aba3e25717850c26c9cd0d89d\""},
        {"sha256('abc')",
         "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\""},
        {"parse_json('{\"a\": [1, 2.0, \"x\"]}')", "{\"a\":[1,2,\"x\"]}"},
        {"parse_json('{')", "! function `parse_json`: unexpected end of JSON input"},
        {"parse_yaml('{a: on, b: 0x10}')", "{\"a\":true,\"b\":16}"},
        {"parse_yaml('1\n---\n2')", "1"},
        {"parse_yaml('')", "null"},
        {"parse_yaml('{')",
         "! function `parse_yaml`: yaml: line 1: did not find expected node content"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void times(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"time_parse('02.01.2006 15:04', '24.12.2026 18:30')",
         "\"2026-12-24T18:30:00Z\""},
        {"time_parse('0', '-1')", "\"1969-12-31T23:59:59Z\""},
        {"time_parse('0', 'x')",
         "! function `time_parse`: invalid number of seconds: \"x\""},
        {"time_utc('2026-03-01T00:30:00+01:00')", "\"2026-02-28T23:30:00Z\""},
        {"time_to_cron('2026-11-22T07:08:09-03:00')", "\"8 7 22 11 0\""},
        {"time_add('2024-02-28T23:59:59.9Z', '100ms')", "\"2024-02-29T00:00:00Z\""},
        {"time_add('2024-02-28T23:59:59Z', '-24h')", "\"2024-02-27T23:59:59Z\""},
        {"time_truncate('2026-11-22T07:08:09+05:45', '1h')",
         "\"2026-11-22T06:45:00+05:45\""}, /* whole hours of UTC */
        {"time_truncate('2026-11-22T07:08:09Z', '168h')", "\"2026-11-16T00:00:00Z\""},
        {"time_truncate('0000-06-01T12:34:56Z', '24h')", "\"0000-06-01T00:00:00Z\""},
        {"time_truncate('9999-12-31T23:59:59.5Z', '2562047h')",
         "\"9938-06-02T14:00:00Z\""},
        {"time_truncate('0000-06-01T12:34:56Z', '7h13m')", "\"0000-06-01T12:10:00Z\""},
        {"time_truncate('2026-11-22T07:08:09Z', '-1h')", "\"2026-11-22T07:08:09Z\""},
        {"time_diff('2026-11-22T07:08:09Z', '2026-11-22T08:08:09+02:00')", "\"-1h0m0s\""},
        {"time_diff('2026-11-22T07:08:09.75Z', '2026-11-22T07:08:10.25Z')", "\"500ms\""},
        {"time_diff('0001-01-01T00:00:00Z', '9999-01-01T00:00:00Z')",
         "\"2562047h47m16.854775807s\""},
        {"time_diff('9999-01-01T00:00:00Z', '0001-01-01T00:00:00Z')",
         "\"-2562047h47m16.854775808s\""},
        {"time_since('2006-01-02', '2026-01-01', '2026-02-01')", "\"744h0m0s\""},
        {"time_before('2026-11-22T07:00:00Z', '2026-11-22T07:30:00+01:00')", "false"},
        {"time_after('2026-11-22T07:00:00.1Z', '2026-11-22T07:00:00Z')", "true"},
        {"time_between('2026-11-22T07:00:00Z', '2026-11-22T07:00:00Z', "
         "'2027-01-01T00:00:00Z')",
         "false"},
        {"time_between('2026-11-22T07:00:01Z', '2026-11-22T07:00:00Z', "
         "'2027-01-01T00:00:00Z')",
         "true"},
        {"time_add('2026-11-22T07:00:01Z', '1d')",
         "! function `time_add`: time: unknown unit \"d\" in duration \"1d\""},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

/* The clock, between two looks at it. */
static void present(void **state) {
    (void)state;
    static const char *const queries[] = {"time_now()", "time_now_utc()"};
    for (size_t i = 0; i < FX_COUNT(queries); i++) {
        struct fx_jmespath *query = compile(queries[i]);
        struct fx_err err = FX_ERR_INIT;
        json_t *root = json_object();
        json_t *value = NULL;
        int64_t seconds = 0;
        const int64_t before = fx_date_now();
        assert_int_equal(fx_jmespath_search(query, root, NULL, &value, &err),
                         FX_JMESPATH_VALUE);
        assert_true(fx_date_parse(fx_tree_text(value), &seconds));
        assert_in_range(seconds, before, fx_date_now());
        assert_false(fx_jmespath_is_deterministic(query));
        json_decref(value);
        json_decref(root);
        fx_jmespath_destroy(query);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),        cmocka_unit_test(products),
        cmocka_unit_test(collections), cmocka_unit_test(encodings),
        cmocka_unit_test(times),       cmocka_unit_test(present),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
