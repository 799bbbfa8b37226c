# SPDX-License-Identifier: Apache-2.0
"""TLS that means harm: handshakes that never end or come without end, renegotiation,
records that are none."""

import contextlib
import os
import socket
import subprocess

import metrics_text
import pytest
from client import answer, ask, health, patch_of, pod, review
from hostile.line import Line, Target
from hostile.side import Standing, endure
from policies import pull_always
from process import SLOW


@pytest.fixture
def server(start):
    made = start(pull_always())
    made.log.wait("webhook port answers")
    return made


def is_well(server):
    assert patch_of(answer(ask(server, review(pod()))))


def handshakes(server, result):
    samples = metrics_text.read(health(server, "/metrics")[1])
    return metrics_text.value(samples, "fixpoint_tls_handshakes_total", result=result)


def test_half_open_tls(server):
    """Connections that say nothing, half of a ClientHello, or a whole one and no more."""
    counts = endure(server, "half-open-tls", int(600 / SLOW))
    assert counts["connected"] >= int(600 / SLOW)


def test_connections_that_end_at_once(server):
    counts = endure(server, "connects", 500)
    assert counts["done"] > 100 / SLOW


def test_handshakes_without_end(server):
    """More than there is processor for."""
    before = handshakes(server, "ok")
    counts = endure(server, "handshakes", 1000)
    assert counts["done"] > 10
    assert handshakes(server, "ok") >= before + counts["done"]


def openssl(server, said, *options):
    """What `openssl s_client` says with these arguments, and its exit status."""
    client = subprocess.run(
        ["openssl", "s_client", "-connect", "127.0.0.1:%d" % server.port, *options],
        input=said,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60 * SLOW,
    )
    return client.stdout.decode("latin-1"), client.returncode


@pytest.mark.parametrize("more", [[], ["-legacy_renegotiation"]], ids=["secure", "legacy"])
def test_renegotiation(server, more):
    """There is one handshake in a connection."""
    said, status = openssl(server, b"R\n" * 3, "-tls1_2", *more)
    before, _, after = said.partition("RENEGOTIATING")
    assert "Verify return code" in before and "renegotiat" in after, said
    assert status != 0
    is_well(server)


def test_old_versions(server):
    """Nothing below TLS 1.2 is spoken, whatever a client offers."""
    for version in ("-tls1", "-tls1_1"):
        said, status = openssl(server, b"", version, "-cipher", "ALL:@SECLEVEL=0")
        assert status != 0 and "Cipher is (NONE)" in said, said
    is_well(server)


RECORDS = {
    "plain HTTP": b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "zeros": bytes(65536),
    "noise": os.urandom(65536),
    "a record of no type": b"\xff\x03\x03\x00\x05hello",
    "a record that is too long": b"\x16\x03\x03\xff\xff" + bytes(65535),
    "a record of nothing": b"\x16\x03\x03\x00\x00" * 10000,
    "an alert that is none": b"\x15\x03\x03\x00\x02\xff\xff" * 1000,
    "warnings": b"\x15\x03\x03\x00\x02\x01\x5a" * 10000,
    "data before the handshake": b"\x17\x03\x03\x00\x05hello",
    "a finished before all": b"\x16\x03\x03\x00\x10\x14\x00\x00\x0c" + bytes(12),
    "a hello that is too long": b"\x16\x03\x01\x40\x00\x01\xff\xff\xff" + bytes(16380),
    "a hello in pieces without end": b"\x16\x03\x01\x00\x05\x01\x00\xff\xff\x03" * 5000,
}


HANDSHAKE_SECONDS = 10


def test_records_that_are_none(server):
    """Each connection is ended, if not at once then as handshakes are that do not go on; and
    none makes the server wait."""
    standing = Standing(server)
    wrong = []
    with contextlib.ExitStack() as all_of_them:
        connections = {}
        for name, data in RECORDS.items():
            connection = socket.create_connection(
                ("127.0.0.1", server.port), (HANDSHAKE_SECONDS + 5) * SLOW
            )
            connections[name] = all_of_them.enter_context(connection)
            with contextlib.suppress(ConnectionError):
                connection.sendall(data)
        is_well(server)
        for name, connection in connections.items():
            try:
                while connection.recv(65536):
                    pass
            except socket.timeout:
                wrong.append(name)
            except OSError:
                pass  # a reset is an end as well
    assert not wrong
    is_well(server)
    standing.is_back()


def test_records_spoilt_on_their_way(server):
    """One bit of a record is another: the connection ends, and nothing of it is a request."""
    target = Target(server.port, server.certificate)
    for at in (0, 1, 3, 4, 5, 20, -1):
        line = Line(target)
        data = bytearray(line.sealed(b"POST /v1/mutate HTTP/1.1\r\nHost: a\r\n\r\n"))
        data[at] ^= 1
        line.socket.sendall(bytes(data))
        line.socket.shutdown(socket.SHUT_WR)
        assert line.answers() == []
        line.close()
    is_well(server)


def test_a_record_twice(server):
    """A record that is sent again is no second request."""
    line = Line(Target(server.port, server.certificate))
    data = line.sealed(b"POST /v1/mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
    line.socket.sendall(data + data)
    line.socket.shutdown(socket.SHUT_WR)
    assert len(line.answers()) <= 1
    line.close()
    is_well(server)
