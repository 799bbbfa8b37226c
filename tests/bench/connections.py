# SPDX-License-Identifier: Apache-2.0
"""What a review costs while so many connections are open, each with one under way: processor
time without handshakes (the difference of a long run and a short one), and memory."""

import itertools
import pathlib
import tempfile

import wrk
from figures import LIMIT, OURS
from scenarios import Scenario
from servers import Failed, fixpoint, limit, make_certificate

COUNTS = (1, 4, 16, 64, 256, 1024)
SECONDS = (2, 6)  # of the two runs,
HANDSHAKES = 100  # and one more for so many of them


def counts(quick):
    return COUNTS[:3] if quick else COUNTS


def _cost(server, review, count, quick):
    """(processor µs of a review, MB at most); None: the machine is too busy."""
    lengths = (1, 2) if quick else SECONDS
    more = count // HANDSHAKES
    try:
        runs = [wrk.run(server, wrk.Load(review, count, one + more)) for one in lengths]
        requests = runs[1]["requests"] - runs[0]["requests"]
        cpu = runs[1]["cpu_s"] - runs[0]["cpu_s"]
        if requests <= 0 or cpu <= 0:
            raise Failed("the longer run did less")
    except Failed as failed:
        print(f"  {count:,}: not measured: {failed}", flush=True)
        return None
    return cpu / requests * 1e6, max(run["peak_mb"] for run in runs)


def measure(build, quick):
    """({server: [(connections, µs), ...]}, {server: [(connections, MB), ...]})"""
    cpu, memory = {OURS: [], LIMIT: []}, {OURS: [], LIMIT: []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        certificate = make_certificate(folder)
        policies, review = Scenario("").write(folder)
        with fixpoint(build, certificate, policies) as a, limit(build, certificate) as b:
            servers = ((OURS, a), (LIMIT, b))
            for count, (label, server) in itertools.product(counts(quick), servers):
                cost = _cost(server, review, count, quick)
                if cost:
                    print(f"  {label}: {count:,}: {cost[0]:.0f} us, {cost[1]:.1f} MB", flush=True)
                    cpu[label].append((count, cost[0]))
                    memory[label].append((count, cost[1]))
    if min(map(len, cpu.values())) < 2:
        raise Failed("too few points for a curve: the machine is too busy")
    return cpu, memory
