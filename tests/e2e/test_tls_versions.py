# SPDX-License-Identifier: Apache-2.0
"""Which versions of TLS are spoken, by the webhook, towards providers and towards the API
server: --tls-min-version. Clients and servers here are OpenSSL's."""

import base64
import json
import socket
import ssl
import subprocess

import pytest
from client import answer, ask, health, pod, review
from fixpoint_cluster import until
from policies import external, pull_always
from process import SLOW, command
from provider import Authority, Provider

V12, V13 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3


def library():
    report = subprocess.run(
        command() + ["version", "-o", "json"], capture_output=True, text=True, check=True,
        timeout=60 * SLOW,
    ).stdout  # fmt: skip
    return json.loads(report)["tls"]


HAS_13 = "mbed TLS 2." not in library()
needs_13 = pytest.mark.skipif(not HAS_13, reason="built with a library without TLS 1.3")


def handshake(server, lowest, highest):
    """The version that a client and the server agree on."""
    trusting = ssl.create_default_context(cafile=server.certificate)
    trusting.minimum_version, trusting.maximum_version = lowest, highest
    with socket.create_connection(("127.0.0.1", server.port), 10 * SLOW) as connection:
        with trusting.wrap_socket(connection, server_hostname="localhost") as tls:
            tls.sendall(b"GET /v1/mutate HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            assert tls.recv(12).startswith(b"HTTP/1.1")
            return tls.version()


def s_client(server, *options):
    """What `openssl s_client` says of the connection."""
    report = subprocess.run(
        ["openssl", "s_client", "-connect", "127.0.0.1:%d" % server.port, "-servername",
         "localhost", "-verify_return_error", "-CAfile", server.certificate, *options],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60 * SLOW,
    )  # fmt: skip
    return report.stdout.decode("latin-1"), report.returncode


def is_ready(server):
    """Fixpoint's own question to its port has been answered."""
    until(lambda: health(server, "/readyz")[0] == 200, True)
    return True


# ---- the webhook ---------------------------------------------------------------------


def test_the_highest_in_common(start):
    server = start(pull_always())
    assert handshake(server, V12, V12) == "TLSv1.2"
    assert handshake(server, V12, V13) == ("TLSv1.3" if HAS_13 else "TLSv1.2")
    if not HAS_13:
        with pytest.raises(ssl.SSLError):
            handshake(server, V13, V13)


@needs_13
@pytest.mark.parametrize(
    "suite",
    ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"],
)
@pytest.mark.parametrize("group", ["P-256", "X25519", "P-384"])
def test_an_outside_client_of_1_3(start, suite, group):
    server = start(pull_always())
    said, status = s_client(server, "-tls1_3", "-ciphersuites", suite, "-groups", group)
    assert status == 0 and "New, TLSv1.3, Cipher is " + suite in said, said
    assert "Verify return code: 0 (ok)" in said, said


@needs_13
def test_nothing_below_1_3(start):
    server = start(pull_always(), args=["--tls-min-version", "1.3"])
    assert is_ready(server)
    assert handshake(server, V12, V13) == "TLSv1.3"
    with pytest.raises(ssl.SSLError):
        handshake(server, V12, V12)
    assert answer(ask(server, review(pod())))["allowed"]


def test_1_2_may_be_asked_for(start):
    server = start(pull_always(), args=["--tls-min-version", "1.2"])
    assert handshake(server, V12, V12) == "TLSv1.2"


@pytest.mark.skipif(HAS_13, reason="built with a library that has TLS 1.3")
def test_a_library_without_1_3():
    report = subprocess.run(
        command() + ["serve", "-p", ".", "--tls-self-signed", "--tls-min-version", "1.3"],
        capture_output=True, text=True, timeout=60 * SLOW,
    )  # fmt: skip
    assert report.returncode == 2
    assert report.stderr == "fixpoint: --tls-min-version: %s has no TLS 1.3\n" % library()


# ---- a client's messages after the handshake --------------------------------------------


@needs_13
def test_another_key_is_refused(start):
    """mbedTLS does not take new keys (KeyUpdate); the connection ends, and no other does."""
    server = start(pull_always())
    said = subprocess.run(
        ["openssl", "s_client", "-connect", "127.0.0.1:%d" % server.port, "-tls1_3"],
        input=b"K\n" * 3, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60 * SLOW,
    ).stdout.decode("latin-1")  # fmt: skip
    assert "KEYUPDATE" in said
    assert answer(ask(server, review(pod())))["allowed"]


# ---- those who are asked -------------------------------------------------------------


@pytest.fixture
def provided(tmp_path):
    """provided(lowest, highest) starts a provider of these versions: it, and its object."""
    authority = Authority(tmp_path / "authority")
    running = []

    def begin(lowest, highest):
        made = Provider(authority, authority.issue("provider"), versions=(lowest, highest))
        running.append(made)
        bundle = base64.b64encode(authority.cert.read_bytes()).decode()
        return made, {
            "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
            "kind": "Provider",
            "metadata": {"name": "p"},
            "spec": {"url": made.url, "timeout": 3, "caBundle": bundle},
        }

    yield begin
    for one in running:
        one.close()


@pytest.mark.parametrize("version", [V12, pytest.param(V13, marks=needs_13)])
def test_a_provider_of_one_version(start, provided, version):
    provider, document = provided(version, version)
    server = start(document, external())
    assert answer(ask(server, review(pod())))["allowed"]
    assert [request["version"] for request in provider.requests] == [
        {V12: "TLSv1.2", V13: "TLSv1.3"}[version]
    ]


@needs_13
def test_a_provider_below_the_lowest(start, provided):
    provider, document = provided(V12, V12)
    server = start(document, external(), args=["--tls-min-version", "1.3"])
    reviewed = answer(ask(server, review(pod())))
    assert not reviewed["allowed"] and not provider.requests
    assert "no version in common" in reviewed["status"]["message"], reviewed


@needs_13
def test_an_api_server_below_the_lowest(fixture):
    context = fixture.cluster.need_standin().http.context
    replica = fixture.start("--tls-min-version", "1.3", ready=False)
    replica.wait_ready()
    context.maximum_version = V12
    other = fixture.start("--tls-min-version", "1.3", ready=False)
    until(lambda: "no version in common" in other.log.text(), True)
    assert not other.ready()
