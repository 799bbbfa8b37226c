/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/provider.c - kind Provider: a service that returns values for
 * external data, and its protocol, ProviderRequest and ProviderResponse (spec section 7).
 * The certificates of the CA bundle are parsed when the TLS client is made.
 */
#include <inttypes.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/url.h"
#include "engine/resource.h"
#include "engine/unmarshal.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/shape.h"
#include "value/json.h"
#include "value/tree.h"

POLICY_SHAPE(fx_provider_shape, "Provider", FIELD_TEXT("url", "string"),
             {"timeout", FIELD_INTEGER, "int", NULL, NULL},
             FIELD_TEXT("caBundle", "string"));

/* A request never takes longer, so a longer timeout makes no difference. */
#define TIMEOUT_MAX_S INT64_C(86400)

static const json_t *spec_node(const struct policy *policy, const char *key) {
    return fx_policy_node(policy, fx_shape_view(policy->spec, key));
}

static bool check_name(const struct policy *policy, struct fx_err *err) {
    return policy->name.len > 0 || fx_fail_in(err, policy->source, FX_EINVALID,
                                              "provider name can not be empty. value ");
}

static bool check_timeout(const struct policy *policy, int64_t seconds,
                          struct fx_err *err) {
    return seconds >= 0 ||
           fx_fail_in(err, spec_node(policy, "timeout"), FX_EINVALID,
                      "provider timeout should be a positive integer. value: %" PRId64,
                      seconds);
}

static bool check_present(const struct policy *policy, struct fx_text url,
                          struct fx_err *err) {
    return url.len > 0 || fx_fail_in(err, spec_node(policy, "url"), FX_EINVALID,
                                     "invalid provider url. value: ");
}

/* Returns the scheme, up to a colon; empty if there is none. scheme := alpha *( alpha |
 * digit | "+" | "-" | "." ) */
static struct fx_text scheme_of(struct fx_text url) {
    static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789+-.";
    const size_t n_letters = 52;
    size_t len = 0;
    while (len < url.len && url.data[len] != '\0' &&
           memchr(rest, url.data[len], len == 0 ? n_letters : sizeof rest - 1) != NULL) {
        len++;
    }
    const bool ends = len < url.len && url.data[len] == ':';
    return (struct fx_text){url.data, ends ? len : 0};
}

/* Checks the URL. Gatekeeper accepts any text that begins with https, and fails when it
 * sends a request. */
static bool check_url(const struct policy *policy, struct fx_text text,
                      struct fx_err *err) {
    const struct fx_url scheme = {.scheme = scheme_of(text)};
    if (!fx_url_is_scheme(&scheme, "https")) {
        return fx_fail_in(err, spec_node(policy, "url"), FX_EINVALID,
                          "only HTTPS scheme is supported for Providers");
    }
    struct fx_url url;
    if (fx_url_parse(text, &url, err)) {
        return true;
    }
    err->code = FX_EINVALID;
    err->node = spec_node(policy, "url");
    return fx_err_prefix(err, "invalid provider url. value: %.*s: ", FX_TEXT_ARG(text));
}

/* ---- the certificates ------------------------------------------------------------ */

static bool fail_base64(const struct policy *policy, struct fx_text bundle,
                        struct fx_err *err) {
    const size_t at = fx_base64_find_fault(bundle);
    (void)fx_fail_in(err, spec_node(policy, "caBundle"), FX_EINVALID,
                     "failed to base64 decode caBundle: illegal base64 data at input "
                     "byte %zu",
                     at);
    err->off = (uint32_t)at;
    err->len = at < bundle.len ? 1 : 0;
    return false;
}

static bool decode_bundle(const struct policy *policy, struct fx_buf *pem,
                          struct fx_err *err) {
    const struct fx_text bundle = fx_tree_view_string(policy->spec, "caBundle");
    if (bundle.len == 0) {
        return fx_fail_in(err, spec_node(policy, "caBundle"), FX_EINVALID,
                          "caBundle should be set for HTTPS scheme");
    }
    if (fx_base64_decode(pem, bundle)) {
        return true;
    }
    return pem->failed ? fx_fail_nomem(err) : fail_base64(policy, bundle, err);
}

/* ---- request and response --------------------------------------------------------- */

/* Writes the request as Go writes it. */
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

/* The fields of a ProviderResponse, with Go's names. */
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

/* Makes an object of the items by key. If a key occurs twice, the later item is used. */
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

/* Checks a response: it must report no error of the provider, and must be idempotent. */
static bool validate_response(const struct fx_provider *provider,
                              struct fx_text system_error, bool is_idempotent,
                              struct fx_err *err) {
    const char *name = provider->resource.name;
    const struct fx_text message = fx_text_trim_space(system_error);
    if (message.len > 0) {
        return fx_fail(err, FX_EMUTATE,
                       "failed to validate external data response from provider %s: "
                       "non-empty system error: %.*s",
                       name, FX_TEXT_ARG(message));
    }
    return is_idempotent ||
           fx_fail(err, FX_EMUTATE,
                   "failed to validate external data response from provider %s: "
                   "non-idempotent response",
                   name);
}

static bool check_root(json_t *root, struct fx_err *err) {
    static const char *const types[] = {"array", "string", "number", "bool"};
    const size_t which = json_is_array(root)    ? 0
                         : json_is_string(root) ? 1
                         : json_is_number(root) ? 2
                                                : 3;
    return json_is_object(root) || json_is_null(root) ||
           fx_fail(err, FX_EINVALID,
                   "json: cannot unmarshal %s into Go value of type "
                   "externaldata.ProviderResponse",
                   types[which]);
}

/* Reads a response. As in Go, the decoder checks the types first; then the status of the
 * response is checked. */
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
    if (items != NULL &&
        !validate_response(provider, fx_tree_view_string(response, "systemError"),
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

/* ---- the policy ------------------------------------------------------------------- */

static bool add_provider(const struct policy *policy, int64_t seconds,
                         const struct fx_buf *pem, struct fx_compilation *ret_compilation,
                         struct fx_err *err) {
    const int64_t counts = seconds < TIMEOUT_MAX_S ? seconds : TIMEOUT_MAX_S;
    struct fx_provider *provider =
        fx_provider_create(&fx_external_data_protocol, policy->name, policy->source,
                           fx_tree_view_string(policy->spec, "url"),
                           (uint64_t)counts * 1000, fx_buf_view(pem));
    return (provider != NULL &&
            fx_compilation_add_resource_take(ret_compilation, &provider->resource)) ||
           fx_fail_nomem(err);
}

/* Compiles the policy in the order of spec section 7. */
bool fx_provider_compile(const struct policy *policy,
                         struct fx_compilation *ret_compilation, struct fx_err *err) {
    const struct fx_text url = fx_tree_view_string(policy->spec, "url");
    const int64_t seconds =
        json_integer_value(fx_shape_view(policy->spec, "timeout")); /* 0 if missing */
    struct fx_buf pem;
    fx_buf_init(&pem, 0);
    const bool ok = check_name(policy, err) && check_present(policy, url, err) &&
                    check_timeout(policy, seconds, err) && check_url(policy, url, err) &&
                    decode_bundle(policy, &pem, err) &&
                    add_provider(policy, seconds, &pem, ret_compilation, err);
    fx_buf_finish(&pem);
    return ok;
}
