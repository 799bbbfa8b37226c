# SPDX-License-Identifier: Apache-2.0
"""Policies of all four languages on one object, in one loop."""

import copy
import json
import subprocess

import jsonpatch
from client import answer, ask, patch_of, pod, review
from policies import apply_to, assign
from process import command
from test_kubemod_webhooks import modrule

PODS = [
    {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["pods"],
    }
]


def admission_policy(name, expression, **spec):
    """A MutatingAdmissionPolicy that applies a configuration, and its binding."""
    group = "admissionregistration.k8s.io/v1"
    spec.setdefault("reinvocationPolicy", "IfNeeded")
    mutation = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}
    spec.update(matchConstraints={"resourceRules": PODS}, mutations=[mutation])
    policy = {"apiVersion": group, "kind": "MutatingAdmissionPolicy", "spec": spec}
    binding = {"apiVersion": group, "kind": "MutatingAdmissionPolicyBinding"}
    binding["spec"] = {"policyName": name}
    return [dict(one, metadata={"name": name}) for one in (policy, binding)]


def cluster_policy(name, patch, **rule):
    """A ClusterPolicy of Kyverno with one rule."""
    rule.update(
        name="rule",
        match={"any": [{"resources": {"kinds": ["Pod"]}}]},
        mutate={"patchStrategicMerge": patch},
    )
    return {
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": name},
        "spec": {"rules": [rule]},
    }


def chain():
    """Each takes what the one before it wrote; the first one's answer depends on the last one's,
    so a second pass is needed."""
    label = 'Object{metadata: Object.metadata{labels: {"%s": %s}}}'
    last = 'has(object.metadata.labels) && "kyverno" in object.metadata.labels ? "%s" : "%s"'
    by_kubemod = modrule(
        "rule",
        type="Patch",
        match=[{"select": "$.spec.hostname", "matchValue": "assigned"}],
        patch=[
            {
                "op": "add",
                "path": "/metadata/labels/modrule",
                "value": "of-{{ .Target.spec.hostname }}",
            }
        ],
    )
    by_kyverno = cluster_policy(
        "policy",
        {"metadata": {"labels": {"kyverno": "{{ request.object.metadata.labels.modrule }}"}}},
        preconditions={
            "all": [
                {
                    "key": "{{ request.object.metadata.labels.modrule || '' }}",
                    "operator": "Equals",
                    "value": "of-*",
                }
            ]
        },
    )
    return [
        *admission_policy("cel", label % ("cel", last % ("last", "first"))),
        assign("assign", "spec.hostname", "assigned"),
        by_kubemod,
        by_kyverno,
    ]


LABELS = {"cel": "last", "modrule": "of-assigned", "kyverno": "of-assigned"}
MEMBERS = (
    "MutatingAdmissionPolicy/cel:cel",
    "Assign/assign",
    "ModRule/shop/rule",
    "ClusterPolicy/policy:rule",
)


def test_one_object_one_loop(start):
    server = start(*chain())
    before = pod()
    reviewed = answer(ask(server, review(before)))
    after = jsonpatch.apply(before, patch_of(reviewed))
    expected = copy.deepcopy(before)
    expected["metadata"]["labels"] = LABELS
    expected["spec"]["hostname"] = "assigned"
    assert after == expected
    line = server.log.wait("review changed")
    assert line["mutators"] == ", ".join(MEMBERS) and line["iterations"] == 3
    again = answer(ask(server, review(after, operation="UPDATE")))
    assert again["allowed"] is True and patch_of(again) is None


def run(tmp_path, policies, *args):
    for name, content in (("policies", policies), ("pod", [pod()])):
        listed = {"apiVersion": "v1", "kind": "List", "items": content}
        (tmp_path / (name + ".json")).write_text(json.dumps(listed))
    return subprocess.run(
        [*command(), *args, "-p", tmp_path / "policies.json", "-f", tmp_path / "pod.json"],
        capture_output=True,
        text=True,
        check=False,
    )


def test_explain_names_each_step(tmp_path):
    done = run(tmp_path, chain(), "explain", "-o", "json")
    assert done.returncode == 0, done.stderr
    for member in MEMBERS:
        assert member in done.stdout, member


def test_a_cycle_is_named_with_its_members(start, tmp_path):
    """A policy in CEL appends to what a mutator of Fixpoint's own copies back to it."""
    expression = (
        'Object{metadata: Object.metadata{labels: {"a": "x" + object.spec.?hostname.orValue("")}}}'
    )
    copies = {
        "apiVersion": "mutations.fixpoint.dev/v1alpha1",
        "kind": "Assign",
        "metadata": {"name": "copy"},
        "spec": {
            "applyTo": apply_to("Pod"),
            "location": "spec.hostname",
            "parameters": {"assign": {"fromObject": "metadata.labels.a"}},
        },
    }
    policies = [
        *admission_policy("grow", expression),
        copies,
        cluster_policy("owner", {"metadata": {"labels": {"owner": "platform"}}}),
    ]
    server = start(*policies)
    reviewed = answer(ask(server, review(pod())))
    assert reviewed["allowed"] is False
    assert "not converging" in reviewed["status"]["message"]
    members = server.log.wait("review failed")["cycle"]
    assert members == (
        "MutatingAdmissionPolicy/grow:grow /metadata/labels/a, Assign/copy /spec/hostname"
    )
    done = run(tmp_path, policies, "explain")
    _, _, report = done.stdout.partition("the cycle, the shortest first")
    cycle, _, _ = report.partition("did not act")
    assert "MutatingAdmissionPolicy/grow:grow" in cycle and "Assign/copy" in cycle
    assert "ClusterPolicy" not in cycle
