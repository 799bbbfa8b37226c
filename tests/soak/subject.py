# SPDX-License-Identifier: Apache-2.0
"""A program under test: its ports, its figures, its end."""

import collections
import contextlib
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import time

import metrics_text
from client import health
from process import is_report

FIGURES = ("heap", "anonymous", "descriptors", "threads")
PATIENCE = 300  # seconds, for what should be there at once: machines are busy
METER = struct.Struct("=QQ")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Subject:
    """`fixpoint serve` with these arguments, its heap metered (where there is a meter)."""

    def __init__(self, name, binary, folder, arguments, meter=None, environment=()):
        self.name, self.folder = name, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.port, self.health_port = free_port(), free_port()
        self.log = folder / "log"
        self._page = folder / "heap"
        self._page.write_bytes(bytes(METER.size))
        self.metered = meter is not None
        self._reported = []
        command = [binary, "serve", "--listen", "127.0.0.1:%d" % self.port]
        command += ["--health-listen", "127.0.0.1:%d" % self.health_port]
        command += ["--drain", "1ms", "--log-level", "warn", *arguments]
        self.process = self._run(command, dict(environment), meter)

    def _run(self, command, environment, meter):
        environment = {**os.environ, **environment}
        if meter is not None:
            before = environment.get("LD_PRELOAD")
            environment["LD_PRELOAD"] = "%s:%s" % (meter, before) if before else str(meter)
            environment["FX_HEAP_METER"] = str(self._page)
            # What threads keep for themselves would count as in use.
            environment["GLIBC_TUNABLES"] = "glibc.malloc.tcache_count=0"
        with open(self.log, "ab") as log:
            return subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                env=environment,
            )

    # --- what it says ---

    def is_ready(self):
        with contextlib.suppress(OSError):
            return health(self, "/readyz")[0] == 200
        return False

    def wait_ready(self):
        self.until(self.is_ready, "it is ready")

    def until(self, holds, what, seconds=PATIENCE):
        deadline = time.monotonic() + seconds
        while not holds():
            self.must_live()
            if time.monotonic() > deadline:
                raise RuntimeError("%s: after %d s not so: %s" % (self.name, seconds, what))
            time.sleep(0.05)

    def must_live(self):
        if self.process.poll() is not None:
            tail = self.log.read_text(errors="replace")[-3000:]
            raise RuntimeError(
                "%s ended with %s:\n%s" % (self.name, self.process.returncode, tail)
            )

    def metrics(self):
        return metrics_text.read(health(self, "/metrics")[1])

    def metric(self, name, /, **labels):
        return self.metrics().get((name, tuple(sorted(labels.items()))), 0)

    def shorten_log(self):
        """Keeps what a sanitizer said; the rest would fill the disk in days."""
        text = self.log.read_text(errors="replace")
        self._reported += [line for line in text.splitlines() if is_report(line)]
        os.truncate(self.log, 0)

    # --- its figures ---

    def _proc(self, name):
        return pathlib.Path("/proc/%d/%s" % (self.process.pid, name))

    def heap(self):
        """Bytes of the heap in use, by a look that is not older than this call."""
        if not self.metered:
            return 0
        looks = METER.unpack(self._page.read_bytes())[0]
        self.until(lambda: METER.unpack(self._page.read_bytes())[0] > looks + 1, "metered")
        return METER.unpack(self._page.read_bytes())[1]

    def descriptors(self):
        return len(os.listdir(self._proc("fd")))

    def figures(self):
        status = self._proc("status").read_text()
        rollup = self._proc("smaps_rollup").read_text()
        return {
            "heap": self.heap(),
            "anonymous": int(re.search(r"^Anonymous: +(\d+)", rollup, re.M)[1]) * 1024,
            "descriptors": self.descriptors(),
            "threads": int(re.search(r"^Threads:\s+(\d+)", status, re.M)[1]),
        }

    def open_files(self):
        """What its descriptors are, counted."""
        found = collections.Counter()
        for name in os.listdir(self._proc("fd")):
            with contextlib.suppress(OSError):
                found[re.sub(r"\d+", "N", os.readlink(self._proc("fd") / name))] += 1
        return found

    def mappings(self):
        """Kilobytes of private memory by mapping."""
        found, name = collections.Counter(), ""
        for line in self._proc("smaps").read_text().splitlines():
            head = re.match(r"[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)", line)
            if head:
                name = head[1] or "anonymous"
            elif line.startswith("Private_Dirty:"):
                found[name] += int(line.split()[1])
        return found

    # --- its end ---

    def stop(self):
        """SIGTERM; what went wrong, if anything."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
        self.shorten_log()
        wrong = list(self._reported)
        if self.process.returncode != 0:
            wrong.append("%s: exit status %s" % (self.name, self.process.returncode))
        return wrong

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
