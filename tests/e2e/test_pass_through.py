# SPDX-License-Identifier: Apache-2.0
"""SIGUSR1 lets everything pass unchanged, SIGUSR2 ends that; both may come twice."""

import signal

import jsonpatch
import metrics_text
from client import answer, ask, health, patch_of, pod, review
from metrics_text import value
from policies import annotation, fails_on_strings

ON = "passthrough on (SIGUSR1): objects pass unchanged until SIGUSR2"
OFF = "passthrough off (SIGUSR2): policies are active"


def annotations(server):
    obj = pod()
    got = answer(ask(server, review(obj)))
    assert got["allowed"]
    if "patch" not in got:
        return {}
    return jsonpatch.apply(obj, patch_of(got))["metadata"].get("annotations", {})


def passes(server):
    return value(metrics_text.read(health(server, "/metrics")[1]), "fixpoint_passthrough")


def switch(server, number, line, times=1):
    for _ in range(times):
        position = server.log.position()
        server.signal(number)
        server.log.wait(line, since=position)


def test_signals(start):
    server = start(annotation("a", "a", "1"))
    server.log.wait("webhook port answers")
    assert annotations(server) == {"a": "1"} and passes(server) == 0
    switch(server, signal.SIGUSR1, ON, times=2)
    assert annotations(server) == {} and passes(server) == 1
    assert health(server, "/readyz")[0] == 200  # it answers, as it should
    switch(server, signal.SIGUSR2, OFF, times=2)
    assert annotations(server) == {"a": "1"} and passes(server) == 0


def test_nothing_fails_meanwhile(start):
    """Nor is a namespace asked for: whatever is wrong, it has no effect now."""
    server = start(fails_on_strings())
    obj = pod()
    obj["spec"]["nodeName"] = "a string"
    assert not answer(ask(server, review(obj)))["allowed"]
    switch(server, signal.SIGUSR1, ON)
    assert answer(ask(server, review(obj)))["allowed"]
