/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_collection.c - Kyverno's functions of objects and lists.
 */
#include <math.h>

#include "location/jmespath/eval.h"
#include "location/jmespath/functions.h"
#include "value/equal.h"
#include "value/tree.h"

/* ---- label_match ------------------------------------------------------------------- */

static bool call_label_match(const struct fx_jmespath_call *call, json_t **ret_value,
                             struct fx_err *err) {
    const json_t *wanted = call->args[0];
    const json_t *labels = call->args[1];
    bool matches = true;
    for (void *iter = fx_node_first(wanted); iter != NULL && matches;
         iter = fx_node_next(wanted, iter)) {
        const json_t *label = fx_tree_view_text(labels, fx_node_key(iter));
        (void)fx_spend(1);
        matches = label != NULL && fx_equal(json_object_iter_value(iter), label);
    }
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        return fx_fail_exceeded(err);
    }
    return fx_jmespath_give_boolean(matches, ret_value, err);
}

/* ---- lookup ------------------------------------------------------------------------ */

static bool give_shared(json_t *value, json_t **ret_value) {
    *ret_value = value == NULL ? json_null() : json_incref(value);
    return true;
}

static bool look_up_index(const json_t *list, double index, json_t **ret_value,
                          struct fx_err *err) {
    if (trunc(index) != index) {
        return fx_fail(err, FX_EINVALID, "argument 2 has to be an integer");
    }
    return give_shared(index < 0 || index >= (double)json_array_size(list)
                           ? NULL
                           : json_array_get(list, (size_t)index),
                       ret_value);
}

static bool call_lookup(const struct fx_jmespath_call *call, json_t **ret_value,
                        struct fx_err *err) {
    json_t *subject = call->args[0];
    if (json_is_object(subject)) {
        if (!json_is_string(call->args[1])) {
            return fx_fail(err, FX_EINVALID,
                           "argument 2 has to be a string, the key of an object");
        }
        return give_shared(fx_tree_view_text(subject, jmespath_argument_text(call, 1)),
                           ret_value);
    }
    if (!json_is_number(call->args[1])) {
        return fx_fail(err, FX_EINVALID,
                       "argument 2 has to be a number, the index in a list");
    }
    return look_up_index(subject, jmespath_argument_number(call, 1), ret_value, err);
}

/* ---- items ------------------------------------------------------------------------- */

/* Appends {key_name: key, value_name: value}. Consumes the key. If both names are the
 * same, the value stays. */
static bool add_item(const struct fx_jmespath_call *call, json_t *list, json_t *key,
                     json_t *value, struct fx_err *err) {
    json_t *item = json_object();
    const bool ok =
        jmespath_spend_bytes(0, err) &&
        ((fx_tree_set_take(item, jmespath_argument_text(call, 1), json_incref(key)) &&
          fx_tree_set_take(item, jmespath_argument_text(call, 2), json_incref(value))) ||
         fx_fail_nomem(err));
    json_decref(key);
    if (!ok) {
        json_decref(item);
        return false;
    }
    return jmespath_append_take(list, item, err);
}

static bool add_elements(const struct fx_jmespath_call *call, json_t *list,
                         struct fx_err *err) {
    const json_t *subject = call->args[0];
    for (size_t i = 0; i < json_array_size(subject); i++) {
        if (!add_item(call, list, json_integer((json_int_t)i), json_array_get(subject, i),
                      err)) {
            return false;
        }
    }
    return true;
}

/* Members are in the order of their keys, so that equal objects have equal items. */
static bool add_members(const struct fx_jmespath_call *call, json_t *list,
                        struct fx_err *err) {
    struct query_member *members = NULL;
    size_t n = 0;
    if (!fx_jmespath_members(call->arena, call->args[0], &members, &n, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!jmespath_spend_bytes(members[i].key.len, err) ||
            !add_item(call, list, fx_tree_new_string(members[i].key), members[i].value,
                      err)) {
            return false;
        }
    }
    return true;
}

static bool call_items(const struct fx_jmespath_call *call, json_t **ret_value,
                       struct fx_err *err) {
    json_t *list = json_array();
    const bool ok = list == NULL                    ? fx_fail_nomem(err)
                    : json_is_object(call->args[0]) ? add_members(call, list, err)
                                                    : add_elements(call, list, err);
    *ret_value = fx_tree_keep_if(ok, list);
    return ok;
}

/* ---- object_from_lists ------------------------------------------------------------- */

/* Appends the key: strings, numbers and booleans can be keys. */
static bool add_key(struct fx_buf *buf, const json_t *key, struct fx_err *err) {
    if (json_is_string(key)) {
        fx_buf_text(buf, fx_tree_text(key));
    } else if (json_is_number(key)) {
        jmespath_add_plain_number(buf, key);
    } else if (json_is_boolean(key)) {
        fx_buf_str(buf, json_is_true(key) ? "true" : "false");
    } else {
        return fx_fail(err, FX_EINVALID,
                       "the keys have to be strings, numbers or booleans");
    }
    return !buf->failed || fx_fail_nomem(err);
}

static bool add_member(json_t *object, struct fx_buf *buf, const json_t *key,
                       json_t *value, struct fx_err *err) {
    if (json_object_size(object) == FX_LIMIT_JMESPATH_VALUE_NODES) {
        return fx_fail(err, FX_ELIMIT, "the object has more than %u members",
                       FX_LIMIT_JMESPATH_VALUE_NODES);
    }
    fx_buf_reset(buf);
    return add_key(buf, key, err) && jmespath_spend_bytes(buf->len, err) &&
           (fx_tree_set_take(object, fx_buf_view(buf),
                             value == NULL ? json_null() : json_incref(value)) ||
            fx_fail_nomem(err));
}

static bool add_pairs(json_t *object, const json_t *keys, const json_t *values,
                      struct fx_err *err) {
    struct fx_buf buf;
    bool ok = true;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; ok && i < json_array_size(keys); i++) {
        ok = add_member(object, &buf, json_array_get(keys, i), json_array_get(values, i),
                        err);
    }
    fx_buf_finish(&buf);
    return ok;
}

static bool call_object_from_lists(const struct fx_jmespath_call *call,
                                   json_t **ret_value, struct fx_err *err) {
    json_t *object = json_object();
    const bool ok = object == NULL ? fx_fail_nomem(err)
                                   : add_pairs(object, call->args[0], call->args[1], err);
    *ret_value = fx_tree_keep_if(ok, object);
    return ok;
}

#define LIST_OR_OBJECT (FX_JMESPATH_ARRAY | FX_JMESPATH_OBJECT)

const struct fx_jmespath_function fx_jmespath_collection_functions[] = {
    FX_JMESPATH_ROW("label_match", call_label_match, {.types = FX_JMESPATH_OBJECT},
                    {.types = FX_JMESPATH_OBJECT}),
    FX_JMESPATH_ROW("lookup", call_lookup, {.types = LIST_OR_OBJECT},
                    {.types = FX_JMESPATH_STRING | FX_JMESPATH_NUMBER}),
    FX_JMESPATH_ROW("items", call_items, {.types = LIST_OR_OBJECT},
                    {.types = FX_JMESPATH_STRING}, {.types = FX_JMESPATH_STRING}),
    FX_JMESPATH_ROW("object_from_lists", call_object_from_lists,
                    {.types = FX_JMESPATH_ARRAY}, {.types = FX_JMESPATH_ARRAY}),
    {.name = NULL},
};
