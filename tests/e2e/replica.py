# SPDX-License-Identifier: Apache-2.0
"""Replicas of `fixpoint serve` in a cluster, what they write there, and who trusts it."""

import base64
import functools
import os
import pathlib
import socket
import ssl
import subprocess
import tempfile
import time

import pytest
from client import health
from process import ANY_PORT, SLOW, Server, command, is_report
from provider import Authority
from standin.cluster import Cluster, configuration, webhook

NAMESPACE = "fixpoint-system"
SERVICE = "fixpoint-webhook-service"
NAME = "%s.%s.svc" % (SERVICE, NAMESPACE)
MUTATING = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
VALIDATING = "validatingwebhookconfigurations.admissionregistration.k8s.io"
KEYS = ("ca.crt", "ca.key", "tls.crt", "tls.key")
QUICK = ("--rotation-wait", "1s")


class Replica(Server):
    """One process on a cluster; its certificate is in the Secret `certs`, unless `files`
    names three: certificate, key, and who vouches for them."""

    def __init__(self, kubeconfig, *args, pod="fixpoint-1", files=(), environment=()):
        arguments = ["serve", "--listen", ANY_PORT, "--health-listen", ANY_PORT]
        arguments += ["--kubeconfig", str(kubeconfig)]
        if files:
            for flag, path in zip(("--tls-cert", "--tls-key", "--tls-ca"), files):
                arguments += [flag, str(path)]
        else:
            arguments += ["--tls-secret", "certs"]
        who = {"POD_NAME": pod, "POD_NAMESPACE": NAMESPACE}
        self._run(
            arguments + [str(arg) for arg in args], {**os.environ, **who, **dict(environment)}
        )


def namespace():
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}


def configurations():
    """As the chart installs them: without a bundle."""
    service = (NAMESPACE, SERVICE, "/v1/mutate")
    labels = {"matchLabels": {"team": "blue"}}
    yield configuration(
        webhook("mutation.gatekeeper.sh", None, service=service, objectSelector=labels)
    )
    yield configuration(
        webhook("validation.gatekeeper.sh", None, service=service),
        webhook("check-ignore-label.gatekeeper.sh", None, service=service),
        kind="Validating",
    )


def run(kubeconfig, *arguments):
    """A command of the program that ends: (exit status, output, errors)."""
    done = subprocess.run(
        command() + [*arguments, "--kubeconfig", str(kubeconfig)],
        capture_output=True,
        timeout=60 * SLOW,
        text=True,
        env={**os.environ, "USER": "tester"},
    )
    return done.returncode, done.stdout, done.stderr


# --- what is in the cluster ------------------------------------------------------------------


def default_name(resource):
    return "gatekeeper-%s-webhook-configuration" % resource.partition("webhook")[0]


MUTATING_NAME = default_name(MUTATING)


def configured(cluster, resource=MUTATING):
    return cluster.find(resource, default_name(resource))


@functools.cache
def stranger():
    """A bundle of somebody else's, as it is written."""
    with tempfile.TemporaryDirectory() as folder:
        pem = Authority(pathlib.Path(folder)).cert.read_bytes()
    return base64.b64encode(pem).decode()


def overwrite(cluster):
    path = "/webhooks/0/clientConfig/caBundle"
    patch = [{"op": "add", "path": path, "value": stranger()}]
    cluster.patch(MUTATING, MUTATING_NAME, patch, how="json")


def bundles(configured):
    """The bundles of a configuration's webhooks, PEM, without doubles."""
    found = {one["clientConfig"].get("caBundle", "") for one in configured["webhooks"]}
    return {base64.b64decode(one).decode() for one in found}


def bundle(cluster, resource=MUTATING, name=None):
    """The one bundle of a configuration; empty: it has none, or is not there."""
    name = name or default_name(resource)
    found = bundles(cluster.find(resource, name) or {"webhooks": []})
    return found.pop() if len(found) == 1 else ""


def read_secret(cluster):
    """What the Secret holds, each key decoded; None: it is not there."""
    found = cluster.find("secrets", "certs", NAMESPACE)
    if found is None:
        return None
    return {key: base64.b64decode(found["data"][key]).decode() for key in KEYS}


def write_secret(cluster, **values):
    """Somebody else's write: ca_key="…" is `ca.key`."""
    data = {
        key.replace("_", "."): base64.b64encode(text.encode()).decode()
        for key, text in values.items()
    }
    cluster.patch("secrets", "certs", {"data": data}, NAMESPACE)


def until(holds, what, timeout=10):
    """Waits until it holds, and gives what it gave."""
    deadline = time.monotonic() + timeout * SLOW
    while True:
        found = holds()
        if found:
            return found
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def published(cluster):
    """Waits until both configurations hold the bundle of the Secret; gives that."""

    def holds():
        secret = read_secret(cluster)
        wanted = secret and secret["ca.crt"]
        held = {bundle(cluster, MUTATING), bundle(cluster, VALIDATING)}
        return wanted if held == {wanted} else None

    return until(holds, "the bundle is not published")


# --- clients ---------------------------------------------------------------------------------


def shown(server, trusted=None, name=NAME):
    """The certificate that a server shows, PEM, to a client that trusts these (None: that
    trusts anybody)."""
    if trusted is None:
        context = ssl._create_unverified_context()
    else:
        context = ssl.create_default_context(cadata=trusted)
    with socket.create_connection(("127.0.0.1", server.port), 10 * SLOW) as raw:
        with context.wrap_socket(raw, server_hostname=name) as secured:
            return ssl.DER_cert_to_PEM_cert(secured.getpeercert(binary_form=True))


def trusts(server, trusted, name=NAME):
    try:
        return bool(shown(server, trusted, name))
    except ssl.SSLCertVerificationError:
        return False


def certificates(pem):
    return pem.count("BEGIN CERTIFICATE")


def steps(server, since=0):
    return [entry["step"] for entry in server.log.entries("Secret written", since)]


def is_ready(server):
    return health(server, "/readyz")[0] == 200


# --- fixtures ---------------------------------------------------------------------------------


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path / "standin")
    made.load(namespace(), *configurations())
    yield made
    made.close()


@pytest.fixture
def replica(cluster):
    """replica(*args, …) starts one."""
    started = []

    def begin(*args, user="fixpoint", kubeconfig=None, **how):
        kubeconfig = kubeconfig or cluster.kubeconfig_for(user)
        quick = () if how.get("files") else QUICK
        started.append(Replica(kubeconfig, *(args or quick), **how))
        return started[-1]

    yield begin
    failures = []
    for one in started:
        try:
            if one.process.poll() is None and one.stop() != 0:
                failures.append("exit %s" % one.process.returncode)
        finally:
            one.kill()
        failures += [line for line in one.log.text().splitlines() if is_report(line)]
        assert "PRIVATE" not in one.log.text()
    assert not failures, "\n".join(failures)
