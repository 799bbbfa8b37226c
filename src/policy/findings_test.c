/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/findings_test.c - findings as people read them, letter by letter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/findings.h"

/* Everything in it is a constant; nothing is freed. */
struct sample {
    const char *about;
    enum fx_severity severity;
    uint32_t line, column;
    const char *id, *text, *excerpt;
    uint32_t caret, caret_len;
    const char *expected;
};

static const struct sample samples[] = {
    {
        "the line, with the caret under the character",
        FX_SEVERITY_ERROR,
        12,
        37,
        "Assign/always-pull",
        "invalid location format",
        "  location: \"spec.containers[name: *\"",
        36,
        1,
        "p.yaml:12:37: error: Assign/always-pull: invalid location format\n"
        "  location: \"spec.containers[name: *\"\n"
        "                                    ^\n",
    },
    {
        "a span",
        FX_SEVERITY_WARNING,
        3,
        5,
        NULL,
        "unknown field",
        "spec: abc",
        6,
        3,
        "p.yaml:3:5: warning: unknown field\n"
        "  spec: abc\n"
        "        ^~~\n",
    },
    {
        "no column, no excerpt",
        FX_SEVERITY_CONFLICT,
        7,
        0,
        "Assign/a",
        "words",
        NULL,
        0,
        0,
        "p.yaml:7: conflict: Assign/a: words\n",
    },
    {
        "no position at all",
        FX_SEVERITY_ERROR,
        0,
        0,
        NULL,
        "permission denied",
        NULL,
        0,
        0,
        "p.yaml: error: permission denied\n",
    },
    {
        "a caret behind the end, and an excerpt without one",
        FX_SEVERITY_ERROR,
        1,
        4,
        NULL,
        "t",
        "abc",
        9,
        5,
        "p.yaml:1:4: error: t\n"
        "  abc\n"
        "     ^\n",
    },
    {
        "controls of a terminal, of direction, malformed bytes; tabs are blanks",
        FX_SEVERITY_ERROR,
        1,
        1,
        "A/\033[2J",
        "a\nb\x7f",
        "x\t\033[31m\xe2\x80\xae\xff y",
        8,
        1,
        "p.yaml:1:1: error: A/␛[2J: a␊b␡\n"
        "  x ␛[31m�� y\n"
        "          ^\n",
    },
    {
        "runes count, not bytes",
        FX_SEVERITY_ERROR,
        1,
        1,
        NULL,
        "t",
        "é☃𝄞x",
        3,
        1,
        "p.yaml:1:1: error: t\n"
        "  é☃𝄞x\n"
        "     ^\n",
    },
    {
        "a long line is cut at the right",
        FX_SEVERITY_ERROR,
        1,
        1,
        NULL,
        "t",
        "0123456789012345678901234567890123456789"
        "0123456789012345678901234567890123456789",
        10,
        2,
        "p.yaml:1:1: error: t\n"
        "  "
        "01234567890123456789012345678901234567890123456789012345678901234567890123456…\n"
        "            ^~\n",
    },
    {
        "at the left",
        FX_SEVERITY_ERROR,
        1,
        1,
        NULL,
        "t",
        "0123456789012345678901234567890123456789"
        "0123456789012345678901234567890123456789",
        79,
        9,
        "p.yaml:1:1: error: t\n"
        "  "
        "…34567890123456789012345678901234567890123456789012345678901234567890123456789\n"
        "                                                                               "
        "^\n",
    },
    {
        "and at both ends",
        FX_SEVERITY_ERROR,
        1,
        1,
        NULL,
        "t",
        "0123456789012345678901234567890123456789012345678901234567890123456789012345678"
        "!012345678901234567890123456789012345678901234567890123456789012345678901234567"
        "8",
        79,
        1,
        "p.yaml:1:1: error: t\n"
        "  "
        "…12345678901234567890123456789012345678!0123456789012345678901234567890123456…\n"
        "                                         ^\n",
    },
};

/* The finding's texts are ours to free; those of a sample are constants. */
static struct fx_findings make(const struct sample *sample) {
    struct fx_findings findings = {0};
    const struct fx_source_position position = {
        .line = sample->line,
        .column = sample->column,
        .excerpt = fx_text_of(sample->excerpt),
        .caret = sample->caret,
        .caret_len = sample->caret_len,
    };
    assert_true(fx_findings_add(&findings, sample->severity, "p.yaml", sample->id,
                                &position, sample->text));
    return findings;
}

static void test_print(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(samples); i++) {
        struct fx_findings findings = make(&samples[i]);
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_finding_print(&buf, &findings.items[0], false);
        assert_string_equal(buf.data, samples[i].expected);
        fx_buf_finish(&buf);
        fx_findings_finish(&findings);
    }
}

static void test_colour(void **state) {
    (void)state;
    struct fx_findings findings = make(&samples[1]);
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_finding_print(&buf, &findings.items[0], true);
    assert_string_equal(buf.data,
                        "\033[1mp.yaml:3:5:\033[0m \033[1;35mwarning\033[0m: unknown "
                        "field\n  spec: abc\n        \033[1;32m^~~\033[0m\n");
    fx_buf_finish(&buf);
    fx_findings_finish(&findings);
}

static void test_list(void **state) {
    (void)state;
    struct fx_findings findings = {0};
    const struct fx_source_position position = {.excerpt = FX_TEXT("a\0b")};
    for (unsigned i = 0; i < 20; i++) {
        const enum fx_severity severity =
            i % 2 == 0 ? FX_SEVERITY_ERROR : FX_SEVERITY_WARNING;
        assert_true(fx_findings_add(&findings, severity, "f", NULL, &position, "t"));
    }
    assert_string_equal(findings.items[19].excerpt, "a b");
    assert_null(findings.items[19].id);
    assert_int_equal(fx_findings_count(&findings, FX_SEVERITY_ERROR), 10);
    assert_int_equal(fx_findings_count(&findings, FX_SEVERITY_CONFLICT), 0);
    fx_findings_finish(&findings);
    fx_findings_finish(&findings);
    fx_findings_finish(NULL);
    assert_string_equal(fx_severity_name(FX_SEVERITY_CONFLICT), "conflict");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_colour),
        cmocka_unit_test(test_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
