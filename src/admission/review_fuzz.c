/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/review_fuzz.c - any bytes are answered; what is answered as a review is JSON,
 * and its patch applies to the object that came.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "admission/review.h"
#include "base/base64.h"
#include "base/dns_name.h"
#include "policy/policies.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char policies_text[] =
    "apiVersion: mutations.gatekeeper.sh/v1\n"
    "kind: Assign\n"
    "metadata: {name: pull}\n"
    "spec:\n"
    "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"
    "  location: 'spec.containers[name: *].imagePullPolicy'\n"
    "  parameters: {assign: {value: Always}}\n"
    "---\n"
    "apiVersion: mutations.gatekeeper.sh/v1\n"
    "kind: AssignMetadata\n"
    "metadata: {name: owner}\n"
    "spec:\n"
    "  match: {excludedNamespaces: ['kube-*'], namespaceSelector: {matchExpressions:\n"
    "    [{key: kubernetes.io/metadata.name, operator: Exists}]}}\n"
    "  location: metadata.labels.owner\n"
    "  parameters: {assign: {fromMetadata: {field: namespace}}}\n"
    "---\n"
    "apiVersion: mutations.gatekeeper.sh/v1\n"
    "kind: Assign\n"
    "metadata: {name: sidecar}\n"
    "spec:\n"
    "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"
    "  location: 'spec.containers[name: sidecar].ports[containerPort: 80]'\n"
    "  parameters: {assign: {value: {containerPort: 80}}}\n"
    "---\n"
    "apiVersion: mutations.gatekeeper.sh/v1\n"
    "kind: Assign\n"
    "metadata: {name: z-image}\n"
    "spec:\n"
    "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"
    "  location: 'spec.containers[name: *].image'\n"
    "  parameters: {assign: {externalData: {provider: unknown, failurePolicy: Ignore}}}\n"
    "---\n"
    "apiVersion: api.kubemod.io/v1beta1\n"
    "kind: ModRule\n"
    "metadata: {name: node, namespace: kubemod-system}\n"
    "spec:\n"
    "  type: Patch\n"
    "  targetNamespaceRegex: '.*'\n"
    "  match: [{select: $.syntheticRefs.node.metadata.name}]\n"
    "  patch: [{op: add, path: /metadata/labels/node, value: '\"there\"'}]\n"
    "---\n"
    "apiVersion: config.gatekeeper.sh/v1alpha1\n"
    "kind: Config\n"
    "metadata: {name: config}\n"
    "spec: {match: [{excludedNamespaces: [x*], processes: ['*']}]}\n";

/* Made once; a fuzzer's process ends with it. */
static struct fx_snapshot *snapshot(void) {
    static struct fx_policies *policies;
    if (policies == NULL) {
        const struct fx_policy_input input = {.file = "p.yaml",
                                              .text = FX_TEXT(policies_text)};
        struct fx_err err = FX_ERR_INIT;
        const bool ok = fx_policies_build(&input, 1, NULL, 1, &policies, &err);
        assert(ok && policies->snapshot->n_mutators == 5);
        assert(policies->findings.n_items == 1); /* the unknown provider */
    }
    return policies->snapshot;
}

/* Namespaces whose name begins with `w` are waited for, those with `f` fail. Nodes are
 * all waited for. */
static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_object, struct fx_err *err) {
    (void)user;
    if (fx_input_key_is(key, "Node")) {
        assert(fx_dns_is_subdomain(key->name));
        return FX_LOOKUP_WAIT;
    }
    if (key->name.data[0] == 'f') {
        (void)fx_fail(err, FX_EMUTATE, "it fails");
        return FX_LOOKUP_FAILED;
    }
    if (key->name.data[0] == 'w') {
        return FX_LOOKUP_WAIT;
    }
    *ret_object = fx_namespaces_find(NULL, key->name);
    return FX_LOOKUP_FOUND;
}

static void check_patch(json_t *object, struct fx_text base64) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_buf text;
    struct fx_patch patch;
    fx_arena_init(&arena, 1u << 26);
    fx_buf_init(&text, 0);
    const bool decoded = fx_base64_decode(&text, base64);
    assert(decoded);
    json_t *document = fx_json_read(fx_buf_view(&text), NULL, &err);
    assert(document != NULL);
    fx_patch_init(&patch, &arena);
    const bool parsed = fx_patch_parse(&patch, document, &err);
    assert(parsed && patch.n_ops > 0);
    json_t *root = json_incref(object);
    const bool applied = fx_patch_apply(&patch, &root, &err);
    assert(applied);
    json_decref(root);
    json_decref(document);
    fx_buf_finish(&text);
    fx_arena_finish(&arena);
}

static void check_response(struct fx_text body, struct fx_text request) {
    struct fx_err err = FX_ERR_INIT;
    json_t *asked = fx_json_read(request, NULL, &err);
    json_t *answered = fx_json_read(body, NULL, &err);
    assert(asked != NULL && answered != NULL);
    const json_t *question = fx_tree_view_key(asked, "request");
    const json_t *response = fx_tree_view_key(answered, "response");
    assert(fx_text_equal(fx_tree_view_string(response, "uid"),
                         fx_tree_view_string(question, "uid")));
    assert(json_is_boolean(fx_tree_view_key(response, "allowed")));
    if (fx_tree_view_key(response, "patch") != NULL) {
        check_patch(fx_tree_view_key(question, "object"),
                    fx_tree_view_string(response, "patch"));
    }
    json_decref(asked);
    json_decref(answered);
}

static void give(struct fx_input_entry *entry) {
    struct fx_err failure = FX_ERR_INIT;
    if (fx_input_key_is(&entry->key, "Node") && entry->key.name.data[0] == 'f') {
        (void)fx_fail(&failure, FX_EMUTATE, "there is none");
        fx_inputs_give(entry, NULL, &failure);
    } else {
        fx_inputs_give(entry, fx_namespaces_find(NULL, entry->key.name), NULL);
    }
}

static void give_all(struct fx_review *review) {
    uint64_t deadline_ns = 0;
    for (struct fx_input_entry *entry = fx_review_inputs(review, &deadline_ns)->first;
         entry != NULL; entry = entry->next) {
        if (entry->state == FX_INPUT_AWAITED) {
            give(entry);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct fx_admission admission = {
        .on_error = FX_ON_ERROR_DENY,
        .own_namespace = "fixpoint",
        .find_input = find_input,
    };
    const struct fx_text text = {(const char *)data, size};
    struct fx_review *review = fx_review_create(&admission, snapshot(), text, 0);
    assert(review != NULL);
    while (fx_review_run(review) == FX_REVIEW_WANTS_INPUTS) {
        give_all(review);
    }
    const struct fx_review_result *result = fx_review_result(review);
    assert(result->decision != FX_DECISION_BROKEN);
    assert(result->body->len > 0);
    if (result->status == 200) {
        check_response((struct fx_text){result->body->data, result->body->len}, text);
    }
    fx_review_destroy(review);
    return 0;
}
