# SPDX-License-Identifier: Apache-2.0
"""MutatingAdmissionPolicies in a cluster: policies, bindings and parameters that change, in our
own group and in that of API servers which do not run them themselves."""

import pytest
from client import answer, ask, patch_of, review
from fixpoint_cluster import Fixture, admission_policies, deployment, until
from fixpoint_cluster import definitions as installed
from policies import annotation
from standin import faults
from standin.cluster import Cluster, Refused
from standin.definitions import ANYTHING, definition
from test_cluster_modrules_installed import Installed
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


def test_two_dialects_on_one_object(fixture, of):
    """Each sees what the other has made, whichever comes first in a pass."""
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
    fixture.put(annotation("team", "team", "red"))
    fixture.expect(team="red", copied="red")
    fixture.put(of.policy("copy", annotations='{"team": "green"}', params=False))
    fixture.expect(team="green")


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
    assert "failed to find resource referenced by paramKind" in outcome(fixture)
    standin.faults.remove(rule)
    until(lambda: outcome(fixture), {"owner": "ann"}, within=40)
    until(lambda: of.errors(fixture), [])


# --- as the manifest installs them -----------------------------------------------------------


@pytest.fixture
def manifest(tmp_path):
    """A cluster with nothing but what deploy/with-admission-policies brings."""
    made = Cluster(tmp_path / "installed")
    made.need_standin().folder.mkdir(exist_ok=True)
    yield made
    made.close()


def may_read_config_maps(account):
    """What `apis.admissionPolicy.paramRules` adds for ConfigMaps."""
    group, name = "rbac.authorization.k8s.io", "parameters"
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"]}
    namespace, _, account = account.removeprefix("system:serviceaccount:").partition(":")
    yield {"apiVersion": group + "/v1", "kind": "ClusterRole", "metadata": {"name": name},
           "rules": [rule]}  # fmt: skip
    yield {
        "apiVersion": group + "/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }  # fmt: skip


def owned(fixture, of, space):
    """Custom resources are merged by the schema in their definition."""
    part = {"type": "object", "required": ["id"],
            "properties": {"id": {"type": "string"}, "size": {"type": "integer"}}}  # fmt: skip
    parts = {"type": "array", "items": part, "x-kubernetes-list-type": "map",
             "x-kubernetes-list-map-keys": ["id"]}  # fmt: skip
    spec = {"type": "object", "properties": {"parts": parts}}
    fixture.define(definition("example.com", "Widget", ["v1"], spec, "widgets", scope="Namespaced"))
    rule = {**RULE, "apiGroups": ["example.com"], "resources": ["widgets"]}
    applied = 'Object{spec: Object.spec{parts: [Object.spec.parts{id: "b", size: 3}]}}'
    mutation = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": applied}}
    constraints = {"resourceRules": [rule]}
    made = of.policy(
        "widgets", params=False, matchConstraints=constraints, mutations=[mutation]
    )
    fixture.put(made, of.binding("widgets", to="widgets"))

    def sizes():
        widget = {"apiVersion": "example.com/v1", "kind": "Widget",
                  "metadata": {"name": "w", "namespace": space},
                  "spec": {"parts": [{"id": "a", "size": 1}, {"id": "b", "size": 2}]}}  # fmt: skip
        try:
            created = fixture.cluster.create(widget, dryRun="All")
            return [one["size"] for one in created["spec"]["parts"]]
        except Refused as refusal:
            return refusal.message

    until(sizes, [1, 3])


def test_the_manifest(manifest, tmp_path):
    """Its account has the rights that policies need, but for those to parameters."""
    fixture, of = Fixture(manifest, tmp_path / "replicas"), Of(OWN)
    installed_ = Installed("with-admission-policies", fixture, manifest.standin)
    manifest.load(*(one for one in installed_.objects if one["kind"] != "Deployment"))
    try:
        space = fixture.namespace()
        installed_.start()
        with pytest.raises(Refused, match="undeclared reference to 'params'"):
            fixture.put(of.policy(params=False))
        fixture.put(of.policy("copy", annotations='{"by": "map"}', params=False,
                              matchConditions=may_update()), of.binding("copy", to="copy"))  # fmt: skip
        until(lambda: outcome(fixture, space), {"by": "map"})
        assert installed_.refused() == []
        owned(fixture, of, space)
        fixture.put(of.policy(), of.binding(), config_map(owner="ann"))
        until(lambda: len(of.errors(fixture)), 1)
        assert set(installed_.refused()) == {("list", "configmaps", "")}
        fixture.put(*may_read_config_maps(installed_.account))
        until(lambda: outcome(fixture, space), {"by": "map", "owner": "ann"}, within=40)
        until(lambda: of.errors(fixture), [])
    finally:
        failures = fixture.close()
    assert not failures, "\n".join(failures)


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
