# SPDX-License-Identifier: Apache-2.0
"""python3 -m hostile.good PORT CERTIFICATE RATE: a good client, a process of its own.

Asks on a few connections that it keeps, as the API server does, and one request in twenty
on a new one; RATE requests a second, one at a time, so that what is measured is the
server's time. On every line of its input it says what has been since the line before, as
JSON: how many were answered, how many wrongly, and the times in milliseconds. Ends with its
input, or after five minutes."""

import json
import select
import sys
import time

from hostile import bodies
from hostile.attackers import BROKEN, quantile
from hostile.line import Line, Target

LONGEST = 300
KEPT = 4
PATIENCE = 10


class Good:
    def __init__(self, target):
        self.target = target
        self.lines = [None] * KEPT
        self.request = bodies.whole()
        self.expected = None
        self.forget()

    def forget(self):
        self.times, self.new_times, self.wrong, self.late = [], [], [], 0

    def report(self):
        said = {"answered": len(self.times), "anew": len(self.new_times)}
        said.update(wrong=self.wrong[:5], n_wrong=len(self.wrong), late=self.late)
        if self.times:
            said.update(p50=quantile(self.times, 0.5), p99=quantile(self.times, 0.99))
        if self.new_times:
            said.update(new_p50=quantile(self.new_times, 0.5))
        self.forget()
        return json.dumps(said)

    def _judge(self, response):
        """The first answer is what all are to be."""
        self.expected = self.expected or response
        if response is None:
            self.wrong.append("no answer")
        elif response[0] != 200 or response[2] != self.expected[2]:
            self.wrong.append("%d %s" % (response[0], response[2][:200].decode("latin-1")))

    def ask_anew(self):
        began = time.monotonic()
        try:
            line = Line(self.target, timeout=PATIENCE)
            try:
                line.send(self.request)
                self._judge(line.response())
                self.new_times.append(time.monotonic() - began)
            finally:
                line.close()
        except BROKEN as failure:
            self.wrong.append("a new connection: %r" % failure)

    def ask(self, at):
        """On a kept connection. One that the server has ended meanwhile is made again, as
        any client does."""
        try:
            if self.lines[at] is None or self.lines[at].is_ended():
                self.lines[at] = Line(self.target, timeout=PATIENCE)
            began = time.monotonic()
            self.lines[at].send(self.request)
            self._judge(self.lines[at].response())
            self.times.append(time.monotonic() - began)
        except BROKEN as failure:
            self.wrong.append("a kept connection: %r" % failure)
            self.lines[at] = None


def main(port, certificate, rate):
    good = Good(Target(int(port), certificate))
    every = 1 / float(rate)
    due = began = time.monotonic()
    n = 0
    while time.monotonic() < began + LONGEST:
        while select.select([sys.stdin], [], [], max(0, due - time.monotonic()))[0]:
            if not sys.stdin.readline():
                return
            print(good.report(), flush=True)
        n += 1
        if n % 20 == 0:
            good.ask_anew()
        else:
            good.ask(n % KEPT)
        due += every
        if due < time.monotonic() - 0.1:
            good.late += 1
            due = time.monotonic()


if __name__ == "__main__":
    main(*sys.argv[1:])
