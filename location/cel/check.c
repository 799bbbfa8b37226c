/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - the checker: the walk over the nodes, literals, and faults.
 */
#include "location/cel/check.h"

#include "base/budget.h"
#include "base/buf.h"
#include "base/limits.h"
#include "location/cel/checker.h"

/* ---- faults ------------------------------------------------------------------------ */

/* The text of a type in the scratch memory. */
static const char *type_text(struct fx_cel_checker *checker,
                             const struct fx_cel_type *type) {
    struct fx_buf buf = {0};
    fx_cel_type_print(&buf, type);
    const char *text =
        buf.failed ? NULL : fx_arena_copy(checker->scratch, fx_buf_view(&buf));
    fx_buf_finish(&buf);
    checker->unifier.no_memory |= text == NULL;
    return text != NULL ? text : "";
}

void fx_cel_check_fault_type(struct fx_cel_checker *checker, uint32_t at,
                             const char *before, const struct fx_cel_type *type,
                             const char *after) {
    fx_cel_faults_add(checker->faults, at, "%s'%s'%s", before, type_text(checker, type),
                      after);
}

void fx_cel_check_mismatch(struct fx_cel_checker *checker, uint32_t at,
                           const struct fx_cel_type *expected,
                           const struct fx_cel_type *found) {
    fx_cel_faults_add(checker->faults, at, "expected type '%s' but found '%s'",
                      type_text(checker, expected), type_text(checker, found));
}

void fx_cel_check_field_mismatch(struct fx_cel_checker *checker,
                                 const struct fx_cel_entry *entry,
                                 const struct fx_cel_type *expected,
                                 const struct fx_cel_type *found) {
    fx_cel_faults_add(checker->faults, entry->at,
                      "expected type of field '%.*s' is '%s' but provided type is '%s'",
                      FX_TEXT_ARG(entry->field), type_text(checker, expected),
                      type_text(checker, found));
}

void fx_cel_check_undeclared(struct fx_cel_checker *checker, uint32_t at,
                             bool is_absolute, struct fx_text name) {
    fx_cel_faults_add(checker->faults, at,
                      "undeclared reference to '%s%.*s' (in container '')",
                      is_absolute ? "." : "", FX_TEXT_ARG(name));
}

const struct fx_cel_type *fx_cel_check_unwrap(const struct fx_cel_type *type,
                                              bool *ret_is_optional) {
    *ret_is_optional = type->kind == FX_CEL_TYPE_OPTIONAL && type->params[0] != NULL;
    return *ret_is_optional ? type->params[0] : type;
}

/* ---- nodes ------------------------------------------------------------------------- */

static const struct fx_cel_type *literal_type(const struct fx_cel_value *literal) {
    switch ((enum fx_cel_kind)literal->kind) {
    case FX_CEL_NULL: return &fx_cel_null_type;
    case FX_CEL_BOOL: return &fx_cel_bool;
    case FX_CEL_INT: return &fx_cel_int;
    case FX_CEL_UINT: return &fx_cel_uint;
    case FX_CEL_DOUBLE: return &fx_cel_double;
    case FX_CEL_STRING: return &fx_cel_string;
    case FX_CEL_BYTES: return &fx_cel_bytes;
    case FX_CEL_UNSET:
    case FX_CEL_ERROR:
    case FX_CEL_DURATION:
    case FX_CEL_TIMESTAMP:
    case FX_CEL_TYPE:
    case FX_CEL_LIST:
    case FX_CEL_MAP:
    case FX_CEL_OPTIONAL:
    case FX_CEL_STRUCT:
    case FX_CEL_OPAQUE: break;
    }
    return &fx_cel_error_type; /* the parser makes no others */
}

static void check_by_type(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    switch (node->type) {
    case FX_CEL_NODE_LITERAL: node->checked = literal_type(&node->literal); break;
    case FX_CEL_NODE_NAME: fx_cel_check_name(checker, node); break;
    case FX_CEL_NODE_SELECT: fx_cel_check_select(checker, node); break;
    case FX_CEL_NODE_CALL: fx_cel_check_call(checker, node); break;
    case FX_CEL_NODE_LIST: fx_cel_check_list(checker, node); break;
    case FX_CEL_NODE_MAP: fx_cel_check_map(checker, node); break;
    case FX_CEL_NODE_STRUCT: fx_cel_check_struct(checker, node); break;
    case FX_CEL_NODE_FOLD: fx_cel_check_fold(checker, node); break;
    }
}

void fx_cel_check_node(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    node->checked = &fx_cel_error_type;
    checker->unifier.over_limit |= checker->depth == FX_LIMIT_CEL_DEPTH || !fx_spend(1);
    if (!fx_cel_checker_stopped(checker)) {
        checker->depth++;
        check_by_type(checker, node);
        checker->depth--;
    }
}

/* ---- the final types --------------------------------------------------------------- */

static void finish_node(struct fx_cel_checker *checker, struct fx_cel_node *node);

static void finish_entries(struct fx_cel_checker *checker,
                           const struct fx_cel_node *node) {
    for (size_t i = 0; i < node->map.n; i++) {
        if (node->type == FX_CEL_NODE_MAP) {
            finish_node(checker, node->map.entries[i].key);
        }
        finish_node(checker, node->map.entries[i].value);
    }
}

static void finish_local(struct fx_cel_checker *checker, struct fx_cel_local *local) {
    if (local != NULL) {
        local->type = fx_cel_unify_resolve(&checker->unifier, local->type, true);
    }
}

static void finish_fold(struct fx_cel_checker *checker, const struct fx_cel_node *node) {
    finish_local(checker, node->fold.item);
    finish_local(checker, node->fold.item2);
    finish_local(checker, node->fold.result_so_far);
    finish_node(checker, node->fold.range);
    finish_node(checker, node->fold.start);
    finish_node(checker, node->fold.condition);
    finish_node(checker, node->fold.step);
    finish_node(checker, node->fold.result);
}

static void finish_call(struct fx_cel_checker *checker, const struct fx_cel_node *node) {
    if (node->call.target != NULL) {
        finish_node(checker, node->call.target);
    }
    for (size_t i = 0; i < node->call.n_args; i++) {
        finish_node(checker, node->call.args[i]);
    }
}

/* What is still free when all is checked is dyn. */
static void finish_node(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    if (fx_cel_checker_stopped(checker)) {
        return;
    }
    node->checked = fx_cel_unify_resolve(&checker->unifier, node->checked, true);
    switch (node->type) {
    case FX_CEL_NODE_LITERAL:
    case FX_CEL_NODE_NAME: break;
    case FX_CEL_NODE_SELECT: finish_node(checker, node->select.operand); break;
    case FX_CEL_NODE_CALL: finish_call(checker, node); break;
    case FX_CEL_NODE_LIST:
        for (size_t i = 0; i < node->list.n; i++) {
            finish_node(checker, node->list.items[i]);
        }
        break;
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_STRUCT: finish_entries(checker, node); break;
    case FX_CEL_NODE_FOLD: finish_fold(checker, node); break;
    }
}

/* ---- the whole --------------------------------------------------------------------- */

bool fx_cel_checker_fail(const struct fx_cel_checker *checker, struct fx_err *err) {
    if (checker->unifier.no_memory || checker->faults->failed) {
        return fx_fail_nomem(err);
    }
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_fail_exceeded(err);
    }
    return fx_fail(err, FX_ELIMIT, "the types of the expression are too complex");
}

static bool check(struct fx_cel_checker *checker, struct fx_cel_node *root,
                  struct fx_err *err) {
    if (!fx_cel_function_index_init(&checker->functions, checker->env,
                                    checker->scratch)) {
        return fx_fail_nomem(err);
    }
    fx_cel_check_node(checker, root);
    if (checker->faults->n == 0) {
        finish_node(checker, root);
        fx_cel_check_validate(checker, root);
    }
    if (fx_cel_checker_stopped(checker) || checker->faults->failed ||
        fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_cel_checker_fail(checker, err);
    }
    fx_cel_faults_sort(checker->faults);
    return checker->faults->n == 0;
}

bool fx_cel_check(const struct fx_cel_env *env, struct fx_cel_node *root,
                  struct fx_arena *arena, enum fx_cel_check_mode mode,
                  struct fx_cel_faults *faults, struct fx_err *err) {
    struct fx_arena scratch;
    fx_arena_init(&scratch, FX_LIMIT_CEL_CHECK_BYTES);
    struct fx_cel_checker checker = {
        .env = env,
        .arena = arena,
        .scratch = &scratch,
        .faults = faults,
        .unifier = {.arena = arena,
                    .scratch = &scratch,
                    .null_is_any = mode == FX_CEL_CHECK_LENIENT},
        .mode = mode,
    };
    fx_err_reset(err);
    const bool ok = check(&checker, root, err);
    faults->n = err->code == FX_OK ? faults->n : 0; /* not all of them were found */
    fx_arena_finish(&scratch);
    return ok;
}
