# SPDX-License-Identifier: Apache-2.0
"""A certificate of our own in a Secret: made, shared, published, forbidden."""

import time

from client import health
from replica import (  # cluster and replica are fixtures
    MUTATING,
    NAME,
    NAMESPACE,
    bundle,
    certificates,
    cluster,
    configurations,
    is_ready,
    published,
    read_secret,
    replica,
    shown,
    steps,
    trusts,
    until,
)
from standin import faults


def test_made_and_published(cluster, replica):
    server = replica()
    trusted = published(cluster)
    assert certificates(trusted) == 1
    for name in (NAME, NAME + ".cluster.local", NAME[:-4], NAME.partition(".")[0]):
        assert trusts(server, trusted, name)
    assert not trusts(server, trusted, "localhost")
    until(lambda: is_ready(server), "not ready")
    secret = cluster.get("secrets", "certs", NAMESPACE)
    assert secret["type"] == "Opaque"
    assert secret["metadata"]["annotations"].keys() == {"fixpoint.dev/rotated-at"}
    assert {one["manager"] for one in secret["metadata"]["managedFields"]} == {"fixpoint"}


def test_further_names_and_configurations(cluster, replica):
    first, _ = configurations()
    first["metadata"]["name"] = "other"
    cluster.load(first)
    more = ["--additional-mutating-webhook-configs-to-rotate-certs", "other"]
    server = replica("--tls-name", "hook.example", *more)
    trusted = published(cluster)
    until(lambda: bundle(cluster, MUTATING, "other") == trusted, "not published there")
    assert trusts(server, trusted, "hook.example")


def test_what_is_there_is_used(cluster, replica):
    replica().log.wait("Secret written")
    trusted, before = published(cluster), read_secret(cluster)
    second = replica(pod="fixpoint-2")
    until(lambda: shown(second) == before["tls.crt"], "another certificate")
    assert trusts(second, trusted)
    time.sleep(1)
    assert read_secret(cluster) == before
    assert not steps(second)


def test_replicas_race_for_creation(cluster, replica):
    standin = cluster.need_standin()
    standin.faults.add(faults.delay(0.5), verb="create", resource="secrets")
    servers = [replica(pod="fixpoint-%d" % i) for i in range(3)]
    trusted, secret = published(cluster), read_secret(cluster)
    for server in servers:
        until(lambda server=server: shown(server) == secret["tls.crt"], "another one")
        assert trusts(server, trusted)
    assert sum(len(steps(server)) for server in servers) == 1
    lost = [server for server in servers if not steps(server)]
    for server in lost:
        server.log.wait("Secret not written: somebody else was first")


def test_rotation_is_off(cluster, replica):
    server = replica("--disable-cert-rotation")
    server.log.wait("the Secret is not as it should be, and is not to be written")
    time.sleep(0.5)
    assert read_secret(cluster) is None and bundle(cluster) == ""
    assert health(server, "/readyz")[0] == 503
    replica().log.wait("Secret written")
    secret = read_secret(cluster)
    until(lambda: shown(server) == secret["tls.crt"], "not taken")


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
    told = server.log.wait(
        "cannot be read: what was read last counts", resource="secrets", state="failing"
    )
    words = 'the Role in namespace %s needs apiGroups [""], resources ["secrets"]' % NAMESPACE
    assert words in told["error"] and '"list","watch"' in told["error"]
    assert "Secret" in health(server, "/readyz")[1]
    grant_most(standin, "list", "watch", "create", "patch")
    server.log.wait("Secret written", timeout=20)
    published(cluster)


def test_forbidden_to_write(cluster, replica):
    standin = cluster.need_standin()
    grant_most(standin, "list", "watch")
    server = replica(kubeconfig=standin.kubeconfig_for("limited"))
    told = server.log.wait("Secret not written: it is tried again")
    assert told["step"] == "create" and 'verbs ["create"]' in told["error"]
    time.sleep(5)  # tried again in vain
    assert len(standin.log.of(verb="create", resource="secrets")) in (2, 3)
    assert len(server.log.entries("Secret not written: it is tried again")) == 1
    grant_most(standin, "list", "watch", "create", "patch")
    server.log.wait("Secret written", timeout=20)


def test_server_that_fails(cluster, replica):
    standin = cluster.need_standin()
    rule = standin.faults.add(faults.answer(500), verb="create", resource="secrets", times=2)
    server = replica()
    server.log.wait("Secret not written: it is tried again")
    server.log.wait("Secret written", timeout=20)
    assert rule.hits == 2
    published(cluster)
