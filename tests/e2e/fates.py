# SPDX-License-Identifier: Apache-2.0
"""Clients that know what became of each request they began, and when its bytes had left.

What an API server (a client in Go) sees decides what counts. It sends a POST again by itself
only where no byte of it was written; so whatever was written and not answered is a failed
call of the webhook. A server that ends may leave unanswered only what it could not know of:
a request whose first byte came after its goodbye."""

import random
import ssl
import threading
import time

from client import Connection, answer, encode, pod, request, review
from process import SLOW

ANSWERED, NOTHING, CUT = "answered", "nothing", "cut"


class Fate:
    """One request: when its first piece was certainly written (time of day; the log has
    that, too), how it ended, and how the connection did."""

    def __init__(self, kind):
        self.kind = kind
        self.written = None
        self.end = None
        self.status = None
        self.how = ""

    def is_lost(self, goodbye):
        """Was it begun before the server said goodbye, and yet not answered?"""
        if self.end == CUT:
            return True
        return self.end == NOTHING and self.written is not None and self.written < goodbye

    def __str__(self):
        return "%s: %s %s (%s), first bytes at %.6f" % (
            self.kind, self.end, self.status, self.how, self.written or 0
        )


def body_of(dice, namespace, bytes_more=0):
    obj = pod("p%d" % dice.randrange(1000), namespace, images=("nginx", "redis:7"))
    if bytes_more:
        obj["metadata"]["annotations"] = {"filler": "x" * bytes_more}
    return encode(review(obj))


class Client(threading.Thread):
    """Asks until `over` is set, and keeps every fate.

    `pause`: at most so long between two requests; `pieces`: a request is sent in so many,
    with such pauses between; `fresh`: a new connection for each."""

    def __init__(self, server, over, seed, kind, namespace="shop", **how):
        super().__init__(daemon=True)
        self.server, self.over, self.kind, self.namespace = server, over, kind, namespace
        self.dice = random.Random(seed)
        self.pause = how.get("pause", 0)
        self.pieces = how.get("pieces", 1)
        self.fresh = how.get("fresh", False)
        self.size = how.get("size", 0)
        self.fates, self.failed_dials, self.failure = [], 0, None

    def run(self):
        try:
            while not self.over.is_set():
                self.use_connection()
        except Exception as failure:  # a mistake of ours, or a wrong answer
            self.failure = failure

    def use_connection(self):
        try:
            connection = Connection(self.server, timeout=60 * SLOW)
        except (OSError, ssl.SSLError, EOFError):
            self.failed_dials += 1
            time.sleep(0.005)
            return
        with connection:
            while not self.over.is_set() and self.ask(connection) and not self.fresh:
                if self.pause:
                    time.sleep(self.dice.uniform(0, self.pause))

    def ask(self, connection):
        """One request; True where the connection may be used again."""
        fate = Fate(self.kind)
        self.fates.append(fate)
        data = request(body_of(self.dice, self.namespace, self.size))
        try:
            self.send(connection, data, fate)
        except (OSError, ssl.SSLError) as failure:
            fate.how = "sending: %r" % failure  # an answer may be there all the same
        return self.receive(connection, fate)

    def send(self, connection, data, fate):
        step = -(-len(data) // self.pieces)
        for at in range(0, len(data), step):
            if at > 0:
                time.sleep(self.dice.uniform(0, self.pause))
            connection.send(data[at : at + step])
            if fate.written is None:
                fate.written = time.time()

    def receive(self, connection, fate):
        try:
            response = connection.response()
        except (OSError, ssl.SSLError, EOFError) as failure:
            fate.end = CUT if connection._received else NOTHING
            fate.how += " receiving: %r" % failure
            return False
        fate.end, fate.status = ANSWERED, response.status
        if response.status == 200:
            assert answer(response)["allowed"]
        else:  # too much at once is an answer, too
            assert response.status == 503 and "retry-after" in response.headers, fate
        return not response.closes


class Crowd:
    """Clients of several kinds at once."""

    def __init__(self, server, seed, kinds):
        self.over = threading.Event()
        self.clients = [
            Client(server, self.over, "%s-%d" % (seed, i), kind, **how)
            for i, (kind, how) in enumerate(kinds)
        ]

    def start(self):
        for client in self.clients:
            client.start()

    def wait(self):
        """Waits until a request is answered."""
        deadline = time.monotonic() + 20 * SLOW
        while not any(fate.end == ANSWERED for one in self.clients for fate in one.fates):
            assert time.monotonic() < deadline, "no request is answered"
            time.sleep(0.005)

    def end(self):
        """Waits for all of them; gives their fates."""
        self.over.set()
        for client in self.clients:
            client.join(120 * SLOW)
            assert not client.is_alive(), "%s is still waiting" % client.kind
            if client.failure is not None:
                raise client.failure
        return [fate for client in self.clients for fate in client.fates]

    @property
    def failed_dials(self):
        return sum(client.failed_dials for client in self.clients)
