# SPDX-License-Identifier: Apache-2.0
"""Watches that end in every way there is, and versions that are too old: nothing is missed,
and what was read last goes on to count."""

import os
import random
import time

import pytest
from failing_cluster import cluster, standin  # noqa: F401
from fixpoint_cluster import GATEKEEPER, resource_of, until
from policies import annotation, assign
from process import SLOW
from standin import faults
from stored_policies import CHANGING, agree, stored

CUTS = 100
SEED = int(os.environ.get("FIXPOINT_SEED", "1"))
ANNOTATIONS = "assignmetadata." + GATEKEEPER


# --- watches ---------------------------------------------------------------------------------


def change(cluster, dice, count):
    """Creates, changes or deletes one policy, by dice."""
    group, kind = dice.choice(CHANGING)
    key = "%s-%s-%02d" % (group[10], kind.lower(), dice.randrange(30))
    make = annotation
    location = key
    if kind == "Assign":
        make, location = assign, "spec.nodeSelector." + key
    policy = make(key, location, str(count))
    policy["apiVersion"] = group + "/v1alpha1"
    if dice.random() < 0.3 and cluster.find(resource_of(policy), key):
        cluster.delete(resource_of(policy), key)
    else:
        cluster.load(policy)


def test_watches_that_are_cut_again_and_again(fixture, standin):
    """A hundred times, at whatever byte, within lines and chunk sizes, while policies come,
    change and go."""
    replica = fixture.start()
    cut = faults.cut(0, 6000, seed=SEED, rst=SEED % 2 == 0)
    rule = standin.faults.add(cut, times=CUTS, verb="watch", user="fixpoint")
    standin.http.hang_up()
    dice, count = random.Random(SEED), 0
    deadline = time.monotonic() + 60 * SLOW
    while rule.hits < CUTS:
        assert time.monotonic() < deadline, "%d cuts" % rule.hits
        change(fixture.cluster, dice, count)
        count += 1
        time.sleep(0.005)
    agree(fixture, replica)
    print("seed %d: %d changes, %d cuts" % (SEED, count, rule.hits))
    assert len(stored(fixture)) > 10
    until(lambda: replica.state(ANNOTATIONS), "watching")


def away(standin):
    """From now on the API server ends every connection of Fixpoint's, until the rule that is
    given is removed."""
    rule = standin.faults.add(faults.close(), user="fixpoint")
    standin.http.hang_up()
    return rule


@pytest.mark.parametrize("silent", (0, 2), ids=("reported", "lost"))
@pytest.mark.parametrize("in_head", (False, True), ids=("in the stream", "as a status"))
def test_a_version_that_is_too_old(fixture, standin, in_head, silent):
    """What happened meanwhile is listed; also where a watch first ends without a word."""
    standin.settings.expired_in_head = in_head
    gone = annotation("gone", "gone", "1")
    fixture.put(annotation("stays", "stays", "1"), gone)
    replica = fixture.start()
    rule = away(standin)
    fixture.drop(gone)
    fixture.put(annotation("stays", "stays", "2"), annotation("new", "new", "1"))
    standin.expire()
    if silent:
        standin.faults.add(faults.silence(), times=silent, verb="watch", skip=0)
    standin.faults.remove(rule)
    agree(fixture, replica)
    assert stored(fixture) == {"stays": "2", "new": "1"}
    lists = standin.log.of(verb="list", resource="assignmetadata", user="fixpoint")
    assert len(lists) > 1
    watches = standin.log.of(verb="watch", resource="assignmetadata", user="fixpoint")
    assert not in_head or 410 in [one.status for one in watches]


def test_pages_that_are_too_old(fixture, standin):
    """The rest of a list is gone when it is asked for: it begins again."""
    policies = [annotation("p%04d" % i, "p%04d" % i, "1") for i in range(1100)]
    fixture.cluster.load(*policies)

    def expire(exchange):
        standin.expire()

    rule = standin.faults.add(
        expire, times=1, resource="assignmetadata", query=lambda query: "continue" in query
    )
    replica = fixture.start()
    assert rule.hits == 1
    assert replica.metric("fixpoint_kube_objects", resource=ANNOTATIONS) == len(policies)
    assert replica.metric("gatekeeper_mutators", status="active") == len(policies)
