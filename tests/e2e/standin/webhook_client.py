# SPDX-License-Identifier: Apache-2.0
"""Calling webhooks as the API server's Go client does: HTTP/1.1, connections kept and used
again (up to 25 idle, 90 seconds), a POST never repeated once it is written, but repeated when
the answer is 429 or 5xx and says in how many seconds."""

import base64
import collections
import http.client
import itertools
import math
import select
import socket
import ssl
import threading
import time
import urllib.parse

IDLE_CONNECTIONS = 25
IDLE_SECONDS = 90
RETRIES = 10


class CallError(Exception):
    """The call failed: failurePolicy decides."""


class Services:
    """service (namespace, name) -> ports of the loopback address that stand behind it. A
    connection goes to the next of them, as kube-proxy does it."""

    def __init__(self):
        self._ports = {}
        self._turn = itertools.count()

    def set(self, namespace, name, ports):
        self._ports[namespace, name] = list(ports)

    def pick(self, namespace, name):
        ports = self._ports.get((namespace, name))
        if ports is None:
            raise CallError('service "%s" not found' % name)
        if not ports:
            raise CallError('no endpoints available for service "%s"' % name)
        return ports[next(self._turn) % len(ports)]


class _Pool:
    """The idle connections of one client configuration."""

    def __init__(self):
        self._idle = collections.deque()
        self._lock = threading.Lock()

    def take(self):
        """The connection used last that is still good, or None."""
        with self._lock:
            while self._idle:
                since, connection = self._idle.pop()
                if time.monotonic() - since < IDLE_SECONDS and _is_quiet(connection.sock):
                    return connection
                connection.close()
        return None

    def give(self, connection):
        with self._lock:
            if len(self._idle) >= IDLE_CONNECTIONS:
                connection.close()
            else:
                self._idle.append((time.monotonic(), connection))

    def close(self):
        with self._lock:
            while self._idle:
                self._idle.pop()[1].close()


def _is_quiet(sock):
    """Nothing has come on an idle connection: not its end, above all. (New session tickets
    of TLS 1.3 come with the first answer.)"""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return not poll.poll(0) and not sock.pending()


NO_CERTIFICATE = (
    "could not get REST client: unable to load root certificates: "
    "unable to parse bytes as PEM block"
)


class Client:
    def __init__(self):
        self.services = Services()
        self._pools, self._contexts = {}, {}
        self._lock = threading.Lock()
        self.dialled = 0

    def close(self):
        for pool in self._pools.values():
            pool.close()

    def _context(self, bundle):
        with self._lock:
            if bundle not in self._contexts:
                context = ssl.create_default_context()
                if bundle:
                    pem = base64.b64decode(bundle)
                    if b"-----BEGIN CERTIFICATE" not in pem:
                        raise CallError(NO_CERTIFICATE)
                    context = ssl.create_default_context(cadata=pem.decode())
                context.set_alpn_protocols(["http/1.1"])
                self._contexts[bundle] = context
            return self._contexts[bundle]

    def _dial(self, target, bundle, timeout):
        host, port, service = target
        try:
            address = ("127.0.0.1", self.services.pick(*service)) if service else (host, port)
            plain = socket.create_connection(address, timeout)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = http.client.HTTPConnection(host, port)
            connection.sock = self._context(bundle).wrap_socket(plain, server_hostname=host)
        except (OSError, ValueError) as error:
            raise CallError("dial tcp: %s" % error) from error
        self.dialled += 1
        return connection

    def post(self, config, body, seconds):
        """The body of the answer to a POST to this clientConfig, within these seconds."""
        deadline = time.monotonic() + seconds
        target, path = _target(config)
        for _ in range(RETRIES):
            code, wait, answer = self._once(
                target, path, config.get("caBundle"), body, deadline
            )
            again = (code == 429 or code >= 500) and wait is not None
            if not again or time.monotonic() + wait > deadline:
                break
            time.sleep(wait)
        if code != 200:
            words = answer.decode("utf-8", "replace")
            raise CallError("the server returned %d: %s" % (code, words))
        return answer

    def _once(self, target, path, bundle, body, deadline):
        left = deadline - time.monotonic()
        if left <= 0:
            raise CallError("context deadline exceeded")
        pool = self._pools.setdefault((target, bundle), _Pool())
        connection = pool.take() or self._dial(target, bundle, left)
        try:
            connection.sock.settimeout(left)
            _send(connection, target, "%s?timeout=%ds" % (path, math.ceil(left)), body)
            response = connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise CallError("%s" % (error or "EOF")) from error
        wait = response.getheader("Retry-After", "")
        if response.will_close:
            connection.close()
        else:
            pool.give(connection)
        return response.status, int(wait) if wait.isdigit() else None, answer


def _target(config):
    """((host, port, service), path) of a clientConfig."""
    service = config.get("service")
    if service:
        place = (service["namespace"], service["name"])
        host = "%s.%s.svc" % (service["name"], service["namespace"])
        return (host, service.get("port", 443), place), service.get("path") or "/"
    url = urllib.parse.urlsplit(config["url"])
    return (url.hostname, url.port or 443, None), url.path or "/"


def _send(connection, target, path, body):
    connection.putrequest("POST", path, skip_host=True, skip_accept_encoding=True)
    for name, value in (
        ("Host", "%s:%d" % target[:2]),
        ("User-Agent", "kube-apiserver-admission"),
        ("Content-Length", str(len(body))),
        ("Accept", "application/json, */*"),
        ("Content-Type", "application/json"),
        ("Accept-Encoding", "gzip"),
    ):
        connection.putheader(name, value)
    connection.endheaders(body)
