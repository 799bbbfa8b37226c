/* SPDX-License-Identifier: Apache-2.0
 *
 * map_request.c - the AdmissionReview of a case, as an API server would send it.
 */
#include <stdio.h>
#include <string.h>

#include "engine/kind.h"
#include "engine/request.h"
#include "map.h"
#include "value/tree.h"
#include "webhook.h"

json_t *fx_case_map_object(const json_t *row) {
    const json_t *metadata =
        fx_tree_view_key(fx_tree_view_key(row, "object"), "metadata");
    json_t *baseline = fx_tree_view_key(metadata, "generateName") == NULL
                           ? fx_tree_view_key(row, "baseline")
                           : NULL; /* it has a name */
    const json_t *expect = fx_tree_view_key(row, "expect");
    json_t *of_expect = fx_tree_view_key(
        expect,
        json_is_true(fx_tree_view_key(expect, "skipped")) ? "object" : "baseline");
    return json_is_object(baseline)    ? baseline
           : json_is_object(of_expect) ? of_expect
                                       : fx_tree_view_key(row, "object");
}

/* The name of the resource of a kind: "ingresses", "endpoints", "policies". */
static json_t *new_resource(struct fx_text kind) {
    char name[128];
    size_t len = 0;
    for (; len < kind.len && len < sizeof name - 4; len++) {
        const char c = kind.data[len];
        name[len] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    const struct fx_text lower = {name, len};
    const char *end = "s";
    if (fx_text_is(lower, "endpoints")) {
        end = "";
    } else if (fx_text_ends(lower, FX_TEXT("y"))) {
        len--;
        end = "ies";
    } else if (fx_text_ends(lower, FX_TEXT("s"))) {
        end = "es";
    }
    (void)snprintf(name + len, sizeof name - len, "%s", end);
    return fx_tree_new_string(fx_text_of(name));
}

static json_t *new_kind(const struct fx_subject *subject, const char *key,
                        json_t *value) {
    return json_pack("{s:o, s:o, s:o}", "group", fx_tree_new_string(subject->group),
                     "version", fx_tree_new_string(subject->version), key, value);
}

static void add_kinds(json_t *request, const struct fx_subject *subject) {
    static const char *const kinds[] = {"kind", "requestKind"};
    static const char *const resources[] = {"resource", "requestResource"};
    for (size_t i = 0; i < FX_COUNT(kinds); i++) {
        (void)json_object_set_new(
            request, kinds[i],
            new_kind(subject, "kind", fx_tree_new_string(subject->kind)));
        (void)json_object_set_new(
            request, resources[i],
            new_kind(subject, "resource", new_resource(subject->kind)));
    }
}

static void add_name(json_t *request, const json_t *row,
                     const struct fx_subject *subject) {
    struct fx_text namespace_ =
        subject->is_namespace ? subject->name : subject->namespace_;
    if (namespace_.len == 0 &&
        !fx_kind_is_cluster_scoped(subject->group, subject->kind)) {
        const json_t *given = fx_tree_view_key(row, "namespaceObject");
        namespace_ = fx_tree_view_string(fx_tree_view_key(given, "metadata"), "name");
    }
    if (subject->name.len > 0) {
        (void)json_object_set_new(request, "name", fx_tree_new_string(subject->name));
    }
    if (namespace_.len > 0) {
        (void)json_object_set_new(request, "namespace", fx_tree_new_string(namespace_));
    }
}

/* Is it an answer of a server? Those were asked by another user, in dry runs. */
static bool is_of_server(const json_t *row) {
    return fx_text_starts(fx_tree_view_string(row, "source"), FX_TEXT("oracle:"));
}

static void add_user(json_t *request, const json_t *row) {
    json_t *user = fx_tree_view_key(fx_tree_view_key(row, "request"), "userInfo");
    (void)json_object_set_new(
        request, "userInfo",
        user != NULL ? json_incref(user)
                     : json_pack("{s:s, s:[s, s]}", "username",
                                 is_of_server(row) ? "admin" : "system:admin", "groups",
                                 "system:masters", "system:authenticated"));
    (void)json_object_set_new(request, "dryRun", json_boolean(is_of_server(row)));
}

static void add_operation(json_t *request, const json_t *row) {
    const json_t *given = fx_tree_view_key(fx_tree_view_key(row, "request"), "operation");
    const json_t *outer = fx_tree_view_key(row, "operation");
    const char *operation = given != NULL   ? json_string_value(given)
                            : outer != NULL ? json_string_value(outer)
                                            : "CREATE";
    const bool updates = strcmp(operation, "UPDATE") == 0;
    (void)json_object_set_new(request, "operation", json_string(operation));
    (void)json_object_set_new(request, "options",
                              json_pack("{s:s, s:s, s:s*}", "kind",
                                        updates ? "UpdateOptions" : "CreateOptions",
                                        "apiVersion", "meta.k8s.io/v1", "fieldManager",
                                        is_of_server(row) ? "kubectl" : NULL));
}

json_t *fx_case_map_review(const json_t *row) {
    const json_t *given = fx_tree_view_key(row, "request");
    json_t *old = fx_tree_view_key(row, "oldObject");
    struct fx_subject subject;
    fx_subject_read(fx_case_map_object(row), &subject);
    json_t *request = json_pack("{s:s}", "uid", FX_CASE_UID);
    add_kinds(request, &subject);
    add_name(request, row, &subject);
    add_operation(request, row);
    add_user(request, row);
    (void)json_object_set(request, "object", fx_case_map_object(row));
    (void)json_object_set_new(request, "oldObject",
                              old != NULL ? json_incref(old) : json_null());
    if (fx_tree_view_key(given, "subResource") != NULL) {
        (void)json_object_set(request, "subResource",
                              fx_tree_view_key(given, "subResource"));
        (void)json_object_set(request, "requestSubResource",
                              fx_tree_view_key(given, "subResource"));
    }
    return json_pack("{s:s, s:s, s:o}", "apiVersion", "admission.k8s.io/v1", "kind",
                     "AdmissionReview", "request", request);
}
