/* SPDX-License-Identifier: Apache-2.0
 *
 * base/linediff_test.c - unified differences: by hand, and by applying them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/linediff.h"

static const struct fx_linediff_names names = {"a/x", "b/x"};

static char *diff(const char *before, const char *after, bool colour) {
    struct fx_buf buf;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&buf, 0);
    assert_true(fx_linediff_unified(&buf, fx_text_of(before), fx_text_of(after), &names,
                                    colour, &err));
    return fx_buf_steal(&buf);
}

static void test_known_differences(void **state) {
    (void)state;
    static const struct {
        const char *before, *after, *expected;
    } cases[] = {
        {"", "", ""},
        {"a\nb\n", "a\nb\n", ""},
        {"", "a\n", "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"},
        {"a\n", "", "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n"},
        {"a\n", "b\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"},
        {"a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nX\nf\n",
         "--- a/x\n+++ b/x\n@@ -2,5 +2,5 @@\n b\n c\n d\n-e\n+X\n f\n"},
        {"a\nb\nc\n", "a\nc\nd\n", "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n c\n+d\n"},
        /* Six quiet lines keep two changes in one hunk, seven part them. */
        {"x\n1\n2\n3\n4\n5\n6\ny\n", "X\n1\n2\n3\n4\n5\n6\nY\n",
         "--- a/x\n+++ b/x\n@@ -1,8 +1,8 @@\n-x\n+X\n 1\n 2\n 3\n 4\n 5\n 6\n-y\n+Y\n"},
        {"x\n1\n2\n3\n4\n5\n6\n7\ny\n", "X\n1\n2\n3\n4\n5\n6\n7\nY\n",
         "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-x\n+X\n 1\n 2\n 3\n"
         "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-y\n+Y\n"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char *got = diff(cases[i].before, cases[i].after, false);
        assert_string_equal(got, cases[i].expected);
        free(got);
    }
}

static void test_colours(void **state) {
    (void)state;
    char *got = diff("a\nb\n", "a\nc\n", true);
    assert_string_equal(got, "\033[1m--- a/x\033[0m\n\033[1m+++ b/x\033[0m\n"
                             "\033[36m@@ -1,2 +1,2 @@\033[0m\n a\n"
                             "\033[31m-b\033[0m\n\033[32m+c\033[0m\n");
    free(got);
}

/* ---- applying -------------------------------------------------------------------- */

/* The next line of *rest, with its end. */
static struct fx_text take_line(struct fx_text *rest) {
    size_t len = 0;
    while (len < rest->len && rest->data[len] != '\n') {
        len++;
    }
    assert_true(len < rest->len);
    const struct fx_text line = {rest->data, len + 1};
    *rest = (struct fx_text){rest->data + len + 1, rest->len - len - 1};
    return line;
}

/* "@@ -7,2 …": the number of lines of `before` that stand before the hunk. */
static size_t lines_before(struct fx_text header) {
    char *end = NULL;
    const size_t first = strtoul(header.data + 4, &end, 10);
    return *end == ',' && end[1] == '0' ? first : first - 1;
}

/* Applies the difference to `before`. */
static void apply(struct fx_text patch, struct fx_text before, struct fx_buf *ret_after) {
    size_t at = 0;
    if (patch.len > 0) {
        (void)take_line(&patch);
        (void)take_line(&patch);
    }
    while (patch.len > 0) {
        const struct fx_text line = take_line(&patch);
        if (line.data[0] == '@') {
            for (const size_t start = lines_before(line); at < start; at++) {
                fx_buf_text(ret_after, take_line(&before));
            }
            continue;
        }
        const struct fx_text content = {line.data + 1, line.len - 1};
        if (line.data[0] != '+') {
            assert_true(fx_text_equal(take_line(&before), content));
            at++;
        }
        if (line.data[0] != '-') {
            fx_buf_text(ret_after, content);
        }
    }
    fx_buf_text(ret_after, before);
}

/* A text of up to `lines` lines of few kinds, so that there is much to align. */
static void make_text(struct fx_buf *buf, unsigned *seed, unsigned lines,
                      unsigned kinds) {
    for (unsigned i = 0; i < lines; i++) {
        *seed = *seed * 1103515245u + 12345u;
        fx_buf_printf(buf, "line %u\n", (*seed >> 16) % kinds);
    }
}

static void check_round(unsigned *seed, unsigned lines, unsigned kinds) {
    struct fx_buf texts[3];
    struct fx_buf patch;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&patch, 0);
    for (size_t i = 0; i < 3; i++) {
        fx_buf_init(&texts[i], 0);
    }
    make_text(&texts[0], seed, lines, kinds);
    make_text(&texts[1], seed, (lines * 7 + 3) % (lines + 2), kinds);
    const struct fx_text before = {texts[0].data, texts[0].len};
    assert_true(fx_linediff_unified(&patch, before,
                                    (struct fx_text){texts[1].data, texts[1].len}, &names,
                                    false, &err));
    apply((struct fx_text){patch.data, patch.len}, before, &texts[2]);
    assert_true(fx_text_equal((struct fx_text){texts[1].data, texts[1].len},
                              (struct fx_text){texts[2].data, texts[2].len}));
    for (size_t i = 0; i < 3; i++) {
        fx_buf_finish(&texts[i]);
    }
    fx_buf_finish(&patch);
}

static void test_differences_apply(void **state) {
    (void)state;
    unsigned seed = 1;
    for (unsigned lines = 0; lines < 120; lines++) {
        check_round(&seed, lines, 2 + lines % 9);
    }
}

/* More edits than the limit: one change of everything, still correct. */
static void test_beyond_the_bound(void **state) {
    (void)state;
    unsigned seed = 7;
    check_round(&seed, 3000, 100000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_differences),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_differences_apply),
        cmocka_unit_test(test_beyond_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
