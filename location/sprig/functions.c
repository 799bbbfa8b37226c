/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/functions.c - the common part of Sprig's functions: conversions, and a
 * search with one pass over the needle and one over the text.
 */
#include "location/sprig/functions.h"

#include <string.h>

#include "base/strconv.h"

/* ---- conversions ------------------------------------------------------------------- */

/* Converts a double as the hardware does that KubeMod runs on: a number that does not fit
 * an int64 gives the lowest one. */
static int64_t truncate(double number) {
    return number >= -0x1p63 && number < 0x1p63 ? (int64_t)number : INT64_MIN;
}

int64_t value_to_int64(const struct value *value) {
    int64_t integer = 0;
    switch (value->kind) {
    case VALUE_BOOL: return value->boolean ? 1 : 0;
    case VALUE_INT:
    case VALUE_INT64:
    case VALUE_UINT64: return value->integer;
    case VALUE_FLOAT64: return truncate(value->number);
    case VALUE_STRING:
        return fx_go_parse_int(value->string, 0, &integer) == FX_GO_NUMBER ? integer : 0;
    case VALUE_MISSING:
    case VALUE_NIL:
    case VALUE_LIST:
    case VALUE_MAP:
    case VALUE_OBJECT:
    case VALUE_STRUCT: break;
    }
    return 0;
}

/* Parses a text. A text that is not a number, or a number that is too large, gives 0. */
static bool parse_float64(struct template_run *run, struct fx_text text,
                          double *ret_number) {
    *ret_number = 0;
    return fx_go_parse_float(text, ret_number) != FX_GO_NOMEM || fx_fail_nomem(run->err);
}

bool value_to_float64(struct template_run *run, const struct value *value,
                      double *ret_number) {
    switch (value->kind) {
    case VALUE_FLOAT64: *ret_number = value->number; return true;
    case VALUE_STRING: return parse_float64(run, value->string, ret_number);
    case VALUE_MISSING:
    case VALUE_NIL:
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_INT64:
    case VALUE_UINT64:
    case VALUE_LIST:
    case VALUE_MAP:
    case VALUE_OBJECT:
    case VALUE_STRUCT: break;
    }
    *ret_number = (double)value_to_int64(value);
    return true;
}

bool value_to_strings(struct template_run *run, const struct value *value,
                      struct template_list **ret_list) {
    const bool is_list = value->kind == VALUE_LIST;
    const struct value *values = is_list ? value->list->values : value;
    size_t n = is_list ? value->list->n : 1;
    struct template_list *list = value_strings_new(run, n);
    if (list == NULL) {
        return false;
    }
    list->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (value_is_nil(&values[i])) {
            continue;
        }
        struct fx_text text = {0};
        if (!value_text(run, &values[i], &text)) {
            return false;
        }
        list->values[list->n++] = value_string(text);
    }
    *ret_list = list;
    return true;
}

/* ---- searching --------------------------------------------------------------------- */

/* Returns the length of the match when `c` follows it. */
static size_t extend_match(const struct text_finder *finder, size_t matched, char c) {
    while (matched > 0 && finder->needle.data[matched] != c) {
        matched = finder->borders[matched - 1];
    }
    return finder->needle.data[matched] == c ? matched + 1 : 0;
}

bool finder_init(struct text_finder *finder, struct template_run *run,
                 struct fx_text needle) {
    *finder = (struct text_finder){.needle = needle};
    finder->borders = run_alloc(run, needle.len * sizeof *finder->borders);
    if (finder->borders == NULL) {
        return false;
    }
    for (size_t i = 1; i < needle.len; i++) {
        finder->borders[i] = extend_match(finder, finder->borders[i - 1], needle.data[i]);
    }
    return true;
}

size_t finder_next(const struct text_finder *finder, struct fx_text text, size_t from) {
    size_t matched = 0;
    for (size_t at = from; at < text.len; at++) {
        if (matched == 0) {
            const char *first =
                memchr(text.data + at, finder->needle.data[0], text.len - at);
            if (first == NULL) {
                return FINDER_NONE;
            }
            at = (size_t)(first - text.data);
        }
        matched = extend_match(finder, matched, text.data[at]);
        if (matched == finder->needle.len) {
            return at + 1 - matched;
        }
    }
    return FINDER_NONE;
}
