/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/provider_protocol.c - how a provider is asked, and what it answers:
 * ProviderRequest and ProviderResponse (spec section 7).
 */
#include "mutators/gatekeeper/provider_protocol.h"

#include "engine/unmarshal.h"
#include "mutators/gatekeeper/policy.h"
#include "value/json.h"
#include "value/tree.h"

/* As Go writes it. */
static void write_request(const struct fx_text *keys, size_t n_keys,
                          struct fx_buf *body) {
    fx_buf_str(body, "{\"apiVersion\":\"" EXTERNAL_GROUP "/v1beta1\",\"kind\":"
                     "\"ProviderRequest\",\"request\":{\"keys\":[");
    for (size_t i = 0; i < n_keys; i++) {
        fx_buf_str(body, i == 0 ? "" : ",");
        fx_json_write_string(body, keys[i], FX_JSON_HTML);
    }
    fx_buf_str(body, "]}}");
}

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

/* A valid answer reports no error of the provider, and is idempotent. */
static bool validate(const struct fx_provider *provider, struct fx_text system_error,
                     bool is_idempotent, struct fx_err *err) {
    const char *name = provider->resource.name;
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

/* First the types, as Go's decoder checks them, then what the answer says of itself. */
static json_t *read_answer(const struct fx_provider *provider, json_t *root,
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
    if (items != NULL && !validate(provider, fx_tree_view_string(response, "systemError"),
                                   is_idempotent, err)) {
        json_decref(items);
        return NULL;
    }
    return items;
}

const struct fx_provider_protocol fx_external_data_protocol = {
    .write_request = write_request,
    .read_answer = read_answer,
};
