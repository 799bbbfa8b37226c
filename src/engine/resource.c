/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/resource.c - the head that all resources share.
 */
#include "engine/resource.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool fx_resource_init(struct fx_resource *resource, const struct fx_resource_ops *ops,
                      struct fx_text name, json_t *source) {
    *resource = (struct fx_resource){.ops = ops};
    atomic_init(&resource->refs, 1);
    resource->source = json_incref(source);
    resource->name = fx_text_dup(name);
    return resource->name != NULL;
}

void fx_resource_finish(struct fx_resource *resource) {
    free(resource->name);
    free(resource->origin.file);
    json_decref(resource->source);
}

struct fx_resource *fx_resource_ref(struct fx_resource *resource) {
    (void)atomic_fetch_add_explicit(&resource->refs, 1, memory_order_relaxed);
    return resource;
}

void fx_resource_unref(struct fx_resource *resource) {
    if (resource == NULL) {
        return;
    }
    const unsigned before =
        atomic_fetch_sub_explicit(&resource->refs, 1, memory_order_acq_rel);
    assert(before > 0);
    if (before == 1) {
        resource->ops->destroy(resource);
    }
}

int fx_resource_compare(const struct fx_resource *a, const struct fx_resource *b) {
    if (a->ops->type != b->ops->type) {
        return a->ops->type < b->ops->type ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

/* ---- providers --------------------------------------------------------------------- */

static void destroy_provider(struct fx_resource *self) {
    struct fx_provider *provider = (struct fx_provider *)self; /* the first member */
    free(provider->ca_pem);
    fx_resource_finish(self);
    free(provider);
}

static const struct fx_resource_ops provider_ops = {
    .type = FX_RESOURCE_PROVIDER,
    .kind = "Provider",
    .destroy = destroy_provider,
};

struct fx_provider *fx_provider_create(const struct fx_provider_protocol *protocol,
                                       struct fx_text name, json_t *source,
                                       struct fx_text url, uint64_t timeout_ms,
                                       struct fx_text ca_pem) {
    struct fx_provider *provider = calloc(1, sizeof *provider);
    if (provider == NULL) {
        return NULL;
    }
    const bool ok = fx_resource_init(&provider->resource, &provider_ops, name, source);
    provider->protocol = protocol;
    provider->url = url;
    provider->timeout_ms = timeout_ms;
    provider->ca_pem = fx_text_dup(ca_pem);
    provider->ca_pem_len = ca_pem.len;
    if (!ok || provider->ca_pem == NULL) {
        destroy_provider(&provider->resource);
        return NULL;
    }
    return provider;
}
