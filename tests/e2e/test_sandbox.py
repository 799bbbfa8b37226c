# SPDX-License-Identifier: Apache-2.0
"""What a server gives up once everything is open: privileges, and most system calls. That the
filter holds is for src/server/sandbox_test.c to show; that serving does well with it, for all
other tests of this folder."""

import os
import pathlib
import signal
import socket
import subprocess
import sys

import pytest
from client import answer, ask, health, pod, review
from fixpoint_cluster import until
from policies import pull_always
from process import command

ACTIVE, NONE = "sandbox active", "no sandbox"
REFUSE = "%s %s" % (sys.executable, pathlib.Path(__file__).with_name("no_seccomp.py"))
CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")


def threads(server):
    """{thread: {key: value}} of /proc/PID/task/*/status."""
    found = {}
    for task in pathlib.Path("/proc/%d/task" % server.process.pid).iterdir():
        lines = (task / "status").read_text().splitlines()
        found[task.name] = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    return found


def core_limit(server):
    limits = pathlib.Path("/proc/%d/limits" % server.process.pid).read_text()
    (line,) = [line for line in limits.splitlines() if line.startswith("Max core file size")]
    return [int(word) for word in line.split()[4:6]]


@pytest.fixture
def sandboxed(start):
    """begin(…): a server with the sandbox; skipped where a tool replaces it."""

    def begin(*args):
        server = start(pull_always(), args=args)
        for report in server.log.entries(NONE):
            pytest.skip("no sandbox: " + report["reason"])
        return server

    return begin


def test_every_thread_is_held(sandboxed):
    server = sandboxed()
    report = server.log.wait(ACTIVE)
    assert report["level"] == "info" and report["seccomp"] == "allow-list"
    assert report["capabilities"] == 0
    assert answer(ask(server, review(pod())))["allowed"]
    server.signal(signal.SIGHUP)  # read again by a worker, which is started for it
    until(lambda: threads(server), lambda found: len(found) > 1)
    found = threads(server)
    for thread in found.values():
        assert thread["Seccomp"] == "2" and thread["NoNewPrivs"] == "1"
        for name in CAPABILITIES:
            if name != "CapBnd" or os.geteuid() == 0:
                assert int(thread[name], 16) == 0, name
    assert max(core_limit(server)) <= 1


def test_told_before_serving(sandboxed):
    lines = sandboxed().log.text().splitlines()
    place = {
        word: at for word in (ACTIVE, "serving") for at, line in enumerate(lines)
        if '"msg":"%s"' % word in line
    }  # fmt: skip
    assert place[ACTIVE] < place["serving"]


def test_off(start):
    server = start(pull_always(), args=["--sandbox", "off"])
    (report,) = server.log.entries(NONE)
    assert report["level"] == "warn" and report["reason"] == "--sandbox off"
    before = pathlib.Path("/proc/self/status").read_text()
    for thread in threads(server).values():
        assert "\nSeccomp:\t%s\n" % thread["Seccomp"] in before
        assert "\nCapBnd:\t%s\n" % thread["CapBnd"] in before
    assert answer(ask(server, review(pod())))["allowed"]


def test_required(sandboxed):
    sandboxed().stop()  # else there is none to be required
    server = sandboxed("--sandbox", "require")
    assert all(thread["Seccomp"] == "2" for thread in threads(server).values())


def test_refused_by_the_kernel(start, sandboxed, monkeypatch):
    sandboxed().stop()
    monkeypatch.setenv("FIXPOINT_WRAPPER", REFUSE)
    server = start(pull_always())
    (report,) = server.log.entries(NONE)
    assert report["level"] == "warn" and report["reason"].startswith("seccomp: ")
    assert answer(ask(server, review(pod())))["allowed"]
    assert health(server, "/healthz")[0] == 200
    done = subprocess.run(
        command() + ["serve", "--tls-self-signed", "--sandbox", "require", "-p", "."]
        + ["--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0"],
        cwd=pathlib.Path(server.certificate).parent, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 5 and "sandbox: seccomp: " in done.stderr


def test_a_low_port_may_be_opened_again(sandboxed):
    """That one privilege stays, for as long as the port does."""
    for port in range(1000, 1023):
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(("127.0.0.1", port))
                break
            except PermissionError:
                pytest.skip("low ports are not ours")
            except OSError:
                continue
    first = int(pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())
    server = sandboxed("--health-listen", "127.0.0.1:%d" % port)
    for thread in threads(server).values():
        assert int(thread["CapEff"], 16) == (1 << 10 if port < first else 0)
        assert int(thread["CapPrm"], 16) == int(thread["CapEff"], 16)


def test_it_still_ends_by_its_own_assertions(sandboxed):
    """abort() signals its own thread, which the filter lets pass (the unit test has that);
    and from outside it is as ever, without a core dump."""
    server = sandboxed()
    server.signal(signal.SIGABRT)
    assert server.wait() == -signal.SIGABRT
    assert not list(pathlib.Path(".").glob("core*"))
