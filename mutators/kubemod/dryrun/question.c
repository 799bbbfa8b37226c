/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/question.c - members with their types, and what they say
 * together.
 */
#include "mutators/kubemod/dryrun/question.h"

#include <string.h>

#include "base/limits.h"
#include "value/json.h"
#include "value/tree.h"

/* name, JSON type, its words */
#define MEMBERS(X)                                   \
    X("resourceManifest", JSON_OBJECT, "an object")  \
    X("modRules", JSON_ARRAY, "a list of objects")   \
    X("policies", JSON_ARRAY, "a list of objects")   \
    X("operation", JSON_STRING, "a string")          \
    X("namespace", JSON_STRING, "a string")          \
    X("namespaceManifest", JSON_OBJECT, "an object") \
    X("nodeManifest", JSON_OBJECT, "an object")

static const struct member {
    const char *name;
    json_type type;
    const char *words;
} members[] = {
#define X(name, type, words) {name, type, words},
    MEMBERS(X)
#undef X
};

bool fx_dryrun_question_knows(const char *key) {
    for (size_t i = 0; i < FX_COUNT(members); i++) {
        if (strcmp(members[i].name, key) == 0) {
            return true;
        }
    }
    return false;
}

/* null is as good as nothing. */
static json_t *view(const struct fx_dryrun_question *question, const char *key) {
    json_t *value = fx_tree_view_key(question->root, key);
    return json_is_null(value) ? NULL : value;
}

static bool check_types(const struct fx_dryrun_question *question, struct fx_err *err) {
    if (!json_is_object(question->root)) {
        return fx_fail(err, FX_EINVALID, "the request is no JSON object");
    }
    for (size_t i = 0; i < FX_COUNT(members); i++) {
        const json_t *value = view(question, members[i].name);
        if (value != NULL && json_typeof(value) != members[i].type) {
            return fx_fail(err, FX_EINVALID, "`%s` must be %s", members[i].name,
                           members[i].words);
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

static bool read_lists(struct fx_dryrun_question *question, struct fx_err *err) {
    question->rules = view(question, "modRules");
    question->policies = view(question, "policies");
    if (question->rules == NULL && question->policies == NULL) {
        return fx_fail(err, FX_EINVALID, "`modRules` is missing: the rules to try out");
    }
    if (json_array_size(question->rules) + json_array_size(question->policies) >
        FX_LIMIT_DRYRUN_POLICIES) {
        return fx_fail(err, FX_ELIMIT, "more than %u rules and policies",
                       FX_LIMIT_DRYRUN_POLICIES);
    }
    return check_list(question->rules, "modRules", err) &&
           check_list(question->policies, "policies", err);
}

static bool read_operation(struct fx_dryrun_question *question, struct fx_err *err) {
    const json_t *operation = view(question, "operation");
    const struct fx_text words = fx_tree_text(operation);
    question->operation =
        operation == NULL ? FX_OPERATION_CREATE : fx_operation_parse(words);
    return (question->operation != FX_OPERATION_NONE &&
            question->operation != FX_OPERATION_CONNECT) ||
           fx_fail(err, FX_EINVALID,
                   "`operation`: `%.*s` is none of CREATE, UPDATE and DELETE",
                   FX_TEXT_ARG(words));
}

/* `namespace` and the Namespace say the same. */
static bool read_namespace(struct fx_dryrun_question *question, struct fx_err *err) {
    const json_t *given = view(question, "namespace");
    question->namespace_object = view(question, "namespaceManifest");
    const json_t *metadata = fx_tree_view_key(question->namespace_object, "metadata");
    const struct fx_text name = fx_tree_view_string(metadata, "name");
    question->is_placed = given != NULL || question->namespace_object != NULL;
    if (question->namespace_object != NULL && name.len == 0) {
        return fx_fail(err, FX_EINVALID, "`namespaceManifest` has no `metadata.name`");
    }
    if (given != NULL && question->namespace_object != NULL &&
        !fx_text_equal(fx_tree_text(given), name)) {
        return fx_fail(err, FX_EINVALID,
                       "`namespace` is `%.*s`, and `namespaceManifest` is `%.*s`",
                       FX_TEXT_ARG(fx_tree_text(given)), FX_TEXT_ARG(name));
    }
    const struct fx_text placed = given != NULL ? fx_tree_text(given) : name;
    question->namespace_ = placed.len > 0 ? placed : FX_TEXT("");
    return true;
}

/* An API server takes no object that says it is elsewhere. */
static bool check_place(const struct fx_dryrun_question *question, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(question->object, &subject);
    if (!question->is_placed || subject.is_namespace || subject.namespace_.len == 0 ||
        fx_text_equal(subject.namespace_, question->namespace_)) {
        return true;
    }
    return fx_fail(err, FX_EINVALID,
                   "`resourceManifest` is in the namespace `%.*s`, and the request in "
                   "`%.*s`",
                   FX_TEXT_ARG(subject.namespace_), FX_TEXT_ARG(question->namespace_));
}

bool fx_dryrun_question_read(struct fx_text text, struct fx_dryrun_question *ret_question,
                             struct fx_err *err) {
    struct fx_dryrun_question *question = ret_question;
    question->root = fx_json_read(text, NULL, err);
    if (question->root == NULL) {
        return err->code == FX_ENOMEM ? false : fx_err_prefix(err, "the request: ");
    }
    if (!check_types(question, err)) {
        return false;
    }
    question->object = view(question, "resourceManifest");
    question->node = view(question, "nodeManifest");
    if (question->object == NULL) {
        return fx_fail(err, FX_EINVALID,
                       "`resourceManifest` is missing: the object to try the rules on");
    }
    return read_lists(question, err) && read_operation(question, err) &&
           read_namespace(question, err) && check_place(question, err);
}

void fx_dryrun_question_finish(struct fx_dryrun_question *question) {
    if (question != NULL) {
        json_decref(question->root);
        *question = (struct fx_dryrun_question){0};
    }
}
