/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/external_answer.c - what a provider answered, or why it did not: items by
 * key, or the words of the failure of the whole response (spec section 7).
 */
#include <assert.h>
#include <stdint.h>

#include "admission/external_internal.h"
#include "base/limits.h"
#include "engine/unmarshal.h"
#include "value/json.h"
#include "value/tree.h"

/* The fields of a ProviderResponse as Go names them. */
static const struct fx_go_field api_version_field = {"ProviderResponse", "apiVersion",
                                                     "string"};
static const struct fx_go_field kind_field = {"ProviderResponse", "kind",
                                              "externaldata.ProviderKind"};
static const struct fx_go_field response_field = {"ProviderResponse", "response",
                                                  "externaldata.Response"};
static const struct fx_go_field idempotent_field = {"Response", "response.idempotent",
                                                    "bool"};
static const struct fx_go_field items_field = {"Response", "response.items",
                                               "[]externaldata.Item"};
static const struct fx_go_field system_error_field = {"Response", "response.systemError",
                                                      "string"};
static const struct fx_go_field item_field = {"Response", "response.items",
                                              "externaldata.Item"};
static const struct fx_go_field key_field = {"Item", "response.items.key", "string"};
static const struct fx_go_field error_field = {"Item", "response.items.error", "string"};

static bool check_string(const json_t *parent, const char *key,
                         const struct fx_go_field *field, struct fx_err *err) {
    json_t *string = NULL;
    return fx_unmarshal_string(fx_tree_view_key(parent, key), field, &string, err);
}

static bool read_flag(const json_t *parent, const char *key,
                      const struct fx_go_field *field, bool *ret_flag,
                      struct fx_err *err) {
    const json_t *node = fx_tree_view_key(parent, key);
    if (node != NULL && !json_is_null(node) && !json_is_boolean(node)) {
        return fx_fail_unmarshal(node, field, err);
    }
    *ret_flag = json_is_true(node);
    return true;
}

static bool add_item(json_t *items, json_t *node, struct fx_err *err) {
    json_t *item = NULL;
    if (!fx_unmarshal_object(node, &item_field, &item, err) ||
        !check_string(item, "key", &key_field, err) ||
        !check_string(item, "error", &error_field, err)) {
        return false;
    }
    const struct fx_text key = fx_tree_view_string(item, "key");
    return fx_tree_set_take(items, key.data == NULL ? FX_TEXT("") : key,
                            json_incref(node)) ||
           fx_fail_nomem(err);
}

/* The items by their keys; a later one takes the place of an earlier. */
static json_t *index_items(const json_t *list, struct fx_err *err) {
    json_t *items = json_object();
    bool ok = items != NULL || fx_fail_nomem(err);
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        ok = add_item(items, json_array_get(list, i), err);
    }
    if (!ok) {
        json_decref(items);
        return NULL;
    }
    return items;
}

/* What a sound answer may say of itself. */
static bool validate(const struct fx_external_call *call, struct fx_text system_error,
                     bool is_idempotent, struct fx_err *err) {
    const char *name = call->provider->resource.name;
    const struct fx_text words = fx_text_trim_space(system_error);
    if (words.len > 0) {
        return fx_fail(err, FX_EMUTATE,
                       "failed to validate external data response from provider %s: "
                       "non-empty system error: %.*s",
                       name, FX_TEXT_ARG(words));
    }
    return is_idempotent ||
           fx_fail(err, FX_EMUTATE,
                   "failed to validate external data response from provider %s: "
                   "non-idempotent response",
                   name);
}

static bool check_root(json_t *root, struct fx_err *err) {
    static const char *const words[] = {"array", "string", "number", "bool"};
    const size_t which = json_is_array(root)    ? 0
                         : json_is_string(root) ? 1
                         : json_is_number(root) ? 2
                                                : 3;
    return json_is_object(root) || json_is_null(root) ||
           fx_fail(err, FX_EINVALID,
                   "json: cannot unmarshal %s into Go value of type "
                   "externaldata.ProviderResponse",
                   words[which]);
}

/* The types that Go's decoder asks for, then what the answer says of itself. */
static json_t *read_items(const struct fx_external_call *call, json_t *root,
                          struct fx_err *err) {
    json_t *response = NULL;
    json_t *list = NULL;
    bool is_idempotent = false;
    if (!check_root(root, err) ||
        !check_string(root, "apiVersion", &api_version_field, err) ||
        !check_string(root, "kind", &kind_field, err) ||
        !fx_unmarshal_object(fx_tree_view_key(root, "response"), &response_field,
                             &response, err) ||
        !read_flag(response, "idempotent", &idempotent_field, &is_idempotent, err) ||
        !check_string(response, "systemError", &system_error_field, err) ||
        !fx_unmarshal_array(fx_tree_view_key(response, "items"), &items_field, &list,
                            err)) {
        return NULL;
    }
    json_t *items = index_items(list, err);
    if (items != NULL && !validate(call, fx_tree_view_string(response, "systemError"),
                                   is_idempotent, err)) {
        json_decref(items);
        return NULL;
    }
    return items;
}

/* Keeps the words: `detail` is what comes after the provider's name. */
static void keep_fault(struct fx_external_call *call, struct fx_arena *arena,
                       const char *text) {
    const char *copy = fx_arena_copy(arena, fx_text_of(text));
    call->lacks_memory = copy == NULL;
    call->fault = fx_text_of(copy);
}

static void keep_transport_fault(struct fx_external_call *call, struct fx_arena *arena,
                                 const char *prefix, const char *why) {
    struct fx_err err = FX_ERR_INIT;
    (void)fx_fail(&err, FX_EMUTATE,
                  "failed to send external data request to provider %s: %s%s",
                  call->provider->resource.name, prefix, why);
    keep_fault(call, arena, err.msg);
}

void fx_external_give(struct fx_external_call *call, struct fx_arena *arena,
                      struct fx_text body) {
    assert(!call->is_answered);
    call->is_answered = true;
    struct fx_err err = FX_ERR_INIT;
    if (body.len > FX_LIMIT_PROVIDER_BODY_BYTES) {
        (void)fx_fail(&err, FX_ELIMIT, "the response is larger than %u bytes",
                      FX_LIMIT_PROVIDER_BODY_BYTES);
    } else {
        json_t *root = fx_json_read(body, NULL, &err);
        call->items = root == NULL ? NULL : read_items(call, root, &err);
        json_decref(root);
    }
    if (call->items != NULL) {
        return;
    }
    if (err.code == FX_ENOMEM) {
        call->lacks_memory = true;
    } else if (err.code == FX_EMUTATE) {
        keep_fault(call, arena, err.msg);
    } else {
        keep_transport_fault(call, arena,
                             "failed to unmarshal external data response: ", err.msg);
    }
}

void fx_external_fail(struct fx_external_call *call, struct fx_arena *arena,
                      const char *why) {
    assert(!call->is_answered);
    call->is_answered = true;
    keep_transport_fault(call, arena, "", why);
}
