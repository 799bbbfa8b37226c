/* SPDX-License-Identifier: Apache-2.0
 *
 * check_calls.c - which overloads of its function a call may mean.
 */
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "location/cel/checker.h"

static bool is_logic(const struct fx_cel_node *call) {
    return fx_text_is(call->call.function, "_&&_") ||
           fx_text_is(call->call.function, "_||_");
}

/* ---- arguments --------------------------------------------------------------------- */

/* With the receiver, which is the first. */
static size_t count_args(const struct fx_cel_node *call) {
    return call->call.n_args + (call->call.target != NULL ? 1 : 0);
}

static const struct fx_cel_type *arg_type(const struct fx_cel_node *call, size_t i) {
    if (call->call.target != NULL) {
        return i == 0 ? call->call.target->checked : call->call.args[i - 1]->checked;
    }
    return call->call.args[i]->checked;
}

/* Adds "found no matching overload for 'f' applied to 'T0.(T1, T2)'". */
static void fault_no_match(struct fx_cel_checker *checker,
                           const struct fx_cel_node *call) {
    struct fx_buf types;
    fx_buf_init(&types, (size_t)4 * FX_LIMIT_CEL_TYPE_BYTES);
    const size_t n_before = count_args(call) - call->call.n_args;
    for (size_t i = 0; i < count_args(call); i++) {
        fx_buf_str(&types, i > n_before ? ", " : "");
        fx_buf_str(&types, i == n_before ? n_before > 0 ? ".(" : "(" : "");
        fx_cel_type_print(
            &types, fx_cel_unify_resolve(&checker->unifier, arg_type(call, i), true));
    }
    fx_buf_str(&types, call->call.n_args > 0 ? ")" : n_before > 0 ? ".()" : "()");
    checker->unifier.no_memory |= types.failed && !types.full;
    fx_cel_faults_add(checker->faults, call->at,
                      "found no matching overload for '%.*s' applied to '%s'",
                      FX_TEXT_ARG(call->call.function),
                      types.data != NULL ? types.data : "");
    fx_buf_finish(&types);
}

/* ---- overloads --------------------------------------------------------------------- */

/* Adds the overload to those that fit. */
static void add_match(struct fx_cel_checker *checker,
                      const struct fx_cel_overload *overload) {
    if (!FX_ARENA_GROW(checker->scratch, checker->matches, checker->n_matches,
                       checker->cap_matches)) {
        checker->unifier.no_memory = true;
        return;
    }
    checker->matches[checker->n_matches++] = overload;
}

/* The type of the result if the overload fits the call, else NULL. Each attempt makes new
 * free types, also where the number of arguments differs: their numbers are in messages.
 */
static const struct fx_cel_type *try_overload(struct fx_cel_checker *checker,
                                              const struct fx_cel_node *call,
                                              const struct fx_cel_overload *overload) {
    const struct fx_cel_type *given[FX_CEL_MOST_ARGUMENTS] = {NULL};
    const struct fx_cel_type *wanted[FX_CEL_MOST_ARGUMENTS] = {NULL};
    const struct fx_cel_type *free[FX_CEL_PARAMETERS] = {NULL};
    for (size_t i = 0; i < overload->n_args; i++) {
        wanted[i] = fx_cel_unify_instantiate(&checker->unifier, overload->args[i], free);
    }
    const struct fx_cel_type *result =
        fx_cel_unify_instantiate(&checker->unifier, overload->result, free);
    if (fx_cel_checker_stopped(checker) || count_args(call) != overload->n_args) {
        return NULL;
    }
    for (size_t i = 0; i < overload->n_args; i++) {
        given[i] = arg_type(call, i);
    }
    return fx_cel_unify_all(&checker->unifier, given, wanted, overload->n_args)
               ? fx_cel_unify_resolve(&checker->unifier, result, false)
               : NULL;
}

/* The operands of && and || are checked one by one, so that each mistake is told. */
static const struct fx_cel_type *check_logic(struct fx_cel_checker *checker,
                                             const struct fx_cel_node *call) {
    const struct fx_cel_type *result = &fx_cel_bool;
    for (size_t i = 0; i < call->call.n_args; i++) {
        const struct fx_cel_node *arg = call->call.args[i];
        if (!fx_cel_unify(&checker->unifier, arg->checked, &fx_cel_bool)) {
            fx_cel_check_mismatch(checker, arg->at, &fx_cel_bool, arg->checked);
            result = &fx_cel_error_type;
        }
    }
    return result;
}

/* Remembers the overloads that fit, and returns the type of the result: dyn if that of
 * some differs; NULL if none fits. */
static const struct fx_cel_type *find_fitting(struct fx_cel_checker *checker,
                                              const struct fx_cel_node *call,
                                              uint32_t first) {
    const struct fx_cel_indexed_overload *items = checker->functions.items;
    const struct fx_cel_type *result = NULL;
    checker->n_matches = 0;
    for (uint32_t at = first; at != FX_CEL_NO_OVERLOAD; at = items[at].next) {
        const struct fx_cel_overload *overload = items[at].overload;
        if (overload->is_member != (call->call.target != NULL)) {
            continue;
        }
        if (is_logic(call)) {
            add_match(checker, overload);
            return check_logic(checker, call);
        }
        const struct fx_cel_type *type = try_overload(checker, call, overload);
        if (type == NULL) {
            continue;
        }
        add_match(checker, overload);
        if (result == NULL) {
            result = type;
        } else if (!fx_cel_is_dyn(result) && !fx_cel_type_equal(type, result)) {
            result = &fx_cel_dyn;
        }
    }
    return result;
}

/* Calls whose arguments may have different types when they are evaluated, and what they
 * give then. */
static const struct {
    const char *function;
    const struct fx_cel_type *result;
} mixed_calls[] = {
    {"_?_:_", &fx_cel_dyn},
    {"orValue", &fx_cel_dyn},
    {"or", &fx_cel_optional_dyn},
    {"_+_", &fx_cel_list_dyn}, /* of lists */
};

/* Does the overload fit arguments of mixed types? All after the first are as it is, if it
 * is a list; a choice takes any. */
static bool fits_mixed(struct fx_cel_checker *checker, const struct fx_cel_node *call,
                       const struct fx_cel_overload *overload, bool of_lists) {
    const struct fx_cel_type *free[FX_CEL_PARAMETERS] = {NULL};
    if (count_args(call) != overload->n_args ||
        overload->is_member != (call->call.target != NULL)) {
        return false;
    }
    if (of_lists) {
        return overload->args[0]->kind == FX_CEL_TYPE_LIST &&
               arg_type(call, 0)->kind == FX_CEL_TYPE_LIST &&
               arg_type(call, 1)->kind == FX_CEL_TYPE_LIST;
    }
    return fx_cel_unify(
        &checker->unifier, arg_type(call, 0),
        fx_cel_unify_instantiate(&checker->unifier, overload->args[0], free));
}

/* The lenient check: finds an overload for arguments of mixed types, if the function is
 * one of mixed_calls. Returns the type of the result; NULL if there is none. */
static const struct fx_cel_type *find_mixed(struct fx_cel_checker *checker,
                                            const struct fx_cel_node *call,
                                            uint32_t first) {
    const struct fx_cel_indexed_overload *items = checker->functions.items;
    const struct fx_cel_type *result = NULL;
    for (size_t i = 0; i < FX_COUNT(mixed_calls); i++) {
        if (fx_text_is(call->call.function, mixed_calls[i].function)) {
            result = mixed_calls[i].result;
        }
    }
    for (uint32_t at = first; result != NULL && at != FX_CEL_NO_OVERLOAD;
         at = items[at].next) {
        if (fits_mixed(checker, call, items[at].overload, result == &fx_cel_list_dyn)) {
            add_match(checker, items[at].overload);
            return result;
        }
    }
    return NULL;
}

static const struct fx_cel_type *find_matches(struct fx_cel_checker *checker,
                                              const struct fx_cel_node *call,
                                              uint32_t first) {
    const struct fx_cel_type *result = find_fitting(checker, call, first);
    return result == NULL && checker->mode == FX_CEL_CHECK_LENIENT
               ? find_mixed(checker, call, first)
               : result;
}

/* Sets the overloads and the type of a call of this function. */
static void resolve_call(struct fx_cel_checker *checker, struct fx_cel_node *call,
                         uint32_t first) {
    const struct fx_cel_type *result = find_matches(checker, call, first);
    if (fx_cel_checker_stopped(checker)) {
        return;
    }
    if (result == NULL) {
        fault_no_match(checker, call);
        return;
    }
    const struct fx_cel_overload **overloads = fx_arena_alloc(
        checker->arena, checker->n_matches * sizeof(struct fx_cel_overload *));
    if (overloads == NULL) {
        checker->unifier.no_memory = true;
        return;
    }
    memcpy(overloads, checker->matches,
           checker->n_matches * sizeof(struct fx_cel_overload *));
    call->call.overloads = overloads;
    call->call.n_overloads = checker->n_matches;
    call->checked = result;
}

/* ---- functions --------------------------------------------------------------------- */

/* Looks the function up, and gives the call its name without a leading dot: a function is
 * never local. */
static uint32_t find(const struct fx_cel_checker *checker, struct fx_cel_node *call,
                     struct fx_text name) {
    const uint32_t first = fx_cel_function_index_find(
        &checker->functions, fx_text_rest(name, fx_text_first(name) == '.'));
    if (first != FX_CEL_NO_OVERLOAD) {
        call->call.function =
            fx_text_of(checker->functions.items[first].overload->function);
    }
    return first;
}

uint32_t fx_cel_check_find_function(const struct fx_cel_checker *checker,
                                    struct fx_cel_node *call) {
    return find(checker, call, call->call.function);
}

uint32_t fx_cel_check_find_namespaced(struct fx_cel_checker *checker,
                                      struct fx_cel_node *call) {
    const struct fx_text name = fx_cel_check_dotted(
        checker, checker->scratch, call->call.target, call->call.function);
    const uint32_t first =
        name.data == NULL ? FX_CEL_NO_OVERLOAD : find(checker, call, name);
    if (first != FX_CEL_NO_OVERLOAD) {
        call->call.target = NULL;
    }
    return first;
}

void fx_cel_check_call(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    if (fx_text_is(node->call.function, "_?._")) {
        fx_cel_check_optional_select(checker, node);
        return;
    }
    for (size_t i = 0; i < node->call.n_args; i++) {
        fx_cel_check_node(checker, node->call.args[i]);
    }
    uint32_t first = FX_CEL_NO_OVERLOAD;
    if (node->call.target != NULL) {
        first = fx_cel_check_find_namespaced(checker, node);
        if (first == FX_CEL_NO_OVERLOAD) {
            fx_cel_check_node(checker, node->call.target);
        }
    }
    if (first == FX_CEL_NO_OVERLOAD) {
        first = fx_cel_check_find_function(checker, node);
    }
    if (fx_cel_checker_stopped(checker)) {
        return;
    }
    if (first == FX_CEL_NO_OVERLOAD) {
        fx_cel_check_undeclared(checker, node->at, false, node->call.function);
        return;
    }
    resolve_call(checker, node, first);
}
