# SPDX-License-Identifier: Apache-2.0
"""The certificate in the Secret is replaced: when it is due, when it was spoilt or
deleted; a client that trusts what was published sees no failure."""

import threading
import time

import pytest
from fixpoint_cluster import SECRET, until
from process import SLOW
from shared_certificate import (
    certificates,
    published,
    read_secret,
    shown,
    steps,
    trusts,
    write_secret,
)
from webhook_configurations import NAMESPACE, bundle

WAIT = 3  # seconds between the phases: longer than the pause between any two writes
SLOWLY = ("--rotation-wait", "%ds" % WAIT)
NOTHING = dict.fromkeys(("ca_crt", "ca_key", "tls_crt", "tls_key"), "x")
KEPT = "the Secret has a fault, but is kept"


# --- seen from outside ------------------------------------------------------------------------


class Watcher:
    """A client that trusts only what the configuration held almost `WAIT` ago, as an API
    server may that is slow to learn: it asks all servers all the time."""

    LAG = 0.8 * WAIT  # it is slow itself

    def __init__(self, cluster, servers):
        self.bundles, self.leaves, self._failures = [], set(), []
        self._cluster, self._servers, self._ends = cluster, servers, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._ends.is_set():
            try:
                self._look()
            except Exception as failure:  # reported at the end
                self._failures.append(repr(failure))
            time.sleep(0.02)

    def _look(self):
        now, held = time.monotonic(), bundle(self._cluster)
        if not self.bundles or self.bundles[-1][1] != held:
            self.bundles.append((now, held))
        trusted = [held for since, held in self.bundles if since <= now - self.LAG]
        for server in self._servers if trusted else ():
            self.leaves.add(shown(server, trusted[-1]))

    def end(self):
        """The bundles that it saw, one after the other."""
        self._ends.set()
        self._thread.join(10)
        assert not self._failures, self._failures[:3]
        return [held for _, held in self.bundles]


@pytest.mark.skipif(SLOW > 1, reason="these dates are too short for a sanitizer")
def test_rotation_in_two_phases(cluster, replica):
    """By the dates alone. (test_deleted sees the same phases without a hurry.)"""
    short = ("--ca-validity", "36s", "--cert-validity", "30s", *SLOWLY)
    servers = [replica(*short) for _ in range(2)]
    first = published(cluster)
    watcher = Watcher(cluster, servers)
    until(lambda: steps(servers[0]) + steps(servers[1]), lambda did: "switch-leaf" in did, 45)
    until(lambda: certificates(published(cluster)), 1)
    last = published(cluster)
    time.sleep(WAIT)
    seen = watcher.end()
    assert [certificates(one) for one in seen[:3]] == [1, 2, 1]
    assert seen[0] == first and seen[1].endswith(first) and seen[1].startswith(seen[2])
    assert last != first and len(watcher.leaves) >= 2


# --- what others do to the Secret -------------------------------------------------------------


def test_deleted(cluster, replica):
    servers = [replica(*SLOWLY) for _ in range(2)]
    first, before = published(cluster), read_secret(cluster)
    until(lambda: {shown(one) for one in servers}, {before["tls.crt"]})
    watcher = Watcher(cluster, servers)
    time.sleep(WAIT)
    cluster.delete("secrets", SECRET, NAMESPACE)
    until(lambda: read_secret(cluster) is not None, True)
    between = published(cluster)
    assert certificates(between) == 2 and between.endswith(first)
    until(lambda: certificates(published(cluster)), 1, within=20)
    after = read_secret(cluster)
    until(lambda: {shown(one) for one in servers}, {after["tls.crt"]})
    watcher.end()
    assert not any(after[key] == before[key] for key in before)


def test_spoilt_key_of_the_authority(cluster, replica):
    server = replica()
    published(cluster)
    before = read_secret(cluster)
    write_secret(cluster, ca_key="garbage")
    report = server.log.wait(KEPT)
    assert "ca.key" in report["error"]
    time.sleep(1)
    assert read_secret(cluster) == {**before, "ca.key": "garbage"}
    assert shown(server, before["ca.crt"]) == before["tls.crt"]
    assert len(server.log.entries(KEPT)) == 1
    write_secret(cluster, ca_key=before["ca.key"])
    server.log.wait("the Secret is valid again")
    assert steps(server) == ["create"]


def test_truncated_certificate(cluster, replica):
    server = replica(*SLOWLY)
    trusted, before = published(cluster), read_secret(cluster)
    until(lambda: shown(server), before["tls.crt"])
    watcher = Watcher(cluster, [server])
    time.sleep(WAIT)
    write_secret(cluster, tls_crt=before["tls.crt"][:200])
    server.log.wait("Secret written", step="restore")
    assert read_secret(cluster) == before
    time.sleep(WAIT)
    assert watcher.end() == [trusted] and watcher.leaves == {before["tls.crt"]}


def test_an_authority_of_somebody_else(cluster, replica):
    """Who writes a CA with its key wants it: it comes in the three steps."""
    first = replica(*SLOWLY)
    published(cluster)
    wanted = read_secret(cluster)
    assert first.stop() == 0
    cluster.delete("secrets", SECRET, NAMESPACE)
    server = replica(*SLOWLY)
    trusted = until(lambda: published(cluster), lambda got: got != wanted["ca.crt"])
    until(lambda: trusts(server, trusted), True)
    watcher = Watcher(cluster, [server])
    time.sleep(WAIT)
    write_secret(cluster, ca_crt=wanted["ca.crt"], ca_key=wanted["ca.key"])
    until(lambda: published(cluster), wanted["ca.crt"], within=30)
    watcher.end()
    assert steps(server) == ["create", "restore", "switch-leaf", "drop-ca"]


def test_nothing_of_use(cluster, replica):
    """Nobody remembers anything better."""
    first = replica()
    published(cluster)
    before = read_secret(cluster)
    assert first.stop() == 0
    write_secret(cluster, **NOTHING)
    began, server = time.monotonic(), replica()
    report = server.log.wait(KEPT)
    assert "ca.crt" in report["error"] and "tls.crt" in report["error"]
    server.log.wait("Secret written", step="start-over", timeout=20)
    assert time.monotonic() - began >= 1  # for others who remember something
    until(lambda: trusts(server, published(cluster)), True)
    assert read_secret(cluster)["ca.key"] != before["ca.key"]


def test_two_who_fight_do_no_harm(cluster, replica):
    """Somebody puts back an empty Secret again and again, as a careless GitOps tool."""
    standin = cluster.need_standin()
    server = replica()
    trusted, before = published(cluster), read_secret(cluster)
    until(lambda: shown(server), before["tls.crt"])
    ends = time.monotonic() + 5
    while time.monotonic() < ends:
        if read_secret(cluster)["ca.key"] != "x":
            write_secret(cluster, **NOTHING)
        assert trusts(server, trusted) and bundle(cluster) == trusted
        time.sleep(0.01)
    assert len(standin.log.of(verb="patch", resource="secrets", user="fixpoint")) <= 3
    until(lambda: read_secret(cluster), before, within=20)
    assert set(steps(server)) == {"create", "restore"}
