/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/print_json.c - one JSON object a line, with the fields of `go test -json`
 * (test2json) and some more. A case gives an "output" event where there is something to
 * say, and then one whose Action is its status: pass, fail, skip, or fail with Invalid; a
 * suite gives one without Test.
 */
#include "suite/print_forms.h"
#include "value/json.h"

static void add_member(struct fx_buf *buf, const char *key, const char *value) {
    fx_buf_printf(buf, ",\"%s\":", key);
    fx_json_write_string(buf, fx_text_of(value), FX_JSON_COMPACT);
}

static void begin(struct fx_buf *buf, const char *action, const char *path,
                  const char *name) {
    fx_buf_printf(buf, "{\"Action\":\"%s\"", action);
    add_member(buf, "Package", path);
    if (name != NULL) {
        add_member(buf, "Test", name);
    }
}

static void add_elapsed(struct fx_buf *buf, uint64_t ns) {
    fx_buf_str(buf, ",\"Elapsed\":");
    fx_suite_print_seconds(buf, ns);
}

static const char *action_of(enum fx_suite_status status) {
    return fx_suite_status_name(status == FX_SUITE_ERROR ? FX_SUITE_FAIL : status);
}

/* What people would read. */
static void print_output(struct fx_buf *buf, const struct fx_suite_result *result) {
    struct fx_buf words = {0};
    fx_suite_print_reason(&words, result);
    fx_buf_char(&words, '\n');
    fx_buf_str(&words, result->diff != NULL ? result->diff : "");
    begin(buf, "output", result->path, result->name);
    add_member(buf, "Output", words.failed ? "" : words.data);
    fx_buf_str(buf, "}\n");
    buf->failed = buf->failed || words.failed;
    fx_buf_finish(&words);
}

static void print_result(struct fx_buf *buf, const struct fx_suite_result *result) {
    begin(buf, "run", result->path, result->name);
    fx_buf_str(buf, "}\n");
    if (result->reason != NULL) {
        print_output(buf, result);
    }
    begin(buf, action_of(result->status), result->path, result->name);
    add_elapsed(buf, result->ns);
    add_member(buf, "File", result->file);
    if (result->line > 0) {
        fx_buf_printf(buf, ",\"Line\":%u", (unsigned)result->line);
    }
    if (result->status == FX_SUITE_ERROR) {
        fx_buf_str(buf, ",\"Invalid\":true");
    }
    if (result->reason != NULL) {
        add_member(buf, "Reason", result->reason);
    }
    if (result->diff != NULL) {
        add_member(buf, "Diff", result->diff);
    }
    fx_buf_str(buf, "}\n");
}

static enum fx_suite_status status_of(const struct fx_suite_span *span) {
    if (span->counts[FX_SUITE_FAIL] + span->counts[FX_SUITE_ERROR] > 0) {
        return FX_SUITE_FAIL;
    }
    return span->counts[FX_SUITE_PASS] > 0 ? FX_SUITE_PASS : FX_SUITE_SKIP;
}

void fx_suite_print_json(struct fx_buf *buf, const struct fx_suite_results *results,
                         const struct fx_suite_style *style) {
    (void)style;
    for (size_t at = 0;;) {
        const struct fx_suite_span span = fx_suite_span_next(results, &at);
        if (span.n_items == 0) {
            return;
        }
        for (size_t i = 0; i < span.n_items; i++) {
            print_result(buf, &span.items[i]);
        }
        begin(buf, action_of(status_of(&span)), span.items[0].path, NULL);
        add_elapsed(buf, span.ns);
        fx_buf_str(buf, "}\n");
    }
}
