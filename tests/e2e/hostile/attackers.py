# SPDX-License-Identifier: Apache-2.0
"""The attacks. Each is a class: `prepare` brings it to full strength, `step` is called
again and again until it is to end, `counts` is what it did. It runs in a process of its own
(hostile/__main__.py), so that it takes no processor time from the client that is measured."""

import contextlib
import random
import socket
import ssl
import threading
import time

from hostile import bodies
from hostile.line import Line

BROKEN = (OSError, ssl.SSLError, EOFError)  # what a connection may end by
ATTACKS = {}


def quantile(times, part):
    """In milliseconds."""
    return round(sorted(times)[min(int(len(times) * part), len(times) - 1)] * 1e3, 3)


def attack(cls):
    ATTACKS[cls.name] = cls
    return cls


class Attack:
    """`n`: how many connections, or how many a second."""

    n = 1000

    def __init__(self, target, n=None):
        self.target = target
        self.n = n or self.n
        self.counts = {}
        self._lock = threading.Lock()
        self.ending = False

    def count(self, what, how_many=1):
        with self._lock:
            self.counts[what] = self.counts.get(what, 0) + how_many

    def prepare(self):
        pass

    def step(self):
        raise NotImplementedError

    def end(self):
        self.ending = True


class Crowd(Attack):
    """Keeps `n` connections; those the server ends are made again."""

    bare = False
    workers = 4

    def __init__(self, *args):
        super().__init__(*args)
        self.lines = [None] * self.n

    def begin(self, line):
        """What a new connection says first."""

    def drip(self, line):
        """What it says once a second; False where it has ended."""
        return not line.is_over()

    def _fill(self, at):
        try:
            line = Line(self.target, bare=self.bare)
            self.begin(line)
            self.lines[at] = line
            self.count("connected")
        except BROKEN:
            self.count("refused")

    def _work(self, worker):
        for at in range(worker, self.n, self.workers):
            if self.ending:
                return
            if self.lines[at] is None:
                self._fill(at)

    def _fill_all(self):
        threads = [
            threading.Thread(target=self._work, args=(i,)) for i in range(self.workers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def prepare(self):
        self._fill_all()

    def step(self):
        began = time.monotonic()
        for at, line in enumerate(self.lines):
            if line is not None and not self.drip(line):
                line.close()
                self.lines[at] = None
                self.count("ended by the server")
        self._fill_all()
        time.sleep(max(0, began + 1 - time.monotonic()))

    def end(self):
        super().end()
        for line in self.lines:
            if line is not None:
                line.reset()


@attack
class SlowHeads(Crowd):
    """Slowloris: heads that never end, a field a second."""

    name = "slow-heads"

    def begin(self, line):
        line.send(bodies.head()[:-2])

    def drip(self, line):
        return line.drip(b"X-A: b\r\n") and not line.is_over()


@attack
class SlowBodies(Crowd):
    """Bodies that never end, a byte a second."""

    name = "slow-bodies"

    def begin(self, line):
        line.send(bodies.head("Content-Length: 100000") + b"{")

    def drip(self, line):
        return line.drip(b" ") and not line.is_over()


@attack
class SlowReads(Crowd):
    """Asks for large answers and reads none, a small window."""

    name = "slow-reads"
    n = 200

    def _fill(self, at):
        try:
            self.lines[at] = Line(self.target, window=2048)
            self.lines[at].push(bodies.whole(bodies.large(100)) * 4, 1)
            self.count("connected")
        except BROKEN:
            self.count("refused")

    def drip(self, line):
        return True


@attack
class Idle(Crowd):
    """Connections on which nothing is ever said, behind a whole handshake."""

    name = "idle"
    n = 10000

    def begin(self, line):
        line.forget_tls()


@attack
class Mute(Crowd):
    """Connections on which not even TLS is begun."""

    name = "mute"
    n = 10000
    bare = True


@attack
class HalfOpen(Crowd):
    """TLS that never gets anywhere: no hello, half of one, a whole one and then silence."""

    name = "half-open-tls"
    bare = True

    def begin(self, line):
        hello = line.hello()
        part = random.choice((0, 5, len(hello) // 2, len(hello)))
        line.socket.sendall(hello[:part])


class Rate(Attack):
    """Does something `n` times a second, however long it takes."""

    workers = 48

    def once(self):
        raise NotImplementedError

    def _work(self, worker):
        due = self._began + worker / self.n
        while not self.ending:
            time.sleep(max(0, due - time.monotonic()))
            if self.ending:
                return
            try:
                self.once()
                self.count("done")
            except BROKEN:
                self.count("refused")
            due = max(due + self.workers / self.n, time.monotonic() - 1)

    def prepare(self):
        self._began = time.monotonic()
        self._threads = [
            threading.Thread(target=self._work, args=(i,), daemon=True)
            for i in range(self.workers)
        ]
        for thread in self._threads:
            thread.start()

    def step(self):
        time.sleep(0.1)

    def end(self):
        super().end()
        for thread in self._threads:
            thread.join(25)


@attack
class Handshakes(Rate):
    """Whole handshakes, nothing said, the connection ended."""

    name = "handshakes"

    def once(self):
        Line(self.target).reset()


@attack
class Connects(Rate):
    """Connections that are ended at once."""

    name = "connects"
    n = 2000

    def once(self):
        Line(self.target, bare=True).reset()


class Messages(Rate):
    """Sends one bad message after another, each on a connection of its own where it was
    ended, and reads what is said to that."""

    n = 300
    workers = 8

    def messages(self):
        """[bytes]"""
        raise NotImplementedError

    def prepare(self):
        self._messages = self.messages()
        self._next = 0
        super().prepare()

    def once(self):
        with self._lock:
            self._next += 1
            message = self._messages[self._next % len(self._messages)]
        line = Line(self.target)
        try:
            with contextlib.suppress(*BROKEN):
                line.send(message)
                line.socket.shutdown(socket.SHUT_WR)
            line.answers()
        finally:
            line.reset()


@attack
class Smuggling(Messages):
    """Every shape of framing that two readers could understand differently."""

    name = "smuggling"

    def messages(self):
        return [data for data, _ in bodies.SMUGGLING.values()]


@attack
class Oversized(Messages):
    """Heads, bodies, chunks and trailers that are too large."""

    name = "oversized"
    n = 100

    def messages(self):
        endless = [begin + again * 40 for begin, again in bodies.ENDLESS.values()]
        return [data for data, _ in bodies.oversized().values()] + endless


@attack
class Chunks(Messages):
    """Bodies of many chunks of one byte."""

    name = "tiny-chunks"
    n = 20

    def messages(self):
        return [bodies.head(bodies.CHUNKED) + b"1\r\n \r\n" * 200000 + b"0\r\n\r\n"]


@attack
class Nested(Messages):
    """Bodies that mean much work: deep, wide, and full of numbers."""

    name = "costly-bodies"
    n = 20

    def messages(self):
        texts = [b"[" * 500000, b"[" + b"{}," * 500000, b"[" + b"1e300," * 200000]
        texts += [b'{"' + b'a":{"' * 200000, b'"' + b"\\u0041" * 300000]
        return [bodies.whole(text) for text in texts]


@attack
class Pipelines(Crowd):
    """Requests by the thousand, and no answer is ever read."""

    name = "pipelines"
    n = 50

    def begin(self, line):
        self.count("bytes", line.push(bodies.whole() * 100, 1))

    def drip(self, line):
        return True


class Flood(Crowd):
    """`n` connections, all made first, that ask again as soon as they are answered."""

    n = 100

    def message(self):
        raise NotImplementedError

    def _ask(self, at):
        while not self.ending:
            try:
                self.lines[at] = self.lines[at] or Line(self.target)
                began = time.monotonic()
                self.lines[at].send(self._message)
                response = self.lines[at].response()
                if response is None:
                    raise EOFError
                self._note(response, time.monotonic() - began)
            except BROKEN as failure:
                self.count("broken: %r" % failure)
                self.lines[at] = None

    def _note(self, response, seconds):
        status, fields, _ = response
        self.times.setdefault(status, []).append(seconds)
        good = status == 200 or "retry-after" in fields
        self.count("%d" % status if good else "%d without Retry-After" % status)

    def prepare(self):
        super().prepare()
        self.counts, self.times, self._message = {}, {}, self.message()
        self._threads = [
            threading.Thread(target=self._ask, args=(at,), daemon=True) for at in range(self.n)
        ]
        for thread in self._threads:
            thread.start()

    def step(self):
        time.sleep(0.1)

    def end(self):
        self.ending = True
        for thread in self._threads:
            thread.join(25)
        super().end()
        self.counts["ms"] = {
            status: [quantile(times, part) for part in (0.5, 0.99, 1)]
            for status, times in self.times.items()
        }


@attack
class Reviews(Flood):
    """More good reviews than can be answered."""

    name = "reviews"

    def message(self):
        return bodies.whole()


@attack
class LargeReviews(Flood):
    """The same with objects that take long."""

    name = "large-reviews"

    def message(self):
        return bodies.whole(bodies.large(300), target="/v1/mutate?timeout=2s")
