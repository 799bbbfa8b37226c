/* SPDX-License-Identifier: Apache-2.0
 *
 * fold_call.c - how calls are evaluated; conversions of constants; constants on the right
 * of `in`; constant indexes and regular expressions.
 */
#include "base/regex.h"
#include "location/cel/eval.h"
#include "location/cel/fold.h"
#include "location/cel/functions.h"
#include "location/cel/map.h"
#include "location/cel/number.h"

/* The operators that the evaluator has itself. */
static const struct {
    const char *function;
    size_t n_args;
    enum fx_cel_how how;
} operators[] = {
    {"_&&_", 2, FX_CEL_HOW_AND},
    {"_||_", 2, FX_CEL_HOW_OR},
    {"_?_:_", 3, FX_CEL_HOW_CONDITIONAL},
    {"_==_", 2, FX_CEL_HOW_EQUAL},
    {"_!=_", 2, FX_CEL_HOW_NOT_EQUAL},
    {"_<_", 2, FX_CEL_HOW_LESS},
    {"_<=_", 2, FX_CEL_HOW_LESS_EQUAL},
    {"_>_", 2, FX_CEL_HOW_GREATER},
    {"_>=_", 2, FX_CEL_HOW_GREATER_EQUAL},
    {"_[_]", 2, FX_CEL_HOW_INDEX},
    {"_[?_]", 2, FX_CEL_HOW_OPTIONAL_INDEX},
    {"_?._", 2, FX_CEL_HOW_OPTIONAL_INDEX},
    {"@not_strictly_false", 1, FX_CEL_HOW_NOT_STRICTLY_FALSE},
    {"or", 2, FX_CEL_HOW_OPTIONAL_OR},
    {"orValue", 2, FX_CEL_HOW_OPTIONAL_OR_VALUE},
};

/* Does the evaluator call an overload of the table for some values? */
static bool needs_overload(enum fx_cel_how how) {
    return how >= FX_CEL_HOW_LESS && how <= FX_CEL_HOW_GREATER_EQUAL;
}

static enum fx_cel_how how_of(const struct fx_cel_node *call) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (fx_cel_count_arguments(call) == operators[i].n_args &&
            fx_text_is(call->call.function, operators[i].function) &&
            (call->call.n_overloads > 0 || !needs_overload(operators[i].how))) {
            return operators[i].how;
        }
    }
    return FX_CEL_HOW_PLAIN;
}

static bool is_constant(const struct fx_cel_node *node) {
    return node->type == FX_CEL_NODE_LITERAL;
}

static bool fail_fold(struct fx_cel_folding *folding, const char *message) {
    fx_cel_faults_add(folding->faults, FX_CEL_NOWHERE, "%s", message);
    return false;
}

/* A constant index must be a possible key. */
static bool check_index(struct fx_cel_folding *folding, const struct fx_cel_node *call) {
    const struct fx_cel_node *index = fx_cel_argument(call, 1);
    if (!is_constant(index) || fx_cel_is_number(index->literal) ||
        index->literal.kind == FX_CEL_STRING || index->literal.kind == FX_CEL_BOOL) {
        return true;
    }
    fx_cel_faults_add(folding->faults, FX_CEL_NOWHERE, "invalid qualifier type: %s",
                      fx_cel_go_type_name(index->literal));
    return false;
}

static bool is_scalar_key(struct fx_cel_value value) {
    return fx_cel_is_number(value) || value.kind == FX_CEL_BOOL ||
           value.kind == FX_CEL_STRING;
}

/* Adds an element. A double is found by the integer of its value, too; that an integer is
 * found by other numbers is what maps do. */
static bool add_to_set(struct fx_cel_folding *folding, struct fx_cel_map *set,
                       struct fx_cel_value element) {
    int64_t integer = 0;
    uint64_t uinteger = 0;
    const struct fx_cel_value null = fx_cel_make_null();
    bool ok = fx_cel_map_put(folding->arena, set, element, null);
    if (element.kind == FX_CEL_DOUBLE && fx_cel_number_to_int(element, &integer)) {
        ok = ok && fx_cel_map_put(folding->arena, set, fx_cel_make_int(integer), null);
    } else if (element.kind == FX_CEL_DOUBLE &&
               fx_cel_number_to_uint(element, &uinteger)) {
        ok = ok && fx_cel_map_put(folding->arena, set, fx_cel_make_uint(uinteger), null);
    }
    return ok || fx_fail_nomem(folding->err);
}

/* `in` with a constant list of scalars looks its elements up in a table. */
static bool fold_in(struct fx_cel_folding *folding, struct fx_cel_node *call) {
    const struct fx_cel_value list = fx_cel_argument(call, 1)->literal;
    const size_t n = fx_cel_list_size(list);
    for (size_t i = 0; i < n; i++) {
        if (!is_scalar_key(fx_cel_list_at(list, i))) {
            return true;
        }
    }
    struct fx_cel_map *set = fx_arena_alloc(folding->arena, sizeof *set);
    if (set == NULL) {
        return fx_fail_nomem(folding->err);
    }
    for (size_t i = 0; i < n; i++) {
        if (!add_to_set(folding, set, fx_cel_list_at(list, i))) {
            return false;
        }
    }
    call->call.set = set;
    call->how = FX_CEL_HOW_IN_SET;
    return true;
}

/* Nothing is in the empty list: the left side is not evaluated. */
static bool fold_in_nothing(struct fx_cel_node *call) {
    call->type = FX_CEL_NODE_LITERAL;
    call->literal = fx_cel_make_bool(false);
    return true;
}

static bool is_in_constant_list(const struct fx_cel_node *call) {
    return call->call.n_overloads == 1 && fx_text_is(call->call.function, "@in") &&
           call->call.overloads[0]->args[1]->kind == FX_CEL_TYPE_LIST &&
           is_constant(fx_cel_argument(call, 1)) &&
           fx_cel_argument(call, 1)->literal.kind == FX_CEL_LIST;
}

/* A constant regular expression is compiled. */
static bool fold_regex(struct fx_cel_folding *folding, struct fx_cel_node *call,
                       struct fx_text pattern) {
    struct fx_regex *regex = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (!FX_ARENA_GROW(folding->arena, folding->regexes, folding->n_regexes,
                       folding->regexes_cap)) {
        return fx_fail_nomem(folding->err);
    }
    if (!fx_cel_regex_compile(pattern, &regex, &err)) {
        if (err.code == FX_ESYNTAX || err.code == FX_EINVALID) {
            return fail_fold(folding, err.msg);
        }
        *folding->err = err;
        return false;
    }
    folding->regexes[folding->n_regexes++] = regex;
    call->call.regex = regex;
    return true;
}

/* The constant regular expression of a call; NULL: there is none. */
static const struct fx_cel_node *regex_of(const struct fx_cel_node *call) {
    const size_t number =
        call->call.n_overloads == 0 ? 0 : call->call.overloads[0]->regex_argument;
    if (number == 0 || number > fx_cel_count_arguments(call)) {
        return NULL;
    }
    const struct fx_cel_node *argument = fx_cel_argument(call, number - 1);
    return is_constant(argument) && argument->literal.kind == FX_CEL_STRING ? argument
                                                                            : NULL;
}

bool fx_cel_fold_call(struct fx_cel_folding *folding, struct fx_cel_node *call) {
    call->how = (uint8_t)how_of(call);
    if (folding->is_plain) {
        return true;
    }
    if (call->how == FX_CEL_HOW_INDEX || call->how == FX_CEL_HOW_OPTIONAL_INDEX) {
        return check_index(folding, call);
    }
    if (is_in_constant_list(call)) {
        return fx_cel_list_size(fx_cel_argument(call, 1)->literal) == 0
                   ? fold_in_nothing(call)
                   : fold_in(folding, call);
    }
    if (call->call.n_overloads > 0 && call->call.overloads[0]->folds &&
        fx_cel_count_arguments(call) == 1 && is_constant(fx_cel_argument(call, 0))) {
        return fx_cel_fold_constant(folding, call);
    }
    const struct fx_cel_node *pattern = regex_of(call);
    return pattern == NULL || fold_regex(folding, call, pattern->literal.text);
}
