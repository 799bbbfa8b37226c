# SPDX-License-Identifier: Apache-2.0
"""Work that never comes back: it is noticed, reported by name, and the process ends all the same.
A library before the others (stall.c) makes a policy hang for as long as a file is there."""

import fcntl
import http.client
import json
import os
import signal
import subprocess
import threading
import time

import metrics_text
import pytest
from client import Connection, answer, ask, encode, health, pod, request, review
from metrics_text import value
from policies import pull_always, write
from process import ANY_PORT, SLOW, Server, command, is_report
from test_dryrun import send

LIBRARY = os.environ.get("FIXPOINT_STALL_LIBRARY")
PLACES = 13
AFTER = "300ms"
PATH = "/v1/mutate?timeout=30s"

pytestmark = pytest.mark.skipif(not LIBRARY, reason="the library that stalls is not built")


def stuck(name="stuck"):
    """Hangs on Pods that have the label `stall`."""
    add = {
        "op": "add",
        "path": "/metadata/labels/by",
        "value": '{{ if index .Target.metadata.labels "stall" }}{{ round 1.5 %d }}{{ end }}x'
        % PLACES,
    }
    return {
        "apiVersion": "api.kubemod.io/v1beta1",
        "kind": "ModRule",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {
            "type": "Patch",
            "match": [{"select": "$.metadata.labels.stall"}],
            "patch": [add],
        },
    }


def stalling_pod():
    made = pod()
    made["metadata"]["labels"] = {"stall": "now", "content": "never-logged"}
    return made


class Stall:
    """A server whose policy hangs while `held` is there."""

    def __init__(self, tmp_path, *args):
        self.held = tmp_path / "held"
        self.held.touch()
        self.folder = tmp_path / "policies"
        self.folder.mkdir()
        write(self.folder / "policies.yaml", stuck(), pull_always())
        self.environment = dict(
            os.environ,
            LD_PRELOAD=LIBRARY,
            FIXPOINT_STALL=str(self.held),
            ASAN_OPTIONS="verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", ""),
        )
        self.threads = []
        self.server = Server(
            tmp_path, self.folder, "--threads", "2", *args, env=self.environment
        )

    def ask_in_vain(self):
        """A review that hangs; its answer, if there is one, is in `answers`."""
        self.answers = []

        def run():
            try:
                self.answers.append(ask(self.server, review(stalling_pod()), path=PATH))
            except (OSError, EOFError) as failure:
                self.answers.append(failure)

        self.threads.append(threading.Thread(target=run, daemon=True))
        self.threads[-1].start()

    def wait_health(self, status):
        deadline = time.monotonic() + 10 * SLOW
        while True:
            got, text = health(self.server, "/healthz")
            if got == status:
                return text
            assert time.monotonic() < deadline, text
            time.sleep(0.02)

    def release(self):
        self.held.unlink(missing_ok=True)
        for thread in self.threads:
            thread.join(10 * SLOW)

    def metrics(self, what):
        samples = metrics_text.read(health(self.server, "/metrics")[1])
        return (
            value(samples, "fixpoint_stalls_total", what=what),
            value(samples, "fixpoint_stalled", what=what),
        )

    def close(self):
        self.release()
        self.server.kill()
        reports = [line for line in self.server.log.text().splitlines() if is_report(line)]
        assert not reports, "\n".join(reports)
        assert "never-logged" not in self.server.log.text()


@pytest.fixture
def stall(tmp_path):
    made = []

    def begin(*args):
        made.append(Stall(tmp_path, *args))
        return made[-1]

    yield begin
    for one in made:
        one.close()


def test_a_policy_that_hangs_is_noticed(stall):
    it = stall("--stall-after", AFTER)
    assert health(it.server, "/healthz") == (200, "ok\n")
    assert it.metrics("loop") == (0, 0)
    it.ask_in_vain()
    text = it.wait_health(503)
    stalled, last = text.splitlines()
    assert stalled.startswith("stalled: thread ") and last == "healthz check failed"
    assert stalled.endswith(" in /v1/mutate, in policy ModRule/shop/stuck, on Pod"), stalled
    report = it.server.log.wait("stalled")
    assert report["level"] == "error" and report["what"].startswith("thread ")
    assert report["where"] == "/v1/mutate, in policy ModRule/shop/stuck, on Pod"
    status, text = health(it.server, "/readyz")
    assert status == 503 and "[-]threads failed: a thread has stalled" in text
    assert it.metrics("loop") == (1, 1)
    # the other thread serves on, and gets all new connections, though it has more of them
    kept = [Connection(it.server) for _ in range(4)]
    for connection in kept:
        connection.send(request(encode(review(pod()))))
        assert answer(connection.response())["allowed"]
        connection.socket.close()
    it.release()
    assert answer(it.answers[0])["allowed"]
    assert it.wait_health(200) == "ok\n"
    assert it.server.log.wait("recovered from a stall")["what"] == report["what"]
    assert len(it.server.log.entries("stalled")) == 1  # once, however long it takes
    assert it.metrics("loop") == (1, 0)
    assert it.server.stop() == 0


def test_nobody_looks(stall):
    it = stall("--stall-after", "0")
    it.ask_in_vain()
    time.sleep(1)
    assert health(it.server, "/healthz") == (200, "ok\n")
    assert not it.server.log.entries("stalled")


def test_the_end_comes_in_any_case(stall):
    it = stall("--drain", "100ms", "--grace", "1s")
    it.ask_in_vain()
    time.sleep(0.5 * SLOW)
    it.server.signal(signal.SIGTERM)
    assert it.server.wait(20) == 6
    report = it.server.log.wait("stopped: shutdown deadline exceeded, work abandoned")
    assert "in policy ModRule/shop/stuck, on Pod" in report["abandoned"], report
    assert report["abandoned"].startswith("thread ") and report["requests"] == 1, report
    assert not it.server.log.entries("stopped")


def test_further_signals_do_not_put_the_end_off(stall):
    it = stall("--drain", "200ms", "--grace", "1s")
    it.ask_in_vain()
    time.sleep(0.5 * SLOW)
    for _ in range(100):
        if it.server.process.poll() is not None:
            break
        it.server.signal(signal.SIGTERM)
        time.sleep(0.1)
    assert it.server.wait(10) == 6


def test_the_end_does_not_wait_for_who_reads_the_log(stall):
    """The pipe is full, and a policy hangs."""
    it = stall()
    arguments = ["serve", "--listen", ANY_PORT, "--health-listen", ANY_PORT]
    arguments += ["--policies", str(it.folder), "--tls-self-signed"]
    arguments += ["--tls-cert-out", it.server.certificate, "--threads", "2"]
    arguments += ["--drain", "100ms", "--grace", "1s", "--log-level", "debug"]
    it.server.kill()
    process = subprocess.Popen(
        command() + arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=it.environment,
    )
    fcntl.fcntl(process.stderr.fileno(), 1031, 4096)  # F_SETPIPE_SZ
    try:
        for line in process.stderr:
            if b'"msg":"serving"' in line:
                it.server.port = int(json.loads(line)["listen"].rpartition(":")[2])
                break
        for _ in range(50):
            assert answer(ask(it.server, review(pod())))["allowed"]
        it.ask_in_vain()
        time.sleep(0.5 * SLOW)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20 * SLOW) == 6
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_a_reload_that_hangs_stops_nobody(stall):
    it = stall("--stall-after", AFTER)
    write(it.folder / "stalls.yaml", pull_always())
    it.server.signal(signal.SIGHUP)
    time.sleep(1)
    assert health(it.server, "/healthz")[0] == 200
    assert answer(ask(it.server, review(pod())))["allowed"]
    assert it.server.stop() == 0
    report = it.server.log.wait("stopped: all requests answered, background work abandoned")
    assert report["abandoned"].startswith("reload of policies: "), report


def test_a_dry_run_that_hangs_is_noticed(stall):
    it = stall("--stall-after", AFTER, "--web-listen", ANY_PORT, "--drain", "50ms", "--grace", "1s")
    body = encode({"resourceManifest": stalling_pod(), "modRules": [stuck("tried")]})

    def run():
        try:
            send(it.server, body, path="/v1/dryrun?timeout=1s")
        except (OSError, EOFError, http.client.HTTPException):
            pass

    it.threads.append(threading.Thread(target=run, daemon=True))
    it.threads[-1].start()
    text = it.wait_health(503)
    assert text.startswith("stalled: dry run: ") and "in policy ModRule/" in text
    assert "tried, on Pod" in text
    assert it.metrics("dryrun") == (1, 1)
    it.server.signal(signal.SIGTERM)
    assert it.server.wait(20) == 6
    it.server.log.wait("stopped: shutdown deadline exceeded, work abandoned")
