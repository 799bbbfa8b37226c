# SPDX-License-Identifier: Apache-2.0
"""The stand-in's users, rights and faults."""

import json
import os
import socket
import ssl
import threading
import time

import pytest
from standin import definitions, faults
from standin.cluster import Cluster
from standin.faults import TESTS
from standin.kubeconfig import Access

PATH = "/apis/mutations.gatekeeper.sh/v1/assign"
ACCOUNT = "system:serviceaccount:fixpoint-system:fixpoint"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("standin"))
    made.need_standin()
    made.load(*definitions.mutators())
    for name in ("a", "b"):
        made.load(
            {
                "apiVersion": "mutations.gatekeeper.sh/v1",
                "kind": "Assign",
                "metadata": {"name": name},
                "spec": {"location": "spec.x" * 40},
            }
        )
    yield made
    made.close()


@pytest.fixture
def standin(cluster):
    cluster.standin.settings.__init__()
    yield cluster.standin
    cluster.standin.faults.clear()


class Client:
    """Asks over one connection, and gives all the bytes until its end or a whole answer."""

    def __init__(self, standin, token):
        self._context = ssl.create_default_context(cafile=standin.authority.cert)
        self._port, self._token, self.socket = standin.port, token, None

    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self._port), 10)
        self.socket = self._context.wrap_socket(plain, server_hostname="localhost")
        return self

    def close(self):
        if self.socket:
            self.socket.close()
            self.socket = None

    def ask(self, path=PATH, method="GET"):
        """(status, body as on the wire); status None: the connection ended before a head."""
        if self.socket is None:
            self.connect()
        lines = ["%s %s HTTP/1.1" % (method, path), "Host: localhost"]
        if self._token:
            lines.append("Authorization: Bearer " + self._token)
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        data, ended = b"", False
        while not ended and not self._is_whole(data):
            try:
                more = self.socket.recv(65536)
            except ConnectionError:
                more = b""
            ended, data = not more, data + more
        if ended:
            self.close()
        head, _, body = data.partition(b"\r\n\r\n")
        return (int(head.split()[1]) if head else None), body

    def _is_whole(self, data):
        head, found, body = data.partition(b"\r\n\r\n")
        for line in head.decode().lower().split("\r\n") if found else ():
            if line.startswith("content-length:"):
                return len(body) >= int(line.partition(":")[2])
        return bool(found) and body.endswith(b"0\r\n\r\n")


@pytest.fixture
def client(standin):
    made = Client(standin, standin.token_for("fp", ["system:masters"]))
    yield made
    made.close()


# --- who, and what they may ------------------------------------------------------------------


def test_tokens_come_and_go(standin):
    token = standin.token_for("fp", ["system:masters"])
    client = Client(standin, token)
    assert client.ask()[0] == 200
    fresh = standin.token_for("fp", ["system:masters"])
    standin.revoke(token)
    assert client.ask()[0] == 401
    assert Client(standin, fresh).ask()[0] == 200
    assert Client(standin, None).ask()[0] == 403
    assert Client(standin, None).ask("/readyz")[0] == 200


def test_grants(standin):
    client = Client(standin, standin.token_for("granted"))
    assert client.ask()[0] == 403
    standin.grant("granted", ["list"], ["assign"], group="mutations.gatekeeper.sh")
    assert client.ask()[0] == 200
    assert client.ask(PATH + "/a")[0] == 403
    assert b"cannot get resource" in client.ask(PATH + "/a")[1]
    standin.authorizer.grants.clear()
    assert client.ask()[0] == 403
    assert client.ask("/apis/nothing.example.com/v1/things")[0] == 403


def _rbac(cluster, *rules, kind="ClusterRole"):
    space = {} if kind == "ClusterRole" else {"namespace": "fixpoint-system"}
    api = "rbac.authorization.k8s.io"
    account = {"kind": "ServiceAccount", "name": "fixpoint", "namespace": "fixpoint-system"}
    reference = {"apiGroup": api, "kind": kind, "name": "fixpoint"}
    metadata = {"name": "fixpoint", **space}
    head = {"apiVersion": api + "/v1", "metadata": metadata}
    cluster.load(
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "fixpoint-system"}},
        {**head, "kind": kind, "rules": list(rules)},
        {**head, "kind": kind + "Binding", "roleRef": reference, "subjects": [account]},
    )


def test_rights_of_stored_roles(cluster, standin, tmp_path):
    group = {"apiGroups": ["mutations.gatekeeper.sh"]}
    _rbac(
        cluster,
        {**group, "resources": ["assign"], "verbs": ["list", "watch"]},
        {**group, "resources": ["*/status"], "verbs": ["patch"]},
    )
    secrets = {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["cert"]}
    _rbac(
        cluster, {**secrets, "verbs": ["get", "list", "watch", "patch", "create"]}, kind="Role"
    )
    mounted, rotate = standin.service_account("fixpoint-system", "fixpoint", tmp_path / "sa")
    client = Client(standin, (mounted.path / "token").read_text())
    path = "/api/v1/namespaces/fixpoint-system/secrets"
    for path, code in (
        (PATH, 200),
        (PATH + "/a", 403),
        (path, 403),
        (path + "?fieldSelector=metadata.name%3Dcert", 200),
        (path + "?fieldSelector=metadata.name%3Dother", 403),
        (path + "/cert", 404),
        ("/api/v1/secrets?fieldSelector=metadata.name%3Dcert", 403),
    ):
        assert (path, client.ask(path)[0]) == (path, code)
    assert standin.log.of(user=ACCOUNT, status=403)
    assert client.ask(path, "POST")[0] == 403  # a name cannot be known there


def test_a_service_account_folder_turns_over_at_once(standin, tmp_path):
    mounted, rotate = standin.service_account("default", "x", tmp_path / "sa")
    assert sorted(one for one in os.listdir(mounted.path) if not one.startswith("..")) == [
        "ca.crt",
        "namespace",
        "token",
    ]
    assert (mounted.path / "namespace").read_text() == "default"
    before = (mounted.path / "token").read_text()
    assert rotate() == before
    after = (mounted.path / "token").read_text()
    assert after != before
    for token in (before, after):
        assert Client(standin, token).ask("/version")[0] == 200
    standin.revoke(before)
    assert Client(standin, before).ask("/version")[0] == 401


@pytest.mark.parametrize("embedded", [False, True])
@pytest.mark.parametrize("groups, code", [([], b"403"), (["system:masters"], b"200")])
def test_client_certificates(embedded, groups, code, cluster, standin):
    path = cluster.kubeconfig_for("c", groups=groups, certificate=True, embedded=embedded)
    access = Access(path)
    with socket.create_connection((access.host, access.port)) as plain:
        with access.context.wrap_socket(plain, server_hostname=access.host) as sock:
            sock.sendall(b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % PATH.encode())
            assert code in sock.recv(100)
    assert standin.log[-1].user == "c"


# --- faults ----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [401, 403, 404, 409, 410, 422, 429, 500, 503])
def test_a_status_so_often(code, standin, client):
    rule = standin.faults.add(
        faults.answer(code, retry_after=1), verb="list", resource="assign", skip=1, times=2
    )
    assert [client.ask()[0] for _ in range(5)] == [200, code, code, 200, 200]
    assert rule.hits == 2 and client.ask(PATH + "/a")[0] == 200


def test_the_tests_own_client_meets_no_fault(cluster, standin):
    standin.faults.add(faults.answer(500))
    assert cluster.request("GET", PATH).status == 200
    standin.faults.clear()
    standin.faults.add(faults.answer(500), user_agent=TESTS)
    assert cluster.request("GET", PATH).status == 500


def test_delay_and_trickle(standin, client):
    standin.faults.add(faults.delay(0.2), times=1)
    began = time.monotonic()
    assert client.ask()[0] == 200 and time.monotonic() - began > 0.19
    standin.faults.add(faults.trickle(size=200, pause=0.001), times=1)
    assert client.ask()[1] == client.ask()[1]


def test_resets_and_ends(standin, client):
    for action, wanted in (
        (faults.reset(), (None, b"")),
        (faults.close(), (None, b"")),
        (faults.reset(after_head=True), (200, b"")),
        (faults.close(after_head=True), (200, b"")),
    ):
        standin.faults.add(action, times=1)
        assert client.ask() == wanted
        assert client.ask()[0] == 200


def test_cuts_are_random_and_repeatable(standin, client):
    whole = client.ask()[1]
    lengths = []
    for _ in range(2):
        rule = standin.faults.add(faults.cut(0, len(whole), seed=7), resource="assign")
        bodies = [client.ask()[1] for _ in range(10)]
        standin.faults.remove(rule)
        assert all(whole.startswith(body) for body in bodies)
        lengths.append([len(body) for body in bodies])
    assert lengths[0] == lengths[1] and len(set(lengths[0])) > 5


def test_a_watch_is_cut_in_the_middle_of_an_event(standin, client):
    standin.faults.add(faults.cut(100, 101), verb="watch")
    assert len(client.ask(PATH + "?watch=1&timeoutSeconds=5")[1]) == 100


def test_nonsense(standin, client):
    standin.faults.add(faults.garbage(), times=1)
    status, body = client.ask()
    assert status == 200 and b"<html>" in body
    standin.faults.add(faults.silence(), verb="watch", times=1)
    assert client.ask(PATH + "?watch=1") == (200, b"0\r\n\r\n")
    standin.faults.add(faults.expired(), verb="watch", times=1)
    assert b'"code":410' in client.ask(PATH + "?watch=1")[1]
    standin.faults.add(faults.endless_line(1 << 20), verb="watch", times=1)
    assert len(client.ask(PATH + "?watch=1")[1]) > 1 << 20


def test_expired_as_status(standin, client):
    standin.expire()
    old = PATH + "?watch=1&resourceVersion=1"
    assert client.ask(old)[0] == 200
    standin.settings.expired_in_head = True
    status, body = client.ask(old)
    assert status == 410 and json.loads(body)["reason"] == "Expired"


def test_gone_and_back(standin, client):
    assert client.ask()[0] == 200
    standin.disappear()
    client.close()
    with pytest.raises(ConnectionRefusedError):
        client.connect()
    standin.reappear()
    assert client.ask()[0] == 200


def test_frozen(standin, client):
    assert client.ask()[0] == 200
    standin.freeze()
    client.socket.settimeout(0.1)
    with pytest.raises(TimeoutError):
        client.ask()
    client.close()
    standin.thaw()
    assert client.ask()[0] == 200


def test_idle_connections_end_and_busy_ones_do_not(cluster, standin, client):
    assert client.ask()[0] == 200
    events = cluster.watch("assign.mutations.gatekeeper.sh", seconds=10)
    assert next(events)["type"] == "ADDED"
    standin.close_idle()
    assert client.socket.recv(1) == b""
    assert next(events)["type"] == "ADDED"
    events.close()


def test_hanging_ends_with_the_client(standin, client):
    rule = standin.faults.add(faults.hang(), times=1)
    thread = threading.Thread(target=client.ask)
    thread.start()
    rule.wait()
    connections = standin.http.connections
    client.socket.shutdown(socket.SHUT_RDWR)
    thread.join(5)
    deadline = time.monotonic() + 5
    while standin.http.connections >= connections and time.monotonic() < deadline:
        time.sleep(0.01)
    assert standin.http.connections < connections


def test_the_log_of_requests(standin, client):
    before = len(standin.log.of(verb="list", user="fp"))
    client.ask(PATH + "?limit=1&labelSelector=a")
    (request,) = standin.wait(before + 1, verb="list", user="fp")[before:]
    assert request.query == {"limit": "1", "labelSelector": "a"}
    assert (request.status, request.group, request.version) == (
        200,
        "mutations.gatekeeper.sh",
        "v1",
    )
