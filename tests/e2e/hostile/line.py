# SPDX-License-Identifier: Apache-2.0
"""One connection of an attacker: TLS in its own hands, so that it may end anywhere, and
thousands of them cost little."""

import select
import socket
import ssl
import time


class Target:
    """Where to, and one TLS context for all connections."""

    def __init__(self, port, certificate):
        self.port = port
        self.context = ssl.create_default_context(cafile=certificate)


class Line:
    """Connected; over TLS the handshake is done, unless it is `bare`."""

    def __init__(self, target, bare=False, timeout=20, window=None):
        self.socket = socket.socket()
        self.socket.settimeout(timeout)
        self._timeout = timeout
        if window is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        self.received = b""
        try:
            self.socket.connect(("127.0.0.1", target.port))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            self._tls = target.context.wrap_bio(
                self._incoming, self._outgoing, server_hostname="localhost"
            )
            if not bare:
                self._shake()
        except BaseException:
            self.socket.close()
            raise

    def _shake(self):
        while True:
            try:
                self._tls.do_handshake()
                self.socket.sendall(self._outgoing.read())
                return
            except ssl.SSLWantReadError:
                self.socket.sendall(self._outgoing.read())
                self._take(self.socket.recv(65536))

    def _take(self, data):
        if not data:
            raise EOFError
        self._incoming.write(data)

    def hello(self):
        """The bytes of a ClientHello."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        return self._outgoing.read()

    def forget_tls(self):
        """An idle connection needs its socket alone."""
        self._tls = self._incoming = self._outgoing = None

    def close(self):
        self.socket.close()

    def reset(self):
        """Ends it with RST, so that no port is left in TIME_WAIT."""
        self.socket.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00"
        )
        self.socket.close()

    def sealed(self, data):
        """Its record, not yet sent."""
        self._tls.write(data)
        return self._outgoing.read()

    def send(self, data):
        """All of it, waiting as long as that takes."""
        self._tls.write(data)
        self.socket.sendall(self._outgoing.read())

    def drip(self, data):
        """What the socket takes at once; False where the connection has ended."""
        self._tls.write(data)
        try:
            self.socket.setblocking(False)
            self.socket.send(self._outgoing.read())
            return True
        except BlockingIOError:
            return True
        except OSError:
            return False
        finally:
            self.socket.settimeout(self._timeout)

    def push(self, data, seconds):
        """Sends this over and over, and reads nothing, until the server has taken no more
        for a while or the time is over: how many bytes it took."""
        taken, rest = 0, b""
        deadline = time.monotonic() + seconds
        self.socket.setblocking(False)
        while time.monotonic() < deadline:
            if not rest:
                self._tls.write(data)
                rest = memoryview(self._outgoing.read())
            if not select.select([], [self.socket], [], 0.3)[1]:
                break
            sent = self.socket.send(rest)
            taken += sent
            rest = rest[sent:]
        self.socket.settimeout(self._timeout)
        return taken

    def goodbye(self):
        """Sends close_notify; what the server still sends can be read."""
        try:
            self._tls.unwrap()
        except ssl.SSLError:
            pass
        try:
            self.socket.sendall(self._outgoing.read())
        except OSError:
            pass  # it has ended already

    def converse(self, data, again=b"", limit=0):
        """Sends this, reading meanwhile, and then `again` over and over, until the server
        has answered or taken `limit` bytes: all answers."""
        self._tls.write(data)
        rest, taken, readable = memoryview(self._outgoing.read()), 0, []
        self.socket.setblocking(False)
        while rest or (again and taken < limit and not readable):
            if not rest:
                self._tls.write(again)
                rest = memoryview(self._outgoing.read())
            readable, writable, _ = select.select([self.socket], [self.socket], [], 20)
            try:
                if readable:
                    self._take(self.socket.recv(1 << 20))
                if writable:
                    sent = self.socket.send(rest)
                    taken, rest = taken + sent, rest[sent:]
            except (OSError, EOFError):
                break  # it is closed while we send
        self.socket.settimeout(self._timeout)
        return self.answers()

    def is_ended(self):
        """Has it been closed from there, while nothing was expected?"""
        return bool(select.select([self.socket], [], [], 0)[0])

    def is_over(self):
        """Has the server closed it? Reads what there is."""
        self.socket.setblocking(False)
        try:
            while True:
                if not self.socket.recv(65536):
                    return True
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            self.socket.settimeout(self._timeout)

    def _more(self):
        while True:
            try:
                data = self._tls.read(65536)
                self.received += data
                return bool(data)
            except ssl.SSLWantReadError:
                data = self.socket.recv(65536)
                if not data:
                    return False
                self._incoming.write(data)

    def response(self):
        """(status, headers, body) of the next response; None where there is none."""
        while b"\r\n\r\n" not in self.received:
            if not self._more():
                return None
        head, _, rest = self.received.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        length = int(fields.get("content-length", 0))
        while len(rest) < length:
            if not self._more():
                return None
            rest = self.received.partition(b"\r\n\r\n")[2]
        self.received = rest[length:]
        return int(lines[0].split(" ")[1]), fields, rest[:length]

    def answers(self):
        """All further responses, until the server closes or falls silent."""
        found = []
        try:
            while True:
                response = self.response()
                if response is None:
                    return found
                found.append(response)
        except (OSError, ssl.SSLError):
            return found
