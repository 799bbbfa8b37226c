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


def entries(world, policy):
    """{id: entry}"""
    stored = world.cluster.get(resource_of(policy), policy["metadata"]["name"])
    found = stored.get("status", {}).get("byPod", [])
    assert len({one["id"] for one in found}) == len(found), found
    return {one["id"]: one for one in found}


def ids(world, policy):
    return sorted(entries(world, policy))


def events(world, policy):
    """Those about a policy."""
    uid = world.cluster.get(resource_of(policy), policy["metadata"]["name"])["metadata"]["uid"]
    found = world.cluster.list("events", "default")
    return [one for one in found if one["involvedObject"].get("uid") == uid]


def reasons(world, policy):
    return [one["reason"] for one in events(world, policy)]


def holder(world):
    """The Lease's record; empty where there is none."""
    found = world.cluster.find(LEASES, CONFIGURATION, NAMESPACE)
    return found["spec"] if found else {}


def retire(world, replica):
    """Ends a replica as a Pod ends: what it held is free before it is gone."""
    replica.signal(signal.SIGTERM)
    until(lambda: holder(world).get("holderIdentity", ""), "")
    assert replica.stop() == 0


# --- status ----------------------------------------------------------------------------------


@both
def test_each_replica_has_its_entry(world):
    good = assign("good", "spec.dnsPolicy", "Default")
    bad = assign("bad", "metadata.name", "x")
    world.put(good, bad)
    first = world.start(*STATUS, name="fixpoint-1-a")
    second = world.start(*STATUS, name="fixpoint-1-b")
    until(lambda: ids(world, good), [first.name, second.name])
    until(lambda: ids(world, bad), [first.name, second.name])
    stored = world.cluster.get(resource_of(good), "good")["metadata"]
    for replica in (first, second):
        entry = entries(world, good)[replica.name]
        assert entry == {
            "id": replica.name,
            "mutatorUID": stored["uid"],
            "observedGeneration": stored["generation"],
            "operations": ["mutation-status", "mutation-webhook"],
            "enforced": True,
        }
        wrong = entries(world, bad)[replica.name]
        assert "enforced" not in wrong
        assert [sorted(one) for one in wrong["errors"]] == [["message"]]
    world.put(assign("bad", "spec.dnsPolicy", "Default"))
    until(lambda: [one.get("enforced") for one in entries(world, bad).values()], [True] * 2)
    assert {one["observedGeneration"] for one in entries(world, bad).values()} == {2}


@both
def test_conflicts_are_told_and_taken_back(world):
    one = assign("one", "spec.containers[name: x].image", "x")
    other = assign("other", "spec.containers.image", "x")
    replica = world.start(*STATUS)
    world.put(one)
    until(lambda: entries(world, one).get(replica.name, {}).get("enforced"), True)
    world.put(other)
    for policy in (one, other):
        until(lambda p=policy: "errors" in entries(world, p).get(replica.name, {}), True)
        (error,) = entries(world, policy)[replica.name]["errors"]
        assert error["type"] == "ErrConflictingSchema"
        assert "Assign.mutations.gatekeeper.sh /one" in error["message"]
    world.drop(other)
    until(lambda: entries(world, one)[replica.name].get("enforced"), True)


def test_of_a_conflict_among_many_the_first_are_named(world):
    """Each of thousands is told of it, and would else be told of thousands."""
    many = [assign("m%02d" % i, "spec.c%s.i" % ("[name: x]" * (i % 2)), "x") for i in range(23)]
    replica = world.start(*STATUS)
    world.put(*many)
    named = ",".join("Assign.mutations.gatekeeper.sh /m%02d" % i for i in range(20))
    for policy in (many[0], many[22]):
        until(
            lambda p=policy: entries(world, p).get(replica.name, {}).get("errors"),
            [
                {
                    "type": "ErrConflictingSchema",
                    "message": "the following mutators have conflicting schemas: "
                    "[%s and 3 more]" % named,
                }
            ],
        )


@both
def test_entries_of_others_stay(world):
    """Gatekeeper's own replicas write into the same list."""
    policy = assign("shared", "spec.dnsPolicy", "Default")
    world.put(policy)
    stored = world.cluster.get(resource_of(policy), "shared")
    theirs = {"id": "gatekeeper-audit-5c8f7b6d9-abcde", "enforced": True}
    stored["status"] = {"byPod": [theirs]}
    world.cluster.update(stored, subresource="status", fieldManager="gatekeeper")
    replica = world.start(*STATUS, name="fixpoint-1-a")
    until(lambda: ids(world, policy), [replica.name, theirs["id"]])
    assert entries(world, policy)[theirs["id"]] == theirs


# --- the Lease, and the sweep ----------------------------------------------------------------


def test_one_holds_the_lease(world):
    first = world.start(*STATUS, name="fixpoint-1-a")
    first.log.wait("lease won")
    second = world.start(*STATUS, name="fixpoint-1-b")
    record = holder(world)
    assert record.get("holderIdentity", "").startswith(first.name + "_")
    assert record["leaseDurationSeconds"] == 30
    assert re.fullmatch(DATE + r"\.\d{6}Z", record["renewTime"])
    until(lambda: holder(world)["renewTime"] != record["renewTime"], True, within=15)
    renewed = holder(world)
    assert renewed["acquireTime"] == record["acquireTime"]
    assert renewed["leaseTransitions"] == record["leaseTransitions"] == 0
    assert not second.log.entries("lease won")
    first.signal(signal.SIGTERM)  # it gives it back: nobody waits for half a minute
    second.log.wait("lease won", timeout=8)
    assert first.stop() == 0
    assert holder(world).get("holderIdentity", "").startswith(second.name + "_")
    assert holder(world)["leaseTransitions"] == 1


@both
def test_those_that_are_gone_are_swept(world):
    """One replica goes, with its Pod; another one, of the same Deployment, sweeps."""
    policy = assign("swept", "spec.dnsPolicy", "Default")
    gone, stays = "fixpoint-5c8f7b6d9-gone1", "fixpoint-5c8f7b6d9-stays"
    world.put(policy, pod(gone), pod(stays))
    theirs = {"id": "gatekeeper-audit-5c8f7b6d9-abcde", "enforced": True}
    stored = world.cluster.get(resource_of(policy), "swept")
    stored["status"] = {"byPod": [theirs]}
    world.cluster.update(stored, subresource="status", fieldManager="gatekeeper")
    first = world.start(*STATUS, name=gone)
    until(lambda: ids(world, policy), [gone, theirs["id"]])
    retire(world, first)
    world.drop(pod(gone))
    second = world.start(*STATUS, name=stays)
    until(lambda: ids(world, policy), [gone, stays, theirs["id"]])
    second.log.wait("lease won")
    until(lambda: ids(world, policy), [stays, theirs["id"]], within=30)
    assert entries(world, policy)[theirs["id"]] == theirs
    assert entries(world, policy)[stays]["enforced"] is True
    managers = world.cluster.get(resource_of(policy), "swept")["metadata"]["managedFields"]
    assert not [one for one in managers if one["manager"] == "fixpoint-" + gone]


# --- Events ----------------------------------------------------------------------------------


def test_events_about_what_is_wrong(world):
    bad = assign("bad", "metadata.name", "x")
    one = assign("one", "spec.containers[name: x].image", "x")
    other = assign("other", "spec.containers.image", "x")
    good = assign("good", "spec.dnsPolicy", "Default")
    world.put(bad, one, other, good)
    replica = world.start(*STATUS)
    until(lambda: reasons(world, bad), ["Invalid"])
    for policy in (one, other):
        until(lambda p=policy: reasons(world, p), ["Conflicting"])
    (event,) = events(world, bad)
    assert event["metadata"]["name"].startswith("bad.")
    assert event["type"] == "Warning" and event["count"] == 1
    assert event["source"]["component"] == event["reportingComponent"] == "fixpoint"
    assert event["message"] == entries(world, bad)[replica.name]["errors"][0]["message"]
    assert re.fullmatch(DATE + "Z", event["firstTimestamp"])
    assert event["involvedObject"]["kind"] == "Assign"
    assert event["involvedObject"]["apiVersion"] == bad["apiVersion"]

    # Another one after it says the same, which is no news; what is wrong newly is.
    retire(world, replica)
    again = world.start(*STATUS, name="again")
    again.log.wait("lease won")
    world.put(assign("bad", "spec.[", "x"))
    until(lambda: reasons(world, bad), ["Invalid"] * 2)
    for policy in (bad, one, other):
        assert {one["count"] for one in events(world, policy)} == {1}
    assert len(events(world, one)) == 1
    assert events(world, good) == []


def test_no_events(world):
    bad = assign("bad", "metadata.name", "x")
    world.put(bad)
    replica = world.start(*STATUS, "--no-events")
    replica.log.wait("lease won")
    until(lambda: ids(world, bad), [replica.name])
    assert events(world, bad) == []
