/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_mpol.c - kyverno/mutate.jsonl: its cases of MutatingPolicies (engine mpol). The
 * policies and their exceptions are built as in a folder of files, and the object goes
 * through fx_review in an AdmissionReview.
 */
#include "admission/review.h"
#include "engine/dialect.h"
#include "engine/kind.h"
#include "kinds.h"
#include "map.h"
#include "policy/policies.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/pointer.h"
#include "value/tree.h"
#include "webhook.h"

/* ---- policies --------------------------------------------------------------------- */

static struct fx_policies *build(const json_t *row, struct fx_case_result *result) {
    static const char *const keys[] = {"policies", "exceptions"};
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text;
    json_t *items = json_array();
    for (size_t i = 0; i < FX_COUNT(keys); i++) {
        (void)json_array_extend(items, fx_tree_view_key(row, keys[i]));
    }
    json_t *list =
        json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", items);
    fx_buf_init(&text, 0);
    fx_json_write(&text, list, FX_JSON_COMPACT);
    const struct fx_policy_input input = {.file = "case.json",
                                          .text = fx_buf_view(&text)};
    struct fx_dialect_settings settings = {.n_items = 0};
    fx_dialect_settings_set(&settings, "policy-exceptions", "*");
    const struct fx_policy_sources sources = {
        .inputs = &input, .n_inputs = 1, .generation = 1, .settings = &settings};
    if (!fx_policies_build_from(&sources, &policies, &err)) {
        fx_case_fail(result, "policies", "a build", err.msg);
    }
    fx_buf_finish(&text);
    json_decref(list);
    for (size_t i = 0; policies != NULL && i < policies->findings.n_items; i++) {
        const struct fx_finding *finding = &policies->findings.items[i];
        if (finding->severity == FX_SEVERITY_ERROR &&
            fx_text_contains(fx_text_of(finding->text), FX_TEXT(" is not available"))) {
            result->skipped = "refused: it reaches beyond the objects of the cluster";
        } else if (finding->severity == FX_SEVERITY_ERROR) {
            fx_case_fail(result, "policies", "valid ones", finding->text);
        }
    }
    return policies;
}

/* ---- inputs ----------------------------------------------------------------------- */

/* A Namespace with the labels that the row gives it, and its name as one. */
static json_t *make_namespace(const json_t *row, struct fx_text name) {
    const json_t *object = fx_tree_view_key(row, "resource");
    const json_t *given =
        fx_tree_view_text(fx_tree_view_key(row, "allNamespaceLabels"), name);
    if (given == NULL &&
        fx_text_equal(
            fx_tree_view_string(fx_tree_view_key(object, "metadata"), "namespace"),
            name)) {
        given = fx_tree_view_key(row, "namespaceLabels");
    }
    json_t *labels = json_object();
    (void)json_object_update(labels, fx_node_unconst(given));
    (void)json_object_set_new(labels, "kubernetes.io/metadata.name",
                              fx_tree_new_string(name));
    return json_pack("{s:s, s:s, s:{s:o, s:o}}", "apiVersion", "v1", "kind", "Namespace",
                     "metadata", "name", fx_tree_new_string(name), "labels", labels);
}

static bool is_object(const json_t *object, const struct fx_input_key *key) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    return fx_text_equal(subject.group, key->group) &&
           fx_text_equal(subject.kind, key->kind) &&
           fx_text_equal(subject.namespace_, key->namespace_) &&
           fx_text_equal(subject.name, key->name);
}

static json_t *find_in(const json_t *list, const struct fx_input_key *key) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *object = json_array_get(list, i);
        if (is_object(object, key)) {
            return object;
        }
    }
    return NULL;
}

/* The object among those of the row's cluster. */
static json_t *find_object(const json_t *row, const struct fx_input_key *key) {
    json_t *found = find_in(fx_tree_view_key(row, "clusterObjects"), key);
    const json_t *mocks = fx_tree_view_key(row, "clusterResources");
    for (size_t i = 0; found == NULL && i < json_array_size(mocks); i++) {
        const json_t *spec = fx_tree_view_key(json_array_get(mocks, i), "spec");
        found = find_in(fx_tree_view_key(spec, "resources"), key);
    }
    return found;
}

static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_value, struct fx_err *err) {
    const json_t *row = user;
    if (key->type == FX_INPUT_OBJECT) {
        *ret_value = json_incref(find_object(row, key));
        if (*ret_value == NULL && fx_input_key_is(key, "Namespace")) {
            *ret_value = make_namespace(row, key->name);
        }
        if (*ret_value != NULL) {
            return FX_LOOKUP_FOUND;
        }
    }
    (void)fx_fail(err, FX_EMUTATE, "there is no such object");
    return FX_LOOKUP_FAILED;
}

/* ---- the answer ------------------------------------------------------------------- */

/* Has `got` all that `expected` has? Lists have as many elements. */
static bool has_all(const json_t *expected, const json_t *got) {
    if (json_is_array(expected)) {
        bool is = json_is_array(got) && json_array_size(expected) == json_array_size(got);
        for (size_t i = 0; is && i < json_array_size(expected); i++) {
            is = has_all(json_array_get(expected, i), json_array_get(got, i));
        }
        return is;
    }
    if (!json_is_object(expected)) {
        return got != NULL && fx_equal(expected, got);
    }
    bool is = json_is_object(got);
    for (void *iter = fx_node_first(expected); is && iter != NULL;
         iter = fx_node_next(expected, iter)) {
        is = has_all(json_object_iter_value(iter),
                     fx_tree_view_text(got, fx_node_key(iter)));
    }
    return is;
}

static void compare_object(struct fx_case_result *result, struct fx_text match,
                           const json_t *expected, const json_t *got) {
    json_t *wanted = fx_case_tidy(expected);
    json_t *other = fx_case_tidy(got);
    if (!fx_text_is(match, "subset") || !has_all(wanted, other)) {
        fx_case_expect_json(result, "object", wanted, other);
    }
    json_decref(wanted);
    json_decref(other);
}

/* The expected object: that of the row, or the one with its names among several. NULL if
 * the row expects only other objects. */
static const json_t *find_expected(const json_t *row) {
    const json_t *expect = fx_tree_view_key(row, "expect");
    const json_t *resource = fx_tree_view_key(expect, "resource");
    struct fx_subject subject;
    fx_subject_read(fx_tree_view_key(row, "resource"), &subject);
    const struct fx_input_key key = {.group = subject.group,
                                     .kind = subject.kind,
                                     .namespace_ = subject.namespace_,
                                     .name = subject.name};
    if (json_is_true(fx_tree_view_key(expect, "skip"))) {
        return fx_tree_view_key(row, "resource");
    }
    return resource != NULL ? resource
                            : find_in(fx_tree_view_key(expect, "objects"), &key);
}

/* Removes from what is expected the fields that may be defaults of the API server. */
static void drop_suspects(const json_t *row, json_t *expected) {
    const json_t *paths = fx_tree_view_key(row, "suspect");
    for (size_t i = 0; i < json_array_size(paths); i++) {
        const struct fx_text path = fx_tree_text(json_array_get(paths, i));
        size_t end = path.len;
        struct fx_buf pointer;
        fx_buf_init(&pointer, 0);
        while (end > 0 && path.data[end - 1] != '/') {
            end--;
        }
        fx_buf_char(&pointer, '/');
        fx_buf_text(&pointer, (struct fx_text){path.data, end > 0 ? end - 1 : 0});
        json_t *parent = fx_pointer_view(expected, fx_buf_view(&pointer));
        if (json_is_object(parent)) {
            fx_tree_remove_key(parent, fx_text_rest(path, end));
        }
        fx_buf_finish(&pointer);
    }
}

static void compare(const json_t *row, json_t *object, const json_t *response,
                    struct fx_case_result *result) {
    struct fx_case_answer answer = {0};
    struct fx_err err = FX_ERR_INIT;
    const json_t *status = fx_tree_view_key(response, "status");
    if (!json_is_true(fx_tree_view_key(response, "allowed"))) {
        fx_case_expect_text(result, "object", FX_TEXT("one"),
                            fx_tree_view_string(status, "message"));
    } else if (!fx_case_read_patched(object, response, &answer, &err)) {
        fx_case_fail(result, "object", "a valid patch", err.msg);
    } else {
        json_t *expected = json_deep_copy(find_expected(row));
        drop_suspects(row, expected);
        compare_object(result,
                       fx_tree_view_string(fx_tree_view_key(row, "expect"), "match"),
                       expected, answer.object);
        json_decref(expected);
    }
    fx_case_answer_finish(&answer);
}

/* A case whose policies are built. */
struct mpol_case {
    json_t *row;
    json_t *object; /* as it is sent */
    struct fx_policies *policies;
    struct fx_text body;
};

/* `is_part`: only what policies read is decoded. */
static void review(const struct mpol_case *case_, bool is_part,
                   struct fx_case_result *result) {
    const struct fx_admission admission = {
        .on_error = FX_ON_ERROR_DENY,
        .own_namespace = "fixpoint-system",
        .partial_decode = is_part,
        .find_input = find_input,
        .user = case_->row,
    };
    struct fx_review *review =
        fx_review_create(&admission, case_->policies->snapshot, case_->body, 0);
    const enum fx_review_state state = fx_review_run(review);
    const struct fx_review_result *answer = fx_review_result(review);
    struct fx_err err = FX_ERR_INIT;
    if (state != FX_REVIEW_DONE || answer->status != 200) {
        fx_case_fail(result, "review", "HTTP status 200", "another one");
    } else {
        json_t *read = fx_json_read(fx_buf_view(answer->body), NULL, &err);
        compare(case_->row, case_->object, fx_tree_view_key(read, "response"), result);
        json_decref(read);
    }
    fx_review_destroy(review);
}

/* ---- the request ------------------------------------------------------------------- */

/* The object as an API server sends it: in a namespace. Cases of Kyverno's command line
 * have their objects as they are in the files. A new reference. */
static json_t *make_object(const json_t *row) {
    json_t *object = fx_tree_view_key(row, "resource");
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    const bool is_sent = fx_tree_view_key(row, "rule") == NULL;
    if (!is_sent || subject.namespace_.len > 0 ||
        fx_kind_is_cluster_scoped(subject.group, subject.kind)) {
        return json_incref(object);
    }
    json_t *copy = json_deep_copy(object);
    (void)json_object_set_new(fx_tree_view_key(copy, "metadata"), "namespace",
                              json_string("default"));
    return copy;
}

/* Names the subresource that the object is sent to, as the row says. */
static void set_subresource(const json_t *row, json_t *request) {
    static const char *const keys[] = {"resource", "requestResource"};
    const json_t *given = json_array_get(fx_tree_view_key(row, "subresources"), 0);
    struct fx_text sub =
        fx_tree_view_string(fx_tree_view_key(given, "subresource"), "name");
    const struct fx_text main = fx_text_cut(&sub, '/');
    for (size_t i = 0; given != NULL && i < FX_COUNT(keys); i++) {
        (void)json_object_set_new(fx_tree_view_key(request, keys[i]), "resource",
                                  fx_tree_new_string(main));
    }
    if (given != NULL) {
        (void)json_object_set_new(request, "subResource", fx_tree_new_string(sub));
        (void)json_object_set_new(request, "requestSubResource", fx_tree_new_string(sub));
    }
}

/* The user is that of Kyverno's clusters for tests. */
static json_t *make_review(const json_t *row, json_t *object) {
    json_t *case_ =
        json_pack("{s:O, s:{s:O*, s:{s:s, s:[s, s]}}}", "object", object, "request",
                  "operation", fx_tree_view_key(row, "operation"), "userInfo", "username",
                  "kubernetes-admin", "groups", "system:masters", "system:authenticated");
    json_t *made = fx_case_map_review(case_);
    set_subresource(row, fx_tree_view_key(made, "request"));
    json_decref(case_);
    return made;
}

static void run(json_t *row, struct fx_case_result *result) {
    struct fx_policies *policies = build(row, result);
    if (policies != NULL && !result->failed && result->skipped == NULL) {
        json_t *object = make_object(row);
        json_t *request = make_review(row, object);
        struct fx_buf body;
        fx_buf_init(&body, 0);
        fx_json_write(&body, request, FX_JSON_COMPACT);
        const struct mpol_case case_ = {row, object, policies, fx_buf_view(&body)};
        review(&case_, false, result);
        review(&case_, true, result);
        fx_buf_finish(&body);
        json_decref(request);
        json_decref(object);
    }
    fx_policies_unref(policies);
}

/* Cases that are not run, by their names. */
static const struct {
    const char *name, *reason;
} skips[] = {
    {"test-context-apicall-mpol/label-computeclass-type-crd/-/"
     "deployment-with-non-spot-computeclass",
     "resource.Get() of a custom resource: its kind is not known"},
    {"test-context-apicall-mpol/label-computeclass-type-crd/-/"
     "deployment-with-spot-computeclass",
     "resource.Get() of a custom resource: its kind is not known"},
    {"fetch-pod-resource-mutating/add-env-label/test-deployment#1",
     "recorded without the object that resource.Get() reads"},
    {"fetch-pod-resource-mutating/add-env-label/test-deployment#1~2",
     "recorded without the object that resource.Get() reads"},
    {"test-policy-with-requestobj/uses-requestobject/mysecret#1",
     "recorded without the object that resource.Get() reads"},
    {"test-gzip-decompression/inject-coco-initdata/pod01#1",
     "gzip.decompress() is not built, and the object that it reads is not recorded"},
    {"add-tolerations/add-tolerations/addpod02#1",
     "tolerations that the API server adds between the mutations"},
    {"mutate-existing-pod-resize/test-mpol-resize/test-mpol-resize#1",
     "existing objects are not changed yet"},
    {"skip-background-requests/mpol-skip-background-default+mpol-skip-background-optin/"
     "target-cm#1",
     "existing objects are not changed yet"},
};

/* Does the row show what a policy does to objects that exist? */
static bool is_about_existing(const json_t *row) {
    return find_expected(row) == NULL ||
           fx_text_is(fx_tree_view_string(row, "role"), "target") ||
           json_is_true(fx_tree_view_key(row, "policiesAppliedAfterResource"));
}

/* Returns the reason why the case is not run; NULL if it is run. */
static const char *skip_reason(const json_t *row) {
    const json_t *policies = fx_tree_view_key(row, "policies");
    for (size_t i = 0; i < FX_COUNT(skips); i++) {
        if (fx_text_is(fx_tree_view_string(row, "name"), skips[i].name)) {
            return skips[i].reason;
        }
    }
    for (size_t i = 0; i < json_array_size(policies); i++) {
        const json_t *policy = json_array_get(policies, i);
        if (fx_text_is(fx_tree_view_string(policy, "kind"), "ClusterPolicy")) {
            return "its other policy changes existing objects";
        }
    }
    return is_about_existing(row) ? "existing objects are not changed yet" : NULL;
}

void fx_case_kyverno_mpol(json_t *row, struct fx_case_result *result) {
    result->skipped = skip_reason(row);
    if (result->skipped == NULL) {
        run(row, result);
    }
}
