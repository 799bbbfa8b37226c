/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/exec_test.c - execution of templates: blocks, variables, fields,
 * missing values, arguments, error messages (templates spec).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/limits.h"
#include "location/sprig/testing.h"

static const char object[] =
    "{\"kind\":\"Pod\",\"n\":5,\"f\":1.5,\"nul\":null,\"t\":true,\"e\":\"\","
    "\"labels\":{\"b\":\"2\",\"a\":\"1\"},\"arr\":[\"x\",\"y\",\"z\"],\"ea\":[],"
    "\"nils\":[null,{\"a\":null}],\"eo\":{},\"deep\":{\"a\":{\"b\":[{\"c\":7}]}}}";

static json_t *target;

static int load(void **state) {
    (void)state;
    target = json_loads(object, 0, NULL);
    return target == NULL ? -1 : 0;
}

static int drop(void **state) {
    (void)state;
    json_decref(target);
    return 0;
}

struct good {
    const char *template, *text;
};

static void check_good(const struct good *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_buf text;
        fx_buf_init(&text, 0);
        fx_buf_str(&text, "<");
        const bool ok = testing_run(fx_text_of(cases[i].template), target, &text, &err);
        if (!ok || strcmp(text.data + 1, cases[i].text) != 0) {
            fail_msg("%s gives %s%s, not %s", cases[i].template, text.data + 1, err.msg,
                     cases[i].text);
        }
        fx_buf_finish(&text);
    }
}

static void blocks(void **state) {
    (void)state;
    static const struct good cases[] = {
        {"", ""},
        {"text }} only", "text }} only"},
        {"a {{- /* c */ -}} b", "ab"},
        {"a{{ if .Target.t }}y{{ end }}b", "ayb"},
        {"{{ if .Target.e }}y{{ end }}", ""},
        {"{{ if .Target.e }}1{{ else if .Target.ea }}2{{ else if .Target.n }}3{{ else "
         "}}4{{ end }}",
         "3"},
        {"{{ if $x := .Target.n }}{{ $x }}{{ else }}no{{ end }}", "5"},
        {"{{ with .Target.labels }}{{ .a }}{{ $.Namespace }}{{ end }}", "1ns1"},
        {"{{ with .Target.nope }}y{{ else }}{{ .Namespace }}{{ end }}", "ns1"},
        {"{{ range .Target.arr }}{{ . }},{{ end }}", "x,y,z,"},
        {"{{ range $e := .Target.arr }}{{ $e }}{{ end }}", "xyz"},
        {"{{ range $i, $e := .Target.arr }}{{ $i }}{{ $e }}{{ end }}", "0x1y2z"},
        {"{{ range $k, $v := .Target.labels }}{{ $k }}{{ $v }}{{ end }}", "a1b2"},
        {"{{ $i := 9 }}{{ $e := 9 }}{{ range $i, $e = .Target.arr }}{{ end }}{{ $i }}{{ "
         "$e }}",
         "2z"},
        {"{{ range .Target.ea }}y{{ else }}none{{ end }}", "none"},
        {"{{ range .Target.nul }}y{{ else }}none{{ end }}", "none"},
        {"{{ range .Target.arr }}{{ if eq . \"y\" }}{{ break }}{{ end }}{{ . }}{{ end }}",
         "x"},
        {"{{ range $x := .Target.arr }}{{ range $.Target.arr }}{{ if eq . \"y\" }}{{ "
         "continue }}{{ end }}{{ if eq . $x }}{{ break }}{{ end }}{{ . }}{{ end }};{{ "
         "end }}",
         ";xz;x;"},
    };
    check_good(cases, FX_COUNT(cases));
}

static void variables(void **state) {
    (void)state;
    static const struct good cases[] = {
        {"{{ $x := 1 }}{{ $x = 2 }}{{ $x }}", "2"},
        {"{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"},
        {"{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x }}", "21"},
        {"{{ $x := 1 }}{{ $x := 2 }}{{ $x }}", "2"},
        {"{{ $x := 1 }}{{ with $x := 2 }}{{ $x }}{{ end }}{{ $x }}", "21"},
        {"{{ $x := .Target }}{{ $x.labels.a }}{{ $.Target.n }}", "15"},
        {"{{ $n := 0 }}{{ range .Target.arr }}{{ $n = . }}{{ end }}{{ $n }}", "z"},
        {"{{ $ := 5 }}{{ $ }}", "5"},
    };
    check_good(cases, FX_COUNT(cases));
}

static void templates(void **state) {
    (void)state;
    static const struct good cases[] = {
        {"{{ template \"a\" 5 }}{{ define \"a\" }}[{{ . }}{{ $ }}]{{ end }}", "[55]"},
        {"{{ define \"a\" }}[{{ . }}]{{ end }}{{ template \"a\" }}", "[<no value>]"},
        {"{{ define \"a\" }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x := 1 }}{{ template \"a\" "
         "}}{{ $x }}",
         "21"},
        {"{{ block \"b\" .Namespace }}({{ . }}){{ end }}{{ template \"b\" 1 }}",
         "(ns1)(1)"},
        {"{{ define \"a\" }} {{ end }}{{ define \"a\" }}x{{ end }}{{ template \"a\" }}",
         "x"},
        {"{{ define \"a\" }}{{ if . }}{{ len . }}{{ template \"a\" (slice . 1) }}{{ end "
         "}}{{ end }}{{ template \"a\" .Target.arr }}",
         "321"},
        {"{{ range .Target.arr }}{{ template \"a\" . }}{{ end }}{{ define \"a\" }}{{ "
         "range $i, $x := list 1 2 }}{{ if $i }}{{ break }}{{ end }}{{ $x }}{{ end "
         "}}{{ end }}",
         "111"},
    };
    check_good(cases, FX_COUNT(cases));
}

static void missing_and_nil(void **state) {
    (void)state;
    static const struct good cases[] = {
        {"{{ .Target.nope }} {{ .Target.nope.a.b }}", "<no value> <no value>"},
        {"{{ .Target.nul }} {{ .SelectedItem }}", "<no value> <no value>"},
        {"{{ (.Target.nul).x }}", "<no value>"}, /* a pipeline unpacks nil */
        {"{{ $x := .Target.nul }}{{ $x.y }}", "<no value>"},
        {"{{ .Target.nils }}", "[<nil> map[a:<nil>]]"},
        {"{{ print .Target.nope }} {{ print nil }}", "<nil> <nil>"},
        {"{{ index .Target.labels \"nope\" }}", "<no value>"},
        {"{{ eq .Target.nope nil }} {{ eq .Target.nul .Target.nope }} {{ eq nil 1 }}",
         "true true false"},
        {"{{ and .Target.nope .Target.nul.x }}", "<no value>"},
        {"{{ or .Target.nope \"x\" }} {{ or 0 \"\" }}|", "x |"},
        {"{{ .Target.nope | or true }} {{ 1 | and 2 }}", "true 1"},
        {"{{ not .Target.nope }} {{ not nil }}", "true true"},
        {"{{ len .Target.eo }} {{ get .Target.nope \"x\" }}|", "0 |"},
    };
    check_good(cases, FX_COUNT(cases));
}

static void values(void **state) {
    (void)state;
    static const struct good cases[] = {
        {"{{ .Target.deep.a.b }}", "[map[c:7]]"},
        {"{{ (index .Target.deep.a.b 0).c }}", "7"},
        {"{{ index .Target.deep \"a\" \"b\" 0 \"c\" }}", "7"},
        {"{{ index \"abc\" 1 }}", "98"},
        {"{{ index .SelectKeyParts 0 | printf \"%T\" }} {{ index .SelectKeyParts 1 }}",
         "int k"},
        {"{{ printf \"%T %T %T %T\" 1 'c' 1.0 -0xE }}", "int int float64 float64"},
        {"{{ 0x1F }} {{ 010 }} {{ 0b11 }} {{ 1_000 }} {{ 1e3 }} {{ 0x1p-2 }}",
         "31 8 3 1000 1000 0.25"},
        {"{{ \"a\\tb\\u00e9\\x41\\101\" }} {{ `a\\t` }}", "a\tb\xC3\xA9"
                                                          "AA a\\t"},
        {"{{ eq 1 2 1 }} {{ ne 1 2 }} {{ lt 1 2 }} {{ le \"b\" \"a\" }} {{ gt 2.5 1.5 "
         "}} {{ ge 1 1 }}",
         "true true true false true true"},
        {"{{ (split \":\" \"a:b\")._1 }} {{ (semver \"1.2.3\").Minor }}", "b 2"},
        {"{{ . }}", "{ns1 map[arr:[x y z] deep:map[a:map[b:[map[c:7]]]] e: ea:[] "
                    "eo:map[] f:1.5 kind:Pod labels:map[a:1 b:2] n:5 nils:[<nil> "
                    "map[a:<nil>]] nul:<nil> t:true] <nil> [1 k]}"},
        {"{{ print \"a\" 1 2 \"b\" }}|{{ println 1 \"a\" }}", "a1 2b|1 a\n"},
        {"{{ html \"<'\\\">&\" }} {{ js \"'<\\n\" }} {{ urlquery \"a b\" \"/\" }}",
         "&lt;&#39;&#34;&gt;&amp; \\'\\u003C\\u000A a+b%2F"},
        {"{{ 1 | }}", "1"},
        {"{{ \"x\" | printf \"%s%s\" \"a\" }}", "ax"},
    };
    check_good(cases, FX_COUNT(cases));
}

/* Within an execution every use of a map of the document is the same map. */
static void maps_have_identity(void **state) {
    (void)state;
    static const struct good cases[] = {
        {"{{ $_ := set .Target.labels \"c\" 3 }}{{ .Target.labels }}",
         "map[a:1 b:2 c:3]"},
        {"{{ .Target.labels }}", "map[a:1 b:2]"},
        {"{{ $m := .Target.labels }}{{ range $k, $v := $m }}{{ $_ := unset $m \"b\" "
         "}}{{ $_ = set $m \"0\" 0 }}{{ $k }}{{ $v }} {{ end }}{{ $m }}",
         "a1 b2 map[0:0 a:1]"},
        {"{{ $d := dict \"a\" 1 }}{{ $e := dict \"d\" $d }}{{ $_ := set $d \"b\" 2 }}{{ "
         "$e }}",
         "map[d:map[a:1 b:2]]"},
    };
    json_t *before = json_deep_copy(target);
    check_good(cases, FX_COUNT(cases));
    assert_true(json_equal(before, target));
    json_decref(before);
}

struct bad {
    const char *template, *message;
};

static void check_bad(const struct bad *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_buf text;
        fx_buf_init(&text, 0);
        fx_buf_str(&text, "<");
        const bool ok = testing_run(fx_text_of(cases[i].template), target, &text, &err);
        assert_string_equal(text.data, "<"); /* nothing is left of the output */
        if (ok || strstr(err.msg, cases[i].message) == NULL) {
            fail_msg("%s gives %s, not %s", cases[i].template, err.msg, cases[i].message);
        }
        assert_int_equal(err.code, FX_EMUTATE);
        assert_true(err.len > 0 && err.off + err.len <= strlen(cases[i].template));
        fx_buf_finish(&text);
    }
}

static void failures(void **state) {
    (void)state;
    static const struct bad cases[] = {
        {"a\n {{ .Target.nul.x }}",
         "template: t:2:4: executing \"t\" at <.Target.nul.x>: nil pointer evaluating "
         "interface {}.x"},
        {"{{ .SelectedItem.x }}", "nil pointer evaluating interface {}.x"},
        {"{{ range .Target.nils }}{{ .a }}{{ end }}", "<.a>: nil pointer"},
        {"{{ .Target.kind.x }}", "can't evaluate field x in type interface {}"},
        {"{{ $x := .Target.kind }}{{ $x.y }}", "<$x.y>: can't evaluate field y in type "
                                               "string"},
        {"{{ .Nope }}", "can't evaluate field Nope in type struct: there are Namespace, "
                        "Target, SelectedItem, SelectKeyParts"},
        {"{{ .Target.kind 1 }}", "kind is not a method but has arguments"},
        {"{{ 1 | .Target.kind }}", "kind is not a method but has arguments"},
        {"{{ $x := 1 }}{{ 2 | $x }}", "can't give argument to non-function $x"},
        {"{{ (1) 2 }}", "can't give argument to non-function (1)"},
        {"{{ nil }}", "nil is not a command"},
        {"{{ $x = 2 }}", "undefined variable: $x"},
        {"{{ if true }}{{ $a := 1 }}{{ else }}{{ end }}{{ if false }}{{ $b := 1 }}{{ "
         "else "
         "}}{{ $b }}{{ end }}",
         "undefined variable: $b"},
        {"{{ 9223372036854775808 }}", "9223372036854775808 overflows int"},
        {"{{ template \"x\" }}",
         "executing \"t\" at <{{template \"x\"}}>: template \"x\" not defined"},
        {"{{ define \"a\" }}{{ .x.y }}{{ end }}{{ template \"a\" 1 }}",
         "executing \"a\" at <.x.y>: can't evaluate field x in type int"},
        {"{{ range 5 }}{{ end }}", "range can't iterate over 5"},
        {"{{ range \"ab\" }}{{ end }}", "range can't iterate over ab"},
        {"{{ upper }}", "wrong number of args for upper: want 1 got 0"},
        {"{{ and }}", "wrong number of args for and: want at least 1 got 0"},
        {"{{ \"a\" | upper \"b\" }}", "wrong number of args for upper: want 1 got 2"},
        {"{{ upper 1 }}", "<1>: expected string; found 1"},
        {"{{ upper true }}", "expected string; found true"},
        {"{{ upper nil }}", "cannot assign nil to string"},
        {"{{ upper .Target.nope }}", "invalid value; expected string"},
        {"{{ upper .Target.nul }}", "wrong type for value; expected string; got "
                                    "interface {}"},
        {"{{ upper .Target.n }}", "wrong type for value; expected string; got float64"},
        {"{{ trunc \"a\" \"b\" }}", "expected integer; found \"a\""},
        {"{{ trunc 1.5 \"b\" }}", "expected integer; found 1.5"},
        {"{{ trunc .Target.n \"b\" }}",
         "wrong type for value; expected int; got float64"},
        {"{{ get \"a\" \"b\" }}", "can't handle \"a\" for arg of type "
                                  "map[string]interface {}"},
        {"{{ get .Target.nul \"b\" }}", "expected map[string]interface {}; got "
                                        "interface {}"},
        {"{{ get (split \":\" \"a\") \"_0\" }}", "got map[string]string"},
        {"{{ set .Target.nope \"a\" 1 }}", "error calling set: assignment to entry in "
                                           "nil map"},
        {"{{ index .Target.arr 3 }}", "error calling index: index out of range: 3"},
        {"{{ index .Target.arr -1 }}", "error calling index: index out of range: -1"},
        {"{{ index .Target.arr \"a\" }}", "cannot index slice/array with type string"},
        {"{{ index .Target.labels 1 }}", "value has type int; should be string"},
        {"{{ index .Target.nope 1 }}", "index of untyped nil"},
        {"{{ index .Target.nils 0 1 }}", "index of nil pointer"},
        {"{{ index 1 1 }}", "can't index item of type int"},
        {"{{ eq 1 1.0 }}", "error calling eq: incompatible types for comparison"},
        {"{{ eq 1 }}", "missing argument for comparison"},
        {"{{ eq .Target.arr 1 }}", "non-comparable type [x y z]: []interface {}"},
        {"{{ lt true false }}", "invalid type for comparison"},
        {"{{ lt nil 1 }}", "invalid type for comparison"},
        {"{{ len 5 }}", "len of type int"},
        {"{{ len .Target.nul }}", "len of nil pointer"},
        {"{{ call .Target.kind }}", "non-function of type string"},
        {"lost {{ fail \"no\" }}", "error calling fail: no"},
    };
    check_bad(cases, FX_COUNT(cases));
}

/* A program can be executed any number of times, with the same result. */
static void executes_again(void **state) {
    (void)state;
    struct fx_gotemplate *program = NULL;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_gotemplate_field field = {FX_TEXT("Target"), target, false};
    const struct fx_gotemplate_context context = {&field, 1};
    struct fx_buf text;
    fx_buf_init(&text, 0);
    assert_true(fx_gotemplate_compile(
        FX_TEXT("t"),
        FX_TEXT("{{ $_ := set .Target \"n\" 6 }}{{ .Target.n }}{{ .Target.nope.x }}"),
        &fx_sprig, &program, &err));
    for (size_t i = 0; i < 3; i++) {
        fx_buf_reset(&text);
        assert_true(fx_gotemplate_execute(program, &context, &text, &err));
        assert_string_equal(text.data, "6<no value>");
    }
    fx_buf_finish(&text);
    fx_gotemplate_destroy(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks),    cmocka_unit_test(variables),
        cmocka_unit_test(templates), cmocka_unit_test(missing_and_nil),
        cmocka_unit_test(values),    cmocka_unit_test(maps_have_identity),
        cmocka_unit_test(failures),  cmocka_unit_test(executes_again),
    };
    return cmocka_run_group_tests(tests, load, drop);
}
