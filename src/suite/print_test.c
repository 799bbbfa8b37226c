/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/print_test.c - texts of others cannot break out of a format.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite/run.h"
#include "value/json.h"
#include "value/yaml.h"

/* Whatever breaks lines, tags, directives, commands, strings, or is no UTF-8 at all. */
static char hostile[] =
    "a\n::error::b\r# SKIP %0A,: \\ <b>&\"']]>\x1b[31m\xff\x01\xe2\x80\xa8z";

static const enum fx_suite_status statuses[] = {FX_SUITE_PASS, FX_SUITE_FAIL,
                                                FX_SUITE_SKIP, FX_SUITE_ERROR};

static char *print(enum fx_suite_format format) {
    struct fx_suite_result items[FX_COUNT(statuses)];
    struct fx_suite_results results = {.items = items, .n_items = FX_COUNT(statuses)};
    for (size_t i = 0; i < FX_COUNT(statuses); i++) {
        items[i] = (struct fx_suite_result){
            .path = hostile,
            .name = hostile,
            .status = statuses[i],
            .reason = hostile,
            .diff = statuses[i] == FX_SUITE_FAIL ? hostile : NULL,
            .file = hostile,
            .line = 7,
            .ns = 1234567890,
        };
        results.counts[statuses[i]]++;
    }
    static const struct fx_suite_style style = {.verbose = true, .colour = false};
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_suite_print(&buf, format, &results, &style);
    assert_false(buf.failed);
    return fx_buf_steal(&buf);
}

static size_t count(const char *text, const char *part) {
    size_t n = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        n++;
    }
    return n;
}

static void test_text(void **state) {
    (void)state;
    char *text = print(FX_SUITE_FORMAT_TEXT);
    assert_int_equal(count(text, "--- FAIL: "), 2);
    assert_int_equal(count(text, "(1.235s)\n"), 4);
    assert_int_equal(count(text, "\nFAIL\t"), 1);
    free(text);
}

/* No element but ours, no attribute that ends early, no character that XML has not. */
static void test_junit(void **state) {
    (void)state;
    char *text = print(FX_SUITE_FORMAT_JUNIT);
    size_t n_quotes = 0;
    for (const char *at = text; *at != '\0'; at++) {
        n_quotes += *at == '"';
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        assert_int_not_equal((unsigned char)*at, 0xff);
    }
    assert_int_equal(n_quotes % 2, 0);
    assert_int_equal(count(text, "<testcase "), 4);
    assert_int_equal(count(text, "<failure "), 1);
    assert_int_equal(count(text, "<error "), 1);
    assert_int_equal(count(text, "<skipped "), 1);
    assert_int_equal(count(text, "<b>"), 0);
    assert_int_equal(count(text, "]]>"), 0);
    assert_true(fx_text_is_utf8(fx_text_of(text)));
    free(text);
}

static bool starts(const char *line, const char *part) {
    return strncmp(line, part, strlen(part)) == 0;
}

/* Every line is a plan, a test point, a comment, or within a YAML block; the YAML reads.
 */
static void test_tap(void **state) {
    (void)state;
    char *text = print(FX_SUITE_FORMAT_TAP);
    assert_true(starts(text, "TAP version 14\n1..4\n"));
    assert_int_equal(count(text, " # SKIP "), 1);
    struct fx_buf yaml;
    fx_buf_init(&yaml, 0);
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        assert_true(starts(line, "TAP ") || starts(line, "1..") || starts(line, "ok ") ||
                    starts(line, "not ok ") || starts(line, "# ") || starts(line, "  "));
        if (starts(line, "  ") && !starts(line, "  ...")) {
            fx_buf_printf(&yaml, "%s\n", line + 2);
        }
    }
    struct fx_yaml_reader *reader = fx_yaml_open((struct fx_text){yaml.data, yaml.len});
    for (size_t i = 0; i < 2; i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *document = NULL;
        assert_true(fx_yaml_next(reader, NULL, &document, &err));
        assert_int_equal(json_integer_value(json_object_get(document, "line")), 7);
        json_decref(document);
    }
    fx_yaml_close(reader);
    fx_buf_finish(&yaml);
    free(text);
}

static void test_json(void **state) {
    (void)state;
    char *text = print(FX_SUITE_FORMAT_JSON);
    size_t n_lines = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        struct fx_err err = FX_ERR_INIT;
        json_t *event = fx_json_read(fx_text_of(line), NULL, &err);
        assert_true(json_is_string(json_object_get(event, "Action")));
        assert_true(json_is_string(json_object_get(event, "Package")));
        json_decref(event);
        n_lines++;
    }
    assert_int_equal(n_lines, 4 * 3 + 1);
    free(text);
}

/* One command for each that failed, on a line of its own. */
static void test_github(void **state) {
    (void)state;
    char *text = print(FX_SUITE_FORMAT_GITHUB);
    size_t n_lines = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        assert_true(starts(line, n_lines < 2 ? "::error file=" : "1 passed, 1 failed"));
        assert_null(strchr(line, '\r'));
        n_lines++;
    }
    assert_int_equal(n_lines, 3);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),   cmocka_unit_test(test_junit),
        cmocka_unit_test(test_tap),    cmocka_unit_test(test_json),
        cmocka_unit_test(test_github),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
