/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_cases_test.c - what sigs.k8s.io/yaml made of a text (yaml_cases.jsonl, one
 * run of it a line), we make of it too: the same value, or the same error message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"
#include "value/yaml.h"

/* The first document; JSON null where there is none. */
static json_t *read_first(struct fx_text text, struct fx_err *err) {
    struct fx_yaml_reader *reader = fx_yaml_open(text);
    assert_non_null(reader);
    json_t *root = NULL;
    const bool ok = fx_yaml_next(reader, NULL, &root, err);
    fx_yaml_close(reader);
    return ok && root == NULL ? json_null() : root;
}

static bool gives_error(const json_t *got, const struct fx_err *err, const char *want) {
    if (got != NULL || strcmp(err->msg, want) != 0) {
        print_error("  want error: %s\n  got: %s\n", want,
                    got == NULL ? err->msg : "a value");
        return false;
    }
    return true;
}

static bool gives_value(const json_t *got, const struct fx_err *err,
                        struct fx_text want) {
    struct fx_err unread = FX_ERR_INIT;
    json_t *expected = fx_json_read(want, NULL, &unread);
    assert_non_null(expected);
    const bool same = got != NULL && fx_equal(got, expected);
    if (!same) {
        char *text = got == NULL ? NULL : json_dumps(got, JSON_ENCODE_ANY);
        print_error("  want: %.*s\n  got: %s\n", FX_TEXT_ARG(want),
                    text == NULL ? err->msg : text);
        free(text);
    }
    json_decref(expected);
    return same;
}

static bool run_case(const json_t *row) {
    const json_t *expect = fx_tree_view_key(row, "expect");
    const struct fx_text error = fx_tree_view_string(expect, "error");
    struct fx_err err = FX_ERR_INIT;
    json_t *got = read_first(fx_tree_view_string(row, "yaml"), &err);
    const bool ok = error.data != NULL
                        ? gives_error(got, &err, error.data)
                        : gives_value(got, &err, fx_tree_view_string(expect, "json"));
    json_decref(got);
    if (!ok) {
        print_error("^ %s\n", fx_tree_view_string(row, "name").data);
    }
    return ok;
}

static void test_cases(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf file;
    fx_buf_init(&file, 0);
    assert_true(
        fx_file_read(FX_SOURCE_DIR "/src/value/yaml_cases.jsonl", 1 << 20, &file, &err));
    size_t n_cases = 0;
    size_t n_failed = 0;
    for (char *line = file.data; *line != '\0'; n_cases++) {
        char *end = strchr(line, '\n');
        json_t *row =
            fx_json_read((struct fx_text){line, (size_t)(end - line)}, NULL, &err);
        assert_non_null(row);
        n_failed += !run_case(row);
        json_decref(row);
        line = end + 1;
    }
    fx_buf_finish(&file);
    assert_int_equal(n_failed, 0);
    assert_true(n_cases >= 160);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
