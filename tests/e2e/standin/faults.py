# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on purpose: rules that tests switch on, each with an action.

An action is called with the exchange (see `http_server.Exchange`) before the request is
handled. It may raise a refusal, change the exchange's wire, or end the connection; what it
lets pass is then handled as ever."""

import random
import threading
import time

from . import status
from .storage import compact

# The user agent of the tests' own client, which no fault meets unless it is asked for.
TESTS = "fixpoint-tests"

REASONS = {
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Expired",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
}


class Cut(Exception):
    """The connection is to end here; `reset`: with RST."""

    def __init__(self, reset=False):
        super().__init__("cut")
        self.reset = reset


# --- actions ---------------------------------------------------------------------------------


def answer(code, message="a fault, on purpose", retry_after=None):
    """A Status with this code."""
    headers = [] if retry_after is None else [("Retry-After", str(retry_after))]

    def act(_):
        raise status.ApiError(code, REASONS.get(code, ""), message, headers=headers)

    return act


def delay(seconds):
    """Nothing for a while, then the right answer."""

    def act(exchange):
        exchange.pause(seconds)

    return act


def hang():
    """Never an answer; the connection stays open."""
    return delay(1e9)


def reset(after_head=False):
    """RST: before anything is said, or after the head of the right answer."""

    def act(exchange):
        if not after_head:
            raise Cut(reset=True)
        exchange.wire = _Limited(exchange.wire, 0, True)

    return act


def close(after_head=False):
    """As reset, but with an orderly end of the connection."""

    def act(exchange):
        if not after_head:
            raise Cut()
        exchange.wire = _Limited(exchange.wire, 0, False)

    return act


def cut(low=0, high=4096, seed=0, rst=False):
    """The body ends at a random byte (of those on the wire, chunk sizes included) between
    `low` and `high`, anew for each request."""
    dice = random.Random(seed)

    def act(exchange):
        exchange.wire = _Limited(exchange.wire, dice.randrange(low, max(high, low + 1)), rst)

    return act


def trickle(size=1, pause=0.001):
    """The right answer, in pieces of this size with pauses between them."""

    def act(exchange):
        exchange.wire = _Trickling(exchange, size, pause)

    return act


def garbage(body=b"\x00\xff<html>this is no JSON</html>", content_type="application/json"):
    """200, and a body that makes no sense."""

    def act(exchange):
        exchange.respond(200, body, content_type)
        raise Handled

    return act


def in_stream(line, when=None):
    """200, and a watch that says just this line of bytes, and ends properly; as soon as the
    event `when` is set."""

    def act(exchange):
        exchange.begin_stream()
        if when is not None:
            when.wait(30)
        exchange.send_chunk(line)
        exchange.end_stream()
        raise Handled

    return act


def silence():
    """200, and a watch that ends properly without a word: a 410 that was lost."""
    return in_stream(b"")


def expired(message="too old resource version: 1 (2)", when=None):
    """A watch that says 410 in its stream; as soon as the event `when` is set."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": "Expired",
        "code": 410,
    }
    return in_stream(compact({"type": "ERROR", "object": body}) + b"\n", when)


def endless_line(total=64 << 20):
    """200, and a line that does not end before this many bytes."""

    def act(exchange):
        exchange.begin_stream()
        exchange.send_chunk(b'{"type":"ADDED","object":{"metadata":{"name":"')
        for _ in range(total >> 16):
            exchange.send_chunk(b"x" * 65536)
        raise Cut()

    return act


class Handled(Exception):
    """An action has answered by itself."""


# --- wires -----------------------------------------------------------------------------------


class _Limited:
    """Passes the head and so many bytes of the body, then cuts."""

    def __init__(self, below, left, rst):
        self._below, self._left, self._reset = below, left, rst

    def send(self, data, head=False):
        if head:
            self._below.send(data, head=True)
            if self._left == 0:
                raise Cut(self._reset)
            return
        self._below.send(data[: self._left])
        self._left -= len(data)
        if self._left <= 0:
            raise Cut(self._reset)


class _Trickling:
    def __init__(self, exchange, size, pause):
        self._exchange, self._below = exchange, exchange.wire
        self._size, self._pause = size, pause

    def send(self, data, head=False):
        for at in range(0, len(data), self._size):
            if at:
                self._exchange.pause(self._pause)
            self._below.send(data[at : at + self._size], head=head)


# --- rules -----------------------------------------------------------------------------------


class Rule:
    """An action, and which requests it meets. `hits` counts them."""

    def __init__(self, action, matches, skip, times, probability, seed):
        self.action, self._matches = action, matches
        self._skip, self._left = skip, times
        self._probability, self._dice = probability, random.Random(seed)
        self._lock = threading.Lock()
        self.seen, self.hits = 0, 0

    def meets(self, request):
        if request.user_agent == TESTS and "user_agent" not in self._matches:
            return False
        for name, wanted in self._matches.items():
            value = getattr(request, name)
            if not (wanted(value) if callable(wanted) else value == wanted):
                return False
        with self._lock:
            self.seen += 1
            if self.seen <= self._skip or self._left == 0:
                return False
            if self._dice.random() >= self._probability:
                return False
            if self._left is not None:
                self._left -= 1
            self.hits += 1
            return True

    def wait(self, hits=1, timeout=10):
        """Waits until it was met this often."""
        deadline = time.monotonic() + timeout
        while self.hits < hits:
            if time.monotonic() > deadline:
                raise AssertionError("met %d times, not %d" % (self.hits, hits))
            time.sleep(0.005)


class Faults:
    def __init__(self):
        self._rules = []

    def add(self, action, skip=0, times=None, probability=1.0, seed=0, **matches):
        """Switches an action on for the requests that match: attributes of the request
        (verb, group, resource, subresource, namespace, name, user, user_agent, path, ...),
        each with the value wanted or a function of it. Not for the first `skip` of them, and
        no more than `times`. The tests' own client meets none but by its user agent."""
        rule = Rule(action, matches, skip, times, probability, seed)
        self._rules = self._rules + [rule]
        return rule

    def remove(self, rule):
        self._rules = [one for one in self._rules if one is not rule]

    def clear(self):
        self._rules = []

    def meet(self, exchange):
        """Lets the rules that this exchange meets act, in the order they came."""
        for rule in self._rules:
            if rule.meets(exchange.request):
                rule.action(exchange)
