# SPDX-License-Identifier: Apache-2.0
"""The programs at a server's side: a good client and attacks; and what the system reports of
the server meanwhile."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import time

from client import ask, pod, review
from process import MEMORY_TELLS, SLOW

HERE = pathlib.Path(__file__).resolve().parent.parent


class Program:
    """One of our programs, until `close`, which waits for its end."""

    def __init__(self, module, *arguments):
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, arguments)],
            cwd=HERE,
            env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def say(self):
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def hear(self):
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("it has ended: %s" % self._process.args)
        return line.strip()

    def close(self):
        if self._process.returncode is not None:
            return
        self._process.stdin.close()
        try:
            self._process.wait(60 * SLOW)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


class Good(Program):
    """The good client; asks from now on."""

    def __init__(self, server, rate=100):
        super().__init__("hostile.good", server.port, server.certificate, rate)

    def window(self):
        """What has been since the last window."""
        self.say()
        return json.loads(self.hear())


class Attack(Program):
    """One attack, at full strength when this returns. In production it has a machine of its
    own: where times are measured it takes only idle processor time."""

    def __init__(self, server, name, n=0, idle=False):
        more = ["idle"] if idle else []
        super().__init__("hostile", name, server.port, server.certificate, n, *more)
        assert self.hear() == "ready"

    def stop(self):
        """Ends it: what it did. `ms`: p50, p99 and the longest time of each status."""
        self._process.stdin.close()
        counts = json.loads(self.hear())
        self.ms = counts.pop("ms", {})
        self._process.wait(60 * SLOW)
        self._process.stdout.close()
        return counts


# ---- what the system reports ----


def descriptors(server):
    return len(os.listdir("/proc/%d/fd" % server.process.pid))


def resident_mb(server):
    with open("/proc/%d/status" % server.process.pid) as status:
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def may_open(server, n):
    """Lets the server have so many descriptors; False where the system does not."""
    pid = server.process.pid
    hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
    if hard < n:
        return False
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (hard, hard))
    return True


def until(holds, seconds=10):
    deadline = time.monotonic() + seconds * SLOW
    while not holds():
        assert time.monotonic() < deadline, "it has not come to be in %g s" % (seconds * SLOW)
        time.sleep(0.05)


class Standing:
    """The resources of an idle server, to be compared with those later."""

    def __init__(self, server, grown_mb=12):
        self.server, self.grown_mb = server, grown_mb
        assert ask(server, review(pod())).status == 200  # what is opened once is open
        self.open = self._rest()
        self.mb = resident_mb(server)

    def _rest(self):
        """It asks itself now and then, which takes two descriptors for a moment."""
        seen = []
        for _ in range(10):
            seen.append(descriptors(self.server))
            time.sleep(0.02)
        return min(seen)

    def is_back(self):
        """Waits until all descriptors are back, and memory is about where it was."""
        for what, there, allowed in (
            ("descriptors", descriptors, self.open),
            ("MB", resident_mb, self.mb + self.grown_mb if MEMORY_TELLS else None),
        ):
            deadline = time.monotonic() + 25 * SLOW
            while allowed is not None and there(self.server) > allowed:
                assert time.monotonic() < deadline, "%s: %s, and %s before" % (
                    what, there(self.server), allowed
                )
                time.sleep(0.05)


def endure(server, name, n, seconds=2, **allowed):
    """An attack of this strength while a good client asks. Each of its answers is right,
    during the attack and after it, on kept connections and on new ones; afterwards all
    descriptors are back, and memory is about where it was. What the attack did."""
    standing = Standing(server, **allowed)
    with Good(server, rate=50) as good:
        time.sleep(0.5)
        good.window()
        with Attack(server, name, n) as attack:
            time.sleep(seconds)
            counts = attack.stop()
        windows = [good.window()]
        time.sleep(0.5)
        windows.append(good.window())
    for window in windows:
        assert window["answered"] and not window["wrong"], (name, window, counts)
    standing.is_back()
    return counts
