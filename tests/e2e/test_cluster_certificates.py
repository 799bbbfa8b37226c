# SPDX-License-Identifier: Apache-2.0
"""A certificate of our own in a Secret: made, shared, published, spoilt, forbidden."""

import collections
import threading
import time

from client import health
from fixpoint_cluster import RULES, SECRET, definitions, until
from policies import annotation
from process import SLOW
from shared_certificate import (
    NAME,
    certificates,
    published,
    read_secret,
    shown,
    steps,
    trusts,
    write_secret,
)
from standin import faults
from standin.cluster import configuration, webhook
from webhook_configurations import (
    CONFIGURATION,
    MUTATING,
    NAMESPACE,
    SERVICE,
    bundle,
    mutating,
)

SERVED = (NAMESPACE, SERVICE, "/v1/mutate")


def test_made_and_published(cluster, replica):
    server = replica()
    trusted = published(cluster)
    assert certificates(trusted) == 1
    for name in (NAME, NAME + ".cluster.local", NAME[:-4], NAME.partition(".")[0]):
        assert trusts(server, trusted, name)
    assert not trusts(server, trusted, "localhost")
    server.wait_ready()
    secret = cluster.get("secrets", SECRET, NAMESPACE)
    assert secret["type"] == "Opaque"
    assert secret["metadata"]["annotations"].keys() == {"fixpoint.dev/rotated-at"}
    assert {one["manager"] for one in secret["metadata"]["managedFields"]} == {"fixpoint"}


def test_further_names_and_configurations(cluster, replica):
    other = "fixpoint-e2e-other"
    cluster.load(mutating(other))
    more = ["--additional-mutating-webhook-configs-to-rotate-certs", other]
    server = replica("--tls-name", "hook.example", *more)
    trusted = published(cluster)
    until(lambda: bundle(cluster, MUTATING, other), trusted)
    assert trusts(server, trusted, "hook.example")


def test_what_is_there_is_used(cluster, replica):
    replica().log.wait("Secret written")
    trusted, before = published(cluster), read_secret(cluster)
    second = replica()
    until(lambda: shown(second), before["tls.crt"])
    assert trusts(second, trusted)
    time.sleep(1)
    assert read_secret(cluster) == before
    assert not steps(second)


def test_replicas_race_for_creation(cluster, replica):
    standin = cluster.need_standin()
    gate = threading.Event()
    rule = standin.faults.add(lambda _: gate.wait(60), verb="create", resource="secrets")
    servers = [replica() for _ in range(3)]
    rule.wait(3, 10 * SLOW)
    gate.set()
    trusted, secret = published(cluster), read_secret(cluster)
    for server in servers:
        until(lambda server=server: shown(server), secret["tls.crt"])
        assert trusts(server, trusted)
    assert sum(len(steps(server)) for server in servers) == 1
    lost = [server for server in servers if not steps(server)]
    for server in lost:
        server.log.wait("Secret not written: another replica was first")


def test_rotation_is_off(cluster, replica):
    server = replica("--disable-cert-rotation")
    server.log.wait("the Secret has a fault, and writing it is disabled")
    time.sleep(0.5)
    assert read_secret(cluster) is None and bundle(cluster) == ""
    assert not server.ready()
    replica().log.wait("Secret written")
    secret = read_secret(cluster)
    until(lambda: shown(server), secret["tls.crt"])


# --- spoilt by others ------------------------------------------------------------------------

SPOILT = (
    {"ca_crt": "garbage"},
    {"tls_key": "garbage"},
    {"tls_crt": ""},
    {"ca_crt": "garbage", "ca_key": "garbage"},
    {"ca_key": "", "tls_crt": "", "tls_key": ""},
    {"ca_crt": "garbage", "ca_key": "garbage", "tls_crt": "garbage", "tls_key": "garbage"},
)
KEPT = "the Secret has a fault, but is kept"
RESTORED = "the Secret is invalid: the last valid content stays in use and is written back"


class Calls:
    """Until the end of the block objects are created, and each replica is called anew by a
    client that trusts what is published at that moment."""

    def __init__(self, fixture, servers):
        self._world, self._servers, self._over = fixture, servers, threading.Event()
        self.good, self.bad = collections.Counter(), []
        works = (self._create, self._create, self._call, self._call)
        self._threads = [threading.Thread(target=self._run, args=(one,)) for one in works]

    def _create(self):
        assert self._world.annotations() == {"a": "1"}

    def _call(self):
        trusted = bundle(self._world.cluster)
        for server in self._servers:
            shown(server, trusted)

    def _run(self, work):
        while not self._over.is_set():
            try:
                work()
                self.good[work.__name__] += 1
            except Exception as failure:  # reported at the end
                self.bad.append(repr(failure))

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        for thread in self._threads:
            thread.join()


def test_spoilt_while_objects_are_created(cluster, fixture, replica):
    """Two replicas remember what was good: no call fails, and the Secret is as it was."""
    standin = cluster.need_standin()
    cluster.define(*definitions("assignmetadata.mutations.gatekeeper.sh"))
    hook = webhook("mutation.gatekeeper.sh", None, rules=RULES, service=SERVED)
    cluster.load(configuration(hook, name=CONFIGURATION))
    servers = [replica() for _ in range(2)]
    ports = [server.port for server in servers]
    standin.admission.client.services.set(NAMESPACE, SERVICE, ports)
    trusted, before = published(cluster), read_secret(cluster)
    until(lambda: {shown(server) for server in servers}, {before["tls.crt"]})
    fixture.put(annotation("a", "a", "1"))
    for server in servers:
        until(lambda server=server: server.metric("gatekeeper_mutators", status="active"), 1)
    fixture.expect(a="1")
    with Calls(fixture, servers) as calls:
        for values in SPOILT:
            write_secret(cluster, **values)
            until(lambda: read_secret(cluster), before, within=40)
            assert bundle(cluster) == trusted
    print(calls.good)
    assert not calls.bad, "%d, such as %s" % (len(calls.bad), calls.bad[0])
    assert min(calls.good[one] for one in ("_create", "_call")) > 20
    wrote = [step for server in servers for step in steps(server)]
    assert sorted(wrote) == ["create"] + ["restore"] * len(SPOILT)
    report = [one["error"] for server in servers for one in server.log.entries(RESTORED)]
    for key in ("ca.crt", "ca.key", "tls.crt", "tls.key"):
        assert any(key + ": " in one for one in report), key


def test_spoilt_before_it_starts(cluster, replica):
    """It remembers nothing, but a client that trusts what is published is still served."""
    first = replica()
    trusted, before = published(cluster), read_secret(cluster)
    assert first.stop() == 0
    write_secret(cluster, ca_crt="garbage")
    server = replica()
    assert server.log.wait(KEPT)["error"] == "ca.crt: no certificate"
    server.wait_ready()
    assert shown(server, trusted) == before["tls.crt"]
    time.sleep(1)
    assert read_secret(cluster) == {**before, "ca.crt": "garbage"} and not steps(server)
    assert bundle(cluster) == trusted
    write_secret(cluster, ca_crt=before["ca.crt"])
    server.log.wait("the Secret is valid again")
    assert shown(server, published(cluster)) == before["tls.crt"]


# --- what may not be done ---------------------------------------------------------------------


def grant_most(standin, *verbs):
    """All that a replica needs, but only these verbs on Secrets."""
    watch, write = ["list", "watch"], ["get", "list", "watch", "patch", "create", "update"]
    hooks = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"]
    standin.grant("limited", write, hooks, group="admissionregistration.k8s.io")
    standin.grant("limited", watch, ["namespaces"])
    if verbs:
        standin.grant("limited", list(verbs), ["secrets"], namespace=NAMESPACE)


def test_forbidden_to_read(cluster, replica):
    standin = cluster.need_standin()
    grant_most(standin)
    server = replica(kubeconfig=standin.kubeconfig_for("limited"))
    report = server.log.wait(
        "resource cannot be read: the objects read last stay in use", resource="secrets", state="failing"
    )
    words = 'the Role in namespace %s needs apiGroups [""], resources ["secrets"]' % NAMESPACE
    assert words in report["error"] and '"list","watch"' in report["error"]
    assert "Secret" in health(server, "/readyz")[1]
    grant_most(standin, "list", "watch", "create", "patch")
    server.log.wait("Secret written", timeout=20)
    published(cluster)


def test_forbidden_to_write(cluster, replica):
    standin = cluster.need_standin()
    grant_most(standin, "list", "watch")
    server = replica(kubeconfig=standin.kubeconfig_for("limited"))
    report = server.log.wait("Secret not written: it will be retried")
    assert report["step"] == "create" and 'verbs ["create"]' in report["error"]
    time.sleep(5)  # tried again in vain
    assert len(standin.log.of(verb="create", resource="secrets")) in (2, 3)
    assert len(server.log.entries("Secret not written: it will be retried")) == 1
    grant_most(standin, "list", "watch", "create", "patch")
    server.log.wait("Secret written", timeout=20)


def test_server_that_fails(cluster, replica):
    standin = cluster.need_standin()
    rule = standin.faults.add(faults.answer(500), verb="create", resource="secrets", times=2)
    server = replica()
    server.log.wait("Secret not written: it will be retried")
    server.log.wait("Secret written", timeout=20)
    assert rule.hits == 2
    published(cluster)
