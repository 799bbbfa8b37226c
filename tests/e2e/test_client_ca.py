# SPDX-License-Identifier: Apache-2.0
"""Only clients with a certificate of theirs may ask: --client-ca and --client-cn."""

import json
import os
import signal
import socket
import ssl
import subprocess
import time

import pytest
from authority import AUTHORITY, SERVER, UNNAMED, Authority
from client import TIMEOUT, encode, health, pod, request, review
from fixpoint_cluster import until
from metrics_text import read, value
from policies import pull_always
from process import command
from shared_certificate import NAME as SERVICE_NAME
from shared_certificate import published
from test_certificates import Pair

API_SERVER = "/O=system:masters/CN=kube-apiserver"
REFUSED = "fixpoint_client_certificates_refused_total"


class Turned(Exception):
    """Away, in the handshake."""


def ask(server, identity=None, trusted=None, name="localhost"):
    """Is the review that such a client sends answered? Turned."""
    context = ssl.create_default_context(
        cafile=None if trusted else server.certificate, cadata=trusted
    )
    if identity is not None:
        context.load_cert_chain(identity.cert, identity.key)
    with socket.create_connection(("127.0.0.1", server.port), TIMEOUT) as raw:
        try:
            with context.wrap_socket(raw, server_hostname=name) as secured:
                secured.sendall(request(encode(review(pod()))))
                head = secured.recv(65536)
        except (ssl.SSLError, ConnectionResetError, BrokenPipeError) as failure:
            assert not isinstance(failure, ssl.SSLCertVerificationError), failure
            raise Turned(str(failure)) from failure
    if not head:
        raise Turned("the connection ended")
    assert head.startswith(b"HTTP/1.1 200"), head
    return json.loads(head.partition(b"\r\n\r\n")[2])["response"]["uid"] == "uid-1"


def refusals(server):
    """How many, by the reasons there were."""
    samples = read(health(server, "/metrics")[1])
    found = {
        dict(labels)["reason"]: count
        for (name, labels), count in samples.items()
        if name == REFUSED and count > 0
    }
    return found


def is_turned_away(server, identity, reason, **how):
    """Is the client refused for that reason, and counted as such only?"""
    before = refusals(server)
    with pytest.raises(Turned, match="alert|reset|[Bb]roken pipe|ended"):
        ask(server, identity, **how)
    after = refusals(server)
    expected = {**before, reason: before.get(reason, 0) + 1}
    assert after == expected
    return True


@pytest.fixture(scope="module")
def folder_of_all(tmp_path_factory):
    return tmp_path_factory.mktemp("authorities")


@pytest.fixture(scope="module")
def ours(folder_of_all):
    return Authority(folder_of_all, "ours")


@pytest.fixture(scope="module")
def theirs(folder_of_all):
    return Authority(folder_of_all, "theirs")


@pytest.fixture(scope="module")
def api_server(ours):
    return ours.sign("api-server", API_SERVER)


def limits(authority, *names):
    arguments = ["--client-ca", str(authority.cert)]
    for name in names:
        arguments += ["--client-cn", name]
    return arguments


# ---- who may ----


def test_any_of_the_authority(start, ours, theirs, api_server):
    server = start(pull_always(), args=limits(ours))
    assert ask(server, api_server)
    assert ask(server, ours.sign("other", "/CN=somebody else"))
    assert ask(server, ours.sign("nameless", "/O=no common name"))
    assert ask(server, ours.sign("unnamed-use", "/CN=x", UNNAMED))
    assert is_turned_away(server, None, "missing")
    assert is_turned_away(server, theirs.sign("api-server", API_SERVER), "untrusted")
    assert is_turned_away(server, ours.sign("old", API_SERVER, days=1, at=-3), "expired")
    early = ours.sign("early", API_SERVER, at=3)
    assert is_turned_away(server, early, "not_yet_valid")
    assert is_turned_away(server, ours.sign("server", API_SERVER, SERVER), "not_for_clients")
    assert ask(server, api_server)
    assert server.stop() == 0


def test_one_name(start, ours, theirs, api_server):
    server = start(pull_always(), args=limits(ours, "kube-apiserver"))
    assert ask(server, api_server)
    for at, subject in enumerate(
        (
            "/CN=kube-apiserver2",
            "/CN=kube-apiserve",
            "/CN=Kube-apiserver",
            "/CN=kube-apiserver ",
            "/O=kube-apiserver",
            "/CN=admin/CN=kube-apiserver",
            "/CN=kube-apiserver/CN=admin",
            "/CN=kube-apiserver/CN=kube-apiserver",
        )
    ):
        assert is_turned_away(server, ours.sign("wrong-%d" % at, subject), "name"), subject
    # The name of somebody else's certificate is worth nothing.
    assert is_turned_away(server, theirs.sign("api-server", API_SERVER), "untrusted")
    assert is_turned_away(server, None, "missing")


def test_two_names(start, ours, api_server):
    server = start(pull_always(), args=limits(ours, "aggregator", "kube-apiserver"))
    assert ask(server, api_server)
    assert ask(server, ours.sign("aggregator", "/CN=aggregator"))
    assert is_turned_away(server, ours.sign("third", "/CN=third"), "name")


def test_through_an_intermediate(start, folder_of_all, ours, theirs):
    below = Authority(folder_of_all, "below", parent=ours)
    server = start(pull_always(), args=limits(ours, "kube-apiserver"))
    assert ask(server, below.sign("api-server", API_SERVER))
    assert is_turned_away(server, below.sign("other", "/CN=other"), "name")
    # A client's certificate is no authority, though ours has signed it.
    leaf = ours.sign("leaf", "/CN=kube-apiserver")
    fake = Authority(folder_of_all, "fake", parent=None)
    fake.cert, fake.key, fake.parent = leaf.cert, leaf.key, ours
    assert is_turned_away(server, fake.sign("api-server", API_SERVER), "untrusted")
    # Nor is an authority a client.
    assert is_turned_away(
        server, ours.sign("authority", API_SERVER, AUTHORITY), "not_for_clients"
    )


def test_a_bundle_of_two(start, tmp_path, ours, theirs, api_server):
    bundle = tmp_path / "bundle.crt"
    bundle.write_text("some words\n" + ours.pem() + "\n" + theirs.pem())
    server = start(pull_always(), args=["--client-ca", str(bundle)])
    assert ask(server, api_server)
    assert ask(server, theirs.sign("api-server", API_SERVER))


# ---- what is logged ----


def test_the_log_tells_and_is_not_flooded(start, ours):
    server = start(pull_always(), args=limits(ours, "kube-apiserver"))
    hostile = ours.sign("hostile", '/CN=x"}\\n{"level":"error","msg":"gotcha')
    for _ in range(5):
        assert is_turned_away(server, hostile, "name")
    report = server.log.wait("client refused")
    assert len(server.log.entries("client refused")) == 1
    assert report["level"] == "warn" and report["certificate"] == "name"
    assert report["common_name"].startswith('x"}') and len(report["common_name"]) <= 64
    assert not server.log.entries("gotcha")
    assert "BEGIN CERTIFICATE" not in server.log.text()


# ---- we ourselves, and health ----


def test_ready_though_probes_show_no_such_certificate(start, ours, api_server):
    server = start(pull_always(), args=limits(ours, "kube-apiserver"))
    until(lambda: health(server, "/readyz")[0], lambda status: status == 200)
    assert ask(server, api_server)
    time.sleep(6)  # the port has been asked once more
    assert health(server, "/readyz")[0] == 200
    assert refusals(server) == {}
    samples = read(health(server, "/metrics")[1])
    assert value(samples, "fixpoint_tls_handshakes_total", result="failed") == 0


# ---- where the server's own certificate comes from ----


def test_with_files_that_change(start, tmp_path, ours, api_server):
    pair = Pair(tmp_path, "serving", common_name="first")
    server = start(pull_always(), tls=pair, args=limits(ours, "kube-apiserver"))
    assert ask(server, api_server)
    position = server.log.position()
    new = Pair(tmp_path, "new", common_name="second")
    pair.key.write_bytes(new.key.read_bytes())
    pair.cert.write_bytes(new.cert.read_bytes())
    server.signal(signal.SIGHUP)
    server.log.wait("certificate in use", since=position)
    assert ask(server, api_server)
    assert is_turned_away(server, None, "missing")


def test_with_the_secret_of_a_cluster(replica, fixture, ours, api_server):
    server = replica("--rotation-wait", "1s", *limits(ours, "kube-apiserver"))
    trusted = published(fixture.cluster)
    server.wait_ready()
    assert ask(server, api_server, trusted=trusted, name=SERVICE_NAME)
    assert is_turned_away(server, None, "missing", trusted=trusted, name=SERVICE_NAME)
    other = ours.sign("secret-other", "/CN=other")
    assert is_turned_away(server, other, "name", trusted=trusted, name=SERVICE_NAME)


# ---- other authorities ----


@pytest.mark.parametrize("how", ["file watched", "hangup"])
def test_authorities_change(start, tmp_path, ours, theirs, api_server, how):
    file = tmp_path / "clients.crt"
    file.write_text(ours.pem())
    server = start(pull_always(), args=["--client-ca", str(file)])
    of_theirs = theirs.sign("api-server", API_SERVER)
    assert ask(server, api_server)
    assert is_turned_away(server, of_theirs, "untrusted")

    def change(text):
        position = server.log.position()
        made = tmp_path / "made.crt"
        made.write_text(text)
        os.replace(made, file)
        if how == "hangup":
            server.signal(signal.SIGHUP)
        return position

    position = change(ours.pem() + theirs.pem())
    server.log.wait("client CA certificates loaded", since=position)
    until(lambda: ask(server, of_theirs), lambda answered: answered)
    assert ask(server, api_server)
    position = change(theirs.pem())
    server.log.wait("client CA certificates loaded", since=position)
    server.log.wait("certificate in use", since=position)
    assert ask(server, of_theirs)
    assert is_turned_away(server, api_server, "untrusted")
    # Nothing that can be used: those of before stay.
    position = change("not a certificate\n")
    report = server.log.wait(
        "client CA certificates rejected: the previous ones stay in use", since=position
    )
    assert report["level"] == "error" and str(file) in report["error"]
    assert ask(server, of_theirs)
    assert is_turned_away(server, None, "missing")


# ---- the command line ----


@pytest.mark.parametrize(
    "arguments, status, words",
    [
        (["--client-cn", "a"], 2, "--client-cn: only with --client-ca"),
        (["--client-ca", "/nowhere/ca.crt"], 5, "--client-ca: "),
        (["--client-ca", "/dev/null"], 5, "--client-ca: /dev/null: not a regular file"),
        (["--client-ca", __file__], 3, "no authority's certificate that can be read"),
    ],
)
def test_what_cannot_start(folder, arguments, status, words):
    done = subprocess.run(
        command() + ["serve", "-p", str(folder), "--tls-self-signed", "--listen", "127.0.0.1:0"]
        + ["--health-listen", "127.0.0.1:0"] + arguments,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, words in done.stderr) == (status, True), done.stderr
