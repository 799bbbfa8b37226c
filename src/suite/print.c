/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/print.c - prints results in five formats.
 */
#include "suite/run.h"

#include <string.h>

#include "policy/plain.h"
#include "value/json.h"
#include "value/tree.h"
#include "value/yaml.h"

/* The results of one suite. */
struct suite_span {
    const struct fx_suite_result *items;
    size_t n_items;
    size_t counts[FX_SUITE_N_STATUSES];
    uint64_t ns;
};

/* Reads the results of the next suite at *at, and moves *at past them. False at the
 * end. */
static bool next_span(const struct fx_suite_results *results, size_t *at,
                      struct suite_span *ret_span) {
    *ret_span = (struct suite_span){.items = results->items + *at};
    while (*at < results->n_items &&
           strcmp(results->items[*at].path, ret_span->items[0].path) == 0) {
        const struct fx_suite_result *result = &results->items[(*at)++];
        ret_span->counts[result->status]++;
        ret_span->ns += result->ns;
        ret_span->n_items++;
    }
    return ret_span->n_items > 0;
}

/* The status of a suite or of all suites. */
static enum fx_suite_status status_of(const size_t *counts) {
    if (counts[FX_SUITE_FAIL] + counts[FX_SUITE_ERROR] > 0) {
        return FX_SUITE_FAIL;
    }
    return counts[FX_SUITE_PASS] > 0 ? FX_SUITE_PASS : FX_SUITE_SKIP;
}

static bool is_failure(const struct fx_suite_result *result) {
    return result->status == FX_SUITE_FAIL || result->status == FX_SUITE_ERROR;
}

/* Appends nanoseconds as seconds: "0.003". */
static void print_seconds(struct fx_buf *buf, uint64_t ns) {
    const uint64_t ms = (ns + 500000) / 1000000;
    fx_buf_printf(buf, "%llu.%03u", (unsigned long long)(ms / 1000),
                  (unsigned)(ms % 1000));
}

/* Appends "suite.yaml:12: " (without the line if it is unknown) and the reason. */
static void print_reason(struct fx_buf *buf, const struct fx_suite_result *result) {
    fx_plain_add(buf, fx_text_of(result->file));
    if (result->line > 0) {
        fx_buf_printf(buf, ":%u", (unsigned)result->line);
    }
    fx_buf_str(buf, ": ");
    fx_plain_add(buf, fx_text_of(result->reason));
}

/* Appends the lines of the text, each after `margin`. */
static void print_indented(struct fx_buf *buf, const char *margin, const char *text) {
    while (*text != '\0') {
        const size_t len = strcspn(text, "\n");
        fx_buf_str(buf, margin);
        fx_buf_add(buf, text, len);
        fx_buf_char(buf, '\n');
        text += text[len] == '\n' ? len + 1 : len;
    }
}

/* ---- text ------------------------------------------------------------------------ */

/* The format of `go test`:
 *
 *   --- FAIL: sidecar/inject/adds (0.000s)
 *       tests/suite.yaml:12: the mutated object differs from the expected object
 *       --- expected/adds.yaml
 *       +++ mutated
 *       …
 *   FAIL	tests/suite.yaml	0.003s
 */

#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define NORMAL "\033[0m"

/* The word for a status: of a case or of all suites, and of one suite. */
static const struct {
    const char *word, *suite_word, *colour;
} statuses[] = {
    [FX_SUITE_PASS] = {"PASS", "ok  ", GREEN},
    [FX_SUITE_FAIL] = {"FAIL", "FAIL", RED},
    [FX_SUITE_SKIP] = {"SKIP", "?   ", YELLOW},
    [FX_SUITE_ERROR] = {"FAIL", "FAIL", RED},
};

static void print_status(struct fx_buf *buf, enum fx_suite_status status, bool of_suite,
                         const struct fx_suite_style *style) {
    fx_buf_str(buf, style->colour ? statuses[status].colour : "");
    fx_buf_str(buf, of_suite ? statuses[status].suite_word : statuses[status].word);
    fx_buf_str(buf, style->colour ? NORMAL : "");
}

static void print_text_result(struct fx_buf *buf, const struct fx_suite_result *result,
                              const struct fx_suite_style *style) {
    const bool fails = is_failure(result);
    if (!fails && !style->verbose) {
        return;
    }
    fx_buf_str(buf, "--- ");
    print_status(buf, result->status, false, style);
    fx_buf_str(buf, ": ");
    fx_plain_add(buf, fx_text_of(result->name));
    fx_buf_str(buf, " (");
    print_seconds(buf, result->ns);
    fx_buf_str(buf, "s)\n");
    if (result->reason != NULL) {
        fx_buf_str(buf, "    ");
        if (fails) {
            print_reason(buf, result);
        } else {
            fx_plain_add(buf, fx_text_of(result->reason));
        }
        fx_buf_char(buf, '\n');
    }
    if (result->diff != NULL) {
        /* Values are YAML and need no escapes. */
        print_indented(buf, "    ", result->diff);
    }
}

/* The reason if all skipped cases have the same one; else NULL. */
static const char *common_reason(const struct suite_span *span) {
    const char *reason = NULL;
    for (size_t i = 0; i < span->n_items; i++) {
        const struct fx_suite_result *result = &span->items[i];
        if (result->status != FX_SUITE_SKIP) {
            continue;
        }
        if (reason != NULL && strcmp(reason, result->reason) != 0) {
            return NULL;
        }
        reason = result->reason;
    }
    return reason;
}

static void print_text_suite(struct fx_buf *buf, const struct suite_span *span,
                             const struct fx_suite_style *style) {
    for (size_t i = 0; i < span->n_items; i++) {
        print_text_result(buf, &span->items[i], style);
    }
    print_status(buf, status_of(span->counts), true, style);
    fx_buf_char(buf, '\t');
    fx_plain_add(buf, fx_text_of(span->items[0].path));
    fx_buf_char(buf, '\t');
    print_seconds(buf, span->ns);
    fx_buf_char(buf, 's');
    if (span->counts[FX_SUITE_SKIP] > 0) {
        const char *reason = common_reason(span);
        fx_buf_printf(buf, "\t[%zu skipped%s%s]", span->counts[FX_SUITE_SKIP],
                      reason != NULL ? ": " : "", reason != NULL ? reason : "");
    }
    fx_buf_char(buf, '\n');
}

static void print_count(struct fx_buf *buf, const char *before, size_t count,
                        const char *what) {
    if (count > 0) {
        fx_buf_printf(buf, "%s%zu %s", before, count, what);
    }
}

static void print_text_summary(struct fx_buf *buf, const struct fx_suite_results *results,
                               size_t n_suites, const struct fx_suite_style *style) {
    const size_t *counts = results->counts;
    print_status(buf, status_of(counts), false, style);
    fx_buf_printf(buf, "\n%zu suite%s: %zu passed", n_suites, n_suites == 1 ? "" : "s",
                  counts[FX_SUITE_PASS]);
    print_count(buf, ", ", counts[FX_SUITE_FAIL], "failed");
    print_count(buf, ", ", counts[FX_SUITE_ERROR], "invalid");
    print_count(buf, ", ", counts[FX_SUITE_SKIP], "skipped");
    print_count(buf, "; of those passed, ", results->n_unchecked,
                "with assertions that were ignored");
    fx_buf_char(buf, '\n');
}

static void print_text(struct fx_buf *buf, const struct fx_suite_results *results,
                       const struct fx_suite_style *style) {
    struct suite_span span;
    size_t n_suites = 0;
    for (size_t at = 0; next_span(results, &at, &span); n_suites++) {
        print_text_suite(buf, &span, style);
    }
    print_text_summary(buf, results, n_suites, style);
}

/* ---- JUnit ----------------------------------------------------------------------- */

/* JUnit's XML, in the form that CI systems agree on: testsuites, testsuite, testcase with
 * failure, error or skipped. */

/* XML 1.0 section 2.2: other characters cannot be written in XML at all. */
static bool is_char(uint32_t rune) {
    return rune == '\t' || rune == '\n' || (rune >= 0x20 && rune <= 0xD7FF) ||
           (rune >= 0xE000 && rune <= 0xFFFD) || rune >= 0x10000;
}

/* Appends character data or an attribute value. In attributes, line feeds and tabs are
 * written as references, as XML parsers would read them as blanks. */
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

static void junit_add_attribute(struct fx_buf *buf, const char *name, const char *value) {
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
    print_seconds(buf, ns);
    fx_buf_char(buf, '"');
}

/* Appends a failure or error: the reason as the message, the reason and the diff as the
 * content. */
static void print_junit_fault(struct fx_buf *buf, const char *element,
                              const struct fx_suite_result *result) {
    fx_buf_printf(buf, "      <%s", element);
    junit_add_attribute(buf, "message", result->reason);
    fx_buf_char(buf, '>');
    struct fx_buf reason = {0};
    print_reason(&reason, result);
    add_xml(buf, reason.failed ? "" : reason.data, false);
    fx_buf_finish_part(buf, &reason);
    fx_buf_char(buf, '\n');
    add_xml(buf, result->diff != NULL ? result->diff : "", false);
    fx_buf_printf(buf, "</%s>\n", element);
}

static void print_junit_outcome(struct fx_buf *buf,
                                const struct fx_suite_result *result) {
    switch (result->status) {
    case FX_SUITE_FAIL: print_junit_fault(buf, "failure", result); break;
    case FX_SUITE_ERROR: print_junit_fault(buf, "error", result); break;
    case FX_SUITE_SKIP:
        fx_buf_str(buf, "      <skipped");
        junit_add_attribute(buf, "message", result->reason);
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

/* Appends a case. In "suite/test/case", the class name is "suite/test". */
static void print_junit_case(struct fx_buf *buf, const struct fx_suite_result *result) {
    const size_t whole = strlen(result->name);
    const size_t own = result->case_ != NULL ? strlen(result->case_->name) : whole;
    struct fx_buf class_name = {0};
    fx_buf_add(&class_name, result->name, own < whole ? whole - own - 1 : whole);
    fx_buf_str(buf, "    <testcase");
    junit_add_attribute(buf, "classname", class_name.failed ? "" : class_name.data);
    junit_add_attribute(buf, "name", result->name + (whole - own));
    junit_add_attribute(buf, "file", result->file);
    if (result->line > 0) {
        fx_buf_printf(buf, " line=\"%u\"", (unsigned)result->line);
    }
    fx_buf_str(buf, " time=\"");
    print_seconds(buf, result->ns);
    fx_buf_str(buf, "\">\n");
    print_junit_outcome(buf, result);
    fx_buf_str(buf, "    </testcase>\n");
    fx_buf_finish_part(buf, &class_name);
}

static uint64_t total_ns(const struct fx_suite_results *results) {
    uint64_t ns = 0;
    for (size_t i = 0; i < results->n_items; i++) {
        ns += results->items[i].ns;
    }
    return ns;
}

static void print_junit(struct fx_buf *buf, const struct fx_suite_results *results) {
    fx_buf_str(buf, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<testsuites name=\"fixpoint\"");
    add_counts(buf, results->n_items, results->counts, total_ns(results));
    fx_buf_str(buf, ">\n");
    struct suite_span span;
    for (size_t at = 0; next_span(results, &at, &span);) {
        fx_buf_str(buf, "  <testsuite");
        junit_add_attribute(buf, "name", span.items[0].path);
        add_counts(buf, span.n_items, span.counts, span.ns);
        fx_buf_str(buf, ">\n");
        for (size_t i = 0; i < span.n_items; i++) {
            print_junit_case(buf, &span.items[i]);
        }
        fx_buf_str(buf, "  </testsuite>\n");
    }
    fx_buf_str(buf, "</testsuites>\n");
}

/* ---- TAP ------------------------------------------------------------------------- */

/* The Test Anything Protocol, version 14 (testanything.org). */

/* Appends the text as one line, with `#` escaped, which would begin a directive. */
static void tap_add_words(struct fx_buf *buf, const char *words) {
    struct fx_buf plain = {0};
    fx_plain_add(&plain, fx_text_of(words));
    for (size_t i = 0; i < plain.len; i++) {
        if (plain.data[i] == '#' || plain.data[i] == '\\') {
            fx_buf_char(buf, '\\');
        }
        fx_buf_char(buf, plain.data[i]);
    }
    fx_buf_finish_part(buf, &plain);
}

/* Sets object[key] to the text, as valid UTF-8. */
static bool tap_set(json_t *object, const char *key, const char *text) {
    struct fx_buf valid = {0};
    for (struct fx_text rest = fx_text_of(text); rest.len > 0;) {
        uint32_t rune = 0;
        char bytes[4];
        const size_t length = fx_text_rune(rest, &rune);
        fx_buf_add(&valid, bytes, fx_text_encode_rune(rune, bytes));
        rest = (struct fx_text){rest.data + length, rest.len - length};
    }
    const bool ok =
        !valid.failed && fx_tree_set_take(object, fx_text_of(key),
                                          fx_tree_new_string(fx_buf_view(&valid)));
    fx_buf_finish(&valid);
    return ok;
}

static json_t *details_of(const struct fx_suite_result *result) {
    json_t *details = json_object();
    const bool ok = details != NULL && tap_set(details, "message", result->reason) &&
                    tap_set(details, "severity", fx_suite_status_name(result->status)) &&
                    tap_set(details, "file", result->file) &&
                    (result->line == 0 || fx_tree_set_take(details, FX_TEXT("line"),
                                                           json_integer(result->line))) &&
                    (result->diff == NULL || tap_set(details, "diff", result->diff));
    return fx_tree_keep_if(ok, details);
}

/* Appends the YAML block below a test point, indented by two blanks. */
static void print_tap_details(struct fx_buf *buf, const struct fx_suite_result *result) {
    json_t *details = details_of(result);
    struct fx_buf yaml = {0};
    if (details == NULL) {
        buf->failed = true;
        return;
    }
    fx_yaml_write(&yaml, details);
    json_decref(details);
    fx_buf_str(buf, "  ---\n");
    print_indented(buf, "  ", yaml.failed ? "" : yaml.data);
    fx_buf_str(buf, "  ...\n");
    fx_buf_finish_part(buf, &yaml);
}

static void print_tap_result(struct fx_buf *buf, size_t number,
                             const struct fx_suite_result *result) {
    const bool fails = is_failure(result);
    fx_buf_printf(buf, "%sok %zu - ", fails ? "not " : "", number);
    tap_add_words(buf, result->name);
    if (result->status == FX_SUITE_SKIP) {
        fx_buf_str(buf, " # SKIP ");
        tap_add_words(buf, result->reason);
    }
    fx_buf_char(buf, '\n');
    if (fails) {
        print_tap_details(buf, result);
    } else if (result->status == FX_SUITE_PASS && result->reason != NULL) {
        fx_buf_str(buf, "# ");
        fx_plain_add(buf, fx_text_of(result->reason));
        fx_buf_char(buf, '\n');
    }
}

static void print_tap(struct fx_buf *buf, const struct fx_suite_results *results) {
    fx_buf_printf(buf, "TAP version 14\n1..%zu\n", results->n_items);
    for (size_t i = 0; i < results->n_items; i++) {
        print_tap_result(buf, i + 1, &results->items[i]);
    }
}

/* ---- JSON ------------------------------------------------------------------------ */

/* One JSON object per line, with the fields of `go test -json` (test2json) and some more.
 * A case gives an "output" event if it has a reason, and then an event whose Action is
 * its status: pass, fail, skip, or fail with Invalid. A suite gives an event without
 * Test. */

static void json_add_member(struct fx_buf *buf, const char *key, const char *value) {
    fx_buf_printf(buf, ",\"%s\":", key);
    fx_json_write_string(buf, fx_text_of(value), FX_JSON_COMPACT);
}

static void json_begin(struct fx_buf *buf, const char *action, const char *path,
                       const char *name) {
    fx_buf_printf(buf, "{\"Action\":\"%s\"", action);
    json_add_member(buf, "Package", path);
    if (name != NULL) {
        json_add_member(buf, "Test", name);
    }
}

static void json_add_elapsed(struct fx_buf *buf, uint64_t ns) {
    fx_buf_str(buf, ",\"Elapsed\":");
    print_seconds(buf, ns);
}

static const char *action_of(enum fx_suite_status status) {
    return fx_suite_status_name(status == FX_SUITE_ERROR ? FX_SUITE_FAIL : status);
}

/* Appends an event with the text that the format TEXT would print. */
static void print_json_output(struct fx_buf *buf, const struct fx_suite_result *result) {
    struct fx_buf words = {0};
    print_reason(&words, result);
    fx_buf_char(&words, '\n');
    fx_buf_str(&words, result->diff != NULL ? result->diff : "");
    json_begin(buf, "output", result->path, result->name);
    json_add_member(buf, "Output", words.failed ? "" : words.data);
    fx_buf_str(buf, "}\n");
    fx_buf_finish_part(buf, &words);
}

static void print_json_result(struct fx_buf *buf, const struct fx_suite_result *result) {
    json_begin(buf, "run", result->path, result->name);
    fx_buf_str(buf, "}\n");
    if (result->reason != NULL) {
        print_json_output(buf, result);
    }
    json_begin(buf, action_of(result->status), result->path, result->name);
    json_add_elapsed(buf, result->ns);
    json_add_member(buf, "File", result->file);
    if (result->line > 0) {
        fx_buf_printf(buf, ",\"Line\":%u", (unsigned)result->line);
    }
    if (result->status == FX_SUITE_ERROR) {
        fx_buf_str(buf, ",\"Invalid\":true");
    }
    if (result->reason != NULL) {
        json_add_member(buf, "Reason", result->reason);
    }
    if (result->diff != NULL) {
        json_add_member(buf, "Diff", result->diff);
    }
    fx_buf_str(buf, "}\n");
}

static void print_json(struct fx_buf *buf, const struct fx_suite_results *results) {
    struct suite_span span;
    for (size_t at = 0; next_span(results, &at, &span);) {
        for (size_t i = 0; i < span.n_items; i++) {
            print_json_result(buf, &span.items[i]);
        }
        json_begin(buf, action_of(status_of(span.counts)), span.items[0].path, NULL);
        json_add_elapsed(buf, span.ns);
        fx_buf_str(buf, "}\n");
    }
}

/* ---- GitHub ---------------------------------------------------------------------- */

/* Workflow commands of GitHub Actions, which become annotations of the changed lines:
 *
 *   ::error file=tests/suite.yaml,line=12,title=sidecar/inject/adds::the mutated …
 */

/* Appends the text with escapes, as GitHub's toolkit does; properties need more
 * escapes. */
static void github_add_escaped(struct fx_buf *buf, const char *text, bool property) {
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

/* Appends text from users, on one line. */
static void github_add_words(struct fx_buf *buf, const char *words, bool property) {
    struct fx_buf plain = {0};
    fx_plain_add(&plain, fx_text_of(words));
    github_add_escaped(buf, plain.len > 0 ? plain.data : "", property);
    fx_buf_finish_part(buf, &plain);
}

static void print_github_result(struct fx_buf *buf, const char *command,
                                const struct fx_suite_result *result) {
    fx_buf_printf(buf, "::%s file=", command);
    github_add_words(buf, result->file, true);
    if (result->line > 0) {
        fx_buf_printf(buf, ",line=%u", (unsigned)result->line);
    }
    fx_buf_str(buf, ",title=");
    github_add_words(buf, result->name, true);
    fx_buf_str(buf, "::");
    github_add_words(buf, result->reason, false);
    if (result->diff != NULL) {
        fx_buf_str(buf, "%0A");
        github_add_escaped(buf, result->diff, false);
        buf->len -= fx_text_ends(fx_buf_view(buf), FX_TEXT("%0A")) ? strlen("%0A") : 0;
    }
    fx_buf_char(buf, '\n');
}

static void print_github(struct fx_buf *buf, const struct fx_suite_results *results) {
    for (size_t i = 0; i < results->n_items; i++) {
        const struct fx_suite_result *result = &results->items[i];
        if (is_failure(result)) {
            print_github_result(buf, "error", result);
        }
    }
    fx_buf_printf(buf, "%zu passed, %zu failed, %zu invalid, %zu skipped\n",
                  results->counts[FX_SUITE_PASS], results->counts[FX_SUITE_FAIL],
                  results->counts[FX_SUITE_ERROR], results->counts[FX_SUITE_SKIP]);
}

/* ---- all formats ----------------------------------------------------------------- */

const char *const fx_suite_format_words[] = {
#define X(name, word) [FX_SUITE_FORMAT_##name] = #word,
    FX_SUITE_FORMATS(X)
#undef X
        NULL,
};

void fx_suite_print(struct fx_buf *buf, enum fx_suite_format format,
                    const struct fx_suite_results *results,
                    const struct fx_suite_style *style) {
    switch (format) {
    case FX_SUITE_FORMAT_TEXT: print_text(buf, results, style); break;
    case FX_SUITE_FORMAT_JUNIT: print_junit(buf, results); break;
    case FX_SUITE_FORMAT_TAP: print_tap(buf, results); break;
    case FX_SUITE_FORMAT_JSON: print_json(buf, results); break;
    case FX_SUITE_FORMAT_GITHUB: print_github(buf, results); break;
    }
}
