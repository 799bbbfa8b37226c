# SPDX-License-Identifier: Apache-2.0
"""Rules that mutate existing objects, with the toy dialect (tests/toy): a request triggers a
job, which reads the targets, changes them and writes them."""

import time

import pytest
from client import answer, ask, review
from fixpoint_cluster import deployment, until
from standin import faults
from toy import toy, toy_cluster, without_kyverno
from webhook_configurations import NAMESPACE

CHANGED = "existing object changed"
FAILED = "existing objects not changed"
RULES = [
    {
        "operations": ["CREATE", "UPDATE", "DELETE"],
        "apiGroups": ["", "apps"],
        "apiVersions": ["v1"],
        "resources": ["deployments", "configmaps"],
    }
]
ALL = "--operation", "mutation-webhook", "--operation", "mutation-status"


@pytest.fixture
def cluster(tmp_path):
    made = toy_cluster(tmp_path / "cluster")
    yield made
    made.close()


@pytest.fixture
def fixture(fixture):
    return without_kyverno(fixture)


def target(name="settings", namespace=NAMESPACE, kind="ConfigMap", **more):
    return {"apiVersion": "v1", "kind": kind, "name": name, "namespace": namespace, **more}


def rule(name="tags", tags=None, targets=None, kinds=("Deployment",), **spec):
    """A policy that writes tags into targets, with its binding."""
    policy = toy(
        "TagPolicy",
        name,
        action="existing",
        match={"kinds": list(kinds)},
        targets=targets or [target()],
        tags=tags or {"by": "toy"},
        **spec,
    )
    return policy, toy("TagBinding", name, policyName=name)


def config_map(name="settings", namespace=NAMESPACE, annotations=None, **labels):
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    if annotations:
        metadata["annotations"] = annotations
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}}


@pytest.fixture
def start(fixture):
    def begin(*args, mode="on", **how):
        replica = fixture.start("--existing", mode, *args, *ALL, **how)
        fixture.register(replica.port, replica.ca, rules=RULES)
        return replica

    return begin


def tags_of(fixture, name="settings", resource="configmaps", namespace=NAMESPACE):
    stored = fixture.cluster.get(resource, name, namespace)
    return stored["metadata"].get("annotations", {})


def jobs(replica, result="done"):
    return replica.metric("fixpoint_existing_jobs_total", result=result)


def targets(replica, result="written"):
    return replica.metric("fixpoint_existing_targets_total", result=result)


def patches(fixture, resource="configmaps"):
    """The writes of Fixpoint."""
    return [
        one
        for one in list(fixture.cluster.standin.log)
        if one.user == "fixpoint" and one.verb == "patch" and one.resource == resource
    ]


def events(fixture):
    """The Events about policies."""
    found = fixture.cluster.list("events", "default")
    return [one for one in found if one["involvedObject"]["kind"] == "TagPolicy"]


def reasons(fixture):
    return sorted(one["reason"] for one in events(fixture))


def test_a_request_changes_another_object(fixture, start):
    """The target gets the tags, the trigger is stored as it came; the second time nothing is
    written, since nothing is to change."""
    fixture.put(config_map(), config_map("other"))
    fixture.put(*rule(tags={"by": "toy", "owner": {"fromTrigger": "owner"}}))
    replica = start()
    trigger = deployment("web")
    trigger["metadata"]["annotations"] = {"owner": "ann"}
    fixture.put(trigger)
    until(lambda: tags_of(fixture), {"by": "toy", "owner": "ann"})
    assert tags_of(fixture, "other") == {}
    stored = fixture.cluster.get("deployments.apps", "web", NAMESPACE)
    assert stored["metadata"]["annotations"] == {"owner": "ann"}
    assert replica.log.wait(CHANGED)["target"] == "ConfigMap default/settings"
    until(lambda: jobs(replica), 1)
    trigger["metadata"]["labels"] = {"a": "b"}
    fixture.put(trigger)
    until(lambda: jobs(replica), 2)
    assert (targets(replica), targets(replica, "same")) == (1, 1)
    assert len(patches(fixture)) == 1
    assert fixture.cluster.get("configmaps", "settings", NAMESPACE)["data"] == {"a": "b"}


def test_off_by_default(fixture):
    fixture.put(config_map(), *rule())
    replica = fixture.start()
    fixture.register(replica.port, replica.ca, rules=RULES)
    fixture.put(deployment("web"))
    time.sleep(0.5)
    assert tags_of(fixture) == {}
    assert (jobs(replica), len(patches(fixture))) == (0, 0)
    off = "rules for existing objects do nothing, because --existing is off"
    assert replica.log.wait(off, rules=1)["first"] == "tags:tags"


def test_a_dry_run_stores_nothing(fixture, start):
    fixture.put(config_map(), *rule())
    replica = start(mode="dry-run")
    fixture.put(deployment("web"))
    logged = replica.log.wait("existing object would be changed")
    assert (logged["mutator"], logged["target"]) == ("tags:tags", "ConfigMap default/settings")
    assert tags_of(fixture) == {}
    assert [one.query["dryRun"] for one in patches(fixture)] == ["All"]


def test_a_request_that_is_a_dry_run_triggers_nothing(fixture, start):
    fixture.put(config_map(), *rule())
    replica = start()
    fixture.would_create()
    time.sleep(0.3)
    assert (tags_of(fixture), jobs(replica)) == ({}, 0)


def test_a_deletion_triggers(fixture, start):
    fixture.put(config_map(), deployment("web"))
    fixture.put(*rule())
    start()
    fixture.drop(deployment("web"))
    until(lambda: tags_of(fixture), {"by": "toy"})


def test_names_namespaces_and_selectors(fixture, start):
    """Wildcards, the namespace of the trigger, and labels choose among several pages."""
    space = fixture.namespace()
    fixture.cluster.load(*(config_map("settings-%03d" % i, space, tagged="yes") for i in range(230)))
    fixture.cluster.load(config_map("settings-x", space), config_map("other", space, tagged="yes"))
    fixture.cluster.load(config_map("settings-1", tagged="yes"))
    selector = {"matchLabels": {"tagged": "yes"}}
    chosen = target("settings-*", "$namespace", selector=selector)
    fixture.put(*rule(targets=[chosen]))
    replica = start("--existing-qps", "1000")
    fixture.put(deployment("web", space))
    until(lambda: jobs(replica), 1, 30)
    assert targets(replica) == 230
    assert tags_of(fixture, "settings-229", namespace=space) == {"by": "toy"}
    assert tags_of(fixture, "settings-x", namespace=space) == {}
    assert tags_of(fixture, "other", namespace=space) == {}
    assert tags_of(fixture, "settings-1") == {}


def test_conflicts(fixture, start):
    """After a conflict the target is read again and keeps what others wrote."""
    standin = fixture.cluster.standin
    fixture.put(config_map(), *rule())
    replica = start()
    conflict = faults.answer(409, "the object has been modified")
    fault = standin.faults.add(conflict, times=3, verb="patch", resource="configmaps")
    fixture.put(deployment("web"))
    fault.wait(1)
    fixture.cluster.load({**config_map(), "data": {"a": "c"}})
    until(lambda: tags_of(fixture), {"by": "toy"})
    assert fixture.cluster.get("configmaps", "settings", NAMESPACE)["data"] == {"a": "c"}
    assert (targets(replica, "conflict"), targets(replica)) == (3, 1)


def test_a_refusal_is_reported_once(fixture, start):
    """A write that the API server refuses is not repeated for ever: an Event, a line of the
    log, and metrics tell."""
    standin = fixture.cluster.standin
    fixture.put(config_map(), *rule())
    replica = start()
    fault = standin.faults.add(
        faults.answer(422, "the annotation is not allowed"), verb="patch", resource="configmaps"
    )
    for i in range(3):
        fixture.put(deployment("web-%d" % i))
    until(lambda: jobs(replica, "failed"), 3)
    assert (fault.hits, targets(replica, "refused")) == (3, 3)
    assert "the annotation is not allowed" in replica.log.wait(FAILED)["error"]
    assert len(replica.log.entries(FAILED)) == 1
    until(lambda: reasons(fixture), ["TargetRefused"])


def test_a_rule_that_does_not_settle(fixture, start):
    fixture.put(config_map(), *rule(tags={"log": {"grows": "x"}}))
    replica = start()
    fixture.put(deployment("web"))
    until(lambda: targets(replica, "unsettled"), 1)
    assert (tags_of(fixture), patches(fixture)) == ({}, [])
    assert replica.log.wait(FAILED)["mutator"] == "tags:tags"
    until(lambda: reasons(fixture), ["TargetDoesNotSettle"])


def test_own_requests_trigger_nothing(fixture, start):
    """A rule whose targets are triggers, too: the write of the target is a request of
    Fixpoint itself."""
    fixture.put(config_map("trigger"), config_map())
    fixture.put(*rule(kinds=["ConfigMap"]))
    replica = start()
    fixture.put(config_map("trigger", more="labels"))
    until(lambda: jobs(replica, "own"), 1)
    assert tags_of(fixture) == {"by": "toy"}
    assert (jobs(replica), len(patches(fixture))) == (1, 1)


def test_a_loop_of_two_rules_ends(fixture, start):
    """Two rules that want requests of Fixpoint, and change each other's value: each leaves
    the target alone after a few changes, and an Event names it."""
    fixture.put(config_map(), config_map("trigger"))
    for value in ("one", "two"):
        fixture.put(*rule(value, {"value": value}, kinds=["ConfigMap"], ownRequests=True))
    replica = start()
    fixture.put(config_map("trigger", more="labels"))
    until(lambda: targets(replica, "too_often"), lambda n: n >= 1, 20)
    until(lambda: replica.metric("fixpoint_existing_queue_depth"), 0, 20)
    assert set(reasons(fixture)) == {"TargetChangedTooOften"}
    assert 2 <= targets(replica) <= 10
    assert all(one["message"].startswith("ConfigMap default/") for one in events(fixture))


def test_server_side_apply(fixture, start):
    """The field manager of the tag is Fixpoint; the rest of the object stays."""
    fixture.put(config_map(), *rule(serverSideApply=True))
    start()
    fixture.put(deployment("web"))
    until(lambda: tags_of(fixture), {"by": "toy"})
    stored = fixture.cluster.get("configmaps", "settings", NAMESPACE)
    entries = {one["manager"]: one for one in stored["metadata"]["managedFields"]}
    assert entries["fixpoint"]["operation"] == "Apply"
    owned = entries["fixpoint"]["fieldsV1"]["f:metadata"]
    assert owned == {"f:annotations": {"f:by": {}}}
    assert stored["data"] == {"a": "b"}


def test_a_policy_that_changes_runs_on_what_exists(fixture, start):
    """The leader makes each object that matches a trigger, for a new policy and a changed
    one; not for others."""
    fixture.put(config_map(), deployment("web"), deployment("api"))
    start("--existing-qps", "1000")
    fixture.put(*rule())
    fixture.put(*rule("eager", {"eager": "1"}, onPolicyChange=True))
    until(lambda: tags_of(fixture), {"eager": "1"}, 20)
    fixture.put(*rule("eager", {"eager": "2"}, onPolicyChange=True))
    until(lambda: tags_of(fixture), {"eager": "2"}, 20)


def test_an_input_of_the_target(fixture, start):
    """The rule asks for an object while it mutates the target."""
    tags = {"team": {"fromConfigMap": {"annotation": "from", "key": "a"}}}
    fixture.put(config_map("teams"), config_map(annotations={"from": "teams"}), *rule(tags=tags))
    start()
    fixture.put(deployment("web"))
    until(lambda: tags_of(fixture), {"from": "teams", "team": "b"})


def test_an_outage(fixture, start):
    """The job waits until the API server is back; the reviews go on."""
    fixture.put(config_map(), *rule())
    replica = start()
    standin = fixture.cluster.standin
    standin.disappear()
    assert answer(ask(replica, review(deployment("web"))))["allowed"]
    time.sleep(0.5)
    assert replica.metric("fixpoint_existing_queue_depth") == 1
    standin.reappear()
    until(lambda: tags_of(fixture), {"by": "toy"}, 40)


def test_a_newer_trigger_replaces_one_that_waits(fixture, start):
    """While jobs hang, requests for one object are one job, and the last one counts."""
    standin = fixture.cluster.standin
    fixture.put(config_map(), *rule(tags={"owner": {"fromTrigger": "owner"}}))
    replica = start()
    busy = standin.faults.add(faults.delay(1.5), times=4, verb="get", resource="configmaps")
    for i in range(4):
        fixture.put(deployment("busy-%d" % i))
    busy.wait(4)
    for owner in ("ann", "ben", "eve"):
        web = deployment("web")
        web["metadata"]["annotations"] = {"owner": owner}
        fixture.put(web)
    until(lambda: tags_of(fixture), {"owner": "eve"}, 20)
    assert (jobs(replica, "replaced"), len(patches(fixture))) == (2, 1)


def test_the_end_with_jobs_that_wait(fixture, start):
    standin = fixture.cluster.standin
    fixture.put(config_map(), *rule())
    replica = start()
    standin.faults.add(faults.hang(), verb="get", resource="configmaps", user="fixpoint")
    for i in range(8):
        fixture.put(deployment("web-%d" % i))
    until(lambda: replica.metric("fixpoint_existing_queue_depth"), 8)
    assert replica.stop() == 0
    line = replica.log.wait("jobs for existing objects are dropped at the shutdown")
    assert line["jobs"] == 8


def test_what_must_not_be_read(fixture, start):
    """403: the Event says which rule of RBAC is missing."""
    standin = fixture.cluster.standin
    fixture.put(config_map(), *rule(targets=[target("*")]))
    standin.faults.add(faults.answer(403, "no"), resource="configmaps", user="fixpoint")
    replica = start()
    fixture.put(deployment("web"))
    until(lambda: jobs(replica, "failed"), 1)
    assert 'resources ["configmaps"]' in replica.log.wait(FAILED)["error"]
    until(lambda: reasons(fixture), ["TargetsNotRead"])


def test_a_secret_is_never_logged(fixture, start):
    """Not even when the API server quotes it in its refusal. (The end of each test looks for
    PRIVATE in the log.)"""
    standin = fixture.cluster.standin
    metadata = {"name": "keys", "namespace": NAMESPACE}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {"a": "PRIVATE+"}}
    fixture.put(secret, *rule(targets=[target("keys", kind="Secret")]))
    replica = start()
    fault = standin.faults.add(
        faults.answer(422, "PRIVATE+ is invalid"), times=1, verb="patch", resource="secrets"
    )
    fixture.put(deployment("web"))
    fault.wait(1)
    error = replica.log.wait(FAILED)["error"]
    assert error == "a request for a Secret failed: invalid"
    until(lambda: reasons(fixture), ["TargetRefused"])
    events = fixture.cluster.list("events", "default")
    assert "PRIVATE" not in str(events)
    fixture.put(deployment("api"))
    until(lambda: tags_of(fixture, "keys", "secrets"), {"by": "toy"})
