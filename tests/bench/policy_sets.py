# SPDX-License-Identifier: Apache-2.0
"""The policies of a scenario: the three of policies.yaml, or those of another file, and so many
more of one sort."""

import pathlib

FOLDER = pathlib.Path(__file__).parent
NAMESPACE = "shop"  # of the Pod in review.json


def elsewhere(count):
    """That match objects of other namespaces only."""
    return "".join(
        f"""---
apiVersion: mutations.gatekeeper.sh/v1
kind: Assign
metadata: {{name: other-{i}}}
spec:
  applyTo: [{{groups: [""], kinds: [Pod], versions: [v1]}}]
  match: {{namespaces: [team-{i}]}}
  location: spec.priorityClassName
  parameters: {{assign: {{value: team-{i}}}}}
"""
        for i in range(count)
    )


def annotating(count):
    """That all match, and each add an annotation."""
    return "".join(
        f"""---
apiVersion: mutations.gatekeeper.sh/v1
kind: AssignMetadata
metadata: {{name: note-{i}}}
spec:
  location: metadata.annotations.note-{i}
  parameters: {{assign: {{value: "{i}"}}}}
"""
        for i in range(count)
    )


def assigning(count):
    """That all match, and each set a field of one object."""
    return "".join(
        f"""---
apiVersion: mutations.gatekeeper.sh/v1
kind: Assign
metadata: {{name: node-{i}}}
spec:
  applyTo: [{{groups: [""], kinds: [Pod], versions: [v1]}}]
  location: spec.nodeSelector.node-{i}
  parameters: {{assign: {{value: "{i}"}}}}
"""
        for i in range(count)
    )


def _modrules(count, namespace, kind="Pod", more=""):
    """ModRules that do the same as those Assigns."""
    return "".join(
        f"""---
apiVersion: api.kubemod.io/v1beta1
kind: ModRule
metadata: {{name: node-{i}, namespace: {namespace.format(i)}}}
spec:
  type: Patch
  {more.format(i)}
  match: [{{select: $.kind, matchValue: {kind}}}]
  patch: [{{op: add, path: /spec/nodeSelector/node-{i}, value: '"{i}"'}}]
"""
        for i in range(count)
    )


def modrules(count):
    """That all match, and each set a field of one object."""
    return _modrules(count, NAMESPACE)


def modrules_elsewhere(count):
    """In other namespaces."""
    return _modrules(count, "team-{}")


def modrules_of_kinds(count):
    """For another kind, in the namespace."""
    return _modrules(count, NAMESPACE, kind="Deployment")


def modrules_by_name(count):
    """Of the cluster, for namespaces whose names have another text in them."""
    return _modrules(count, "kubemod-system", more="targetNamespaceRegex: ^team-{}$")


def _admission_policies(count, resources, fields=""):
    """MutatingAdmissionPolicies that each add an annotation, with their bindings."""
    group, resource = resources
    return "".join(
        f"""---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {{name: note-{i}}}
spec:
  matchConstraints:
    resourceRules:
    - {{apiGroups: [{group}], apiVersions: [v1], operations: [CREATE], resources: [{resource}]}}
    {fields.format(i)}
  failurePolicy: Fail
  reinvocationPolicy: IfNeeded
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: 'Object{{metadata: Object.metadata{{annotations: {{"note-{i}": "{i}"}}}}}}'
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {{name: note-{i}}}
spec: {{policyName: note-{i}}}
"""
        for i in range(count)
    )


PODS = ('""', "pods")


def admission_policies(count):
    """That all match."""
    return _admission_policies(count, PODS)


def admission_policies_of_kinds(count):
    """For another kind."""
    return _admission_policies(count, ("apps", "deployments"))


def admission_policies_elsewhere(count):
    """For other namespaces."""
    selector = "namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: team-{}}}}}"
    return _admission_policies(count, PODS, selector)


def _kyverno(count, kind, match=""):
    """ClusterPolicies of Kyverno that set the fields of those Assigns."""
    return "".join(
        f"""---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {{name: node-{i}}}
spec:
  rules:
  - name: node
    match: {{any: [{{resources: {{kinds: [{kind}]{match.format(i)}}}}}]}}
    mutate: {{patchStrategicMerge: {{spec: {{nodeSelector: {{node-{i}: "{i}"}}}}}}}}
"""
        for i in range(count)
    )


def kyverno(count):
    """That all match."""
    return _kyverno(count, "Pod")


def kyverno_of_kinds(count):
    """For another kind."""
    return _kyverno(count, "Deployment")


def kyverno_elsewhere(count):
    """For other namespaces."""
    return _kyverno(count, "Pod", ", namespaces: [team-{}]")


LINKS = 64


def chained(passes):
    """64 that copy a label each: so many of them one another's, in an order in which a pass
    gets but one link further."""
    made = []
    for i in range(LINKS):
        source = f"link-{i + 1:02d}" if i + 1 < passes else "team"
        made.append(
            f"""---
apiVersion: mutations.fixpoint.dev/v1alpha1
kind: AssignMetadata
metadata: {{name: link-{i:02d}}}
spec:
  location: metadata.labels.link-{i:02d}
  parameters: {{assign: {{fromObject: metadata.labels.{source}}}}}
"""
        )
    return "".join(made)


SORTS = {
    "elsewhere": elsewhere,
    "annotating": annotating,
    "assigning": assigning,
    "chained": chained,
    "modrules": modrules,
    "modrules elsewhere": modrules_elsewhere,
    "modrules of kinds": modrules_of_kinds,
    "modrules by name": modrules_by_name,
    "admission policies": admission_policies,
    "admission policies of kinds": admission_policies_of_kinds,
    "admission policies elsewhere": admission_policies_elsewhere,
    "kyverno": kyverno,
    "kyverno of kinds": kyverno_of_kinds,
    "kyverno elsewhere": kyverno_elsewhere,
}


def text(base, sort, count):
    """The file with `count` more policies of a sort."""
    return (FOLDER / base).read_text() + (SORTS[sort](count) if sort else "")
