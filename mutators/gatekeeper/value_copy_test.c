/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/value_copy_test.c - of which type the numbers of copies are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "mutators/gatekeeper/testing.h"
#include "mutators/gatekeeper/value_copy.h"

#define VALUE                                                                \
    "{'a':5,'b':-1000000,'c':2.5,'d':9007199254740992,'e':9007199254740993," \
    "'f':[1,{'k':80,'o':{'n':7},'l':[8]},[{'k':9}]],'g':null,'h':true,'i':'5'}"

/* As copied; json_equal() distinguishes 5 and 5.0, and so does must_read(). */
static void expect(json_t *copy_taken, const char *expected) {
    json_t *same = must_read(expected);
    assert_true(json_equal(copy_taken, same));
    json_decref(same);
    json_decref(copy_taken);
}

static void copies_with_doubles(void **state) {
    (void)state;
    static const struct {
        const char *value;
        bool is_element;
        const char *copy;
    } cases[] = {
        {VALUE, false,
         "{'a':5.0,'b':-1000000.0,'c':2.5,'d':9007199254740992.0,'e':9007199254740993,"
         "'f':[1.0,{'k':80,'o':{'n':7.0},'l':[8.0]},[{'k':9}]],'g':null,'h':true,"
         "'i':'5'}"},
        {"5", false, "5.0"},
        {"-9007199254740993", false, "-9007199254740993"},
        {"{'k':5,'o':{'n':7},'l':[{'m':8}]}", true,
         "{'k':5,'o':{'n':7.0},'l':[{'m':8}]}"},
        {"{'k':5}", false, "{'k':5.0}"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *value = must_read(cases[i].value);
        expect(fx_value_copy_doubles(value, cases[i].is_element), cases[i].copy);
        json_decref(value);
    }
    assert_null(fx_value_copy_doubles(NULL, true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_with_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
