/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/compare.c - eq and lt.
 */
#include "location/gotemplate/compare.h"

#include "base/err.h"
#include "location/gotemplate/print.h"

enum basic { BASIC_NONE, BASIC_BOOL, BASIC_INTEGER, BASIC_FLOAT, BASIC_STRING };

static enum basic basic_of(const struct value *value) {
    if (value_is_integer(value)) {
        return BASIC_INTEGER;
    }
    if (value->kind == VALUE_BOOL) {
        return BASIC_BOOL;
    }
    if (value->kind == VALUE_FLOAT64) {
        return BASIC_FLOAT;
    }
    return value->kind == VALUE_STRING ? BASIC_STRING : BASIC_NONE;
}

static bool fail_kinds(struct run *run) {
    return fx_fail(run->err, FX_EMUTATE, "incompatible types for comparison");
}

/* Lists, and maps, have no ==. */
static bool check_comparable(struct run *run, const struct value *value) {
    if (value->kind != VALUE_LIST && value->kind != VALUE_MAP) {
        return true;
    }
    struct fx_buf *words = run_scratch(run);
    if (!value_print(run, words, value)) {
        return false;
    }
    const size_t shown = words->len < FX_ERR_TEXT ? words->len : FX_ERR_TEXT;
    return fx_fail(run->err, FX_EMUTATE, "non-comparable type %.*s: %s", (int)shown,
                   shown == 0 ? "" : words->data, value_type_name(value));
}

/* Of one basic kind. */
static bool basics_equal(enum basic basic, const struct value *a, const struct value *b) {
    switch (basic) {
    case BASIC_BOOL: return a->boolean == b->boolean;
    case BASIC_INTEGER: return a->integer == b->integer;
    case BASIC_FLOAT: return a->number == b->number;
    case BASIC_STRING: return fx_text_equal(a->string, b->string);
    case BASIC_NONE: break;
    }
    if (a->kind != b->kind) {
        return value_is_nil(a) && value_is_nil(b);
    }
    return a->kind != VALUE_OBJECT ||
           (a->object.type == b->object.type &&
            a->object.type->equal(a->object.data, b->object.data));
}

bool compare_equal(struct run *run, const struct value *a, const struct value *b,
                   bool *ret_equal) {
    const enum basic basic = basic_of(a);
    if (!check_comparable(run, a)) {
        return false;
    }
    if (basic != basic_of(b)) {
        *ret_equal = false;
        return value_is_nil(a) || value_is_nil(b) || fail_kinds(run);
    }
    if (!check_comparable(run, b)) {
        return false;
    }
    *ret_equal = basics_equal(basic, a, b);
    return true;
}

bool compare_less(struct run *run, const struct value *a, const struct value *b,
                  bool *ret_less) {
    const enum basic basic = basic_of(a);
    if (basic == BASIC_NONE || basic_of(b) == BASIC_NONE) {
        return fx_fail(run->err, FX_EMUTATE, "invalid type for comparison");
    }
    if (basic != basic_of(b)) {
        return fail_kinds(run);
    }
    switch (basic) {
    case BASIC_INTEGER: *ret_less = a->integer < b->integer; return true;
    case BASIC_FLOAT: *ret_less = a->number < b->number; return true;
    case BASIC_STRING: *ret_less = fx_text_compare(a->string, b->string) < 0; return true;
    case BASIC_BOOL:
    case BASIC_NONE: break;
    }
    return fx_fail(run->err, FX_EMUTATE, "invalid type for comparison");
}
