# SPDX-License-Identifier: Apache-2.0
"""One run of wrk against a server, and what both saw of it."""

import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time

from servers import Failed, cores, cpu_of, ending, on_cores

SCRIPT = pathlib.Path(__file__).parent / "review.lua"
MARK = "figures "


@dataclasses.dataclass(frozen=True)
class Load:
    """What wrk is to do."""

    review: pathlib.Path
    connections: int
    seconds: int
    reconnect: bool = False
    numbers: set | None = None  # of the cores that wrk may use; else the one that is its own


def parse(out, allowed=()):
    """The figures that review.lua printed: requests a second, milliseconds. `allowed`: the
    errors that do not count."""
    lines = [line for line in out.splitlines() if line.startswith(MARK)]
    if len(lines) != 1:
        raise Failed("wrk printed no figures")
    told = json.loads(lines[0].removeprefix(MARK))
    errors = {name: count for name, count in told["errors"].items() if count}
    if errors.keys() - set(allowed):
        listed = ", ".join(f"{name} {count}" for name, count in errors.items())
        raise Failed(f"of {told['requests']} requests some failed: {listed}")
    if not told["requests"]:
        raise Failed("no request was answered")
    return {
        "requests": told["requests"],
        "rate": told["requests"] / (told["us"] / 1e6),
        "p50_ms": told["p50_us"] / 1000,
        "p99_ms": told["p99_us"] / 1000,
        "p999_ms": told["p999_us"] / 1000,
    }


@contextlib.contextmanager
def _asking(server, load, seconds):
    """wrk under way."""
    command = ["wrk", "-t1", f"-c{load.connections}", f"-d{seconds}s", "--timeout", "10s"]
    command += ["-s", str(SCRIPT), f"https://127.0.0.1:{server.port}/"]
    environment = {**os.environ, "REVIEW": str(load.review)}
    if load.reconnect:
        environment["RECONNECT"] = "1"
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    on = on_cores(load.numbers or cores()[1])
    with ending(command, env=environment, preexec_fn=on, **how) as process:
        yield process


def _said(process, seconds):
    """Its output, when it has ended."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failed("wrk did not end") from None
    if process.returncode != 0:
        raise Failed(f"wrk ended with {process.returncode}: {err.strip()}")
    return out


def run(server, load):
    """wrk's figures, with the server's processor time of a request and its memory."""
    before = server.cpu_s()
    with _asking(server, load, load.seconds) as process:
        figures = parse(_said(process, load.seconds + 60))
    figures["cpu_us"] = (server.cpu_s() - before) / figures["requests"] * 1e6
    figures["resident_mb"] = server.resident_mb()
    return figures


# Before the last connection is there, some wait long, or give up and try again.
WHILE_CONNECTING = ("connect", "timeout")


def _wait_for_all(server, known, load, process, patience):
    """Until so many connections more than those known before may ask."""
    end = time.monotonic() + patience
    while (there := server.progress()[0] - known) < load.connections:
        if process.poll() is not None or time.monotonic() > end:
            raise Failed(f"of {load.connections:,} connections {there:,.0f} were made")
        time.sleep(0.3)


def _nothing():
    return None


def run_connected(server, load, patience, look=_nothing):
    """Of the seconds when all connections are there, which may take as long as `patience`: the
    figures of the server, wrk's processor time, and what `look` saw before and after. How long
    handshakes take is no part of it."""
    known = server.progress()[0]
    server.forget_peak()
    with _asking(server, load, patience + load.seconds + 10) as process:
        _wait_for_all(server, known, load, process, patience)
        client = pathlib.Path(f"/proc/{process.pid}/stat")

        def state():
            times = (*server.cpu_parts_s(), sum(cpu_of(client.read_text())), time.monotonic())
            return (server.progress()[1], *times), look()

        before, seen = state()
        time.sleep(load.seconds)
        after, now = state()
        process.send_signal(signal.SIGINT)  # it tells its figures
        parse(_said(process, 30), allowed=WHILE_CONNECTING)
    figures = each_of(*(late - early for late, early in zip(after, before)))
    return {**figures, "peak_mb": server.peak_mb(), "seen": (seen, now)}


def each_of(requests, user, system, client, seconds):
    """Figures of so many requests that took so many seconds of the processors."""
    if requests <= 0 or user + system <= 0:
        raise Failed("no request was answered")
    times = {"user_us": user, "system_us": system, "cpu_us": user + system, "client_us": client}
    made = {name: spent / requests * 1e6 for name, spent in times.items()}
    return {"requests": requests, "rate": requests / seconds, **made}


def alternate(servers, load, rounds, ask=run):
    """{name: [figures of each round]}: in turn, so that all see the same weather, and every
    second round in reverse."""
    runs = {name: [] for name in servers}
    for turn in range(rounds):
        names = list(servers)
        for name in reversed(names) if turn % 2 else names:
            runs[name].append(ask(servers[name], load))
    return runs
