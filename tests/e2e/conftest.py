# SPDX-License-Identifier: Apache-2.0
"""Starting the program under test, and ending it whatever happens."""

import pathlib

import pytest

import policies
import webhook_configurations
from fixpoint_cluster import SECRET, Fixture
from process import Server, is_report
from standin.cluster import Cluster

RECORDINGS = pathlib.Path(__file__).resolve().parent.parent / "recordings" / "admission"


@pytest.fixture
def folder(tmp_path):
    """An empty folder of policies."""
    made = tmp_path / "policies"
    made.mkdir()
    return made


@pytest.fixture
def start(tmp_path, folder):
    """start(policy, …, args=(…)) writes the policies and starts a server of the folder."""
    servers = []

    def begin(*documents, args=(), tls=None, paths=None):
        if documents:
            policies.write(folder / "policies.yaml", *documents)
        servers.append(Server(tmp_path, paths or folder, *args, tls=tls))
        return servers[-1]

    yield begin
    failures = []
    for server in servers:
        try:
            if server.process.poll() is None and server.stop() != 0:
                failures.append("exit %s" % server.process.returncode)
        finally:
            server.kill()
        failures += [line for line in server.log.text().splitlines() if is_report(line)]
    assert not failures, "\n".join(failures)


@pytest.fixture
def cluster(tmp_path):
    """A cluster of a test's own, with the webhook configurations. (Files that need others
    have a fixture of this name.)"""
    made = Cluster(tmp_path / "cluster")
    made.load(webhook_configurations.mutating(), webhook_configurations.validating())
    yield made
    made.close()


@pytest.fixture
def fixture(cluster, tmp_path):
    """What a test has in the cluster."""
    made = Fixture(cluster, tmp_path)
    yield made
    failures = made.close()
    assert not failures, "\n".join(failures)


@pytest.fixture
def replica(fixture):
    """replica(…) starts one that does all there is to do and shares its certificate with
    others in a Secret; it waits a second between the phases of a rotation, unless its flags say
    more."""

    def begin(*args, **how):
        arguments = ("--tls-secret", SECRET, *(args or ("--rotation-wait", "1s")))
        return fixture.start(*arguments, everything=True, ready=False, tls=False, **how)

    return begin


@pytest.fixture(scope="session")
def recordings():
    """What a real API server sent: the head, and the bodies by name."""
    head = (RECORDINGS / "request-head.txt").read_bytes()
    bodies = {path.name: path.read_bytes() for path in sorted(RECORDINGS.glob("*.json"))}
    assert len(bodies) == 30
    return head, bodies
