/* SPDX-License-Identifier: Apache-2.0
 *
 * map_create.c - the faults of policies and bindings, as an API server reports them when
 * they are created.
 */
#include <string.h>

#include "engine/dialect.h"
#include "map.h"
#include "value/tree.h"

extern const struct fx_dialect fx_dialect_admission_policy;

/* Compiles a document, and appends {policy, errors: [{field, message}], text} to the list
 * if it has faults. */
static void add_faults(json_t *document, json_t *list) {
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!fx_dialect_admission_policy.compile(document, &made, &err)) {
        json_t *errors = json_array();
        struct fx_buf all;
        fx_buf_init(&all, 0);
        for (size_t i = 0; i < made.n_faults; i++) {
            const struct fx_text field = fx_fault_field(&made.faults[i]);
            const char *message = made.faults[i].text + field.len + strlen(": ");
            (void)json_array_append_new(errors,
                                        json_pack("{s:s%, s:s}", "field", field.data,
                                                  field.len, "message", message));
            fx_buf_printf(&all, "%s%s", i == 0 ? "" : ", ", made.faults[i].text);
        }
        (void)json_array_append_new(
            list,
            json_pack("{s:O?, s:o, s:s}", "policy",
                      fx_tree_view_key(fx_tree_view_key(document, "metadata"), "name"),
                      "errors", errors, "text", made.n_faults == 0 ? err.msg : all.data));
        fx_buf_finish(&all);
    }
    fx_compilation_finish(&made);
}

static struct fx_text name_of(const json_t *document) {
    return fx_tree_view_string(fx_tree_view_key(document, "metadata"), "name");
}

/* Compiles all documents of a list in the order of their names. */
static void add_all(const json_t *documents, json_t *list) {
    json_t *last = NULL;
    for (size_t n = 0; n < json_array_size(documents); n++) {
        json_t *next = NULL;
        for (size_t i = 0; i < json_array_size(documents); i++) {
            json_t *one = json_array_get(documents, i);
            if ((last == NULL || fx_text_compare(name_of(last), name_of(one)) < 0) &&
                (next == NULL || fx_text_compare(name_of(one), name_of(next)) < 0)) {
                next = one;
            }
        }
        if (next == NULL) { /* the rest has names that came before */
            return;
        }
        add_faults(next, list);
        last = next;
    }
}

static json_t *find_faults(json_t *row) {
    json_t *list = json_array();
    add_all(fx_tree_view_key(row, "policies"), list);
    add_all(fx_tree_view_key(row, "bindings"), list);
    return list;
}

/* The part of a message that is compared: the texts of a parser generator are not. */
static struct fx_text without_syntax(struct fx_text message) {
    static const char mark[] = "Syntax error: ";
    const char *at = message.len == 0 ? NULL : strstr(message.data, mark);
    if (at != NULL) {
        message.len = (size_t)(at - message.data) + strlen(mark);
    }
    return message;
}

/* Compares the errors of one policy: each has the field and ends with the message. */
static void compare_errors(struct fx_case_result *result, const json_t *expected,
                           const json_t *got) {
    const json_t *wanted = fx_tree_view_key(expected, "errors");
    const json_t *errors = fx_tree_view_key(got, "errors");
    char what[64];
    if (json_array_size(wanted) != json_array_size(errors)) {
        fx_case_expect_json(result, "errors", wanted, errors);
        return;
    }
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const json_t *one = json_array_get(wanted, i);
        const json_t *other = json_array_get(errors, i);
        (void)snprintf(what, sizeof what, "error %zu: field", i);
        fx_case_expect_text(result, what, fx_tree_view_string(one, "field"),
                            fx_tree_view_string(other, "field"));
        (void)snprintf(what, sizeof what, "error %zu", i);
        const struct fx_text message =
            without_syntax(fx_tree_view_string(other, "message"));
        const struct fx_text wants = without_syntax(fx_tree_view_string(one, "message"));
        if (!fx_text_ends(message, wants)) {
            fx_case_expect_text(result, what, wants, message);
        }
    }
}

/* Compares with what the 1.36 code reports: a list of policies with their errors. */
static void compare_lists(struct fx_case_result *result, const json_t *expected,
                          const json_t *got) {
    if (json_array_size(expected) != json_array_size(got)) {
        fx_case_expect_json(result, "createErrors", expected, got);
        return;
    }
    for (size_t i = 0; i < json_array_size(expected); i++) {
        compare_errors(result, json_array_get(expected, i), json_array_get(got, i));
    }
}

/* True for an expression with something that 1.32, which answered, did not have. */
static bool is_too_new(struct fx_text message) {
    return fx_text_contains(message, FX_TEXT("undeclared reference to"));
}

/* Compares with the message of a 1.32 server for the one object that it refused. */
static void compare_message(struct fx_case_result *result, struct fx_text expected,
                            const json_t *got) {
    const json_t *faulty = json_array_get(got, 0);
    if (is_too_new(expected) &&
        (faulty == NULL ||
         !fx_text_contains(expected, fx_tree_view_string(faulty, "text")))) {
        result->skipped = "refused by 1.32, which has fewer functions";
        return;
    }
    fx_case_expect_part(result, "createErrors",
                        without_syntax(fx_tree_view_string(faulty, "text")), expected);
    if (faulty == NULL) {
        fx_case_expect_text(result, "createErrors", expected, FX_TEXT(""));
    }
}

/* Unit tests of the API server compile a policy when it is run: compares their error. */
static void compare_late(struct fx_case_result *result, const json_t *error,
                         const json_t *got) {
    if (json_is_string(error)) {
        fx_case_expect_part(result, "error", fx_tree_text(error),
                            fx_tree_view_string(json_array_get(got, 0), "text"));
    } else {
        fx_case_expect_json(result, "createErrors", NULL, got);
    }
}

bool fx_case_map_create(json_t *row, struct fx_case_result *result) {
    json_t *expect = fx_tree_view_key(row, "expect");
    const json_t *expected = fx_tree_view_key(expect, "createErrors");
    const json_t *of_server = fx_tree_view_key(row, "createErrors");
    json_t *got = find_faults(row);
    const bool is_refused = expected != NULL || of_server != NULL ||
                            fx_tree_view_key(expect, "phase") != NULL;
    if (expected != NULL) {
        compare_lists(result, expected, got);
    } else if (of_server != NULL) {
        compare_message(
            result, fx_tree_view_string(json_array_get(of_server, 0), "message"), got);
    } else if (is_refused) {
        compare_message(result, fx_tree_view_string(expect, "error"), got);
    } else if (json_array_size(got) > 0) {
        compare_late(result, fx_tree_view_key(expect, "error"), got);
    }
    const bool goes_on = !is_refused && json_array_size(got) == 0;
    json_decref(got);
    return goes_on;
}
