/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/filters_internal.h - private: what filters.c matches and filters_read.c reads.
 */
#ifndef FX_KYVERNO_FILTERS_INTERNAL_H
#define FX_KYVERNO_FILTERS_INTERNAL_H

#include "engine/selector.h"
#include "mutators/kyverno/filters.h"
#include "mutators/kyverno/kind_pattern.h"

/* "[Pod,default,nginx]". The texts are those of the ConfigMap. */
struct kyverno_resource_filter {
    struct kyverno_kind_pattern kind;
    struct fx_text namespace_, name;
};

/* Whose names a pattern of a user is compared with. */
enum kyverno_asker {
    KYVERNO_ASKER_USER,
    KYVERNO_ASKER_GROUP,
    KYVERNO_ASKER_ROLE,
    KYVERNO_ASKER_CLUSTER_ROLE,
};

/* "system:nodes", or "!system:nodes", which includes. */
struct kyverno_asker_pattern {
    enum kyverno_asker asker;
    bool includes;
    struct fx_text pattern;
};

struct kyverno_filters {
    struct fx_linkable head; /* first */
    json_t *data;            /* `data` of the ConfigMap, counted: the texts are its */
    struct kyverno_resource_filter *filters;
    size_t n_filters, cap_filters;
    struct kyverno_asker_pattern *askers;
    size_t n_askers, cap_askers;
    struct fx_selector *namespaces, *objects; /* NULL: all */
};

#endif
