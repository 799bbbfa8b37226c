# SPDX-License-Identifier: Apache-2.0
"""What replicas write into a cluster: their entry of each mutator's status, Events, the
Lease that settles who sweeps after those that are gone."""

import re
import signal

import policies
import pytest
from fixpoint_cluster import LEASES, definitions, for_deployments, resource_of, until
from standin import definitions as others
from standin.cluster import Cluster
from webhook_configurations import CONFIGURATION, NAMESPACE

STATUS = ("--operation", "mutation-webhook", "--operation", "mutation-status")
DATE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"


@pytest.fixture
def cluster(request, tmp_path):
    """Where byPod is a list with keys, as installed with Fixpoint; or (`both`) where it is
    atomic, as Gatekeeper's definitions have it."""
    made = Cluster(tmp_path / "cluster")
    if getattr(request, "param", "keyed") == "atomic":
        made.need_standin()
        made.define(*others.mutators(keyed=False), *others.fixpoint())
    else:
        made.define(*definitions())
    forget_lease(made)
    yield made
    forget_lease(made)
    made.close()


both = pytest.mark.parametrize("cluster", ["keyed", "atomic"], indirect=True)


def assign(name, location, value):
    """About Deployments: API servers of 1.20 cannot apply the empty group of Pods."""
    return for_deployments(policies.assign(name, location, value))


def forget_lease(cluster):
    if cluster.find(LEASES, CONFIGURATION, NAMESPACE):
        cluster.delete(LEASES, CONFIGURATION, NAMESPACE)


def pod(name):
    spec = {"containers": [{"name": "c", "image": "nginx:1"}]}
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def entries(fixture, policy):
    """{id: entry}"""
    stored = fixture.cluster.get(resource_of(policy), policy["metadata"]["name"])
    found = stored.get("status", {}).get("byPod", [])
    assert len({one["id"] for one in found}) == len(found), found
    return {one["id"]: one for one in found}


def ids(fixture, policy):
    return sorted(entries(fixture, policy))


def events(fixture, policy):
    """Those about a policy."""
    uid = fixture.cluster.get(resource_of(policy), policy["metadata"]["name"])["metadata"]["uid"]
    found = fixture.cluster.list("events", "default")
    return [one for one in found if one["involvedObject"].get("uid") == uid]


def reasons(fixture, policy):
    return [one["reason"] for one in events(fixture, policy)]


def holder(fixture):
    """The Lease's record; empty where there is none."""
    found = fixture.cluster.find(LEASES, CONFIGURATION, NAMESPACE)
    return found["spec"] if found else {}


def retire(fixture, replica):
    """Ends a replica as a Pod ends: what it held is free before it is gone."""
    replica.signal(signal.SIGTERM)
    until(lambda: holder(fixture).get("holderIdentity", ""), "")
    assert replica.stop() == 0


# --- status ----------------------------------------------------------------------------------


@both
def test_each_replica_has_its_entry(fixture):
    good = assign("good", "spec.dnsPolicy", "Default")
    bad = assign("bad", "metadata.name", "x")
    fixture.put(good, bad)
    first = fixture.start(*STATUS, name="fixpoint-1-a")
    second = fixture.start(*STATUS, name="fixpoint-1-b")
    until(lambda: ids(fixture, good), [first.name, second.name])
    until(lambda: ids(fixture, bad), [first.name, second.name])
    stored = fixture.cluster.get(resource_of(good), "good")["metadata"]
    for replica in (first, second):
        entry = entries(fixture, good)[replica.name]
        assert entry == {
            "id": replica.name,
            "mutatorUID": stored["uid"],
            "observedGeneration": stored["generation"],
            "operations": ["mutation-status", "mutation-webhook"],
            "enforced": True,
        }
        wrong = entries(fixture, bad)[replica.name]
        assert "enforced" not in wrong
        assert [sorted(one) for one in wrong["errors"]] == [["message"]]
    fixture.put(assign("bad", "spec.dnsPolicy", "Default"))
    until(lambda: [one.get("enforced") for one in entries(fixture, bad).values()], [True] * 2)
    assert {one["observedGeneration"] for one in entries(fixture, bad).values()} == {2}


@both
def test_conflicts_are_told_and_taken_back(fixture):
    one = assign("one", "spec.containers[name: x].image", "x")
    other = assign("other", "spec.containers.image", "x")
    replica = fixture.start(*STATUS)
    fixture.put(one)
    until(lambda: entries(fixture, one).get(replica.name, {}).get("enforced"), True)
    fixture.put(other)
    for policy in (one, other):
        until(lambda p=policy: "errors" in entries(fixture, p).get(replica.name, {}), True)
        (error,) = entries(fixture, policy)[replica.name]["errors"]
        assert error["type"] == "ErrConflictingSchema"
        assert "Assign.mutations.gatekeeper.sh /one" in error["message"]
    fixture.drop(other)
    until(lambda: entries(fixture, one)[replica.name].get("enforced"), True)


def test_of_a_conflict_among_many_the_first_are_named(fixture):
    """Each of thousands has it as an error, but without the thousands of others."""
    many = [assign("m%02d" % i, "spec.c%s.i" % ("[name: x]" * (i % 2)), "x") for i in range(23)]
    replica = fixture.start(*STATUS)
    fixture.put(*many)
    named = ",".join("Assign.mutations.gatekeeper.sh /m%02d" % i for i in range(20))
    for policy in (many[0], many[22]):
        until(
            lambda p=policy: entries(fixture, p).get(replica.name, {}).get("errors"),
            [
                {
                    "type": "ErrConflictingSchema",
                    "message": "the following mutators have conflicting schemas: "
                    "[%s and 3 more]" % named,
                }
            ],
        )


@both
def test_entries_of_others_stay(fixture):
    """Gatekeeper's own replicas write into the same list."""
    policy = assign("shared", "spec.dnsPolicy", "Default")
    fixture.put(policy)
    stored = fixture.cluster.get(resource_of(policy), "shared")
    theirs = {"id": "gatekeeper-audit-5c8f7b6d9-abcde", "enforced": True}
    stored["status"] = {"byPod": [theirs]}
    fixture.cluster.update(stored, subresource="status", fieldManager="gatekeeper")
    replica = fixture.start(*STATUS, name="fixpoint-1-a")
    until(lambda: ids(fixture, policy), [replica.name, theirs["id"]])
    assert entries(fixture, policy)[theirs["id"]] == theirs


# --- the Lease, and the sweep ----------------------------------------------------------------


def test_one_holds_the_lease(fixture):
    first = fixture.start(*STATUS, name="fixpoint-1-a")
    first.log.wait("lease won")
    second = fixture.start(*STATUS, name="fixpoint-1-b")
    record = holder(fixture)
    assert record.get("holderIdentity", "").startswith(first.name + "_")
    assert record["leaseDurationSeconds"] == 30
    assert re.fullmatch(DATE + r"\.\d{6}Z", record["renewTime"])
    until(lambda: holder(fixture)["renewTime"] != record["renewTime"], True, within=15)
    renewed = holder(fixture)
    assert renewed["acquireTime"] == record["acquireTime"]
    assert renewed["leaseTransitions"] == record["leaseTransitions"] == 0
    assert not second.log.entries("lease won")
    first.signal(signal.SIGTERM)  # it releases the Lease: no replica waits for half a minute
    second.log.wait("lease won", timeout=8)
    assert first.stop() == 0
    assert holder(fixture).get("holderIdentity", "").startswith(second.name + "_")
    assert holder(fixture)["leaseTransitions"] == 1


@both
def test_those_that_are_gone_are_swept(fixture):
    """One replica goes, with its Pod; another one, of the same Deployment, sweeps."""
    policy = assign("swept", "spec.dnsPolicy", "Default")
    gone, stays = "fixpoint-5c8f7b6d9-gone1", "fixpoint-5c8f7b6d9-stays"
    fixture.put(policy, pod(gone), pod(stays))
    theirs = {"id": "gatekeeper-audit-5c8f7b6d9-abcde", "enforced": True}
    stored = fixture.cluster.get(resource_of(policy), "swept")
    stored["status"] = {"byPod": [theirs]}
    fixture.cluster.update(stored, subresource="status", fieldManager="gatekeeper")
    first = fixture.start(*STATUS, name=gone)
    until(lambda: ids(fixture, policy), [gone, theirs["id"]])
    retire(fixture, first)
    fixture.drop(pod(gone))
    second = fixture.start(*STATUS, name=stays)
    until(lambda: ids(fixture, policy), [gone, stays, theirs["id"]])
    second.log.wait("lease won")
    until(lambda: ids(fixture, policy), [stays, theirs["id"]], within=30)
    assert entries(fixture, policy)[theirs["id"]] == theirs
    assert entries(fixture, policy)[stays]["enforced"] is True
    managers = fixture.cluster.get(resource_of(policy), "swept")["metadata"]["managedFields"]
    assert not [one for one in managers if one["manager"] == "fixpoint-" + gone]


# --- Events ----------------------------------------------------------------------------------


def test_events_about_what_is_wrong(fixture):
    bad = assign("bad", "metadata.name", "x")
    one = assign("one", "spec.containers[name: x].image", "x")
    other = assign("other", "spec.containers.image", "x")
    good = assign("good", "spec.dnsPolicy", "Default")
    fixture.put(bad, one, other, good)
    replica = fixture.start(*STATUS)
    until(lambda: reasons(fixture, bad), ["Invalid"])
    for policy in (one, other):
        until(lambda p=policy: reasons(fixture, p), ["Conflicting"])
    (event,) = events(fixture, bad)
    assert event["metadata"]["name"].startswith("bad.")
    assert event["type"] == "Warning" and event["count"] == 1
    assert event["source"]["component"] == event["reportingComponent"] == "fixpoint"
    assert event["message"] == entries(fixture, bad)[replica.name]["errors"][0]["message"]
    assert re.fullmatch(DATE + "Z", event["firstTimestamp"])
    assert event["involvedObject"]["kind"] == "Assign"
    assert event["involvedObject"]["apiVersion"] == bad["apiVersion"]

    # Another one after it says the same, which is not reported again; a new error is.
    retire(fixture, replica)
    again = fixture.start(*STATUS, name="again")
    again.log.wait("lease won")
    fixture.put(assign("bad", "spec.[", "x"))
    until(lambda: reasons(fixture, bad), ["Invalid"] * 2)
    for policy in (bad, one, other):
        assert {one["count"] for one in events(fixture, policy)} == {1}
    assert len(events(fixture, one)) == 1
    assert events(fixture, good) == []


def test_no_events(fixture):
    bad = assign("bad", "metadata.name", "x")
    fixture.put(bad)
    replica = fixture.start(*STATUS, "--no-events")
    replica.log.wait("lease won")
    until(lambda: ids(fixture, bad), [replica.name])
    assert events(fixture, bad) == []
