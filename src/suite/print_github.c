/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/print_github.c - workflow commands of GitHub Actions, which become annotations of
 * the changed lines:
 *
 *   ::error file=tests/suite.yaml,line=12,title=sidecar/inject/adds::the mutated …
 */
#include <string.h>

#include "policy/plain.h"
#include "suite/print_forms.h"

/* What ends a value is written as GitHub's toolkit writes it; in properties more does. */
static void add_escaped(struct fx_buf *buf, const char *text, bool property) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '%': fx_buf_str(buf, "%25"); break;
        case '\r': fx_buf_str(buf, "%0D"); break;
        case '\n': fx_buf_str(buf, "%0A"); break;
        case ':': fx_buf_str(buf, property ? "%3A" : ":"); break;
        case ',': fx_buf_str(buf, property ? "%2C" : ","); break;
        default: fx_buf_char(buf, *text);
        }
    }
}

/* Words of others, on one line. */
static void add_words(struct fx_buf *buf, const char *words, bool property) {
    struct fx_buf plain = {0};
    fx_plain_add(&plain, fx_text_of(words));
    add_escaped(buf, plain.len > 0 ? plain.data : "", property);
    buf->failed = buf->failed || plain.failed;
    fx_buf_finish(&plain);
}

static void print_result(struct fx_buf *buf, const char *command,
                         const struct fx_suite_result *result) {
    fx_buf_printf(buf, "::%s file=", command);
    add_words(buf, result->file, true);
    if (result->line > 0) {
        fx_buf_printf(buf, ",line=%u", (unsigned)result->line);
    }
    fx_buf_str(buf, ",title=");
    add_words(buf, result->name, true);
    fx_buf_str(buf, "::");
    add_words(buf, result->reason, false);
    if (result->diff != NULL) {
        fx_buf_str(buf, "%0A");
        add_escaped(buf, result->diff, false);
        buf->len -= fx_text_ends((struct fx_text){buf->data, buf->len}, FX_TEXT("%0A"))
                        ? strlen("%0A")
                        : 0;
    }
    fx_buf_char(buf, '\n');
}

void fx_suite_print_github(struct fx_buf *buf, const struct fx_suite_results *results,
                           const struct fx_suite_style *style) {
    (void)style;
    for (size_t i = 0; i < results->n_items; i++) {
        const struct fx_suite_result *result = &results->items[i];
        if (result->status == FX_SUITE_FAIL || result->status == FX_SUITE_ERROR) {
            print_result(buf, "error", result);
        }
    }
    fx_buf_printf(buf, "%zu passed, %zu failed, %zu invalid, %zu skipped\n",
                  results->counts[FX_SUITE_PASS], results->counts[FX_SUITE_FAIL],
                  results->counts[FX_SUITE_ERROR], results->counts[FX_SUITE_SKIP]);
}
