/* SPDX-License-Identifier: Apache-2.0
 *
 * documents.c - documents/yaml.jsonl and documents/json.jsonl: reads texts as values, and
 * writes values.
 */
#include "kinds.h"
#include "value/json.h"
#include "value/tree.h"
#include "value/yaml.h"

/* Returns the first document of the stream; null if there is none. */
static json_t *read_yaml(struct fx_text text, struct fx_err *err) {
    struct fx_yaml_reader *reader = fx_yaml_open(text);
    if (reader == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    json_t *document = NULL;
    const bool ok = fx_yaml_next(reader, NULL, &document, err);
    fx_yaml_close(reader);
    if (!ok) {
        return NULL;
    }
    return document != NULL ? document : json_null();
}

/* Fails for a value instead of an expected error, and for an error instead of an expected
 * value. True if there is a value to compare. */
static bool both_good(struct fx_case_result *result, const json_t *expect,
                      const json_t *got, const struct fx_err *err) {
    const bool bad = fx_tree_view_key(expect, "error") != NULL;
    if (bad && got != NULL) {
        fx_case_fail(result, "the text", "an error", "a value");
    } else if (!bad && got == NULL) {
        fx_case_fail(result, "the text", "a value", err->msg);
    }
    return !bad && got != NULL;
}

void fx_case_yaml(json_t *row, struct fx_case_result *result) {
    struct fx_err err = FX_ERR_INIT;
    const json_t *expect = fx_tree_view_key(row, "expect");
    json_t *got = read_yaml(fx_tree_view_string(row, "yaml"), &err);
    if (both_good(result, expect, got, &err)) {
        json_t *value = fx_json_read(fx_tree_view_string(expect, "json"), NULL, &err);
        fx_case_expect_json(result, "value", value, got);
        json_decref(value);
    }
    json_decref(got);
}

void fx_case_json(json_t *row, struct fx_case_result *result) {
    struct fx_err err = FX_ERR_INIT;
    const json_t *expect = fx_tree_view_key(row, "expect");
    json_t *got = fx_json_read(fx_tree_view_string(row, "json"), NULL, &err);
    if (both_good(result, expect, got, &err)) {
        struct fx_buf written;
        fx_buf_init(&written, 0);
        fx_json_write(&written, got, FX_JSON_HTML | FX_JSON_SORT_KEYS);
        fx_case_expect_text(result, "written", fx_tree_view_string(expect, "json"),
                            (struct fx_text){written.data, written.len});
        fx_case_expect_text(result, "type", fx_tree_view_string(expect, "type"),
                            fx_text_of(fx_tree_go_type(got)));
        fx_buf_finish(&written);
    }
    json_decref(got);
}
