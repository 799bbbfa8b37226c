/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/defaults.c - Sprig's defaults, reflection and flow control. A value is
 * empty if `if` does not take it as true.
 */
#include "location/sprig/functions.h"

#include <string.h>

#include "base/err.h"

static bool return_value(struct template_call *call, const struct value *value) {
    *call->ret = *value;
    return true;
}

/* Computes `default x [given]`. The second argument is usually the value before a `|`. */
static bool call_default(struct template_call *call) {
    const bool is_given = call->n_arguments > 1 && value_is_true(&call->arguments[1]);
    return return_value(call, &call->arguments[is_given ? 1 : 0]);
}

static bool call_empty(struct template_call *call) {
    return return_bool(call, !value_is_true(&call->arguments[0]));
}

static bool call_coalesce(struct template_call *call) {
    for (size_t i = 0; i < call->n_arguments; i++) {
        if (value_is_true(&call->arguments[i])) {
            return return_value(call, &call->arguments[i]);
        }
    }
    *call->ret = value_nil();
    return true;
}

static size_t count_true(const struct template_call *call) {
    size_t n = 0;
    for (size_t i = 0; i < call->n_arguments; i++) {
        n += value_is_true(&call->arguments[i]) ? 1 : 0;
    }
    return n;
}

static bool call_all(struct template_call *call) {
    return return_bool(call, count_true(call) == call->n_arguments);
}

static bool call_any(struct template_call *call) {
    return return_bool(call, count_true(call) > 0);
}

static bool call_ternary(struct template_call *call) {
    return return_value(call, &call->arguments[call->arguments[2].boolean ? 0 : 1]);
}

static bool call_compact(struct template_call *call) {
    const struct value *value = &call->arguments[0];
    if (value_is_nil(value)) {
        return fx_fail(call->err, FX_EMUTATE, PANIC_NIL);
    }
    if (value->kind != VALUE_LIST) {
        return fx_fail(call->err, FX_EMUTATE, "Cannot compact on type %s",
                       value_kind_name(value));
    }
    struct template_list *list = value_list_new(call->run, value->list->n);
    if (list == NULL) {
        return false;
    }
    list->n = 0;
    for (size_t i = 0; i < value->list->n; i++) {
        if (value_is_true(&value->list->values[i])) {
            list->values[list->n++] = value->list->values[i];
        }
    }
    return return_list(call, list);
}

static bool copy_value(struct template_run *run, const struct value *value, size_t depth,
                       struct value *ret_copy);

static bool copy_list(struct template_run *run, const struct template_list *list,
                      size_t depth, struct value *ret_copy) {
    struct template_list *made = value_list_new(run, list->n);
    if (made == NULL) {
        return false;
    }
    made->type = list->type;
    for (size_t i = 0; i < list->n; i++) {
        if (!copy_value(run, &list->values[i], depth + 1, &made->values[i])) {
            return false;
        }
    }
    *ret_copy = value_list(made);
    return true;
}

static bool copy_map(struct template_run *run, struct map *map, size_t depth,
                     struct value *ret_copy) {
    struct map *made = value_map_copy(run, map);
    if (made == NULL || !value_map_fill(run, made)) {
        return false;
    }
    for (size_t i = 0; i < made->n; i++) {
        struct value *value = &made->entries[i].value;
        if (!copy_value(run, value, depth + 1, value)) {
            return false;
        }
    }
    *ret_copy = value_map(made);
    return true;
}

/* Copies lists and maps; other values are shared. */
static bool copy_value(struct template_run *run, const struct value *value, size_t depth,
                       struct value *ret_copy) {
    if (!run_check_depth(run, depth) || !run_spend(run, 1)) {
        return false;
    }
    if (value->kind == VALUE_LIST) {
        return copy_list(run, value->list, depth, ret_copy);
    }
    if (value->kind == VALUE_MAP) {
        return copy_map(run, value->map, depth, ret_copy);
    }
    *ret_copy = *value;
    return true;
}

static bool call_deep_copy(struct template_call *call) {
    if (value_is_nil(&call->arguments[0])) {
        return fx_fail(call->err, FX_EMUTATE,
                       "reflect: call of reflect.Value.Type on zero Value");
    }
    return copy_value(call->run, &call->arguments[0], 0, call->ret);
}

enum { TYPE, KIND };

/* Returns the name of the argument's Go type, or of its kind. */
static const char *name_of(const struct template_call *call, size_t i) {
    return call->function->variant == TYPE ? value_type_name(&call->arguments[i])
                                           : value_kind_name(&call->arguments[i]);
}

static bool call_name_of(struct template_call *call) {
    return return_text(call, fx_text_of(name_of(call, 0)));
}

static bool call_is(struct template_call *call) {
    return return_bool(call, fx_text_is(argument_text(call, 0), name_of(call, 1)));
}

/* Compares the type, or the type that a pointer points to. */
static bool call_type_is_like(struct template_call *call) {
    const char *name = value_type_name(&call->arguments[1]);
    return return_bool(
        call, fx_text_is(call->arguments[0].string, name) ||
                  (name[0] == '*' && fx_text_is(call->arguments[0].string, name + 1)));
}

static bool call_deep_equal(struct template_call *call) {
    bool equal = false;
    return value_deep_equal(call->run, &call->arguments[0], &call->arguments[1],
                            &equal) &&
           return_bool(call, equal);
}

static bool call_fail(struct template_call *call) {
    return fx_fail(call->err, FX_EMUTATE, "%.*s", FX_TEXT_ARG(call->arguments[0].string));
}

const struct function functions_defaults[] = {
    VARIADIC("default", call_default, 1, ANY, ANY),
    FUNCTION("empty", call_empty, 1, ANY),
    VARIADIC("coalesce", call_coalesce, 1, ANY),
    VARIADIC("all", call_all, 1, ANY),
    VARIADIC("any", call_any, 1, ANY),
    FUNCTION("ternary", call_ternary, 1, ANY, ANY, BOOL),
    WITH_MUST(FUNCTION, "compact", "mustCompact", call_compact, 1, ANY),
    WITH_MUST(FUNCTION, "deepCopy", "mustDeepCopy", call_deep_copy, 1, ANY),
    VARIANT("typeOf", call_name_of, TYPE, 1, ANY),
    VARIANT("kindOf", call_name_of, KIND, 1, ANY),
    VARIANT("typeIs", call_is, TYPE, 1, STRING, ANY),
    FUNCTION("typeIsLike", call_type_is_like, 1, STRING, ANY),
    VARIANT("kindIs", call_is, KIND, 1, STRING, ANY),
    FUNCTION("deepEqual", call_deep_equal, 1, ANY, ANY),
    FUNCTION("fail", call_fail, 1, STRING),
    {.name = NULL},
};
