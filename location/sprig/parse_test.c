/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/parse_test.c - syntax errors of templates: messages and spans.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "location/sprig/sprig.h"

static bool compile(struct fx_text text, struct fx_err *err) {
    struct fx_gotemplate *template = NULL;
    const bool ok = fx_gotemplate_compile(FX_TEXT("t"), text, &fx_sprig, &template, err);
    assert_int_equal(ok, template != NULL);
    fx_gotemplate_destroy(template);
    return ok;
}

static const struct {
    const char *template, *message, *at;
} faulty[] = {
    {"{{ }}", "missing value for command", "}}"},
    {"{{ end }}", "unexpected {{end}}", "end"},
    {"{{ else }}", "unexpected {{else}}", "else"},
    {"{{ if }}{{ end }}", "missing value for if", "}}"},
    {"{{ range }}{{ end }}", "missing value for range", "}}"},
    {"{{ if true }}a", "unexpected EOF: this has no `{{ end }}`", "if"},
    {"{{ if true }}{{ else }}a", "unexpected EOF", "if"},
    {"{{ if true }}{{ else }}{{ else }}{{ end }}", "expected end; found {{else}}",
     "else"},
    {"{{ with 1 }}{{ else with 2 }}{{ end }}", "unexpected \"with\" in else", "with"},
    {"{{ range .a }}{{ else if 1 }}{{ end }}", "unexpected \"if\" in else", "if"},
    {"{{ if true }}{{ end x }}", "unexpected \"x\" in end", "x"},
    {"{{ x }}", "function \"x\" not defined", "x"},
    {"{{ upper (lower x) }}", "function \"x\" not defined", "x"},
    {"{{ env \"HOME\" }}",
     "function \"env\" not defined: templates do not read the "
     "environment",
     "env"},
    {"{{ expandenv \"$HOME\" }}", "function \"expandenv\" not defined", "expandenv"},
    {"{{ $x }}", "undefined variable \"$x\"", "$x"},
    {"{{ with $y := 5 }}{{ end }}{{ $y }}", "undefined variable \"$y\"", "$y"},
    {"{{ $x := 1 }}{{ define \"a\" }}{{ $x }}{{ end }}", "undefined variable", "$x"},
    {"{{ $x, $y := 1 }}", "too many declarations in command", ","},
    {"{{ range $x, $y, $z := .a }}{{ end }}", "too many declarations in range", ","},
    {"{{ range $x, 1 }}{{ end }}", "range can only initialize variables", "1"},
    {"{{ $x := }}", "missing value for command", "}}"},
    {"{{ .a := 1 }}", "unexpected \":=\" in operand", ":="},
    {"{{ 1 | 2 }}", "non executable command in pipeline stage 2", "2"},
    {"{{ 1 | print | . }}", "non executable command in pipeline stage 3", "."},
    {"{{ 1 | \"a\" }}", "non executable command in pipeline stage 2", "\"a\""},
    {"{{ | 1 }}", "unexpected \"|\" in operand", "|"},
    {"{{ print () }}", "missing value for parenthesized pipeline", ")"},
    {"{{ print(1) }}", "unexpected \"(\" in operand", "("},
    {"{{ .a.0 }}", "unexpected \".0\" in operand", ".0"},
    {"{{ .a[0] }}", "bad character U+005B", ".a["},
    {"{{ 1.a }}", "bad number syntax", "1.a"},
    {"{{ true.a }}", "unexpected . after term", ".a"},
    {"{{ \"x\".a }}", "unexpected . after term", ".a"},
    {"{{ nil.a }}", "unexpected . after term", ".a"},
    {"{{ ..a }}", "unexpected . after term", ".a"},
    {"{{ 1 } }}", "unexpected \"}\" in operand", "}"},
    {"{{ 1, 2 }}", "unexpected \",\" in operand", ","},
    {"{{ if if }}{{ end }}", "unexpected \"if\" in operand", "if"},
    {"{{ 0x }}", "integer overflow, or no digit of its base", "0x"},
    {"{{ 99999999999999999999 }}", "integer overflow", "99999999999999999999"},
    {"{{ - }}", "illegal number syntax", "-"},
    {"{{ '' }}", "malformed character constant", "''"},
    {"{{ \"\\q\" }}", "invalid escape in a string", "\"\\q\""},
    {"{{ break }}", "{{break}} outside {{range}}", "break"},
    {"{{ if true }}{{ continue }}{{ end }}", "{{continue}} outside", "continue"},
    {"{{ range .a }}{{ else }}{{ break }}{{ end }}", "outside {{range}}", "break"},
    {"{{ range .a }}{{ block \"b\" . }}{{ break }}{{ end }}{{ end }}", "outside",
     "break"},
    {"{{ range .a }}{{ break 1 }}{{ end }}", "unexpected \"1\" in {{break}}", "1"},
    {"{{ template }}", "unexpected \"}}\" in template clause", "}}"},
    {"{{ template a }}", "the name of a template is quoted", "a"},
    {"{{ block \"a\" }}{{ end }}", "missing value for block clause", "}}"},
    {"{{ define \"a\" . }}{{ end }}", "unexpected \".\" in define clause", "."},
    {"{{ define \"a\" }}x", "unexpected EOF", "define"},
    {"{{ define \"a\" }}x{{ else }}{{ end }}", "expected end; found {{else}}", "else"},
    {"{{ if true }}{{ define \"a\" }}{{ end }}{{ end }}", "unexpected {{define}}",
     "define"},
    {"{{ define \"a\" }}x{{ end }}{{ define \"a\" }}y{{ end }}",
     "multiple definition of template \"a\"", "define"},
    {"x{{ define \"t\" }}y{{ end }}", "multiple definition of template \"t\"", "x"},
};

static void faults(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(faulty); i++) {
        struct fx_err err = FX_ERR_INIT;
        const struct fx_text text = fx_text_of(faulty[i].template);
        const bool ok = compile(text, &err);
        if (ok || strstr(err.msg, faulty[i].message) == NULL || err.code != FX_ESYNTAX) {
            fail_msg("%s: %s, not %s", faulty[i].template, err.msg, faulty[i].message);
        }
        if (err.len == 0 || err.off + err.len > text.len ||
            strncmp(text.data + err.off, faulty[i].at, strlen(faulty[i].at)) != 0) {
            fail_msg("%s: at %s, not %s", faulty[i].template, text.data + err.off,
                     faulty[i].at);
        }
    }
}

static void is_fine(void **state) {
    (void)state;
    static const char *const templates[] = {
        "",
        "{{ if true }}{{ else if false }}{{ else }}{{ end }}",
        "{{ $x = 1 }}", /* fails when it is executed */
        "{{ $x := $x }}",
        "{{ if true }}{{ $a := 1 }}{{ else }}{{ $a }}{{ end }}",
        "{{ template \"nope\" }}",
        "{{ 1 | .x }}{{ 1 | (print) }}",
        "{{ 1 | }}",
        "{{ range $i, $x := .a }}{{ if $i }}{{ break }}{{ end }}{{ end }}",
        "{{ range $x := .a }}{{ end }}{{ range .a }}{{ else }}{{ end }}",
        "{{ define \"a\" }}{{ template \"a\" }}{{ end }}",
        "{{ define \"a\" }} {{ end }}{{ define \"a\" }}x{{ end }}",
        "{{ block \"a\" . }}{{ block `b` 1 }}{{ end }}{{ end }}",
        "{{- /* a */ -}}{{ (1).x }}{{ (print).x.y }}{{ print.x }}",
    };
    for (size_t i = 0; i < FX_COUNT(templates); i++) {
        struct fx_err err = FX_ERR_INIT;
        if (!compile(fx_text_of(templates[i]), &err)) {
            fail_msg("%s: %s", templates[i], err.msg);
        }
    }
}

static void refused_functions_say_why(void **state) {
    (void)state;
    static const char *const templates[] = {
        "{{ now }}",
        "{{ uuidv4 }}",
        "{{ randAlpha 3 }}",
        "{{ getHostByName \"a\" }}",
        "{{ genPrivateKey \"rsa\" }}",
        "{{ 1 | shuffle }}",
    };
    for (size_t i = 0; i < FX_COUNT(templates); i++) {
        struct fx_err err = FX_ERR_INIT;
        assert_false(compile(fx_text_of(templates[i]), &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_non_null(strstr(err.msg, "` is refused: "));
        assert_true(err.len > 0);
    }
}

static void malformed_utf8_is_refused(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    assert_false(compile(FX_TEXT("a\xFF"), &err));
    assert_int_equal(err.code, FX_ESYNTAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults),
        cmocka_unit_test(is_fine),
        cmocka_unit_test(refused_functions_say_why),
        cmocka_unit_test(malformed_utf8_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
