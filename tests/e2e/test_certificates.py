# SPDX-License-Identifier: Apache-2.0
"""Certificates from files: two kinds of keys, and their renewal."""

import shutil
import signal
import socket
import ssl
import subprocess
import time

import metrics_text
import pytest
from client import Connection, answer, ask, health, pod, request, review, encode
from metrics_text import value
from policies import pull_always
from process import SLOW

KEYS = {
    "ecdsa": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "rsa": ["-newkey", "rsa:2048"],
}
NOT_TAKEN = "certificate rejected: the previous one stays in use"


class Pair:
    """A certificate and key in files; the certificate is its own authority."""

    def __init__(self, folder, name, kind="ecdsa", days=30, common_name="fixpoint"):
        self.cert, self.key = folder / (name + ".crt"), folder / (name + ".key")
        self.ca = self.cert
        command = ["openssl", "req", "-x509", "-nodes", "-sha256", "-days", str(days)]
        command += KEYS[kind] + ["-subj", "/CN=" + common_name]
        command += ["-addext", "subjectAltName=DNS:localhost"]
        command += ["-addext", "keyUsage=digitalSignature,keyCertSign"]
        command += ["-keyout", str(self.key), "-out", str(self.cert)]
        subprocess.run(command, check=True, capture_output=True, timeout=60)


def common_name(server):
    """Of the certificate that the server shows now."""
    with Connection(server) as connection:
        subject = dict(pair for part in connection.peer_name()["subject"] for pair in part)
        return subject["commonName"]


@pytest.mark.parametrize("kind", KEYS)
def test_files(start, tmp_path, kind):
    server = start(pull_always(), tls=Pair(tmp_path, kind, kind))
    assert answer(ask(server, review(pod())))["allowed"]
    # Suites of TLS 1.2 name the kind of key.
    with Connection(server, highest=ssl.TLSVersion.TLSv1_2) as connection:
        assert kind.upper() in connection.cipher()[0]


def test_self_signed_is_verified(start):
    server = start(pull_always())
    assert "BEGIN CERTIFICATE" in open(server.certificate).read()
    assert "PRIVATE" not in open(server.certificate).read()
    assert answer(ask(server, review(pod())))["allowed"]
    with pytest.raises(ssl.SSLCertVerificationError):  # not by a client without the CA
        raw = socket.create_connection(("127.0.0.1", server.port), 10)
        try:
            ssl.create_default_context().wrap_socket(raw, server_hostname="localhost")
        finally:
            raw.close()


def test_names_of_the_self_signed(start):
    server = start(pull_always(), args=["--tls-name", "localhost", "--tls-name", "a.b.svc"])
    with Connection(server) as connection:
        names = connection.peer_name()["subjectAltName"]
        assert ("DNS", "localhost") in names and ("DNS", "a.b.svc") in names


def renew(pair, new):
    """As one does by hand: the key, then the certificate."""
    shutil.copy(new.key, pair.key)
    shutil.copy(new.cert, pair.cert)


def test_renewal(start, tmp_path):
    pair = Pair(tmp_path, "serving", common_name="first")
    new = Pair(tmp_path, "new", common_name="second", days=60)
    server = start(pull_always(), tls=pair)
    assert common_name(server) == "first"
    with Connection(server) as held:
        held.send(request(encode(review(pod()))))
        answer(held.response())
        position = server.log.position()
        renew(pair, new)
        server.log.wait("certificate in use", since=position)
        assert common_name(server) == "second"
        held.send(request(encode(review(pod()))))  # open connections stay
        assert answer(held.response())["allowed"]
    samples = metrics_text.read(health(server, "/metrics")[1])
    not_after = value(samples, "fixpoint_certificate_not_after_seconds", kind="leaf")
    assert abs(not_after - time.time() - 60 * 86400) < 3600
    assert value(samples, "fixpoint_certificate_reloads_total", result="changed") == 1


def test_hangup_reads_the_certificate(start, tmp_path):
    pair = Pair(tmp_path, "serving", common_name="first")
    new = Pair(tmp_path, "new", common_name="second")
    server = start(pull_always(), tls=pair)
    position = server.log.position()
    renew(pair, new)
    server.signal(signal.SIGHUP)
    server.log.wait("certificate in use", since=position)
    assert common_name(server) == "second"


def test_a_bad_pair_is_not_taken(start, tmp_path):
    pair = Pair(tmp_path, "serving", common_name="first")
    other = Pair(tmp_path, "other", common_name="other")
    server = start(pull_always(), tls=pair)
    position = server.log.position()
    shutil.copy(other.cert, pair.cert)  # its key does not come
    report = server.log.wait(NOT_TAKEN, since=position)
    assert report["level"] == "error" and str(pair.cert) in report["error"]
    server.certificate = str(tmp_path / "was.crt")
    trusted = tmp_path / "was.crt"
    position = server.log.position()
    pair.cert.write_text("no certificate")
    server.log.wait(NOT_TAKEN, since=position)
    pair.cert.unlink()
    position = server.log.position()
    new = Pair(tmp_path, "serving", common_name="third")
    shutil.copy(new.cert, trusted)
    server.log.wait("certificate in use", since=position)
    assert common_name(server) == "third"
    assert "PRIVATE KEY" not in server.log.text()


def test_an_expired_certificate_is_not_ready(start, tmp_path):
    """It is served, since an API server may still take it, but we say so."""
    pair = Pair(tmp_path, "old", days=1)
    expired = tmp_path / "expired.crt"
    subject = ["-subj", "/CN=old", "-addext", "subjectAltName=DNS:localhost"]
    request_file = tmp_path / "old.csr"
    subprocess.run(
        ["openssl", "req", "-new", "-key", str(pair.key), "-out", str(request_file)] + subject,
        check=True, capture_output=True, timeout=60,
    )
    config = tmp_path / "ca.cnf"
    (tmp_path / "index.txt").write_text("")
    (tmp_path / "serial").write_text("01\n")
    config.write_text(
        "[ca]\ndefault_ca=d\n[d]\ndatabase=%s/index.txt\nserial=%s/serial\nnew_certs_dir=%s\n"
        "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n" % ((tmp_path,) * 3)
    )
    subprocess.run(
        ["openssl", "ca", "-batch", "-selfsign", "-config", str(config), "-notext",
         "-keyfile", str(pair.key), "-in", str(request_file), "-out", str(expired),
         "-startdate", "20200101000000Z", "-enddate", "20200102000000Z"],
        check=True, capture_output=True, timeout=60,
    )
    pair.cert = expired
    server = start(pull_always(), tls=pair)
    deadline = time.monotonic() + 5 * SLOW
    while True:
        status, text = health(server, "/readyz")
        assert status == 503 and "[-]certificate failed: expired" in text
        if "[+]webhook ok" in text:
            break
        assert time.monotonic() < deadline
        time.sleep(0.01)
