/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/limits_test.c - templates that would grow without limit end soon.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/limits.h"
#include "base/slow_testing.h"
#include "location/sprig/testing.h"

static struct fx_buf repeat(const char *before, const char *part, size_t n,
                            const char *after) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, before);
    for (size_t i = 0; i < n; i++) {
        fx_buf_str(&buf, part);
    }
    fx_buf_str(&buf, after);
    return buf;
}

static void check_limit(const char *template, size_t len, const char *message) {
    json_t *target = json_pack("{s:[i,i,i]}", "arr", 1, 2, 3);
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    const bool ok = testing_run((struct fx_text){template, len}, target, &text, &err);
    if (ok || err.code != FX_ELIMIT || strstr(err.msg, message) == NULL) {
        fail_msg("%.60s: code %d, %s, not %s", template, (int)err.code, err.msg, message);
    }
    assert_int_equal(text.len, 0);
    fx_buf_finish(&text);
    json_decref(target);
}

#define LOOP(body) \
    "{{ range until 100000 }}{{ range until 100000 }}" body "{{ end }}{{ end }}"

static const struct {
    const char *template, *message;
} endless[] = {
    {LOOP(""), "steps"},
    {LOOP("{{ $x := 1 }}"), "steps"},
    {LOOP("x"), ""},
    {"{{ range until 1000000000 }}{{ end }}", ""},
    {"{{ range untilStep 0 1000000000 1 }}{{ end }}", ""},
    {"{{ seq 1000000000 }}", ""},
    {"{{ repeat 1000000000 \"ab\" }}", ""},
    {"{{ repeat 1000000000 \"ab\" | len }}", ""},
    {"{{ printf \"%1000000d%1000000d\" 1 1 }}", ""},
    {"{{ indent 100000 (repeat 1000 \"a\\n\") }}", ""},
    {"{{ define \"a\" }}{{ template \"a\" }}{{ end }}{{ template \"a\" }}", "depth"},
    {"{{ define \"a\" }}{{ template \"a\" . }}{{ template \"a\" . }}{{ end }}{{ "
     "template \"a\" 1 }}",
     "depth"},
    {"{{ define \"a\" }}{{ range .Target.arr }}{{ template \"a\" $ }}{{ end }}{{ end "
     "}}{{ template \"a\" . }}",
     "depth"},
    /* doubled again and again: a text, a list, a map that shares its halves */
    {"{{ $x := \"aaaaaaaaaa\" }}{{ range until 100 }}{{ $x = print $x $x }}{{ end }}",
     ""},
    {"{{ $x := list 1 }}{{ range until 100 }}{{ $x = concat $x $x }}{{ end }}", ""},
    {"{{ $x := list 1 }}{{ range until 100 }}{{ $x = list $x $x }}{{ end }}{{ $x }}", ""},
    {"{{ $x := list 1 }}{{ range until 100 }}{{ $x = list $x $x }}{{ end }}{{ toJson "
     "$x | len }}",
     ""},
    {"{{ $x := list 1 }}{{ $y := list 1 }}{{ range until 100 }}{{ $x = list $x $x "
     "}}{{ $y = list $y $y }}{{ end }}{{ deepEqual $x $y }}",
     "steps"},
    {"{{ $x := list 1 }}{{ range until 100 }}{{ $x = list $x $x }}{{ end }}{{ "
     "deepCopy $x | len }}",
     ""},
    /* nested without end, and within itself */
    {"{{ $x := list 1 }}{{ range until 10000 }}{{ $x = list $x }}{{ end }}{{ $x }}",
     "nested deeper than"},
    {"{{ $x := list 1 }}{{ range until 10000 }}{{ $x = list $x }}{{ end }}{{ toJson "
     "$x }}",
     ""},
    {"{{ $x := list 1 }}{{ range until 10000 }}{{ $x = list $x }}{{ end }}{{ "
     "deepCopy $x | len }}",
     ""},
    {"{{ $x := list 1 }}{{ $y := list 1 }}{{ range until 10000 }}{{ $x = list $x "
     "}}{{ $y = list $y }}{{ end }}{{ deepEqual $x $y }}",
     "nested deeper than"},
    {"{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ $d }}", "holds itself"},
    {"{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ toJson $d }}", ""},
    {"{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ deepCopy $d | len }}", ""},
    {"{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ $e := dict }}{{ $_ = set $e "
     "\"d\" $e }}{{ deepEqual $d $e }}",
     ""},
    {"{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ $e := dict }}{{ $_ = set $e "
     "\"d\" $e }}{{ merge $d $e | len }}",
     ""},
    /* large values, copied again and again */
    {"{{ $d := dict }}{{ range until 100000 }}{{ $_ := set $d (toString .) . }}{{ "
     "end }}{{ range until 100000 }}{{ $_ := set $d (print \"0\" .) . }}{{ end }}",
     ""},
    {"{{ $l := list }}{{ range until 100000 }}{{ $l = append $l . }}{{ end }}", ""},
    {"{{ $l := until 50000 }}{{ uniq $l | len }}", "steps"},
    {"{{ $l := until 50000 }}{{ range $l }}{{ $_ := has -1 $l }}{{ end }}", "steps"},
    {"{{ $s := repeat 500000 \"ab\" }}" LOOP("{{ $_ := upper $s }}"), ""},
    {"{{ $s := repeat 100000 \"ab\" }}" LOOP("{{ $_ := regexMatch \"(a|b)*c\" $s }}"),
     "steps"},
};

static void executions(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(endless); i += slow()) {
        check_limit(endless[i].template, strlen(endless[i].template), endless[i].message);
    }
}

/* A pattern is compiled at each call, which is the expensive part. */
static void regular_expressions(void **state) {
    (void)state;
    static const char template[] =
        LOOP("{{ $_ := regexMatch \"((a{1,30}){1,30})b\" \"a\" }}");
    check_limit(template, sizeof template - 1, "");
}

static void texts(void **state) {
    (void)state;
    static const struct {
        const char *before, *part, *after;
        size_t n;
        const char *message;
    } cases[] = {
        {"", "a", "", FX_LIMIT_TEMPLATE_SOURCE_BYTES + 1, "longer than"},
        {"{{ ", "(", "1", 10000, "nested deeper than"},
        {"", "{{if 1}}", "", 5000, "nested deeper than"},
        {"{{if 1}}", "{{else if 1}}", "{{end}}", 4000, "nested deeper than"},
        {"", "{{block \"a\" .}}", "", 4000, "nested deeper than"},
        {"", "{{$x:=1}}", "", 300, "more than 256 variables"},
        {"{{ print", " .", " }}", 30000, "parts"},
        {"{{ .", "a.", "a }}", 32000, "parts"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf text =
            repeat(cases[i].before, cases[i].part, cases[i].n, cases[i].after);
        check_limit(text.data, text.len, cases[i].message);
        fx_buf_finish(&text);
    }
}

/* The limit of the buffer holds, too, and its content is kept. */
static void output_of_the_caller(void **state) {
    (void)state;
    struct fx_gotemplate *template = NULL;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_gotemplate_context context = {NULL, 0};
    struct fx_buf text;
    fx_buf_init(&text, 8);
    fx_buf_str(&text, "abc");
    assert_true(fx_gotemplate_compile(FX_TEXT("t"), FX_TEXT("123{{ 456 }}"), &fx_sprig,
                                      &template, &err));
    assert_false(fx_gotemplate_execute(template, &context, &text, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    assert_string_equal(text.data, "abc");
    assert_int_equal(text.max, 8);
    assert_false(text.failed);
    fx_buf_finish(&text);
    fx_gotemplate_destroy(template);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(executions),
        cmocka_unit_test(regular_expressions),
        cmocka_unit_test(texts),
        cmocka_unit_test(output_of_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
