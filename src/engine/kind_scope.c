/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/kind_scope.c - the cluster-scoped kinds of API servers.
 */
#include "base/macros.h"
#include "engine/kind.h"

#define MOST_KINDS 9u

/* The cluster-scoped kinds by group. An empty list: all kinds of the group. */
static const struct {
    const char *group;
    const char *kinds[MOST_KINDS]; /* NULL-terminated */
} groups[] = {
    {"", {"Namespace", "Node", "PersistentVolume", "ComponentStatus", NULL}},
    {"admissionregistration.k8s.io", {NULL}},
    {"apiextensions.k8s.io", {NULL}},
    {"apiregistration.k8s.io", {NULL}},
    {"authentication.k8s.io", {NULL}},
    {"authorization.k8s.io",
     {"SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview", NULL}},
    {"certificates.k8s.io", {NULL}},
    {"flowcontrol.apiserver.k8s.io", {NULL}},
    {"networking.k8s.io", {"IngressClass", "IPAddress", "ServiceCIDR", NULL}},
    {"node.k8s.io", {NULL}},
    {"rbac.authorization.k8s.io", {"ClusterRole", "ClusterRoleBinding", NULL}},
    {"resource.k8s.io", {"DeviceClass", "ResourceSlice", NULL}},
    {"scheduling.k8s.io", {NULL}},
    {"storage.k8s.io",
     {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass",
      NULL}},
    {"storagemigration.k8s.io", {NULL}},
    {"internal.apiserver.k8s.io", {NULL}},
    {"mutations.gatekeeper.sh", {NULL}},
    {"mutations.fixpoint.dev", {NULL}},
    {"policies.fixpoint.dev", {NULL}},
    {"templates.gatekeeper.sh", {NULL}},
    {"constraints.gatekeeper.sh", {NULL}},
    {"expansion.gatekeeper.sh", {NULL}},
    {"externaldata.gatekeeper.sh", {NULL}},
};

static bool has_kind(const char *const *kinds, struct fx_text kind) {
    if (kinds[0] == NULL) {
        return true;
    }
    for (size_t i = 0; i < MOST_KINDS && kinds[i] != NULL; i++) {
        if (fx_text_is(kind, kinds[i])) {
            return true;
        }
    }
    return false;
}

bool fx_kind_is_cluster_scoped(struct fx_text group, struct fx_text kind) {
    for (size_t i = 0; i < FX_COUNT(groups); i++) {
        if (fx_text_is(group, groups[i].group)) {
            return has_kind(groups[i].kinds, kind);
        }
    }
    return false;
}
