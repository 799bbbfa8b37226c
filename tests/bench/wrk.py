# SPDX-License-Identifier: Apache-2.0
"""One run of wrk against a server, and what both saw of it."""

import dataclasses
import json
import os
import pathlib
import subprocess

from servers import Failed, cores, on_core

SCRIPT = pathlib.Path(__file__).parent / "review.lua"
MARK = "figures "


@dataclasses.dataclass(frozen=True)
class Load:
    """What wrk is to do."""

    review: pathlib.Path
    connections: int
    seconds: int
    reconnect: bool = False


def parse(out):
    """The figures that review.lua printed: requests a second, milliseconds."""
    lines = [line for line in out.splitlines() if line.startswith(MARK)]
    if len(lines) != 1:
        raise Failed("wrk printed no figures")
    told = json.loads(lines[0].removeprefix(MARK))
    errors = {name: count for name, count in told["errors"].items() if count}
    if errors:
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


def run(server, load):
    """wrk's figures, with the server's processor time of a request and its memory."""
    command = ["wrk", "-t1", f"-c{load.connections}", f"-d{load.seconds}s", "--timeout", "10s"]
    command += ["-s", str(SCRIPT), f"https://127.0.0.1:{server.port}/"]
    environment = {**os.environ, "REVIEW": str(load.review)}
    if load.reconnect:
        environment["RECONNECT"] = "1"
    before = server.cpu_s()
    server.forget_peak()
    try:
        done = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            env=environment,
            timeout=load.seconds + 60,
            preexec_fn=on_core(cores()[1]),
        )
    except subprocess.CalledProcessError as ended:
        raise Failed(f"wrk ended with {ended.returncode}: {ended.stderr.strip()}") from None
    except subprocess.TimeoutExpired:
        raise Failed("wrk did not end") from None
    figures = parse(done.stdout)
    figures["cpu_s"] = server.cpu_s() - before
    figures["cpu_us"] = figures["cpu_s"] / figures["requests"] * 1e6
    figures["resident_mb"] = server.resident_mb()
    figures["peak_mb"] = server.peak_mb()
    return figures


def alternate(servers, load, rounds):
    """{name: [figures of each round]}: in turn, so that all see the same weather, and every
    second round in reverse."""
    runs = {name: [] for name in servers}
    for turn in range(rounds):
        names = list(servers)
        for name in reversed(names) if turn % 2 else names:
            runs[name].append(run(servers[name], load))
    return runs
