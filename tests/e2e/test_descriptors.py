# SPDX-License-Identifier: Apache-2.0
"""Descriptors that run out: what is connected is served, everything else fails softly, and
all is well once there are some again."""

import base64
import os
import shutil
import signal
import socket
import time

import jsonpatch
import pytest
from client import Connection, answer, ask, encode, health, patch_of, pod, request, review
from descriptors import count, none_left, processor_seconds, settle, until
from fixpoint_cluster import definitions
from fixpoint_cluster import until as until_is
from policies import annotation, external, pull_always, write
from process import SLOW
from provider import Authority, Provider

LIMIT = 200
LONG = 5  # seconds: by then the files look as if they had not changed for long
WRAPPER = os.environ.get("FIXPOINT_WRAPPER")
pytestmark = pytest.mark.skipif(bool(WRAPPER), reason="a tool needs descriptors, too")


class Pair:
    """The names of a certificate's files, whose content changes."""

    def __init__(self, folder, issued):
        self.cert, self.key = folder / "serving.crt", folder / "serving.key"
        self.put(issued)

    def put(self, issued):
        for source, to in ((issued[1], self.key), (issued[0], self.cert)):
            shutil.copy(source, to.with_suffix(".new"))
            to.with_suffix(".new").rename(to)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def pair(tmp_path, authority):
    made = Pair(tmp_path, authority.issue("first"))
    made.ca = authority.cert
    return made


@pytest.fixture
def provider(authority):
    running = Provider(authority, authority.issue("provider"))
    yield running
    running.close()


def asking(provider, authority):
    """Pods of one namespace want a value from outside."""
    policy = external()
    policy["spec"]["match"] = {"namespaces": ["asking"]}
    bundle = base64.b64encode(authority.cert.read_bytes()).decode()
    return policy, {
        "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
        "kind": "Provider",
        "metadata": {"name": "p"},
        "spec": {"url": provider.url, "timeout": 3, "caBundle": bundle},
    }


def say(connection, obj=None):
    """A review on this connection."""
    connection.send(request(encode(review(obj or pod()))))
    return answer(connection.response())


def annotated(connection, key):
    """Does it annotate with this key by now?"""
    patch = patch_of(say(connection)) or []
    return any(key in str(operation) for operation in patch)


def value_of(connection):
    """What it annotates with."""
    patched = jsonpatch.apply(pod(), patch_of(say(connection)))
    (value,) = patched["metadata"]["annotations"].values()
    return value


def shown(server):
    """The serial number of the certificate it shows to new connections."""
    with Connection(server) as connection:
        return connection.peer_name()["serialNumber"]


# --- a crowd ---------------------------------------------------------------------------------


def crowd_of(server, number):
    """Connections that say nothing."""
    made = []
    for _ in range(number):
        one = socket.socket()
        one.settimeout(10)
        try:
            one.connect(("127.0.0.1", server.port))
            made.append(one)
        except OSError:  # refused: there is no room
            one.close()
            time.sleep(0.005)
    return made


def test_a_crowd_leaves_room_for_the_others(
    start, folder, monkeypatch, pair, authority, provider
):
    """More idle connections than there are descriptors: health and metrics answer on new
    connections, policies and certificates are read, providers are asked."""
    monkeypatch.setenv("FIXPOINT_WRAPPER", "prlimit --nofile=%d:%d" % (LIMIT, LIMIT))
    server = start(pull_always(), *asking(provider, authority), tls=pair)
    server.log.wait("webhook port answers")
    first, before = shown(server), settle(server)
    with Connection(server) as early:
        say(early)
        crowd = crowd_of(server, 2 * LIMIT)
        try:
            until(lambda: count(server) > LIMIT // 3, "the crowd is in")
            used = processor_seconds(server)
            write(
                folder / "policies.yaml", annotation("late", "late", "1"),
                *asking(provider, authority),
            )
            pair.put(authority.issue("second"))
            for _ in range(20):
                assert health(server, "/healthz") == (200, "ok\n")
                assert "process_open_fds" in health(server, "/metrics")[1]
                assert say(early)["allowed"]
                time.sleep(0.02)
            until(lambda: annotated(early, "late"), "the new policies are in force")
            patched = say(early, pod(namespace="asking"))
            assert b"nginx_valid" in base64.b64decode(patched["patch"])
            time.sleep(1)
            assert processor_seconds(server) - used < 3 * SLOW, "it spins"
        finally:
            for one in crowd:
                one.close()
        until(lambda: count(server) <= before + 3, "the crowd is gone")
        until(lambda: shown(server) != first, "the new certificate is shown")
        provider.hang_up()
    until(lambda: settle(server) == before, "as many descriptors as before")


# --- none at all -----------------------------------------------------------------------------


def test_not_one_descriptor(start, folder, pair, authority, provider):
    """What is connected is served; what needs a descriptor fails with a word about it, and
    is made up for by itself later."""
    policies = folder / "policies.yaml"
    server = start(pull_always(), *asking(provider, authority), tls=pair, paths=policies)
    server.log.wait("webhook port answers")
    first, before = shown(server), settle(server)
    with Connection(server) as early:
        say(early)
        settle(server)
        position = server.log.position()
        with none_left(server):
            used = processor_seconds(server)
            write(folder / "next.tmp", annotation("late", "late", "1"))
            (folder / "next.tmp").rename(policies)
            pair.put(authority.issue("second"))
            server.signal(signal.SIGHUP)
            crowd = crowd_of(server, 20)
            refused = say(early, pod(namespace="asking"))
            assert not refused["allowed"] and "provider p" in refused["status"]["message"]
            for _ in range(LONG * 10):
                assert not annotated(early, "late")
                time.sleep(0.1)
            assert processor_seconds(server) - used < 3 * SLOW, "it spins"
            for one in crowd:
                one.close()
        until(lambda: annotated(early, "late"), "the new policies are in force")
        until(lambda: shown(server) != first, "the new certificate is shown")
        report = server.log.text().splitlines()[position:]
        assert any("oo many open files" in line for line in report), report
        assert health(server, "/healthz")[0] == 200
        provider.hang_up()
    until(lambda: settle(server) == before, "as many descriptors as before")


def test_not_one_descriptor_for_the_api_server(fixture, cluster):
    """Its watches end, where they can be ended, and it cannot connect again; it answers as
    before, and catches up."""
    cluster.define(*definitions())
    shop = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    fixture.put(annotation("a", "a", "1"), shop)
    replica = fixture.start()
    before = settle(replica)
    resource = "assignmetadata.mutations.gatekeeper.sh"
    with Connection(replica) as early:
        assert value_of(early) == "1"
        settle(replica)
        with none_left(replica):
            used = processor_seconds(replica)
            if cluster.standin:
                cluster.standin.http.hang_up()
            fixture.put(annotation("a", "a", "2"))
            for _ in range(20):
                value = value_of(early)
                assert value == "1" or (value == "2" and not cluster.standin)
                time.sleep(0.05)
            assert processor_seconds(replica) - used < 3 * SLOW, "it spins"
        until_is(lambda: replica.state(resource), "watching", within=40)
        until(lambda: value_of(early) == "2", "the new policy is in force")
    assert replica.ready()
    until(lambda: settle(replica) <= before, "no more descriptors than before", within=60)
