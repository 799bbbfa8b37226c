/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/print_junit.c - JUnit's XML, in the form that CI systems agree on: testsuites,
 * testsuite, testcase with failure, error or skipped.
 */
#include <string.h>

#include "suite/print_forms.h"

/* XML 1.0 section 2.2: what is no Char cannot be said at all. */
static bool is_char(uint32_t rune) {
    return rune == '\t' || rune == '\n' || (rune >= 0x20 && rune <= 0xD7FF) ||
           (rune >= 0xE000 && rune <= 0xFFFD) || rune >= 0x10000;
}

/* Character data and attribute values alike. A line feed in an attribute would come back
 * as a blank if it were not written as a reference. */
static void add_xml(struct fx_buf *buf, const char *string, bool attribute) {
    struct fx_text text = fx_text_of(string);
    while (text.len > 0) {
        uint32_t rune = 0;
        const size_t length = fx_text_rune(text, &rune);
        char bytes[4];
        switch (rune) {
        case '&': fx_buf_str(buf, "&amp;"); break;
        case '<': fx_buf_str(buf, "&lt;"); break;
        case '>': fx_buf_str(buf, "&gt;"); break;
        case '"': fx_buf_str(buf, "&quot;"); break;
        default:
            if (attribute && (rune == '\n' || rune == '\t')) {
                fx_buf_printf(buf, "&#%u;", (unsigned)rune);
                break;
            }
            fx_buf_add(buf, bytes,
                       fx_text_encode_rune(is_char(rune) ? rune : 0xFFFD, bytes));
        }
        text = (struct fx_text){text.data + length, text.len - length};
    }
}

static void add_attribute(struct fx_buf *buf, const char *name, const char *value) {
    fx_buf_printf(buf, " %s=\"", name);
    add_xml(buf, value, true);
    fx_buf_char(buf, '"');
}

static void add_counts(struct fx_buf *buf, size_t total, const size_t *counts,
                       uint64_t ns) {
    fx_buf_printf(buf, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
                  total, counts[FX_SUITE_FAIL], counts[FX_SUITE_ERROR],
                  counts[FX_SUITE_SKIP]);
    fx_buf_str(buf, " time=\"");
    fx_suite_print_seconds(buf, ns);
    fx_buf_char(buf, '"');
}

/* failure or error: the reason as the message, and all there is to see as the content. */
static void print_fault(struct fx_buf *buf, const char *element,
                        const struct fx_suite_result *result) {
    fx_buf_printf(buf, "      <%s", element);
    add_attribute(buf, "message", result->reason);
    fx_buf_char(buf, '>');
    struct fx_buf reason = {0};
    fx_suite_print_reason(&reason, result);
    add_xml(buf, reason.failed ? "" : reason.data, false);
    buf->failed = buf->failed || reason.failed;
    fx_buf_finish(&reason);
    fx_buf_char(buf, '\n');
    add_xml(buf, result->diff != NULL ? result->diff : "", false);
    fx_buf_printf(buf, "</%s>\n", element);
}

static void print_outcome(struct fx_buf *buf, const struct fx_suite_result *result) {
    switch (result->status) {
    case FX_SUITE_FAIL: print_fault(buf, "failure", result); break;
    case FX_SUITE_ERROR: print_fault(buf, "error", result); break;
    case FX_SUITE_SKIP:
        fx_buf_str(buf, "      <skipped");
        add_attribute(buf, "message", result->reason);
        fx_buf_str(buf, "/>\n");
        break;
    case FX_SUITE_PASS:
        if (result->reason != NULL) {
            fx_buf_str(buf, "      <system-out>");
            add_xml(buf, result->reason, false);
            fx_buf_str(buf, "</system-out>\n");
        }
        break;
    case FX_SUITE_N_STATUSES: break;
    }
}

/* "suite/test/case": what is before the last name is the class. */
static void print_case(struct fx_buf *buf, const struct fx_suite_result *result) {
    const size_t whole = strlen(result->name);
    const size_t own = result->case_ != NULL ? strlen(result->case_->name) : whole;
    struct fx_buf class_name = {0};
    fx_buf_add(&class_name, result->name, own < whole ? whole - own - 1 : whole);
    fx_buf_str(buf, "    <testcase");
    add_attribute(buf, "classname", class_name.failed ? "" : class_name.data);
    add_attribute(buf, "name", result->name + (whole - own));
    add_attribute(buf, "file", result->file);
    if (result->line > 0) {
        fx_buf_printf(buf, " line=\"%u\"", (unsigned)result->line);
    }
    fx_buf_str(buf, " time=\"");
    fx_suite_print_seconds(buf, result->ns);
    fx_buf_str(buf, "\">\n");
    print_outcome(buf, result);
    fx_buf_str(buf, "    </testcase>\n");
    buf->failed = buf->failed || class_name.failed;
    fx_buf_finish(&class_name);
}

static uint64_t total_ns(const struct fx_suite_results *results) {
    uint64_t ns = 0;
    for (size_t i = 0; i < results->n_items; i++) {
        ns += results->items[i].ns;
    }
    return ns;
}

void fx_suite_print_junit(struct fx_buf *buf, const struct fx_suite_results *results,
                          const struct fx_suite_style *style) {
    (void)style;
    fx_buf_str(buf, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<testsuites name=\"fixpoint\"");
    add_counts(buf, results->n_items, results->counts, total_ns(results));
    fx_buf_str(buf, ">\n");
    for (size_t at = 0;;) {
        const struct fx_suite_span span = fx_suite_span_next(results, &at);
        if (span.n_items == 0) {
            break;
        }
        fx_buf_str(buf, "  <testsuite");
        add_attribute(buf, "name", span.items[0].path);
        add_counts(buf, span.n_items, span.counts, span.ns);
        fx_buf_str(buf, ">\n");
        for (size_t i = 0; i < span.n_items; i++) {
            print_case(buf, &span.items[i]);
        }
        fx_buf_str(buf, "  </testsuite>\n");
    }
    fx_buf_str(buf, "</testsuites>\n");
}
