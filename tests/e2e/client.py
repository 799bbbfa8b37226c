# SPDX-License-Identifier: Apache-2.0
"""An outside client: HTTP/1.1 by hand over a TLS that checks certificate and name."""

import base64
import http.client
import json
import socket
import ssl

from process import SLOW

TIMEOUT = 10 * SLOW


def context(server, highest=ssl.TLSVersion.MAXIMUM_SUPPORTED):
    trusting = ssl.create_default_context(cafile=server.certificate)
    trusting.maximum_version = highest
    assert trusting.verify_mode == ssl.CERT_REQUIRED and trusting.check_hostname
    return trusting


class Response:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers  # names in lower case
        self.body = body

    def json(self):
        return json.loads(self.body)

    @property
    def closes(self):
        return self.headers.get("connection", "").lower() == "close"


class Connection:
    """One TLS connection, byte by byte in our hands (the TLS library never sees the
    socket, so that each side of it can be ended by itself)."""

    def __init__(self, server, timeout=TIMEOUT, **versions):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context(server, **versions).wrap_bio(
            self._incoming, self._outgoing, server_hostname="localhost"
        )
        self._received = b""
        self._pump(self._tls.do_handshake)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _flush(self):
        data = self._outgoing.read()
        if data:
            self.socket.sendall(data)

    def _pump(self, step):
        """Runs a step of TLS, moving bytes until it is done."""
        while True:
            try:
                result = step()
                self._flush()
                return result
            except ssl.SSLWantReadError:
                self._flush()
                data = self.socket.recv(65536)
                if data:
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()

    def peer_name(self):
        return self._tls.getpeercert()

    def cipher(self):
        return self._tls.cipher()

    def send(self, data):
        self._tls.write(data)
        self._flush()

    def goodbye(self):
        """Sends close_notify; what the server still sends can be read."""
        try:
            self._tls.unwrap()
        except ssl.SSLError:
            pass
        self._flush()

    def end_sending(self):
        """Half-closes the TCP connection."""
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """Ends it with RST."""
        linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.socket.close()

    def _more(self):
        data = self._pump(lambda: self._tls.read(65536))
        self._received += data
        return bool(data)

    def _until(self, mark):
        while mark not in self._received:
            if not self._more():
                raise EOFError("the server closed after %r" % self._received[-200:])
        head, _, self._received = self._received.partition(mark)
        return head

    def response(self):
        """The next response."""
        lines = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        version, status, _ = (lines[0] + " ").split(" ", 2)
        assert version == "HTTP/1.1", lines[0]
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            assert name.lower() not in headers, "header twice: %s" % line
            headers[name.lower()] = value.strip()
        if int(status) < 200:
            return Response(int(status), headers, b"")
        length = int(headers["content-length"])
        while len(self._received) < length:
            if not self._more():
                raise EOFError("a body of %d bytes ends early" % length)
        body, self._received = self._received[:length], self._received[length:]
        return Response(int(status), headers, body)

    def at_end(self):
        """Waits for the server's close; True where it said goodbye first."""
        try:
            return not self._more() and not self._received
        except (ssl.SSLError, ConnectionError):
            return False


def request(body, path="/v1/mutate?timeout=5s", method="POST", headers=()):
    """The bytes of a request as the API server sends it."""
    head = [
        "%s %s HTTP/1.1" % (method, path),
        "Host: localhost",
        "User-Agent: kube-apiserver-admission",
        "Content-Length: %d" % len(body),
        "Accept: application/json, */*",
        "Content-Type: application/json",
        "Accept-Encoding: gzip",
    ]
    return "\r\n".join(head + list(headers)).encode() + b"\r\n\r\n" + body


def pod(name="web", namespace="shop", images=("nginx",), **metadata):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": dict(name=name, namespace=namespace, **metadata),
        "spec": {
            "containers": [
                {"name": "c%d" % i, "image": image} for i, image in enumerate(images)
            ]
        },
    }


def review(obj, operation="CREATE", uid="uid-1", version="v1", username="alice", **more):
    """An AdmissionReview of this object."""
    group, _, api_version = obj["apiVersion"].rpartition("/")
    kind = {"group": group, "version": api_version, "kind": obj["kind"]}
    resource = {
        "group": group,
        "version": api_version,
        "resource": obj["kind"].lower() + "s",
    }
    return {
        "apiVersion": "admission.k8s.io/" + version,
        "kind": "AdmissionReview",
        "request": dict(
            uid=uid,
            kind=kind,
            resource=resource,
            name=obj["metadata"].get("name", ""),
            namespace=obj["metadata"].get("namespace", ""),
            operation=operation,
            userInfo={"username": username},
            object=obj,
            oldObject=None,
            dryRun=False,
            **more,
        ),
    }


def encode(value):
    return json.dumps(value).encode()


def ask(server, body, **how):
    """One request on a connection of its own."""
    if not isinstance(body, bytes):
        body = encode(body)
    with Connection(server) as connection:
        connection.send(request(body, **how))
        return connection.response()


def answer(response):
    """The `response` of a review answered with 200."""
    assert response.status == 200, (response.status, response.body)
    assert response.headers["content-type"] == "application/json"
    out = response.json()
    assert out["kind"] == "AdmissionReview"
    return out["response"]


def patch_of(reviewed):
    """The decoded patch, None where there is none. Never half of the two fields."""
    if "patch" not in reviewed:
        assert "patchType" not in reviewed
        return None
    assert reviewed["patchType"] == "JSONPatch"
    return json.loads(base64.b64decode(reviewed["patch"], validate=True))


def health(server, path, method="GET"):
    """Asks the plain port; (status, text)."""
    connection = http.client.HTTPConnection("127.0.0.1", server.health_port, timeout=TIMEOUT)
    try:
        connection.request(method, path)
        got = connection.getresponse()
        return got.status, got.read().decode()
    finally:
        connection.close()
