/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_jmespath.c - kyverno/jmespath*.jsonl: evaluates a query on a document: as it
 * is, through the names of a scope, and on the part of it that the query says it reads.
 */
#include "base/buf.h"
#include "kinds.h"
#include "location/jmespath/jmespath.h"
#include "location/jmespath/scope_testing.h"
#include "skips.h"
#include "value/json.h"
#include "value/json_part.h"
#include "value/tree.h"

/* The result of a search. */
struct search_result {
    enum fx_jmespath_outcome outcome;
    json_t *value; /* counted */
    struct fx_err err;
};

/* ---- the expected result ----------------------------------------------------------- */

/* Is an error expected: {"error": true} or with a message? */
static bool expects_error(const json_t *row) {
    const json_t *expect = fx_tree_view_key(row, "expect");
    const json_t *error = fx_tree_view_key(expect, "error");
    return json_object_size(expect) == 1 &&
           (json_is_string(error) || json_is_true(error));
}

/* Is the error a missing key? */
static bool expects_missing(const json_t *row) {
    return fx_text_starts(fx_tree_view_string(fx_tree_view_key(row, "expect"), "error"),
                          FX_TEXT("not-found:"));
}

/* In the suites of JMESPath itself a missing key is null. */
static bool takes_missing_as_null(const json_t *row) {
    return fx_text_ends(fx_tree_view_string(row, "suite"), FX_TEXT("compliance"));
}

static const char *outcome_name(enum fx_jmespath_outcome outcome) {
    return outcome == FX_JMESPATH_VALUE       ? "a value"
           : outcome == FX_JMESPATH_NOT_FOUND ? "a missing key"
                                              : "an error";
}

static void compare(json_t *row, const char *what, const struct search_result *got,
                    struct fx_case_result *result) {
    const bool is_missing = got->outcome == FX_JMESPATH_NOT_FOUND;
    const bool is_null = is_missing && takes_missing_as_null(row);
    if (expects_error(row)) {
        const bool wants_missing = expects_missing(row);
        if (got->outcome == FX_JMESPATH_VALUE || wants_missing != is_missing) {
            fx_case_fail(result, what, wants_missing ? "a missing key" : "an error",
                         outcome_name(got->outcome));
        }
    } else if (got->outcome != FX_JMESPATH_VALUE && !is_null) {
        fx_case_fail(result, what, "a value", got->err.msg);
    } else {
        fx_case_expect_json(result, what, fx_tree_view_key(row, "expect"),
                            is_null ? json_null() : got->value);
    }
}

/* ---- three ways to search ---------------------------------------------------------- */

static void search(json_t *row, const char *what, const struct fx_jmespath *query,
                   json_t *root, json_t *names, struct fx_case_result *result) {
    const struct fx_jmespath_scope scope = jmespath_scope_of(names);
    struct search_result got = {.err = FX_ERR_INIT};
    got.outcome = fx_jmespath_search(query, root, &scope, &got.value, &got.err);
    compare(row, what, &got, result);
    json_decref(got.value);
}

/* Reads the part of the document that the query reads. */
static json_t *read_part(const struct fx_jmespath *query, const json_t *document,
                         struct fx_err *err) {
    struct fx_json_part part = {.omits_rest = true};
    struct fx_json_cursor cursor;
    struct fx_buf text = {0};
    json_t *read = NULL;
    fx_json_write(&text, document, FX_JSON_COMPACT);
    if (fx_jmespath_reads(query, &part, &cursor)) {
        fx_json_cursor_all(cursor);
        fx_json_part_prune(&part);
        read = fx_json_read_part(fx_buf_view(&text), &part, NULL, err);
    }
    fx_json_part_finish(&part);
    fx_buf_finish(&text);
    return read;
}

static void search_part(json_t *row, const struct fx_jmespath *query, json_t *document,
                        struct fx_case_result *result) {
    struct fx_err err = FX_ERR_INIT;
    json_t *part = read_part(query, document, &err);
    if (part == NULL) {
        fx_case_fail(result, "the part that is read", "a document", err.msg);
    } else {
        search(row, "value of the part that is read", query, part, NULL, result);
    }
    json_decref(part);
}

void fx_case_jmespath(json_t *row, struct fx_case_result *result) {
    struct fx_jmespath *query = NULL;
    struct search_result failed = {.outcome = FX_JMESPATH_ERROR, .err = FX_ERR_INIT};
    json_t *document = fx_tree_view_key(row, "given");
    result->skipped = fx_case_jmespath_skip_reason(row);
    if (result->skipped != NULL) {
        return;
    }
    if (!fx_jmespath_compile(fx_tree_view_string(row, "expression"), &query,
                             &failed.err)) {
        compare(row, "query", &failed, result);
        return;
    }
    search(row, "value", query, document, NULL, result);
    if (!result->failed) {
        search_part(row, query, document, result);
    }
    if (!result->failed && json_is_object(document)) {
        search(row, "value in a scope", query, NULL, document, result);
    }
    fx_jmespath_destroy(query);
}
