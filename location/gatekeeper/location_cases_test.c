/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/location_cases_test.c - runs
 * tests/cases/location/gatekeeper.test; the head of that file describes its format.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "location/gatekeeper/testing.h"
#include "location/gatekeeper/write.h"
#include "value/equal.h"

/* Records the value at each position, and keeps it. */
struct hits {
    json_t *values;
};

static bool note(const void *user, const struct fx_write_position *position,
                 enum fx_write *ret_write, json_t **ret_value, const char **ret_criterion,
                 struct fx_err *err) {
    (void)ret_criterion;
    (void)err;
    const struct hits *hits = user;
    if (position->old != NULL) {
        assert_int_equal(json_array_append(hits->values, position->old), 0);
    }
    *ret_write = FX_WRITE_KEEP;
    *ret_value = NULL;
    return true;
}

static bool find(const char *text, json_t *values, json_t **root, struct fx_err *err) {
    struct fx_location *location = NULL;
    if (!fx_location_parse(fx_text_of(text), FX_LOCATION_GATEKEEPER, &location, err)) {
        return false;
    }
    const struct hits hits = {values};
    const struct fx_setter setter = {.set = note, .user = &hits};
    struct fx_written written = {0};
    const bool ok = fx_location_write(location, NULL, &setter, root, &written, err);
    fx_location_destroy(location);
    return ok;
}

/* "24+9 message", or the message alone. */
static void check_error(const char *expected, const struct fx_err *err) {
    char *rest = NULL;
    unsigned long off = strtoul(expected, &rest, 10);
    unsigned long len = 0;
    if (rest != expected) {
        assert_int_equal(*rest, '+');
        len = strtoul(rest + 1, &rest, 10);
        rest++;
    } else {
        off = 0;
    }
    assert_string_equal(err->msg, rest);
    assert_int_equal(err->off, off);
    assert_int_equal(err->len, len);
}

static void check_group(char *const lines[3]) {
    json_t *root = must_read(lines[1]);
    json_t *values = json_array();
    struct fx_err err = FX_ERR_INIT;
    const bool found = find(lines[0], values, &root, &err);
    if (lines[2][0] == '!') {
        assert_false(found);
        check_error(lines[2] + 2, &err);
    } else if (!found) {
        fail_msg("`%s`: %s", lines[0], err.msg);
    } else {
        json_t *expected = must_read(lines[2]);
        if (!fx_equal(values, expected)) {
            assert_json(values, lines[2]);
        }
        json_decref(expected);
    }
    json_decref(values);
    json_decref(root);
}

static void runs_every_case(void **state) {
    (void)state;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    struct fx_err err = FX_ERR_INIT;
    if (!fx_file_read(FX_SOURCE_DIR "/tests/cases/location/gatekeeper.test", 1u << 20,
                      &text, &err)) {
        fail_msg("%s", err.msg);
    }
    char *lines[3];
    size_t n_lines = 0;
    size_t n_groups = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text.data, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] == '#') {
            continue;
        }
        lines[n_lines++] = line;
        if (n_lines == 3) {
            check_group(lines);
            n_lines = 0;
            n_groups++;
        }
    }
    assert_int_equal(n_lines, 0);
    assert_true(n_groups > 0);
    fx_buf_finish(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_every_case)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
