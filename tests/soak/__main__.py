#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mixed load for as long as one likes, and no growth of memory or descriptors.

Two programs run: one with policies in files, one that reads them from the stand-in for an API
server. Each is asked by wrk as fast as it answers (reviews of many kinds and sizes, wrong
ones, connections that end), by hostile clients, by probes and scrapes, while policies,
certificates and providers change and fail. Again and again there is quiet: everything is as
it was in the beginning, nobody is connected, and the figures are taken. `judge.py` says
whether they grow; then the exit status is 1. A CSV has all of them."""

import argparse
import csv
import os
import pathlib
import signal
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]
os.environ.setdefault("FIXPOINT_SLOW", "10")  # a busy machine is no fault

from judge import judge  # noqa: E402
from provider import Authority  # noqa: E402
from rounds import play  # noqa: E402
from sides import Files, InCluster  # noqa: E402
from subject import FIGURES  # noqa: E402

SIDES = {side.name: side for side in (Files, InCluster)}
# Growth that is none, over the time that is looked at. The heap in use is exact, and what
# leaks shows there; resident memory has what the allocator could not give back, too, of which
# there is more with each thread, and which takes long to find its size.
ALLOWED = {"heap": 32 << 10, "anonymous": 4 << 20, "descriptors": 0.5, "threads": 0.5}
COLUMNS = ("side", "seconds", "requests", "status", "connect", "read", "write", "timeout",
           "p50_us", "p99_us", "max_us", "hostile", "broken", *FIGURES)
ENOUGH = 12  # rounds, for which a short run goes on longer, but not for ever:
LONGEST = 3  # times what was asked for
BROKEN = 0.001  # of all requests, answered with 5xx
ORDINARY_RATE = 10  # writes a second of an ordinary cluster


def options():
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--hours", type=float, default=1)
    length.add_argument("--minutes", type=float)
    parser.add_argument("--only", choices=sorted(SIDES), help="one of the two programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--csv", type=pathlib.Path, help="default: soak.csv in the build folder")
    parser.add_argument("--load", type=int, help="seconds of load in a round")
    given = parser.parse_args()
    given.seconds = given.minutes * 60 if given.minutes else given.hours * 3600
    given.load = given.load or max(3, min(60, int(given.seconds / 60)))
    given.csv = given.csv or given.build / "soak.csv"
    return given


class Record:
    """All rows, in memory and in the CSV."""

    def __init__(self, path):
        self.rows = []
        self._file = open(path, "w", newline="")
        self._csv = csv.DictWriter(self._file, COLUMNS)
        self._csv.writeheader()

    def add(self, row):
        self.rows.append(row)
        self._csv.writerow(row)
        self._file.flush()
        show(row)

    def of(self, side, figure):
        return [(row["seconds"], row[figure]) for row in self.rows if row["side"] == side]

    def total(self, side, figure):
        return sum(value for _, value in self.of(side, figure))


def show(row):
    print("%7.0f s  %-8s %8d requests, heap %7.1f kB, anonymous %7.0f kB, %3d descriptors, "
          "%2d threads" % (row["seconds"], row["side"], row["requests"], row["heap"] / 1024,
                           row["anonymous"] / 1024, row["descriptors"], row["threads"]),
          flush=True)


def differences(before, after):
    return ", ".join("%s %+d" % (name, count - before[name])
                     for name, count in sorted(after.items()) if count != before[name])


class Culprit:
    """What was there when the warm-up was over, to be told from what is there in the end."""

    def __init__(self, subject):
        self.subject = subject
        self.files, self.mappings = subject.open_files(), subject.mappings()

    def __str__(self):
        return "descriptors: %s; mappings (kB): %s" % (
            differences(self.files, self.subject.open_files()) or "the same",
            differences(self.mappings, self.subject.mappings()) or "the same")


def conclude(record, side, culprit):
    """The verdicts on one side, printed; what is wrong with it."""
    wrong = []
    requests = record.total(side.name, "requests")
    seconds = record.of(side.name, "requests")[-1][0]
    print("\n%s: %d requests, as many as %.1f hours of an ordinary cluster make (%d writes a "
          "second)" % (side.name, requests, requests / ORDINARY_RATE / 3600, ORDINARY_RATE))
    for figure in FIGURES:
        verdict = judge(figure, record.of(side.name, figure), ALLOWED[figure])
        words = {True: "GROWS", False: "steady", None: "too few figures"}[verdict.grows]
        print("  %-12s %-8s %12.0f → %12.0f  slope %+.3f/s over %d s (Z %+.1f)"
              % (figure, words, verdict.first, verdict.last, verdict.slope, verdict.seconds,
                 verdict.trend))
        if verdict.grows:
            each = verdict.growth / max(1, requests * verdict.seconds / seconds)
            wrong.append("%s of `%s` grows by %.3f a second, %.4f a request"
                         % (figure, side.name, verdict.slope, each))
    if len(record.of(side.name, "heap")) < ENOUGH:
        wrong.append("%s: too few rounds, a longer run is needed" % side.name)
    if any(line.split()[0] in FIGURES for line in wrong) and culprit is not None:
        print("  since the warm-up: %s" % culprit)
    broken = record.of(side.name, "broken")[-1][1]
    if broken > BROKEN * requests:  # deadlines that pass on a machine that is busy elsewhere
        wrong.append("%s: %d reviews were answered with 5xx" % (side.name, broken))
    failed = sum(record.total(side.name, kind) for kind in ("connect", "timeout"))
    if failed > 0:
        wrong.append("%s: %d connections or requests failed" % (side.name, failed))
    return wrong


def is_over(seconds, wanted, n_rounds):
    return seconds >= wanted and (n_rounds >= ENOUGH or seconds >= LONGEST * wanted)


def run(given, sides, record):
    """Rounds until the time is over; what is wrong."""
    begin, number, culprits = time.monotonic(), 0, {}
    while not is_over(time.monotonic() - begin, given.seconds, number):
        rows = play(sides, given.load, number)
        seconds = round(time.monotonic() - begin, 1)
        for side in sides:
            row = {key: rows[side.name].get(key, 0) for key in COLUMNS}
            record.add({**row, "side": side.name, "seconds": seconds})
        if not culprits and seconds > given.seconds / 4:
            culprits = {side.name: Culprit(side.subject) for side in sides}
        number += 1
    return [fault for side in sides for fault in conclude(record, side, culprits.get(side.name))]


def end_in_order(number, _):
    sys.exit(128 + number)


def main():
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end_in_order)
    given = options()
    meter = given.build / "libheap_meter.so"
    chosen = [SIDES[given.only]] if given.only else list(SIDES.values())
    wrong, sides = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        authority = Authority(folder / "authority")
        record = Record(given.csv)
        try:
            for side in chosen:
                sides.append(side(given.build / "fixpoint", folder / side.name, authority,
                                  given.seed, meter))
            wrong = run(given, sides, record)
        finally:
            for side in sides:
                wrong += side.close()
    print("\nfigures: %s" % given.csv)
    for fault in wrong:
        print("soak: %s" % fault)
    if not wrong:
        print("soak: nothing grows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
