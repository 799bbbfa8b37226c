/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/print_tap.c - the Test Anything Protocol, version 14 (testanything.org).
 */
#include <string.h>

#include "policy/plain.h"
#include "suite/print_forms.h"
#include "value/tree.h"
#include "value/yaml.h"

/* One line, in which `#` would begin a directive. */
static void add_words(struct fx_buf *buf, const char *words) {
    struct fx_buf plain = {0};
    fx_plain_add(&plain, fx_text_of(words));
    for (size_t i = 0; i < plain.len; i++) {
        if (plain.data[i] == '#' || plain.data[i] == '\\') {
            fx_buf_char(buf, '\\');
        }
        fx_buf_char(buf, plain.data[i]);
    }
    buf->failed = buf->failed || plain.failed;
    fx_buf_finish(&plain);
}

/* object[key] = text, as UTF-8. */
static bool set(json_t *object, const char *key, const char *text) {
    struct fx_buf valid = {0};
    for (struct fx_text rest = fx_text_of(text); rest.len > 0;) {
        uint32_t rune = 0;
        char bytes[4];
        const size_t length = fx_text_rune(rest, &rune);
        fx_buf_add(&valid, bytes, fx_text_encode_rune(rune, bytes));
        rest = (struct fx_text){rest.data + length, rest.len - length};
    }
    const bool ok =
        !valid.failed &&
        fx_tree_set_take(object, fx_text_of(key),
                         fx_tree_new_string((struct fx_text){valid.data, valid.len}));
    fx_buf_finish(&valid);
    return ok;
}

static json_t *details_of(const struct fx_suite_result *result) {
    json_t *details = json_object();
    if (details == NULL) {
        return NULL;
    }
    const bool ok = set(details, "message", result->reason) &&
                    set(details, "severity", fx_suite_status_name(result->status)) &&
                    set(details, "file", result->file) &&
                    (result->line == 0 || fx_tree_set_take(details, FX_TEXT("line"),
                                                           json_integer(result->line))) &&
                    (result->diff == NULL || set(details, "diff", result->diff));
    if (!ok) {
        json_decref(details);
        return NULL;
    }
    return details;
}

/* The YAML block below a test point, two blanks deep. */
static void print_details(struct fx_buf *buf, const struct fx_suite_result *result) {
    json_t *details = details_of(result);
    struct fx_buf yaml = {0};
    if (details == NULL) {
        buf->failed = true;
        return;
    }
    fx_yaml_write(&yaml, details);
    json_decref(details);
    fx_buf_str(buf, "  ---\n");
    for (const char *at = yaml.failed ? "" : yaml.data; *at != '\0';) {
        const size_t len = strcspn(at, "\n");
        fx_buf_str(buf, "  ");
        fx_buf_add(buf, at, len);
        fx_buf_char(buf, '\n');
        at += at[len] == '\n' ? len + 1 : len;
    }
    fx_buf_str(buf, "  ...\n");
    buf->failed = buf->failed || yaml.failed;
    fx_buf_finish(&yaml);
}

static void print_result(struct fx_buf *buf, size_t number,
                         const struct fx_suite_result *result) {
    const bool fails =
        result->status == FX_SUITE_FAIL || result->status == FX_SUITE_ERROR;
    fx_buf_printf(buf, "%sok %zu - ", fails ? "not " : "", number);
    add_words(buf, result->name);
    if (result->status == FX_SUITE_SKIP) {
        fx_buf_str(buf, " # SKIP ");
        add_words(buf, result->reason);
    }
    fx_buf_char(buf, '\n');
    if (fails) {
        print_details(buf, result);
    } else if (result->status == FX_SUITE_PASS && result->reason != NULL) {
        fx_buf_str(buf, "# ");
        fx_plain_add(buf, fx_text_of(result->reason));
        fx_buf_char(buf, '\n');
    }
}

void fx_suite_print_tap(struct fx_buf *buf, const struct fx_suite_results *results,
                        const struct fx_suite_style *style) {
    (void)style;
    fx_buf_printf(buf, "TAP version 14\n1..%zu\n", results->n_items);
    for (size_t i = 0; i < results->n_items; i++) {
        print_result(buf, i + 1, &results->items[i]);
    }
}
