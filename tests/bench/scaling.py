# SPDX-License-Identifier: Apache-2.0
"""How throughput grows from one core to two: Fixpoint with one thread that serves and with two,
in turn, on the same two cores.

Where there are but two, wrk takes its share of them, so that the requests a second do not tell
what two cores could answer. The processor time of a review does: were it the same with two
threads as with one, two cores would give twice what one gives, if whoever asks cost nothing.
Time in which threads wait for each other is in no processor's time; it would show in that the
cores are idle, which is measured, too."""

import functools
import os
import pathlib
import statistics
import tempfile

import report
import wrk
from figures import median
from scenarios import NAMED
from servers import TICKS, Failed, fixpoint, make_certificate

COUNTS = (8, 16, 64)  # of connections
CORES = 2
ONE, TWO = "1", str(CORES)  # threads that serve
ALLOWED = 1.1  # as of a slope (slope.py): up to here reviews cost the same
PATIENCE_S = 60  # until all connections are there
CONNECTIONS = 'fixpoint_thread_connections{thread="%d"}'


def cores():
    """(the servers' two, wrk's: others where there are more)"""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < CORES:
        raise Failed(f"scaling to {CORES} cores needs {CORES} cores")
    ours = set(usable[:CORES])
    return ours, set(usable[CORES:]) or ours


# ---- one run --------------------------------------------------------------------------


def idle_and_all(stat, numbers):
    """(ticks in which these cores had nothing to do, all of their ticks), of /proc/stat."""
    idle = everything = 0
    for line in stat.splitlines():
        name, *fields = line.split() or [""]
        if name in {f"cpu{number}" for number in numbers}:
            ticks = [int(field) for field in fields[:8]]
            idle += ticks[3] + ticks[4]
            everything += sum(ticks)
    return idle, everything


def _ticks(numbers):
    return idle_and_all(pathlib.Path("/proc/stat").read_text(), numbers)


def others(idle, everything, ours_s):
    """The part of the ticks in which these cores did neither nothing nor ours."""
    return max(0, everything - idle - ours_s * TICKS) / (everything or 1)


def shares(before, after, threads):
    """The processor time of the busiest threads, as parts of one: who serves is busiest."""
    spent = sorted((after[one] - before.get(one, 0) for one in after), reverse=True)[:threads]
    return [one / (sum(spent) or 1) for one in spent]


def _connections(server, threads):
    told = server.metrics()
    return [int(told[CONNECTIONS % number]) for number in range(threads)]


def _run(numbers, serving, load):
    """The figures of when all connections are there, and how they and the work were spread.
    `serving`: a server, and its threads."""
    server, threads = serving

    def look():
        return server.cpu_by_thread_s(), _ticks(numbers), _connections(server, threads)

    figures = wrk.run_connected(server, load, PATIENCE_S, look)
    (before, ticks, _), (after, now, connections) = figures.pop("seen")
    idle, everything = (late - early for late, early in zip(now, ticks))
    ours = figures["cpu_us"] + (figures["client_us"] if load.numbers == numbers else 0)
    figures["idle"] = idle / (everything or 1)
    figures["others"] = others(idle, everything, ours * figures["requests"] / 1e6)
    figures["work"] = shares(before, after, threads)
    figures["connections"] = connections
    return figures


def measure(build, rounds, seconds, quick):
    """{connections: {"1": [figures of each round], "2": [...]}}"""
    found = {}
    numbers, client = cores()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        certificate = make_certificate(folder)
        policies, review = NAMED["3 mutators"].write(folder)
        how = build, certificate, policies
        with fixpoint(*how, 1, numbers) as one, fixpoint(*how, CORES, numbers) as two:
            servers = {ONE: (one, 1), TWO: (two, CORES)}
            ask = functools.partial(_run, numbers)
            for count in COUNTS[:1] if quick else COUNTS:
                load = wrk.Load(review, count, seconds, numbers=client)
                result = wrk.alternate(servers, load, rounds, ask)
                print(text(count, result), flush=True)
                found[str(count)] = result
    return found


# ---- what follows ---------------------------------------------------------------------


def ratios(result):
    """The processor time of a review with two threads to that with one, of each round."""
    return [two["cpu_us"] / one["cpu_us"] for one, two in zip(result[ONE], result[TWO])]


def scalings(result):
    """What two cores could give to what one gives, of each round."""
    return [CORES / ratio for ratio in ratios(result)]


def _unevenness(run):
    return max(run["connections"]) - min(run["connections"])


def is_even(result):
    """Had no thread many more connections than another? Where a handshake fails and is tried
    again, the one that takes its place may be another thread's."""
    return all(_unevenness(run) <= max(1, sum(run["connections"]) / 10) for run in result[TWO])


def bad(found):
    """What does not scale, in words."""
    for count, result in found.items():
        if statistics.median(ratios(result)) > ALLOWED:
            yield f"with {count} connections a review costs more than {ALLOWED} times as much"
        if not is_even(result):
            yield f"{count} connections are not spread evenly"


# ---- in words -------------------------------------------------------------------------

HEAD = " " * 13 + (
    f"{'requests/s':>11}{'CPU us':>9}{'user':>8}{'system':>8}{'wrk us':>9}{'idle':>8}{'others':>8}"
)
LEGEND = f"""measured, without handshakes: requests/s, while wrk takes its share of the
cores; CPU: processor time of the server for a request, its user's part and the
system's; wrk: wrk's own; idle, others: parts of the two cores' time that nobody
used, or other programs did. Each is the median of the rounds.
derived: two cores could give {CORES} divided by the ratio of CPU, if who asks cost
nothing. That holds where idle is little with {CORES} threads: nobody waits then."""


def _spread(values, form="{:.2f}"):
    """"1.03 (1.01 to 1.05)": the median, the least and the most."""
    found = statistics.median(values), min(values), max(values)
    return "{} ({} to {})".format(*map(form.format, found))


def _of_threads(runs):
    """(connections of each thread, the work of each), of the rounds that were least even."""
    widest = max(runs, key=_unevenness)
    work = max(runs, key=lambda run: max(run["work"]))["work"]
    return (
        " + ".join(map(str, widest["connections"])),
        " + ".join(f"{share * 100:.0f} %" for share in work),
    )


def _line(threads, runs):
    rate, cpu, client = (median(runs, one) for one in ("rate", "cpu_us", "client_us"))
    user, system = (median(runs, one) for one in ("user_us", "system_us"))
    words = f"{threads} thread" + ("s" if threads != "1" else "")
    figures = f"{rate:11,.0f}{cpu:9.1f}{user:8.1f}{system:8.1f}{client:9.1f}"
    return f"  {words:11}{figures}{median(runs, 'idle'):8.1%}{median(runs, 'others'):8.1%}"


def text(count, result):
    """80 columns."""
    connections, work = _of_threads(result[TWO])
    return "\n".join(
        [
            f"{count} connections",
            *(_line(threads, runs) for threads, runs in result.items()),
            f"  spread, at worst: connections {connections}, work (processor time) {work}",
            f"  CPU of a review, {CORES} threads to 1: {_spread(ratios(result))}",
            f"  two cores could give {_spread(scalings(result))} times what one does",
        ]
    )


def markdown(found):
    """What was measured, and what is derived."""
    measured, derived = [], []
    for count, result in found.items():
        for threads, runs in result.items():
            rate, client = (median(runs, one) for one in ("rate", "client_us"))
            cpu, user, system = (median(runs, one) for one in ("cpu_us", "user_us", "system_us"))
            times = f"{cpu:.0f} µs ({user:.0f} + {system:.0f})"
            row = [count, threads, f"{rate:,.0f}", times, f"{client:.0f} µs"]
            row += [f"{median(runs, one) * 100:.0f} %" for one in ("idle", "others")]
            measured.append([*row, *_of_threads(runs)])
        derived.append([count, _spread(ratios(result)), _spread(scalings(result))])
    head = ["connections", "threads", "requests/s", "CPU (user + system)", "`wrk`'s"]
    head += ["idle", "others", "connections of each", "work of each"]
    ratio = f"CPU, {CORES} threads to 1"
    return "\n\n".join(
        [
            report.table(head, measured),
            report.table(["connections", ratio, "two cores could give, times one's"], derived),
        ]
    )
