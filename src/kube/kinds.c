/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/kinds.c - a short list, searched linearly.
 */
#include "kube/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/vec.h"

#define KIND_NS (UINT64_C(600) * 1000000000) /* how long a resource is known */

static bool is_kind(const struct fx_kube_resource *resource,
                    const struct fx_kube_resource *wanted) {
    return strcmp(resource->kind, wanted->kind) == 0 &&
           strcmp(resource->version, wanted->version) == 0 &&
           strcmp(resource->group, wanted->group) == 0;
}

static void remove_kind(struct fx_kube_kinds *kinds, size_t at) {
    free(kinds->items[at].texts);
    kinds->n_items--;
    memmove(&kinds->items[at], &kinds->items[at + 1],
            (kinds->n_items - at) * sizeof *kinds->items);
}

const struct fx_kube_kind *fx_kube_kinds_find(struct fx_kube_kinds *kinds,
                                              const struct fx_kube_resource *wanted) {
    static const struct fx_kube_kind always[] = {
        {.resource = {"", "v1", "namespaces", "Namespace"}},
        {.resource = {"", "v1", "nodes", "Node"}},
    };
    for (size_t i = 0; i < FX_COUNT(always); i++) {
        if (is_kind(&always[i].resource, wanted)) {
            return &always[i];
        }
    }
    for (size_t i = 0; i < kinds->n_items; i++) {
        if (is_kind(&kinds->items[i].resource, wanted)) {
            if (fx_clock_ns() < kinds->items[i].until_ns) {
                return &kinds->items[i];
            }
            remove_kind(kinds, i);
            return NULL;
        }
    }
    return NULL;
}

/* Copies the texts of the resource into one block, each with its NUL. */
static bool copy_resource(const struct fx_kube_resource *from,
                          struct fx_kube_kind *kind) {
    const char *const texts[] = {from->group, from->version, from->plural, from->kind};
    const char **const copies[] = {&kind->resource.group, &kind->resource.version,
                                   &kind->resource.plural, &kind->resource.kind};
    size_t size = 0;
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        size += strlen(texts[i]) + 1;
    }
    char *at = kind->texts = malloc(size);
    for (size_t i = 0; at != NULL && i < FX_COUNT(texts); i++) {
        const size_t bytes = strlen(texts[i]) + 1;
        *copies[i] = memcpy(at, texts[i], bytes);
        at += bytes;
    }
    return kind->texts != NULL;
}

const struct fx_kube_kind *
fx_kube_kinds_keep(struct fx_kube_kinds *kinds,
                   const struct fx_kube_discovered *discovered) {
    struct fx_kube_kind kind = {.is_namespaced = discovered->is_namespaced,
                                .until_ns = fx_clock_ns() + KIND_NS};
    if (kinds->n_items == FX_LIMIT_FETCHED_KINDS) {
        remove_kind(kinds, 0);
    }
    if (!FX_VEC_GROW(kinds->items, kinds->n_items, kinds->cap_items) ||
        !copy_resource(&discovered->resource, &kind)) {
        return NULL;
    }
    kinds->items[kinds->n_items] = kind;
    return &kinds->items[kinds->n_items++];
}

void fx_kube_kinds_forget(struct fx_kube_kinds *kinds,
                          const struct fx_kube_resource *wanted) {
    for (size_t i = kinds->n_items; i > 0; i--) {
        if (is_kind(&kinds->items[i - 1].resource, wanted)) {
            remove_kind(kinds, i - 1);
        }
    }
}

void fx_kube_kinds_finish(struct fx_kube_kinds *kinds) {
    while (kinds->n_items > 0) {
        remove_kind(kinds, kinds->n_items - 1);
    }
    free(kinds->items);
    *kinds = (struct fx_kube_kinds){0};
}
