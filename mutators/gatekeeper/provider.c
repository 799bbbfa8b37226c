/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/provider.c - kind Provider: who may be asked for values (spec
 * section 7). Whether its certificates are some is for those to say who know TLS.
 */
#include "engine/resource.h"

#include <inttypes.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/url.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/provider_protocol.h"
#include "mutators/gatekeeper/shapes.h"
#include "value/tree.h"

static const struct field spec_fields[] = {
    FIELD_TEXT("url", "string"),
    {"timeout", FIELD_INTEGER, "int", NULL, NULL},
    FIELD_TEXT("caBundle", "string"),
    FIELDS_END,
};
static const struct shape spec_shape = {"ProviderSpec", spec_fields, false};

static const struct field root_fields[] = {
    FIELD("apiVersion"), FIELD("kind"),
    FIELD_METADATA,      {"spec", FIELD_OBJECT, "@.ProviderSpec", NULL, &spec_shape},
    FIELD("status"),     FIELDS_END,
};
const struct shape fx_provider_shape = {"Provider", root_fields, false};

/* No request lives longer: further seconds make no difference. */
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

/* scheme := alpha *( alpha | digit | "+" | "-" | "." ), up to a colon; empty where there
 * is none. */
static struct fx_text scheme_of(struct fx_text url) {
    static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789+-.";
    const size_t letters = 52;
    size_t len = 0;
    while (len < url.len && url.data[len] != '\0' &&
           memchr(rest, url.data[len], len == 0 ? letters : sizeof rest - 1) != NULL) {
        len++;
    }
    const bool ends = len < url.len && url.data[len] == ':';
    return (struct fx_text){url.data, ends ? len : 0};
}

/* Gatekeeper takes any text for a URL that begins with https, and fails when it asks. */
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

static bool decode(const struct policy *policy, struct fx_buf *pem, struct fx_err *err) {
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

/* ---- all of it ------------------------------------------------------------------- */

static bool add(const struct policy *policy, int64_t seconds, const struct fx_buf *pem,
                struct fx_compilation *ret_compilation, struct fx_err *err) {
    const int64_t counts = seconds < TIMEOUT_MAX_S ? seconds : TIMEOUT_MAX_S;
    struct fx_provider *provider = fx_provider_create(
        &fx_external_data_protocol, policy->name, policy->source,
        fx_tree_view_string(policy->spec, "url"), (uint64_t)counts * 1000,
        (struct fx_text){pem->data, pem->len});
    return (provider != NULL &&
            fx_compilation_add_resource_take(ret_compilation, &provider->resource)) ||
           fx_fail_nomem(err);
}

/* The steps of spec section 7, in its order. */
bool fx_provider_compile(const struct policy *policy,
                         struct fx_compilation *ret_compilation, struct fx_err *err) {
    const struct fx_text url = fx_tree_view_string(policy->spec, "url");
    const int64_t seconds =
        json_integer_value(fx_shape_view(policy->spec, "timeout")); /* 0: none */
    struct fx_buf pem;
    fx_buf_init(&pem, 0);
    const bool ok = check_name(policy, err) && check_present(policy, url, err) &&
                    check_timeout(policy, seconds, err) && check_url(policy, url, err) &&
                    decode(policy, &pem, err) &&
                    add(policy, seconds, &pem, ret_compilation, err);
    fx_buf_finish(&pem);
    return ok;
}
