# SPDX-License-Identifier: Apache-2.0
"""What ModRules see besides an object: the whole Namespace that it is in, and the Node that a
Pod runs on, which a Pod gets when it is bound."""

import time

import pytest
from client import ask
from fixpoint_cluster import definitions, until
from policies import annotation
from standin import faults
from standin.cluster import Cluster, Refused, configuration, webhook
from standin.definitions import ANYTHING, definition
from webhook_configurations import CONFIGURATION

MODRULES = "modrules.api.kubemod.io"
ASKS, NAMES = "ref.kubemod.io/inject-node-ref", "ref.kubemod.io/nodename"
BINDING = "podbinding.kubemod.io"
PODS = [
    {
        "operations": ["CREATE", "UPDATE"],
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["pods"],
    }
]
BINDINGS = [{**PODS[0], "operations": ["CREATE"], "resources": ["pods/binding"]}]
OWNER = "{{ .Target.syntheticRefs.namespace.metadata.annotations.owner }}"
ZONE = "{{ .Target.syntheticRefs.node.metadata.labels.zone }}"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    names = [one for one in definitions() if one["metadata"]["name"] != MODRULES]
    rules = definition(
        "api.kubemod.io", "ModRule", ["v1beta1"], ANYTHING, "modrules", ANYTHING, "Namespaced"
    )
    made.define(*names, rules)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def no_faults(cluster):
    yield
    if cluster.standin:
        cluster.standin.faults.clear()


def rule(name, namespace, match, path, value, **spec):
    """A ModRule that adds one thing to what has these."""
    made = {
        "type": "Patch",
        "match": [{"select": one} for one in match],
        "patch": [{"op": "add", "path": path, "value": value}],
        **spec,
    }
    metadata = {"name": name, "namespace": namespace}
    return {
        "apiVersion": "api.kubemod.io/v1beta1",
        "kind": "ModRule",
        "metadata": metadata,
        "spec": made,
    }


def owner_rule(namespace):
    select = "$.syntheticRefs.namespace.metadata.annotations.owner"
    return rule("owner", namespace, [select], "/metadata/annotations/owner", OWNER)


def zone_rule(namespace):
    select = ['$.kind == "Pod"', "$.syntheticRefs.node.metadata.labels.zone"]
    return rule("zone", namespace, select, "/metadata/labels/zone", ZONE)


def seen_rule(namespace):
    return rule("seen", namespace, ['$.kind == "Pod"'], "/metadata/labels/seen", '"yes"')


def node(name, zone):
    metadata = {"name": name, "labels": {"zone": zone}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def pod(namespace, name="web", **annotations):
    metadata = {"name": name, "namespace": namespace, "annotations": annotations}
    spec = {"containers": [{"name": "c", "image": "nginx:1"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def own(space, name, owner):
    metadata = {"name": space, "annotations": {name: owner}}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def register(fixture, replica, **more):
    """Both webhooks, as KubeMod has them."""
    url = "https://localhost:%d" % replica.port
    review = webhook(
        "mutation.gatekeeper.sh", replica.ca, url=url + "/v1/mutate", rules=PODS, **more
    )
    binding = webhook(
        BINDING,
        replica.ca,
        url=url + "/podbinding-webhook",
        rules=BINDINGS,
        failurePolicy="Fail",
        timeoutSeconds=10,
    )
    fixture.put(configuration(review, binding, name=CONFIGURATION))


def labels_of(fixture, space, name="web"):
    return fixture.cluster.get("pods", name, space)["metadata"].get("labels", {})


def annotations_of(fixture, space, name="web"):
    return fixture.cluster.get("pods", name, space)["metadata"].get("annotations", {})


# --- the Namespace ---------------------------------------------------------------------------


def test_rules_see_the_whole_namespace(fixture):
    space = fixture.namespace()
    fixture.put(own(space, "owner", "ann"), owner_rule(space))
    fixture.start(register=True)

    def owner():
        created = fixture.would_create(space)["metadata"]
        return created.get("annotations", {}).get("owner")

    until(owner, "ann")
    fixture.put(own(space, "owner", "bob"))
    until(owner, "bob")


def test_a_namespace_is_asked_for_once(fixture):
    """And again when it changed; never for objects that no ModRule wants."""
    standin = fixture.cluster.need_standin()
    space, other = fixture.namespace(), fixture.namespace()
    fixture.put(own(space, "owner", "ann"), owner_rule(space))
    fixture.put(annotation("plain", "plain", "1"))
    fixture.start(register=True)

    def asked():
        wanted = {"verb": "get", "resource": "namespaces", "user": "fixpoint"}
        return len(standin.log.of(**wanted))

    until(lambda: fixture.would_create(space)["metadata"]["annotations"].get("owner"), "ann")
    before = asked()
    for _ in range(20):
        fixture.would_create(space)
        assert fixture.annotations(other) == {"plain": "1"}
    assert asked() == before
    fixture.put(own(space, "owner", "bob"))
    until(lambda: fixture.would_create(space)["metadata"]["annotations"].get("owner"), "bob")
    assert asked() > before


# --- the Node --------------------------------------------------------------------------------


@pytest.fixture
def bound(fixture):
    """bound(*annotations) starts a replica with a rule about Nodes, and creates a Pod in a
    namespace of its own; gives both."""

    def begin(asks="true", rules=(zone_rule,), hook=(), args=(), **annotations):
        space = fixture.namespace()
        fixture.put(*(one(space) for one in rules), node("worker", "west"))
        replica = fixture.start(*args)
        register(fixture, replica, **dict(hook))
        notes = {ASKS: asks, **annotations} if asks else annotations
        fixture.put(pod(space, **notes))
        return replica, space

    return begin


def test_a_pod_that_is_bound_gets_its_node(fixture, bound):
    """The whole way: created, bound, annotated, and updated by a rule that sees the Node."""
    replica, space = bound()
    assert "zone" not in labels_of(fixture, space)
    assert fixture.cluster.bind("web", "worker", space).status == 201
    got = fixture.cluster.get("pods", "web", space)
    assert got["metadata"]["annotations"][NAMES] == "worker"
    assert got["metadata"]["labels"] == {"zone": "west"}
    assert got["spec"]["nodeName"] == "worker"
    assert replica.metric("fixpoint_pod_bindings_total", result="annotated") == 1


def test_the_node_is_read_each_time(fixture, bound):
    _, space = bound()
    assert fixture.cluster.bind("web", "worker", space).status == 201
    fixture.put(node("worker", "east"))
    fixture.cluster.patch("pods", "web", {"metadata": {"labels": {"a": "b"}}}, space)
    assert labels_of(fixture, space)["zone"] == "east"


@pytest.mark.parametrize("asks", ["false", "True", None])
def test_who_does_not_ask_is_not_told(fixture, bound, asks):
    replica, space = bound(asks)
    assert fixture.cluster.bind("web", "worker", space).status == 201
    assert NAMES not in annotations_of(fixture, space)
    assert replica.metric("fixpoint_pod_bindings_total", result="not_requested") == 1


def test_a_dry_run_writes_nothing(fixture, bound):
    _, space = bound()
    assert fixture.cluster.bind("web", "worker", space, dryRun="All").status == 201
    assert NAMES not in annotations_of(fixture, space)


def test_without_modrules_nobody_is_told(fixture, bound):
    standin = fixture.cluster.need_standin()
    before = len(standin.log.of(user="fixpoint", resource="pods"))
    _, space = bound(args=("--apis", "gatekeeper"))
    assert fixture.cluster.bind("web", "worker", space).status == 201
    assert NAMES not in annotations_of(fixture, space)
    assert len(standin.log.of(user="fixpoint", resource="pods")) == before


def test_who_is_bound_already_is_not_told(fixture, bound):
    """Nobody but an API server binds Pods, and none does so twice."""
    _, space = bound()
    assert fixture.cluster.bind("web", "worker", space).status == 201
    assert fixture.cluster.bind("web", "other", space).status == 409
    assert annotations_of(fixture, space)[NAMES] == "worker"


def test_what_passes_is_tried_again(fixture, bound):
    """KubeMod loses the Node at the first conflict (its issue 119)."""
    standin = fixture.cluster.need_standin()
    _, space = bound()
    reads = standin.faults.add(faults.answer(503), times=2, verb="get", resource="pods")
    writes = standin.faults.add(faults.answer(409), times=2, verb="patch", resource="pods")
    assert fixture.cluster.bind("web", "worker", space).status == 201
    assert labels_of(fixture, space)["zone"] == "west"
    assert (reads.hits, writes.hits) == (2, 2)


def test_a_binding_is_allowed_whatever_happens(fixture, bound):
    standin = fixture.cluster.need_standin()
    replica, space = bound()
    standin.faults.add(faults.answer(403), verb="patch", resource="pods")
    began = time.monotonic()
    assert fixture.cluster.bind("web", "worker", space).status == 201
    assert time.monotonic() - began < 8, "it was tried again in vain"
    assert NAMES not in annotations_of(fixture, space)
    assert replica.metric("fixpoint_pod_bindings_total", result="failed") == 1
    replica.log.wait("Pod not annotated with its Node")


def test_a_node_that_is_not_there_is_a_warning(fixture, bound):
    """The other rules run, and those about the Node see none."""
    standin = fixture.cluster.need_standin()
    _, space = bound(None, (zone_rule, seen_rule), **{NAMES: "gone"})
    assert labels_of(fixture, space) == {"seen": "yes"}
    answer = fixture.cluster.request(
        "PATCH",
        fixture.cluster.path("pods", "web", space),
        {"metadata": {"annotations": {"a": "b"}}},
        "application/merge-patch+json",
    )
    assert answer.status == 200
    assert 'nodes \\"gone\\" not found' in answer.headers["Warning"]
    assert standin.log.of(verb="get", resource="nodes", name="gone")


def test_a_name_that_is_none_leads_nowhere(fixture, bound):
    standin = fixture.cluster.need_standin()

    def asked():
        mine = standin.log.of(user="fixpoint", verb="get")
        return [one.path for one in mine if one.resource != "namespaces"]

    before = asked()
    _, space = bound(None, (zone_rule, seen_rule), **{NAMES: "../namespaces/default"})
    assert labels_of(fixture, space) == {"seen": "yes"}
    assert not [one for one in asked()[len(before) :] if "nodes" in one or ".." in one]


def test_a_node_that_cannot_be_asked_for_is_no_verdict(fixture, bound):
    """HTTP 5xx: the failurePolicy decides."""
    standin = fixture.cluster.need_standin()
    replica, space = bound(hook={"failurePolicy": "Fail"})
    standin.faults.add(faults.answer(403), verb="get", resource="nodes")
    with pytest.raises(Refused) as refused:
        fixture.cluster.create(pod(space, "other", **{NAMES: "worker"}), dryRun="All")
    assert refused.value.code == 500
    requests = {"verb": "get", "resource": "nodes", "reason": "forbidden"}
    assert replica.metric("fixpoint_kube_requests_total", **requests) >= 1
    assert fixture.cluster.create(pod(space, "other"), dryRun="All")


# --- without a cluster -----------------------------------------------------------------------


def binding_review(version):
    metadata = {"name": "web", "namespace": "shop"}
    target = {"apiVersion": "v1", "kind": "Node", "name": "worker"}
    kind = {"group": "", "version": "v1", "kind": "Binding"}
    obj = {"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target}
    return {
        "apiVersion": "admission.k8s.io/" + version,
        "kind": "AdmissionReview",
        "request": {
            "uid": "u",
            "operation": "CREATE",
            "kind": kind,
            "resource": {"group": "", "version": "v1", "resource": "pods"},
            "subResource": "binding",
            **metadata,
            "object": obj,
        },
    }


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_without_a_cluster_nobody_is_told(start, version):
    server = start(annotation("a", "a", "b"))
    path = "/podbinding-webhook?timeout=5s"
    got = ask(server, binding_review(version), path=path).json()
    assert got["apiVersion"] == "admission.k8s.io/" + version
    assert got["response"] == {"uid": "u", "allowed": True, "status": {"code": 200}}
