/* SPDX-License-Identifier: Apache-2.0
 *
 * kubemod_jsonpath.c - kubemod/jsonpath.jsonl: evaluates an expression on a document,
 * which gives a value or matches (KubeMod spec section 12 describes the cases);
 * kubemod/number-text.json: numbers as text.
 */
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "location/jsonpath/jsonpath.h"
#include "value/equal.h"
#include "value/go_text.h"
#include "value/json.h"
#include "value/number.h"
#include "value/tree.h"

/* ---- the expected results --------------------------------------------------------- */

/* Returns the text that stands for {"$undefined": true}, {"$float": "NaN"} or
 * "time.Time:..." in a result (jsonpath.h). Returns NULL for other values. */
static json_t *text_instead(const json_t *expected) {
    static const char time[] = "time.Time:";
    if (fx_tree_view_key(expected, "$undefined") != NULL) {
        return json_string("");
    }
    const struct fx_text number = fx_tree_view_string(expected, "$float");
    if (number.data != NULL) {
        return fx_tree_new_string(number);
    }
    const struct fx_text text = fx_tree_text(expected);
    if (fx_text_starts(text, FX_TEXT(time))) {
        return fx_tree_new_string(
            (struct fx_text){text.data + strlen(time), text.len - strlen(time)});
    }
    return NULL;
}

/* Translates a value, and the values of a map at any depth. */
static json_t *translate(json_t *expected) {
    json_t *instead = text_instead(expected);
    const char *key = NULL;
    json_t *child = NULL;
    if (instead != NULL || !json_is_object(expected)) {
        return instead != NULL ? instead : json_incref(expected);
    }
    instead = json_object();
    json_object_foreach (expected, key, child) {
        (void)json_object_set_new(instead, key, translate(child));
    }
    return instead;
}

/* Translates a list. Only the entries of a list may be undefined. */
static json_t *translate_all(json_t *expected) {
    json_t *all = json_array();
    size_t index = 0;
    json_t *entry = NULL;
    json_array_foreach (expected, index, entry) {
        const bool undefined = fx_tree_view_key(entry, "$undefined") != NULL;
        (void)json_array_append_new(all,
                                    undefined ? json_incref(entry) : translate(entry));
    }
    return all;
}

static int compare_texts(const void *a, const void *b) {
    return fx_text_compare(fx_tree_text(*(json_t *const *)a),
                           fx_tree_text(*(json_t *const *)b));
}

/* Returns the values of the list as sorted texts, for lists without a defined order. */
static json_t *sorted(const json_t *list) {
    const size_t count = json_array_size(list);
    json_t **texts = calloc(count + 1, sizeof(json_t *));
    json_t *all = json_array();
    for (size_t i = 0; texts != NULL && i < count; i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_json_write(&buf, json_array_get(list, i), FX_JSON_SORT_KEYS);
        texts[i] = fx_tree_new_string((struct fx_text){buf.data, buf.len});
        fx_buf_finish(&buf);
    }
    if (texts != NULL) {
        qsort(texts, count, sizeof(json_t *), compare_texts);
    }
    for (size_t i = 0; texts != NULL && i < count; i++) {
        (void)json_array_append_new(all, texts[i]);
    }
    free(texts);
    return all;
}

static void expect_list(const json_t *row, const char *what, json_t *expected,
                        json_t *got, struct fx_case_result *result) {
    if (json_is_false(fx_tree_view_key(row, "ordered"))) {
        json_t *left = sorted(expected);
        json_t *right = sorted(got);
        fx_case_expect_json(result, what, left, right);
        json_decref(left);
        json_decref(right);
    } else {
        fx_case_expect_json(result, what, expected, got);
    }
}

/* ---- values ----------------------------------------------------------------------- */

static const char *shape_name(const struct fx_jsonpath_result *got) {
    switch (got->shape) {
    case FX_JSONPATH_UNDEFINED: return "undefined";
    case FX_JSONPATH_LIST: return "list";
    case FX_JSONPATH_VALUE: break;
    }
    return json_is_object(got->values[0]) ? "map" : "value";
}

/* Returns the expected result. If README requires another result than KubeMod's, it is in
 * `conflict`. */
static json_t *view_expected(json_t *row) {
    json_t *run = fx_tree_view_key(fx_tree_view_key(row, "conflict"), "run");
    return run != NULL ? run : fx_tree_view_key(row, "expect");
}

static void compare_values(json_t *row, const struct fx_jsonpath_result *got,
                           struct fx_case_result *result) {
    json_t *expected = view_expected(row);
    json_t *wanted =
        json_is_array(expected) ? translate_all(expected) : json_pack("[O]", expected);
    json_t *values = json_array();
    for (size_t i = 0; i < got->n_values; i++) {
        (void)json_array_append_new(values, got->values[i] == NULL
                                                ? json_pack("{s:b}", "$undefined", 1)
                                                : json_incref(got->values[i]));
    }
    fx_case_expect_text(result, "shape", fx_tree_view_string(row, "shape"),
                        fx_text_of(shape_name(got)));
    expect_list(row, "values", wanted, values, result);
    json_decref(wanted);
    json_decref(values);
}

static bool expects_error(const json_t *row) {
    return fx_tree_view_key(fx_tree_view_key(row, "expect"), "error") != NULL;
}

static void run_value(json_t *row, const struct fx_jsonpath *path,
                      struct fx_case_result *result) {
    struct fx_jsonpath_result got = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_jsonpath_eval(path, fx_tree_view_key(row, "document"), &got, &err);
    fx_case_expect_bool(result, ok ? "evaluates" : err.msg, !expects_error(row), ok);
    if (ok && !result->failed) {
        compare_values(row, &got, result);
    }
    fx_jsonpath_result_finish(&got);
}

/* ---- matches ---------------------------------------------------------------------- */

static json_t *parts_node(const struct fx_jsonpath_match *place) {
    json_t *parts = json_array();
    for (size_t i = 0; i < place->n_parts; i++) {
        const struct fx_jsonpath_part *part = &place->parts[i];
        (void)json_array_append_new(
            parts, part->is_index ? json_integer((json_int_t)part->index)
                                  : json_stringn(part->key.data, part->key.len));
    }
    return parts;
}

/* Returns [[value, parts], ...]. */
static json_t *places_node(const struct fx_jsonpath_matches *places) {
    json_t *all = json_array();
    for (size_t i = 0; i < places->n_matches; i++) {
        (void)json_array_append_new(all, json_pack("[O, o]", places->matches[i].value,
                                                   parts_node(&places->matches[i])));
    }
    return all;
}

static json_t *expected_places(const json_t *row) {
    const json_t *values = fx_tree_view_key(row, "expect");
    const json_t *parts = fx_tree_view_key(row, "keyParts");
    json_t *all = json_array();
    for (size_t i = 0; i < json_array_size(values); i++) {
        (void)json_array_append_new(all, json_pack("[O, O]", json_array_get(values, i),
                                                   json_array_get(parts, i)));
    }
    return all;
}

static void run_places(json_t *row, const struct fx_jsonpath *path,
                       struct fx_case_result *result) {
    struct fx_jsonpath_matches places = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!fx_jsonpath_find(path, fx_tree_view_key(row, "document"), &places, &err)) {
        fx_case_fail(result, "places", "some", err.msg);
        return;
    }
    json_t *expected = expected_places(row);
    json_t *got = places_node(&places);
    expect_list(row, "places", expected, got, result);
    json_decref(expected);
    json_decref(got);
    fx_jsonpath_matches_finish(&places);
}

/* ---- cases ------------------------------------------------------------------------ */

/* True if the compilation must fail. It must fail for an error in constants. */
static bool fails_at_once(const json_t *row) {
    const struct fx_text stage =
        fx_tree_view_string(fx_tree_view_key(row, "expect"), "stage");
    return expects_error(row) && !fx_text_is(stage, "eval");
}

/* True if the case fails because operators need spaces (spec section 7.1): in KubeMod an
 * operator is the longest run of operator characters. */
static bool needs_spaces(const json_t *row) {
    return fx_text_contains(fx_tree_view_string(fx_tree_view_key(row, "expect"), "error"),
                            FX_TEXT("unknown operator"));
}

void fx_case_jsonpath(json_t *row, struct fx_case_result *result) {
    struct fx_jsonpath *path = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool places = fx_text_is(fx_tree_view_string(row, "use"), "patch-select");
    const bool ok = fx_jsonpath_compile(
        fx_tree_view_string(row, "expression"),
        places ? FX_JSONPATH_PATH : FX_JSONPATH_EXPRESSION, &path, &err);
    if (ok && needs_spaces(row)) {
        result->skipped = "on purpose: operators need no spaces around them";
    } else {
        void (*const run)(json_t *row, const struct fx_jsonpath *path,
                          struct fx_case_result *result) =
            places ? run_places : run_value;
        fx_case_expect_bool(result, ok ? "compiles" : err.msg, !fails_at_once(row), ok);
        if (ok && !result->failed) {
            run(row, path, result);
        }
    }
    fx_jsonpath_destroy(path);
}

/* Compares the text of a number. KubeMod's numbers are doubles. */
void fx_case_number_text(json_t *row, struct fx_case_result *result) {
    const struct fx_text json = fx_tree_view_string(row, "json");
    const double number = json.data == NULL ? 0 : strtod(json.data, NULL);
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_go_text_add_double(&text, number);
    fx_case_expect_text(result, "text", fx_tree_view_string(row, "text_v"),
                        (struct fx_text){text.data, text.len});
    fx_buf_finish(&text);

    char printed[FX_NUMBER_SIZE];
    const size_t len = fx_number_print_double(number, printed);
    fx_case_expect_text(result, "JSON", fx_tree_view_string(row, "json_out"),
                        (struct fx_text){printed, len});
}
