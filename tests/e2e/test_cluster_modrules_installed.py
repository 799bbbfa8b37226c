# SPDX-License-Identifier: Apache-2.0
"""ModRules as the manifests install them: with their flags, their webhooks and no other rights
than theirs. deploy/with-modrules, whose webhooks are our own, and deploy/in-place-of-kubemod,
which answers for those of KubeMod."""

import copy
import functools

import pytest
from fixpoint_cluster import ROOT, until
from standin import documents
from standin.cluster import Cluster, Refused, configuration, webhook
from standin.definitions import modrule
from webhook_configurations import MUTATING, VALIDATING

RULES = "kubemod-system"  # where the rules of the whole cluster are
ASKS, NAMES = "ref.kubemod.io/inject-node-ref", "ref.kubemod.io/nodename"
ROLES = "clusterroles.rbac.authorization.k8s.io"
KUBEMODS = {
    MUTATING: "kubemod-mutating-webhook-configuration",
    VALIDATING: "kubemod-validating-webhook-configuration",
}


# --- what KubeMod has installed (spec section 9) ---------------------------------------------


OF_RULES = {"groups": ["api.kubemod.io"], "versions": ["v1beta1"], "resources": ["modrules"]}
OF_BINDINGS = {"groups": [""], "versions": ["v1"], "resources": ["pods/binding"]}
OF_OBJECTS = {"groups": ["*"], "versions": ["*"], "resources": ["configmaps", "pods"]}
WRITES = ["CREATE", "UPDATE"]


def of_kubemod(name, path, operations, what, **more):
    service = (RULES, "kubemod-webhook-service", path)
    rule = {
        "apiGroups": what["groups"],
        "apiVersions": what["versions"],
        "resources": what["resources"],
        "operations": operations,
    }
    fields = {"failurePolicy": "Fail", "timeoutSeconds": 5, "admissionReviewVersions": ["v1beta1"]}
    return webhook(name, None, service=service, rules=[rule], **{**fields, **more})


def kubemods():
    ignored = {"key": "admission.kubemod.io/ignore", "operator": "NotIn", "values": ["true"]}
    selector = {"namespaceSelector": {"matchExpressions": [ignored]}, "timeoutSeconds": 10}
    dragnet = {"failurePolicy": "Ignore", "reinvocationPolicy": "IfNeeded", **selector}
    kind = "api-kubemod-io-v1beta1-modrule"
    deletes = [*WRITES, "DELETE"]
    yield configuration(
        of_kubemod("mmodrule.kubemod.io", "/mutate-" + kind, WRITES, OF_RULES),
        of_kubemod("dragnet.kubemod.io", "/dragnet-webhook", deletes, OF_OBJECTS, **dragnet),
        of_kubemod("podbinding.kubemod.io", "/podbinding-webhook", WRITES, OF_BINDINGS, **selector),
        name=KUBEMODS[MUTATING],
    )
    yield configuration(
        of_kubemod("vmodrule.kubemod.io", "/validate-" + kind, WRITES, OF_RULES),
        kind="Validating",
        name=KUBEMODS[VALIDATING],
    )
    yield modrule(status=False)


# --- a cluster with one of the manifests -----------------------------------------------------


@functools.cache
def _deployed(folder):
    return documents.of_files(ROOT / "deploy" / folder / "fixpoint.yaml")


class Installed:
    """One of the manifests in a cluster, and a replica that runs as it says."""

    def __init__(self, folder, fixture, standin):
        self.fixture, self.standin = fixture, standin
        self.objects = copy.deepcopy(_deployed(folder))
        deployment = self.one("Deployment")
        self.namespace = deployment["metadata"]["namespace"]
        spec = deployment["spec"]["template"]["spec"]
        self.account = "system:serviceaccount:%s:%s" % (self.namespace, spec["serviceAccountName"])
        self.arguments = [one for one in spec["containers"][0]["args"][1:] if "listen=" not in one]

    def one(self, kind):
        return next(one for one in self.objects if one["kind"] == kind)

    def start(self):
        """Its Service is that which webhooks name; ready, and known to the API server."""
        config = self.standin.kubeconfig_for(self.account, namespace=self.namespace)
        environment = {"POD_NAMESPACE": self.namespace}
        replica = self.fixture.start(
            *self.arguments, names=(), kubeconfig=config, tls=False, everything=True,
            environment=environment,
        )  # fmt: skip
        names = [one["metadata"]["name"] for one in self.objects if one["kind"] == "Service"]
        service = next(name for name in names if name.endswith("webhook-service"))
        services = self.standin.admission.client.services
        services.set(self.namespace, service, [replica.port])
        until(lambda: replica.metric("fixpoint_ca_bundle_published"), 1)
        until(lambda: replica.metric("fixpoint_lease_held"), 1)
        return replica

    def refused(self):
        """What the manifest's account asked for and may not."""
        return [
            (one.verb, one.resource, one.subresource) for one in list(self.standin.log)
            if one.user == self.account and one.status == 403
        ]  # fmt: skip


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path / "cluster")
    made.need_standin().folder.mkdir(exist_ok=True)
    yield made
    made.close()


@pytest.fixture(params=["with-modrules", "in-place-of-kubemod"])
def installed(request, fixture, cluster):
    made = Installed(request.param, fixture, cluster.standin)
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": RULES}}
    # The other namespace is in the manifest.
    space["metadata"]["labels"] = {"admission.kubemod.io/ignore": "true"}
    cluster.load(space)
    if request.param == "in-place-of-kubemod":
        cluster.load(*kubemods())
    cluster.load(*(one for one in made.objects if one["kind"] != "Deployment"))
    return made


# --- rules and objects -----------------------------------------------------------------------


def rule(name, namespace=RULES, **spec):
    spec = {"targetNamespaceRegex": "^e2e-", "match": [{"select": '$.kind == "Pod"'}], **spec}
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "api.kubemod.io/v1beta1", "kind": "ModRule", "metadata": metadata,
            "spec": spec}  # fmt: skip


def adding(name, path, value, **spec):
    return rule(name, type="Patch", patch=[{"op": "add", "path": path, "value": value}], **spec)


def pod(namespace, name="web", **annotations):
    metadata = {"name": name, "namespace": namespace, "annotations": annotations}
    spec = {"containers": [{"name": "c", "image": "nginx:1"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def labels(cluster, space):
    return cluster.create(pod(space), dryRun="All")["metadata"].get("labels", {})


# --- what they do ----------------------------------------------------------------------------


def test_rules_act(installed, fixture, cluster):
    """On what is created, and on what is deleted, where the manifests say so."""
    space = fixture.namespace()
    installed.start()
    fixture.put(adding("team", "/metadata/labels/team", "blue"))
    until(lambda: labels(cluster, space), {"team": "blue"})
    keep = rule("keep", type="Reject", admissionOperations=["DELETE"], rejectMessage="it stays")
    fixture.put(keep)

    def deletion():
        if cluster.find("pods", "web", space) is None:
            cluster.create(pod(space))
        try:
            cluster.delete("pods", "web", space)
        except Refused as refusal:
            return refusal.message
        return ""

    until(deletion, lambda words: "kubemod-system/keep" in words and "it stays" in words)
    fixture.drop(keep)
    until(deletion, "")
    assert installed.refused() == []


def test_rules_are_validated(installed, fixture):
    """All faults at once, and nothing is stored."""
    installed.start()
    bad = rule("bad", type="Reject", match=[{"select": "$.a["}], rejectMessage="{{")
    with pytest.raises(Refused) as refusal:
        fixture.put(bad)
    assert refusal.value.code == 422
    assert "spec.match[0].select" in refusal.value.message
    assert "spec.rejectMessage" in refusal.value.message
    assert installed.refused() == []


def test_defaults_are_filled_in(installed, fixture, cluster):
    """By our definition, or by KubeMod's webhook: the same."""
    installed.start()
    fixture.put(adding("team", "/metadata/labels/team", "blue"))
    stored = cluster.get("modrules.api.kubemod.io", "team", RULES)["spec"]
    assert stored["admissionOperations"] == ["CREATE", "UPDATE"]
    assert stored["match"] == [{"select": '$.kind == "Pod"', "matchFor": "Any"}]


def test_pods_are_told_their_node(installed, fixture, cluster):
    """And rules see it, when that comes back."""
    space = fixture.namespace()
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"zone": "a"}}}
    cluster.load(node)
    replica = installed.start()
    fixture.put(adding(
        "zone", "/metadata/labels/zone", "{{ .Target.syntheticRefs.node.metadata.labels.zone }}",
        match=[{"select": "$.syntheticRefs.node.metadata.labels.zone"}],
    ))  # fmt: skip
    cluster.create(pod(space, **{ASKS: "true"}))

    # Active: an inactive rule would change nothing when the Pod is created.
    until(lambda: replica.metric("gatekeeper_mutators", status="active"), 1)
    assert cluster.bind("web", "n1", space).status == 201
    metadata = cluster.get("pods", "web", space)["metadata"]
    assert metadata["annotations"][NAMES] == "n1"
    assert metadata["labels"] == {"zone": "a"}
    assert installed.refused() == []


def test_rights_to_the_pods_of_one_namespace(installed, fixture, cluster):
    """They suffice there (`apis.kubemod.nodeRefs.namespaces`); Pods elsewhere are bound all the
    same, and get no request."""
    here, elsewhere = fixture.namespace(), fixture.namespace()
    role = cluster.get(ROLES, installed.one("ClusterRole")["metadata"]["name"])
    role["rules"] = [one for one in role["rules"] if one["resources"] != ["pods"]]
    cluster.update(role)
    cluster.standin.grant(installed.account, ["get", "patch"], ["pods"], namespace=here)
    replica = installed.start()
    for space in (here, elsewhere):
        cluster.create(pod(space, **{ASKS: "true"}))
        assert cluster.bind("web", "n1", space).status == 201
        assert cluster.get("pods", "web", space)["spec"]["nodeName"] == "n1"
    report = [
        cluster.get("pods", "web", space)["metadata"]["annotations"]
        for space in (here, elsewhere)
    ]
    assert report == [{ASKS: "true", NAMES: "n1"}, {ASKS: "true"}]
    assert replica.metric("fixpoint_pod_bindings_total", result="failed") == 1
    assert set(installed.refused()) == {("get", "pods", "")}


def test_what_is_said_of_them(installed, fixture, cluster):
    """A status where the definition has one, and an Event in the rule's namespace."""
    space = fixture.namespace()
    bad = rule("bad", space, type="Reject", match=[{"select": "$.a["}])
    cluster.load(bad)
    replica = installed.start()
    until(lambda: replica.metric("fixpoint_events_total", result="ok"), 1)
    (event,) = cluster.list("events", space)
    assert event["involvedObject"]["name"] == "bad"
    if installed.namespace != RULES:
        def ready():
            status = cluster.get("modrules.api.kubemod.io", "bad", space).get("status", {})
            return {one["type"]: one["status"] for one in status.get("conditions", ())}

        until(ready, {"Ready": "False"})
    assert installed.refused() == []


def test_kubemods_configurations_stay(fixture, cluster):
    """But for their caBundle."""
    standin = cluster.standin
    made = Installed("in-place-of-kubemod", fixture, standin)
    cluster.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": RULES}})
    cluster.load(*kubemods())
    cluster.load(*(one for one in made.objects if one["kind"] != "Deployment"))
    before = {resource: cluster.get(resource, name) for resource, name in KUBEMODS.items()}
    made.start()
    for resource, name in KUBEMODS.items():
        after = cluster.get(resource, name)
        bundles = {hook["clientConfig"].pop("caBundle") for hook in after["webhooks"]}
        assert len(bundles) == 1
        assert after["webhooks"] == before[resource]["webhooks"]
        assert after["metadata"]["name"] == name
    assert made.refused() == []
