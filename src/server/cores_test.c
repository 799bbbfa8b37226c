/* SPDX-License-Identifier: Apache-2.0
 *
 * server/cores_test.c - the texts of cgroups, as kernels write them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/capacity.h"

/* 0: no bound. */
static void test_max(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t cores;
    } cases[] = {
        {"max 100000\n", 0},
        {"100000 100000\n", 1},
        {"150000 100000\n", 2},
        {"1000 100000\n", 1},
        {"400000 100000\n", 4},
        {"200000 100000", 2},
        {"6400001 100000\n", 65},
        {"0 100000\n", 0},
        {"100000 0\n", 0},
        {"100000\n", 0},
        {"", 0},
        {"-1 100000\n", 0},
        {"100000 100000 1\n", 0},
        {"99999999999999999999999 1\n", 0},
        {"9007199254740992 1\n", 65536},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        size_t cores = 0;
        assert_int_equal(fx_cores_of_max(fx_text_of(cases[i].text), &cores),
                         cases[i].cores > 0);
        assert_int_equal(cores, cases[i].cores);
    }
}

static void test_quota(void **state) {
    (void)state;
    size_t cores = 0;
    assert_true(fx_cores_of_quota(FX_TEXT("250000\n"), FX_TEXT("100000\n"), &cores));
    assert_int_equal(cores, 3);
    assert_false(fx_cores_of_quota(FX_TEXT("-1\n"), FX_TEXT("100000\n"), &cores));
    assert_false(fx_cores_of_quota(FX_TEXT("1\n"), FX_TEXT("\n"), &cores));
}

/* NULL: there is none. */
static void test_group(void **state) {
    (void)state;
    static const struct {
        const char *text, *controller, *path;
    } cases[] = {
        {"0::/\n", "", "/"},
        {"0::/kubepods.slice/pod1/x\n", "", "/kubepods.slice/pod1/x"},
        {"0::/a", "", "/a"},
        {"0::/a\n", "cpu", NULL},
        {"12:cpuset:/z\n4:cpu,cpuacct:/a/b\n1:name=systemd:/c\n0::/d\n", "cpu", "/a/b"},
        {"12:cpuset:/z\n4:cpu,cpuacct:/a/b\n1:name=systemd:/c\n0::/d\n", "", "/d"},
        {"4:cpuacct,cpu:/a:b\n", "cpu", "/a:b"},
        {"4:cpuacct:/a\n", "cpu", NULL},
        {"", "", NULL},
        {"0::\n", "", NULL},
        {"0::relative\n", "", NULL},
        {":::::\n\n\n", "", NULL},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_text path = {0};
        const bool found = fx_cores_find_group(fx_text_of(cases[i].text),
                                               fx_text_of(cases[i].controller), &path);
        assert_int_equal(found, cases[i].path != NULL);
        assert_true(!found || fx_text_is(path, cases[i].path));
    }
}

static void test_here(void **state) {
    (void)state;
    assert_in_range(fx_cores_usable(), 1, 65536);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_max),
        cmocka_unit_test(test_quota),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
