/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/functions_limits_test.c - functions whose results or costs could grow
 * without limit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/slow_testing.h"
#include "location/sprig/testing.h"

static struct fx_err run(const char *template, size_t *ret_len) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    const bool ok = testing_run(fx_text_of(template), NULL, &text, &err);
    assert_true(ok == (err.code == FX_OK));
    *ret_len = text.len;
    fx_buf_finish(&text);
    return err;
}

static void stop_at_a_bound(void **state) {
    (void)state;
    static const char *const templates[] = {
        "{{ repeat 2000000 \"a\" }}",
        "{{ repeat 9223372036854775807 \"ab\" }}",
        "{{ repeat 1000 (repeat 2000 \"a\") }}",
        "{{ indent 9223372036854775807 \"a\" }}",
        "{{ nindent 500000 \"\\n\\n\\n\" }}",
        "{{ replace \"\" (repeat 10000 \"a\") (repeat 1000 \"b\") }}",
        "{{ replace \"b\" (repeat 10000 \"a\") (repeat 1000 \"b\") }}",
        "{{ join (repeat 10000 \"a\") (splitList \"\" (repeat 1000 \"b\")) }}",
        "{{ wrapWith 1 (repeat 10000 \"a\") (repeat 1000 \"b\") }}",
        "{{ cat (repeat 600000 \"a\") (repeat 600000 \"a\") }}",
        "{{ printf \"%2000000d\" 1 }}",
        "{{ printf \"%.2000000d\" 1 }}",
        "{{ printf \"%.2000000f\" 1.0 }}",
        "{{ printf \"%2000000s\" \"a\" }}",
        "{{ printf \"%1000000U%1000000x\" 1 \"a\" }}",
        "{{ until 9223372036854775807 }}",
        "{{ untilStep -9223372036854775808 9223372036854775807 1 }}",
        "{{ seq 9223372036854775806 }}",
        "{{ seq 300000 }}",
        "{{ range until 100 }}{{ $x := until 50000 }}{{ end }}",
        "{{ $x := list 1 }}{{ range until 1100 }}{{ $x = list $x }}{{ end }}"
        "{{ toJson $x }}",
        "{{ $x := list 1 }}{{ range until 1100 }}{{ $x = list $x }}{{ end }}"
        "{{ printf \"%d\" $x }}",
        "{{ $x := list 1 }}{{ range until 1100 }}{{ $x = list $x }}{{ end }}"
        "{{ deepCopy $x | len }}",
        "{{ $x := list 1 }}{{ range until 40 }}{{ $x = list $x $x }}{{ end }}"
        "{{ toJson $x }}",
        "{{ $x := list 1 }}{{ range until 40 }}{{ $x = list $x $x }}{{ end }}"
        "{{ toString $x }}",
        "{{ $x := list 1 }}{{ range until 40 }}{{ $x = list $x $x }}{{ end }}"
        "{{ deepCopy $x | len }}",
        "{{ $x := dict }}{{ $y := set $x \"a\" $x }}{{ toJson $x }}",
        "{{ $x := dict }}{{ $y := set $x \"a\" $x }}{{ deepCopy $x }}",
        "{{ $x := dict }}{{ $y := set $x \"a\" $x }}{{ quote $x }}",
        "{{ $s := repeat 200000 \"a\" }}{{ regexReplaceAll \"a\" $s \"b\" | len }}",
        "{{ regexReplaceAll \"a\" (repeat 1000 \"a\") (repeat 10000 \"b\") | len }}",
        "{{ $s := repeat 1000000 \"1\" }}"
        "{{ range until 1000 }}{{ $y := toDate $s $s }}{{ end }}",
        "{{ $s := repeat 1000000 \",\" }}"
        "{{ range until 1000 }}{{ $y := toDate $s $s }}{{ end }}",
        "{{ range until 200000 }}{{ $y := printf \"%.60f\" 1e308 }}{{ end }}",
        "{{ regexMatch \"\\\\pL{1000}\" \"a\" }}",
        "{{ regexMatch (repeat 20000 \"a\") \"a\" }}",
        "{{ range until 1000 }}{{ $x := regexMatch (printf \"(a%d){900}\" .) \"\" }}"
        "{{ end }}",
    };
    for (size_t i = 0; i < FX_COUNT(templates); i += slow()) {
        size_t len = 0;
        const struct fx_err err = run(templates[i], &len);
        if (err.code != FX_ELIMIT || len != 0) {
            fail_msg("%s: %d %s, %zu bytes", templates[i], err.code, err.msg, len);
        }
    }
}

/* A product of n numbers of 17 digits each. */
static struct fx_err multiply(size_t n) {
    struct fx_buf template;
    fx_buf_init(&template, 0);
    fx_buf_str(&template, "{{ mulf 1");
    for (size_t i = 0; i < n; i++) {
        fx_buf_str(&template, " 1.2345678901234567");
    }
    fx_buf_str(&template, " }}");
    size_t len = 0;
    const struct fx_err err = run(template.data, &len);
    fx_buf_finish(&template);
    return err;
}

static void bound_digits(void **state) {
    (void)state;
    assert_int_equal(multiply(200).code, FX_OK);
    assert_int_equal(multiply(300).code, FX_ELIMIT);
}

static void go_up_to_it(void **state) {
    (void)state;
    static const struct {
        const char *template;
        size_t len;
    } cases[] = {
        {"{{ repeat 1000000 \"a\" }}", 1000000},
        {"{{ repeat 9223372036854775807 \"\" }}", 0},
        {"{{ seq 100000 }}", 588894},
        {"{{ until 100000 | len }}", 6},
        {"{{ contains (print (repeat 400000 \"a\") \"b\") (repeat 900000 \"a\") }}", 5},
        {"{{ replace (print (repeat 1000 \"a\") \"b\") \"c\" (repeat 900000 \"a\") | len "
         "}}",
         6},
        {"{{ split \"\" (repeat 50000 \"a\") | len }}", 5},
        {"{{ splitList \"a\" (repeat 50000 \"a\") | len }}", 5},
        {"{{ regexReplaceAll \"a\" (repeat 10000 \"a\") \"b\" }}", 10000},
        {"{{ mulf 1e300 1e300 1e-300 1e-300 }}", 1},
        {"{{ range until 2000 }}{{ if regexMatch \"^a{10}$\" \"a\" }}{{ end }}{{ end }}",
         0},
        {"{{ printf \"%999999d\" 1 }}", 999999},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        size_t len = 0;
        const struct fx_err err = run(cases[i].template, &len);
        if (err.code != FX_OK || len != cases[i].len) {
            fail_msg("%s: %zu bytes %s", cases[i].template, len, err.msg);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stop_at_a_bound),
        cmocka_unit_test(bound_digits),
        cmocka_unit_test(go_up_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
