#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What attacks cost those who mean well: ./dev hostile [OPTION]...

For each attack one server and one good client, quiet, attacked, and afterwards, in several
rounds. Prints tables for docs/hostile.md: ratios within a round (their median), since times
of a shared machine mean nothing. Exits with 1 where the good client's p99 is more than three
times that of the quiet time, where it got a wrong answer, or where descriptors or memory
are not given back."""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e"))

import policies  # noqa: E402
from client import health  # noqa: E402
from hostile import bodies  # noqa: E402
from hostile.line import Line, Target  # noqa: E402
from hostile.side import Attack, Good, Standing, descriptors, may_open, resident_mb  # noqa: E402
from process import Server  # noqa: E402

BOUND = 3  # of the good client's p99, to the quiet one …
QUIET_MS = 0.6  # … or to that of `limit` on the reference machine (docs/performance.md), if more
GROWN_MB = 16  # that may be kept

# name: (how many, how it reads, options of the server)
ATTACKS = {
    "slow-heads": (1000, "slowloris: 1,000 heads that never end", []),
    "slow-bodies": (1000, "1,000 bodies that never end", []),
    "slow-reads": (200, "200 clients that read no answer", []),
    "idle": (10000, "10,000 idle connections (TLS)", ["--max-connections", "12000"]),
    "mute": (10000, "10,000 connections that say nothing", ["--max-connections", "12000"]),
    "half-open-tls": (1000, "1,000 handshakes that never end", []),
    "connects": (2000, "2,000 connections a second, ended at once", []),
    "handshakes": (1000, "1,000 handshakes a second", []),
    "smuggling": (300, "300 smuggling shapes a second", []),
    "oversized": (100, "100 oversized heads and bodies a second", []),
    "tiny-chunks": (20, "20 bodies of 200,000 chunks a second", []),
    "pipelines": (50, "50 pipelines without a reader", []),
}
# The same of clients that ask again as soon as they are answered.
FLOODS = {
    "reviews": (100, "100 clients, small objects", []),
    "large-reviews": (400, "400 clients, large objects, one thread", ["--threads", "1"]),
}


def begin(folder, build, more):
    os.environ["FIXPOINT"] = str(build / "fixpoint")
    folder = pathlib.Path(folder)
    (folder / "policies").mkdir(exist_ok=True)
    policies.write(
        folder / "policies" / "policies.yaml",
        policies.pull_always(),
        policies.sidecar(),
        policies.annotation("owner", "owner", "me"),
    )
    server = Server(folder, folder / "policies", *more)
    server.log.wait("webhook port answers")
    if not may_open(server, 12500):
        sys.exit("the system allows too few descriptors (ulimit -n) for ten thousand connections")
    return server


class Rounds:
    """Quiet, attacked, afterwards, and again."""

    def __init__(self, server, name, n, chosen):
        self.server, self.name, self.n, self.chosen = server, name, n, chosen
        self.p50, self.p99, self.after, self.bounded, self.ms = [], [], [], [], []
        self.wrong, self.most_mb, self.most_open, self.did = [], 0, 0, {}

    def run(self, good):
        for _ in range(self.chosen.rounds):
            self._round(good)

    def _window(self, good):
        good.window()
        time.sleep(self.chosen.seconds)
        window = good.window()
        self.wrong += window["wrong"]
        return window

    def _round(self, good):
        quiet = self._window(good)
        with Attack(self.server, self.name, self.n, idle=True) as attack:
            during = self._window(good)
            self.most_mb = max(self.most_mb, resident_mb(self.server))
            self.most_open = max(self.most_open, descriptors(self.server))
            self.did = attack.stop()
        time.sleep(1)
        after = self._window(good)
        self.p50.append(during.get("p50", 1e6) / quiet["p50"])
        self.p99.append(during.get("p99", 1e6) / quiet["p99"])
        self.after.append(after.get("p99", 1e6) / quiet["p99"])
        self.bounded.append(during.get("p99", 1e6) / max(QUIET_MS, quiet["p99"]))
        self.ms.append((quiet["p99"], during.get("p99", 1e6)))
        if self.chosen.verbose:
            print({key: [round(window.get(key, 0), 2) for window in (quiet, during, after)]
                   for key in ("p50", "p99", "new_p50")})


def row(*cells):
    print("| %s |" % " | ".join(str(cell) for cell in cells), flush=True)


def times(ratio):
    return "%.2f" % ratio if ratio < 10 else "%.0f" % ratio


def measure(name, chosen):
    """One row; whether all is as it must be."""
    n, words, more = ATTACKS[name]
    with tempfile.TemporaryDirectory() as folder:
        server = begin(folder, chosen.build, more + chosen.serve)
        try:
            with Good(server, chosen.rate) as good:
                time.sleep(1)
                standing = Standing(server, GROWN_MB)
                rounds = Rounds(server, name, n, chosen)
                rounds.run(good)
            back = given_back(standing)
            row(
                words,
                times(statistics.median(rounds.p50)),
                times(statistics.median(rounds.p99)),
                times(statistics.median(rounds.after)),
                "%.1f → %.1f" % tuple(map(statistics.median, zip(*rounds.ms))),
                "%.0f → %.0f → %.0f" % (standing.mb, rounds.most_mb, resident_mb(server)),
                "%d → %d → %d" % (standing.open, rounds.most_open, descriptors(server)),
                len(rounds.wrong),
            )
            if chosen.verbose:
                print(rounds.did, ["%.2f" % x for x in rounds.p99], rounds.wrong[:3])
            bounded = statistics.median(rounds.bounded) <= BOUND
            return bounded and not rounds.wrong and back and server.stop() == 0
        finally:
            server.kill()


def given_back(standing):
    try:
        standing.is_back()
        return True
    except AssertionError as failure:
        print("not given back: %s" % failure)
        return False


# ---- overload ----


def longest_health(server, seconds):
    """The longest that /healthz took meanwhile, in ms; None where it failed."""
    longest, deadline = 0, time.monotonic() + seconds
    while time.monotonic() < deadline:
        began = time.monotonic()
        if health(server, "/healthz")[0] != 200 or health(server, "/metrics")[0] != 200:
            return None
        longest = max(longest, time.monotonic() - began)
        time.sleep(0.02)
    return longest * 1e3


def recovery(server):
    """How long after the flood a good client has been answered twenty times in a row."""
    began, in_a_row = time.monotonic(), 0
    line = Line(Target(server.port, server.certificate), timeout=10)
    while in_a_row < 20:
        line.send(bodies.whole())
        in_a_row = in_a_row + 1 if line.response()[0] == 200 else 0
    line.close()
    return time.monotonic() - began


def flood(name, chosen):
    n, words, more = FLOODS[name]
    with tempfile.TemporaryDirectory() as folder:
        server = begin(folder, chosen.build, more + chosen.serve)
        try:
            with Attack(server, name, n) as attack:
                healthy = longest_health(server, chosen.seconds)
                began = time.monotonic()
                counts = attack.stop()
                seconds = chosen.seconds + time.monotonic() - began
            recovered = recovery(server)
            row(
                words,
                "%.0f/s" % (counts.get("200", 0) / seconds),
                "%.0f/s" % (counts.get("503", 0) / seconds),
                " / ".join("%.0f" % ms for ms in attack.ms.get("200", [])) + " ms",
                "%.0f ms" % healthy if healthy is not None else "failed",
                "%.2f s" % recovered,
            )
            odd = set(counts) - {"200", "503"}
            if odd:
                print("answered otherwise: %s" % counts)
            return not odd and healthy is not None and recovered < 1 and server.stop() == 0
        finally:
            server.kill()


def head(*cells):
    row(*cells)
    print("|%s" % ("---|" * len(cells)))


def main():
    parser = argparse.ArgumentParser(prog="./dev hostile", description=__doc__.split(":")[0] + ".")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5, help="of each part of a round")
    parser.add_argument("--rate", type=float, default=200, help="good requests a second")
    parser.add_argument("--only", action="append", metavar="NAME",
                        choices=[*ATTACKS, *FLOODS], help="one of: %s" % (
                            ", ".join([*ATTACKS, *FLOODS])))
    parser.add_argument("--serve", action="append", default=[], help="an option of the server")
    parser.add_argument("--verbose", action="store_true")
    chosen = parser.parse_args()
    wanted = chosen.only or [*ATTACKS, *FLOODS]
    good = []
    print("load %.1f at the start, %d cores\n" % (os.getloadavg()[0], os.cpu_count()))
    head("Attack", "p50", "p99", "p99 afterwards", "p99, ms", "MB", "descriptors", "wrong answers")
    good += [measure(name, chosen) for name in ATTACKS if name in wanted]
    print()
    head("Flood", "answered", "rejected", "p50 / p99 / longest", "longest health check", "recovery")
    good += [flood(name, chosen) for name in FLOODS if name in wanted]
    print("\nload %.1f at the end" % os.getloadavg()[0])
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
