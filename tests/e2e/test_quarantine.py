# SPDX-License-Identifier: Apache-2.0
"""A mutator that fails again and again is taken out, and the others go on."""

import signal

import jsonpatch
import metrics_text
import policies
from client import answer, ask, health, patch_of, pod, review
from metrics_text import value
from policies import annotation, fails_on_strings, never_settles

AFTER_THREE = ("--quarantine-after", "3")


def bad_pod():
    """`fails` expects an object where this one has a string."""
    obj = pod(images=["i"])
    obj["spec"]["nodeName"] = "secret-word"
    return obj


def allowed(server, obj):
    return answer(ask(server, review(obj)))["allowed"]


def annotations(server, obj):
    patched = jsonpatch.apply(obj, patch_of(answer(ask(server, review(obj)))))
    return patched["metadata"].get("annotations", {})


def samples_of(server):
    return metrics_text.read(health(server, "/metrics")[1])


def test_off_by_default(start):
    server = start(fails_on_strings(), annotation("a", "a", "1"))
    assert [allowed(server, bad_pod()) for _ in range(10)] == [False] * 10
    assert not server.log.entries("mutator quarantined")


def test_three_in_a_row(start):
    server = start(fails_on_strings(), annotation("a", "a", "1"), args=AFTER_THREE)
    assert [allowed(server, bad_pod()) for _ in range(2)] == [False] * 2
    assert allowed(server, pod())  # it works here: begins anew
    assert [allowed(server, bad_pod()) for _ in range(3)] == [False] * 3
    assert annotations(server, bad_pod()) == {"a": "1"}
    report = server.log.wait("mutator quarantined")
    assert report["level"] == "warn" and report["mutator"] == "Assign/fails"
    assert report["reason"].startswith("quarantined after 3 failures in a row")
    assert "secret-word" not in server.log.text()
    samples = samples_of(server)
    assert value(samples, "fixpoint_mutators_quarantined") == 1
    assert value(samples, "gatekeeper_mutators", status="active") == 1
    assert value(samples, "gatekeeper_mutators", status="error") == 1


def test_until_its_policy_changes(start, folder):
    server = start(fails_on_strings(), annotation("a", "a", "1"), args=AFTER_THREE)
    for _ in range(3):
        assert not allowed(server, bad_pod())
    position = server.log.position()
    policies.write(folder / "more.yaml", annotation("b", "b", "1"))  # another one's
    server.log.wait("policies active", since=position)
    assert annotations(server, bad_pod()) == {"a": "1", "b": "1"}
    assert not server.log.entries("mutator released from quarantine")
    changed = policies.assign("fails", "spec.schedulerName", "mended")
    policies.write(folder / "policies.yaml", changed, annotation("a", "a", "1"))
    assert server.log.wait("mutator released from quarantine")["mutator"] == "Assign/fails"
    patched = jsonpatch.apply(bad_pod(), patch_of(answer(ask(server, review(bad_pod())))))
    assert patched["spec"]["schedulerName"] == "mended"
    assert value(samples_of(server), "fixpoint_mutators_quarantined") == 0


def test_until_a_hangup(start):
    server = start(fails_on_strings(), args=("--quarantine-after", "1"))
    assert not allowed(server, bad_pod())
    assert allowed(server, bad_pod())
    server.signal(signal.SIGHUP)
    server.log.wait("mutator released from quarantine")
    assert not allowed(server, bad_pod())
    assert allowed(server, bad_pod())


def test_those_that_do_not_settle(start):
    server = start(never_settles(), args=AFTER_THREE)
    endless = pod(images=["n@x/y"])
    assert [allowed(server, endless) for _ in range(4)] == [False] * 3 + [True]
    report = server.log.wait("mutator quarantined")
    assert report["mutator"] == "AssignImage/never-settles"
    assert "part of a cycle" in report["reason"]
