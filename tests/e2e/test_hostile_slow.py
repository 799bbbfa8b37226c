# SPDX-License-Identifier: Apache-2.0
"""Clients that take their time: slowloris in its variants, by our own hands and by
slowhttptest's, idle connections by the thousand, and more of them than there may be."""

import shutil
import subprocess
import time

import pytest
from client import answer, ask, health, patch_of, pod, review
from hostile.side import (
    MEMORY_TELLS,
    Attack,
    Good,
    Standing,
    descriptors,
    endure,
    may_open,
    resident_mb,
    until,
)
from policies import pull_always
from process import SLOW

# What a connection may take: most of it are the two buffers of its TLS session.
CONNECTION_KB = 48


@pytest.fixture
def server(start):
    made = start(pull_always())
    made.log.wait("webhook port answers")
    return made


@pytest.mark.parametrize("name", ["slow-heads", "slow-bodies", "slow-reads"])
def test_slow_clients(server, name):
    large = name == "slow-reads"
    n = int((100 if large else 300) / SLOW)
    # Large answers leave holes in the heap, 12 MB with Debian 12's libraries, 17 with 13's;
    # a second and a fifth attack find them, and leave no more.
    assert endure(server, name, n, grown_mb=20 if large else 12)["connected"] >= n


def test_who_is_too_slow_is_told(start):
    """A message that is not whole in time is answered 408."""
    server = start(pull_always(), args=["--message-timeout", "500ms"])
    for name in ("slow-heads", "slow-bodies"):
        counts = endure(server, name, 20, seconds=3)
        assert counts["ended by the server"] >= 20


def test_ten_thousand_idle_connections(start):
    """A thousand behind a whole handshake, the others mute (all with TLS would take CI
    minutes; `./dev hostile` does that). All are kept where there may be so many. What they
    take is bounded, and given back."""
    n, idle = (10000, 1000) if SLOW == 1 else (500, 100)
    server = start(pull_always(), args=["--max-connections", str(n + 100)])
    server.log.wait("webhook port answers")
    if not may_open(server, n + 200):
        pytest.skip("the system allows too few descriptors for so many connections")
    standing = Standing(server)
    with Good(server, 50) as good:
        with Attack(server, "idle", idle) as first, Attack(server, "mute", n - idle) as then:
            until(lambda: descriptors(server) >= standing.open + n * 0.9, 20)
            if MEMORY_TELLS:
                assert resident_mb(server) < standing.mb + n * CONNECTION_KB / 1024 + 8
            assert health(server, "/readyz")[0] == 200
            then.stop()
            assert first.stop()["connected"] == idle
        window = good.window()
        assert window["answered"] and not window["wrong"], window
    standing.is_back()
    assert patch_of(answer(ask(server, review(pod()))))


def test_more_than_there_may_be(start):
    """Idle connections beyond the bound, made again as soon as they are ended: who has a
    connection and uses it keeps it, and who is new and means well gets in."""
    server = start(pull_always(), args=["--max-connections", "100"])
    endure(server, "idle", 300)


SLOW_TESTS = {"slowloris": ["-H"], "slow body": ["-B"], "slow read": ["-X"], "ranges": ["-R"]}


@pytest.mark.skipif(shutil.which("slowhttptest") is None, reason="slowhttptest is missing")
@pytest.mark.parametrize("kind", SLOW_TESTS)
def test_slowhttptest(server, kind):
    """The known tool: good clients are served meanwhile, and all is given back."""
    standing = Standing(server)
    url = "https://127.0.0.1:%d/v1/mutate?timeout=5s" % server.port
    command = ["slowhttptest", *SLOW_TESTS[kind], "-u", url, "-c", "300", "-r", "150"]
    command += ["-i", "1", "-x", "20", "-l", "6", "-p", "3"]
    with Good(server, 50) as good:
        tool = subprocess.run(command, capture_output=True, timeout=120, check=False)
        window = good.window()
        assert window["answered"] and not window["wrong"], (window, tool.stdout[-500:])
        time.sleep(0.5)
        assert not good.window()["wrong"]
    standing.is_back()
    assert patch_of(answer(ask(server, review(pod()))))
