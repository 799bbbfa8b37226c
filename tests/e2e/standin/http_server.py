# SPDX-License-Identifier: Apache-2.0
"""HTTPS on the loopback address, byte by byte in our hands: a thread per connection."""

import contextlib
import email.utils
import gzip
import select
import socket
import ssl
import struct
import threading
import time
import uuid

from .faults import Cut, Handled
from .request import Request

HEAD_LIMIT = 64 << 10
SMALL = 2048  # Go gives a body a length up to here, and chunks beyond
GZIP_FROM = 128 << 10
REASONS = {
    200: "OK",
    201: "Created",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    410: "Gone",
    415: "Unsupported Media Type",
    422: "Unprocessable Entity",
    429: "Too Many Requests",
    500: "Internal Server Error",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}
FLOW = [
    ("X-Kubernetes-Pf-Flowschema-Uid", "1719722e-a564-4624-a274-ef7bf90ce1c1"),
    ("X-Kubernetes-Pf-Prioritylevel-Uid", "29185542-c1df-4a62-95e6-027e6c18c839"),
]


class _Wire:
    """The bytes' way to the client; faults may stand before it."""

    def __init__(self, sock, gate):
        self._socket, self._gate = sock, gate

    def send(self, data, head=False):
        self._gate.wait()
        self._socket.sendall(data)


class Exchange:
    """One request and the answer to it."""

    def __init__(self, connection, request):
        self.request, self._connection = request, connection
        self.wire = _Wire(connection.socket, connection.server.gate)

    def _head(self, code, content_type, headers, framing):
        lines = [
            "HTTP/1.1 %d %s" % (code, REASONS.get(code, "Unknown")),
            "Audit-Id: %s" % uuid.uuid4(),
            "Cache-Control: no-cache, private",
            "Content-Type: %s" % content_type,
        ]
        known = FLOW if code != 401 else []
        lines += ["%s: %s" % pair for pair in list(headers) + known]
        lines.append("Date: %s" % email.utils.formatdate(usegmt=True))
        lines.append("%s: %s" % framing)
        self.request.status = code
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def respond(self, code, body, content_type="application/json", headers=()):
        """A whole answer."""
        accepts = "gzip" in self.request.headers.get("accept-encoding", "")
        if accepts and len(body) > GZIP_FROM and "watch" not in self.request.query:
            body = gzip.compress(body, 1)
            headers = list(headers) + [
                ("Content-Encoding", "gzip"),
                ("Vary", "Accept-Encoding"),
            ]
        bodiless = self.request.method == "HEAD"
        if len(body) <= SMALL or bodiless:
            head = self._head(code, content_type, headers, ("Content-Length", len(body)))
            data = b"" if bodiless else body
        else:
            head = self._head(code, content_type, headers, ("Transfer-Encoding", "chunked"))
            data = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
        self.wire.send(head, head=True)
        if data:
            self.wire.send(data)

    def begin_stream(self):
        self.wire.send(
            self._head(200, "application/json", (), ("Transfer-Encoding", "chunked")), head=True
        )

    def send_chunk(self, data):
        if data:
            self.wire.send(b"%x\r\n%b\r\n" % (len(data), data))

    def send_chunks(self, chunks):
        """Several chunks in as few writes as may be."""
        self.wire.send(b"".join(b"%x\r\n%b\r\n" % (len(data), data) for data in chunks))

    def end_stream(self):
        self.wire.send(b"0\r\n\r\n")

    def pause(self, seconds):
        """Waits; the end of the server or of the connection ends it."""
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return
            if self._connection.wait(min(left, 1.0)):
                raise Cut()

    def wait(self, bell, seconds):
        """Waits for the bell. The client's end of the connection is the end of this."""
        if self._connection.wait(seconds, bell):
            raise Cut()


class Connection:
    def __init__(self, server, sock):
        self.server, self.raw, self.socket = server, sock, sock
        self.busy = False
        self._received = b""
        self._certificate = None

    # --- reading ---

    def _more(self):
        data = self.socket.recv(65536)
        self._received += data
        return bool(data)

    def _head(self):
        """The next head; None at the end of the connection."""
        while b"\r\n\r\n" not in self._received:
            if len(self._received) > HEAD_LIMIT or not self._more():
                return None
        head, _, self._received = self._received.partition(b"\r\n\r\n")
        return head.decode("latin-1")

    def _exactly(self, size):
        parts, have = [self._received], len(self._received)
        while have < size:
            data = self.socket.recv(1 << 20)
            if not data:
                raise Cut()
            parts.append(data)
            have += len(data)
        whole = b"".join(parts)
        self._received = whole[size:]
        return whole[:size]

    def _line(self):
        while b"\r\n" not in self._received:
            if not self._more():
                raise Cut()
        line, _, self._received = self._received.partition(b"\r\n")
        return line

    def _body(self, headers):
        if headers.get("expect", "").lower() == "100-continue":
            self.socket.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "chunked" in headers.get("transfer-encoding", ""):
            parts = []
            while True:
                size = int(self._line().partition(b";")[0], 16)
                parts.append(self._exactly(size))
                self._line()
                if not size:
                    return b"".join(parts)
        return self._exactly(int(headers.get("content-length") or 0))

    def _request(self):
        head = self._head()
        if head is None:
            return None
        self.busy = True
        first, *lines = head.split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        return Request(method, target, headers, self._body(headers))

    # --- waiting ---

    def wait(self, seconds, bell=None):
        """Waits for the bell or this long; True where the client has gone. (A client that
        waits for its answer sends nothing, so whatever comes is its end.)"""
        if self._received or self.socket.pending():
            return True
        poll = select.poll()
        poll.register(self.raw, select.POLLIN | select.POLLHUP | select.POLLERR)
        if bell is not None:
            poll.register(bell, select.POLLIN)
        ready = [fd for fd, _ in poll.poll(max(0, seconds) * 1000)]
        if self.server.closed:
            return True
        return self.socket.fileno() in ready

    # --- the whole of it ---

    def run(self):
        try:
            self.server.gate.wait()
            self.socket = self.server.context.wrap_socket(self.raw, server_side=True)
            self.raw = self.socket
            self._certificate = self.socket.getpeercert()
            while self._serve():
                self.busy = False
            self._goodbye()
        except Cut as cut:
            self._end(cut.reset)
        except (OSError, ValueError):
            pass  # the client or the server has gone
        finally:
            self.server.forget(self)
            self.raw.close()

    def _serve(self):
        request = self._request()
        if request is None:
            return False
        exchange = Exchange(self, request)
        try:
            self.server.handler(exchange, self._certificate)
        except Handled:
            pass
        finally:
            request.seconds = time.monotonic() - request.began
        return request.headers.get("connection", "").lower() != "close"

    def _end(self, rst):
        if rst:
            with contextlib.suppress(OSError):
                linger = struct.pack("ii", 1, 0)
                self.raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    def _goodbye(self):
        """close_notify, without waiting for the client's."""
        self.socket.settimeout(0)
        with contextlib.suppress(OSError, ValueError):
            self.socket.unwrap()

    def hang_up(self):
        with contextlib.suppress(OSError):
            self.raw.shutdown(socket.SHUT_RDWR)


class HttpServer:
    """`handler(exchange, certificate)` answers each request, in a thread of the connection."""

    def __init__(self, cert, key, client_ca, handler, port=0):
        self.handler = handler
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(cert, key)
        self.context.load_verify_locations(client_ca)
        self.context.verify_mode = ssl.CERT_OPTIONAL
        self.context.set_alpn_protocols(["http/1.1"])
        self.closed = False
        self.gate = threading.Event()  # while it is clear, nothing is said
        self.gate.set()
        self._lock = threading.Lock()
        self._connections = set()
        self._listener, self.port = None, port
        self.accepted = 0
        self.listen()

    def listen(self):
        """Accepts connections: at first, or again on the same port."""
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", self.port))
        self._listener.listen(512)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener):
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(self, sock)
            with self._lock:
                self._connections.add(connection)
                self.accepted += 1
            threading.Thread(target=connection.run, daemon=True).start()

    def forget(self, connection):
        with self._lock:
            self._connections.discard(connection)

    @property
    def connections(self):
        return len(self._connections)

    def stop_listening(self):
        """New connections are refused from now on."""
        if self._listener:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None

    def hang_up(self, idle_only=False):
        """Ends the connections there are."""
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            if not (idle_only and connection.busy):
                connection.hang_up()

    def close(self):
        self.closed = True
        self.gate.set()
        self.stop_listening()
        self.hang_up()
