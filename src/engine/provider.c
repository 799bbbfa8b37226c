/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/provider.c - a provider as a resource.
 */
#include "engine/provider.h"

#include <stdlib.h>

static void destroy(struct fx_resource *self) {
    struct fx_provider *provider =
        (struct fx_provider *)self; /* it is the first member */
    free(provider->ca_pem);
    fx_resource_finish(self);
    free(provider);
}

static const struct fx_resource_ops ops = {
    .type = FX_RESOURCE_PROVIDER,
    .kind = "Provider",
    .destroy = destroy,
};

struct fx_provider *fx_provider_create(const struct fx_provider_protocol *protocol,
                                       struct fx_text name, json_t *source,
                                       struct fx_text url, uint64_t timeout_ms,
                                       struct fx_text ca_pem) {
    struct fx_provider *provider = calloc(1, sizeof *provider);
    if (provider == NULL) {
        return NULL;
    }
    const bool ok = fx_resource_init(&provider->resource, &ops, name, source);
    provider->protocol = protocol;
    provider->url = url;
    provider->timeout_ms = timeout_ms;
    provider->ca_pem = fx_text_dup(ca_pem);
    provider->ca_pem_len = ca_pem.len;
    if (!ok || provider->ca_pem == NULL) {
        destroy(&provider->resource);
        return NULL;
    }
    return provider;
}
