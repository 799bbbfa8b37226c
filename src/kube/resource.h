/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/resource.h - a kind of object of the API, and the URL paths of its objects.
 */
#ifndef FX_KUBE_RESOURCE_H
#define FX_KUBE_RESOURCE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/text.h"

/* Words of ours, mostly constants; borrowed. */
struct fx_kube_resource {
    const char *group;   /* "": the core group */
    const char *version; /* "v1" */
    const char *plural;  /* in paths and RBAC rules: "assign" */
    const char *kind;    /* "Assign" */
};

/* Which object or collection. Empty texts: none. */
struct fx_kube_name {
    struct fx_text namespace_; /* empty: of the cluster, or of all namespaces */
    struct fx_text name;       /* empty: the collection */
    const char *subresource;   /* "status", or NULL */
    bool everywhere; /* whoever asks wants such rights in every namespace: what the words
                      * of a failure advise */
};

/* Are these Secrets? What is in one nobody may find in memory after its use. */
bool fx_kube_resource_is_secret(const struct fx_kube_resource *resource);

/* Appends `/apis/mutations.gatekeeper.sh/v1/assign/always-pull/status`, or `/api/v1/…`
 * for the core group. Names are escaped where a path needs it (RFC 3986 section 3.3), so
 * that none can leave its place. */
void fx_kube_write_path(const struct fx_kube_resource *resource,
                        const struct fx_kube_name *name, struct fx_buf *path);

/* Appends the value of a query parameter, escaped. */
void fx_kube_write_query(struct fx_text value, struct fx_buf *query);

/* Appends "assign.mutations.gatekeeper.sh", or "namespaces" of the core group: as
 * messages and RBAC name it. */
void fx_kube_write_resource(const struct fx_kube_resource *resource,
                            struct fx_buf *words);

#endif
