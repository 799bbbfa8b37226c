/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/partial_decode_fuzz.c - any bytes are answered alike, whether all of them
 * become nodes or only what policies look at.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "admission/review.h"
#include "policy/policies.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lists in lists, lists whose elements a policy renames, a whole list, a removal, and
 * what stands elsewhere; and rules that find what they want. */
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
    "kind: Assign\n"
    "metadata: {name: port}\n"
    "spec:\n"
    "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"
    "  location: 'spec.containers[name: *].ports[containerPort: 80].name'\n"
    "  parameters: {assign: {value: web}}\n"
    "---\n"
    "apiVersion: mutations.gatekeeper.sh/v1\n"
    "kind: Assign\n"
    "metadata: {name: sidecar}\n"
    "spec:\n"
    "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"
    "  location: 'spec.volumes[name: cache]'\n"
    "  parameters: {assign: {value: {name: cache, emptyDir: {}}}}\n"
    "---\n"
    "apiVersion: mutations.gatekeeper.sh/v1\n"
    "kind: AssignMetadata\n"
    "metadata: {name: owner}\n"
    "spec:\n"
    "  location: metadata.labels.owner\n"
    "  parameters: {assign: {fromMetadata: {field: name}}}\n"
    "---\n"
    "apiVersion: mutations.fixpoint.dev/v1alpha1\n"
    "kind: Remove\n"
    "metadata: {name: tolerations}\n"
    "spec:\n"
    "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"
    "  location: 'spec.tolerations[key: * except \"kept\"]'\n"
    "---\n"
    "apiVersion: mutations.fixpoint.dev/v1alpha1\n"
    "kind: Assign\n"
    "metadata: {name: node}\n"
    "spec:\n"
    "  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]\n"
    "  conditions: [{location: status.phase, operator: Exists}]\n"
    "  location: spec.nodeName\n"
    "  parameters: {assign: {fromObject: 'status.conditions[type: Ready].reason'}}\n"
    "---\n"
    "apiVersion: api.kubemod.io/v1beta1\n"
    "kind: ModRule\n"
    "metadata: {name: policy, namespace: kubemod-system}\n"
    "spec:\n"
    "  type: Patch\n"
    "  targetNamespaceRegex: '.*'\n"
    "  match:\n"
    "  - {select: '$.spec.containers[? @.image =~ \"a\"].name', matchRegex: b}\n"
    "  patch:\n"
    "  - op: add\n"
    "    select: '$.spec.containers[*].env[? @.name]'\n"
    "    path: /spec/containers/#0/env/#1/value\n"
    "    value: '{{ .SelectedItem.name }}{{ range .Target.spec.volumes }}{{ .name }}{{ "
    "end }}'\n"
    "  - {op: remove, path: /spec/hostname}\n"
    "---\n"
    "apiVersion: api.kubemod.io/v1beta1\n"
    "kind: ModRule\n"
    "metadata: {name: nay, namespace: kubemod-system}\n"
    "spec:\n"
    "  type: Reject\n"
    "  targetNamespaceRegex: '.*'\n"
    "  match: [{select: 'length($.spec.initContainers) > 1'}]\n"
    "  rejectMessage: '{{ with index .Target.spec.initContainers 0 }}{{ .image }}{{ end "
    "}}'\n";

/* Made once; a fuzzer's process ends with it. */
static struct fx_snapshot *snapshot(void) {
    static struct fx_policies *policies;
    if (policies == NULL) {
        const struct fx_policy_input input = {.file = "p.yaml",
                                              .text = FX_TEXT(policies_text)};
        struct fx_err err = FX_ERR_INIT;
        const bool ok = fx_policies_build(&input, 1, NULL, 1, &policies, &err);
        assert(ok && policies->snapshot->n_mutators == 8);
        assert(policies->findings.n_items == 0);
    }
    return policies->snapshot;
}

static struct fx_review *answer(struct fx_text text, bool partial_decode) {
    static const struct fx_admission whole = {.own_namespace = "own"};
    static const struct fx_admission part = {.own_namespace = "own",
                                             .partial_decode = true};
    struct fx_review *review =
        fx_review_create(partial_decode ? &part : &whole, snapshot(), text, 0);
    assert(review != NULL);
    const enum fx_review_state state = fx_review_run(review);
    assert(state == FX_REVIEW_DONE);
    return review;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_review *reviews[] = {answer(text, false), answer(text, true)};
    const struct fx_review_result *whole = fx_review_result(reviews[0]);
    const struct fx_review_result *part = fx_review_result(reviews[1]);
    assert(whole->decision == part->decision && whole->status == part->status);
    assert(whole->body->len == part->body->len);
    /* the words of a failure have the mutation's id */
    assert(whole->decision == FX_DECISION_FAILED ||
           memcmp(whole->body->data, part->body->data, whole->body->len) == 0);
    fx_review_destroy(reviews[0]);
    fx_review_destroy(reviews[1]);
    return 0;
}
