# SPDX-License-Identifier: Apache-2.0
"""The protocol: framing, limits, and clients that behave badly."""

import gzip
import signal
import threading
import time

import pytest
from client import Connection, answer, ask, encode, patch_of, pod, request, review
from policies import pull_always
from process import SLOW


def body_of(uid="uid-1"):
    return encode(review(pod(), uid=uid))


def chunked(body, sizes, trailer=b""):
    head = request(b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    out, at = [head], 0
    for size in sizes:
        piece = body[at : at + size]
        if not piece:
            break
        out.append(b"%x\r\n" % len(piece) + piece + b"\r\n")
        at += size
    assert at >= len(body)
    return b"".join(out) + b"0\r\n" + trailer + b"\r\n"


def test_keep_alive_and_close(start):
    server = start(pull_always())
    with Connection(server) as connection:
        for _ in range(3):
            connection.send(request(body_of()))
            response = connection.response()
            assert not response.closes and patch_of(answer(response))
        connection.send(request(body_of(), headers=["Connection: close"]))
        response = connection.response()
        assert response.closes and answer(response)["allowed"]
        assert connection.at_end()


def test_pipelining(start):
    server = start(pull_always())
    with Connection(server) as connection:
        connection.send(b"".join(request(body_of("u%d" % i)) for i in range(20)))
        for i in range(20):
            assert answer(connection.response())["uid"] == "u%d" % i


@pytest.mark.parametrize("size", [1, 7, 100, 100000])
def test_chunked(start, size):
    server = start(pull_always())
    body = body_of()
    with Connection(server) as connection:
        connection.send(chunked(body, [size] * (len(body) // size + 1), b"X-Trailer: 1\r\n"))
        assert patch_of(answer(connection.response()))
        connection.send(request(body))
        assert patch_of(answer(connection.response()))


def test_byte_by_byte(start):
    server = start(pull_always())
    with Connection(server) as connection:
        for byte in request(body_of()):
            connection.send(bytes([byte]))
        assert patch_of(answer(connection.response()))


def test_expect_continue(start):
    server = start(pull_always())
    whole = request(body_of(), headers=["Expect: 100-continue"])
    head, _, body = whole.partition(b"\r\n\r\n")
    with Connection(server) as connection:
        connection.send(head + b"\r\n\r\n")
        assert connection.response().status == 100
        connection.send(body)
        assert patch_of(answer(connection.response()))


def refused(server, data):
    """The answer to bytes after which the connection must be closed."""
    with Connection(server) as connection:
        connection.send(data)
        response = connection.response()
        assert response.closes and response.body
        connection.at_end()
        return response.status


def test_too_large_a_body(start):
    server = start(pull_always(), args=["--max-body", "10000"])
    head = request(b"").replace(b"Content-Length: 0", b"Content-Length: 10001")
    assert refused(server, head) == 413
    assert refused(server, chunked(b"x" * 12000, [3000] * 4)) == 413
    assert patch_of(answer(ask(server, review(pod()))))


def test_too_large_a_head(start):
    server = start(pull_always())
    big = request(body_of(), headers=["X-Big: " + "x" * 70000])
    assert refused(server, big) == 431
    many = request(body_of(), headers=["X-%d: y" % i for i in range(9000)])
    assert refused(server, many) == 431


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01 what is this\r\n\r\n",
        b"POST /v1/mutate HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        b"POST /v1/mutate HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"POST /v1/mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        b"POST /v1/mutate HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/mutate HTTP/1.1\r\nHost : a\r\n\r\n",
    ],
)
def test_malformed(start, data):
    server = start(pull_always())
    assert refused(server, data) == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}',
        b'{"apiVersion":"admission.k8s.io/v2","kind":"AdmissionReview","request":{"uid":"u"}}',
        b"\xff\xfe",
        b"[" * 100000,
    ],
)
def test_no_review(start, body):
    """Bad bodies are answered with a message, and the connection goes on."""
    server = start(pull_always())
    with Connection(server) as connection:
        connection.send(request(body))
        response = connection.response()
        assert response.status == 400 and response.body and not response.closes
        connection.send(request(body_of()))
        assert patch_of(answer(connection.response()))


def test_any_content_type(start):
    server = start(pull_always())
    data = request(body_of()).replace(b"application/json\r\nAcc", b"text/plain\r\nAcc")
    with Connection(server) as connection:
        connection.send(data)
        assert patch_of(answer(connection.response()))


def test_unknown_path_and_method(start):
    server = start(pull_always())
    assert ask(server, b"{}", path="/v2/mutate").status == 404
    assert ask(server, b"{}", path="/").status == 404
    assert ask(server, b"{}", path="/healthz", method="GET").status == 404
    response = ask(server, b"{}", method="PUT")
    assert response.status == 405 and response.headers["allow"] == "POST"


def test_slow_message(start):
    server = start(pull_always(), args=["--message-timeout", "500ms"])
    whole = request(body_of())
    for part in (whole[:20], whole[:-1]):
        began = time.monotonic()
        assert refused(server, part) == 408
        assert 0.4 < time.monotonic() - began < 5 * SLOW
    assert patch_of(answer(ask(server, review(pod()))))


def test_half_closed_clients_are_answered(start):
    server = start(pull_always())
    for end in (Connection.end_sending, Connection.goodbye):
        with Connection(server) as connection:
            connection.send(request(body_of()))
            end(connection)
            assert patch_of(answer(connection.response()))
            connection.at_end()


def test_nobody_suffers_from_others(start):
    """Connections reset in the middle, silent ones, half a handshake: a steady client
    gets every answer."""
    server = start(pull_always())
    whole = request(body_of())
    over = threading.Event()
    trouble = []

    def make_trouble():
        while not over.is_set():
            try:
                for part in (0, 10, len(whole) // 2, len(whole) - 1):
                    connection = Connection(server)
                    if part:
                        connection.send(whole[:part])
                    connection.reset()
                Connection(server).socket.close()
            except Exception as error:  # the server may not fail them
                trouble.append(error)
                return

    threads = [threading.Thread(target=make_trouble) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        with Connection(server) as connection:
            for i in range(200):
                connection.send(request(body_of("u%d" % i)))
                assert answer(connection.response())["uid"] == "u%d" % i
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert not trouble


def test_too_many_connections(start):
    """One beyond the bound replaces the one that was not used for the longest time,
    and the others go on; a free slot is used again."""
    server = start(pull_always(), args=["--max-connections", "4", "--threads", "1"])
    server.log.wait("webhook port answers")  # our own request took a slot, too
    held = []

    def works():
        connection = Connection(server)
        connection.send(request(body_of()))
        answered = patch_of(answer(connection.response()))
        held.append(connection)
        return answered

    try:
        while len(held) < 4:
            eventually(works)
        for connection in held[1:]:
            connection.send(request(body_of()))
            assert patch_of(answer(connection.response()))
        assert works() and held[0].at_end()
        held.pop(0).socket.close()
        for connection in held:
            connection.send(request(body_of()))
            assert patch_of(answer(connection.response()))
        held.pop(0).socket.close()
        eventually(works)
    finally:
        for connection in held:
            connection.socket.close()


def eventually(works):
    """Tries until it does."""
    deadline = time.monotonic() + 5 * SLOW
    while True:
        try:
            if works():
                return
        except (OSError, EOFError):
            pass
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("timeout", ["-5s", "abc", "5", "1d", "5s%20"])
def test_a_timeout_that_is_no_time(start, timeout):
    """No API server sends it: who does learns of it, on every path."""
    server = start(pull_always())
    for path in ("/v1/mutate", "/v1/admit", "/v1/admitlabel", "/podbinding-webhook"):
        response = ask(server, review(pod()), path="%s?timeout=%s" % (path, timeout))
        assert response.status == 400, path
        assert b"`timeout` in the query must be a duration such as 10s" in response.body
    assert patch_of(answer(ask(server, review(pod()), path="/v1/mutate?timeout=10s")))


@pytest.mark.parametrize("timeout", ["", "0", "0s", "1m0s", "+1.5s", "99999h"])
def test_a_timeout_that_is_a_time(start, timeout):
    server = start(pull_always())
    path = "/v1/mutate?timeout=" + timeout
    assert patch_of(answer(ask(server, review(pod()), path=path)))


def test_a_coded_body(start):
    server = start(pull_always())
    data = gzip.compress(body_of())
    assert refused(server, request(data, headers=["Content-Encoding: gzip"])) == 415
    plain = request(body_of(), headers=["Content-Encoding: identity"])
    with Connection(server) as connection:
        connection.send(plain)
        assert patch_of(answer(connection.response()))


@pytest.mark.parametrize("version", [b"RTSP/1.0", b"ICE/1.0", b"HTTP/2.0"])
def test_other_protocols(start, version):
    server = start(pull_always())
    assert refused(server, request(body_of()).replace(b"HTTP/1.1", version, 1)) in (400, 505)


@pytest.mark.parametrize("name", ["SIGALRM", "SIGVTALRM", "SIGPROF", "SIGIO", "SIGPIPE"])
def test_signals_that_mean_nothing(start, name):
    server = start(pull_always())
    server.signal(getattr(signal, name))
    assert patch_of(answer(ask(server, review(pod()))))
    assert server.stop() == 0
