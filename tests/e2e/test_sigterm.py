# SPDX-License-Identifier: Apache-2.0
"""Signals at random moments under load: whatever was begun before the goodbye is answered,
the exit status is 0, and the end comes within its time. FIXPOINT_ROUNDS=200 for more
rounds, FIXPOINT_SEED for others."""

import base64
import datetime
import os
import random
import signal
import subprocess
import threading
import time
import types

import pytest
from client import encode
from fates import NOTHING, Crowd
from policies import annotation, assign, external, pull_always, write
from process import SLOW, Log, Server, command, is_report
from provider import Authority, Provider, respond, valid

ROUNDS = int(os.environ.get("FIXPOINT_ROUNDS", "6"))
SEED = int(os.environ.get("FIXPOINT_SEED", "1"))
ASKING = "asking"  # the namespace whose Pods want values from outside
END = 30  # seconds within which a server ends that has said goodbye


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def pair(authority):
    """A serving certificate; making one for each round would take the longest."""
    cert, key = authority.issue("webhook")
    return types.SimpleNamespace(ca=authority.cert, cert=cert, key=key)


@pytest.fixture(scope="module")
def provider(authority):
    """It takes its time, and sometimes fails."""
    dice = random.Random(SEED)

    def answer_late(request, keys):
        request.close_connection = dice.random() < 0.3
        time.sleep(dice.uniform(0, 0.3))
        if dice.random() < 0.1:
            respond(request, 500, b"no")
        else:
            respond(request, 200, encode(valid(keys)))

    running = Provider(authority, authority.issue("provider"), fault=answer_late)
    yield running
    running.close()


def documents(provider, authority, version):
    bundle = base64.b64encode(authority.cert.read_bytes()).decode()
    asking = external(failurePolicy="Ignore")
    asking["spec"]["match"] = {"namespaces": [ASKING]}
    return [
        pull_always(),
        annotation("version", "version", str(version)),
        asking,
        {
            "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
            "kind": "Provider",
            "metadata": {"name": "p"},
            "spec": {"url": provider.url, "timeout": 3, "caBundle": bundle},
        },
    ]


KINDS = [
    ("kept", {}),
    ("kept", {}),
    ("now and then", {"pause": 0.05}),
    ("each its connection", {"fresh": True}),
    ("slow upload", {"pieces": 6, "pause": 0.1}),
    ("slow upload, each its connection", {"pieces": 3, "pause": 0.2, "fresh": True}),
    ("large", {"size": 300_000}),
    ("waiting for a provider", {"namespace": ASKING}),
    ("waiting for a provider", {"namespace": ASKING, "pause": 0.05}),
]


class Round:
    """One server under load that gets SIGTERM at random times."""

    def __init__(self, folder, seed, pair, provider, authority):
        self.dice = random.Random(seed)
        self.seed, self.folder = seed, folder
        self.documents = lambda version: documents(provider, authority, version)
        self.policies = folder / "policies"
        self.policies.mkdir(parents=True)
        write(self.policies / "all.yaml", *self.documents(0))
        self.drain = self.dice.choice([1, 1, 50, 200, 600])
        self.server = Server(folder, self.policies, "--drain", "%dms" % self.drain, tls=pair)
        self.crowd = Crowd(self.server, seed, KINDS)

    def signal(self, *numbers):
        for number in numbers:
            if self.server.process.poll() is None:
                self.server.signal(number)

    def disturb(self, over):
        """Reloads by storms of SIGHUP, and files that change."""
        version = 0
        while not over.is_set():
            version += 1
            write(self.policies / "next.tmp", *self.documents(version))
            (self.policies / "next.tmp").rename(self.policies / "all.yaml")
            self.signal(*[signal.SIGHUP] * self.dice.randrange(1, 20))
            over.wait(self.dice.uniform(0, 0.05))

    def say_end(self):
        """SIGTERM or SIGINT, and perhaps another before the wait is over."""
        first, second = (self.dice.choice([signal.SIGTERM, signal.SIGINT]) for _ in "ab")
        self.signal(first)
        if self.dice.random() < 0.5:
            time.sleep(self.dice.choice([0, self.dice.uniform(0, 0.3)]))
            self.signal(second)
        if self.dice.random() < 0.3:
            self.signal(signal.SIGHUP, second, signal.SIGHUP, first)

    def play(self):
        over = threading.Event()
        others = []
        if self.dice.random() < 0.5:
            others.append(threading.Thread(target=self.disturb, args=(over,), daemon=True))
        self.crowd.start()
        for thread in others:
            thread.start()
        self.crowd.wait()
        time.sleep(self.dice.uniform(0, 0.5) * SLOW)
        self.say_end()
        try:
            status = self.server.wait(END + self.drain / 1000)
        finally:
            over.set()
            self.server.kill()
            fates = self.crowd.end()
            for thread in others:
                thread.join()
        self.check(status, fates)
        return fates

    def goodbye(self):
        (line,) = self.server.log.entries("stopping")
        said = datetime.datetime.strptime(line["time"], "%Y-%m-%dT%H:%M:%S.%fZ")
        return said.replace(tzinfo=datetime.timezone.utc).timestamp()

    def check(self, status, fates):
        report = "round %s:\n" % self.seed
        assert status == 0, report + self.server.log.text()[-3000:]
        lost = [str(fate) for fate in fates if fate.is_lost(self.goodbye())]
        assert not lost, "%sgoodbye at %.3f\n%s" % (report, self.goodbye(), "\n".join(lost))
        reports = [line for line in self.server.log.text().splitlines() if is_report(line)]
        assert not reports, report + "\n".join(reports)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_the_end_at_a_random_moment(tmp_path, pair, provider, authority, number):
    fates = Round(tmp_path, "%d-%d" % (SEED, number), pair, provider, authority).play()
    after = sum(fate.end == NOTHING for fate in fates)
    print("%d requests, %d of them begun after the goodbye" % (len(fates), after))


# --- the start -------------------------------------------------------------------------------


def begin(folder, policies, pair):
    arguments = ["serve", "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0"]
    arguments += ["--policies", policies, "--tls-cert", pair.cert, "--tls-key", pair.key]
    return subprocess.Popen(
        command() + [str(one) for one in arguments + ["--drain", "1ms"]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def many(folder):
    """Policies that take a while to read."""
    folder.mkdir()
    write(
        folder / "many.yaml",
        *[assign("a%d" % i, "spec.a%d" % i, "x") for i in range(300)],
    )
    return folder


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
def test_signals_during_the_start(tmp_path, pair, number):
    """At whatever moment: either it had said nothing yet, or it goes its way."""
    policies = many(tmp_path / "policies")
    dice = random.Random("%d-%d" % (SEED, number))
    statuses = []
    for _ in range(max(10, ROUNDS)):
        process = begin(tmp_path, policies, pair)
        log = Log(process.stderr)
        try:
            time.sleep(dice.uniform(0, 0.25) * SLOW)
            process.send_signal(number)
            if number == signal.SIGHUP and process.poll() is None:
                time.sleep(0.3 * SLOW)
                process.send_signal(signal.SIGTERM)
            status = process.wait(END * SLOW)
        finally:
            process.kill()
            process.wait()
            log.join()
        statuses.append(status)
        assert status in (0, -number, -signal.SIGTERM), log.text()
        assert status == 0 or log.text() == "", "killed by %s:\n%s" % (number, log.text())
    print("exit statuses", sorted(set(statuses)))
