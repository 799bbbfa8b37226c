# SPDX-License-Identifier: Apache-2.0
"""Clients that mean harm, or are broken: each does one thing and goes."""

import contextlib
import socket
import ssl
import threading

from client import Connection, encode, pod, request, review

GARBAGE = b"\x16\x03\x01\xff\xff" + bytes(range(256))


def plain(server):
    return socket.create_connection(("127.0.0.1", server.port), 10)


def connects_only(server, dice, over):
    with plain(server):
        over.wait(dice.uniform(0, 0.5))


def sends_garbage(server, dice, over):
    with plain(server) as raw:
        raw.sendall(bytes(dice.randrange(256) for _ in range(dice.randrange(1, 600))))
        raw.settimeout(2)
        raw.recv(1000)


def breaks_the_handshake(server, dice, over):
    with plain(server) as raw:
        hello, nothing = ssl.MemoryBIO(), ssl.MemoryBIO()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with contextlib.suppress(ssl.SSLWantReadError):
            context.wrap_bio(nothing, hello).do_handshake()
        bytes_ = hello.read()
        raw.sendall(bytes_[: dice.randrange(1, len(bytes_))] + GARBAGE[: dice.randrange(200)])
        over.wait(dice.uniform(0, 0.2))


def goes_in_the_middle(server, dice, over):
    connection = Connection(server)
    data = request(encode(review(pod())))
    connection.send(data[: dice.randrange(1, len(data))])
    connection.reset()


def goes_before_its_answer(server, dice, over):
    connection = Connection(server)
    connection.send(request(encode(review(pod()))) * dice.randrange(1, 20))
    connection.reset()


def speaks_no_http(server, dice, over):
    with Connection(server) as connection:
        connection.send(dice.choice([
            b"\r\n" * 200 + b"HELLO\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0",
            b"POST / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 70_000,
            b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n",
        ]))
        connection.at_end()


def is_slow(server, dice, over):
    with Connection(server) as connection:
        for byte in request(encode(review(pod())))[:30]:
            connection.send(bytes([byte]))
            if over.wait(0.02):
                break


ALL = [
    connects_only, sends_garbage, breaks_the_handshake, goes_in_the_middle,
    goes_before_its_answer, speaks_no_http, is_slow,
]


class Hostile(threading.Thread):
    """One after the other, until it is over."""

    def __init__(self, server, over, dice):
        super().__init__(daemon=True)
        self.server, self.over, self.dice, self.count = server, over, dice, 0

    def run(self):
        while not self.over.is_set():
            with contextlib.suppress(OSError, ssl.SSLError, EOFError, AssertionError):
                self.dice.choice(ALL)(self.server, self.dice, self.over)
            self.count += 1
            self.over.wait(0.02)
