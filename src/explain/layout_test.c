/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/layout_test.c - rows and sentences in 80 columns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explain/layout.h"

#define MAX_ROWS 4
#define S10      "0123456789"
#define S30      S10 S10 S10
#define S70      S30 S30 S10
#define LONG     S70 S70

static const struct {
    const char *cells[MAX_ROWS][FX_ROW_CELLS]; /* cells[i][0] NULL ends */
    struct fx_rows_layout layout;
    const char *expected;
} cases[] = {
    {{{NULL}}, {2, 1, true}, ""},
    {{{"a", "bb", "c"}, {"aaa", "b", "cc"}},
     {2, 1, true},
     "  a    bb  c\n  aaa  b   cc\n"},
    /* Nothing hangs over the end. */
    {{{"a", "", ""}, {"aaa", "b", ""}}, {0, 1, true}, "a\naaa  b\n"},
    {{{"a", "", "c"}, {"b", "", "d"}}, {1, 1, true}, " a  c\n b  d\n"},
    /* One that does not fit breaks itself, or all. */
    {{{"a", "b", "c"}, {S30, S30, S30}},
     {2, 2, false},
     "  a                               b                               c\n"
     "  " S30 "  " S30 "\n      " S30 "\n"},
    {{{"a", "b", "c"}, {S30, S30, S30}},
     {2, 1, true},
     "  a\n      b  c\n  " S30 "\n      " S30 "  " S30 "\n"},
    {{{S10, "", S70 S10}}, {2, 2, false}, "  " S10 "\n      " S30 S30 "012345678…\n"},
    {{{"a", "", "z"}, {S70, "", S10}},
     {2, 1, true},
     "  a\n      z\n  " S70 "\n      " S10 "\n"},
    /* A wide cell does not move those of others. */
    {{{"a", "b", "c"}, {S30 S10, "b", "c"}},
     {4, 2, false},
     "    a  b  c\n    " S30 S10 "  b\n        c\n"},
    /* Cut at a rune, and plain. */
    {{{LONG, "", ""}}, {0, 1, true}, S30 S30 "012345678…\n"},
    {{{"é\n\x1b[1m", "x", ""}, {"12345", "y", ""}},
     {0, 1, true},
     "é␊␛[1m  x\n12345   y\n"},
};

static void test_rows(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_rows rows = {0};
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        for (size_t j = 0; j < MAX_ROWS && cases[i].cells[j][0] != NULL; j++) {
            const char *const *cells = cases[i].cells[j];
            const struct fx_text texts[FX_ROW_CELLS] = {
                fx_text_of(cells[0]), fx_text_of(cells[1]), fx_text_of(cells[2])};
            fx_rows_add(&rows, texts);
        }
        fx_rows_print_take(&buf, &rows, &cases[i].layout);
        char *got = fx_buf_steal(&buf);
        if (strcmp(got, cases[i].expected) != 0) {
            fail_msg("case %zu: expected\n%sgot\n%s", i, cases[i].expected, got);
        }
        free(got);
    }
}

static void test_fill(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_fill(&buf, ' ', 2);
    fx_layout_wrap(&buf, FX_TEXT("one two"), 2, 2);
    fx_buf_fill(&buf, ' ', 2);
    fx_layout_wrap(&buf, FX_TEXT(S70 " 345678 345 " S70 S70 " end"), 2, 2);
    char *got = fx_buf_steal(&buf);
    assert_string_equal(got,
                        "  one two\n  " S70 " 345678\n  345\n  " S70 S70 "\n  end\n");
    free(got);
}

/* A word that is longer than a line is cut into lines, at a rune. */
static void test_values(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_fill(&buf, ' ', 4);
    fx_layout_wrap_values(&buf, FX_TEXT("x = " S70 S10 "1234é end"), 4, 6);
    char *got = fx_buf_steal(&buf);
    assert_string_equal(got, "    x =\n      " S70 "012\n      34567891234é end\n");
    free(got);
}

static void test_below(void **state) {
    (void)state;
    static const struct fx_rows_layout layout = {2, 1, true};
    struct fx_rows rows = {0};
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < 2; i++) {
        const struct fx_text texts[FX_ROW_CELLS] = {FX_TEXT("a"), FX_TEXT("b"),
                                                    FX_TEXT("c")};
        fx_rows_add(&rows, texts);
        if (i == 0) {
            fx_rows_add_below(&rows, FX_TEXT("    one\n    two\n"));
        }
    }
    fx_rows_print_take(&buf, &rows, &layout);
    char *got = fx_buf_steal(&buf);
    assert_string_equal(got, "  a  b  c\n    one\n    two\n  a  b  c\n");
    free(got);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
