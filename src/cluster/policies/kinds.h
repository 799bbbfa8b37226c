/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/kinds.h - what of the API is read as policy: one list, with the
 * versions that are understood, the preferred one first.
 */
#ifndef FX_CLUSTER_KINDS_H
#define FX_CLUSTER_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "kube/resource.h"

#define FX_CLUSTER_KIND_VERSIONS 3

/* Whose policies a cluster may hold, in the words of `serve --apis`. */
#define FX_CLUSTER_APIS(X)                                                       \
    X(GATEKEEPER, "gatekeeper") /* Gatekeeper's groups, and our own like them */ \
    X(KUBEMOD, "kubemod")

enum fx_cluster_api {
#define X(name, word) FX_CLUSTER_API_##name,
    FX_CLUSTER_APIS(X)
#undef X
};

#define FX_CLUSTER_API_BIT(api) (1u << (api))
#define FX_CLUSTER_API_ALL                           \
    (FX_CLUSTER_API_BIT(FX_CLUSTER_API_GATEKEEPER) | \
     FX_CLUSTER_API_BIT(FX_CLUSTER_API_KUBEMOD))

/* Reads words with commas between them, each once or more, as their bits. Errors:
 * FX_EINVALID, in words that name those that there are. */
bool fx_cluster_apis_parse(const char *words, unsigned *ret_apis,
                           struct fx_err *err) FX_MUST_USE;

struct fx_cluster_kind {
    struct fx_kube_resource versions[FX_CLUSTER_KIND_VERSIONS];
    size_t n_versions;
    const char *waiting; /* words for as long as it was not listed */
    enum fx_cluster_api api;
    bool is_mutator;    /* it has a status.byPod of mutators */
    bool has_ready;     /* and a condition Ready in status.conditions */
    bool is_namespaced; /* those of all namespaces count, each for itself: two of one name
                         * are two */
    bool is_config;     /* namespaced, too, but only that of our own namespace counts */
};

/* FX_CLUSTER_KINDS of them, in the order in which policies are built. */
#define FX_CLUSTER_KINDS 12
extern const struct fx_cluster_kind fx_cluster_kinds[FX_CLUSTER_KINDS];

#endif
