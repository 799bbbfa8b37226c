/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/modify_set.c - kind ModifySet: adds values to a list that has no
 * keys, or removes them from it.
 */
#include <stdlib.h>

#include "base/budget.h"
#include "engine/external.h"
#include "engine/request.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/shape.h"
#include "mutators/gatekeeper/target.h"
#include "mutators/gatekeeper/value_copy.h"
#include "mutators/gatekeeper/value_set.h"
#include "value/go_text.h"
#include "value/tree.h"

SHAPE(values, "Values", {"fromList", FIELD_LIST, "[]interface {}", NULL, NULL});

SHAPE(parameters, "ModifySetParameters", FIELD_PATH_TESTS,
      FIELD_TEXT("operation", "@.Operation"),
      FIELD_STRUCT("values", "@.Values", values_shape));

POLICY_SHAPE(fx_modify_set_shape, "ModifySet", FIELD_APPLY_TO, FIELD_MATCH,
             FIELD_LOCATION,
             FIELD_STRUCT("parameters", "@.ModifySetParameters", parameters_shape),
             FIELDS_FURTHER, FIELD_CONDITIONS);

/* The `set` of a setter. */
typedef bool set_values(const void *user, const struct fx_write_position *position,
                        enum fx_write *ret_write, json_t **ret_value,
                        const char **ret_criterion, struct fx_err *err);

struct modify_set {
    struct target target; /* first */
    struct value_set values;
    struct fx_text operation;
    json_t *operation_node; /* the node of `operation`, or NULL */
    set_values *operate; /* the function of the operation; `user` is a struct modifying */
};

/* ---- the operations -------------------------------------------------------------- */

/* One application of a mutator to a request. */
struct modifying {
    const struct modify_set *set;
    const struct fx_request *request;
};

/* Go prints a pointer within a value as its address. Here the address is constant. */
#define ADDRESS "0x0"

static json_t *address_of(const struct fx_placeholder *placeholder) {
    (void)placeholder;
    return fx_tree_new_string(FX_TEXT(ADDRESS));
}

/* Prints the value as Go's %+v does, in which a placeholder is a pointer to a struct. */
static void print_value(struct fx_buf *buf, json_t *value,
                        const struct fx_placeholders *placeholders) {
    struct fx_placeholder placeholder;
    if (fx_placeholders_find(placeholders, value, &placeholder)) {
        fx_buf_str(buf, "&{Ref:" ADDRESS " ValueAtLocation:");
        fx_buf_text(buf, placeholder.key);
        fx_buf_char(buf, '}');
        return;
    }
    json_t *revealed = fx_placeholders_reveal(placeholders, value, address_of);
    buf->failed = buf->failed || revealed == NULL;
    fx_go_text_add(buf, revealed, FX_GO_INTEGERS);
    json_decref(revealed);
}

static bool check_list(json_t *old, const struct fx_request *request,
                       struct fx_err *err) {
    if (json_is_array(old)) {
        return true;
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    print_value(&text, old, request->placeholders);
    fx_buf_str(&text, " is not a list of values, cannot treat it as a set");
    return fx_fail_buf_finish(err, NULL, FX_EMUTATE, &text);
}

#define UNITS_OF_VALUE 8u /* for a value of either list, which is hashed and searched */

static bool spend_values(const json_t *old, const struct value_set *values) {
    return fx_spend(UNITS_OF_VALUE * (json_array_size(old) + values->n_values));
}

static void mark_present(const struct value_set *values, const json_t *list,
                         bool *present) {
    size_t index = 0;
    const json_t *element = NULL;
    json_array_foreach (list, index, element) {
        size_t at = 0;
        if (fx_value_set_find(values, element, &at)) {
            present[at] = true;
        }
    }
}

/* Appends the values that are not present; false if out of memory. */
static bool append_absent(json_t **list, const struct value_set *values,
                          const bool *present) {
    for (size_t i = 0; i < values->n_values; i++) {
        if (!present[i] &&
            (fx_tree_own_root(list) == NULL ||
             !fx_tree_append_take(*list, json_incref(values->values[i])))) {
            return false;
        }
    }
    return true;
}

/* Returns `old` with the values that it lacks at its end, each once, as a new reference.
 * Returns `old` itself if it has all of them; NULL if out of memory. */
static json_t *merged(json_t *old, const struct value_set *values) {
    bool *present = calloc(values->n_values + 1, sizeof *present);
    if (present == NULL) {
        return NULL;
    }
    mark_present(values, old, present);
    json_t *list = json_incref(old); /* marks it as shared: it is copied */
    if (!append_absent(&list, values, present)) {
        json_decref(list);
        list = NULL;
    }
    free(present);
    return list;
}

/* Adds the values to a list. A missing field gets the list of the policy unchanged, with
 * its duplicates. */
static bool merge_values(const void *user, const struct fx_write_position *position,
                         enum fx_write *ret_write, json_t **ret_value,
                         const char **ret_criterion, struct fx_err *err) {
    (void)ret_criterion;
    json_t *old = position->old;
    const struct modifying *modifying = user;
    const struct modify_set *set = modifying->set;
    if (old != NULL && !check_list(old, modifying->request, err)) {
        return false;
    }
    if (!spend_values(old, &set->values)) {
        return fx_fail_exceeded(err);
    }
    json_t *list =
        old == NULL ? json_incref(set->values.list) : merged(old, &set->values);
    if (list == NULL) {
        return fx_fail_nomem(err);
    }
    *ret_write = FX_WRITE_SET;
    *ret_value = list;
    return true;
}

static bool have_common(const json_t *list, const struct value_set *values) {
    size_t index = 0;
    const json_t *element = NULL;
    json_array_foreach (list, index, element) {
        size_t at = 0;
        if (fx_value_set_find(values, element, &at)) {
            return true;
        }
    }
    return false;
}

/* Makes a list of the elements of `list` that are not among the values. */
static json_t *pruned(const json_t *list, const struct value_set *values) {
    json_t *kept = json_array();
    size_t index = 0;
    json_t *element = NULL;
    json_array_foreach (list, index, element) {
        size_t at = 0;
        if (kept != NULL && !fx_value_set_find(values, element, &at) &&
            !fx_tree_append_take(kept, json_incref(element))) {
            json_decref(kept);
            kept = NULL;
        }
    }
    return kept;
}

static bool prune(const void *user, const struct fx_write_position *position,
                  enum fx_write *ret_write, json_t **ret_value,
                  const char **ret_criterion, struct fx_err *err) {
    (void)ret_criterion;
    json_t *old = position->old;
    const struct modifying *modifying = user;
    const struct modify_set *set = modifying->set;
    *ret_write = FX_WRITE_KEEP;
    if (old == NULL) {
        return true;
    }
    if (!check_list(old, modifying->request, err)) {
        return false;
    }
    if (!spend_values(old, &set->values)) {
        return fx_fail_exceeded(err);
    }
    if (!have_common(old, &set->values)) {
        return true;
    }
    json_t *list = pruned(old, &set->values);
    if (list == NULL) {
        return fx_fail_nomem(err);
    }
    *ret_write = FX_WRITE_SET;
    *ret_value = list;
    return true;
}

static bool fail_operation(const void *user, const struct fx_write_position *position,
                           enum fx_write *ret_write, json_t **ret_value,
                           const char **ret_criterion, struct fx_err *err) {
    (void)position;
    (void)ret_criterion;
    (void)ret_write;
    (void)ret_value;
    const struct modifying *modifying = user;
    return fx_fail(err, FX_EMUTATE, "unrecognized operation for modifyset: %.*s",
                   FX_TEXT_ARG(modifying->set->operation));
}

/* name, function */
#define OPERATIONS(X)        \
    X("merge", merge_values) \
    X("prune", prune)

static void set_operation(struct modify_set *set, struct fx_text operation) {
    set->operation = operation;
    set->operate = fail_operation;
#define X(name, function)              \
    if (fx_text_is(operation, name)) { \
        set->operate = function;       \
    }
    OPERATIONS(X)
#undef X
}

/* ---- the policy ------------------------------------------------------------------ */

/* Reads the operation. Its default is that of the CRD, which an API server sets if there
 * are `parameters`: policies from files are read as if they came from one. An unknown
 * operation fails the requests, not the policy, because Gatekeeper does not check it. */
static bool read_operation(struct modify_set *set, const struct policy *policy,
                           struct fx_err *err) {
    json_t *node = fx_shape_view(policy->parameters, "operation");
    set->operation_node = fx_tree_deep_copy(node);
    if (node != NULL && set->operation_node == NULL) {
        return fx_fail_nomem(err);
    }
    if (node == NULL && policy->parameters != NULL) {
        set_operation(set, FX_TEXT("merge"));
    } else {
        set_operation(set, fx_tree_text(set->operation_node));
    }
    return true;
}

/* Reads the values. A missing list is read as an empty one. */
static bool read_values(struct modify_set *set, const struct policy *policy,
                        struct fx_err *err) {
    json_t *list = fx_shape_view(fx_shape_view(policy->parameters, "values"), "fromList");
    json_t *values = list != NULL ? fx_tree_deep_copy(list) : json_array();
    const bool ok = values != NULL && fx_value_set_init(&set->values, values);
    json_decref(values);
    return ok || fx_fail_nomem(err);
}

static bool check_end(const struct target *target, const struct policy *policy,
                      struct fx_err *err) {
    const struct fx_location_step *last = fx_target_last_step(target);
    if (last == NULL || last->type != FX_LOCATION_LIST) {
        return true;
    }
    return fx_fail_in(err, fx_target_location_node(policy), FX_EINVALID,
                      "final node in a modifyset location cannot be a keyed list");
}

/* Compiles the policy in the order of spec section 3.2. */
static bool compile_modify_set(struct target *target, const struct policy *policy,
                               struct fx_err *err) {
    struct modify_set *set = (struct modify_set *)target; /* its first member */
    target->type = FX_ACCESS_SET;
    return read_operation(set, policy, err) &&
           fx_target_parse_location_of(target, policy, "ModifySet", err) &&
           fx_target_check_metadata(target, policy, "modifyset", err) &&
           check_end(target, policy, err) &&
           fx_target_compile_path_tests(target, policy, err) &&
           fx_target_compile_apply_to(target, policy, err) &&
           read_values(set, policy, err);
}

static bool apply_modify_set(const struct fx_mutator *self,
                             const struct fx_request *request, json_t **root,
                             struct fx_effect *ret_effect, struct fx_err *err) {
    const struct modify_set *set = (const struct modify_set *)self;
    const struct modifying modifying = {set, request};
    const struct fx_setter setter = {.set = set->operate, .user = &modifying};
    return fx_target_write(&set->target, &setter, root, ret_effect, err);
}

static void destroy_modify_set(struct fx_mutator *self) {
    struct modify_set *set = (struct modify_set *)self;
    fx_value_set_finish(&set->values);
    json_decref(set->operation_node);
    fx_target_finish(&set->target);
    free(set);
}

static const struct fx_mutator_ops ops = {
    TARGET_OPS,
    .apply = apply_modify_set,
    .destroy = destroy_modify_set,
};

bool fx_modify_set_compile(const struct policy *policy,
                           struct fx_compilation *ret_compilation, struct fx_err *err) {
    return fx_target_add(policy, sizeof(struct modify_set), &ops, compile_modify_set,
                         ret_compilation, err);
}
