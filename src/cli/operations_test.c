/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/operations_test.c - the functions that each value of --operation turns on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/serve_flags.h"

static void test_words(void **state) {
    (void)state;
    static const struct {
        const char *names[3];
        bool ok, mutates, admits;
    } cases[] = {
        {{NULL}, true, true, true},
        {{"mutation-webhook"}, true, true, false},
        {{"webhook"}, true, false, true},
        {{"webhook", "generate", "mutation-webhook"}, true, true, true},
        {{"audit,mutation-webhook"}, true, true, false},
        {{"mutation-controller,mutation-status,status"}, true, false, false},
        {{"mutation-webhook", "mutate"}, false, false, false},
        {{""}, false, false, false},
        {{"webhook,"}, false, false, false},
        {{"Webhook"}, false, false, false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const char *items[3];
        struct fx_strings names = {items, 0, 3};
        while (names.n_items < 3 && cases[i].names[names.n_items] != NULL) {
            items[names.n_items] = cases[i].names[names.n_items];
            names.n_items++;
        }
        struct fx_operations got = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_int_equal(fx_operations_read(&names, &got, &err), cases[i].ok);
        assert_int_equal(got.mutates, cases[i].mutates);
        assert_int_equal(got.admits, cases[i].admits);
    }
}

static void test_what_a_status_tells(void **state) {
    (void)state;
    const char *items[] = {"webhook,audit", "webhook"};
    const struct fx_strings none = {0};
    const struct fx_strings some = {items, 2, 2};
    struct fx_operations got = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_operations_read(&none, &got, &err));
    assert_true(got.reports);
    assert_int_equal(got.n_names, 4);
    assert_string_equal(got.names[0], "mutation-controller");
    assert_string_equal(got.names[1], "mutation-status");
    assert_string_equal(got.names[2], "mutation-webhook");
    assert_string_equal(got.names[3], "webhook");
    assert_true(fx_operations_read(&some, &got, &err));
    assert_false(got.reports);
    assert_int_equal(got.n_names, 2);
    assert_string_equal(got.names[0], "audit");
    assert_string_equal(got.names[1], "webhook");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_what_a_status_tells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
