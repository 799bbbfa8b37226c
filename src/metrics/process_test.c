/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics/process_test.c - /proc's line, and ourselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "metrics/process.h"

#define TAIL " 20 0 3 0 77 8192000 512 18446744073709551615 1 1"

static void test_stat(void **state) {
    (void)state;
    static const struct {
        const char *line;
        bool reads;
    } cases[] = {
        {"42 (fixpoint) S 1 42 42 0 -1 4194560 900 0 0 0 11 22 0 0" TAIL, true},
        {"42 (a) S ) b) R 1 42 42 0 -1 4194560 900 0 0 0 11 22 0 0" TAIL, true},
        {"42 (fixpoint) S 1 42 42 0 -1 4194560 900 0 0 0 11 22 0 0", false},
        {"42 (fixpoint)", false},
        {"no bracket", false},
        {"", false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_process_stat stat = {0};
        assert_int_equal(fx_process_stat_read(fx_text_of(cases[i].line), &stat),
                         cases[i].reads);
        assert_int_equal(stat.user_ticks, cases[i].reads ? 11 : 0);
        assert_int_equal(stat.system_ticks, cases[i].reads ? 22 : 0);
        assert_int_equal(stat.start_ticks, cases[i].reads ? 77 : 0);
        assert_int_equal(stat.virtual_bytes, cases[i].reads ? 8192000 : 0);
        assert_int_equal(stat.resident_pages, cases[i].reads ? 512 : 0);
    }
}

static double value_of(const char *text, const char *name) {
    const char *line = strstr(text, name);
    assert_non_null(line);
    return strtod(line + strlen(name), NULL);
}

static void test_ourselves(void **state) {
    (void)state;
    struct fx_registry *registry = fx_registry_create(1);
    struct fx_process_metrics process;
    struct fx_buf buf = {0};
    assert_non_null(registry);
    assert_true(fx_process_metrics_add(&process, registry));
    fx_registry_print(registry, &buf);
    assert_false(buf.failed);
    const double started = value_of(buf.data, "\nprocess_start_time_seconds ");
    const double now = (double)time(NULL);
    assert_true(started > now - 3600 && started < now + 5);
    const double resident = value_of(buf.data, "\nprocess_resident_memory_bytes ");
    assert_true(resident > 100e3);
    assert_true(value_of(buf.data, "\nprocess_virtual_memory_bytes ") >= resident);
    const double open_files = value_of(buf.data, "\nprocess_open_fds ");
    assert_true(open_files >= 1);
    assert_true(value_of(buf.data, "\nprocess_max_fds ") >= open_files);
    assert_true(value_of(buf.data, "\nprocess_cpu_seconds_total ") >= 0);
    fx_buf_finish(&buf);
    fx_registry_destroy(registry);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stat),
        cmocka_unit_test(test_ourselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
