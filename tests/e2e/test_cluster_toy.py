# SPDX-License-Identifier: Apache-2.0
"""Parameters of policies in a cluster, with the toy dialect (tests/toy): objects of any kind
that a policy names are watched, and only for as long as it does."""

import time

import pytest
from client import answer, ask, patch_of, review
from fixpoint_cluster import deployment, until
from standin import faults
from standin.cluster import Cluster
from standin.definitions import ANYTHING, definition
from webhook_configurations import NAMESPACE

GROUP = "toy.fixpoint.dev"
POLICIES = "tagpolicies." + GROUP
STATUS = ("--operation", "mutation-webhook", "--operation", "mutation-status")
STATE = "objects of a kind that policies name"
READ, UNREAD = STATE + " are watched", STATE + " cannot be read"


def widgets(plural="widgets"):
    return definition("example.com", "Widget", ["v1"], ANYTHING, plural, scope="Namespaced")


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path / "cluster")
    made.define(
        definition(GROUP, "TagPolicy", ["v1"], ANYTHING, "tagpolicies", ANYTHING),
        definition(GROUP, "TagBinding", ["v1"], ANYTHING, "tagbindings"),
    )
    yield made
    made.close()


def toy(kind, name, **spec):
    metadata = {"name": name}
    return {"apiVersion": GROUP + "/v1", "kind": kind, "metadata": metadata, "spec": spec}


def policy(name="owner", tags=None, param_kind=None, **spec):
    """Tags Deployments; with the owner that a parameter names, unless told otherwise."""
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


def errors(world, name="owner"):
    """What the status of the policy says."""
    status = world.cluster.get(POLICIES, name).get("status", {})
    return [
        error["message"] for entry in status.get("byPod", []) for error in entry.get("errors", [])
    ]


def list_requests(cluster, resource):
    return [
        one.verb
        for one in list(cluster.standin.log)
        if one.resource == resource and one.user == "fixpoint"
    ]


def test_policy_binding_and_parameter_change(world):
    """Whatever of the three is applied, changed or deleted, the next review shows it."""
    world.put(policy(param_kind=CONFIG_MAPS), binding(), config_map(owner="ann"))
    world.start(register=True)
    assert world.annotations() == {"owner": "ann"}, "with its parameter from the first review on"
    world.put(config_map(owner="ben"))
    world.expect(owner="ben")
    tags = {"owner": {"fromParam": "data.owner"}, "by": "toy"}
    world.put(policy(param_kind=CONFIG_MAPS, tags=tags))
    world.expect(owner="ben", by="toy")
    world.drop(config_map())
    world.expect()
    world.put(config_map(owner="eve"))
    world.expect(owner="eve", by="toy")
    world.put(config_map("others", owner="oli"), binding(param="others"))
    world.expect(owner="oli", by="toy")
    world.put(binding(param="others", namespaces=["elsewhere"]))
    world.expect()
    world.put(binding(param="others"))
    world.expect(owner="oli", by="toy")
    world.drop(binding())
    world.expect()


def test_kinds_are_watched_while_they_are_named(world):
    """A kind that is named later is watched from then on; nobody's is watched no more."""
    world.define(widgets())
    world.put(widget("ann"), config_map(owner="con"))
    replica = world.start(register=True)
    assert world.annotations() == {}
    assert not list_requests(world.cluster, "widgets")
    world.put(binding(), policy(param_kind=WIDGETS, tags=OF_WIDGET))
    world.expect(owner="ann")
    assert not list_requests(world.cluster, "configmaps")
    world.put(widget("ben"))
    world.expect(owner="ben")
    assert replica.state("widgets.example.com") == "watching"
    assert replica.metric("fixpoint_kube_objects", resource="widgets.example.com") == 1
    world.put(policy(param_kind=CONFIG_MAPS))
    world.expect(owner="con")
    assert replica.state("configmaps") == "watching"
    until(lambda: replica.metric("fixpoint_kube_objects", resource="widgets.example.com"), None)
    requests = len(list_requests(world.cluster, "widgets"))
    world.put(widget("dan"), config_map(owner="eve"))
    world.expect(owner="eve")
    assert len(list_requests(world.cluster, "widgets")) == requests
    world.put(policy(param_kind=WIDGETS, tags=OF_WIDGET))
    world.expect(owner="dan")
    assert [one["kind"] for one in replica.log.entries(READ)] == [
        "example.com/v1 Widget",
        "v1 ConfigMap",
        "example.com/v1 Widget",
    ]


def test_objects_that_no_policy_looks_up_cause_no_build(world):
    world.put(policy(param_kind=CONFIG_MAPS), binding(), config_map(owner="ann"))
    replica = world.start(register=True)
    world.expect(owner="ann")
    builds = len(replica.log.entries("policies active"))
    for i in range(20):
        world.put(config_map("other-%d" % (i % 3), owner=str(i)))
    world.put(config_map(owner="ben"))
    world.expect(owner="ben")
    assert len(replica.log.entries("policies active")) <= builds + 2


def test_a_kind_that_does_not_exist(world):
    """The others work, readiness does not wait, and the status says what is missing."""
    world.put(policy(param_kind=WIDGETS, tags=OF_WIDGET), binding())
    world.put(policy("plain", tags={"by": "toy"}), binding("plain", to="plain"))
    replica = world.start(*STATUS, register=True)
    assert world.annotations() == {"by": "toy"}
    until(lambda: len(errors(world)), 1)
    assert errors(world)[0].startswith("objects of example.com/v1 Widget cannot be read: ")
    assert errors(world, "plain") == []
    assert [one["kind"] for one in replica.log.entries(UNREAD)] == ["example.com/v1 Widget"]
    world.define(widgets())
    world.put(widget("ann"))
    world.expect(owner="ann", by="toy", within=40)
    until(lambda: errors(world), [])


def test_a_kind_that_must_not_be_read(world):
    """The status says which rule of RBAC is missing."""
    standin = world.cluster.standin
    refusal = faults.answer(403, "no")
    rule = standin.faults.add(refusal, verb="list", resource="configmaps", user="fixpoint")
    world.put(policy(param_kind=CONFIG_MAPS), binding(), config_map(owner="ann"))
    world.put(policy("plain", tags={"by": "toy"}), binding("plain", to="plain"))
    world.start(*STATUS, register=True)
    assert world.annotations() == {"by": "toy"}
    until(lambda: len(errors(world)), 1)
    wanted = 'the ClusterRole needs apiGroups [""], resources ["configmaps"], '
    assert errors(world)[0].endswith(wanted + 'verbs ["list","watch"]'), errors(world)
    standin.faults.remove(rule)
    world.expect(owner="ann", by="toy", within=40)
    until(lambda: errors(world), [])


def test_secrets_are_never_read(world):
    world.put(policy(param_kind=("v1", "Secret")), binding())
    world.start(*STATUS, register=True)
    until(lambda: len(errors(world)), 1)
    assert errors(world)[0].startswith("objects of v1 Secret cannot be read: ")
    assert not list_requests(world.cluster, "secrets")


def owner_from(server):
    """The annotation that a Deployment gets."""
    reviewed = answer(ask(server, review(deployment("probe"))))
    return [one["value"] for one in patch_of(reviewed) if one["path"].startswith("/metadata")]


def test_what_was_read_stays_in_use(world):
    """While the API server is gone, policies keep their parameters."""
    world.put(policy(param_kind=CONFIG_MAPS), binding(), config_map(owner="ann"))
    replica = world.start(register=True)
    standin = world.cluster.standin
    standin.disappear()
    world.cluster.load(config_map(owner="ben"))
    for _ in range(10):
        assert owner_from(replica) == [{"owner": "ann"}]
        time.sleep(0.1)
    standin.reappear()
    world.expect(owner="ben", within=40)


def test_a_value_of_the_namespace(world):
    """An input of a rule: the Namespace of the object, as it is now."""
    space = world.namespace()
    metadata = {"name": space, "annotations": {"region": "north"}}
    world.put({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    world.put(policy(tags={"region": {"fromNamespace": "region"}}), binding())
    world.start(register=True)
    assert world.annotations(space) == {"region": "north"}
    metadata["annotations"]["region"] = "south"
    world.put({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    until(lambda: world.annotations(space), {"region": "south"})


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


def fetches(world, *resources):
    """What the replica asked for, in that order."""
    return [
        one.resource
        for one in list(world.cluster.standin.log)
        if one.user == "fixpoint" and one.resource in resources
    ]


def test_a_value_of_a_config_map_that_the_object_names(world):
    """An input that a rule asks for while it is evaluated; fetched for each review."""
    world.put(policy(tags=FROM_CONFIG_MAP), binding())
    world.put(config_map("teams", team="blue"), config_map("others", team="red"))
    replica = world.start()
    assert tags(replica, of_team()) == {"team": "blue"}
    assert tags(replica, of_team("others")) == {"team": "red"}
    assert tags(replica, of_team("nobody")) == {}
    assert patch_of(reviewed(replica, deployment("probe"))) is None
    assert fetches(world, "configmaps") == ["configmaps"] * 3
    world.put(config_map("teams", team="green"))
    assert tags(replica, of_team()) == {"team": "green"}


def test_an_object_that_must_not_be_read(world):
    """The review fails, and says which rule of RBAC is missing."""
    standin = world.cluster.standin
    rule = standin.faults.add(faults.answer(403, "no"), resource="configmaps", user="fixpoint")
    world.put(policy(tags=FROM_CONFIG_MAP), binding(), config_map("teams", team="blue"))
    replica = world.start()
    refused = reviewed(replica, of_team())
    assert not refused["allowed"]
    assert "configmaps" in refused["status"]["message"], refused
    standin.faults.remove(rule)
    assert tags(replica, of_team()) == {"team": "blue"}


def test_an_access_review(world):
    """A rule that applies only where the user may do something else."""
    world.cluster.standin.grant("alice", ["update"], ["deployments"], namespace=NAMESPACE)
    world.put(policy(tags={"by": "toy"}, requires=REQUIRES), binding())
    replica = world.start(register=True)
    found = deployment("probe")
    assert patch_of(reviewed(replica, found, "bob")) is None
    assert owner_from(replica) == [{"by": "toy"}]
    assert len(fetches(world, "subjectaccessreviews")) == 2
    assert owner_from(replica) == [{"by": "toy"}]
    assert len(fetches(world, "subjectaccessreviews")) == 2, "the answers are kept"
    assert world.annotations() == {"by": "toy"}, "an administrator may, by a group"


def test_inputs_in_two_rounds(world):
    """What a rule asks for once it has the first answer is fetched in a second round."""
    world.cluster.standin.grant("alice", ["update"], ["deployments"], namespace=NAMESPACE)
    world.put(policy(tags=FROM_CONFIG_MAP, requires=REQUIRES), binding())
    world.put(config_map("teams", team="blue"))
    replica = world.start()
    both = ("subjectaccessreviews", "configmaps")
    assert patch_of(reviewed(replica, of_team(), "bob")) is None
    assert fetches(world, *both) == ["subjectaccessreviews"]
    assert tags(replica, of_team()) == {"team": "blue"}
    assert fetches(world, *both) == ["subjectaccessreviews", *both]


def test_files(start):
    """Without a cluster, parameters are documents among the policies."""
    server = start(policy(param_kind=CONFIG_MAPS), binding(), config_map(owner="ann"))
    assert owner_from(server) == [{"owner": "ann"}]


def test_an_access_review_without_a_cluster(start):
    server = start(policy(tags={"by": "toy"}, requires=REQUIRES), binding())
    refused = reviewed(server, deployment("probe"))
    assert "access reviews need a cluster" in refused["status"]["message"]
