# SPDX-License-Identifier: Apache-2.0
"""MutatingAdmissionPolicies in a cluster: policies, bindings and parameters that change, in our
own group and in that of API servers which do not run them themselves."""

import json
import subprocess

import pytest
from client import answer, ask, patch_of, review
from fixpoint_cluster import admission_policies, deployment, until
from fixpoint_cluster import definitions as installed
from policies import annotation
from process import command
from standin import faults
from standin.cluster import Cluster, Refused
from standin.definitions import ANYTHING, definition
from webhook_configurations import NAMESPACE

OWN, NATIVE = "policies.fixpoint.dev", "admissionregistration.k8s.io"
# group: the version, and the beginning of the names of resources
GROUPS = {OWN: ("v1alpha1", "fixpoint"), NATIVE: ("v1beta1", "")}
APIS = {OWN: "admission_policy", NATIVE: NATIVE}
STATUS = ("--operation", "mutation-webhook", "--operation", "mutation-status")
KIND = "MutatingAdmissionPolicy"
RULE = {
    "apiGroups": ["apps"],
    "apiVersions": ["v1"],
    "operations": ["CREATE", "UPDATE"],
    "resources": ["deployments"],
}
CONFIG_MAPS = {"apiVersion": "v1", "kind": "ConfigMap"}
OWNER = '{"owner": params.data.owner}'


def definitions(group):
    """Those of the chart; an API server has its own."""
    if group == OWN:
        return admission_policies()
    kinds = {KIND: "mutatingadmissionpolicies", KIND + "Binding": "mutatingadmissionpolicybindings"}
    return [
        definition(group, kind, ["v1beta1"], ANYTHING, plural) for kind, plural in kinds.items()
    ]


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path / "cluster")
    made.need_standin()
    made.define(*definitions(OWN), *definitions(NATIVE))
    made.define(*installed("assignmetadata.mutations.gatekeeper.sh"))
    yield made
    made.close()


class Of:
    """The policies of a group."""

    def __init__(self, group):
        self.group = group
        self.version, prefix = GROUPS[group]
        self.resource = "%smutatingadmissionpolicies.%s" % (prefix, group)
        self.bindings = "%smutatingadmissionpolicybindings.%s" % (prefix, group)

    def start(self, fixture, *args, apis=None, register=False):
        """A replica that watches the group."""
        replica = fixture.start("--apis", apis or APIS[self.group], *args, ready=False)
        replica.wait_ready()
        if register:
            fixture.register(replica.port, replica.ca)
        return replica

    def _make(self, kind, name, spec):
        api = "%s/%s" % (self.group, self.version)
        return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": spec}

    def policy(self, name="owner", annotations=OWNER, params=True, **spec):
        """Sets annotations of Deployments: those of a map in CEL."""
        configuration = "Object{metadata: Object.metadata{annotations: %s}}" % annotations
        mutation = {
            "patchType": "ApplyConfiguration",
            "applyConfiguration": {"expression": configuration},
        }
        spec = {
            "matchConstraints": {"resourceRules": [RULE]},
            "mutations": [mutation],
            "reinvocationPolicy": "IfNeeded",
            **({"paramKind": CONFIG_MAPS} if params else {}),
            **spec,
        }
        return self._make(KIND, name, spec)

    def binding(
        self, name="here", to="owner", param="owners", selector=None, namespace=NAMESPACE,
        missing="Deny", **spec,
    ):  # fmt: skip
        """With a parameter in the namespace of the tests, unless the caller says otherwise."""
        ref = {"parameterNotFoundAction": missing}
        ref.update({"selector": selector} if selector else {"name": param})
        ref.update({"namespace": namespace} if namespace else {})
        return self._make(KIND + "Binding", name, {"policyName": to, "paramRef": ref, **spec})

    def entries(self, fixture, name="owner"):
        """The status of a policy: what each replica says."""
        return fixture.cluster.get(self.resource, name).get("status", {}).get("byPod", [])

    def of_binding(self, fixture, name="here"):
        """What the one replica says of a binding: (enforced, parameters, error)."""
        entries = fixture.cluster.get(self.bindings, name).get("status", {}).get("byPod", [])
        if not entries:
            return None
        (one,) = entries
        names = one.get("parameters", [])
        assert one.get("parametersFound", 0) >= len(names)
        found = names if one.get("parametersFound") == len(names) else one.get("parametersFound")
        errors = [error["message"] for error in one.get("errors", [])]
        assert len(errors) <= 1 and one.get("enforced", False) == (errors == [])
        return one.get("enforced", False), found, (errors or [None])[0]

    def errors(self, fixture, name="owner"):
        found = [one.get("errors", []) for one in self.entries(fixture, name)]
        return [error["message"] for errors in found for error in errors]


@pytest.fixture(params=GROUPS)
def of(request):
    return Of(request.param)


def config_map(name="owners", namespace=NAMESPACE, labels=None, **data):
    metadata = {"name": name, "namespace": namespace, "labels": labels or {}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def outcome(fixture, namespace=NAMESPACE):
    """The annotations of a Deployment that were created now, or the refusal."""
    try:
        return fixture.annotations(namespace)
    except Refused as refusal:
        return refusal.message


def test_policy_binding_and_parameter_change(fixture, of):
    """Whatever of the three is applied, changed or deleted, the next object shows it."""
    fixture.put(of.policy(), of.binding(missing="Allow"), config_map(owner="ann"))
    of.start(fixture, register=True)
    assert fixture.annotations() == {"owner": "ann"}, "with its parameter from the first review on"
    fixture.put(config_map(owner="ben"))
    fixture.expect(owner="ben")
    fixture.put(of.policy(annotations='{"owner": params.data.owner, "by": dyn("map")}'))
    fixture.expect(owner="ben", by="map")
    others = {"matchLabels": {"app": "other"}}
    fixture.put(of.binding(missing="Allow", matchResources={"objectSelector": others}))
    fixture.expect()
    fixture.put(of.binding(missing="Allow"))
    fixture.expect(owner="ben", by="map")
    fixture.drop(config_map())
    fixture.expect()
    fixture.put(config_map(owner="eve"))
    fixture.expect(owner="eve", by="map")
    fixture.drop(of.binding())
    fixture.expect()
    fixture.put(config_map("others", owner="oli"), of.binding(name="there", param="others"))
    fixture.expect(owner="oli", by="map")
    fixture.drop(of.policy())
    fixture.expect()


def test_a_missing_parameter(fixture, of):
    """Deny is a failure, which failurePolicy decides about; Allow skips the binding."""
    fixture.put(of.policy(), of.binding())
    of.start(fixture, register=True)
    refusal = outcome(fixture)
    assert "policy 'owner' with binding 'here' denied request: " in refusal, refusal
    assert "no params found for policy binding with `Deny` parameterNotFoundAction" in refusal
    fixture.put(of.policy(failurePolicy="Ignore"))
    until(lambda: outcome(fixture), {})
    fixture.put(of.policy())
    until(lambda: outcome(fixture), refusal)
    fixture.put(of.binding(missing="Allow"))
    until(lambda: outcome(fixture), {})
    fixture.put(config_map(owner="ann"))
    fixture.expect(owner="ann")


def test_parameters_by_selector(fixture, of):
    """The policy runs once for each object, as objects get and lose their labels."""
    blue = {"team": "blue"}
    each = "{params.metadata.name: params.data.owner}"
    fixture.put(of.policy(annotations=each), of.binding(selector={"matchLabels": blue}))
    fixture.put(config_map("one", labels=blue, owner="ann"), config_map("two", owner="ben"))
    of.start(fixture, register=True)
    assert fixture.annotations() == {"one": "ann"}
    fixture.put(config_map("two", labels=blue, owner="ben"))
    fixture.expect(one="ann", two="ben")
    fixture.put(config_map("one", labels={"team": "red"}, owner="ann"))
    fixture.expect(two="ben")


def test_parameters_of_the_namespace_of_the_object(fixture, of):
    first, second, third = (fixture.namespace() for _ in range(3))
    fixture.put(config_map(namespace=first, owner="ann"), config_map(namespace=second, owner="ben"))
    fixture.put(of.policy(), of.binding(namespace=None))
    of.start(fixture, register=True)
    assert fixture.annotations(first) == {"owner": "ann"}
    assert fixture.annotations(second) == {"owner": "ben"}
    assert "no params found" in outcome(fixture, third)
    fixture.put(config_map(namespace=third, owner="eve"))
    until(lambda: outcome(fixture, third), {"owner": "eve"})
    assert fixture.annotations(first) == {"owner": "ann"}


def may_update():
    """A condition: the user may update Deployments of the tests' namespace."""
    asked = 'authorizer.group("apps").resource("deployments").namespace("%s")' % NAMESPACE
    return [{"name": "may", "expression": asked + '.check("update").allowed()'}]


def patched(server, user):
    return patch_of(answer(ask(server, review(deployment("probe"), username=user)))) is not None


def questions(fixture):
    return [
        one for one in list(fixture.cluster.standin.log)
        if one.user == "fixpoint" and one.resource == "subjectaccessreviews"
    ]  # fmt: skip


def test_an_access_review(fixture, of):
    fixture.cluster.standin.grant("alice", ["update"], ["deployments"], group="apps", namespace=NAMESPACE)
    conditions = {"params": False, "matchConditions": may_update()}
    fixture.put(of.policy(annotations='{"by": "map"}', **conditions), of.binding())
    replica = of.start(fixture)
    assert not patched(replica, "bob")
    assert patched(replica, "alice")
    assert len(questions(fixture)) == 2
    assert patched(replica, "alice") and not patched(replica, "bob")
    assert len(questions(fixture)) == 2, "the answers are kept"


def stored(fixture, of, folder):
    """The policies as the API server returns them, in a file for the command line."""
    bindings = of.resource.replace("policies.", "policybindings.", 1)
    found = [
        fixture.cluster.get(of.resource, "copy", version=of.version),
        fixture.cluster.get(bindings, "copy", version=of.version),
        fixture.cluster.get("assignmetadata.mutations.gatekeeper.sh", "team"),
    ]  # fmt: skip
    path = folder / "policies.yaml"
    path.write_text("\n---\n".join(json.dumps(one) for one in found))
    return path


def explained(policies, folder):
    """The report on a Deployment under these policies: the values of each annotation, with the
    mutators and what they read."""
    manifest = folder / "deployment.yaml"
    manifest.write_text(json.dumps(deployment("probe")))
    done = subprocess.run(
        [*command(), "explain", "-o", "json", "-p", str(policies), "-f", str(manifest)],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert report["result"] == "changed", report
    return {
        field["path"]: [
            (
                step["value"], step["mutator"],
                [read["name"] for cause in step.get("causes", []) for read in cause["reads"]],
            )
            for step in field["steps"]
        ]
        for field in report["fields"]
    }  # fmt: skip


def test_two_dialects_on_one_object(fixture, of, tmp_path):
    """Each sees what the other has made, whichever comes first in a pass; the report on the
    stored policies names both."""
    seen = "has(object.metadata.annotations) && 'team' in object.metadata.annotations"
    seen = [{"name": "seen", "expression": seen}]
    copies = '{"copied": object.metadata.annotations.team}'
    fixture.put(annotation("team", "team", "blue"))
    fixture.put(
        of.policy("copy", annotations=copies, params=False, matchConditions=seen),
        of.binding("copy", to="copy"),
    )
    replica = of.start(fixture, apis="gatekeeper," + APIS[of.group], register=True)
    assert fixture.annotations() == {"team": "blue", "copied": "blue"}
    assert replica.state("assignmetadata.mutations.gatekeeper.sh") == "watching"
    assert explained(stored(fixture, of, tmp_path), tmp_path) == {
        "metadata.annotations.team": [("blue", "AssignMetadata/team", [])],
        "metadata.annotations.copied": [
            ("blue", KIND + "/copy:copy", ["object.metadata.annotations.team"])
        ],
    }
    fixture.put(annotation("team", "team", "red"))
    fixture.expect(team="red", copied="red")
    fixture.put(of.policy("copy", annotations='{"team": "green"}', params=False))
    fixture.expect(team="green")


def test_explain_names_both_dialects(fixture, of, tmp_path):
    """What the cluster has, exported and tried on the object that it changed."""
    mutator = annotation("team", "team", "blue")
    seen = [{"name": "seen", "expression": "has(object.metadata.annotations)"}]
    fixture.put(
        mutator,
        of.policy(annotations='{"owner": object.metadata.annotations.team}', params=False,
                  matchConditions=seen),
        of.binding(),
    )  # fmt: skip
    of.start(fixture, apis="gatekeeper," + APIS[of.group], register=True)
    assert fixture.annotations() == {"team": "blue", "owner": "blue"}
    exported = [
        fixture.cluster.get(resource, name, version=version)
        for resource, name, version in (
            ("assignmetadata.mutations.gatekeeper.sh", "team", "v1"),
            (of.resource, "owner", of.version),
            (of.bindings, "here", of.version),
        )
    ]
    policies, given = tmp_path / "policies.json", tmp_path / "object.json"
    policies.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": exported}))
    given.write_text(json.dumps(deployment("probe")))
    done = subprocess.run(
        [*command(), "explain", "-p", policies, "-f", given],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    changes = done.stdout
    assert "AssignMetadata.mutations.gatekeeper.sh /team" in changes or "AssignMetadata/team" in changes
    assert "%s/owner" % KIND in changes, changes
    for name in ("team", "owner"):
        assert "metadata.annotations.%s" % name in changes, changes


def test_an_invalid_change_keeps_the_previous_version(fixture, of):
    fixture.put(of.policy(params=False, annotations='{"by": "first"}'), of.binding())
    replica = of.start(fixture, register=True)
    before = replica.log.position()
    fixture.put(of.policy(params=False, annotations='{"by": request.userInfo.nope}'))
    until(lambda: "the previous version stays active" in replica.log.text()[before:], True)
    assert fixture.annotations() == {"by": "first"}
    fixture.put(of.policy(params=False, annotations='{"by": "second"}'))
    fixture.expect(by="second")


def test_parameters_of_a_kind_that_comes_and_goes(fixture):
    """Any kind may be that of the parameters, also one whose definition is not there yet."""
    of = Of(OWN)
    limit = {
        "apiVersion": "example.com/v1", "kind": "Limit",
        "metadata": {"name": "owners", "namespace": NAMESPACE}, "spec": {"owner": "ann"},
    }  # fmt: skip
    kind = {"apiVersion": "example.com/v1", "kind": "Limit"}
    fixture.put(of.policy(annotations='{"owner": params.spec.owner}', paramKind=kind), of.binding())
    of.start(fixture, *STATUS, register=True)
    refusal = "failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'"
    assert refusal in outcome(fixture)
    until(lambda: of.of_binding(fixture), lambda got: got and "cannot be read" in got[2])
    fixture.define(definition("example.com", "Limit", ["v1"], ANYTHING, "limits", scope="Namespaced"))
    until(lambda: outcome(fixture), lambda got: "no params found" in got, within=40)
    fixture.put(limit)
    until(lambda: outcome(fixture), {"owner": "ann"})
    until(lambda: of.of_binding(fixture), (True, [NAMESPACE + "/owners"], None))


def test_policies_of_api_servers_only_if_they_are_named(fixture):
    """Else each would run twice."""
    for group in GROUPS:
        some = Of(group)
        word = '{"%s": "map"}' % some.group.partition(".")[0]
        fixture.put(some.policy(annotations=word, params=False), some.binding())
    replica = Of(OWN).start(fixture, register=True)
    assert fixture.annotations() == {"policies": "map"}
    assert not any(
        one.group == NATIVE and one.resource.startswith("mutatingadmission")
        for one in list(fixture.cluster.standin.log) if one.user == "fixpoint"
    )  # fmt: skip
    assert replica.stop() == 0
    by_default = fixture.start(register=True)
    assert fixture.annotations() == {"policies": "map"}
    resources = {dict(labels).get("resource") for _, labels in by_default.metrics()}
    assert not [one for one in resources if one and one.endswith("policies." + NATIVE)]
    assert by_default.stop() == 0
    fixture.start("--apis", ",".join(APIS.values()), register=True)
    assert fixture.annotations() == {"policies": "map", "admissionregistration": "map"}


def test_what_the_status_says(fixture):
    """Of our own group; an API server's own status is not ours."""
    of = Of(OWN)
    fixture.put(of.policy("wrong", annotations="params +"), of.binding(to="wrong"))
    plain = {"params": False, "annotations": '{"a": "b"}'}
    fixture.put(of.policy("unbound", **plain))
    fixture.put(of.policy("fine", **plain), of.binding("fine", to="fine"))
    of.start(fixture, *STATUS)
    until(lambda: len(of.errors(fixture, "wrong")), 1)
    assert not of.entries(fixture, "wrong")[0].get("enforced", False)
    assert "spec.mutations[0].applyConfiguration.expression" in of.errors(fixture, "wrong")[0]
    for name in ("fine", "unbound"):
        until(lambda: [one.get("enforced") for one in of.entries(fixture, name)], [True])
        assert of.errors(fixture, name) == []


NOBODY = "failed to configure binding: no params found for policy binding with `Deny` "
NOBODY += "parameterNotFoundAction"


def test_what_the_status_of_a_binding_says(fixture):
    """Is its policy there, and which parameters are?"""
    of = Of(OWN)
    blue = {"matchLabels": {"team": "blue"}}
    several = [config_map("one-%02d" % i, labels={"team": "blue"}) for i in range(12)]
    fixture.put(of.binding(), of.binding("maybe", missing="Allow"), *several)
    fixture.put(of.binding("all", selector=blue), of.binding("plain", to="plain"))
    of.start(fixture, *STATUS)
    for name, to in (("here", "owner"), ("plain", "plain")):
        wanted = (False, None, "there is no valid %s `%s`" % (KIND, to))
        until(lambda name=name: of.of_binding(fixture, name), wanted)
    fixture.put(of.policy(), of.policy("plain", params=False, annotations='{"a": "b"}'))
    until(lambda: of.of_binding(fixture), (False, [], NOBODY))
    until(lambda: of.of_binding(fixture, "maybe"), (True, [], None))
    until(lambda: of.of_binding(fixture, "plain"), (True, None, None))
    until(lambda: of.of_binding(fixture, "all"), (True, 12, None))
    fixture.put(config_map(owner="ann"))
    for name in ("here", "maybe"):
        wanted = (True, [NAMESPACE + "/owners"], None)
        until(lambda name=name: of.of_binding(fixture, name), wanted)
    for one in several[2:]:
        fixture.drop(one)
    names = ["%s/one-%02d" % (NAMESPACE, i) for i in range(2)]
    until(lambda: of.of_binding(fixture, "all"), (True, names, None))
    fixture.put(of.policy(annotations="params +"))
    until(lambda: len(of.errors(fixture)), 1)
    assert of.of_binding(fixture)[0], "the previous version of the policy stays active"
    fixture.drop(of.policy())
    until(lambda: of.of_binding(fixture), (False, None, "there is no valid %s `owner`" % KIND))


def test_parameters_that_must_not_be_read(fixture):
    """The status says which rule of RBAC is missing, and requests are denied until it is there."""
    of, standin = Of(OWN), fixture.cluster.standin
    rule = standin.faults.add(
        faults.answer(403, "no"), verb="list", resource="configmaps", user="fixpoint"
    )
    fixture.put(of.policy(), of.binding(), config_map(owner="ann"))
    of.start(fixture, *STATUS, register=True)
    until(lambda: len(of.errors(fixture)), 1)
    wanted = 'the ClusterRole needs apiGroups [""], resources ["configmaps"], '
    assert of.errors(fixture)[0].endswith(wanted + 'verbs ["list","watch"]')
    until(lambda: of.of_binding(fixture), lambda got: got and got[2] == of.errors(fixture)[0])
    assert "failed to find resource referenced by paramKind" in outcome(fixture)
    standin.faults.remove(rule)
    until(lambda: outcome(fixture), {"owner": "ann"}, within=40)
    until(lambda: of.errors(fixture), [])


def type_warnings(fixture, of, name="owner"):
    """The warnings in the status of a policy; None: its types were not checked yet."""
    status = fixture.cluster.get(of.resource, name).get("status", {})
    generation = fixture.cluster.get(of.resource, name)["metadata"]["generation"]
    if status.get("observedGeneration") != generation:
        return None
    return [
        (one["fieldRef"], one["warning"])
        for one in status["typeChecking"].get("expressionWarnings", [])
    ]


def patch(expression):
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}


NOTHING = '[JSONPatch{op: "test", path: "/kind", value: "Mouse"}]'
FEW = 'object.spec.%s > 3 ? [JSONPatch{op: "replace", path: "/spec/replicas", value: 3}] : []'


def test_types_in_status(fixture):
    """An expression that reads a field which its kind does not have: the status says so until it
    is corrected. The policy is active all the same."""
    of = Of(OWN)
    fixture.cluster.apply(
        of.policy(params=False, mutations=[patch(FEW % "replicsa")], failurePolicy="Ignore")
    )
    replica = of.start(fixture, *STATUS)
    fixture.cluster.apply(of._make(KIND + "Binding", "here", {"policyName": "owner"}))
    expected = (
        "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replicsa'\n"
        " | " + FEW % "replicsa" + "\n | ...........^"
    )
    found = until(lambda: type_warnings(fixture, of), lambda got: got is not None)
    assert found == [("spec.mutations[0].jsonPatch.expression", expected)]
    until(lambda: [one.get("enforced") for one in of.entries(fixture)], [True])

    fixture.cluster.apply(of.policy(params=False, mutations=[patch(FEW % "replicas")]))
    until(lambda: type_warnings(fixture, of), [])
    assert replica.process.poll() is None


def test_types_of_custom_resources(fixture):
    """The type of a custom resource comes from the API server's documents, its plural, too."""
    of = Of(OWN)
    spec = {"type": "object", "properties": {"size": {"type": "integer"}}}
    fixture.cluster.define(definition("example.com", "Mouse", ["v1"], spec, "mice"))
    rule = {**RULE, "apiGroups": ["example.com"], "resources": ["mice"]}
    fixture.cluster.apply(
        of.policy(
            params=False,
            matchConstraints={"resourceRules": [rule]},
            matchConditions=[{"name": "big", "expression": "object.spec.size > 3"}],
            variables=[{"name": "wide", "expression": 'object.spec.size == "wide"'}],
            mutations=[patch("variables.wide && object.spec.sise == 1 ? %s : %s" % (2 * (NOTHING,)))],
        )
    )
    of.start(fixture, *STATUS)
    fields = ["spec.variables[0].expression", "spec.mutations[0].jsonPatch.expression"]
    found = until(lambda: type_warnings(fixture, of), lambda got: got is not None)
    assert [field for field, _ in found] == fields
    assert all(text.startswith("example.com/v1, Kind=Mouse: ERROR: ") for _, text in found)
    assert "no matching overload for '_==_' applied to '(int, string)'" in found[0][1]
    assert "undefined field 'sise'" in found[1][1]
