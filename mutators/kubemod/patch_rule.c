/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/patch_rule.c - makes a plan of operations, and applies it.
 */
#include "mutators/kubemod/patch_rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/buf.h"
#include "mutators/kubemod/limits.h"
#include "mutators/kubemod/modrule.h"
#include "mutators/kubemod/select_path.h"
#include "mutators/kubemod/synthetic_refs.h"
#include "value/tree.h"

#define UNITS_OF_OPERATION 16u

/* Plans with more operations are not checked for operations that overlap. */
#define MOST_PLAIN 8u

void fx_patch_operation_finish(struct patch_operation *operation) {
    fx_jsonpath_destroy(operation->select);
    free(operation->path);
    fx_steps_finish(&operation->steps);
    fx_patch_value_finish(&operation->value);
    *operation = (struct patch_operation){0};
}

bool fx_patch_operation_set_path(struct patch_operation *operation, struct fx_text path) {
    size_t highest = 0;
    struct fx_err err = FX_ERR_INIT;
    operation->path = fx_text_dup(path.data == NULL ? FX_TEXT("") : path);
    operation->path_len = path.len;
    if (operation->path == NULL) {
        return false;
    }
    const bool ok = fx_steps_read((struct fx_text){operation->path, path.len},
                                  &operation->steps, &err);
    operation->is_known = ok;
    operation->has_placeholders = fx_select_path_highest(path, &highest);
    return ok || err.code != FX_ENOMEM;
}

void fx_plan_init(struct plan *plan) {
    plan->items = plan->few;
    plan->n_items = 0;
    plan->cap_items = FX_COUNT(plan->few);
}

void fx_plan_finish(struct plan *plan) {
    for (size_t i = 0; i < plan->n_items; i++) {
        free(plan->items[i].path);
        fx_steps_finish(&plan->items[i].steps);
        json_decref(plan->items[i].value);
    }
    if (plan->items != plan->few) {
        free(plan->items);
    }
    fx_plan_init(plan);
}

/* Makes room for one more operation. */
static bool grow_plan(struct plan *plan) {
    if (plan->n_items < plan->cap_items) {
        return true;
    }
    const bool moves = plan->items == plan->few;
    const size_t cap = plan->cap_items * 4;
    struct planned *items = realloc(moves ? NULL : plan->items, cap * sizeof *items);
    if (items == NULL) {
        return false;
    }
    if (moves) {
        memcpy(items, plan->few, sizeof plan->few);
    }
    plan->items = items;
    plan->cap_items = cap;
    return true;
}

/* ---- computing ------------------------------------------------------------------- */

/* A plan that is being computed. */
struct planning {
    const struct patch_operation *operation; /* the current operation */
    const struct fx_request *request;
    json_t *root;
    json_t *namespace_; /* the namespace for templates; NULL until it is made */
    size_t bytes_left;
    struct plan *plan;
    struct fx_err *err;
};

static bool spend_operation(const struct planning *planning) {
    return fx_spend(UNITS_OF_OPERATION) || fx_fail_exceeded(planning->err);
}

/* Returns the key parts as a list of Go: integers and texts. */
static json_t *list_parts(const struct fx_jsonpath_match *match) {
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < match->n_parts; i++) {
        const struct fx_jsonpath_part *part = &match->parts[i];
        json_t *item = part->is_index ? json_integer((json_int_t)part->index)
                                      : fx_tree_new_string(part->key);
        if (!fx_tree_append_take(list, item)) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static bool know_namespace(struct planning *planning) {
    struct fx_subject subject;
    if (planning->namespace_ == NULL) {
        fx_subject_read(planning->root, &subject);
        planning->namespace_ =
            fx_tree_new_string(fx_modrule_namespace(planning->request, &subject));
    }
    return planning->namespace_ != NULL;
}

static json_t *eval_value(struct planning *planning,
                          const struct fx_jsonpath_match *match) {
    const struct patch_value *value = &planning->operation->value;
    if (value->constant != NULL) {
        return fx_patch_value_repeat(value, &planning->bytes_left, planning->err);
    }
    json_t *parts = know_namespace(planning) ? list_parts(match) : NULL;
    if (parts == NULL) {
        (void)fx_fail_nomem(planning->err);
        return NULL;
    }
    const struct fx_gotemplate_field fields[] = {
        {FX_TEXT("Namespace"), planning->namespace_, false},
        {FX_TEXT("Target"), planning->root, false},
        {FX_TEXT("SelectedItem"), match->value, false},
        {FX_TEXT("SelectKeyParts"), parts, true},
    };
    const struct fx_gotemplate_context context = {fields, FX_COUNT(fields)};
    json_t *result =
        fx_patch_value_eval(value, &context, &planning->bytes_left, planning->err);
    json_decref(parts);
    return result;
}

/* Prints the path with its placeholders replaced. Without a select there are none. */
static bool print_path(const struct planning *planning,
                       const struct fx_jsonpath_match *match, struct planned *planned) {
    const struct patch_operation *operation = planning->operation;
    const struct fx_text path = {operation->path, operation->path_len};
    struct fx_buf text;
    bool ok = true;
    fx_buf_init(&text, 0);
    if (operation->select == NULL) {
        fx_buf_text(&text, path);
    } else {
        ok = fx_select_path_print(&text, path, match->parts, match->n_parts);
    }
    planned->text.len = text.len;
    planned->path = fx_buf_steal(&text);
    planned->text.data = planned->path;
    fx_buf_finish(&text);
    if (planned->path == NULL) {
        return fx_fail_nomem(planning->err);
    }
    return ok || fx_fail(planning->err, FX_EMUTATE,
                         "`select` has only %zu key parts: generated path %.*s",
                         match->n_parts, FX_TEXT_ARG(planned->text));
}

/* Sets the path and its steps. */
static bool find_way(const struct planning *planning,
                     const struct fx_jsonpath_match *match, struct planned *planned) {
    const struct patch_operation *operation = planning->operation;
    if (operation->is_known &&
        !(operation->has_placeholders && operation->select != NULL)) {
        planned->text = (struct fx_text){operation->path, operation->path_len};
        planned->fixed = &operation->steps;
        return true;
    }
    return print_path(planning, match, planned) &&
           fx_steps_read(planned->text, &planned->steps, planning->err);
}

/* Refuses to write to syntheticRefs, which is not part of the object, and to
 * managedFields, which is hidden from rules. */
static bool check_target(const struct planned *planned, struct fx_err *err) {
    static const char *const refs[] = {SYNTHETIC_REFS, NULL};
    static const char *const managed[] = {"metadata", "managedFields", NULL};
    const struct steps *steps = fx_planned_steps(planned);
    const bool ok = !fx_steps_begin(steps, refs) && !fx_steps_begin(steps, managed);
    return ok || fx_fail(err, FX_EMUTATE, "no rule may write there: %.*s",
                         FX_TEXT_ARG(planned->text));
}

static bool plan_one(struct planning *planning, const struct fx_jsonpath_match *match) {
    struct plan *plan = planning->plan;
    if (!spend_operation(planning)) {
        return false;
    }
    if (plan->n_items == FX_LIMIT_MODRULE_OPERATIONS) {
        return fx_fail(planning->err, FX_ELIMIT, "it needs more than %u operations",
                       FX_LIMIT_MODRULE_OPERATIONS);
    }
    if (!grow_plan(plan)) {
        return fx_fail_nomem(planning->err);
    }
    struct planned *planned = &plan->items[plan->n_items++];
    *planned = (struct planned){.operation = planning->operation->operation};
    if (!find_way(planning, match, planned) || !check_target(planned, planning->err)) {
        return false;
    }
    planned->value = eval_value(planning, match);
    return planned->value != NULL;
}

static int by_steps_backwards(const void *left, const void *right) {
    const struct planned *a = left;
    const struct planned *b = right;
    return fx_steps_compare(fx_planned_steps(b), fx_planned_steps(a));
}

/* Sorts the removals of one select by descending index, so that a removal does not change
 * the index of another. */
static void order_removals(struct plan *plan, size_t first) {
    if (plan->n_items - first > 1 && plan->items[first].operation == OPERATION_REMOVE) {
        qsort(plan->items + first, plan->n_items - first, sizeof *plan->items,
              by_steps_backwards);
    }
}

static bool plan_selected(struct planning *planning) {
    const size_t first = planning->plan->n_items;
    struct fx_jsonpath_matches matches = {0};
    if (!fx_jsonpath_find(planning->operation->select, planning->root, &matches,
                          planning->err)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < matches.n_matches; i++) {
        ok = plan_one(planning, &matches.matches[i]);
    }
    fx_jsonpath_matches_finish(&matches);
    if (ok) {
        order_removals(planning->plan, first);
    }
    return ok;
}

static bool plan_operation(struct planning *planning, size_t at) {
    const struct fx_jsonpath_match nowhere = {.value = NULL};
    const bool ok = planning->operation->select == NULL ? plan_one(planning, &nowhere)
                                                        : plan_selected(planning);
    if (!ok && !fx_err_is_ours(planning->err)) {
        (void)fx_err_prefix(planning->err, "spec.patch[%zu]: ", at);
    }
    return ok;
}

/* Returns the number of bytes that templates may write. */
static size_t text_bound(const struct fx_request *request) {
    const size_t *left = request->text_left;
    return left == NULL || *left > FX_LIMIT_MODRULE_BYTES ? FX_LIMIT_MODRULE_BYTES
                                                          : *left;
}

bool fx_plan_make(const struct patch_operation *patch, size_t n_patch,
                  const struct fx_request *request, json_t *root, struct plan *ret_plan,
                  struct fx_err *err) {
    struct planning planning = {
        .request = request,
        .root = root,
        .bytes_left = text_bound(request),
        .plan = ret_plan,
        .err = err,
    };
    bool ok = true;
    for (size_t i = 0; ok && i < n_patch; i++) {
        planning.operation = &patch[i];
        ok = plan_operation(&planning, i);
    }
    if (request->text_left != NULL) {
        *request->text_left -= text_bound(request) - planning.bytes_left;
    }
    json_decref(planning.namespace_);
    return ok;
}

/* ---- applying -------------------------------------------------------------------- */

static bool stands_apart(const struct plan *plan, size_t at) {
    size_t i = 0;
    while (i < at && !fx_steps_overlap(fx_planned_steps(&plan->items[i]),
                                       fx_planned_steps(&plan->items[at]))) {
        i++;
    }
    return i == at;
}

bool fx_plan_is_plain(const struct plan *plan, const json_t *root, bool *ret_changes) {
    size_t i = 0;
    *ret_changes = false;
    while (i < plan->n_items && i < MOST_PLAIN) {
        const struct planned *planned = &plan->items[i];
        bool changes = false;
        if (!fx_operation_is_plain(planned->operation, fx_planned_steps(planned),
                                   planned->value, root, &changes) ||
            !stands_apart(plan, i)) {
            return false;
        }
        *ret_changes = *ret_changes || changes;
        i++;
    }
    return i == plan->n_items;
}

bool fx_plan_apply(const struct plan *plan, json_t **root, struct fx_err *err) {
    if (!fx_spend(UNITS_OF_OPERATION * plan->n_items)) { /* before any write */
        return fx_fail_exceeded(err);
    }
    for (size_t i = 0; i < plan->n_items; i++) {
        const struct planned *planned = &plan->items[i];
        const struct operation_path path = {planned->text, fx_planned_steps(planned)};
        if (!fx_operation_apply(planned->operation, &path, planned->value, root, err)) {
            return false;
        }
    }
    return true;
}
