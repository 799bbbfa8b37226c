# SPDX-License-Identifier: Apache-2.0
"""An API server that fails in every way there is, or is gone: what was read last goes on to
count, and in the end Fixpoint has what the server has."""

import re
import threading
import time

from failing_cluster import cluster, standin  # noqa: F401
from fixpoint_cluster import GATEKEEPER, until
from policies import annotation
from process import SLOW
from standin import faults
from stored_policies import GONE, RESOURCES, agree, sample, seen_by, split

ANNOTATIONS = "assignmetadata." + GATEKEEPER

# --- answers ---------------------------------------------------------------------------------
LISTS = [
    faults.answer(500),
    faults.answer(503, retry_after=1),
    faults.answer(429, "slow down", retry_after=1),
    faults.garbage(),
    faults.garbage(b"<html>hello</html>", "text/html"),
    faults.garbage(b"{}"),
    faults.reset(),
    faults.reset(after_head=True),
    faults.close(after_head=True),
    faults.cut(10, 500, seed=1),
    faults.trickle(7, 0.0005),
]
WATCHES = [
    faults.answer(500),
    faults.answer(429, "slow down", retry_after=1),
    faults.garbage(),
    faults.endless_line(32 << 20),
    faults.in_stream(b'{"type":"ADDED","obj'),
    faults.in_stream(b'{"type":"ADDED","object":{"metadata":{}}}\n'),
    faults.in_stream(b'{"type":"WHAT","object":{"metadata":{"name":"a"}}}\n'),
    faults.reset(after_head=True),
    faults.expired(),
    faults.silence(),
    faults.trickle(3, 0.0001),
]


def inject(standin, actions, verb):
    """Each resource gets a fault of its own, twice."""
    assert len(actions) == len(RESOURCES)
    rules = []
    for name, action in zip(RESOURCES, actions):
        plural, group = split(name)
        rules.append(
            standin.faults.add(
                action, times=2, verb=verb, resource=plural, group=group, user="fixpoint"
            )
        )
    return rules


def counts_of(replica):
    found = replica.metrics()
    return {
        name: found.get(("fixpoint_kube_objects", (("resource", name),)))
        for name in RESOURCES
    }


def counts_in(standin):
    return {
        name: len(standin.objects(split(name)[1], split(name)[0])) for name in RESOURCES
    }


def test_every_list_fails_in_its_own_way(fixture, standin):
    """And yet all is read; only then it is ready."""
    fixture.cluster.load(*sample(1), *sample(2))
    rules = inject(standin, LISTS, "list")
    gate = threading.Event()
    last = standin.faults.add(lambda _: gate.wait(60), verb="list", resource="configs")
    replica = fixture.start("--log-level", "debug", ready=False)
    last.wait()
    assert not replica.ready()
    gate.set()
    replica.wait_ready(30)
    assert [rule.hits for rule in rules[:-1]] == [2] * (len(rules) - 1)
    assert counts_of(replica) == counts_in(standin)
    agree(fixture, replica)
    lines = replica.log.entries("resource") + replica.log.entries(GONE)
    report = [line["error"] for line in lines if line["error"]]
    assert any("list assign.mutations.gatekeeper.sh: 500" in error for error in report), report
    assert all(error.startswith("list ") for error in report), report


def test_every_watch_fails_in_its_own_way(fixture, standin):
    fixture.cluster.load(*sample(1), *sample(2))
    replica = fixture.start()
    rules = inject(standin, WATCHES, "watch")
    standin.http.hang_up()
    for obj in sample(1):
        fixture.drop(obj)
    fixture.cluster.load(*sample(3))
    for i, rule in enumerate(rules[:-1]):  # the last is only slow
        rule.wait(2, 30 * SLOW)
        fixture.cluster.load(*sample(4 + i))
    until(lambda: counts_of(replica), counts_in(standin), within=30)
    agree(fixture, replica)
    until(lambda: {replica.state(name) for name in RESOURCES}, {"watching"}, within=30)
    print("resident: %d KiB at most" % replica.memory("VmHWM"))


def test_a_better_version_comes_later(fixture, standin):
    """Served as v1beta1 alone at first. With v1 there, too, that is what is read, at the next
    list; meanwhile nothing is missed, and it stays ready."""
    name = "assignmetadata." + GATEKEEPER
    path = "customresourcedefinitions.apiextensions.k8s.io"

    def serve(*versions):
        definition = fixture.cluster.get(path, name)
        for version in definition["spec"]["versions"]:
            version["served"] = version["name"] in versions
        fixture.cluster.update(definition)

    def read():
        return [
            request.path.split("/")[3]
            for request in standin.log.of(verb="list", resource="assignmetadata")
            if request.status == 200 and request.user == "fixpoint"
        ]

    is_there = threading.Event()

    fixture.put(annotation("a", "a", "1"))
    serve("v1beta1", "v1alpha1")
    standin.faults.add(  # a list after a failure would not look for more
        faults.expired(when=is_there), verb="watch", resource="assignmetadata", times=1
    )
    replica = fixture.start(register=True)
    fixture.expect(a="1")
    assert set(read()) == {"v1beta1"}
    serve("v1", "v1beta1", "v1alpha1")
    is_there.set()

    def is_read():
        assert replica.ready()
        assert fixture.annotations() == {"a": "1"}
        return "v1" in read()

    until(is_read, True)
    until(lambda: replica.state(ANNOTATIONS), "watching")
    fixture.put(annotation("a", "a", "2"))
    fixture.expect(a="2")
    since = len(read())
    serve("v1beta1")  # and back, when it has to be
    standin.http.hang_up()
    until(lambda: "v1beta1" in read()[since:], True, within=30)
    fixture.put({**annotation("a", "a", "3"), "apiVersion": GATEKEEPER + "/v1beta1"})
    fixture.expect(within=30, a="3")
    assert replica.ready()
    serve("v1", "v1beta1", "v1alpha1")


# --- gone, and back --------------------------------------------------------------------------


def test_the_api_server_is_gone_for_a_while(fixture, standin):
    """Reviews are answered as before, and it says what it cannot read."""
    fixture.put(annotation("a", "a", "1"))
    replica = fixture.start()
    fixture.register(replica.port, replica.ca)
    standin.disappear()
    until(lambda: replica.state(ANNOTATIONS), "failing")
    fixture.cluster.load(annotation("a", "a", "2"))
    for _ in range(20):
        assert seen_by(replica) == {"a": "1"}
        time.sleep(0.1)
    assert replica.ready()
    gone = replica.log.wait(GONE)
    assert len(replica.log.entries(GONE)) == 1
    assert re.match("(list|watch) [a-z0-9. ]+: .*refused", gone["error"]), gone
    standin.reappear()
    agree(fixture, replica)
    fixture.expect(a="2")
    until(lambda: replica.state(ANNOTATIONS), "watching")
    back = replica.log.wait("the API server answers again", timeout=40)
    assert back["seconds"] > 1
    wrong = [line for line in replica.log.text().splitlines() if '"level":"error"' in line]
    assert len(wrong) == 1, "\n".join(wrong)


def test_the_api_server_says_nothing_for_a_while(fixture, standin):
    fixture.put(annotation("a", "a", "1"))
    replica = fixture.start()
    standin.freeze()
    fixture.cluster.load(annotation("a", "a", "2"))
    for _ in range(20):
        assert seen_by(replica) == {"a": "1"}
    assert replica.ready()
    standin.thaw()
    agree(fixture, replica)
