/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/fields.c - one table of facts, from Kubernetes' validation of updates (package
 * validation of each API group), as of 1.31.
 */
#include "analysis/fields.h"

#include <stddef.h>

#include "analysis/analyzer.h"

enum fact {
    IMMUTABLE, /* may not change */
    MUTABLE,   /* may, within what may not */
    SELECTOR,  /* finds Pods */
};

/* `*` in a path stands for any index. */
static const struct {
    const char *group, *kind, *path;
    enum fact fact;
} facts[] = {
    /* "pod updates may not change fields other than …" Gates may only be taken away, and
     * tolerations added. Ephemeral containers have a subresource. */
    {"", "Pod", "/spec", IMMUTABLE},
    {"", "Pod", "/spec/containers/*/image", MUTABLE},
    {"", "Pod", "/spec/initContainers/*/image", MUTABLE},
    {"", "Pod", "/spec/activeDeadlineSeconds", MUTABLE},
    {"", "Pod", "/spec/tolerations", MUTABLE},
    {"", "Pod", "/spec/schedulingGates", MUTABLE},
    {"", "Pod", "/spec/ephemeralContainers", MUTABLE},

    {"apps", "Deployment", "/spec/selector", SELECTOR},
    {"apps", "ReplicaSet", "/spec/selector", SELECTOR},
    {"apps", "DaemonSet", "/spec/selector", SELECTOR},
    {"apps", "StatefulSet", "/spec/selector", SELECTOR},
    /* "updates to statefulset spec for fields other than … are forbidden" */
    {"apps", "StatefulSet", "/spec", IMMUTABLE},
    {"apps", "StatefulSet", "/spec/selector", MUTABLE}, /* reported as a selector */
    {"apps", "StatefulSet", "/spec/replicas", MUTABLE},
    {"apps", "StatefulSet", "/spec/ordinals", MUTABLE},
    {"apps", "StatefulSet", "/spec/template", MUTABLE},
    {"apps", "StatefulSet", "/spec/updateStrategy", MUTABLE},
    {"apps", "StatefulSet", "/spec/revisionHistoryLimit", MUTABLE},
    {"apps", "StatefulSet", "/spec/minReadySeconds", MUTABLE},
    {"apps", "StatefulSet", "/spec/persistentVolumeClaimRetentionPolicy", MUTABLE},
    {"apps", "ControllerRevision", "/data", IMMUTABLE},

    /* A suspended Job that has never run may change where its Pods are scheduled. */
    {"batch", "Job", "/spec/selector", IMMUTABLE},
    {"batch", "Job", "/spec/template", IMMUTABLE},
    {"batch", "Job", "/spec/completionMode", IMMUTABLE},
    {"batch", "Job", "/spec/podFailurePolicy", IMMUTABLE},
    {"batch", "Job", "/spec/backoffLimitPerIndex", IMMUTABLE},
    {"batch", "Job", "/spec/managedBy", IMMUTABLE},

    {"", "Service", "/spec/clusterIP", IMMUTABLE},
    {"", "Service", "/spec/clusterIPs", IMMUTABLE},
    {"", "Service", "/spec/selector", SELECTOR},
    {"", "ReplicationController", "/spec/selector", SELECTOR},
    {"policy", "PodDisruptionBudget", "/spec/selector", SELECTOR},
    {"networking.k8s.io", "NetworkPolicy", "/spec/podSelector", SELECTOR},

    /* "spec is immutable after creation except resources.requests and
     * volumeAttributesClassName for bound claims" */
    {"", "PersistentVolumeClaim", "/spec", IMMUTABLE},
    {"", "PersistentVolumeClaim", "/spec/resources", MUTABLE},
    {"", "PersistentVolumeClaim", "/spec/volumeAttributesClassName", MUTABLE},
    /* "spec.persistentvolumesource is immutable after creation" */
    {"", "PersistentVolume", "/spec/awsElasticBlockStore", IMMUTABLE},
    {"", "PersistentVolume", "/spec/azureDisk", IMMUTABLE},
    {"", "PersistentVolume", "/spec/azureFile", IMMUTABLE},
    {"", "PersistentVolume", "/spec/cephfs", IMMUTABLE},
    {"", "PersistentVolume", "/spec/cinder", IMMUTABLE},
    {"", "PersistentVolume", "/spec/csi", IMMUTABLE},
    {"", "PersistentVolume", "/spec/fc", IMMUTABLE},
    {"", "PersistentVolume", "/spec/flexVolume", IMMUTABLE},
    {"", "PersistentVolume", "/spec/gcePersistentDisk", IMMUTABLE},
    {"", "PersistentVolume", "/spec/hostPath", IMMUTABLE},
    {"", "PersistentVolume", "/spec/iscsi", IMMUTABLE},
    {"", "PersistentVolume", "/spec/local", IMMUTABLE},
    {"", "PersistentVolume", "/spec/nfs", IMMUTABLE},
    {"", "PersistentVolume", "/spec/rbd", IMMUTABLE},
    {"", "PersistentVolume", "/spec/volumeMode", IMMUTABLE},

    {"", "Secret", "/type", IMMUTABLE},
    {"storage.k8s.io", "StorageClass", "/parameters", IMMUTABLE},
    {"storage.k8s.io", "StorageClass", "/provisioner", IMMUTABLE},
    {"storage.k8s.io", "StorageClass", "/reclaimPolicy", IMMUTABLE},
    {"storage.k8s.io", "StorageClass", "/volumeBindingMode", IMMUTABLE},
    {"storage.k8s.io", "VolumeAttachment", "/spec", IMMUTABLE},
    {"rbac.authorization.k8s.io", "RoleBinding", "/roleRef", IMMUTABLE},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", "/roleRef", IMMUTABLE},
    {"networking.k8s.io", "IngressClass", "/spec/controller", IMMUTABLE},
    {"discovery.k8s.io", "EndpointSlice", "/addressType", IMMUTABLE},
    {"node.k8s.io", "RuntimeClass", "/handler", IMMUTABLE},
    {"scheduling.k8s.io", "PriorityClass", "/value", IMMUTABLE},
    {"scheduling.k8s.io", "PriorityClass", "/preemptionPolicy", IMMUTABLE},
    {"certificates.k8s.io", "CertificateSigningRequest", "/spec", IMMUTABLE},
};

/* Takes "/token" off; the text begins with "/" or is empty. */
static struct fx_text take(struct fx_text *rest) {
    size_t len = rest->len > 0 ? 1 : 0;
    while (len < rest->len && rest->data[len] != '/') {
        len++;
    }
    const struct fx_text token = {rest->data, len};
    *rest = (struct fx_text){rest->data + len, rest->len - len};
    return token;
}

/* Is the path at the fact's, or beneath? */
static bool is_within(const char *pattern, const char *path) {
    struct fx_text wanted = fx_text_of(pattern);
    struct fx_text rest = fx_text_of(path);
    while (wanted.len > 0) {
        const struct fx_text a = take(&wanted);
        const struct fx_text b = take(&rest);
        if (b.len == 0 || (!fx_text_is(a, "/*") && !fx_text_equal(a, b))) {
            return false;
        }
    }
    return true;
}

static bool is_of(size_t index, struct fx_text group, struct fx_text kind) {
    return fx_text_is(group, facts[index].group) && fx_text_is(kind, facts[index].kind);
}

static bool holds(enum fact fact, struct fx_text group, struct fx_text kind,
                  const char *path) {
    for (size_t i = 0; i < FX_COUNT(facts); i++) {
        if (facts[i].fact == fact && is_of(i, group, kind) &&
            is_within(facts[i].path, path)) {
            return true;
        }
    }
    return false;
}

bool fx_field_is_immutable(struct fx_text group, struct fx_text kind, const char *path) {
    return holds(IMMUTABLE, group, kind, path) && !holds(MUTABLE, group, kind, path);
}

bool fx_field_is_selector(struct fx_text group, struct fx_text kind, const char *path) {
    return holds(SELECTOR, group, kind, path);
}

bool fx_kind_selects_template(struct fx_text group, struct fx_text kind) {
    return fx_text_is(group, "apps") && holds(SELECTOR, group, kind, "/spec/selector");
}

bool fx_kind_has_fields(struct fx_text group, struct fx_text kind) {
    for (size_t i = 0; i < FX_COUNT(facts); i++) {
        if (is_of(i, group, kind)) {
            return true;
        }
    }
    return false;
}
