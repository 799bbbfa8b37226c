/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/touches.c - checks one mutator alone: whether it changes a field that the API
 * server treats as immutable, or the labels by which Pods are selected.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyzer.h"
#include "value/equal.h"
#include "value/pointer.h"
#include "value/tree.h"

/* ---- facts about kinds ----------------------------------------------------------- */

/* From Kubernetes' validation of updates (package validation of each API group), as of
 * 1.31. */
enum fact {
    IMMUTABLE, /* may not change */
    MUTABLE,   /* may change, within an immutable field */
    SELECTOR,  /* selects Pods */
};

/* `*` in a path stands for any index. */
static const struct {
    const char *group, *kind, *path;
    enum fact fact;
} facts[] = {
    /* "pod updates may not change fields other than …" Gates may only be removed, and
     * tolerations only be added. Ephemeral containers have a subresource. */
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

/* Removes "/token" from the text, which begins with "/" or is empty. */
static struct fx_text take_token(struct fx_text *rest) {
    size_t len = rest->len > 0 ? 1 : 0;
    while (len < rest->len && rest->data[len] != '/') {
        len++;
    }
    const struct fx_text token = {rest->data, len};
    *rest = (struct fx_text){rest->data + len, rest->len - len};
    return token;
}

/* Is the path equal to the pattern, or below it? */
static bool is_within(const char *pattern, const char *path) {
    struct fx_text wanted = fx_text_of(pattern);
    struct fx_text rest = fx_text_of(path);
    while (wanted.len > 0) {
        const struct fx_text a = take_token(&wanted);
        const struct fx_text b = take_token(&rest);
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

/* Is the field at this JSON Pointer, or a field below it, immutable after creation in all
 * objects of the kind? Not if that depends on other fields of the object (a ConfigMap's
 * `immutable`, a Job's completion mode). */
static bool is_immutable(struct fx_text group, struct fx_text kind, const char *path) {
    return holds(IMMUTABLE, group, kind, path) && !holds(MUTABLE, group, kind, path);
}

static bool is_selector(struct fx_text group, struct fx_text kind, const char *path) {
    return holds(SELECTOR, group, kind, path);
}

/* Does the kind have a Pod template whose labels must match spec.selector.matchLabels? */
static bool selects_template(struct fx_text group, struct fx_text kind) {
    return fx_text_is(group, "apps") && holds(SELECTOR, group, kind, "/spec/selector");
}

static bool has_facts(struct fx_text group, struct fx_text kind) {
    for (size_t i = 0; i < FX_COUNT(facts); i++) {
        if (is_of(i, group, kind)) {
            return true;
        }
    }
    return false;
}

#define TEMPLATE_LABELS "/spec/template/metadata/labels"
#define OTHER_KINDS_MAX 32u /* the most kinds of one mutator that are checked */

/* The change of the object by one mutator. */
struct touch {
    struct analyzer *analyzer;
    const struct trial_case *tcase;
    uint32_t mutator;
    struct fx_subject subject; /* of the object before the change */
    json_t *after;             /* counted; NULL: the mutator does not act */
    struct leaves leaves;
};

static void touch_finish(struct touch *touch) {
    json_decref(touch->after);
    fx_leaves_finish(&touch->leaves);
}

/* Runs the mutator alone. */
static bool touch_init(struct touch *touch, struct analyzer *analyzer,
                       const struct trial_case *tcase, uint32_t mutator,
                       struct fx_err *err) {
    *touch = (struct touch){.analyzer = analyzer, .tcase = tcase, .mutator = mutator};
    fx_subject_read(tcase->object, &touch->subject);
    const struct trial trial = fx_analyzer_trial(analyzer, tcase, &mutator, 1);
    struct trial_outcome outcome;
    if (!fx_trial_run(&trial, tcase->object, &outcome, err)) {
        return false;
    }
    bool ok = true;
    if (outcome.settled && !fx_equal(outcome.object, tcase->object)) {
        touch->after = json_incref(outcome.object);
        ok = fx_leaves_find(analyzer, tcase->object, outcome.object, &touch->leaves, err);
    }
    fx_trial_finish(&outcome);
    if (!ok) {
        touch_finish(touch);
    }
    return ok;
}

/* ---- findings -------------------------------------------------------------------- */

/* "<id> changes <path> of <kind><rest>" */
static bool report_change(const struct touch *touch, enum fx_analysis_rule rule,
                          const char *path, const char *rest, struct fx_err *err) {
    struct fx_buf text = {0};
    fx_analyzer_print_id(&text, touch->analyzer, touch->mutator);
    fx_buf_str(&text, " changes ");
    fx_analyzer_print_path(&text, path);
    fx_buf_printf(&text, " of %.*s%s", FX_TEXT_ARG(touch->subject.kind), rest);
    const struct fx_analysis_finding finding = {
        .rule = rule,
        .mutators = {touch->mutator},
        .n_mutators = 1,
        .values = {fx_pointer_view(touch->tcase->object, fx_text_of(path)),
                   fx_pointer_view(touch->after, fx_text_of(path))},
        .n_values = 2,
    };
    return fx_analyzer_report(touch->analyzer, touch->tcase, &finding, &text,
                              fx_text_of(path), err);
}

static bool find_immutable(const struct touch *touch, struct fx_err *err) {
    const struct fx_subject *subject = &touch->subject;
    const char *field =
        touch->analyzer->snapshot->mutators[touch->mutator]->ops->operations;
    bool *noted = &touch->analyzer->noted[touch->mutator];
    for (size_t i = 0; !*noted && i < touch->leaves.n_paths; i++) {
        const char *path = touch->leaves.paths[i];
        if (is_immutable(subject->group, subject->kind, path)) {
            char rest[160];
            (void)snprintf(
                rest, sizeof rest,
                " on UPDATE, which the API server refuses there; restrict %s to CREATE",
                field == NULL ? "the policy" : field);
            *noted = true;
            return report_change(touch, FX_ANALYSIS_UPDATE, path, rest, err);
        }
    }
    return true;
}

static bool find_selector(const struct touch *touch, struct fx_err *err) {
    const struct fx_subject *subject = &touch->subject;
    for (size_t i = 0; i < touch->leaves.n_paths; i++) {
        const char *path = touch->leaves.paths[i];
        if (is_selector(subject->group, subject->kind, path)) {
            return report_change(
                touch, FX_ANALYSIS_SELECTOR, path,
                selects_template(subject->group, subject->kind)
                    ? ", which must agree with the Pod template and may never "
                      "change after creation"
                    : ", by which it finds its Pods",
                err);
        }
    }
    return true;
}

static json_t *view_match_labels(const json_t *object) {
    const json_t *spec = fx_tree_view_key(object, "spec");
    return fx_tree_view_key(fx_tree_view_key(spec, "selector"), "matchLabels");
}

static json_t *view_template_labels(const json_t *object) {
    const json_t *template_ =
        fx_tree_view_key(fx_tree_view_key(object, "spec"), "template");
    return fx_tree_view_key(fx_tree_view_key(template_, "metadata"), "labels");
}

/* Reports a label of the template that the selector needs, and that was changed. */
static bool find_lost_label(const struct touch *touch, struct fx_err *err) {
    json_t *wanted = view_match_labels(touch->tcase->object);
    const json_t *before = view_template_labels(touch->tcase->object);
    const json_t *after = view_template_labels(touch->after);
    for (void *at = fx_node_first(wanted); at != NULL; at = fx_node_next(wanted, at)) {
        const struct fx_text key = fx_node_key(at);
        const json_t *value = json_object_iter_value(at);
        if (!fx_equal(value, fx_tree_view_text(before, key)) ||
            fx_equal(value, fx_tree_view_text(after, key))) {
            continue;
        }
        struct fx_buf path = {0};
        fx_buf_str(&path, TEMPLATE_LABELS);
        fx_pointer_push(&path, key);
        const bool ok =
            path.failed ? fx_fail_nomem(err)
                        : report_change(touch, FX_ANALYSIS_SELECTOR, path.data,
                                        ", by which spec.selector finds its Pods", err);
        fx_buf_finish(&path);
        return ok;
    }
    return true;
}

/* ---- objects of other shapes ----------------------------------------------------- */

/* The object at the end of these fields; added if it is missing. NULL if the value is not
 * an object (*ret_fits is then false), or without memory. */
static json_t *object_at(json_t *object, const char *const *fields, bool *ret_fits) {
    for (; *fields != NULL; fields++) {
        json_t *child = fx_tree_view_key(object, *fields);
        if (child == NULL) {
            child = json_object();
            if (!fx_tree_set_take(object, fx_text_of(*fields), child)) {
                return NULL;
            }
        }
        object = child;
        *ret_fits = json_is_object(object);
        if (!*ret_fits) {
            return NULL;
        }
    }
    return object;
}

/* Adds a label to a workload's selector and template. *ret_fits: the object can be a
 * workload. */
static bool add_label(json_t *object, struct fx_text label, bool *ret_fits,
                      struct fx_err *err) {
    static const char *const selector[] = {"spec", "selector", "matchLabels", NULL};
    static const char *const template_[] = {"spec", "template", "metadata", "labels",
                                            NULL};
    json_t *wanted = object_at(object, selector, ret_fits);
    json_t *labels = wanted == NULL ? NULL : object_at(object, template_, ret_fits);
    if (!*ret_fits) {
        return true;
    }
    return (labels != NULL && fx_tree_set_take(wanted, label, json_string("example")) &&
            fx_tree_set_take(labels, label, json_string("example"))) ||
           fx_fail_nomem(err);
}

/* Runs the mutator on another object, with the same request. */
static bool try_other(const struct touch *touch, json_t *object,
                      bool (*check)(const struct touch *touch, struct fx_err *err),
                      struct fx_err *err) {
    struct trial_case tcase = *touch->tcase;
    tcase.object = object;
    struct touch other;
    if (!touch_init(&other, touch->analyzer, &tcase, touch->mutator, err)) {
        return false;
    }
    const bool ok = other.after == NULL || check(&other, err);
    touch_finish(&other);
    return ok;
}

/* The last token of the pointer, unescaped, as a node that holds its text. */
static json_t *last_token(const char *path) {
    struct fx_text rest = fx_text_of(path);
    struct fx_buf token = {0};
    while (rest.len > 0 && fx_pointer_next(&rest, &token)) {
    }
    json_t *node = token.failed || token.data == NULL
                       ? NULL
                       : fx_tree_new_string(fx_buf_view(&token));
    fx_buf_finish(&token);
    return node;
}

/* If the mutator changes labels of a template, checks whether it would change one that
 * the selector needs. The object made by the analysis has no such label yet. */
static bool look_at_template(const struct touch *touch, struct fx_err *err) {
    const struct fx_subject *subject = &touch->subject;
    if (!selects_template(subject->group, subject->kind)) {
        return true;
    }
    for (size_t i = 0; i < touch->leaves.n_paths; i++) {
        const char *path = touch->leaves.paths[i];
        if (!fx_analyzer_path_begins(TEMPLATE_LABELS, path)) {
            continue;
        }
        json_t *label = last_token(path);
        json_t *object = fx_tree_deep_copy(touch->tcase->object);
        bool fits = true;
        bool ok = label != NULL && object != NULL
                      ? add_label(object, fx_tree_text(label), &fits, err)
                      : fx_fail_nomem(err);
        if (ok && fits) {
            ok = try_other(touch, object, find_lost_label, err);
        }
        json_decref(label);
        json_decref(object);
        return ok;
    }
    return true;
}

/* Runs the mutator on the other kinds that it is bound to. */
static bool check_kinds(const struct touch *touch,
                        bool (*check)(const struct touch *touch, struct fx_err *err),
                        struct fx_err *err) {
    const struct fx_mutator *mutator =
        touch->analyzer->snapshot->mutators[touch->mutator];
    for (size_t i = 0; i < mutator->n_bindings && i < OTHER_KINDS_MAX; i++) {
        const struct fx_binding *binding = &mutator->bindings[i];
        if (binding->any_group || binding->any_version || binding->any_kind ||
            !has_facts(binding->group, binding->kind) ||
            fx_text_equal(binding->kind, touch->subject.kind)) {
            continue;
        }
        json_t *object = fx_tree_deep_copy(touch->tcase->object);
        const bool ok = object != NULL && fx_analyzer_set_type(object, binding)
                            ? try_other(touch, object, check, err)
                            : fx_fail_nomem(err);
        json_decref(object);
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* ---- both operations ------------------------------------------------------------- */

static bool find_selectors(const struct touch *touch, struct fx_err *err) {
    return find_selector(touch, err) && find_lost_label(touch, err) &&
           (touch->tcase->origin != FX_ANALYSIS_MADE || look_at_template(touch, err));
}

static bool find_all(const struct touch *touch, struct fx_err *err) {
    return find_immutable(touch, err) && find_selectors(touch, err);
}

static bool check_under(struct analyzer *analyzer, const struct trial_case *tcase,
                        uint32_t mutator, enum fx_operation operation,
                        struct fx_err *err) {
    bool (*check)(const struct touch *touch, struct fx_err *err) =
        operation == FX_OPERATION_UPDATE ? find_all : find_selectors;
    struct trial_case there = *tcase;
    there.request.operation = operation;
    struct touch touch;
    if (!touch_init(&touch, analyzer, &there, mutator, err)) {
        return false;
    }
    bool ok = touch.after == NULL || check(&touch, err);
    if (touch.after != NULL && tcase->origin == FX_ANALYSIS_MADE) {
        ok = ok && check_kinds(&touch, check, err);
    }
    touch_finish(&touch);
    return ok;
}

bool fx_analyzer_check_alone(struct analyzer *analyzer, const struct trial_case *tcase,
                             uint32_t mutator, struct fx_err *err) {
    return check_under(analyzer, tcase, mutator, FX_OPERATION_CREATE, err) &&
           check_under(analyzer, tcase, mutator, FX_OPERATION_UPDATE, err);
}
