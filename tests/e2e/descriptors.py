# SPDX-License-Identifier: Apache-2.0
"""A process's descriptors: how many there are, how many there may be."""

import contextlib
import os
import resource
import time

from process import SLOW


def count(server):
    return len(os.listdir("/proc/%d/fd" % server.process.pid))


def until(holds, what, within=20):
    deadline = time.monotonic() + within * SLOW
    while not holds():
        assert time.monotonic() < deadline, "not so after %d s: %s" % (within, what)
        time.sleep(0.02)


def settle(server):
    """How many there are once the number is stable."""
    seen = []
    deadline = time.monotonic() + 20 * SLOW
    while len(seen) < 25 or len(set(seen[-25:])) > 1:
        assert time.monotonic() < deadline, "the number never gets stable: %s" % seen[-25:]
        seen.append(count(server))
        time.sleep(0.02)
    return seen[-1]


@contextlib.contextmanager
def none_left(server):
    """It keeps what it has and gets no other one: every number below the bound is taken for
    good, so that what is closed meanwhile is no help either."""
    pid = server.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def processor_seconds(server):
    with open("/proc/%d/stat" % server.process.pid) as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
