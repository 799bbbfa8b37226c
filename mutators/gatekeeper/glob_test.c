/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/glob_test.c - the globs of spec section 4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mutators/gatekeeper/glob.h"

static const struct {
    const char *pattern, *text;
    bool name, generate_name;
} cases[] = {
    {"", "", true, false},
    {"", "a", false, false},
    {"kube-system", "kube-system", true, false},
    {"kube-system", "kube-systems", false, false},
    {"kube-*", "kube-system", true, true},
    {"kube-*", "kube-", true, true},
    {"kube-*", "kub", false, false},
    {"*-system", "kube-system", true, false},
    {"*-system", "system", false, false},
    {"*-sys*", "kube-system", true, true},
    {"*-sys*", "kube", false, false},
    {"*", "", true, true},
    {"*", "a", true, true},
    {"**", "", true, true},
    {"**", "a", true, true},
    {"***", "a*b", true, true},
    {"***", "ab", false, false},
    {"a*b", "a*b", true, false},
    {"a*b", "axb", false, false},
    {"a*b*", "a*bc", true, true},
    {"a*b*", "axbc", false, false},
    {"*", "\xff\xfe", true, true},
};

static void globs(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct fx_text pattern = fx_text_of(cases[i].pattern);
        const struct fx_text text = fx_text_of(cases[i].text);
        if (fx_glob_matches(pattern, text) != cases[i].name ||
            fx_glob_matches_generate_name(pattern, text) != cases[i].generate_name) {
            fail_msg("`%s` on `%s`", cases[i].pattern, cases[i].text);
        }
    }
}

static void exactness(void **state) {
    (void)state;
    assert_true(fx_glob_is_exact(FX_TEXT("")));
    assert_true(fx_glob_is_exact(FX_TEXT("a*b")));
    assert_false(fx_glob_is_exact(FX_TEXT("*")));
    assert_false(fx_glob_is_exact(FX_TEXT("a*")));
    assert_false(fx_glob_is_exact(FX_TEXT("*a")));
}

static void literal_stars(void **state) {
    (void)state;
    static const char *const some[] = {"a*b", "*a*b", "a*b*", "***", "a**", "**a"};
    static const char *const none[] = {"", "*", "**", "a", "a*", "*a", "*a*"};
    for (size_t i = 0; i < FX_COUNT(some); i++) {
        assert_true(fx_glob_has_literal_star(fx_text_of(some[i])));
    }
    for (size_t i = 0; i < FX_COUNT(none); i++) {
        assert_false(fx_glob_has_literal_star(fx_text_of(none[i])));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globs),
        cmocka_unit_test(exactness),
        cmocka_unit_test(literal_stars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
