/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/request.c - reads and checks the members of a request.
 */
#include "mutators/kubemod/dryrun/internal.h"

#include <string.h>

#include "base/limits.h"
#include "value/json.h"
#include "value/tree.h"

/* name, JSON type, how an error names the type */
#define MEMBERS(X)                                   \
    X("resourceManifest", JSON_OBJECT, "an object")  \
    X("modRules", JSON_ARRAY, "a list of objects")   \
    X("policies", JSON_ARRAY, "a list of objects")   \
    X("operation", JSON_STRING, "a string")          \
    X("namespace", JSON_STRING, "a string")          \
    X("namespaceManifest", JSON_OBJECT, "an object") \
    X("nodeManifest", JSON_OBJECT, "an object")

static const struct request_member {
    const char *name;
    json_type type;
    const char *type_name;
} members[] = {
#define X(name, type, type_name) {name, type, type_name},
    MEMBERS(X)
#undef X
};

bool fx_dryrun_request_knows(const char *key) {
    for (size_t i = 0; i < FX_COUNT(members); i++) {
        if (strcmp(members[i].name, key) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns a member; NULL if it is missing or null. */
static json_t *view_member(const struct fx_dryrun_request *request, const char *key) {
    json_t *value = fx_tree_view_key(request->root, key);
    return json_is_null(value) ? NULL : value;
}

static bool check_types(const struct fx_dryrun_request *request, struct fx_err *err) {
    if (!json_is_object(request->root)) {
        return fx_fail(err, FX_EINVALID, "the request is not a JSON object");
    }
    for (size_t i = 0; i < FX_COUNT(members); i++) {
        const json_t *value = view_member(request, members[i].name);
        if (value != NULL && json_typeof(value) != members[i].type) {
            return fx_fail(err, FX_EINVALID, "`%s` must be %s", members[i].name,
                           members[i].type_name);
        }
    }
    return true;
}

static bool check_list(const json_t *list, const char *name, struct fx_err *err) {
    size_t index = 0;
    const json_t *item = NULL;
    json_array_foreach (list, index, item) {
        if (!json_is_object(item)) {
            return fx_fail(err, FX_EINVALID, "`%s[%zu]` must be an object", name, index);
        }
    }
    return true;
}

static bool read_lists(struct fx_dryrun_request *request, struct fx_err *err) {
    request->rules = view_member(request, "modRules");
    request->policies = view_member(request, "policies");
    if (request->rules == NULL && request->policies == NULL) {
        return fx_fail(err, FX_EINVALID, "`modRules` is missing: the rules to try out");
    }
    if (json_array_size(request->rules) + json_array_size(request->policies) >
        FX_LIMIT_DRYRUN_POLICIES) {
        return fx_fail(err, FX_ELIMIT, "more than %u rules and policies",
                       FX_LIMIT_DRYRUN_POLICIES);
    }
    return check_list(request->rules, "modRules", err) &&
           check_list(request->policies, "policies", err);
}

static bool read_operation(struct fx_dryrun_request *request, struct fx_err *err) {
    const json_t *operation = view_member(request, "operation");
    const struct fx_text name = fx_tree_text(operation);
    request->operation =
        operation == NULL ? FX_OPERATION_CREATE : fx_operation_parse(name);
    return (request->operation != FX_OPERATION_NONE &&
            request->operation != FX_OPERATION_CONNECT) ||
           fx_fail(err, FX_EINVALID,
                   "`operation`: `%.*s` is none of CREATE, UPDATE and DELETE",
                   FX_TEXT_ARG(name));
}

/* Reads `namespace` and the name of `namespaceManifest`, which must be equal. */
static bool read_namespace(struct fx_dryrun_request *request, struct fx_err *err) {
    const json_t *given = view_member(request, "namespace");
    request->namespace_object = view_member(request, "namespaceManifest");
    const json_t *metadata = fx_tree_view_key(request->namespace_object, "metadata");
    const struct fx_text name = fx_tree_view_string(metadata, "name");
    request->has_namespace = given != NULL || request->namespace_object != NULL;
    if (request->namespace_object != NULL && name.len == 0) {
        return fx_fail(err, FX_EINVALID, "`namespaceManifest` has no `metadata.name`");
    }
    if (given != NULL && request->namespace_object != NULL &&
        !fx_text_equal(fx_tree_text(given), name)) {
        return fx_fail(err, FX_EINVALID,
                       "`namespace` is `%.*s`, and `namespaceManifest` is `%.*s`",
                       FX_TEXT_ARG(fx_tree_text(given)), FX_TEXT_ARG(name));
    }
    const struct fx_text namespace_ = given != NULL ? fx_tree_text(given) : name;
    request->namespace_ = namespace_.len > 0 ? namespace_ : FX_TEXT("");
    return true;
}

/* Checks that the object's namespace is that of the request. An API server refuses any
 * other object. */
static bool check_namespace(const struct fx_dryrun_request *request, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(request->object, &subject);
    if (!request->has_namespace || subject.is_namespace || subject.namespace_.len == 0 ||
        fx_text_equal(subject.namespace_, request->namespace_)) {
        return true;
    }
    return fx_fail(err, FX_EINVALID,
                   "`resourceManifest` is in the namespace `%.*s`, and the request in "
                   "`%.*s`",
                   FX_TEXT_ARG(subject.namespace_), FX_TEXT_ARG(request->namespace_));
}

bool fx_dryrun_request_read(struct fx_text text, struct fx_dryrun_request *ret_request,
                            struct fx_err *err) {
    struct fx_dryrun_request *request = ret_request;
    request->root = fx_json_read(text, NULL, err);
    if (request->root == NULL) {
        return err->code == FX_ENOMEM ? false : fx_err_prefix(err, "the request: ");
    }
    if (!check_types(request, err)) {
        return false;
    }
    request->object = view_member(request, "resourceManifest");
    request->node = view_member(request, "nodeManifest");
    if (request->object == NULL) {
        return fx_fail(err, FX_EINVALID,
                       "`resourceManifest` is missing: the object to try the rules on");
    }
    return read_lists(request, err) && read_operation(request, err) &&
           read_namespace(request, err) && check_namespace(request, err);
}

void fx_dryrun_request_finish(struct fx_dryrun_request *request) {
    if (request != NULL) {
        json_decref(request->root);
        *request = (struct fx_dryrun_request){0};
    }
}
