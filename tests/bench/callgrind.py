# SPDX-License-Identifier: Apache-2.0
"""Instructions of one review under callgrind: the figure that is the same however busy the
machine is. Of the bytes of the request to those of the answer, without TLS and HTTP.

The same review is run few times and often; the difference is the reviews' alone, without
starting, reading policies and ending."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile

from servers import Failed

FEW, MANY = 20, 120


def _count(program, policies, review, times, out):
    """Instructions of a run of so many reviews."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
    command += [program, policies, review, str(times)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    if done.returncode != 0:
        raise Failed(f"{program} ended with {done.returncode}: {done.stderr[-300:]}")
    return int(re.search(r"^summary: (\d+)", out.read_text(), re.M)[1])


def of_one_review(build, scenario, times=None):
    """Of a scenario's; `times`: how often it is run, few and many."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        policies, review = scenario.write(folder)
        program = build / "review-cost"
        few, many = times or (FEW, MANY)
        counts = [
            _count(program, policies, review, number, folder / f"callgrind.{number}")
            for number in (few, many)
        ]
        return round((counts[1] - counts[0]) / (many - few))


def of_each(build, scenarios, times=None):
    """Of many, as many at once as there are cores; in their order, as they come."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        yield from pool.map(lambda one: of_one_review(build, one, times), scenarios)
