# SPDX-License-Identifier: Apache-2.0
"""Clients that mean harm: reviews of every wrong shape, more connections than there are
descriptors, and answers that no client reads."""

import os
import resource
import select
import socket
import time

import pytest
from client import Connection, answer, ask, encode, patch_of, pod, request, review
from hostile import shapes
from hostile.shapes import SECRET
from policies import annotation, assign, modify_set, pull_always, sidecar, write
from process import MEMORY_TELLS, SLOW

# Names of the request are logged; contents of the object are not.
NAMES = {"uid", "operation", "group", "version", "kind", "namespace", "name", "username"}


def wrong_reviews():
    labels = {"app": SECRET}
    obj = pod(images=(SECRET,), annotations={"key": SECRET}, labels=labels)
    whole = review(obj, operation="UPDATE", requestKind={"kind": "Pod"})
    whole["request"]["userInfo"]["groups"] = ["a"]
    whole["request"]["oldObject"] = pod(images=(SECRET,))
    yield from shapes.of_wrong_types(whole)
    yield from shapes.with_a_nul(whole)


def test_reviews_of_every_wrong_shape(start):
    """One node after another is missing or of another type. Each gets its answer, none a
    5xx, the connection lives on, and no content of the object gets into the log."""
    server = start(
        pull_always(),
        sidecar(),
        annotation("owner", "owner", "me"),
        assign("node", "spec.nodeName", "n"),
        args=["--log-level", "debug"],
    )
    statuses = {200: 0, 400: 0}
    with Connection(server) as connection:
        for path, value, wrong in wrong_reviews():
            connection.send(request(encode(wrong)))
            response = connection.response()
            assert response.status in statuses, (path, value, response.body)
            assert response.body and not response.closes, (path, value)
            statuses[response.status] += 1
            if response.status == 200:
                patch_of(answer(response))
        assert min(statuses.values()) > 100, statuses
    assert server.stop() == 0
    entries = server.log.entries("review changed") + server.log.entries("review failed")
    assert len(entries) > 100
    for entry in entries:
        report = {key: text for key, text in entry.items() if key not in NAMES}
        assert SECRET not in str(report), entry


def test_words_that_quote_a_secret_are_not_logged(start):
    """The answer quotes the value that is no list; the log does not, nor a number that no
    reader takes."""
    server = start(modify_set("set", "data.password", ["a"], kinds=("Secret",)))
    obj = {"apiVersion": "v1", "kind": "Secret", "data": {"password": SECRET}}
    obj["metadata"] = {"name": "s", "namespace": "n"}
    reviewed = answer(ask(server, review(obj)))
    assert reviewed["allowed"] is False and SECRET in reviewed["status"]["message"]
    body = encode(review(dict(obj, x=12345))).replace(b"12345", b"777888999e999")
    assert ask(server, body).status == 400
    assert server.stop() == 0
    assert len(server.log.entries("review failed")) == 2
    assert SECRET not in server.log.text() and "777888999" not in server.log.text()


def resident_mb(server):
    with open("/proc/%d/status" % server.process.pid) as status:
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) >> 10


def full_of_empties(field):
    """A review whose object has eight megabytes of `{},` there, which would stand for six
    hundred of nodes."""
    obj = pod()
    obj[field]["annotations" if field == "metadata" else "x"] = "HERE"
    empties = b"[" + b",".join([b"{}"] * 2700000) + b"]"
    body = encode(review(obj)).replace(b'"HERE"', empties)
    assert len(body) < 8 << 20
    return body


@pytest.mark.skipif(SLOW > 1, reason="sanitizers keep memory")
def test_little_text_that_means_much_memory(start):
    """Where it is read, it is refused. Large bodies leave no memory behind."""
    server = start(pull_always())
    response = ask(server, full_of_empties("metadata"))
    assert response.status == 400 and b"too many values" in response.body
    assert answer(ask(server, review(pod())))["allowed"]
    until(lambda: resident_mb(server) < 64)


@pytest.mark.skipif(SLOW > 1, reason="sanitizers keep memory")
def test_what_no_policy_reads_takes_no_memory(start):
    server = start(pull_always())
    assert patch_of(answer(ask(server, full_of_empties("spec"))))
    assert resident_mb(server) < 64


def descriptors(server):
    return len(os.listdir("/proc/%d/fd" % server.process.pid))


@pytest.mark.skipif("FIXPOINT_WRAPPER" in os.environ, reason="a tool needs descriptors, too")
def test_out_of_descriptors(start, folder):
    """Connected clients are served while no descriptor is left, no thread spins, and all is
    well once there are some again, policies that changed meanwhile included."""
    server = start(pull_always())
    server.log.wait("webhook port answers")
    pid = server.process.pid
    with Connection(server) as early:
        early.send(request(encode(review(pod()))))
        assert patch_of(answer(early.response()))
        limit = descriptors(server) + 8
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, limit))
        crowd = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
        try:
            until(lambda: descriptors(server) >= limit - 2)
            write(folder / "policies.yaml", annotation("later", "later", "1"))
            before = processor_seconds(pid)
            for _ in range(20):
                early.send(request(encode(review(pod()))))
                assert answer(early.response())["allowed"]
                time.sleep(0.05)
            assert processor_seconds(pid) - before < 0.5 * SLOW, "it spins"
        finally:
            for connection in crowd:
                connection.close()
        until(lambda: descriptors(server) < limit - 4)

    def has_changed():
        patch = patch_of(answer(ask(server, review(pod()))))
        return patch[0]["path"] == "/metadata/annotations"

    until(has_changed)


def processor_seconds(pid):
    with open("/proc/%d/stat" % pid) as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid):
    with open("/proc/%d/status" % pid) as status:
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def until(holds):
    deadline = time.monotonic() + 10 * SLOW
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def push(connection, data, limit):
    """Sends this over and over and never reads, until the server takes no more: how many
    bytes it took."""
    taken = 0
    connection.socket.setblocking(False)
    while taken < limit:
        connection._tls.write(data)
        rest = memoryview(connection._outgoing.read())
        while rest:
            if not select.select([], [connection.socket], [], 0.3)[1]:
                return taken
            sent = connection.socket.send(rest)
            taken += sent
            rest = rest[sent:]
    return taken


def test_answers_that_nobody_fetches(start):
    """Six clients ask as fast as they can and read nothing. Each is held back soon; what
    waits for them stays small, others are answered, and all ends when they go."""
    policies = [annotation("a%d" % i, "k%d" % i, "v" * 1000) for i in range(50)]
    server = start(*policies)
    whole = request(encode(review(pod())))
    answered = len(ask(server, review(pod())).body)
    assert answered > 50000
    resident_before, open_before = resident(server.process.pid), descriptors(server)
    greedy = []
    try:
        for _ in range(6):
            greedy.append(Connection(server))
            limit = 64 << 20
            assert push(greedy[-1], whole * 20, limit) < limit, "read without an end"
        assert patch_of(answer(ask(server, review(pod()))))
        if MEMORY_TELLS:
            grown = resident(server.process.pid) - resident_before
            assert grown < 8 * (1 << 20), "%d bytes for six clients" % grown
    finally:
        for connection in greedy:
            connection.socket.close()
    until(lambda: descriptors(server) <= open_before)
    assert patch_of(answer(ask(server, review(pod()))))
