# SPDX-License-Identifier: Apache-2.0
"""Policies of every wrong shape, through every door that takes one: the paths that validate
and fill in, and a dry run."""

import json

import pytest
import yaml
from client import Connection, answer, health, pod, request, review
from hostile import shapes
from process import ANY_PORT
from test_admit import ADMIT
from test_dryrun import send
from test_kubemod_webhooks import FILL_IN, VALIDATE

POLICIES = """\
apiVersion: mutations.gatekeeper.sh/v1
kind: Assign
metadata: {name: a, annotations: {k: v}, generation: 3}
spec:
  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]
  match:
    source: All
    scope: Namespaced
    kinds: [{apiGroups: ['*'], kinds: [Pod]}]
    namespaces: [shop-*]
    excludedNamespaces: ['*-system']
    name: w*
    labelSelector: {matchLabels: {a: b}, matchExpressions: [{key: c, operator: In, values: [d]}]}
    namespaceSelector: {matchExpressions: [{key: c, operator: Exists}]}
  location: 'spec.containers[name: *].image'
  parameters:
    pathTests: [{subPath: 'spec.containers', condition: MustExist}]
    assign: {externalData: {provider: p, dataSource: ValueAtLocation, failurePolicy: UseDefault,
                            default: x}}
---
apiVersion: mutations.gatekeeper.sh/v1beta1
kind: AssignMetadata
metadata: {name: b}
spec:
  location: 'metadata.labels."a/b"'
  parameters: {assign: {fromMetadata: {field: namespace}}}
---
apiVersion: mutations.gatekeeper.sh/v1
kind: ModifySet
metadata: {name: c}
spec:
  applyTo: [{groups: [apps], versions: [v1], kinds: [Deployment]}]
  location: 'spec.template.spec.containers[name: "x"].args'
  parameters: {operation: prune, values: {fromList: [a, 1, {b: c}]}}
---
apiVersion: mutations.gatekeeper.sh/v1alpha1
kind: AssignImage
metadata: {name: d}
spec:
  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]
  location: 'spec.containers[name: *].image'
  parameters: {assignDomain: example.com, assignPath: a/b, assignTag: ':1'}
---
apiVersion: mutations.fixpoint.dev/v1alpha1
kind: Assign
metadata: {name: e}
spec:
  applyTo: [{groups: [''], versions: [v1], kinds: [Pod]}]
  match: {annotationSelector: {matchLabels: {a: b}}}
  conditions: [{location: 'spec.nodeName', operator: In, values: [a]}]
  location: 'spec.containers[name: * except "x"].env'
  parameters: {assign: {fromObject: {location: 'metadata.labels.a', default: x}}}
---
apiVersion: config.gatekeeper.sh/v1alpha1
kind: Config
metadata: {name: config, namespace: gatekeeper-system}
spec: {match: [{excludedNamespaces: [kube-*], processes: [mutation-webhook]}]}
---
apiVersion: externaldata.gatekeeper.sh/v1beta1
kind: Provider
metadata: {name: p}
spec: {url: 'https://example.com/v', timeout: 2, caBundle: LS0tLS1CRUdJTi0=}
---
apiVersion: expansion.gatekeeper.sh/v1alpha1
kind: ExpansionTemplate
metadata: {name: x}
spec:
  applyTo: [{groups: [apps], versions: [v1], kinds: [Deployment]}]
  templateSource: spec.template
  enforcementAction: warn
  generatedGVK: {group: '', version: v1, kind: Pod}
"""

RULES = """\
apiVersion: api.kubemod.io/v1beta1
kind: ModRule
metadata: {name: r, namespace: kubemod-system}
spec:
  type: Patch
  executionTier: -1
  admissionOperations: [CREATE, UPDATE]
  targetNamespaceRegex: ^shop
  match:
    - {select: '$.kind', matchValue: Pod, negate: false}
    - {select: '$.spec.containers[? @.image =~ "a"].name', matchFor: All, matchValues: [a, b]}
    - {select: '$.metadata.name', matchRegex: ^w}
  patch:
    - op: add
      select: '$.spec.containers[*].name'
      path: /metadata/labels/x-#0
      value: '{{ .Namespace }}-{{ .SelectedItem }}-{{ index .SelectKeyParts 0 }}'
---
apiVersion: api.kubemod.io/v1beta1
kind: ModRule
metadata: {name: s, namespace: shop}
spec:
  type: Reject
  match: [{select: '$.metadata.labels.owner', matchValue: me}]
  rejectMessage: 'no {{ .Target.metadata.name }}'
"""


def load(text):
    return list(yaml.safe_load_all(text))


def spoilt(policy):
    yield from shapes.of_wrong_types(policy)
    yield from shapes.with_a_nul(policy)


def ids(policy):
    return "%s-%s" % (policy["kind"], policy["metadata"]["name"])


def reviewed(policy, wrong):
    """As an API server that lets everything pass would send it."""
    body = review(policy)
    body["request"]["object"] = wrong
    return json.dumps(body).encode()


@pytest.mark.parametrize("policy", load(POLICIES) + load(RULES), ids=ids)
def test_judged(start, policy):
    """Each is allowed, refused with a message, or no review."""
    server = start()
    paths = (VALIDATE, FILL_IN) if policy["kind"] == "ModRule" else (ADMIT,)
    said = {True: 0, False: 0}
    with Connection(server) as connection:
        for path, value, wrong in spoilt(policy):
            for door in paths:
                connection.send(request(reviewed(policy, wrong), path=door))
                response = connection.response()
                assert response.status in (200, 400), (path, value, response.body)
                assert not response.closes, (path, value)
                if response.status == 200:
                    allowed = answer(response)["allowed"]
                    said[allowed] += 1
                    assert allowed or answer(response)["status"]["message"], (path, value)
    assert min(said.values()) > 0, said


@pytest.mark.parametrize("policy", load(POLICIES) + load(RULES), ids=ids)
def test_tried(start, policy):
    """Policies are built of it, and tried on a Pod."""
    server = start(args=["--web-listen", ANY_PORT])
    server.log.wait("webhook port answers")
    obj = pod(labels={"a": "b", "owner": "me"})
    name = "modRules" if policy["kind"] == "ModRule" else "policies"
    statuses = {200: 0, 400: 0}
    for path, value, wrong in spoilt(policy):
        done = send(server, json.dumps({"resourceManifest": obj, name: [wrong]}))
        assert done.status in statuses, (path, value, done.body)
        statuses[done.status] += 1
        said = done.json()
        assert said["error"] if done.status == 400 else isinstance(said["patch"], list)
    assert min(statuses.values()) > 0, statuses
    assert health(server, "/readyz")[0] == 200
