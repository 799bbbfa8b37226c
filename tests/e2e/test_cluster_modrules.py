# SPDX-License-Identifier: Apache-2.0
"""KubeMod's ModRules in a cluster: whose they are, what is said of them, and under which
definition."""

import re
import time

import pytest
from fixpoint_cluster import definitions as installed
from fixpoint_cluster import until
from policies import annotation
from standin import definitions, faults
from standin.cluster import Cluster
from webhook_configurations import NAMESPACE

MODRULES = "modrules.api.kubemod.io"
GROUP = "api.kubemod.io"
CLUSTER = "kubemod-system"
STATUS = ("--operation", "mutation-webhook", "--operation", "mutation-status")
CRDS = "customresourcedefinitions"
FAULTS = ("match", "patch", "rejectMessage", "targetNamespaceRegex")


@pytest.fixture
def cluster(tmp_path):
    """With the definition of ModRule, and of a mutator to compare."""
    made = Cluster(tmp_path / "cluster")
    made.define(definitions.modrule(), *installed("assignmetadata.mutations.gatekeeper.sh"))
    yield made
    made.close()


def rule(name, key, value="1", namespace=NAMESPACE, **spec):
    """Sets an annotation of Deployments."""
    text = '"%s"' % value  # else a number stays one
    return {
        "apiVersion": GROUP + "/v1beta1",
        "kind": "ModRule",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "type": "Patch",
            "match": [{"select": "$.kind", "matchValue": "Deployment"}],
            "patch": [{"op": "add", "path": "/metadata/annotations/" + key, "value": text}],
            **spec,
        },
    }


def broken(name, key, **how):
    """With a fault in each of FAULTS, none of which a schema sees."""
    made = rule(name, key, rejectMessage="no", targetNamespaceRegex="(", **how)
    made["spec"]["match"][0]["matchRegex"] = "("
    made["spec"]["patch"][0]["value"] = "{{ .x"
    return made


def space(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def status(fixture, obj):
    metadata = obj["metadata"]
    stored = fixture.cluster.get(MODRULES, metadata["name"], metadata["namespace"])
    return stored.get("status") or {}


def entry(fixture, obj, replica):
    """What the replica says of it; empty: nothing."""
    entries = status(fixture, obj).get("byPod", [])
    return next((one for one in entries if one["id"] == replica.name), {})


def ready(fixture, obj):
    """Its condition; empty: none."""
    conditions = status(fixture, obj).get("conditions", [])
    assert [one["type"] for one in conditions] in ([], ["Ready"])
    return conditions[0] if conditions else {}


def is_ready(fixture, obj):
    return ready(fixture, obj).get("status")


# --- whose they are --------------------------------------------------------------------------


def test_a_rule_is_of_its_namespace(fixture):
    other = fixture.namespace()
    fixture.put(rule("a", "a"))
    fixture.start(register=True)
    fixture.expect(a="1")
    assert fixture.annotations(other) == {}
    fixture.put(rule("a", "a", "2"), rule("b", "b", namespace=other))
    fixture.expect(a="2")
    until(lambda: fixture.annotations(other), {"b": "1"})
    fixture.drop(rule("a", "a"))
    fixture.expect()
    assert fixture.annotations(other) == {"b": "1"}


def test_two_of_one_name_are_two(fixture):
    other = fixture.namespace()
    here, there = rule("same", "here"), rule("same", "there", namespace=other)
    fixture.start(register=True)
    fixture.put(here, there)
    fixture.expect(here="1")
    until(lambda: fixture.annotations(other), {"there": "1"})
    fixture.drop(here)
    fixture.expect()
    assert fixture.annotations(other) == {"there": "1"}


def test_rules_of_the_cluster(fixture):
    other = fixture.namespace()
    fixture.put(space(CLUSTER))
    fixture.start(register=True)
    everywhere = rule("every", "every", namespace=CLUSTER, targetNamespaceRegex="^e2e-")
    fixture.put(everywhere, rule("none", "none", namespace=CLUSTER))
    until(lambda: fixture.annotations(other), {"every": "1"})
    assert fixture.annotations() == {}
    fixture.drop(everywhere)
    until(lambda: fixture.annotations(other), {})


def test_another_namespace_for_the_rules_of_the_cluster(fixture):
    rules, other = fixture.namespace(), fixture.namespace()
    fixture.put(space(CLUSTER))
    fixture.put(
        rule("a", "a", namespace=rules, targetNamespaceRegex="."),
        rule("b", "b", namespace=CLUSTER, targetNamespaceRegex="."),
    )
    fixture.start("--cluster-modrules-namespace", rules, register=True)
    until(lambda: fixture.annotations(other), {"a": "1"})
    assert fixture.annotations() == {"a": "1"}
    assert fixture.annotations(CLUSTER) == {"a": "1", "b": "1"}


def test_beside_mutators(fixture):
    """One loop: the rule sees what the mutator wrote."""
    fixture.put(annotation("first", "first", "1"))
    match = [{"select": "$.metadata.annotations.first", "matchValue": "1"}]
    fixture.put(rule("second", "second", match=match))
    fixture.start(register=True)
    fixture.expect(first="1", second="1")


# --- what is said of them --------------------------------------------------------------------


def test_one_that_is_broken(fixture):
    bad, good = broken("bad", "bad"), rule("good", "good")
    fixture.put(bad, good)
    replica = fixture.start(*STATUS, register=True)
    fixture.expect(good="1")
    until(lambda: is_ready(fixture, bad), "False")
    until(lambda: is_ready(fixture, good), "True")
    stored = fixture.cluster.get(MODRULES, "bad", NAMESPACE)["metadata"]
    wrong, right = ready(fixture, bad), ready(fixture, good)
    assert wrong["reason"] == "Invalid" and right["reason"] == "Accepted"
    assert wrong["observedGeneration"] == stored["generation"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", wrong["lastTransitionTime"])
    until(lambda: entry(fixture, bad, replica).get("mutatorUID"), stored["uid"])
    faults = [one["message"] for one in entry(fixture, bad, replica)["errors"]]
    assert [re.match(r"spec\.(\w+)", one).group(1) for one in faults] == list(FAULTS)
    assert wrong["message"] == "; ".join(faults)
    until(lambda: entry(fixture, good, replica).get("enforced"), True)
    file = "%s/%s/bad" % (MODRULES, NAMESPACE)
    report = lambda: [one for one in replica.log.entries("policy finding") if one.get("file") == file]
    until(lambda: len(report()), len(FAULTS))

    def reasons():
        events = fixture.cluster.list("events", NAMESPACE)
        about = [one for one in events if one["involvedObject"].get("uid") == stored["uid"]]
        assert {one["involvedObject"]["namespace"] for one in about} <= {NAMESPACE}
        return [one["reason"] for one in about]

    until(reasons, ["Invalid"] * len(FAULTS))


def test_events_are_where_the_rule_is(fixture):
    """An API server takes them nowhere else."""
    shop = fixture.namespace()
    bad = broken("bad", "bad", namespace=shop)
    fixture.put(bad)
    fixture.start(*STATUS)
    until(lambda: len(fixture.cluster.list("events", shop)), len(FAULTS))
    elsewhere = fixture.cluster.list("events", "default")
    assert shop not in [event["involvedObject"].get("namespace") for event in elsewhere]


def test_a_broken_change_keeps_the_previous_version(fixture):
    good = rule("r", "r")
    fixture.put(good)
    fixture.start(*STATUS, register=True)
    fixture.expect(r="1")
    until(lambda: is_ready(fixture, good), "True")
    fixture.put(broken("r", "other"))
    until(lambda: is_ready(fixture, good), "False")
    assert ready(fixture, good)["message"].endswith("; the previous version stays active")
    assert fixture.annotations() == {"r": "1"}
    since = ready(fixture, good)["lastTransitionTime"]
    time.sleep(1.1)  # the clock of conditions counts seconds
    fixture.put(broken("r", "third"))
    until(lambda: ready(fixture, good)["observedGeneration"], 3)
    assert ready(fixture, good)["lastTransitionTime"] == since  # it is as it was
    fixture.put(rule("r", "r", "2", executionTier=0))
    until(lambda: is_ready(fixture, good), "True")
    assert ready(fixture, good)["lastTransitionTime"] > since
    fixture.expect(r="2")


def test_one_says_whether_it_is_ready(fixture):
    """Each replica has its entry; the condition is the leader's, and stays when another one
    leads."""
    obj = rule("r", "r")
    fixture.put(obj)
    first = fixture.start(*STATUS, name="first")
    first.log.wait("lease won")
    second = fixture.start(*STATUS, name="second")
    until(lambda: [one["id"] for one in status(fixture, obj).get("byPod", [])], ["first", "second"])
    until(lambda: is_ready(fixture, obj), "True")

    def managers():
        stored = fixture.cluster.get(MODRULES, "r", NAMESPACE)["metadata"]["managedFields"]
        # Servers before 1.22 name no subresource.
        return sorted(
            one["manager"]
            for one in stored
            if one.get("subresource") == "status" or "f:status" in one.get("fieldsV1", {})
        )

    assert managers() == ["fixpoint", "fixpoint-first", "fixpoint-second"]
    before = fixture.cluster.get(MODRULES, "r", NAMESPACE)["metadata"]["resourceVersion"]
    assert first.stop() == 0
    second.log.wait("lease won", timeout=8)
    fixture.put(rule("other", "o"))
    until(lambda: is_ready(fixture, rule("other", "o")), "True")
    assert fixture.cluster.get(MODRULES, "r", NAMESPACE)["metadata"]["resourceVersion"] == before
    stored = fixture.cluster.get(MODRULES, "r", NAMESPACE)
    stored["status"]["conditions"][0]["status"] = "False"
    fixture.cluster.update(stored, subresource="status", fieldManager="somebody")
    until(lambda: is_ready(fixture, obj), "True")


def test_entries_of_replicas_that_are_gone(fixture):
    """In its namespace, where the Pods are not."""
    obj = rule("r", "r", namespace=fixture.namespace())
    gone, stays = "fixpoint-5c8f7b6d9-gone1", "fixpoint-5c8f7b6d9-stays"
    fixture.put(obj, *(pod(name) for name in (gone, stays)))
    first = fixture.start(*STATUS, name=gone)
    until(lambda: [one["id"] for one in status(fixture, obj).get("byPod", [])], [gone])
    assert first.stop() == 0
    fixture.drop(pod(gone))
    fixture.start(*STATUS, name=stays)
    until(lambda: [one["id"] for one in status(fixture, obj)["byPod"]], [stays], within=30)


def pod(name):
    spec = {"containers": [{"name": "c", "image": "nginx:1"}]}
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


# --- which definition there is ---------------------------------------------------------------


def test_a_definition_that_comes_later(fixture):
    fixture.drop(definitions.modrule())
    fixture.put(annotation("a", "a", "1"))
    replica = fixture.start(*STATUS, register=True)
    assert replica.state(MODRULES) == "absent"
    fixture.expect(a="1")
    fixture.define(definitions.modrule())
    obj = rule("r", "r")
    fixture.put(obj)
    fixture.expect(a="1", r="1", within=30)
    until(lambda: is_ready(fixture, obj), "True")
    until(lambda: entry(fixture, obj, replica).get("enforced"), True)
    assert replica.state(MODRULES) == "watching"
    fixture.drop(definitions.modrule())  # and takes its objects along
    fixture.expect(a="1", within=30)


def test_kubemods_own_definition(fixture):
    """It has nothing that could be written: that is said once, and left at that."""
    standin = fixture.cluster.need_standin()
    fixture.drop(definitions.modrule())
    fixture.cluster.define(definitions.modrule(status=False))
    fixture.put(rule("r", "r"), broken("bad", "bad"))
    replica = fixture.start(*STATUS, register=True)
    fixture.expect(r="1")
    said = "status not written: the installed CRD has no field for it"
    assert replica.log.wait(said)["resource"] == "modrules"
    until(lambda: len(fixture.cluster.list("events", NAMESPACE)), len(FAULTS))  # which can be
    for step in range(3):
        fixture.put(rule("r", "r", str(step)))
        fixture.expect(r=str(step))
    assert len(replica.log.entries(said)) == 1
    tried = [one for one in standin.log.of(resource="modrules") if one.user == "fixpoint"]
    assert not [one for one in tried if one.verb not in ("list", "watch")]
    assert replica.metric("fixpoint_status_queue_depth") == 0


def test_a_definition_that_may_not_be_read(fixture):
    """Then entries are merged, which always works; whether there is room for a condition
    no kind declares."""
    standin = fixture.cluster.need_standin()
    user = "narrow"
    for verbs, resources in (
        (["get", "list", "watch"], ["*"]),
        (["update", "patch"], ["modrules/status"]),
        (["create", "get", "patch"], ["leases"]),
    ):
        group = "*" if "*" in resources else GROUP
        group = "coordination.k8s.io" if "leases" in resources else group
        standin.grant(user, verbs, resources, group=group)
    refusal = faults.answer(403, "%s is forbidden" % CRDS)
    denied = standin.faults.add(refusal, verb="get", resource=CRDS, user=user)
    kubeconfig = fixture.cluster.standin.kubeconfig_for(user, groups=[])
    obj = rule("r", "r")
    fixture.put(obj)
    replica = fixture.start(*STATUS, "--no-events", kubeconfig=kubeconfig)
    until(lambda: entry(fixture, obj, replica).get("enforced"), True)
    assert denied.hits > 0 and ready(fixture, obj) == {}
    standin.faults.clear()


def test_rights_that_are_missing(fixture):
    """They are wanted in every namespace: the advice is a ClusterRole."""
    standin = fixture.cluster.need_standin()
    shop = fixture.namespace()
    standin.grant("reader", ["get", "list", "watch"], ["*"], group="*")
    standin.grant("reader", ["create", "get", "patch"], ["leases"], group="coordination.k8s.io")
    fixture.put(broken("bad", "bad", namespace=shop))
    replica = fixture.start(*STATUS, kubeconfig=standin.kubeconfig_for("reader", groups=[]))
    for message, rule in (
        ("status not written: it will be retried", '["modrules/status"], verbs ["patch"]'),
        ("Event not written", '["events"], verbs ["create"]'),
    ):
        error = replica.log.wait(message)["error"]
        assert "the ClusterRole needs" in error and rule in error


# --- which policies are read -----------------------------------------------------------------


def listed(fixture):
    return {one.resource for one in fixture.cluster.standin.log.of(verb="list", user="fixpoint")}


def test_only_gatekeepers(fixture):
    fixture.cluster.need_standin()
    fixture.put(annotation("a", "a", "1"), rule("r", "r"))
    replica = fixture.start("--apis", "gatekeeper", *STATUS, register=True)
    fixture.expect(a="1")
    assert "assignmetadata" in listed(fixture) and "modrules" not in listed(fixture)
    labels = {dict(labels).get("resource") for _, labels in replica.metrics()}
    assert "assignmetadata.mutations.gatekeeper.sh" in labels and MODRULES not in labels
    asked = {one.name for one in fixture.cluster.standin.log.of(resource=CRDS, user="fixpoint")}
    assert MODRULES not in asked


def test_only_kubemods(fixture):
    fixture.cluster.need_standin()
    fixture.put(annotation("a", "a", "1"), rule("r", "r"))
    replica = fixture.start("--apis", "kubemod", *STATUS, register=True)
    fixture.expect(r="1")
    assert {"modrules", "namespaces"} <= listed(fixture)
    assert not {"assignmetadata", "configs", "providers"} & listed(fixture)
    labels = {dict(labels).get("resource") for _, labels in replica.metrics()}
    assert MODRULES in labels and "assignmetadata.mutations.gatekeeper.sh" not in labels


def test_both_by_name(fixture):
    fixture.put(annotation("a", "a", "1"), rule("r", "r"))
    fixture.start("--apis", "kubemod,gatekeeper", register=True)
    fixture.expect(a="1", r="1")
