/* SPDX-License-Identifier: Apache-2.0
 *
 * net/tls_bundle_test.c - certificates found among other text, and joined.
 */
#include "net/tls_fixture.h"

#include <string.h>

#include "base/macros.h"
#include "net/tls_issue.h"
#include "net/tls_issue_samples.h"

#define A       rsa_root
#define B       rsa_root_short
#define C       rsa_between
#define GARBAGE "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
#define HALF    "-----BEGIN CERTIFICATE-----\nAAAA\n"
#define OTHER   "-----BEGIN DH PARAMETERS-----\nAAAA\n-----END DH PARAMETERS-----\n"

/* The sample with another end of line. */
static struct fx_buf with_crlf(const char *pem) {
    struct fx_buf text = {0};
    for (; *pem != '\0'; pem++) {
        fx_buf_str(&text, *pem == '\n' ? "\r" : "");
        fx_buf_char(&text, *pem);
    }
    return text;
}

/* Compares the result of bundle() with one of the samples' messages. */
static void assert_bundle(const char *first, const char *second, int64_t now,
                          const char *wanted) {
    struct fx_buf pem = {0};
    struct fx_buf expected = {0};
    struct fx_err err = FX_ERR_INIT;
    for (; *wanted != '\0'; wanted++) {
        fx_buf_str(&expected, *wanted == 'A' ? A : *wanted == 'B' ? B : C);
    }
    fx_buf_str(&expected, "");
    assert_true(fx_tls_bundle(fx_text_of(first), fx_text_of(second), now, &pem, &err));
    assert_string_equal(pem.data == NULL ? "" : pem.data, expected.data);
    assert_int_equal(pem.len, expected.len);
    fx_buf_finish(&pem);
    fx_buf_finish(&expected);
}

static struct fx_buf joined(const char *a, const char *b, const char *c) {
    struct fx_buf text = {0};
    fx_buf_printf(&text, "%s%s%s", a, b, c);
    return text;
}

static void bundles_are_made(void **state) {
    (void)state;
    static const struct {
        const char *first[3], *second[3];
        int64_t now;
        const char *wanted;
    } cases[] = {
        {{A, B, C}, {"", "", ""}, SAMPLES_FROM, "ABC"},
        {{"", "", ""}, {"", "", ""}, SAMPLES_FROM, ""},
        {{A, "", ""}, {C, "", ""}, SAMPLES_FROM, "AC"},
        {{C, "", ""}, {A, "", ""}, SAMPLES_FROM, "CA"},
        /* each once */
        {{A, C, A}, {A, B, C}, SAMPLES_FROM, "ACB"},
        /* without what has expired, to the second */
        {{A, B, C}, {"", "", ""}, SAMPLES_SHORT, "ABC"},
        {{A, B, C}, {"", "", ""}, SAMPLES_SHORT + 1, "AC"},
        {{A, B, ""}, {C, "", ""}, SAMPLES_TO + 1, ""},
        /* with what is not valid yet */
        {{A, B, ""}, {C, "", ""}, SAMPLES_FROM - 1, "ABC"},
        {{A, B, ""}, {C, "", ""}, 0, "ABC"},
        /* among other things */
        {{"hello\n", A, "bye"}, {"\n\n", C, "\n"}, SAMPLES_FROM, "AC"},
        {{GARBAGE, A, GARBAGE}, {OTHER, C, OTHER}, SAMPLES_FROM, "AC"},
        {{HALF, A, HALF}, {rsa_leaf_key, C, HALF}, SAMPLES_FROM, "AC"},
        {{GARBAGE, HALF, OTHER}, {"no PEM", "", ""}, SAMPLES_FROM, ""},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf first =
            joined(cases[i].first[0], cases[i].first[1], cases[i].first[2]);
        struct fx_buf second =
            joined(cases[i].second[0], cases[i].second[1], cases[i].second[2]);
        assert_bundle(first.data, second.data, cases[i].now, cases[i].wanted);
        fx_buf_finish(&first);
        fx_buf_finish(&second);
    }
}

static void ends_of_lines_are_no_matter(void **state) {
    (void)state;
    struct fx_buf crlf = with_crlf(C);
    assert_bundle(A, crlf.data, SAMPLES_FROM, "AC");
    assert_bundle(C, crlf.data, SAMPLES_FROM, "C");
    fx_buf_finish(&crlf);
}

static void bundles_have_an_end(void **state) {
    (void)state;
    struct fx_buf many = {0};
    struct fx_buf pem = {0};
    struct fx_err err = FX_ERR_INIT;
    const struct fx_tls_dates dates = {1, 2};
    for (int i = 0; i <= FX_TLS_BUNDLE_CERTS; i++) {
        struct fx_tls_pair pair = {0};
        assert_true(fx_tls_issue_authority("a", dates, &pair, &err));
        fx_buf_text(&many, fx_buf_view(&pair.cert));
        fx_tls_pair_finish(&pair);
    }
    assert_true(fx_tls_bundle(fx_buf_view(&many), (struct fx_text){0}, 1, &pem, &err));
    assert_true(pem.len < many.len);
    assert_memory_equal(pem.data, many.data, pem.len);
    /* and so has the patience with what cannot be read */
    fx_buf_reset(&many);
    for (int i = 0; i < 100000; i++) {
        fx_buf_str(&many, "-----BEGIN CERTIFICATE-----");
    }
    fx_buf_reset(&pem);
    assert_true(fx_tls_bundle(fx_buf_view(&many), FX_TEXT(A), SAMPLES_FROM, &pem, &err));
    assert_string_equal(pem.data, A);
    fx_buf_finish(&many);
    fx_buf_finish(&pem);
}

static void dates_are_read(void **state) {
    (void)state;
    struct fx_buf crlf = with_crlf(B);
    const struct {
        const char *text[3];
        int64_t to; /* 0: no certificate */
    } cases[] = {
        {{A, "", ""}, SAMPLES_TO},           {{B, A, ""}, SAMPLES_SHORT},
        {{"x\n", B, ""}, SAMPLES_SHORT},     {{GARBAGE, B, A}, SAMPLES_SHORT},
        {{HALF, A, B}, SAMPLES_TO},          {{rsa_leaf_key, A, ""}, SAMPLES_TO},
        {{crlf.data, A, ""}, SAMPLES_SHORT}, {{"", "", ""}, 0},
        {{"no PEM", HALF, ""}, 0},           {{GARBAGE, OTHER, ""}, 0},
        {{rsa_leaf_key, "", ""}, 0},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf text = joined(cases[i].text[0], cases[i].text[1], cases[i].text[2]);
        struct fx_tls_dates dates = {-1, -1};
        struct fx_err err = FX_ERR_INIT;
        const bool ok = fx_tls_read_dates(fx_buf_view(&text), &dates, &err);
        assert_int_equal(ok, cases[i].to != 0);
        assert_true(ok ? dates.not_before == SAMPLES_FROM &&
                             dates.not_after == cases[i].to
                       : dates.not_before == -1 && err.code == FX_EINVALID);
        fx_buf_finish(&text);
    }
    fx_buf_finish(&crlf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundles_are_made),
        cmocka_unit_test(ends_of_lines_are_no_matter),
        cmocka_unit_test(bundles_have_an_end),
        cmocka_unit_test(dates_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
