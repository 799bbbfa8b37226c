/* SPDX-License-Identifier: Apache-2.0
 *
 * base/log_test.c - the lines written, read back through a pipe.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

/* What `call` writes to standard error. */
#define CAPTURE(out, call)                     \
    do {                                       \
        int ends[2];                           \
        const int saved = dup(STDERR_FILENO);  \
        assert_int_equal(pipe(ends), 0);       \
        (void)dup2(ends[1], STDERR_FILENO);    \
        (void)close(ends[1]);                  \
        call;                                  \
        (void)dup2(saved, STDERR_FILENO);      \
        (void)close(saved);                    \
        read_all(ends[0], (out), sizeof(out)); \
    } while (0)

static void read_all(int fd, char *out, size_t size) {
    size_t length = 0;
    ssize_t n = 0;
    while ((n = read(fd, out + length, size - 1 - length)) > 0) {
        length += (size_t)n;
    }
    out[length] = '\0';
    (void)close(fd);
}

static void writes_one_object_a_line(void **state) {
    (void)state;
    char line[1024];
    CAPTURE(line, fx_log(WARN, "a \"b\"\n\x01\xFF", fx_log_str("s", NULL),
                         fx_log_int("i", 1234567890123456), fx_log_num("n", 0.5),
                         fx_log_num("x", (double)NAN)));
    assert_memory_equal(line, "{\"time\":\"2", 10);
    const char *rest = strstr(line, ",\"level\"");
    assert_non_null(rest);
    assert_string_equal(rest, ",\"level\":\"warn\",\"msg\":\"a \\\"b\\\"\\u000a\\u0001"
                              "\xEF\xBF\xBD\",\"s\":\"\",\"i\":1234567890123456,"
                              "\"n\":0.5,\"x\":null}\n");
}

static void drops_lower_levels(void **state) {
    (void)state;
    char line[1024];
    assert_false(fx_log_enabled(FX_LOG_DEBUG));
    CAPTURE(line, fx_log(DEBUG, "x", fx_log_int("i", 1)));
    assert_string_equal(line, "");
    fx_log_set_level(FX_LOG_DEBUG);
    CAPTURE(line, fx_log(DEBUG, "x", fx_log_int("i", 1)));
    assert_true(strlen(line) > 0);
    fx_log_set_level(FX_LOG_INFO);
}

static void knows_its_levels(void **state) {
    (void)state;
    enum fx_log_level level = FX_LOG_INFO;
    assert_true(fx_log_level_parse("error", &level));
    assert_int_equal(level, FX_LOG_ERROR);
    assert_false(fx_log_level_parse("ERROR", &level));
    assert_false(fx_log_level_parse("", &level));
    assert_int_equal(level, FX_LOG_ERROR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_one_object_a_line),
        cmocka_unit_test(drops_lower_levels),
        cmocka_unit_test(knows_its_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
