/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/jmespath_oom_test.c - Kyverno's queries with every allocation refused in
 * turn: no memory is said to be the reason, nothing else, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/limits.h"
#include "location/jmespath/function.h"
#include "location/jmespath/jmespath.h"
#include "location/jmespath/scope_testing.h"
#include "refuse.h"
#include "value/json.h"
#include "value/tree.h"

#define RUNS_MAX 100000

static const char document[] =
    "{\"a\":{\"b\":{\"c\":1},\"x\":null,\"d\":[1,2.5,\"x\",{\"e\":[true]}]},"
    "\"l\":[3,1,2.5],\"ls\":[\"b\",\"a\",\"c\"],\"s\":\"text\",\"n\":-2.5,"
    "\"lo\":[{\"k\":\"b\",\"v\":2},{\"k\":\"a\",\"v\":1}],"
    "\"long\":"
    "\"0123456789012345678901234567890123456789012345678901234567890123456789\"}";

static const char *const queries[] = {
    "a.b.c",
    "a.\"d\"[3].e[0] || 'x' && `[1, {\"y\": 2}]`",
    "{x: a.*.c, y: [l[::-1], lo[?v > `1`].k, a.d[]], z: !nope}",
    "@ | lo[*].k | [0]",
    "'it\\'s' == s || keys(@)",
    /* each function of JMESPath */
    "[abs(n), ceil(n), floor(n), avg(l), to_number('1.5'), to_number('12')]",
    "[length(s), reverse(s), reverse(l), starts_with(s, 't'), ends_with(s, 't')]",
    "[contains(s, 'x'), contains(l, `1`), join('-', ls), to_string(@), to_string(s)]",
    "[keys(a), values(a), merge(a, a.b, {q: n}), type(a), to_array(n), to_array(l)]",
    "[not_null(nope, nope, nope, nope, nope, nope, s), map(&length(k), lo)]",
    ("[sort(l), sort(ls), sort_by(lo, &k), max(l), min(ls), max_by(lo, &v), "
     "min_by(lo, &to_string(v))]"),
    "to_number('0.000000000000000000000000000000000000000000000000000000000000000001')",
    /* each function of Kyverno */
    ("[replace(long, '0', 'ab', `3`), replace_all(s, '', '-'), trim(s, 't'), "
     "trim_prefix(s, 'te'), truncate(long, `65.5`), split(long, '9'), split(s, '')]"),
    ("[compare(s, s), equal_fold(s, 'TEXT'), to_upper(long), to_lower(s), "
     "to_boolean('True')]"),
    ("[regex_match('(t|x)+', s), regex_replace_all('(.)x', s, '$1-${1}'), "
     "regex_replace_all_literal('[0-9]', n, l[2]), pattern_match('*x?', s)]"),
    ("[add('1Gi', '500m'), add('0.5Gi', '1e3'), subtract('1h', '90s'), "
     "multiply('12Ki', `2.5`), divide('1Gi', `3`), divide('1Gi', '1e20'), "
     "modulo('7', '4'), sum(['1', '2', '3.5Ki']), sum(l), round(n, `0`)]"),
    ("[label_match(`{\"k\": \"b\"}`, lo[0]), lookup(a, 'd'), lookup(l, `1`), "
     "items(a, 'k', 'v'), items(ls, 'k', 'v'), object_from_lists([`1`, s, `true`], l)]"),
    ("[base64_encode(long), base64_decode('dGV4dA=='), md5(s), sha1(s), sha256(s), "
     "parse_json('{\"a\": [1, \"x\"]}'), parse_yaml('a: [1, x]'), parse_yaml('')]"),
    ("[image_normalize('nginx'), image_normalize('ghcr.io/org/app:1.2'), "
     "path_canonicalize('/a/../b//c'), is_external_url('https://u@8.8.8.8:1/x?y')]"),
    "[semver_compare('1.2.3', '>=1.0.0 <2.0.0 || 4.x'), semver_compare('x', '!1.x')]",
    ("[time_now(), time_now_utc(), time_since('', '2021-01-02T15:04:05-07:00', ''), "
     "time_parse('Jan 2 2006', 'Feb 3 2021'), time_utc('2021-01-02T15:04:05-07:00'), "
     "time_to_cron('2021-01-02T15:04:05Z')]"),
    ("[time_add('2021-01-02T15:04:05Z', '1h'), time_truncate('2021-01-02T15:04:05Z', "
     "'1h'), time_diff('2021-01-02T15:04:05Z', '2022-01-02T15:04:05Z')]"),
    ("[time_before('2021-01-02T15:04:05Z', '2022-01-02T15:04:05Z'), "
     "time_after('2021-01-02T15:04:05Z', '2022-01-02T15:04:05Z'), "
     "time_between('2021-01-02T15:04:05Z', '2020-01-02T15:04:05Z', "
     "'2022-01-02T15:04:05Z')]"),
    "random('[a-z]{2}(x|[^0-9]+)?')",
};

#define X509_CASES FX_SOURCE_DIR "/location/jmespath/x509_cases.jsonl"

/* Evaluates on the names of `root`. False without memory. */
static bool search(const char *text, json_t *root) {
    const struct fx_jmespath_scope scope = jmespath_scope_of(root);
    struct fx_jmespath *query = NULL;
    struct fx_err err = FX_ERR_INIT;
    json_t *value = NULL;
    const bool ok =
        fx_jmespath_compile(fx_text_of(text), &query, &err) &&
        fx_jmespath_search(query, NULL, &scope, &value, &err) == FX_JMESPATH_VALUE;
    if (!ok && err.code != FX_ENOMEM) {
        fail_msg("%s: %s", text, err.msg);
    }
    json_decref(value);
    fx_jmespath_destroy(query);
    return ok;
}

static bool find_reads(const char *text, json_t *root) {
    struct fx_jmespath *query = NULL;
    struct fx_json_part part = {.omits_rest = true};
    struct fx_json_cursor cursor;
    struct fx_err err = FX_ERR_INIT;
    (void)root;
    const bool ok = fx_jmespath_compile(fx_text_of(text), &query, &err) &&
                    fx_jmespath_reads(query, &part, &cursor);
    fx_json_part_finish(&part);
    fx_jmespath_destroy(query);
    return ok;
}

/* Refuses one allocation after the other until it needs no more. */
static void refuse_all(bool (*act)(const char *text, json_t *root), const char *text,
                       json_t *root, bool ever_after) {
    assert_true(act(text, root)); /* what is allocated once, is */
    long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const bool ok = act(text, root);
        refused = refuse_stop();
        assert_int_equal(ok, !refused);
        assert_true(refuse_lost_nothing(&live, strstr(text, "regex_") != NULL));
    }
    assert_true(n > 4); /* it was tried at all */
}

static void refuse_each(bool (*act)(const char *text, json_t *root)) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(document), NULL, &err);
    assert_non_null(root);
    for (size_t i = 0; i < FX_COUNT(queries); i++) {
        refuse_all(act, queries[i], root, false);
        refuse_all(act, queries[i], root, true);
    }
    json_decref(root);
}

static void test_values(void **state) {
    (void)state;
    refuse_each(search);
}

static void test_reads(void **state) {
    (void)state;
    refuse_each(find_reads);
}

/* Certificates and requests, one a line. */
static void test_certificates(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf file;
    fx_buf_init(&file, 0);
    assert_true(fx_file_read(X509_CASES, FX_LIMIT_POLICY_FILE_BYTES, &file, &err));
    struct fx_text rest = fx_buf_view(&file);
    while (rest.len > 0) {
        json_t *row = fx_json_read(fx_text_cut(&rest, '\n'), NULL, &err);
        assert_non_null(row);
        if (fx_tree_view_key(row, "error") == NULL) {
            refuse_all(search, "x509_decode(pem)", row, true);
        }
        json_decref(row);
    }
    fx_buf_finish(&file);
}

/* A function that the queries above do not call is not covered. */
static void test_functions(void **state) {
    (void)state;
    const struct fx_jmespath_function *function = NULL;
    for (size_t i = 0; (function = fx_jmespath_function_at(i)) != NULL; i++) {
        char call[64];
        bool is_called = strcmp(function->name, "x509_decode") == 0;
        (void)snprintf(call, sizeof call, "%s(", function->name);
        for (size_t q = 0; q < FX_COUNT(queries); q++) {
            is_called = is_called || strstr(queries[q], call) != NULL;
        }
        if (!is_called) {
            fail_msg("%s is not called", function->name);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_certificates),
        cmocka_unit_test(test_functions),
    };
    refuse_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
