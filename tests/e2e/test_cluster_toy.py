# SPDX-License-Identifier: Apache-2.0
"""Parameters of policies in a cluster, with the toy dialect (tests/toy): objects of any kind
that a policy names are watched, and only for as long as it does."""

import json
import time

import pytest
from client import answer, ask, patch_of, review
from fixpoint_cluster import deployment, until
from standin import faults
from standin.definitions import ANYTHING, definition
from toy import GROUP, toy, toy_cluster, without_kyverno
from webhook_configurations import NAMESPACE

POLICIES = "tagpolicies." + GROUP
STATUS = ("--operation", "mutation-webhook", "--operation", "mutation-status")
STATE = "objects of a kind that policies name"
READ, UNREAD = STATE + " are watched", STATE + " cannot be read"


def widgets(plural="widgets"):
    return definition("example.com", "Widget", ["v1"], ANYTHING, plural, scope="Namespaced")


@pytest.fixture
def cluster(tmp_path):
    made = toy_cluster(tmp_path / "cluster")
    yield made
    made.close()


@pytest.fixture
def fixture(fixture):
    return without_kyverno(fixture)


def policy(name="owner", tags=None, param_kind=None, **spec):
    """Tags Deployments; with the owner that a parameter names, unless the policy says otherwise."""
    if param_kind:
        spec["paramKind"] = dict(zip(("apiVersion", "kind"), param_kind))
    tags = tags or {"owner": {"fromParam": "data.owner"}}
    return toy("TagPolicy", name, match={"kinds": ["Deployment"]}, tags=tags, **spec)


def binding(name="here", to="owner", param="owners", **spec):
    ref = {"name": param, "namespace": NAMESPACE}
    return toy("TagBinding", name, policyName=to, paramRef=ref, **spec)


def config_map(name="owners", **data):
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def widget(owner):
    metadata = {"name": "owners", "namespace": NAMESPACE}
    api = "example.com/v1"
    return {"apiVersion": api, "kind": "Widget", "metadata": metadata, "spec": {"owner": owner}}


CONFIG_MAPS = ("v1", "ConfigMap")
WIDGETS = ("example.com/v1", "Widget")
OF_WIDGET = {"owner": {"fromParam": "spec.owner"}}


def errors(fixture, name="owner"):
    """What the status of the policy says."""
    status = fixture.cluster.get(POLICIES, name).get("status", {})
    return [
        error["message"] for entry in status.get("byPod", []) for error in entry.get("errors", [])
    ]


def list_requests(cluster, resource):
    return [
        one.verb
        for one in list(cluster.standin.log)
        if one.resource == resource and one.user == "fixpoint"
    ]


def test_policy_binding_and_parameter_change(fixture):
    """Whatever of the three is applied, changed or deleted, the next review shows it."""
    fixture.put(policy(param_kind=CONFIG_MAPS), binding(), config_map(owner="ann"))
    fixture.start(register=True)
    assert fixture.annotations() == {"owner": "ann"}, "with its parameter from the first review on"
    fixture.put(config_map(owner="ben"))
    fixture.expect(owner="ben")
    tags = {"owner": {"fromParam": "data.owner"}, "by": "toy"}
    fixture.put(policy(param_kind=CONFIG_MAPS, tags=tags))
    fixture.expect(owner="ben", by="toy")
    fixture.drop(config_map())
    fixture.expect()
    fixture.put(config_map(owner="eve"))
    fixture.expect(owner="eve", by="toy")
    fixture.put(config_map("others", owner="oli"), binding(param="others"))
    fixture.expect(owner="oli", by="toy")
    fixture.put(binding(param="others", namespaces=["elsewhere"]))
    fixture.expect()
    fixture.put(binding(param="others"))
    fixture.expect(owner="oli", by="toy")
    fixture.drop(binding())
    fixture.expect()


def test_kinds_are_watched_while_they_are_named(fixture):
    """A kind that is named later is watched from then on; a kind that no policy names is not."""
    fixture.define(widgets())
    fixture.put(widget("ann"), config_map(owner="con"))
    replica = fixture.start(register=True)
    assert fixture.annotations() == {}
    assert not list_requests(fixture.cluster, "widgets")
    fixture.put(binding(), policy(param_kind=WIDGETS, tags=OF_WIDGET))
    fixture.expect(owner="ann")
    assert not list_requests(fixture.cluster, "configmaps")
    fixture.put(widget("ben"))
    fixture.expect(owner="ben")
    assert replica.state("widgets.example.com") == "watching"
    assert replica.metric("fixpoint_kube_objects", resource="widgets.example.com") == 1
    fixture.put(policy(param_kind=CONFIG_MAPS))
    fixture.expect(owner="con")
    assert replica.state("configmaps") == "watching"
    until(lambda: replica.metric("fixpoint_kube_objects", resource="widgets.example.com"), None)
    requests = len(list_requests(fixture.cluster, "widgets"))
    fixture.put(widget("dan"), config_map(owner="eve"))
    fixture.expect(owner="eve")
    assert len(list_requests(fixture.cluster, "widgets")) == requests
    fixture.put(policy(param_kind=WIDGETS, tags=OF_WIDGET))
    fixture.expect(owner="dan")
    order = ["example.com/v1 Widget", "v1 ConfigMap", "example.com/v1 Widget"]
    until(lambda: [one["kind"] for one in replica.log.entries(READ)], order)


def test_objects_that_no_policy_looks_up_cause_no_build(fixture):
    fixture.put(policy(param_kind=CONFIG_MAPS), binding(), config_map(owner="ann"))
    replica = fixture.start(register=True)
    fixture.expect(owner="ann")
    builds = len(replica.log.entries("policies active"))
    for i in range(20):
        fixture.put(config_map("other-%d" % (i % 3), owner=str(i)))
    fixture.put(config_map(owner="ben"))
    fixture.expect(owner="ben")
    assert len(replica.log.entries("policies active")) <= builds + 2


def test_a_kind_that_does_not_exist(fixture):
    """The others work, readiness does not wait, and the status says what is missing."""
    fixture.put(policy(param_kind=WIDGETS, tags=OF_WIDGET), binding())
    fixture.put(policy("plain", tags={"by": "toy"}), binding("plain", to="plain"))
    replica = fixture.start(*STATUS, register=True)
    assert fixture.annotations() == {"by": "toy"}
    until(lambda: len(errors(fixture)), 1)
    assert errors(fixture)[0].startswith("objects of example.com/v1 Widget cannot be read: ")
    assert errors(fixture, "plain") == []
    until(lambda: [one["kind"] for one in replica.log.entries(UNREAD)], ["example.com/v1 Widget"])
    fixture.define(widgets())
    fixture.put(widget("ann"))
    fixture.expect(owner="ann", by="toy", within=40)
    until(lambda: errors(fixture), [])


def test_a_kind_that_must_not_be_read(fixture):
    """The status says which rule of RBAC is missing."""
    standin = fixture.cluster.standin
    refusal = faults.answer(403, "no")
    rule = standin.faults.add(refusal, verb="list", resource="configmaps", user="fixpoint")
    fixture.put(policy(param_kind=CONFIG_MAPS), binding(), config_map(owner="ann"))
    fixture.put(policy("plain", tags={"by": "toy"}), binding("plain", to="plain"))
    fixture.start(*STATUS, register=True)
    assert fixture.annotations() == {"by": "toy"}
    until(lambda: len(errors(fixture)), 1)
    wanted = 'the ClusterRole needs apiGroups [""], resources ["configmaps"], '
    assert errors(fixture)[0].endswith(wanted + 'verbs ["list","watch"]'), errors(fixture)
    standin.faults.remove(rule)
    fixture.expect(owner="ann", by="toy", within=40)
    until(lambda: errors(fixture), [])


def test_secrets_are_never_read(fixture):
    fixture.put(policy(param_kind=("v1", "Secret")), binding())
    fixture.start(*STATUS, register=True)
    until(lambda: len(errors(fixture)), 1)
    assert errors(fixture)[0].startswith("objects of v1 Secret cannot be read: ")
    assert not list_requests(fixture.cluster, "secrets")


def owner_from(server):
    """The annotation that a Deployment gets."""
    reviewed = answer(ask(server, review(deployment("probe"))))
    return [one["value"] for one in patch_of(reviewed) if one["path"].startswith("/metadata")]


def test_what_was_read_stays_in_use(fixture):
    """While the API server is gone, policies keep their parameters."""
    fixture.put(policy(param_kind=CONFIG_MAPS), binding(), config_map(owner="ann"))
    replica = fixture.start(register=True)
    standin = fixture.cluster.standin
    standin.disappear()
    fixture.cluster.load(config_map(owner="ben"))
    for _ in range(10):
        assert owner_from(replica) == [{"owner": "ann"}]
        time.sleep(0.1)
    standin.reappear()
    fixture.expect(owner="ben", within=40)


def test_a_value_of_the_namespace(fixture):
    """An input of a rule: the Namespace of the object, as it is now."""
    space = fixture.namespace()
    metadata = {"name": space, "annotations": {"region": "north"}}
    fixture.put({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    fixture.put(policy(tags={"region": {"fromNamespace": "region"}}), binding())
    fixture.start(register=True)
    assert fixture.annotations(space) == {"region": "north"}
    metadata["annotations"]["region"] = "south"
    fixture.put({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    until(lambda: fixture.annotations(space), {"region": "south"})


FROM_CONFIG_MAP = {"team": {"fromConfigMap": {"annotation": "from", "key": "team"}}}
REQUIRES = {"verb": "update", "resource": "deployments"}


def of_team(config_map_name="teams"):
    """A Deployment that names a ConfigMap."""
    made = deployment("probe")
    made["metadata"]["annotations"] = {"from": config_map_name}
    return made


def reviewed(server, obj, user="alice"):
    """The response to its creation by this user."""
    return answer(ask(server, review(obj, username=user)))


def tags(server, obj, user="alice"):
    """The annotations that it gets from policies."""
    prefix = "/metadata/annotations/"
    patch = patch_of(reviewed(server, obj, user)) or ()
    return {one["path"].removeprefix(prefix): one["value"] for one in patch}


def fetches(fixture, *resources):
    """What the replica asked for, in that order."""
    return [
        one.resource
        for one in list(fixture.cluster.standin.log)
        if one.user == "fixpoint" and one.resource in resources
    ]


def test_a_value_of_a_config_map_that_the_object_names(fixture):
    """An input that a rule asks for while it is evaluated; fetched for each review."""
    fixture.put(policy(tags=FROM_CONFIG_MAP), binding())
    fixture.put(config_map("teams", team="blue"), config_map("others", team="red"))
    replica = fixture.start()
    assert tags(replica, of_team()) == {"team": "blue"}
    assert tags(replica, of_team("others")) == {"team": "red"}
    assert tags(replica, of_team("nobody")) == {}
    assert patch_of(reviewed(replica, deployment("probe"))) is None
    assert fetches(fixture, "configmaps") == ["configmaps"] * 3
    fixture.put(config_map("teams", team="green"))
    assert tags(replica, of_team()) == {"team": "green"}


def test_an_object_that_must_not_be_read(fixture):
    """The review fails, and says which rule of RBAC is missing."""
    standin = fixture.cluster.standin
    rule = standin.faults.add(faults.answer(403, "no"), resource="configmaps", user="fixpoint")
    fixture.put(policy(tags=FROM_CONFIG_MAP), binding(), config_map("teams", team="blue"))
    replica = fixture.start()
    refused = reviewed(replica, of_team())
    assert not refused["allowed"]
    assert "configmaps" in refused["status"]["message"], refused
    standin.faults.remove(rule)
    assert tags(replica, of_team()) == {"team": "blue"}


def test_an_access_review(fixture):
    """A rule that applies only where the user may do something else."""
    fixture.cluster.standin.grant("alice", ["update"], ["deployments"], namespace=NAMESPACE)
    fixture.put(policy(tags={"by": "toy"}, requires=REQUIRES), binding())
    replica = fixture.start(register=True)
    found = deployment("probe")
    assert patch_of(reviewed(replica, found, "bob")) is None
    assert owner_from(replica) == [{"by": "toy"}]
    assert len(fetches(fixture, "subjectaccessreviews")) == 2
    assert owner_from(replica) == [{"by": "toy"}]
    assert len(fetches(fixture, "subjectaccessreviews")) == 2, "the answers are kept"
    assert fixture.annotations() == {"by": "toy"}, "an administrator may, by a group"


def test_inputs_in_two_rounds(fixture):
    """What a rule asks for once it has the first answer is fetched in a second round."""
    fixture.cluster.standin.grant("alice", ["update"], ["deployments"], namespace=NAMESPACE)
    fixture.put(policy(tags=FROM_CONFIG_MAP, requires=REQUIRES), binding())
    fixture.put(config_map("teams", team="blue"))
    replica = fixture.start()
    both = ("subjectaccessreviews", "configmaps")
    assert patch_of(reviewed(replica, of_team(), "bob")) is None
    assert fetches(fixture, *both) == ["subjectaccessreviews"]
    assert tags(replica, of_team()) == {"team": "blue"}
    assert fetches(fixture, *both) == ["subjectaccessreviews", *both]


def test_files(start):
    """Without a cluster, parameters are documents among the policies."""
    server = start(policy(param_kind=CONFIG_MAPS), binding(), config_map(owner="ann"))
    assert owner_from(server) == [{"owner": "ann"}]


def test_an_access_review_without_a_cluster(start):
    server = start(policy(tags={"by": "toy"}, requires=REQUIRES), binding())
    refused = reviewed(server, deployment("probe"))
    assert "access reviews need a cluster" in refused["status"]["message"]


HAS_FIELDS = {
    "spec": {"fromSchema": {"field": "spec", "value": "yes"}},
    "color": {"fromSchema": {"field": "color", "value": "yes"}},
}
OF_SCHEMA = toy("TagPolicy", "owner", match={"kinds": ["Widget", "Pod"]}, tags=HAS_FIELDS)


def openapi_requests(fixture):
    """The documents that the replica asked for, in that order."""
    paths = [one.path for one in list(fixture.cluster.standin.log) if one.user == "fixpoint"]
    prefix = "/openapi/v3"
    return [one.removeprefix(prefix) for one in paths if one.startswith(prefix)]


def in_group(group):
    """An object of kind Widget."""
    metadata = {"name": "probe", "namespace": NAMESPACE, "annotations": {"some": "thing"}}
    return {"apiVersion": group + "/v1", "kind": "Widget", "metadata": metadata}


def test_schemas_of_the_api_server(fixture):
    """Those of a group and version are fetched once; those that it does not have, never."""
    fixture.define(widgets())
    fixture.put(OF_SCHEMA, binding())
    replica = fixture.start()
    assert not openapi_requests(fixture)
    assert tags(replica, in_group("example.com")) == {"spec": "yes"}
    assert tags(replica, in_group("other.com")) == {}
    assert tags(replica, in_group("example.com")) == {"spec": "yes"}
    assert openapi_requests(fixture) == ["", "/apis/example.com/v1"]


def test_without_schemas_of_the_api_server(fixture):
    """Then only the built-in kinds are known, and the log says why."""
    fixture.cluster.standin.faults.add(faults.answer(500, "no"), path="/openapi/v3")
    fixture.define(widgets())
    fixture.put(OF_SCHEMA, binding())
    replica = fixture.start()
    assert tags(replica, in_group("example.com")) == {}
    pod = dict(in_group("x"), apiVersion="v1", kind="Pod")
    assert tags(replica, pod) == {"spec": "yes"}
    assert openapi_requests(fixture) == [""]
    replica.log.wait("schemas of the API server could not be read")


def test_schemas_of_files(start, tmp_path):
    """Without a cluster: those of --schema, and definitions among the policies."""
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(widgets()))
    other = definition("other.com", "Widget", ["v1"], ANYTHING, scope="Namespaced")
    server = start(OF_SCHEMA, binding(), other, args=("--schema", str(schema)))
    assert tags(server, in_group("example.com")) == {"spec": "yes"}
    assert tags(server, in_group("other.com")) == {"spec": "yes"}
    assert tags(server, in_group("third.com")) == {}
