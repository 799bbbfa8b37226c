# SPDX-License-Identifier: Apache-2.0
"""The figures that Fixpoint promises, each with what is wanted of it, what was got, and whether
that is met: the median of the rounds, and in how many of them it was."""

import contextlib
import dataclasses
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

import api_server
import report
import wrk
from figures import median
from scenarios import NAMED
from servers import Failed, fixpoint, limit, make_certificate

THREE, THOUSAND = "3 mutators", "3 + 1,000 for other namespaces"
TEN_THOUSAND, MATCHING = "3 + 10,000 for other namespaces", "3 + 200 that all match"
CEL, CEL_THOUSAND = "3 CEL policies", "3 + 1,000 CEL policies elsewhere"
CEL_MATCHING, ASSIGNS = "3 + 100 CEL policies that match", "3 + 100 Assigns that all match"
KYVERNO, KYVERNO_THOUSAND = "3 Kyverno policies", "3 + 1,000 of Kyverno elsewhere"
KYVERNO_MATCHING = "3 + 100 of Kyverno that match"
LIMIT = "limit"
SERVING_CEL = (CEL, CEL_THOUSAND, CEL_MATCHING)
SERVING_KYVERNO = (KYVERNO, KYVERNO_THOUSAND, KYVERNO_MATCHING)
SERVING_ASSIGNS = (THREE, THOUSAND, TEN_THOUSAND, MATCHING, ASSIGNS)
SERVING = (*SERVING_ASSIGNS, *SERVING_CEL, *SERVING_KYVERNO)


@dataclasses.dataclass(frozen=True)
class Row:
    figure: str
    wanted: float
    unit: str
    form: str
    at_least: bool = False  # else: at most

    def is_met(self, value):
        return value >= self.wanted if self.at_least else value <= self.wanted

    def say(self, value):
        return self.form.format(value) + " " + self.unit

    def say_wanted(self):
        return (">= " if self.at_least else "<= ") + self.say(self.wanted)


ADDED = Row("added to a create, on the reference", 1, "ms", "{:.2f}")
SHARE = Row("share of the limit, 3 mutators", 50, "%", "{:.0f}", at_least=True)
P50 = Row("p50, as on the reference machine", 0.6, "ms", "{:.2f}")
P99 = Row("p99, as on the reference machine", 2, "ms", "{:.2f}")
LOST = Row("lost with 10,000 more not matching", 5, "%", "{:.1f}")
SHARE_MATCHING = Row("share with 200 more matching", 15, "%", "{:.0f}", at_least=True)
SHARE_CEL = Row("share of the limit, 3 CEL policies", 35, "%", "{:.0f}", at_least=True)
LOST_CEL = Row("lost with 1,000 CEL not matching", 5, "%", "{:.1f}")
TIMES_CEL = Row("100 CEL matching, to 100 Assigns", 3, "x", "{:.1f}")
SHARE_KYVERNO = Row("share of the limit, 3 of Kyverno", 30, "%", "{:.0f}", at_least=True)
LOST_KYVERNO = Row("lost with 1,000 Kyverno elsewhere", 5, "%", "{:.1f}")
TIMES_KYVERNO = Row("100 Kyverno matching, to 100 Assigns", 4, "x", "{:.1f}")
MEMORY = Row("resident memory, 3 mutators", 8, "MB", "{:.1f}")
MEMORY_THOUSAND = Row("resident memory, 1,000 more", 12, "MB", "{:.1f}")
BINARY = Row("binary, stripped as installed", 5, "MB", "{:.2f}")
START = Row("start to ready", 100, "ms", "{:.0f}")
ROWS_CEL = (SHARE_CEL, LOST_CEL, TIMES_CEL)
ROWS_KYVERNO = (SHARE_KYVERNO, LOST_KYVERNO, TIMES_KYVERNO)
ROWS_MEMORY = (MEMORY, MEMORY_THOUSAND)
ROWS_LANGUAGES = (*ROWS_CEL, *ROWS_KYVERNO)
ROWS_SERVING = (ADDED, SHARE, P50, P99, LOST, SHARE_MATCHING, *ROWS_LANGUAGES, *ROWS_MEMORY)
ROWS = (*ROWS_SERVING, BINARY, START)


# What the limit itself takes on the reference machine, where those two hold.
REFERENCE_MS = {"p50_ms": 0.26, "p99_ms": 0.6}


# ---- under load -----------------------------------------------------------------------


@contextlib.contextmanager
def _all_serving(build, certificate, folder):
    """{name: server}, and the review that all are sent."""
    with contextlib.ExitStack() as stack:
        servers = {}
        for number, name in enumerate(SERVING):
            place = folder / str(number)
            place.mkdir()
            policies, review = NAMED[name].write(place)
            servers[name] = stack.enter_context(fixpoint(build, certificate, policies))
        servers[LIMIT] = stack.enter_context(limit(build, certificate))
        yield servers, review


def on_reference(latency, run, limit):
    """What the latency of a run would be where the limit has its reference figure: machines
    and their neighbours differ, so only its ratio to the limit's, of the same round, tells.
    Where the limit is faster than that, the latency stands as it was measured."""
    return run[latency] / max(1, limit[latency] / REFERENCE_MS[latency])


def _of_round(runs):
    """{row: value} of what all servers did in one round."""
    three, rate = runs[THREE], {name: run["rate"] for name, run in runs.items()}
    return {
        SHARE: rate[THREE] / rate[LIMIT] * 100,
        P50: on_reference("p50_ms", three, runs[LIMIT]),
        P99: on_reference("p99_ms", three, runs[LIMIT]),
        LOST: (1 - rate[TEN_THOUSAND] / rate[THREE]) * 100,
        SHARE_MATCHING: rate[MATCHING] / rate[LIMIT] * 100,
        SHARE_CEL: rate[CEL] / rate[LIMIT] * 100,
        LOST_CEL: (1 - rate[CEL_THOUSAND] / rate[CEL]) * 100,
        TIMES_CEL: runs[CEL_MATCHING]["cpu_us"] / runs[ASSIGNS]["cpu_us"],
        SHARE_KYVERNO: rate[KYVERNO] / rate[LIMIT] * 100,
        LOST_KYVERNO: (1 - rate[KYVERNO_THOUSAND] / rate[KYVERNO]) * 100,
        TIMES_KYVERNO: runs[KYVERNO_MATCHING]["cpu_us"] / runs[ASSIGNS]["cpu_us"],
        MEMORY: three["resident_mb"],
        MEMORY_THOUSAND: runs[THOUSAND]["resident_mb"],
    }


def _under_load(build, certificate, folder, rounds, seconds):
    """{name: [figures of each round]}"""
    with _all_serving(build, certificate, folder) as (servers, review):
        load = wrk.Load(review, NAMED[THREE].connections, seconds)
        return wrk.alternate(servers, load, rounds)


def _about_load(runs):
    """Sentences that tell how quiet it was."""
    names = ("rate", "p50_ms", "p99_ms")
    rate, p50, p99 = (median(runs[LIMIT], one) for one in names)
    ours, our_p50, our_p99 = (median(runs[THREE], one) for one in names)
    three, ten_thousand = (median(runs[name], "cpu_us") for name in (THREE, TEN_THOUSAND))
    return [
        f"As measured: {ours:,.0f} requests/s, p50 {our_p50:.2f} ms, p99 {our_p99:.2f} ms.",
        f"`limit` beside it: {rate:,.0f} requests/s, p50 {p50:.2f} ms, p99 {p99:.2f} ms.",
        f"10,000 more take {(ten_thousand / three - 1) * 100:+.1f} % processor time.",
    ]


# ---- without --------------------------------------------------------------------------

SYSTEM = ("libc.so", "libm.so", "ld-linux", "linux-vdso")


def binary_mb(build, folder):
    """(the program as it is installed, with the shared libraries that it brings along)"""
    stripped = folder / "stripped"
    subprocess.run(["strip", "--strip-unneeded", "-o", stripped, build / "fixpoint"], check=True)
    told = subprocess.run(["ldd", build / "fixpoint"], capture_output=True, text=True).stdout
    libraries = [
        pathlib.Path(path)
        for path in re.findall(r"(/\S+) \(0x", told)
        if not pathlib.Path(path).name.startswith(SYSTEM)
    ]
    alone = stripped.stat().st_size
    return alone / 1e6, (alone + sum(os.stat(one).st_size for one in libraries)) / 1e6


def start_ms(build, certificate, folder):
    """From the start of the process until /readyz says so, 3 mutators."""
    policies, _ = NAMED[THREE].write(folder)
    with fixpoint(build, certificate, policies) as server:
        return server.ready_s * 1000


# ---- all of it ------------------------------------------------------------------------


def measure(build, rounds, seconds, creates):
    """({row: [value of each round]}, sentences about it)"""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        certificate = make_certificate(folder)
        found, notes = {row: [] for row in ROWS}, []
        try:
            created = api_server.measure(build, certificate, folder, rounds, creates)
            found[ADDED] = api_server.added_on_reference(created)
            notes.append(api_server.note(created))
        except api_server.Skipped as skipped:
            notes.append(f"Added to a create: {skipped}.")
        runs = _under_load(build, certificate, folder, rounds, seconds)
        for turn in range(rounds):
            for row, value in _of_round({name: runs[name][turn] for name in runs}).items():
                found[row].append(value)
        notes += _about_load(runs)
        found[START] = [start_ms(build, certificate, folder) for _ in range(rounds)]
        alone, beside = binary_mb(build, folder)
        found[BINARY] = [alone]
        notes.append(f"The binary with its shared libraries, libc apart: {beside:.2f} MB.")
    return found, notes


def _rows(found):
    for row in ROWS:
        values = found[row]
        if not values:
            yield [row.figure, row.say_wanted(), "-", "skipped", ""]
            continue
        got = statistics.median(values)
        met = sum(map(row.is_met, values))
        said = "met" if row.is_met(got) else "NOT MET"
        yield [row.figure, row.say_wanted(), row.say(got), said, f"{met} of {len(values)}"]


def all_met(found):
    """Of those that could be measured."""
    medians = {row: statistics.median(values) for row, values in found.items() if values}
    if not medians:
        raise Failed("nothing of the table was measured")
    return all(row.is_met(value) for row, value in medians.items())


def text(found):
    """80 columns."""
    lines = [f"{'figure':36}{'wanted':>11} {'got':>11}  {'':8}rounds"]
    for figure, wanted, got, met, rounds in _rows(found):
        lines.append(f"{figure:36}{wanted:>11} {got:>11}  {met:8}{rounds}".rstrip())
    return "\n".join(lines)


def _in_signs(text):
    return text.replace(">=", "≥").replace("<=", "≤")


def markdown(found):
    return _in_signs(report.table(["figure", "wanted", "got", "", "rounds"], _rows(found)))


# ---- several of them ------------------------------------------------------------------


def _rows_of_all(tables, times):
    """(row, what was got in each, in how many of so many it was met: one that could not be
    measured counts as none)"""
    for row in ROWS:
        got = [statistics.median(found[row]) for found in tables if found[row]]
        yield row, got, f"{sum(map(row.is_met, got))} of {times}" if got else "skipped"


def text_of_all(tables, times):
    """The verdict; 80 columns."""
    lines = [f"{'figure':36}{'wanted':>11} {'worst':>11} {'best':>11}  met"]
    for row, got, met in _rows_of_all(tables, times):
        ends = [row.say(one) for one in sorted(got, reverse=not row.at_least)] or ["-"]
        lines.append(f"{row.figure:36}{row.say_wanted():>11} {ends[0]:>11} {ends[-1]:>11}  {met}")
    good = sum(map(all_met, tables))
    lines.append(f"the whole table: met {good} of {times} times")
    return "\n".join(lines)


def markdown_of_all(tables, times):
    """A column for each."""
    head = ["figure", "wanted", *(f"{number + 1}" for number in range(len(tables))), "met"]
    rows = [
        [row.figure, row.say_wanted(), *(map(row.say, got) if got else "-" * len(tables)), met]
        for row, got, met in _rows_of_all(tables, times)
    ]
    return _in_signs(report.table(head, rows))


def plain(found):
    """For JSON."""
    return {row.figure: values for row, values in found.items() if values}
