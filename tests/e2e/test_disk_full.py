# SPDX-License-Identifier: Apache-2.0
"""A log that cannot be written: no space, no reader, or one that does not read. Nobody who
is served notices; lines that are lost are counted, and reported later."""

import contextlib
import fcntl
import json
import os
import signal
import socket
import subprocess
import time

import pytest
from client import Connection, answer, ask, encode, health, patch_of, pod, request, review
from fixpoint_cluster import until
from metrics_text import read, value
from policies import annotation, pull_always, write
from process import SLOW, Server, command, is_report

LOST = "fixpoint_log_lines_lost_total"
ENOUGH = 12000  # lines that no buffer on the way has room for


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Mute(Server):
    """A server whose log goes to this descriptor, and not to us."""

    def __init__(self, folder, policies, stderr, *args):
        self.stderr = stderr
        self.port, self.health_port = free_port(), free_port()
        listen = "127.0.0.1:%d" % self.port
        super().__init__(
            folder, policies, "--drain", "1ms", *args,
            listen=listen, health_listen="127.0.0.1:%d" % self.health_port,
        )

    def _run(self, arguments, environment=None):
        self.process = subprocess.Popen(
            command() + arguments,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.stderr,
        )
        try:
            until(self.is_ready, True, within=20)
        except BaseException:
            self.kill()
            raise

    def is_ready(self):
        assert self.process.poll() is None, "it ended: %s" % self.process.poll()
        with contextlib.suppress(OSError):
            return health(self, "/readyz")[0] == 200
        return False

    def lost(self):
        return value(read(health(self, "/metrics")[1]), LOST)

    def end(self):
        self.signal(signal.SIGTERM)
        return self.process.wait(30 * SLOW)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)


@pytest.fixture
def mute(tmp_path, folder):
    servers = []

    def begin(stderr, *args):
        write(folder / "policies.yaml", pull_always())
        servers.append(Mute(tmp_path, folder, stderr, *args))
        return servers[-1]

    yield begin
    for server in servers:
        server.kill()


def serves(server, folder):
    """Everything there is to do that writes a line."""
    assert patch_of(answer(ask(server, review(pod()))))
    assert health(server, "/healthz") == (200, "ok\n")
    write(folder / "policies.yaml", annotation("later", "later", "1"))
    server.signal(signal.SIGHUP)

    def path():
        return patch_of(answer(ask(server, review(pod()))))[0]["path"]

    until(path, "/metadata/annotations")
    bad = review(pod())
    bad["request"]["object"]["metadata"]["annotations"] = 7
    assert ask(server, bad).status == 200
    write(folder / "policies.yaml", pull_always())
    server.signal(signal.SIGHUP)
    until(path, "/spec/containers/0/imagePullPolicy")


def test_no_space_from_the_start(mute, folder):
    with open("/dev/full", "wb") as full:
        server = mute(full)
        serves(server, folder)
        assert server.lost() > 3
        assert server.end() == 0


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 KiB."""
    where = tmp_path / "disk"
    where.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(where)]
    if os.geteuid() != 0 or subprocess.run(mounting, capture_output=True).returncode != 0:
        pytest.skip("mounting a file system needs root, and to be let")
    yield where
    subprocess.run(["umount", "-l", str(where)], check=True)


def lines_of(text):
    """The lines that are whole; and how many are not."""
    whole, torn = [], 0
    for line in text.splitlines():
        try:
            whole.append(json.loads(line))
        except ValueError:
            assert not is_report(line), line
            torn += 1
    return whole, torn


def test_a_disk_that_is_full_for_a_while(mute, folder, small_disk):
    log, filler = small_disk / "log", small_disk / "filler"
    with open(log, "ab") as stderr:
        server = mute(stderr)
        with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
            while file.write(b"x" * 512):
                pass
        assert server.lost() == 0
        for _ in range(40):
            serves(server, folder) if server.lost() == 0 else None
        until(server.lost, lambda lost: lost > 0)
        serves(server, folder)
        lost = server.lost()
        filler.unlink()
        serves(server, folder)
        assert server.end() == 0
    whole, torn = lines_of(log.read_text())
    assert torn <= 1, log.read_text()
    report = sum(line["lines"] for line in whole if line["msg"] == "log lines lost")
    assert report >= lost > 0
    assert whole[-1]["msg"] == "stopped"


def test_a_reader_that_has_gone(mute, folder):
    for early in (True, False):
        ends = os.pipe()
        if early:
            os.close(ends[0])
        server = mute(ends[1])
        os.close(ends[1])
        if not early:
            os.close(ends[0])
        serves(server, folder)
        assert server.lost() > 0
        assert server.end() == 0


def ask_many(server, number):
    """Reviews that are logged, one after the other; none may have to wait for the log."""
    data = request(encode(review(pod())))
    with Connection(server) as connection:
        for _ in range(number):
            connection.send(data)
            assert answer(connection.response())["allowed"]


def read_some(end, seconds):
    """What comes until nothing does for so long."""
    os.set_blocking(end, False)
    text, quiet = b"", time.monotonic() + seconds
    while time.monotonic() < quiet:
        with contextlib.suppress(BlockingIOError):
            text += os.read(end, 1 << 20)
            quiet = time.monotonic() + seconds
            continue
        time.sleep(0.01)
    return text.decode()


def test_a_reader_that_stops_reading(mute, folder):
    """Reviews are answered for as long as it takes to fill everything, and on; what was kept
    is read later, and how much was not."""
    ends = os.pipe()
    try:
        fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, 4096)
        server = mute(ends[1])
        ask_many(server, ENOUGH)
        assert health(server, "/healthz") == (200, "ok\n")
        lost = server.lost()
        assert lost > 0
        serves(server, folder)
        text = read_some(ends[0], 2 * SLOW)
        whole, torn = lines_of(text)
        assert torn == 0
        changed = sum(line["msg"] == "review changed" for line in whole)
        report = sum(line["lines"] for line in whole if line["msg"] == "log lines lost")
        assert report >= lost and ENOUGH <= changed + report < ENOUGH + 100
        ask_many(server, 10)
        assert "review changed" in read_some(ends[0], SLOW)
    finally:
        os.close(ends[1])
        os.close(ends[0])


def test_the_end_while_nobody_reads(mute):
    ends = os.pipe()
    try:
        fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, 4096)
        server = mute(ends[1])
        ask_many(server, 100)
        assert server.end() == 0
    finally:
        os.close(ends[1])
        os.close(ends[0])
