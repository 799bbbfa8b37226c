# SPDX-License-Identifier: Apache-2.0
"""The plain port: alive, ready, metrics."""

import http.client
import os
import time

import metrics_text
import pytest
from client import TIMEOUT, Connection, answer, ask, health, pod, review
from metrics_text import value
from policies import annotation, assign, fails_on_strings, never_settles, pull_always
from process import SLOW


def wait_ready(server, status=200, timeout=5):
    deadline = time.monotonic() + timeout * SLOW
    while True:
        got, text = health(server, "/readyz")
        if got == status:
            return text
        assert time.monotonic() < deadline, text
        time.sleep(0.005)


def test_ready_soon(start):
    server = start(pull_always())
    wait_ready(server)
    # 0.1 s is the aim; on a busy machine of the tests a whole second may pass
    assert time.monotonic() - server.began < 1 * SLOW
    assert health(server, "/healthz") == (200, "ok\n")
    status, text = health(server, "/readyz?verbose")
    assert status == 200 and "[+]policies ok\n" in text and "[+]certificate ok\n" in text
    assert "[+]webhook ok\n" in text and text.endswith("readyz check passed\n")


def test_other_requests(start):
    server = start(pull_always())
    assert health(server, "/")[0] == 404
    assert health(server, "/v1/mutate", "POST")[0] == 404
    assert health(server, "/metrics", "POST")[0] == 405
    assert health(server, "/healthz", "HEAD") == (200, "")


def test_metrics(start):
    server = start(pull_always(), fails_on_strings())
    wait_ready(server)
    answer(ask(server, review(pod())))
    answer(ask(server, review(pod())))
    failing = pod()
    failing["spec"]["nodeName"] = "x"
    answer(ask(server, review(failing)))
    assert ask(server, b"{").status == 400
    status, text = health(server, "/metrics")
    assert status == 200
    samples = metrics_text.read(text)

    def count(name, **labels):
        return value(samples, name, **labels)

    assert count("gatekeeper_mutation_request_count", mutation_status="success") == 2
    assert count("gatekeeper_mutation_request_count", mutation_status="error") == 1
    seconds = "gatekeeper_mutation_request_duration_seconds_count"
    assert count(seconds, mutation_status="success") == 2
    assert count("gatekeeper_mutation_system_iterations_count", success="true") == 2
    assert count("gatekeeper_mutators", status="active") == 2
    assert count("gatekeeper_mutators", status="error") == 0
    assert count("gatekeeper_mutator_conflicting_count") == 0
    assert count("fixpoint_reviews_total", decision="mutated") == 2
    assert count("fixpoint_reviews_total", decision="failed") == 1
    assert count("fixpoint_reviews_total", decision="refused") == 1
    assert count("fixpoint_requests_in_flight") == 0
    not_after = count("fixpoint_certificate_not_after_seconds", kind="leaf")
    assert not_after > time.time() + 300 * 86400
    builds = [key for key in samples if key[0] == "fixpoint_build_info"]
    assert len(builds) == 1 and samples[builds[0]] == 1


def test_metrics_of_connections_and_bad_requests(start):
    server = start(pull_always())
    with Connection(server) as held, Connection(server) as bad:
        bad.send(b"\x00\r\n\r\n")
        assert bad.response().status == 400
        deadline = time.monotonic() + 5 * SLOW
        while True:  # a thread publishes its connections before it sleeps, not at once
            samples = metrics_text.read(health(server, "/metrics")[1])
            if value(samples, "fixpoint_http_bad_requests_total") == 1:
                break
            assert time.monotonic() < deadline
        assert value(samples, "fixpoint_connections") >= 1
        held.goodbye()


def test_metrics_of_policies(start, folder):
    bad = annotation("bad", "a", "b")
    bad["spec"]["location"] = "metadata.annotations["
    conflicting = assign("other", "spec.containers.image", "x")
    server = start(bad, annotation("ok", "a", "b"), pull_always(), conflicting)
    samples = metrics_text.read(health(server, "/metrics")[1])
    assert value(samples, "gatekeeper_mutators", status="active") == 1
    assert value(samples, "gatekeeper_mutators", status="error") == 3  # and the conflict
    assert value(samples, "gatekeeper_mutator_conflicting_count") == 2
    (folder / "more.yaml").write_text("")
    server.log.wait("policies active", files=2)
    samples = metrics_text.read(health(server, "/metrics")[1])
    assert value(samples, "fixpoint_reloads_total", result="changed") == 1


def test_metrics_of_no_fixed_point(start):
    server = start(never_settles())
    assert not answer(ask(server, review(pod(images=["n@x/y"]))))["allowed"]
    samples = metrics_text.read(health(server, "/metrics")[1])
    assert value(samples, "gatekeeper_mutation_request_count", mutation_status="error") == 1
    assert value(samples, "gatekeeper_mutation_system_iterations_count", success="false") == 1
    assert value(samples, "gatekeeper_mutation_system_iterations_sum", success="false") == 2


def test_the_webhook_speaks_tls_only(start):
    server = start(pull_always())
    plain = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT)
    with pytest.raises((OSError, http.client.HTTPException)):
        plain.request("GET", "/healthz")
        plain.getresponse()
    plain.close()
    assert answer(ask(server, review(pod())))["allowed"]


def test_small(start):
    """Three mutators, a hundred reviews: a few megabytes."""
    if SLOW > 1 or os.environ.get("FIXPOINT_WRAPPER"):
        pytest.skip("a sanitizer's memory is not ours")
    server = start(pull_always(), annotation("a", "a", "1"), annotation("b", "b", "1"))
    for _ in range(100):
        answer(ask(server, review(pod())))
    with open("/proc/%d/status" % server.process.pid) as status:
        peak = next(line for line in status if line.startswith("VmHWM")).split()
    assert int(peak[1]) < 10 * 1024, "%s kB" % peak[1]
