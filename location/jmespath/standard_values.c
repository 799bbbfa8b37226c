/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/standard_values.c - functions of JMESPath about lists, objects and
 * types.
 */
#include "base/budget.h"
#include "location/jmespath/eval.h"
#include "location/jmespath/standard.h"
#include "value/tree.h"

bool fx_jmespath_type(const struct fx_jmespath_call *call, json_t **ret_value,
                      struct fx_err *err) {
    static const char *const names[] = {
        [JSON_OBJECT] = "object",  [JSON_ARRAY] = "array", [JSON_STRING] = "string",
        [JSON_INTEGER] = "number", [JSON_REAL] = "number", [JSON_TRUE] = "boolean",
        [JSON_FALSE] = "boolean",  [JSON_NULL] = "null",
    };
    return fx_jmespath_give_string(fx_text_of(names[json_typeof(call->args[0])]),
                                   ret_value, err);
}

bool fx_jmespath_to_array(const struct fx_jmespath_call *call, json_t **ret_value,
                          struct fx_err *err) {
    if (json_is_array(call->args[0])) {
        *ret_value = json_incref(call->args[0]);
        return true;
    }
    json_t *list = json_array();
    const bool ok = list != NULL && fx_tree_append_take(list, json_incref(call->args[0]));
    return fx_jmespath_give_take(fx_tree_keep_if(ok, list), ret_value, err);
}

bool fx_jmespath_not_null(const struct fx_jmespath_call *call, json_t **ret_value,
                          struct fx_err *err) {
    size_t i = 0;
    (void)err;
    while (i + 1 < call->n_args && json_is_null(call->args[i])) {
        i++;
    }
    *ret_value = json_incref(call->args[i]);
    return true;
}

/* ---- objects ----------------------------------------------------------------------- */

/* Gives a list of what `take` makes of each member, in the order of the keys. */
static bool give_members(const struct fx_jmespath_call *call,
                         json_t *(*take)(const struct query_member *member),
                         json_t **ret_value, struct fx_err *err) {
    struct query_member *members = NULL;
    size_t n = 0;
    if (!fx_jmespath_members(call->arena, call->args[0], &members, &n, err)) {
        return false;
    }
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        ok = fx_tree_append_take(list, take(&members[i]));
    }
    return fx_jmespath_give_take(fx_tree_keep_if(ok, list), ret_value, err);
}

static json_t *member_key(const struct query_member *member) {
    return fx_tree_new_string(member->key);
}

static json_t *member_value(const struct query_member *member) {
    return json_incref(member->value);
}

bool fx_jmespath_keys(const struct fx_jmespath_call *call, json_t **ret_value,
                      struct fx_err *err) {
    return give_members(call, member_key, ret_value, err);
}

bool fx_jmespath_values(const struct fx_jmespath_call *call, json_t **ret_value,
                        struct fx_err *err) {
    return give_members(call, member_value, ret_value, err);
}

/* Sets the members of one object in another. */
static bool merge_into(json_t *into, const json_t *object) {
    bool ok = true;
    for (void *iter = fx_node_first(object); ok && iter != NULL;
         iter = fx_node_next(object, iter)) {
        ok = fx_tree_set_take(into, fx_node_key(iter),
                              json_incref(json_object_iter_value(iter)));
    }
    return ok;
}

#define UNITS_OF_MEMBER 4u

bool fx_jmespath_merge(const struct fx_jmespath_call *call, json_t **ret_value,
                       struct fx_err *err) {
    json_t *merged = json_object();
    bool ok = merged != NULL;
    for (size_t i = 0; ok && i < call->n_args; i++) {
        if (!fx_spend(UNITS_OF_MEMBER * json_object_size(call->args[i]))) {
            json_decref(merged);
            return fx_fail_exceeded(err);
        }
        ok = merge_into(merged, call->args[i]);
    }
    return fx_jmespath_give_take(fx_tree_keep_if(ok, merged), ret_value, err);
}

/* ---- lists ------------------------------------------------------------------------- */

/* A missing key gives null in the list: it has as many elements as the argument. */
bool fx_jmespath_map(const struct fx_jmespath_call *call, json_t **ret_value,
                     struct fx_err *err) {
    const json_t *list = call->args[1];
    json_t *mapped = json_array();
    bool ok = mapped != NULL || fx_fail_nomem(err);
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        json_t *value = NULL;
        ok = fx_jmespath_call_expression(call, json_array_get(list, i), &value, err) &&
             (fx_tree_append_take(mapped, value) || fx_fail_nomem(err));
    }
    *ret_value = fx_tree_keep_if(ok, mapped);
    return ok;
}
