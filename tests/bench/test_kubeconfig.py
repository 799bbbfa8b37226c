# SPDX-License-Identifier: Apache-2.0
"""A FIXPOINT_KUBECONFIG that cannot be used: one sentence, and status 2."""

import http.server
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import threading

import pytest
import yaml

import api_server
import servers

BENCH = pathlib.Path(__file__).parent / "bench.py"
PATH = "/api/v1/namespaces?limit=1"
DELETE = object()


def document(server="https://localhost:1", **changed):
    """A kubeconfig, with some of its fields changed or left out."""
    fields = {
        "kind": "Config",
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }
    fields.update({name.replace("_", "-"): value for name, value in changed.items()})
    return {name: value for name, value in fields.items() if value is not DELETE}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "config"


@pytest.fixture
def said(path, monkeypatch):
    """Gives what is said of it, behind the file's name."""

    def said():
        monkeypatch.setenv("FIXPOINT_KUBECONFIG", str(path))
        with pytest.raises(servers.Misused) as wrong:
            api_server._client()
        begin = f"FIXPOINT_KUBECONFIG: {path}: "
        assert str(wrong.value).startswith(begin)
        return str(wrong.value).removeprefix(begin)

    return said


@pytest.mark.parametrize("mode", ["--create", "--table"])
def test_one_that_is_not_there(path, mode):
    environment = {**os.environ, "FIXPOINT_KUBECONFIG": str(path)}
    command = [sys.executable, BENCH, mode, "--build", path.parent, "--json", path.parent / "json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    words = f"bench: FIXPOINT_KUBECONFIG: {path}: No such file or directory\n"
    assert (done.returncode, done.stderr) == (2, words)


def test_none_at_all(monkeypatch):
    monkeypatch.delenv("FIXPOINT_KUBECONFIG", raising=False)
    with pytest.raises(api_server.Skipped, match="FIXPOINT_KUBECONFIG names none"):
        api_server._client()


@pytest.mark.parametrize(
    "bytes_, words",
    [
        (b"a: 1\nb: [", "is no YAML, line 2"),
        (b"\xff\xfe\xfd", "is no text"),
        (b"", "is no kubeconfig: its kind is not Config"),
        (b"- kind: Config", "is no kubeconfig: its kind is not Config"),
        (b"kind: Pod", "is no kubeconfig: its kind is not Config"),
    ],
)
def test_one_that_is_none(path, said, bytes_, words):
    path.write_bytes(bytes_)
    assert said() == words


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"current_context": DELETE}, "has no current-context"),
        ({"current_context": ""}, "has no current-context"),
        ({"current_context": "there"}, "has no context `there`"),
        ({"contexts": "none"}, "has no context `here`"),
        ({"clusters": DELETE}, "has no cluster `c`"),
        ({"users": []}, "has no user `u`"),
        ({"users": [None, {"name": "u"}]}, "has no user `u`"),
        ({"server": "http://localhost"}, "names a server of another kind than https://: "),
    ],
)
def test_one_that_lacks_something(path, said, changed, words):
    path.write_text(yaml.safe_dump(document(**changed)))
    assert said().startswith(words)


def test_a_certificate_that_is_none(path, said):
    cluster = {"server": "https://localhost:1", "certificate-authority-data": "bm9uZQ=="}
    path.write_text(yaml.safe_dump(document(clusters=[{"name": "c", "cluster": cluster}])))
    assert said().startswith("has a certificate, key or token that cannot be used: ")


def test_a_server_that_is_not_there(path, said):
    with socket.socket() as bound:  # and does not listen
        bound.bind(("127.0.0.1", 0))
        where = "127.0.0.1:%d" % bound.getsockname()[1]
        path.write_text(yaml.safe_dump(document("https://" + where)))
        words = f"names an API server that cannot be reached: {where}: "
        assert said().startswith(words)


class Refusing(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_error(401)

    def log_message(self, *_):
        pass


def test_a_server_that_refuses(path, said, tmp_path):
    cert, key = servers.make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with http.server.HTTPServer(("127.0.0.1", 0), Refusing) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        where = {"server": f"https://localhost:{server.server_port}"}
        where["certificate-authority"] = str(cert)
        path.write_text(yaml.safe_dump(document(clusters=[{"name": "c", "cluster": where}])))
        assert said() == f"names an API server that answers GET {PATH} with 401"
        server.shutdown()
