/* SPDX-License-Identifier: Apache-2.0
 *
 * value/print_test.c - values in one line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/macros.h"
#include "value/json.h"
#include "value/yaml.h"

static json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    if (node == NULL) {
        fail_msg("`%s`: %s", text, err.msg);
    }
    return node;
}

static void expect(struct fx_buf *buf, const char *expected) {
    char *got = fx_buf_steal(buf);
    assert_non_null(got);
    assert_string_equal(got, expected);
    free(got);
}

static void test_values(void **state) {
    (void)state;
    static const struct {
        const char *json, *expected;
    } cases[] = {
        {"\"Always\"", "Always"},
        {"\"8080\"", "\"8080\""},
        {"8080", "8080"},
        {"5.50", "5.5"},
        {"true", "true"},
        {"\"true\"", "\"true\""},
        {"null", "null"},
        {"\"\"", "\"\""},
        {"\"a\\nb\"", "\"a\\nb\""},
        {"[]", "[]"},
        {"{\"a\":[1,\"1\"]}", "{\"a\":[1,\"1\"]}"},
    };
    struct fx_buf buf;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *value = read_json(cases[i].json);
        fx_buf_init(&buf, 0);
        fx_value_print(&buf, value);
        expect(&buf, cases[i].expected);
        json_decref(value);
    }
    fx_buf_init(&buf, 0);
    fx_value_print(&buf, NULL);
    expect(&buf, "(absent)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
