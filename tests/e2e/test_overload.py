# SPDX-License-Identifier: Apache-2.0
"""More than can be done: some are refused early, with 503 and `Retry-After`, the rest
are answered in time, health and metrics always; and when it is over, it is over."""

import base64
import collections
import socket
import threading
import time

import metrics_text
import pytest
from client import answer, ask, health, patch_of, pod, review
from hostile import bodies
from hostile.line import Line, Target
from hostile.side import Attack, Standing, until
from policies import annotation, external, pull_always
from process import SLOW
from provider import Authority

WAITING_REVIEWS = 512  # base/limits.h


def samples(server):
    status, text = health(server, "/metrics")
    assert status == 200
    return metrics_text.read(text)


def shed(server, reason="late"):
    return metrics_text.value(samples(server), "fixpoint_requests_shed_total", reason=reason)


def is_well(server):
    assert patch_of(answer(ask(server, review(pod()))))


class Watch:
    """Asks health, readiness and metrics all the while, from a thread of its own; each
    must be answered as ever."""

    def __init__(self, server):
        self.server, self.asked, self.wrong, self.longest = server, 0, [], 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._over.wait(0.05):
            for path in ("/healthz", "/readyz", "/metrics"):
                began = time.monotonic()
                try:
                    status, text = health(self.server, path)
                except OSError as failure:
                    status, text = None, repr(failure)
                self.longest = max(self.longest, time.monotonic() - began)
                self.asked += 1
                if status != 200:
                    self.wrong.append((path, status, text))

    def end(self):
        self._over.set()
        self._thread.join(60)


def busy(start, *args):
    """A server whose reviews of large objects take a while."""
    slow = [pull_always()] + [annotation("a%d" % i, "k%d" % i, "v") for i in range(60)]
    server = start(*slow, args=args)
    server.log.wait("webhook port answers")
    return server


@pytest.mark.parametrize("threads", [1, 2])
def test_past_capacity(start, threads):
    """Two hundred clients that want large objects reviewed, again and again, by a server
    that refuses a request that waited for 50 ms."""
    server = busy(start, "--shed-after", "50ms", "--threads", threads)
    is_well(server)
    standing = Standing(server, 48)
    watch = Watch(server)
    with Attack(server, "large-reviews", 200) as attack:
        time.sleep(4)
        counts = attack.stop()
    watch.end()
    least = 20 / SLOW
    assert counts.get("200", 0) > least and counts.get("503", 0) > least, counts
    assert set(counts) <= {"200", "503"}, counts
    assert watch.asked >= 9 and not watch.wrong, watch.wrong[:3]
    assert shed(server) >= counts["503"]
    server.log.wait("overloaded: requests rejected")
    is_well(server)
    standing.is_back()


def test_those_served_are_in_time(start):
    """What is answered with 200 is so within the server's own deadline: none is answered
    that it came too late, and none of those that were turned away was a review."""
    server = busy(start, "--shed-after", "100ms")
    with Attack(server, "large-reviews", 150) as attack:
        time.sleep(3)
        counts = attack.stop()
    report = samples(server)
    assert set(counts) <= {"200", "503"}, counts
    reviewed = metrics_text.value(report, "fixpoint_reviews_total", decision="mutated")
    assert counts["200"] <= reviewed
    assert metrics_text.value(report, "fixpoint_reviews_total", decision="broken") == 0


def test_it_ends_at_once(start):
    """As soon as the flood is over, no request is refused any more."""
    server = busy(start, "--shed-after", "50ms")
    with Attack(server, "large-reviews", 150) as attack:
        time.sleep(2)
        attack.stop()
    assert shed(server) > 0
    is_well(server)  # behind all that was still on its way
    before = shed(server)
    for _ in range(50):
        is_well(server)
    assert shed(server) == before


def test_who_is_new_gets_in(start):
    """Handshakes go on beside those who flood, and a new connection is served or turned
    away like others."""
    server = busy(start, "--shed-after", "50ms", "--threads", "1")
    with Attack(server, "large-reviews", 100) as attack:
        found = [ask(server, review(pod())) for _ in range(5)]
        attack.stop()
    assert {response.status for response in found} <= {200, 503}
    for response in found:
        assert response.status == 200 or response.headers["retry-after"] == "1"


def test_below_capacity_nobody_is_turned_away(start):
    """A crowd that comes at once and can be served is served, however long the queue."""
    server = start(pull_always(), args=["--shed-after", "20s"])
    with Attack(server, "reviews", 100) as attack:
        time.sleep(1)
        counts = attack.stop()
    assert counts["200"] >= 100 and "503" not in counts
    assert shed(server) == 0


def test_who_sends_slowly_is_not_late(start):
    """The wait in the queue counts, not the client's own time."""
    server = start(pull_always(), args=["--shed-after", "10ms"])
    line = Line(Target(server.port, server.certificate))
    whole = bodies.whole()
    for at in range(0, len(whole), 200):
        line.send(whole[at : at + 200])
        time.sleep(0.05)
    assert line.response()[0] == 200
    line.close()


@pytest.fixture
def silent():
    """A provider that accepts all connections, and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(4096)
        yield listener


def asks(silent, tmp_path):
    """Policies that want values of it."""
    authority = Authority(tmp_path / "authority")
    bundle = base64.b64encode(authority.cert.read_bytes()).decode()
    url = "https://localhost:%d" % silent.getsockname()[1]
    document = {
        "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
        "kind": "Provider",
        "metadata": {"name": "p"},
        "spec": {"url": url, "timeout": 5, "caBundle": bundle},
    }
    return document, external()


def statuses(lines):
    """What each is answered, and whether it has Retry-After."""
    found = collections.Counter()
    for line in lines:
        status, fields, body = line.response()
        found[status, fields.get("retry-after")] += 1
        assert status == 503 or b'"allowed":false' in body
        line.close()
    return found


def test_too_many_wait_for_outside_data(start, silent, tmp_path):
    """The silent provider makes reviews wait; beyond a bound the next ones are turned away
    at once, and others, which want nothing from outside, are answered as ever."""
    server = start(*asks(silent, tmp_path), args=["--threads", "1"])
    target = Target(server.port, server.certificate)
    lines = [Line(target, timeout=60 * SLOW) for _ in range(600)]
    for line in lines:
        line.send(bodies.whole(target="/v1/mutate?timeout=20s"))
    until(lambda: shed(server, "too_many_waiting") == 600 - WAITING_REVIEWS, 20)
    assert answer(ask(server, review(pod(images=()))))["allowed"]
    assert health(server, "/healthz")[0] == 200
    assert statuses(lines) == {(200, None): WAITING_REVIEWS, (503, "1"): 600 - WAITING_REVIEWS}
    line = Line(target, timeout=60 * SLOW)
    line.send(bodies.whole())
    assert statuses([line]) == {(200, None): 1}  # there is room again


def test_too_much_waits_for_outside_data(start, silent, tmp_path):
    """The same by memory: of bodies of 7 MiB, five wait."""
    server = start(*asks(silent, tmp_path), args=["--threads", "1"])
    target = Target(server.port, server.certificate)
    body = bodies.whole().partition(b"\r\n\r\n")[2].replace(b"web", b"w" * (7 << 20), 1)
    lines = []
    for _ in range(6):
        lines.append(Line(target, timeout=60 * SLOW))
        lines[-1].send(bodies.whole(body, target="/v1/mutate?timeout=20s"))
    assert statuses(lines) == {(200, None): 5, (503, "1"): 1}
