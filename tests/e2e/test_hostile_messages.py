# SPDX-License-Identifier: Apache-2.0
"""Messages that mean harm: framing that two readers could understand differently, what is
larger than its bound, pipelines without a reader. What each is answered, and that the next
good request is answered as ever."""

import itertools

import pytest
from client import answer, ask, patch_of, pod, review
from hostile import bodies
from hostile.line import Line, Target
from hostile.side import MEMORY_TELLS, Standing, endure, resident_mb
from policies import annotation, pull_always
from process import SLOW


@pytest.fixture
def server(start):
    return start(pull_always())


def statuses(server, *pieces):
    """Sends this and ends sending: the statuses of all answers, and the last one's
    `Connection`."""
    line = Line(Target(server.port, server.certificate))
    try:
        for piece in pieces:
            line.send(piece)
        line.goodbye()
        answers = line.answers()
        return [status for status, _, _ in answers], answers[-1][1].get("connection")
    finally:
        line.close()


def is_well(server):
    assert patch_of(answer(ask(server, review(pod()))))


def test_smuggling(server):
    """One answer that refuses, and the connection ends: the request that was hidden behind
    is never seen (it would be answered 404)."""
    wrong = {}
    for name, (data, status) in bodies.SMUGGLING.items():
        got = statuses(server, data)
        if got != ([status], "close"):
            wrong[name] = got
    assert not wrong
    is_well(server)


def test_smuggling_byte_by_byte(server):
    """However the bytes are split, they mean the same."""
    wrong = {}
    for name, (data, status) in bodies.SMUGGLING.items():
        line = Line(Target(server.port, server.certificate))
        for byte in data:
            if not line.drip(bytes([byte])):
                break
        got = [status for status, _, _ in line.answers()]
        line.close()
        if got != [status]:
            wrong[name] = got
    assert not wrong


def test_odd_but_good(server):
    """What is odd but has one meaning: an answer to it, and one to the request behind."""
    for name, data in bodies.ODD_BUT_GOOD.items():
        got = statuses(server, data, bodies.whole())[0]
        assert got == [400, 200], (name, got)  # 400: an empty body is no review


def test_trailers_change_nothing(server):
    """Fields behind a body are not taken for fields of the head; another framing there is
    refused."""
    body = bodies.whole().partition(b"\r\n\r\n")[2]
    data = bodies.head(bodies.CHUNKED) + b"%x\r\n%s\r\n0\r\n" % (len(body), body)
    good = data + b"Host: b\r\nExpect: x\r\n\r\n"
    assert statuses(server, good, good, bodies.whole()) == ([200, 200, 200], None)
    length = data + b"Content-Length: 70\r\n\r\n"  # llhttp refuses it from version 9 on
    assert statuses(server, length, bodies.whole()) in (([200, 200], None), ([400], "close"))
    bad = data + b"Transfer-Encoding: x\r\n\r\n"
    assert statuses(server, bad, bodies.whole()) == ([501], "close")


@pytest.fixture
def narrow(start):
    return start(pull_always(), args=["--max-body", "500Ki"])


def test_oversized(narrow):
    """Refused as soon as it is known: with `Expect: 100-continue` before the body is sent."""
    for name, (data, status) in bodies.oversized().items():
        line = Line(Target(narrow.port, narrow.certificate))
        got = line.converse(data)
        line.close()
        assert [answered for answered, _, _ in got] == [status], (name, got)
        assert got[0][1]["connection"] == "close", name
    is_well(narrow)


def test_endless(narrow):
    """Whatever never ends is refused soon, while it is still being sent."""
    for name, (begin, again) in bodies.ENDLESS.items():
        line = Line(Target(narrow.port, narrow.certificate))
        got = line.converse(begin, again, limit=16 << 20)
        line.close()
        assert got and got[0][0] in (400, 413, 414, 431), (name, got)
        assert [fields["connection"] for _, fields, _ in got] == ["close"], name
    is_well(narrow)


@pytest.mark.parametrize("name", ["smuggling", "oversized", "tiny-chunks", "costly-bodies"])
def test_floods(server, name):
    """Many of them beside good clients. Most of what is oversized is not even read."""
    assert endure(server, name, 0, seconds=1.5)["done"] > 0


def test_pipelines(start):
    """Requests by the thousand without reading an answer: each client is held back after
    a few, the memory for them is bounded, and others are answered."""
    policies = [annotation("a%d" % i, "k%d" % i, "v" * 1000) for i in range(30)]
    server = start(*policies)
    is_well(server)
    target = Target(server.port, server.certificate)
    standing = Standing(server)
    lines = [Line(target) for _ in range(20)]
    limit = 8 << 20
    requests = bodies.whole() * 1000
    try:
        for line in lines:
            assert line.push(requests, 10 * SLOW) < limit, "it reads without an end"
        is_well(server)
        if MEMORY_TELLS:
            assert resident_mb(server) < standing.mb + 1 * len(lines)
    finally:
        for line in lines:
            line.reset()
    standing.is_back()
    is_well(server)


def test_a_pipeline_is_answered_whole_and_in_order(server):
    """Two thousand requests before the first answer is read: none is lost. One among them
    that is malformed ends it there."""
    n = 2000
    target = Target(server.port, server.certificate)
    line = Line(target, timeout=60 * SLOW)
    uids = (b"u-%d" % i for i in itertools.count())
    sent = [bodies.whole().replace(b"uid-1", b"%-5s" % next(uids)[:5]) for _ in range(n)]
    bad = bodies.SMUGGLING["CL.TE"][0]
    got = line.converse(b"".join(sent) + bad + bodies.whole())
    line.close()
    assert [status for status, _, _ in got] == [200] * n + [400]
    for i, (_, _, body) in enumerate(got[:n]):
        assert b'"uid":"u-%-3d' % i in body or i > 999, body
