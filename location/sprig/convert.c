/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/convert.c - conversion of any value to numbers and lists of texts.
 */
#include "location/sprig/convert.h"

#include "base/err.h"
#include "base/strconv.h"
#include "location/gotemplate/value.h"

/* As on the hardware that KubeMod runs on: a number that does not fit an int64 gives
 * the lowest one. */
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

/* A text that is no number, or too large a number, gives 0. */
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
                      struct list **ret_list) {
    const bool is_list = value->kind == VALUE_LIST;
    const struct value *values = is_list ? value->list->values : value;
    size_t n = is_list ? value->list->n : 1;
    struct list *list = value_list_new(run, n);
    if (list == NULL) {
        return false;
    }
    list->type = TYPE_STRINGS;
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
