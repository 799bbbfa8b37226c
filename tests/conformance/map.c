/* SPDX-License-Identifier: Apache-2.0
 *
 * map.c - admission-policy/map.jsonl, map-run.jsonl and server.jsonl: policies are built
 * and linked as in a folder of files, and the object goes through fx_review in an
 * AdmissionReview.
 */
#include <string.h>

#include "admission/review.h"
#include "base/file.h"
#include "base/limits.h"
#include "kinds.h"
#include "map.h"
#include "policy/policies.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/tree.h"
#include "webhook.h"

/* ---- policies --------------------------------------------------------------------- */

/* The definition of the custom resource whose schema is in a file beside the cases; NULL
 * if there is none. */
static json_t *read_definition(const char *path, struct fx_text name) {
    struct fx_buf file;
    struct fx_buf bytes;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&file, 0);
    fx_buf_init(&bytes, 0);
    const char *slash = strrchr(path, '/');
    fx_buf_printf(&file, "%.*s%.*s", slash == NULL ? 0 : (int)(slash - path + 1), path,
                  FX_TEXT_ARG(name));
    json_t *schema = fx_file_read(file.data, FX_LIMIT_POLICY_FILE_BYTES, &bytes, &err)
                         ? fx_json_read(fx_buf_view(&bytes), NULL, &err)
                         : NULL;
    fx_buf_finish(&file);
    fx_buf_finish(&bytes);
    if (schema == NULL) {
        return NULL;
    }
    json_t *definition = json_pack(
        "{s:s, s:s, s:{s:s}, s:{s:O, s:{s:O, s:s}, s:s, s:[{s:O, s:b, s:b, s:{s:O}}]}}",
        "apiVersion", "apiextensions.k8s.io/v1", "kind", "CustomResourceDefinition",
        "metadata", "name", "widgets.example.com", "spec", "group",
        fx_tree_view_key(schema, "group"), "names", "kind",
        fx_tree_view_key(schema, "kind"), "plural", "widgets", "scope", "Namespaced",
        "versions", "name", fx_tree_view_key(schema, "version"), "served", 1, "storage",
        1, "schema", "openAPIV3Schema", fx_tree_view_key(schema, "openAPIV3Schema"));
    json_decref(schema);
    return definition;
}

/* Adds fields that the Widget of the server had beside those of the file. */
static void add_fields(json_t *definition) {
    static const struct {
        const char *name, *type;
    } fields[] = {{"color", "string"},
                  {"dash-ed", "string"},
                  {"big", "integer"},
                  {"maybe", "string"}};
    const json_t *versions =
        fx_tree_view_key(fx_tree_view_key(definition, "spec"), "versions");
    const json_t *schema = fx_tree_view_key(
        fx_tree_view_key(json_array_get(versions, 0), "schema"), "openAPIV3Schema");
    const json_t *spec = fx_tree_view_key(fx_tree_view_key(schema, "properties"), "spec");
    json_t *properties = fx_tree_view_key(spec, "properties");
    for (size_t i = 0; i < FX_COUNT(fields); i++) {
        (void)json_object_set_new(properties, fields[i].name,
                                  json_pack("{s:s}", "type", fields[i].type));
    }
}

/* All documents of the case, as a List. */
static json_t *make_documents(const json_t *row, const char *path) {
    static const char *const keys[] = {"policies", "bindings", "params"};
    json_t *items = json_array();
    for (size_t i = 0; i < FX_COUNT(keys); i++) {
        (void)json_array_extend(items, fx_tree_view_key(row, keys[i]));
    }
    const json_t *object = fx_tree_view_key(row, "object");
    if (fx_text_is(fx_tree_view_string(object, "kind"), "Widget")) {
        const struct fx_text given = fx_tree_view_string(row, "schemas");
        json_t *definition =
            read_definition(path, given.len > 0 ? given : FX_TEXT("widget.json"));
        if (definition != NULL && given.len == 0) {
            add_fields(definition);
        }
        if (definition != NULL) {
            (void)json_array_append_new(items, definition);
        }
    }
    return json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items",
                     items);
}

static struct fx_policies *build(const json_t *row, struct fx_case_result *result) {
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text;
    json_t *documents = make_documents(row, result->path);
    fx_buf_init(&text, 0);
    fx_json_write(&text, documents, FX_JSON_COMPACT);
    const struct fx_policy_input input = {.file = "case.json",
                                          .text = fx_buf_view(&text)};
    if (!fx_policies_build(&input, 1, NULL, 1, &policies, &err)) {
        fx_case_fail(result, "policies", "a build", err.msg);
    }
    fx_buf_finish(&text);
    json_decref(documents);
    for (size_t i = 0; policies != NULL && i < policies->findings.n_items; i++) {
        const struct fx_finding *finding = &policies->findings.items[i];
        if (finding->severity == FX_SEVERITY_ERROR) {
            fx_case_fail(result, "policies", "valid ones", finding->text);
        }
    }
    return policies;
}

/* ---- inputs ----------------------------------------------------------------------- */

/* The authorizer of the runs allows everything, but denies the user "denied", and has no
 * opinion on the verb "forbidden". */
static json_t *authorize(const json_t *spec) {
    const json_t *resource = fx_tree_view_key(spec, "resourceAttributes");
    const json_t *attributes =
        resource != NULL ? resource : fx_tree_view_key(spec, "nonResourceAttributes");
    if (fx_text_is(fx_tree_view_string(spec, "user"), "denied")) {
        return json_pack("{s:b, s:b, s:s}", "allowed", 0, "denied", 1, "reason",
                         "user is denied");
    }
    if (fx_text_is(fx_tree_view_string(attributes, "verb"), "forbidden")) {
        return json_pack("{s:b, s:s}", "allowed", 0, "reason", "not this verb");
    }
    return json_pack("{s:b}", "allowed", 1);
}

static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_value, struct fx_err *err) {
    const json_t *row = user;
    if (key->type == FX_INPUT_ACCESS) {
        *ret_value = authorize(key->spec);
        return FX_LOOKUP_FOUND;
    }
    if (key->type != FX_INPUT_OBJECT || !fx_input_key_is(key, "Namespace")) {
        (void)fx_fail(err, FX_EMUTATE, "there is no such object");
        return FX_LOOKUP_FAILED;
    }
    json_t *given = fx_tree_view_key(row, "namespaceObject");
    const json_t *metadata = fx_tree_view_key(given, "metadata");
    *ret_value =
        fx_text_equal(fx_tree_view_string(metadata, "name"), key->name)
            ? json_incref(given)
            : json_pack("{s:s, s:s, s:{s:o, s:{s:o}}}", "apiVersion", "v1", "kind",
                        "Namespace", "metadata", "name", fx_tree_new_string(key->name),
                        "labels", "kubernetes.io/metadata.name",
                        fx_tree_new_string(key->name));
    return FX_LOOKUP_FOUND;
}

/* ---- the answer ------------------------------------------------------------------- */

static bool is_panic(const json_t *error) {
    return json_is_true(fx_tree_view_key(error, "panic"));
}

static void compare_allowed(json_t *row, const json_t *response,
                            struct fx_case_result *result) {
    const json_t *expect = fx_tree_view_key(row, "expect");
    const json_t *of_server = fx_tree_view_key(row, "result");
    const json_t *error = fx_tree_view_key(expect != NULL ? expect : row, "error");
    struct fx_case_answer answer = {0};
    struct fx_err err = FX_ERR_INIT;
    if (error != NULL && !json_is_null(error) && !is_panic(error)) {
        fx_case_expect_json(result, "error", error, NULL);
        return;
    }
    if (!fx_case_read_patched(fx_case_map_object(row), response, &answer, &err)) {
        fx_case_fail(result, "object", "a valid patch", err.msg);
    } else if (!is_panic(error)) {
        const bool is_run =
            fx_text_starts(fx_tree_view_string(row, "source"), FX_TEXT("run:"));
        fx_case_map_compare_object(
            result, expect != NULL ? fx_tree_view_key(expect, "object") : of_server,
            answer.object, !is_run);
    }
    fx_case_answer_finish(&answer);
}

static void compare(json_t *row, const json_t *response, struct fx_case_result *result) {
    const json_t *expect = fx_tree_view_key(row, "expect");
    const json_t *error = fx_tree_view_key(expect != NULL ? expect : row, "error");
    const json_t *status = fx_tree_view_key(response, "status");
    if (json_is_true(fx_tree_view_key(response, "allowed"))) {
        compare_allowed(row, response, result);
    } else if (error == NULL || json_is_null(error)) {
        const char *message = json_string_value(fx_tree_view_key(status, "message"));
        fx_case_fail(result, "object", "one", message == NULL ? "a denial" : message);
    } else if (!is_panic(error)) {
        fx_case_map_compare_status(result, error, status);
    }
}

/* `is_part`: only what policies read is decoded. */
static void review(json_t *row, struct fx_policies *policies, struct fx_text body,
                   bool is_part, struct fx_case_result *result) {
    const struct fx_schemas schemas = {.given = {policies->schemas}};
    const struct fx_admission admission = {
        .on_error = FX_ON_ERROR_DENY,
        .own_namespace = "fixpoint-system",
        .partial_decode = is_part,
        .find_input = find_input,
        .user = row,
        .schemas = &schemas,
    };
    struct fx_review *review = fx_review_create(&admission, policies->snapshot, body, 0);
    const enum fx_review_state state = fx_review_run(review);
    const struct fx_review_result *answer = fx_review_result(review);
    struct fx_err err = FX_ERR_INIT;
    if (state != FX_REVIEW_DONE || answer->status != 200) {
        fx_case_fail(result, "review", "HTTP status 200", "another one");
    } else {
        json_t *read = fx_json_read(fx_buf_view(answer->body), NULL, &err);
        compare(row, fx_tree_view_key(read, "response"), result);
        json_decref(read);
    }
    fx_review_destroy(review);
}

static void run(json_t *row, struct fx_case_result *result) {
    struct fx_policies *policies = build(row, result);
    if (policies != NULL) {
        json_t *request = fx_case_map_review(row);
        struct fx_buf body;
        fx_buf_init(&body, 0);
        fx_json_write(&body, request, FX_JSON_COMPACT);
        review(row, policies, fx_buf_view(&body), false, result);
        review(row, policies, fx_buf_view(&body), true, result);
        fx_buf_finish(&body);
        json_decref(request);
    }
    fx_policies_unref(policies);
}

/* Cases that are not run, by their names. */
static const struct {
    const char *name, *reason;
} skips[] = {
    {"smd/set status on create is dropped by strategy",
     "the API server drops `status` when it creates an object"},
    {"cel/managedFields visible", "recorded without uid, resourceVersion, managedFields"},
    {"update/resourceVersion and uid visible",
     "recorded without uid, resourceVersion, managedFields"},
    {"cluster/clusterrole: namespaceObject null and request.namespace",
     "recorded with a policy that the case does not have"},
    {"crd/list-map element missing key", "1.36 says this in other words"},
    {"kep/volumes nested list mapping error (list of list of names)",
     "1.36 does not print a list that is a key"},
    {"equivalent/HPA v2 request, rule on v1: converted to v1, mutated, converted back",
     "the API server converts objects for webhooks (matchPolicy)"},
    {"equivalent/CRD v2 request, rule on v1 (Equivalent)",
     "the API server converts objects for webhooks (matchPolicy)"},
    {"integration: custom resource, v2 request matched by v1 rule (Equivalent)",
     "the API server converts objects for webhooks (matchPolicy)"},
};

static struct fx_text namespace_of(const json_t *object) {
    return fx_tree_view_string(fx_tree_view_key(object, "metadata"), "namespace");
}

/* Does the policy move the object to another namespace? */
static bool is_moved(const json_t *row) {
    const json_t *object = fx_tree_view_key(fx_tree_view_key(row, "expect"), "object");
    return object != NULL &&
           !fx_text_equal(namespace_of(object),
                          namespace_of(fx_tree_view_key(row, "object")));
}

/* Returns the reason why the case is not run; NULL if it is run. */
static const char *skip_reason(const json_t *row) {
    const json_t *expect = fx_tree_view_key(row, "expect");
    const json_t *error = fx_tree_view_key(expect != NULL ? expect : row, "error");
    const struct fx_text text = json_is_string(error)
                                    ? fx_tree_text(error)
                                    : fx_tree_view_string(error, "message");
    for (size_t i = 0; i < FX_COUNT(skips); i++) {
        if (fx_text_is(fx_tree_view_string(row, "name"), skips[i].name)) {
            return skips[i].reason;
        }
    }
    if (fx_tree_view_key(row, "applyConfigurationValue") != NULL) {
        return "a merge without a policy: tests of src/merge have such cases";
    }
    if (is_moved(row)) {
        return "another namespace is refused by the API server, and not patched here";
    }
    const bool is_late =
        fx_tree_view_key(expect, "phase") == NULL &&
        (fx_text_contains(text, FX_TEXT(" is invalid: ")) ||
         fx_text_contains(text, FX_TEXT(" is forbidden: ")) ||
         fx_text_starts(text, FX_TEXT("the namespace of the provided object")));
    return is_late ? "refused by the API server when it validates the result" : NULL;
}

void fx_case_map(json_t *row, struct fx_case_result *result) {
    result->skipped = skip_reason(row);
    if (result->skipped != NULL) {
        return;
    }
    fx_case_map_prepare(row);
    if (fx_case_map_create(row, result)) {
        run(row, result);
    }
}
