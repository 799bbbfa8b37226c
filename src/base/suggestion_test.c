/* SPDX-License-Identifier: Apache-2.0
 *
 * base/suggestion_test.c - which words are near enough.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/suggestion.h"

static const char *nearest(const char *given) {
    static const char *const words[] = {"apply",  "diff",  "check",
                                        "review", "serve", "version"};
    struct fx_suggestion suggestion;
    fx_suggestion_init(&suggestion, fx_text_of(given));
    for (size_t i = 0; i < FX_COUNT(words); i++) {
        fx_suggestion_offer(&suggestion, words[i]);
    }
    return suggestion.word;
}

static void test_suggestions(void **state) {
    (void)state;
    assert_string_equal(nearest("aply"), "apply");
    assert_string_equal(nearest("dfif"), "diff");
    assert_string_equal(nearest("sever"), "serve");
    assert_string_equal(nearest("reveiw"), "review");
    assert_string_equal(nearest("ver"), "version");
    assert_null(nearest("mutate"));
    assert_null(nearest(""));
    assert_null(nearest("a word that is longer than any command could ever be"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suggestions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
