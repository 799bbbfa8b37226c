/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/reads_test.c - what a template may read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "location/sprig/sprig.h"
#include "value/json_part_testing.h"

/* `.SelectedItem` is an element of `items`. */
static const struct {
    const char *template, *reads;
} reads[] = {
    {"text", "{items[]}"},
    {"{{ .Target.a.b }}", "{items[] a{b*}}"},
    {"{{ $.Target.a.b | quote }}", "{items[] a{b*}}"},
    {"{{ .Namespace }}{{ .SelectKeyParts }}{{ .Nothing.a }}", "{items[]}"},
    {"{{ .SelectedItem.name }}", "{items[]{name*}}"},
    {"{{ .SelectedItem }}", "{items[]*}"},
    {"{{ .Target }}", "{items[]}*"},
    {"{{ . }}", "{items[]*}*"},
    {"{{ $ | toJson }}", "{items[]*}*"},
    {"{{ (.Target.a).b }}", "{items[] a{b*}}"},
    {"{{ if .Target.a }}x{{ end }}", "{items[] a[]}"},
    {"{{ with .Target.a }}{{ .b }}{{ else }}{{ .Target.c }}{{ end }}",
     "{items[] a[]{b*} c*}"},
    {"{{ range .Target.l }}{{ .a }}{{ $.Target.b }}{{ end }}", "{items[] l[]{a*} b*}"},
    {"{{ range $i, $e := .Target.l }}{{ $i }}{{ $e.a }}{{ end }}", "{items[] l[]{a*}}"},
    {"{{ range $e := .Target.l }}{{ range $e.m }}{{ .a }}{{ end }}{{ end }}",
     "{items[] l[]{m[]{a*}}}"},
    {"{{ range .Target.l }}{{ . }}{{ end }}", "{items[] l[]*}"},
    {"{{ range . }}{{ end }}", "{items[]*}*"},
    {"{{ $x := .Target.a }}{{ $x.b }}", "{items[] a{b*}}"},
    {"{{ $x := .Target.a }}{{ $x = .Target.c }}{{ $x.b }}", "{items[] a{b*} c*}"},
    {"{{ $x := .Target.a }}{{ with $x := .Target.c }}{{ $x.b }}{{ end }}",
     "{items[] a{b*} c[]*}"},
    {"{{ $x := . }}{{ $x.Target.a }}", "{items[] a*}"},
    {"{{ $x := . }}{{ $x = .Target.c }}{{ $x.Target.a }}", "{items[]* c*}*"},
    {"{{ index .Target.a \"b\" \"c\" }}", "{items[] a{b{c*}}}"},
    {"{{ (index .Target.l 0).a }}", "{items[] l[]{a*}}"},
    {"{{ (index .Target.l (index .SelectKeyParts 0) \"a\").b }}", "{items[] l[]{a{b*}}}"},
    {"{{ (.Target.k | index .Target.l).b }}", "{items[] k* l[]{b*}}"},
    {"{{ len .Target.l }}", "{items[] l[]}"},
    {"{{ .Target.a | len }}", "{items[] a*}"},
    {"{{ or .Target.a .Target.b }}", "{items[] a* b*}"},
    {"{{ set .Target.a \"k\" 1 }}", "{items[] a*}"},
    {"{{ define \"t\" }}{{ .a }}{{ end }}{{ template \"t\" .Target.b }}", "{items[] b*}"},
    {"{{ block \"t\" . }}{{ .Target.a }}{{ end }}", "{items[]*}*"},
    {"{{ template \"t\" }}{{ define \"t\" }}{{ . }}{{ end }}", "{items[]}"},
};

static void read_one(const char *template, const char *expected) {
    struct fx_gotemplate *program = NULL;
    struct fx_err err = FX_ERR_INIT;
    struct fx_json_part root = {.omits_rest = true};
    struct fx_json_cursor item = {.part = &root};
    struct fx_buf text;
    if (!fx_gotemplate_compile(FX_TEXT("r"), fx_text_of(template), &fx_sprig, &program,
                               &err)) {
        fail_msg("%s: %s", template, err.msg);
    }
    assert_true(fx_json_cursor_member(&item, FX_TEXT("items")));
    fx_json_cursor_element(&item);
    const struct fx_gotemplate_origin origins[] = {
        {FX_TEXT("Target"), {.part = &root}},
        {FX_TEXT("SelectedItem"), item},
    };
    assert_true(fx_gotemplate_reads(program, origins, FX_COUNT(origins)));
    fx_buf_init(&text, 0);
    fx_buf_char(&text, ' ');
    part_testing_print(&text, &root);
    const bool is_all = !root.omits_rest;
    fx_buf_str(&text, is_all ? "*" : "");
    const char *got = text.data + 1 + (is_all ? 1 : 0);
    if (strcmp(got, expected) != 0) {
        fail_msg("%s: wanted %s, got %s", template, expected, got);
    }
    fx_buf_finish(&text);
    fx_json_part_finish(&root);
    fx_gotemplate_destroy(program);
}

static void finds_what_is_read(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(reads); i++) {
        read_one(reads[i].template, reads[i].reads);
    }
}

/* The context has `Target` and `Namespace`. */
static void finds_unknown_fields(void **state) {
    (void)state;
    static const char *const fields[] = {"Target", "Namespace", NULL};
    static const struct {
        const char *template, *unknown;
    } cases[] = {
        {"text {{ .Target.a }}{{ .Namespace }}{{ . }}", ""},
        {"{{ .target.a }}", "target"},
        {"{{ .A }}{{ .B }}", "A"},
        {"{{ if false }}{{ $.A.b | quote }}{{ end }}", "A"},
        {"{{ range .Target.l }}{{ .a }}{{ end }}", ""},
        {"{{ range .Target.l }}{{ $.a }}{{ end }}", "a"},
        {"{{ with .Target }}{{ .a }}{{ else }}{{ .b }}{{ end }}", "b"},
        {"{{ with . }}{{ .a }}{{ end }}", "a"},
        {"{{ $x := . }}{{ $x.a }}", "a"},
        {"{{ $x := . }}{{ $x = .Target }}{{ $x.a }}", ""},
        {"{{ $x := . }}{{ with $x := .Target }}{{ $x.a }}{{ end }}", ""},
        {"{{ printf \"%v\" .a }}", "a"},
        {"{{ index .Target.l (len .a) }}", "a"},
        {"{{ (.Target).a }}", ""},
        {"{{ define \"t\" }}{{ .a }}{{ end }}{{ template \"t\" . }}", ""},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_gotemplate *program = NULL;
        struct fx_err err = FX_ERR_INIT;
        assert_true(fx_gotemplate_compile(FX_TEXT("r"), fx_text_of(cases[i].template),
                                          &fx_sprig, &program, &err));
        if (!fx_text_is(fx_gotemplate_find_unknown(program, fields), cases[i].unknown)) {
            fail_msg("%s: wanted `%s`", cases[i].template, cases[i].unknown);
        }
        fx_gotemplate_destroy(program);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_is_read),
        cmocka_unit_test(finds_unknown_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
