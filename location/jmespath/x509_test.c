/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/x509_test.c - x509_decode(), against what Go's crypto/x509 says of
 * the same certificates (x509_cases.jsonl), and with what is no certificate.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/limits.h"
#include "location/jmespath/testing.h"
#include "location/jmespath/x509.h"
#include "value/equal.h"
#include "value/yaml.h"

#define CASES FX_SOURCE_DIR "/location/jmespath/x509_cases.jsonl"

/* Decodes; on an error NULL, with the message in *err. */
static json_t *decode(const json_t *pem, struct fx_err *err) {
    struct fx_jmespath *query = compile("x509_decode(@)");
    json_t *value = NULL;
    (void)fx_jmespath_search(query, fx_node_unconst(pem), NULL, &value, err);
    fx_jmespath_destroy(query);
    return value;
}

static void expect_equal(const char *name, const json_t *expected, const json_t *got) {
    for (void *i = fx_node_first(expected); i != NULL; i = fx_node_next(expected, i)) {
        const json_t *member = fx_tree_view_text(got, fx_node_key(i));
        if (member == NULL || !fx_equal(json_object_iter_value(i), member)) {
            struct fx_buf buf;
            fx_buf_init(&buf, 0);
            fx_value_print(&buf, member);
            fail_msg("%s: %s: got %s", name, json_object_iter_key(i), buf.data);
        }
    }
    assert_int_equal(json_object_size(expected), json_object_size(got));
}

static void run_case(const json_t *row) {
    struct fx_err err = FX_ERR_INIT;
    const char *name = fx_tree_view_string(row, "name").data;
    const char *error = fx_tree_view_string(row, "error").data;
    json_t *value = decode(fx_tree_view_key(row, "pem"), &err);
    if (error == NULL) {
        if (value == NULL) {
            fail_msg("%s: %s", name, err.msg);
        }
        expect_equal(name, fx_tree_view_key(row, "expect"), value);
    } else {
        assert_null(value);
        assert_non_null(strstr(err.msg, error));
    }
    json_decref(value);
}

/* Calls `run` with each row of the file. */
static size_t each_case(void (*run)(const json_t *row)) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf file;
    size_t n = 0;
    fx_buf_init(&file, 0);
    assert_true(fx_file_read(CASES, FX_LIMIT_POLICY_FILE_BYTES, &file, &err));
    struct fx_text rest = fx_buf_view(&file);
    while (rest.len > 0) {
        json_t *row = fx_json_read(fx_text_cut(&rest, '\n'), NULL, &err);
        assert_non_null(row);
        run(row);
        json_decref(row);
        n++;
    }
    fx_buf_finish(&file);
    return n;
}

static void certificates(void **state) {
    (void)state;
    assert_int_equal(each_case(run_case), 4);
}

/* The bytes of the first PEM block of the row. */
static void decode_pem(const json_t *row, struct fx_buf *der) {
    struct fx_text rest = fx_tree_view_string(row, "pem");
    struct fx_buf body;
    fx_buf_init(&body, 0);
    (void)fx_text_cut(&rest, '\n');
    while (rest.len > 0 && rest.data[0] != '-') {
        fx_buf_text(&body, fx_text_cut(&rest, '\n'));
    }
    assert_true(fx_base64_decode(der, fx_buf_view(&body)));
    fx_buf_finish(&body);
}

/* No part of a certificate is one, with a message, from memory of its own size. */
static void run_truncated(const json_t *row) {
    struct fx_buf der;
    fx_buf_init(&der, 0);
    decode_pem(row, &der);
    for (size_t len = 0; len < der.len; len++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *value = NULL;
        char *copy = malloc(len + 1);
        assert_non_null(copy);
        memcpy(copy, der.data, len);
        assert_false(x509_read_certificate((struct fx_text){copy, len}, &value, &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_false(x509_read_request((struct fx_text){copy, len}, &value, &err));
        assert_int_equal(err.code, FX_EINVALID);
        free(copy);
    }
    fx_buf_finish(&der);
}

static void truncated_ones_fail(void **state) {
    (void)state;
    assert_int_equal(each_case(run_truncated), 4);
}

static void other_texts_fail(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"x509_decode('')", "! function `x509_decode`: the text has no PEM block"},
        {"x509_decode('x -----BEGIN CERTIFICATE-----')",
         "! function `x509_decode`: the text has no PEM block"},
        {"x509_decode(open)", "! function `x509_decode`: the text has no PEM block"},
        {"x509_decode(other)", "! function `x509_decode`: the text has no PEM block"},
        {"x509_decode(key)",
         "! function `x509_decode`: the PEM block is no certificate, but \"PRIVATE "
         "KEY\""},
        {"x509_decode(broken)", "! function `x509_decode`: the PEM block is no base64"},
        {"x509_decode(empty)",
         "! function `x509_decode`: invalid certificate: malformed certificate"},
    };
    expect_rows("{\"open\": \"-----BEGIN CERTIFICATE-----\\nAAAA\\n\","
                "\"other\": \"-----BEGIN A-----\\nAAAA\\n-----END B-----\\n\","
                "\"key\": \"-----BEGIN PRIVATE KEY-----\\nAAAA\\n-----END PRIVATE "
                "KEY-----\\n\","
                "\"broken\": \"-----BEGIN CERTIFICATE-----\\n*\\n-----END "
                "CERTIFICATE-----\\n\","
                "\"empty\": \"-----BEGIN CERTIFICATE-----\\n-----END "
                "CERTIFICATE-----\\n\"}",
                rows, FX_COUNT(rows));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates),
        cmocka_unit_test(truncated_ones_fail),
        cmocka_unit_test(other_texts_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
