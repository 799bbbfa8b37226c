/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/scope.c - the cluster-scoped kinds of Kubernetes 1.31, by API group.
 */
#include "cli/scope.h"

#include <stddef.h>

#define MOST_KINDS 9u

/* A group in which every kind is one has none of them named. */
static const struct {
    const char *group;
    const char *kinds[MOST_KINDS]; /* NULL ends */
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

bool fx_scope_is_cluster(const struct fx_subject *subject) {
    for (size_t i = 0; i < FX_COUNT(groups); i++) {
        if (fx_text_is(subject->group, groups[i].group)) {
            return has_kind(groups[i].kinds, subject->kind);
        }
    }
    return false;
}
