#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries the examples of the documentation of Kubernetes about MutatingAdmissionPolicy, as they
are printed there and with the corrections that docs/admission-policy.md names.

    upstream.py FIXPOINT FOLDER

FOLDER has the pages as texts. They are not part of the repository: without the folder there is
nothing to try."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

PAGE, PROPOSAL = "mutating-admission-policy.txt", "kep-3962-mutating-admission-policies.txt"
BEGINS = re.compile(r"(?:# .*\n)?apiVersion: |kind: |[a-z]\w+:\n|"
                    r" *(?:Object(?:\.\w+)*\{|JSONPatch\{|\[\n)")

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "default"},
       "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]}}
STARTED = {**POD, "spec": {**POD["spec"], "initContainers": [{"name": "first", "image": "a:1"}]}}
NOTED = {**POD, "metadata": {**POD["metadata"], "labels": {"a": "b"},
                             "annotations": {"annotation-to-unset": "x", "some-annotation": "y"}}}
MOUNTS = {**POD, "spec": {"volumes": [{"name": "a", "emptyDir": {}}], "containers": [
    {"name": "web", "image": "a:1", "volumeMounts": [{"name": "b", "mountPath": "/b"}]}]}}
CLAIM = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": POD["metadata"],
         "spec": {"accessModes": ["ReadWriteOnce"]}}
INGRESS = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": POD["metadata"],
           "spec": {"defaultBackend": {"service": {"name": "a", "port": {"number": 80}}}}}
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": POD["metadata"],
              "spec": {"selector": {"matchLabels": {"a": "b"}},
                       "template": {"metadata": {"labels": {"a": "b"}}, "spec": POD["spec"]}}}
CUSTOM = {"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": POD["metadata"],
          "spec": {"example": "Red"}}
SIDECAR = {"apiVersion": "mutations.example.com/v1", "kind": "Sidecar",
           "metadata": {"name": "meshproxy-test.example.com", "namespace": "default"},
           "spec": {}, "name": "proxy", "image": "proxy:1", "restartPolicy": "Always",
           "args": ["x"], "defaultPriorityClass": "low", "foo": "bar", "addFields": {"name": "a"}}


def examples(path):
    """What begins like an example, as far as the next empty line."""
    parts = [part.strip("\n") for part in re.split(r"\n[ \t]*\n", path.read_text("utf-8"))]
    return [part for part in parts if BEGINS.match(part)]


def policy_of(spec):
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy",
            "metadata": {"name": "sidecar-policy.example.com"}, "spec": {
                "matchConstraints": {"resourceRules": [
                    {"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"],
                     "operations": ["CREATE"]}]},
                "paramKind": {"apiVersion": "mutations.example.com/v1", "kind": "Sidecar"},
                "reinvocationPolicy": "Never", **spec}}


MEMBERS = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}


def mutation_of(text):
    name = "ApplyConfiguration" if text.lstrip().startswith("Object") else "JSONPatch"
    return {"patchType": name, MEMBERS[name]: {"expression": text}}


def wrapped(text):
    """The policy that an example is, or is part of."""
    if text.lstrip().startswith(("Object", "JSONPatch", "[")):
        return policy_of({"mutations": [mutation_of(text)]})
    part = yaml.safe_load(text)
    return part if "apiVersion" in part else policy_of(part)


def in_present_form(policy):
    """The forms of the proposal became others."""
    kind = policy["spec"].get("paramKind", {})
    if "group" in kind:
        kind["apiVersion"] = f"{kind.pop('group')}/{kind.pop('version')}"
    for mutation in policy["spec"]["mutations"]:
        if "expression" in mutation:
            mutation[MEMBERS[mutation["patchType"]]] = {"expression": mutation.pop("expression")}
    return policy


# Corrections: what is printed, and what works.
GROUP = (r'\["apps"\]', '[""]')
PRESENT = (r"object\.spec\.initContainers\.exists",
           "object.spec.?initContainers.orValue([]).exists")
NO_ARGS = (r"\n *args: .*", "")
ITEM = (r"\.item\{", "{")
AS_LIST = (r"(?s)(JSONPatch\{.*\})", r"[\1]")
COMMENT = (r'("ApplyConfiguration") //.*', r"\1")
NO_COMMENT = (r"\n *//.*", "")
POD_SPEC = [(r"template\.containers", "template.spec.containers"),
            (r"containers: (variables\.\w+)",
             r"spec: Object.spec.template.spec{containers: \1}")]
# Objects of the configuration cannot be made in variables, and are needed for what is nested.
OBJECTS = [(r', "env": \{[^}]*\}', ""),
           (r"variables\.transformedContainers", """variables.targetContainers.map(c,
                  Object.spec.template.spec.containers{name: c.name, env: [
                      Object.spec.template.spec.containers.env{name: "FOO", value: "foo"}]})""")]
NAMES = [(r"volumeMountsList\.filter", "variables.volumeMountsList.flatten().filter"),
         (r"in volumesList", "in variables.volumesList"),
         (r"map\(v, \{", "map(v, Object.spec.volumes{")]
RESOURCES = [(r"\{\s*name: c", "Object.spec.containers{name: c"),
             (r"\{#.*\}", 'Object.spec.containers.resources{requests: {"cpu": "50m"}}'),
             (r"\}(\s*\}\s*\}\s*)$", r"})\1")]
CLOSED = (r"\}\s*$", "}}")
FORM = in_present_form

# (page, number of the example, corrections, object, what is printed: the new parts as a patch,
# or a part of the message)
CASES = [
    (PAGE, 0, [], POD, "unchanged"),
    (PAGE, 0, [GROUP], POD, "no such key: initContainers"),
    (PAGE, 0, [GROUP], STARTED, "may not mutate atomic arrays"),
    (PAGE, 0, [GROUP, PRESENT, NO_ARGS], POD, "/spec/initContainers"),
    (PAGE, 0, [GROUP, NO_ARGS], STARTED, "/spec/initContainers/1"),
    (PAGE, 2, [], POD, "no such key: initContainers"),
    (PAGE, 2, [PRESENT], POD, 'doc is missing path: "/spec/initContainers/-"'),
    (PAGE, 2, [], STARTED, "/spec/initContainers/1"),
    (PAGE, 3, [], CUSTOM, "Green"),
    (PAGE, 3, [], POD, "unchanged"),
    (PAGE, 4, [], DEPLOYMENT, "test"),
    (PAGE, 5, [], POD, 'doc is missing path: "/metadata/labels/example.com~1environment"'),
    (PAGE, 5, [], NOTED, "/metadata/labels/example.com~1environment"),
    (PROPOSAL, 0, [], STARTED, "did not find expected key"),
    (PROPOSAL, 0, [COMMENT, GROUP], STARTED, "spec.paramKind.apiVersion: Required value"),
    (PROPOSAL, 0, [COMMENT, GROUP, FORM], STARTED, "may not mutate atomic arrays"),
    (PROPOSAL, 0, [COMMENT, GROUP, NO_ARGS, FORM], STARTED, "/spec/initContainers/1"),
    (PROPOSAL, 1, [], STARTED, "spec.mutations[0].jsonPatch: Required value"),
    (PROPOSAL, 1, [GROUP, FORM], STARTED, "Syntax error"),
    (PROPOSAL, 1, [GROUP, CLOSED, FORM], STARTED, "must evaluate to list(JSONPatch) but got"),
    (PROPOSAL, 1, [GROUP, CLOSED, AS_LIST, FORM], STARTED, "/spec/initContainers/1"),
    (PROPOSAL, 5, [], POD, 'unexpected type name "Object.spec.containers.item"'),
    (PROPOSAL, 5, [ITEM], POD, "imagePullPolicy"),
    (PROPOSAL, 6, [], POD, "spec.matchConstraints: Required value"),
    (PROPOSAL, 7, [], DEPLOYMENT, "applyConfiguration: Required value"),
    (PROPOSAL, 7, [FORM], DEPLOYMENT, "expected type 'dyn' but found 'map(string, string)'"),
    (PROPOSAL, 7, [*POD_SPEC, *OBJECTS, FORM], DEPLOYMENT, "/env"),
    (PROPOSAL, 8, [], DEPLOYMENT, "did not find expected key"),
    (PROPOSAL, 9, [], POD, "Syntax error"),
    (PROPOSAL, 10, [], POD, 'unexpected type name "Object.spec.containers.item"'),
    (PROPOSAL, 10, [ITEM, NO_COMMENT], POD, "imagePullPolicy"),
    (PROPOSAL, 11, [], INGRESS, "applyConfiguration: Required value"),
    (PROPOSAL, 11, [FORM], INGRESS, "/spec/ingressClassName"),
    (PROPOSAL, 12, [FORM], CLAIM, "/spec/storageClassName"),
    (PROPOSAL, 13, [FORM], MOUNTS, "undeclared reference"),
    (PROPOSAL, 13, [*NAMES, FORM], MOUNTS, "/spec/volumes"),
    (PROPOSAL, 14, [FORM], POD, "Syntax error"),
    (PROPOSAL, 14, [*RESOURCES, FORM], POD, "/spec/containers/0/resources"),
    (PROPOSAL, 15, [FORM], POD, "/spec/priorityClassName"),
    (PROPOSAL, 16, [], STARTED, "may not mutate atomic arrays"),
    (PROPOSAL, 16, [NO_ARGS], STARTED, "/spec/initContainers/0"),
    (PROPOSAL, 17, [], NOTED, "must evaluate to list(JSONPatch) but got JSONPatch"),
    (PROPOSAL, 17, [AS_LIST], NOTED, "/metadata/annotations/annotation-to-unset"),
    (PROPOSAL, 18, [], NOTED, "Syntax error"),
]


def corrected(text, corrections):
    for one in corrections:
        if not callable(one):
            text, n = re.subn(*one, text)
            assert n, f"nothing to correct: {one[0]}"
    policy = wrapped(text)
    return in_present_form(policy) if FORM in corrections else policy


def tried(binary, text, corrections, given):
    """What the program prints for the example and the object."""
    try:
        policy = corrected(text, corrections)
    except yaml.YAMLError:
        policy = None
    with tempfile.TemporaryDirectory() as folder:
        name = "sidecar-policy.example.com"
        binding = {"apiVersion": "admissionregistration.k8s.io/v1",
                   "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "all"},
                   "spec": {"policyName": name, "paramRef": {
                       "name": SIDECAR["metadata"]["name"], "namespace": "default"}}}
        parts = [text if policy is None else json.dumps(policy), json.dumps(binding),
                 json.dumps(SIDECAR)]
        (Path(folder) / "policy.yaml").write_text("\n---\n".join(parts), "utf-8")
        (Path(folder) / "object.yaml").write_text(json.dumps(given), "utf-8")
        run = subprocess.run([binary, "apply", "-p", "policy.yaml", "-f", "object.yaml",
                              "-o", "patch"], cwd=folder, text=True, capture_output=True,
                             check=False)
    return "unchanged" if run.stdout == "[]\n" else run.stdout + run.stderr


def main():
    binary, folder = sys.argv[1], Path(sys.argv[2])
    pages = {name: examples(folder / name) for name in (PAGE, PROPOSAL)}
    faults = 0
    for page, number, corrections, given, expected in CASES:
        printed = tried(str(Path(binary).resolve()), pages[page][number], corrections, given)
        if expected not in printed:
            print(f"{page} {number} {corrections}\n  expected: {expected}\n  printed: {printed}")
            faults += 1
    print(f"{len(CASES)} examples, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
