# SPDX-License-Identifier: Apache-2.0
"""Several replicas, and objects that are created all the time: no call fails and nothing is
let through unchanged while replicas and certificates are replaced; and nothing is changed
any more once the configuration is gone."""

import collections
import contextlib
import itertools
import signal
import socket
import threading
import time

import pytest
from fixpoint_cluster import SECRET, definitions, until
from policies import annotation
from process import SLOW
from provider import Authority
from standin.cluster import Cluster, Refused
from webhook_configurations import CONFIGURATION, MUTATING, NAMESPACE

THREADS = 4
GRACE = 0.3  # between the end of a replica and that the network has heard of it
Pair = collections.namedtuple("Pair", "cert key ca")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    made.define(*definitions("assignmetadata.mutations.gatekeeper.sh"))
    yield made
    made.close()


class Balancer:
    """One port before several, as a Service: each connection goes to the next of them."""

    def __init__(self):
        self._ports, self._turn, self._open = [], itertools.count(), set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def add(self, port):
        self._ports = self._ports + [port]

    def remove(self, port):
        self._ports = [one for one in self._ports if one != port]

    def _accept(self):
        while True:
            try:
                outer, _ = self._listener.accept()
            except OSError:
                return
            self._open.add(outer)
            try:
                self._connect(outer)
            except OSError:  # it is refused, and so is who asked
                outer.close()

    def _connect(self, outer):
        ports = self._ports
        port = ports[next(self._turn) % len(ports)]
        inner = socket.create_connection(("127.0.0.1", port), 10)
        inner.settimeout(None)
        self._open.add(inner)
        for pair in ((outer, inner), (inner, outer)):
            pair[0].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source, target):
        with contextlib.suppress(OSError):
            while True:
                data = source.recv(65536)
                if not data:
                    break
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def close(self):
        for one in [self._listener, *self._open]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


class Load:
    """Objects that are created, from several threads, until the end of the block."""

    def __init__(self, fixture):
        self._world, self._over = fixture, threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(THREADS)]
        self.created = []  # (began, its annotations, or why there is none)

    def _run(self):
        while not self._over.is_set():
            began = time.monotonic()
            try:
                got = self._world.annotations()
            except (Refused, OSError) as error:
                got = str(error)
            self.created.append((began, got))

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        for thread in self._threads:
            thread.join()

    def wait(self, count):
        """Until so many more were created."""
        target = len(self.created) + count
        until(lambda: len(self.created) >= target, True, within=30)

    def check(self, holds):
        """Every one of them is as it should be."""
        wrong = [got for _, got in self.created if not holds(got)]
        print("%d objects created" % len(self.created))
        assert not wrong, "%d of %d, such as %r" % (len(wrong), len(self.created), wrong[0])


@pytest.fixture
def balancer():
    made = Balancer()
    yield made
    made.close()


class Fleet:
    """Replicas behind a balancer, with one kind of certificate."""

    def __init__(self, fixture, balancer, *arguments, tls=None, count=3):
        self._world, self._balancer = fixture, balancer
        self._arguments, self._tls = arguments, tls
        self.replicas = [self.start() for _ in range(count)]
        fixture.register(balancer.port, None)  # the caBundle is the replicas' business

    def start(self):
        replica = self._world.start(*self._arguments, "--drain", "2s", tls=self._tls)
        self._balancer.add(replica.port)
        return replica

    def replace_oldest(self):
        """A new one first, as a Deployment does it; the old one ends, and the network learns
        of that a little later."""
        self.replicas.append(self.start())
        old = self.replicas.pop(0)
        old.signal(signal.SIGTERM)
        time.sleep(GRACE)
        self._balancer.remove(old.port)
        assert old.wait() == 0

    def bundle(self):
        hook = self._world.cluster.get(MUTATING, CONFIGURATION)["webhooks"][0]
        return hook["clientConfig"].get("caBundle")


def of_files(fixture, balancer, **how):
    authority = Authority(fixture.folder / "authority")
    pair = Pair(*authority.issue("serving"), authority.cert)
    return Fleet(fixture, balancer, "--tls-ca", pair.ca, tls=pair, **how)


def of_secret(fixture, balancer, *more, **how):
    arguments = ("--tls-secret", SECRET, "--tls-name", "localhost", *more)
    return Fleet(fixture, balancer, *arguments, tls=False, **how)


def nothing_failed(fixture):
    if fixture.cluster.standin:
        calls = fixture.cluster.standin.admission.calls
        assert calls.count("failed open") == 0 and calls.count("failed") == 0
        assert calls.count("patched") > 0


@pytest.mark.parametrize("make", (of_files, of_secret))
def test_a_rolling_restart(fixture, balancer, make):
    """All replicas, one by one, while a policy changes."""
    fixture.put(annotation("a", "a", "0"))
    fleet = make(fixture, balancer)
    fixture.expect(a="0")
    if fixture.cluster.standin:
        del fixture.cluster.standin.admission.calls[:]  # those before there was a caBundle
    with Load(fixture) as load:
        for step in range(len(fleet.replicas)):
            fleet.replace_oldest()
            fixture.put(annotation("a", "a", str(step)))
            load.wait(20)
    load.check(lambda got: list(got) == ["a"] and got["a"].isdigit())
    nothing_failed(fixture)


def test_certificates_are_rotated(fixture, balancer):
    """Leaf and authority, in the Secret that the replicas share."""
    fixture.put(annotation("a", "a", "1"))
    slow = min(SLOW, 2)  # sanitizers are not slower than that by themselves
    short, wait = "%ds" % (15 * slow), "%ds" % (2 * slow)
    validity = ("--cert-validity", short, "--ca-validity", short, "--rotation-wait", wait)
    fleet = of_secret(fixture, balancer, *validity, count=2)
    fixture.expect(a="1")
    if fixture.cluster.standin:
        del fixture.cluster.standin.admission.calls[:]
    bundles, leaves = set(), set()
    with Load(fixture) as load:
        deadline = time.monotonic() + 40 * SLOW
        while len(bundles) < 3 or len(leaves) < 2:
            assert time.monotonic() < deadline, (len(bundles), len(leaves))
            secret = fixture.cluster.get("secrets", SECRET, NAMESPACE)
            leaves.add(secret["data"]["tls.crt"])
            bundles.add(fleet.bundle())
            time.sleep(0.1)
    load.check(lambda got: got == {"a": "1"})
    nothing_failed(fixture)


def test_the_configuration_is_deleted(fixture, balancer):
    """Mutation stops at once and stays stopped, whatever replicas do; made again by hand,
    it goes on."""
    fixture.put(annotation("a", "a", "1"))
    fleet = of_files(fixture, balancer, count=2)
    fixture.expect(a="1")
    with Load(fixture) as load:
        load.wait(20)
        fixture.cluster.delete(MUTATING, CONFIGURATION)
        until(fixture.annotations, {}, within=5)
        stopped = time.monotonic()
        load.wait(20)
        for replica in fleet.replicas:
            until(lambda: replica.metric("fixpoint_webhook_configured"), 0)
        fleet.replace_oldest()
        fixture.put(annotation("a", "a", "2"))
        time.sleep(3)
        assert fixture.cluster.find(MUTATING, CONFIGURATION) is None
    load.check(lambda got: got in ({}, {"a": "1"}))
    assert {} not in [got for began, got in load.created[:20]]
    after = [got for began, got in load.created if began > stopped]
    assert len(after) > 20 and not any(after)
    if fixture.cluster.standin:
        standin = fixture.cluster.standin
        plural = MUTATING.partition(".")[0]
        writes = standin.log.of(resource=plural, user="fixpoint", method="PATCH")
        assert writes and not [one for one in writes if one.status == 201]
        verbs = {one.verb for one in standin.log.of(resource=plural, user="fixpoint")}
        assert verbs <= {"list", "watch", "get", "patch"}
    fixture.register(balancer.port, None)
    fixture.expect(a="2")
