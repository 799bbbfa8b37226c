# SPDX-License-Identifier: Apache-2.0
"""The webhook configurations: their caBundle is kept true, and none is ever made again."""

import collections
import json
import shutil
import time

import pytest
from fixpoint_cluster import SECRET, until
from provider import Authority
from shared_certificate import NAME, published, trusts
from standin import faults
from standin.cluster import webhook
from webhook_configurations import (
    CONFIGURATION,
    MUTATING,
    NAMESPACE,
    VALIDATING,
    bundle,
    configured,
    mutating,
    overwrite,
)

Files = collections.namedtuple("Files", "cert key ca")


def applies(standin):
    """Patches of the mutating configuration so far, by replicas."""
    return [
        one
        for one in standin.log.of(verb="patch", resource=MUTATING.partition(".")[0])
        if one.user == "fixpoint"
    ]


# --- the bundle ------------------------------------------------------------------------------


def test_only_the_bundle_is_ours(cluster, replica):
    before = configured(cluster)
    replica()
    published(cluster)
    after = configured(cluster)
    for one in after["webhooks"]:
        del one["clientConfig"]["caBundle"]
    assert after["webhooks"] == before["webhooks"]
    entry = [
        one for one in after["metadata"]["managedFields"] if one["manager"] == "fixpoint"
    ]
    assert [one["operation"] for one in entry] == ["Apply"]
    fields = json.dumps(entry[0]["fieldsV1"])
    assert "f:caBundle" in fields and "f:service" not in fields and "f:rules" not in fields


def test_bundle_of_files(cluster, fixture, tmp_path):
    ca, other = Authority(tmp_path / "a"), Authority(tmp_path / "b")
    files = Files(*(tmp_path / name for name in ("tls.crt", "tls.key", "ca.crt")))

    def place(authority):
        made = (*authority.issue("hook", "DNS:" + NAME), authority.cert)
        for source, path in zip(made, files):
            shutil.copy(source, path)

    place(ca)
    server = fixture.start("--tls-ca", files.ca, everything=True, ready=False, tls=files)
    for resource in (MUTATING, VALIDATING):
        until(lambda: bundle(cluster, resource), ca.cert.read_text())
    assert trusts(server, bundle(cluster))
    place(other)
    until(lambda: bundle(cluster), other.cert.read_text(), within=20)
    until(lambda: trusts(server, bundle(cluster)), True)
    assert cluster.find("secrets", SECRET, NAMESPACE) is None


def test_new_webhook_gets_it(cluster, replica):
    replica()
    trusted = published(cluster)
    after = configured(cluster)
    after["webhooks"].append(webhook("late.example.com", None, url="https://localhost:1/"))
    cluster.update(after)
    until(lambda: bundle(cluster), trusted)
    assert len(configured(cluster)["webhooks"]) == 2


def test_overwritten_once(cluster, replica):
    replica()
    trusted = published(cluster)
    overwrite(cluster)
    until(lambda: bundle(cluster), trusted, within=3)


def test_two_who_fight_do_no_harm(cluster, replica):
    """cert-manager's injector, for example, which gets the event of the configuration, too."""
    standin = cluster.need_standin()
    server = replica()
    trusted = published(cluster)
    before, ends = len(applies(standin)), time.monotonic() + 5
    while time.monotonic() < ends:
        if bundle(cluster) == trusted:
            overwrite(cluster)
        time.sleep(0.005)
    assert 2 <= len(applies(standin)) - before <= 5
    until(lambda: bundle(cluster), trusted, within=20)
    server.log.wait("caBundle written again: another client keeps changing it")
    until(lambda: len(server.log.entries("caBundle written")), lambda n: n >= 2)


def test_forbidden(cluster, replica):
    standin = cluster.need_standin()
    group = "admissionregistration.k8s.io"
    for resource in (MUTATING, VALIDATING):
        plural = resource.partition(".")[0]
        standin.grant("limited", ["list", "watch"], [plural], group=group)
    everything = ["list", "watch", "get", "create", "patch"]
    standin.grant("limited", everything, ["secrets"], namespace=NAMESPACE)
    server = replica(kubeconfig=standin.kubeconfig_for("limited"))
    report = server.log.wait("webhook configuration not written: it will be retried")
    assert "403 Forbidden" in report["error"]
    assert 'the ClusterRole needs apiGroups ["%s"]' % group in report["error"]
    assert 'verbs ["patch"]' in report["error"]


# --- deleted ---------------------------------------------------------------------------------


def stays_away(cluster, seconds=1.5):
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        assert configured(cluster) is None, "it was made again"
        time.sleep(0.02)


def test_deleted_is_never_made_again(cluster, replica):
    server = replica()
    trusted = published(cluster)
    overwrite(cluster)
    cluster.delete(MUTATING, CONFIGURATION)
    server.log.wait(
        "the webhook configuration does not exist: nothing is mutated, and Fixpoint does not create it"
    )
    stays_away(cluster)
    assert bundle(cluster, VALIDATING) == trusted
    cluster.load(mutating())  # by its user
    until(lambda: bundle(cluster), trusted)


@pytest.mark.parametrize("again", [False, True])
def test_deleted_while_an_apply_is_under_way(cluster, replica, again):
    """`again`: it is there again before the apply arrives, as another object."""
    standin = cluster.need_standin()
    server = replica()
    trusted = published(cluster)
    slow = standin.faults.add(
        faults.delay(1), verb="patch", resource=MUTATING.partition(".")[0], times=1
    )
    overwrite(cluster)
    slow.wait()
    cluster.delete(MUTATING, CONFIGURATION)
    if again:
        cluster.load(mutating())
    until(lambda: 409 in [one.status for one in applies(standin)], True)
    if again:
        until(lambda: bundle(cluster), trusted)
    else:
        stays_away(cluster)
    assert not server.log.entries("webhook configuration not written: it will be retried")


def test_deleted_under_way_again_and_again(cluster, replica):
    replica()
    published(cluster)
    for _ in range(20):
        overwrite(cluster)
        cluster.delete(MUTATING, CONFIGURATION)
        stays_away(cluster, 0.1)
        cluster.load(mutating())
    published(cluster)


def test_nobody_to_wait_for(cluster, replica):
    """Where there is no configuration, a rotation goes on all the same."""
    server = replica()
    published(cluster)
    cluster.delete(MUTATING, CONFIGURATION)
    cluster.delete(VALIDATING, CONFIGURATION)
    cluster.delete("secrets", SECRET, NAMESPACE)
    for step in ("create", "switch-leaf", "drop-ca"):
        server.log.wait("Secret written", timeout=20, step=step)
    assert configured(cluster) is None


# --- what the metrics say of it --------------------------------------------------------------


@pytest.mark.parametrize(
    "flags, report",
    [
        # (flags, whether it is there; whether it is disabled; whether the bundle is)
        ([], (1, 0, 1)),
        # Another one's bundle (cert-manager's), and no mutation: nothing to be alarmed about.
        (["--disable-cert-rotation"], (1, 0, None)),
        (["--mutating-webhook-configuration-name="], (None, None, 1)),
    ],
)
def test_metrics_of_what_is_ours(cluster, fixture, tmp_path, flags, report):
    ca = Authority(tmp_path)
    files = Files(*ca.issue("hook", "DNS:" + NAME), ca.cert)
    server = fixture.start("--tls-ca", files.ca, *flags, everything=True, tls=files)
    names = ("webhook_configured", "disabled", "ca_bundle_published")
    until(lambda: tuple(server.metric("fixpoint_" + name) for name in names), report)
