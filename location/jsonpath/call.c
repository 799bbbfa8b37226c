/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/call.c - the functions (spec section 7.3).
 */
#include <assert.h>

#include "location/go/time.h"
#include "location/jsonpath/value.h"

/* Entries, members or bytes; none where there is nothing. */
static bool length(struct run *run, const struct node *call, const struct value *value,
                   size_t *ret_length) {
    struct fx_text text = {0};
    if (value->kind == VALUE_UNDEFINED || fx_jsonpath_is_null(value)) {
        *ret_length = 0;
    } else if (fx_jsonpath_is_map(value)) {
        *ret_length = fx_jsonpath_map_size(value);
    } else if (fx_jsonpath_as_text(value, &text)) {
        *ret_length = text.len;
    } else if (!fx_jsonpath_is_list(value, ret_length)) {
        return FX_JSONPATH_FAIL(run, call,
                                "`%s` takes a list, an object or a text, not %s",
                                fx_jsonpath_function_name((enum function_id)call->id),
                                fx_jsonpath_type_name(value));
    }
    return true;
}

/* The layouts of dates (spec section 7.3), in the order in which they are tried. */
static const char *const date_layouts[] = {
    "Mon Jan _2 15:04:05 2006",
    "Mon Jan _2 15:04:05 MST 2006",
    "Mon Jan 02 15:04:05 -0700 2006",
    "3:04PM",
    "2006-01-02T15:04:05Z07:00",
    "2006-01-02",
    "2006-01-02 15:04",
    "2006-01-02 15:04:05",
    "2006-01-02 15:04:05-07:00",
    "2006-01-02T15Z0700",
    "2006-01-02T15:04Z0700",
    "2006-01-02T15:04:05Z0700",
};

/* Reads all of the text in the first layout that it fits. */
static bool parse_date(struct fx_text text, struct fx_go_time *ret_time) {
    for (size_t i = 0; i < FX_COUNT(date_layouts) && text.len > 0; i++) {
        if (fx_go_time_parse(fx_text_of(date_layouts[i]), text, ret_time, NULL)) {
            /* The clock of `GMT-8` shows the time that is written, as with an offset. */
            const bool is_gmt = fx_text_starts(ret_time->zone, FX_TEXT("GMT"));
            ret_time->seconds -= is_gmt ? ret_time->offset : 0;
            return true;
        }
    }
    return false;
}

static bool date(struct run *run, const struct node *call, const struct value *value,
                 struct value *ret_value) {
    struct fx_text text = {0};
    if (!fx_jsonpath_as_text(value, &text)) {
        return FX_JSONPATH_FAIL(run, call, "`date` takes a text, not %s",
                                fx_jsonpath_type_name(value));
    }
    struct fx_go_time *made = fx_jsonpath_alloc(run, sizeof *made);
    if (made == NULL || !fx_jsonpath_spend(run, 50 + text.len)) {
        return false;
    }
    if (!parse_date(text, made)) {
        return FX_JSONPATH_FAIL(run, call,
                                "`%.*s` is no date: write it as `2006-01-02` "
                                "or `2006-01-02T15:04:05Z`",
                                FX_TEXT_ARG(text));
    }
    *ret_value = (struct value){.kind = VALUE_DATE, .as.date = made};
    return true;
}

bool fx_jsonpath_call(struct run *run, const struct node *call,
                      const struct value *argument, struct value *ret_value) {
    const bool is_undefined = argument->kind == VALUE_UNDEFINED;
    size_t count = 0;
    switch ((enum function_id)call->id) {
    case FUNCTION_LENGTH:
        if (!length(run, call, argument, &count)) {
            return false;
        }
        *ret_value = (struct value){.kind = VALUE_COUNT, .as.integer = (int64_t)count};
        return true;
    case FUNCTION_IS_EMPTY:
    case FUNCTION_IS_NOT_EMPTY:
        if (!length(run, call, argument, &count)) {
            return false;
        }
        *ret_value = fx_jsonpath_of_bool((count == 0) == (call->id == FUNCTION_IS_EMPTY));
        return true;
    case FUNCTION_IS_DEFINED:
        *ret_value = fx_jsonpath_of_bool(!is_undefined);
        return true;
    case FUNCTION_IS_UNDEFINED:
        *ret_value = fx_jsonpath_of_bool(is_undefined);
        return true;
    case FUNCTION_DATE: return date(run, call, argument, ret_value);
    case FUNCTION_NONE: break;
    }
    assert(false);
    return false;
}
