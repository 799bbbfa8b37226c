/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/patch_rule.c - a plan of operations, and its execution.
 */
#include "mutators/kubemod/patch_rule.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/vec.h"
#include "mutators/kubemod/select_path.h"
#include "mutators/kubemod/synthetic_refs.h"
#include "value/tree.h"

/* The clock is read before every so many operations. */
#define OPERATIONS_A_LOOK 16u

void fx_patch_operation_finish(struct patch_operation *operation) {
    fx_jsonpath_destroy(operation->select);
    free(operation->path);
    fx_patch_value_finish(&operation->value);
    *operation = (struct patch_operation){0};
}

void fx_plan_finish(struct plan *plan) {
    for (size_t i = 0; i < plan->n_items; i++) {
        free(plan->items[i].path);
        fx_steps_finish(&plan->items[i].steps);
        json_decref(plan->items[i].value);
    }
    free(plan->items);
    *plan = (struct plan){0};
}

/* ---- computing ------------------------------------------------------------------- */

/* A plan in the making. */
struct planning {
    const struct patch_operation *operation; /* the one under way */
    const struct patch_circumstances *circumstances;
    json_t *root;
    json_t *namespace_; /* its own */
    size_t bytes_left;
    struct plan *plan;
    struct fx_err *err;
};

static bool is_in_time(const struct planning *planning) {
    const uint64_t deadline = planning->circumstances->deadline_ns;
    return deadline == 0 || planning->plan->n_items % OPERATIONS_A_LOOK != 0 ||
           fx_clock_ns() < deadline ||
           fx_fail(planning->err, FX_EDEADLINE, "out of time in a patch");
}

/* The parts as a list of Go: integers, and texts. */
static json_t *list_parts(const struct fx_jsonpath_place *place) {
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < place->n_parts; i++) {
        const struct fx_jsonpath_part *part = &place->parts[i];
        json_t *item = part->is_index ? json_integer((json_int_t)part->index)
                                      : fx_tree_new_string(part->key);
        if (!fx_tree_append_take(list, item)) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static json_t *eval(struct planning *planning, const struct fx_jsonpath_place *place) {
    const struct patch_value *value = &planning->operation->value;
    if (value->constant != NULL) {
        return fx_patch_value_repeat(value, &planning->bytes_left, planning->err);
    }
    json_t *parts = list_parts(place);
    if (parts == NULL) {
        (void)fx_fail_nomem(planning->err);
        return NULL;
    }
    const struct fx_gotemplate_field fields[] = {
        {FX_TEXT("Namespace"), planning->namespace_, false},
        {FX_TEXT("Target"), planning->root, false},
        {FX_TEXT("SelectedItem"), place->value, false},
        {FX_TEXT("SelectKeyParts"), parts, true},
    };
    const struct fx_gotemplate_context context = {fields, FX_COUNT(fields)};
    json_t *result =
        fx_patch_value_eval(value, &context, &planning->bytes_left, planning->err);
    json_decref(parts);
    return result;
}

/* Fills in where it goes. Without a select there is nothing to be replaced. */
static bool print_path(const struct planning *planning,
                       const struct fx_jsonpath_place *place, struct planned *planned) {
    const struct patch_operation *operation = planning->operation;
    const struct fx_text path = {operation->path, operation->path_len};
    struct fx_buf text;
    bool ok = true;
    fx_buf_init(&text, 0);
    if (operation->select == NULL) {
        fx_buf_text(&text, path);
    } else {
        ok = fx_select_path_print(&text, path, place->parts, place->n_parts);
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
                         place->n_parts, FX_TEXT_ARG(planned->text));
}

/* What the rules are shown besides the object, and what they are not shown, nobody
 * writes. */
static bool check_place(const struct planned *planned, struct fx_err *err) {
    static const char *const refs[] = {SYNTHETIC_REFS, NULL};
    static const char *const managed[] = {"metadata", "managedFields", NULL};
    const bool ok = !fx_steps_begin(&planned->steps, refs) &&
                    !fx_steps_begin(&planned->steps, managed);
    return ok || fx_fail(err, FX_EMUTATE, "no rule may write there: %.*s",
                         FX_TEXT_ARG(planned->text));
}

static bool plan_one(struct planning *planning, const struct fx_jsonpath_place *place) {
    struct plan *plan = planning->plan;
    if (!is_in_time(planning)) {
        return false;
    }
    if (plan->n_items == FX_LIMIT_MODRULE_OPERATIONS) {
        return fx_fail(planning->err, FX_ELIMIT, "it comes to more than %u operations",
                       FX_LIMIT_MODRULE_OPERATIONS);
    }
    if (!FX_VEC_GROW(plan->items, plan->n_items, plan->cap_items)) {
        return fx_fail_nomem(planning->err);
    }
    struct planned *planned = &plan->items[plan->n_items++];
    *planned = (struct planned){.operation = planning->operation->operation};
    if (!print_path(planning, place, planned) ||
        !fx_steps_read(planned->text, &planned->steps, planning->err) ||
        !check_place(planned, planning->err)) {
        return false;
    }
    planned->value = eval(planning, place);
    return planned->value != NULL;
}

static int by_steps_backwards(const void *left, const void *right) {
    const struct planned *a = left;
    const struct planned *b = right;
    return fx_steps_compare(&b->steps, &a->steps);
}

/* What one select takes out of lists goes from the highest index down, so that none
 * changes the place of another. */
static void order_removals(struct plan *plan, size_t first) {
    if (plan->n_items - first > 1 && plan->items[first].operation == OPERATION_REMOVE) {
        qsort(plan->items + first, plan->n_items - first, sizeof *plan->items,
              by_steps_backwards);
    }
}

static bool plan_selected(struct planning *planning) {
    const size_t first = planning->plan->n_items;
    struct fx_jsonpath_places places = {0};
    if (!fx_jsonpath_find(planning->operation->select, planning->root, &places,
                          planning->err)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < places.n_places; i++) {
        ok = plan_one(planning, &places.places[i]);
    }
    fx_jsonpath_places_finish(&places);
    if (ok) {
        order_removals(planning->plan, first);
    }
    return ok;
}

static bool plan_operation(struct planning *planning, size_t at) {
    const struct fx_jsonpath_place nowhere = {.value = NULL};
    const bool ok = planning->operation->select == NULL ? plan_one(planning, &nowhere)
                                                        : plan_selected(planning);
    if (!ok && !fx_err_is_ours(planning->err)) {
        (void)fx_err_prefix(planning->err, "spec.patch[%zu]: ", at);
    }
    return ok;
}

/* What its templates may write. */
static size_t text_bound(const struct patch_circumstances *circumstances) {
    const size_t *left = circumstances->text_left;
    return left == NULL || *left > FX_LIMIT_MODRULE_BYTES ? FX_LIMIT_MODRULE_BYTES
                                                          : *left;
}

bool fx_plan_make(const struct patch_operation *patch, size_t n_patch,
                  const struct patch_circumstances *circumstances, json_t *root,
                  struct plan *ret_plan, struct fx_err *err) {
    struct planning planning = {
        .circumstances = circumstances,
        .root = root,
        .namespace_ = fx_tree_new_string(circumstances->namespace_),
        .bytes_left = text_bound(circumstances),
        .plan = ret_plan,
        .err = err,
    };
    bool ok = planning.namespace_ != NULL || fx_fail_nomem(err);
    for (size_t i = 0; ok && i < n_patch; i++) {
        planning.operation = &patch[i];
        ok = plan_operation(&planning, i);
    }
    if (circumstances->text_left != NULL) {
        *circumstances->text_left -= text_bound(circumstances) - planning.bytes_left;
    }
    json_decref(planning.namespace_);
    return ok;
}

/* ---- applying -------------------------------------------------------------------- */

bool fx_plan_apply(const struct plan *plan, json_t **root, struct fx_err *err) {
    for (size_t i = 0; i < plan->n_items; i++) {
        const struct planned *planned = &plan->items[i];
        const struct place place = {planned->text, &planned->steps};
        if (!fx_operation_apply(planned->operation, &place, planned->value, root, err)) {
            return false;
        }
    }
    return true;
}
