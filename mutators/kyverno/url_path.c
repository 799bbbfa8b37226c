/* SPDX-License-Identifier: Apache-2.0
 *
 * url_path.c - reads the paths of `apiCall`.
 */
#include "url_path.h"

#include <ctype.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/dns_name.h"
#include "engine/admission_request.h"
#include "variable.h"

#define MOST_PARTS 8u

/* The kinds of Kubernetes whose objects policies read. A path has the resource, an input
 * the kind. */
static const char *const kinds[] = {
    "Namespace",
    "Node",
    "PersistentVolume",
    "ConfigMap",
    "Endpoints",
    "LimitRange",
    "PersistentVolumeClaim",
    "Pod",
    "ReplicationController",
    "ResourceQuota",
    "Secret",
    "Service",
    "ServiceAccount",
    "DaemonSet",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "CronJob",
    "Job",
    "HorizontalPodAutoscaler",
    "PodDisruptionBudget",
    "Ingress",
    "IngressClass",
    "NetworkPolicy",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "CustomResourceDefinition",
    "ClusterPolicy",
    "Policy",
};

static bool is_resource(struct fx_text resource, const char *kind, bool *ret_failed) {
    struct fx_buf guess;
    if (tolower((unsigned char)kind[0]) != fx_text_first(resource)) {
        return false;
    }
    fx_buf_init(&guess, 0);
    fx_resource_guess(&guess, fx_text_of(kind));
    const bool is = !guess.failed && fx_text_equal(fx_buf_view(&guess), resource);
    *ret_failed = *ret_failed || guess.failed;
    fx_buf_finish(&guess);
    return is;
}

static bool find_kind(struct fx_text resource, struct fx_text *ret_kind,
                      struct fx_err *err) {
    bool failed = false;
    for (size_t i = 0; i < FX_COUNT(kinds); i++) {
        if (is_resource(resource, kinds[i], &failed)) {
            *ret_kind = fx_text_of(kinds[i]);
            return true;
        }
    }
    return failed ? fx_fail_nomem(err)
                  : fx_fail(err, FX_EMUTATE, "`urlPath`: the resource %.*s is not known",
                            FX_TEXT_ARG(resource));
}

/* Splits a path at its slashes; the number of parts, 0 if there are too many. */
static size_t split(struct fx_text path, struct fx_text parts[MOST_PARTS]) {
    struct fx_text rest = fx_text_rest(path, 1);
    size_t n = 0;
    while (rest.len > 0) {
        if (n == MOST_PARTS) {
            return 0;
        }
        parts[n++] = fx_text_cut(&rest, '/');
    }
    return n;
}

static bool fail_path(struct fx_text path, struct fx_err *err) {
    return fx_fail(err, FX_EMUTATE,
                   "`urlPath` %.*s names no single object, such as "
                   "/api/v1/namespaces/NAME",
                   FX_TEXT_ARG(path));
}

bool fx_kyverno_url_path_read(struct fx_text path, struct fx_input_key *ret_key,
                              struct fx_err *err) {
    struct fx_text parts[MOST_PARTS];
    struct fx_input_key key = {
        .type = FX_INPUT_OBJECT, .group = FX_TEXT(""), .namespace_ = FX_TEXT("")};
    const size_t n = fx_text_first(path) == '/' ? split(path, parts) : 0;
    const bool has_group = n > 3 && fx_text_is(parts[0], "apis");
    const size_t at = has_group ? 3 : 2; /* what comes after the version */
    if (n < at + 2 || (!has_group && !fx_text_is(parts[0], "api"))) {
        return fail_path(path, err);
    }
    key.group = has_group ? parts[1] : key.group;
    key.version = parts[at - 1];
    key.name = parts[n - 1];
    if (n == at + 4 && fx_text_is(parts[at], "namespaces")) {
        key.namespace_ = parts[at + 1];
    }
    const bool is_object = n == at + 2 || key.namespace_.len > 0;
    if (!is_object || !fx_dns_is_subdomain(key.name) ||
        (key.namespace_.len > 0 && !fx_dns_is_subdomain(key.namespace_))) {
        return fail_path(path, err);
    }
    *ret_key = key;
    return find_kind(parts[n - 2], &ret_key->kind, err);
}

size_t fx_kyverno_count_slashes(struct fx_text text) {
    struct kyverno_variable variable = {.end = 0};
    size_t n = 0;
    bool found = true;
    while (found) {
        const size_t from = variable.end;
        found = fx_kyverno_find_variable(text, from, &variable);
        const size_t end = found ? variable.start : text.len;
        for (size_t i = from; i < end; i++) {
            n += text.data[i] == '/';
        }
    }
    return n;
}
