# SPDX-License-Identifier: Apache-2.0
"""What a review costs while so many connections are open, each with one under way: processor
time without handshakes, and memory with them."""

import itertools
import pathlib
import resource
import tempfile

import wrk
from figures import LIMIT, OURS
from scenarios import Scenario
from servers import Failed, fixpoint, limit, make_certificate

COUNTS = (1, 4, 16, 64, 256, 1024)
SECONDS = 4  # that count, when all connections are there
PATIENCE_S = 120  # until they are: a thousand handshakes take a busy machine half a minute
TRIES = 2
OTHERS = 100  # descriptors of a process beside its connections


def counts(quick):
    return COUNTS[:3] if quick else COUNTS


def raise_descriptors():
    """As many as this process may have, and who is started by it; gives their number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def too_many(count, descriptors):
    """Why so many connections cannot be had; None: they can."""
    if descriptors == resource.RLIM_INFINITY or count + OTHERS <= descriptors:
        return None
    return (
        f"{count:,} connections need {count + OTHERS:,} descriptors, and a process here has "
        f"{descriptors:,} (ulimit -Hn)"
    )


def _cost(server, review, count, quick):
    """(processor µs of a review, MB at most); None: the machine is too busy."""
    load = wrk.Load(review, count, 1 if quick else SECONDS)
    for _ in range(TRIES):
        try:
            seen = wrk.run_connected(server, load, PATIENCE_S)
            return seen["cpu_us"], seen["peak_mb"]
        except Failed as failed:
            print(f"  {count:,}: not measured: {failed}", flush=True)
    return None


def _possible(quick):
    """The counts for which there are descriptors; told where there are not."""
    descriptors = raise_descriptors()
    for count in counts(quick):
        reason = too_many(count, descriptors)
        if reason:
            print(f"  not measured: {reason}", flush=True)
        else:
            yield count


def measure(build, quick):
    """({server: [(connections, µs), ...]}, {server: [(connections, MB), ...]})"""
    cpu, memory = {OURS: [], LIMIT: []}, {OURS: [], LIMIT: []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        certificate = make_certificate(folder)
        policies, review = Scenario("").write(folder)
        possible = list(_possible(quick))  # before the servers: they are started with it
        with fixpoint(build, certificate, policies) as a, limit(build, certificate) as b:
            servers = ((OURS, a), (LIMIT, b))
            for count, (label, server) in itertools.product(possible, servers):
                cost = _cost(server, review, count, quick)
                if cost:
                    print(f"  {label}: {count:,}: {cost[0]:.0f} us, {cost[1]:.1f} MB", flush=True)
                    cpu[label].append((count, cost[0]))
                    memory[label].append((count, cost[1]))
    return cpu, memory
