/* SPDX-License-Identifier: Apache-2.0
 *
 * check_validate.c - what Kubernetes checks after the types: literals whose elements
 * differ in type, and times, durations and regular expressions that are literals.
 */
#include "base/regex.h"
#include "location/cel/checker.h"
#include "location/cel/functions.h"

/* ---- literals of one type ---------------------------------------------------------- */

/* Adds a fault if the value has another type than the first one had. Returns whether it
 * has the same. */
static bool is_like_first(struct fx_cel_checker *checker, const struct fx_cel_node *value,
                          bool is_optional, const struct fx_cel_type **first) {
    bool unwrapped = false;
    const struct fx_cel_type *type = value->checked;
    if (is_optional) {
        type = fx_cel_check_unwrap(type, &unwrapped);
        if (!unwrapped) { /* dyn: the API server crashes here */
            fx_cel_check_mismatch(checker, value->at, &fx_cel_optional_dyn, type);
            return false;
        }
    }
    if (*first == NULL) {
        *first = type;
    }
    if (!fx_cel_type_equal(*first, type)) {
        fx_cel_check_mismatch(checker, value->at, *first, type);
        return false;
    }
    return true;
}

static bool may_mix(const struct fx_cel_checker *checker) {
    return checker->mode != FX_CEL_CHECK_STRICT || checker->n_exemptions > 0;
}

static void validate_list(struct fx_cel_checker *checker,
                          const struct fx_cel_node *node) {
    const struct fx_cel_type *first = NULL;
    bool is_alike = !may_mix(checker);
    for (size_t i = 0; i < node->list.n && is_alike; i++) {
        is_alike = is_like_first(
            checker, node->list.items[i],
            node->list.is_optional != NULL && node->list.is_optional[i], &first);
    }
}

static void validate_map(struct fx_cel_checker *checker, const struct fx_cel_node *node) {
    const struct fx_cel_type *key = NULL;
    const struct fx_cel_type *value = NULL;
    for (size_t i = 0; i < node->map.n && !may_mix(checker); i++) {
        const struct fx_cel_entry *entry = &node->map.entries[i];
        (void)is_like_first(checker, entry->key, false, &key);
        (void)is_like_first(checker, entry->value, entry->is_optional, &value);
    }
}

/* ---- arguments that are literals --------------------------------------------------- */

/* Can the conversion be made? */
static bool converts(struct fx_cel_checker *checker, const struct fx_cel_node *call,
                     const struct fx_cel_node *literal) {
    const struct fx_cel_overload *overload = call->call.overloads[0];
    if (literal->literal.kind == FX_CEL_NULL || overload->call == NULL) {
        return overload->call == NULL;
    }
    struct fx_err err = FX_ERR_INIT;
    struct fx_cel_run run = {
        .arena = checker->scratch,
        .cost_limit = UINT64_MAX,
        .err = &err,
    };
    const struct fx_cel_value result = overload->call(&run, &literal->literal);
    if (result.kind == FX_CEL_ERROR && (result.flags & FX_CEL_FATAL) != 0) {
        checker->unifier.no_memory |= err.code == FX_ENOMEM;
        checker->unifier.over_limit = true;
    }
    return result.kind != FX_CEL_ERROR;
}

static bool is_pattern(struct fx_cel_checker *checker,
                       const struct fx_cel_node *literal) {
    if (literal->literal.kind != FX_CEL_STRING) {
        return true;
    }
    struct fx_regex *regex = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_cel_regex_compile(literal->literal.text, &regex, &err);
    fx_regex_destroy(regex);
    if (!ok && (err.code == FX_ENOMEM || err.code == FX_EDEADLINE)) {
        checker->unifier.no_memory |= err.code == FX_ENOMEM;
        checker->unifier.over_limit = true;
    }
    return ok;
}

/* The first argument, not the receiver; of the global matches() cel-go takes its first,
 * too, which is the text. */
static void validate_argument(struct fx_cel_checker *checker,
                              const struct fx_cel_node *call) {
    const struct fx_cel_node *literal = call->call.n_args > 0 ? call->call.args[0] : NULL;
    if (literal == NULL || literal->type != FX_CEL_NODE_LITERAL) {
        return;
    }
    const struct fx_text function = call->call.function;
    const bool is_conversion =
        fx_text_is(function, "timestamp") || fx_text_is(function, "duration");
    if ((is_conversion && !converts(checker, call, literal)) ||
        (fx_text_is(function, "matches") && !is_pattern(checker, literal))) {
        fx_cel_faults_add(checker->faults, literal->at, "invalid %.*s argument",
                          FX_TEXT_ARG(function));
    }
}

/* ---- the walk ---------------------------------------------------------------------- */

static void validate_call(struct fx_cel_checker *checker,
                          const struct fx_cel_node *node) {
    const unsigned exempts = fx_text_is(node->call.function, "format");
    validate_argument(checker, node);
    if (node->call.n_overloads > 0 && node->call.overloads[0]->check != NULL) {
        node->call.overloads[0]->check(node, checker->faults);
    }
    checker->n_exemptions += exempts;
    if (node->call.target != NULL) {
        fx_cel_check_validate(checker, node->call.target);
    }
    for (size_t i = 0; i < node->call.n_args; i++) {
        fx_cel_check_validate(checker, node->call.args[i]);
    }
    checker->n_exemptions -= exempts;
}

static void validate_entries(struct fx_cel_checker *checker,
                             const struct fx_cel_node *node) {
    for (size_t i = 0; i < node->map.n; i++) {
        if (node->type == FX_CEL_NODE_MAP) {
            fx_cel_check_validate(checker, node->map.entries[i].key);
        }
        fx_cel_check_validate(checker, node->map.entries[i].value);
    }
}

static void validate_fold(struct fx_cel_checker *checker,
                          const struct fx_cel_node *node) {
    fx_cel_check_validate(checker, node->fold.range);
    fx_cel_check_validate(checker, node->fold.start);
    fx_cel_check_validate(checker, node->fold.condition);
    fx_cel_check_validate(checker, node->fold.step);
    fx_cel_check_validate(checker, node->fold.result);
}

void fx_cel_check_validate(struct fx_cel_checker *checker,
                           const struct fx_cel_node *root) {
    if (fx_cel_checker_stopped(checker) || !fx_spend(1)) {
        return;
    }
    switch (root->type) {
    case FX_CEL_NODE_LITERAL:
    case FX_CEL_NODE_NAME: break;
    case FX_CEL_NODE_SELECT: fx_cel_check_validate(checker, root->select.operand); break;
    case FX_CEL_NODE_CALL: validate_call(checker, root); break;
    case FX_CEL_NODE_LIST:
        validate_list(checker, root);
        for (size_t i = 0; i < root->list.n; i++) {
            fx_cel_check_validate(checker, root->list.items[i]);
        }
        break;
    case FX_CEL_NODE_MAP:
        validate_map(checker, root);
        validate_entries(checker, root);
        break;
    case FX_CEL_NODE_STRUCT: validate_entries(checker, root); break;
    case FX_CEL_NODE_FOLD: validate_fold(checker, root); break;
    }
}
