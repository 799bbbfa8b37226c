# SPDX-License-Identifier: Apache-2.0
"""A provider of external data: HTTPS on the loopback address, honest or faulty.

It answers `<key>_valid` to each key and keeps its connections, unless it has a `fault`: a
function of the request and its keys that answers, or does not, instead of it. Behind a
fault the connection is closed, unless it sets `request.close_connection` to False."""

import contextlib
import http.server
import json
import socket
import ssl
import subprocess
import threading


class Authority:
    """A CA in a folder, and certificates of it."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.cert = folder / "ca.pem"
        self.key = folder / "ca.key"
        self._openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
            "-subj /CN=provider-ca -addext keyUsage=keyCertSign -keyout %s -out %s" % (self.key, self.cert)
        )

    def _openssl(self, arguments):
        subprocess.run(["openssl", *arguments.split(" ")], check=True, capture_output=True)

    def issue(self, name, alternative="DNS:localhost,IP:127.0.0.1"):
        """A certificate for these names: its two files."""
        key, request, cert, names = (
            self.folder / (name + end) for end in (".key", ".csr", ".pem", ".ext")
        )
        names.write_text("subjectAltName=%s\n" % alternative)
        self._openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=%s "
            "-keyout %s -out %s" % (name, key, request)
        )
        self._openssl(
            "x509 -req -in %s -CA %s -CAkey %s -CAcreateserial -days 2 -extfile %s -out %s"
            % (request, self.cert, self.key, names, cert)
        )
        return cert, key


def respond(request, status, body, content_type="application/json"):
    """A whole HTTP response."""
    request.send_response(status)
    request.send_header("Content-Type", content_type)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def envelope(items, **more):
    """A ProviderResponse."""
    return {
        "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
        "kind": "ProviderResponse",
        "response": {"idempotent": True, "items": items, "systemError": "", **more},
    }


def valid(keys):
    return envelope([{"key": key, "value": key + "_valid"} for key in keys])


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.n_requests = 0
        self.server.provider.connections.append(self.connection)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        provider = self.server.provider
        provider.requests.append(
            {
                "path": self.path,
                "headers": {name.lower(): value for name, value in self.headers.items()},
                "body": json.loads(body),
                "certificate": self.connection.getpeercert(binary_form=True),
                "version": self.connection.version(),
            }
        )
        self.n_requests += 1
        keys = json.loads(body)["request"]["keys"]
        if provider.fault is not None:
            self.close_connection = True
            provider.fault(self, keys)
        else:
            respond(self, 200, json.dumps(valid(keys)).encode())

    def log_message(self, *_):
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass


class Provider:
    """One running provider; ended by `close`."""

    def __init__(self, authority, certificate, fault=None, client_ca=None, versions=None):
        self.requests, self.connections, self.fault = [], [], fault
        self._ca = authority.cert
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        if versions is not None:
            context.minimum_version, context.maximum_version = versions
        if client_ca is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(client_ca)
        else:
            context.verify_mode = ssl.CERT_NONE
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.provider = self
        self._server.socket = context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        self._thread.start()

    @property
    def keys(self):
        """The keys of each request so far."""
        return [request["body"]["request"]["keys"] for request in self.requests]

    @property
    def url(self):
        return "https://localhost:%d/validate" % self.port

    def hang_up(self):
        """Closes all connections there are."""
        for connection in self.connections:
            with contextlib.suppress(OSError):  # it is closed already
                connection.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self.hang_up()
        self._thread.join(10)


def dead_port():
    """A port of the loopback address without a listener."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]
