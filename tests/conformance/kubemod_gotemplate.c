/* SPDX-License-Identifier: Apache-2.0
 *
 * kubemod_gotemplate.c - kubemod/gotemplate.jsonl: executes a template on its context,
 * which gives a text or an error.
 */
#include <string.h>

#include "base/macros.h"
#include "kinds.h"
#include "location/sprig/sprig.h"
#include "mutators/kubemod/select_path.h"
#include "skips.h"
#include "value/tree.h"

static bool compile(const json_t *row, struct fx_gotemplate **ret_template,
                    struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_select_path_rewrite(&text, fx_tree_view_string(row, "template"));
    const bool ok =
        fx_gotemplate_compile(FX_TEXT("t"), (struct fx_text){text.data, text.len},
                              &fx_sprig, ret_template, err);
    fx_buf_finish(&text);
    return ok;
}

static bool execute(const json_t *row, const struct fx_gotemplate *template,
                    struct fx_buf *ret_text, struct fx_err *err) {
    const json_t *given = fx_tree_view_key(row, "context");
    const struct fx_gotemplate_field fields[] = {
        {FX_TEXT("Namespace"), fx_tree_view_key(given, "Namespace"), false},
        {FX_TEXT("Target"), fx_tree_view_key(given, "Target"), false},
        {FX_TEXT("SelectKeyParts"), fx_tree_view_key(given, "SelectKeyParts"), true},
        {FX_TEXT("SelectedItem"), fx_tree_view_key(given, "SelectedItem"), false},
    };
    const struct fx_gotemplate_context context = {fields, FX_COUNT(fields)};
    return fx_gotemplate_execute(template, &context, ret_text, err);
}

/* Compares the position of the error. Messages differ between versions of Go, but the
 * position does not. */
static void expect_place(struct fx_case_result *result, struct fx_text expected,
                         struct fx_text got) {
    const char *end = expected.len == 0 ? NULL : strstr(expected.data, ">: ");
    if (end != NULL) {
        expected.len = (size_t)(end - expected.data);
        fx_case_expect_part(result, "error", expected, got);
    }
}

static void expect_text(struct fx_case_result *result, const json_t *row,
                        const struct fx_buf *text) {
    const json_t *expect = fx_tree_view_key(row, "expect");
    fx_case_expect_bool(result, "ok", fx_tree_view_key(expect, "error") == NULL, true);
    fx_case_expect_text(result, "text", fx_tree_view_string(expect, "text"),
                        (struct fx_text){text->data, text->len});
}

static void expect_failure(struct fx_case_result *result, const json_t *row,
                           const char *stage, const struct fx_err *err) {
    const json_t *expect = fx_tree_view_key(row, "expect");
    fx_case_expect_bool(result, err->msg, fx_tree_view_key(expect, "error") == NULL,
                        false);
    fx_case_expect_text(result, "stage", fx_tree_view_string(expect, "stage"),
                        fx_text_of(stage));
    expect_place(result, fx_tree_view_string(expect, "error"), fx_text_of(err->msg));
}

void fx_case_gotemplate(json_t *row, struct fx_case_result *result) {
    struct fx_gotemplate *template = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool compiled = compile(row, &template, &err);
    result->skipped = fx_case_gotemplate_skip_reason(row, &err);
    if (result->skipped != NULL) {
        fx_gotemplate_destroy(template);
        return;
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    if (compiled && execute(row, template, &text, &err)) {
        expect_text(result, row, &text);
    } else {
        expect_failure(result, row, compiled ? "exec" : "parse", &err);
    }
    fx_buf_finish(&text);
    fx_gotemplate_destroy(template);
}
