/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/resource.h - a resource of the API, and the URL paths of its objects.
 */
#ifndef FX_KUBE_RESOURCE_H
#define FX_KUBE_RESOURCE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/text.h"

/* Texts are borrowed, mostly constants. */
struct fx_kube_resource {
    const char *group;   /* "" for the core group */
    const char *version; /* "v1" */
    const char *plural;  /* the name in paths and RBAC rules, such as "assign"; "" for the
                          * version of the group itself, whose GET lists its resources */
    const char *kind;    /* "Assign" */
};

/* An object or a collection. */
struct fx_kube_name {
    struct fx_text namespace_; /* empty if cluster-scoped, or for all namespaces */
    struct fx_text name;       /* empty for the collection */
    const char *subresource;   /* "status", or NULL */
    bool everywhere; /* failures advise a ClusterRole, not a Role in `namespace_` */
};

/* Is the resource `secrets`, whose content is wiped from memory after use? */
bool fx_kube_resource_is_secret(const struct fx_kube_resource *resource);

/* Appends the path, as `/apis/example.com/v1/widgets/blue/status`, or
 * `/api/v1/…` for the core group. Names are escaped (RFC 3986 section 3.3), so that no
 * name can change the structure of the path. */
void fx_kube_write_path(const struct fx_kube_resource *resource,
                        const struct fx_kube_name *name, struct fx_buf *path);

/* Appends the escaped value of a query parameter. */
void fx_kube_write_query(struct fx_text value, struct fx_buf *query);

/* Appends the name for messages: "widgets.example.com"; "namespaces" for the core group;
 * "example.com/v1" for a version. */
void fx_kube_write_resource(const struct fx_kube_resource *resource, struct fx_buf *text);

#endif
