#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each function costs in instructions, and what it charges for them.

Every function of templates and of CEL, every operator and function of JSONPath and JMESPath, what
compiles and evaluates CEL, typed merges, JSON patches, policies of many parts, and the readers and
writers are run under callgrind on arguments of each shape. Instructions for each unit of the budget
that a case spends must stay under a bound, and a case that is sixteen times as large may take no
more than the order of its function says. The cases that cost most of each function at a small size are
measured again at larger ones."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETS = {  # each with the heading of its table
    "templates": "Functions of templates",
    "formats": "Verbs of `printf`",
    "expressions": "Operators and functions of JSONPath",
    "queries": "Operators and functions of JMESPath",
    "functions": "Functions of CEL",
    "programs": "What CEL evaluates without a function",
    "compilations": "CEL expressions that are compiled",
    "merges": "Typed merges and JSON patches",
    "policies": "MutatingAdmissionPolicies of many parts",
    "values": "Readers and writers",
}
FIRST = 512  # bytes: the size at which every case is measured
LARGER = 16  # times: the next size
FULL = 1 << 20  # bytes: the last size, with --full
MOST_PER_UNIT = 1500  # instructions; a unit is about ten nanoseconds, a look comes every 4096
# The instructions of a case that is LARGER times as large, by the order of its function; those
# that pay for more than they are given may take more.
LINEAR, SORTING = 1.6 * LARGER, 2.6 * LARGER
# Functions that pay by what a search goes through: a pattern whose automaton has too many states
# takes longer, up to the bound of one search (base/regex.h), behind which the clock is read.
SEARCHES = re.compile(r"regex|=~|!~|^find|matches|pattern")

Case = collections.namedtuple("Case", "set index subject shape size units outcome instructions")


def count(program, which, size, indexes=()):
    """Measures cases of a set at that size."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind"
        command = ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--combine-dumps=yes"]
        command += ["--dump-line=no", f"--callgrind-out-file={out}", program, which, str(size)]
        done = subprocess.run(
            [*map(str, command), *map(str, indexes)],
            capture_output=True,
            text=True,
            timeout=3600,
            env={**os.environ, "LD_BIND_NOW": "1"},
        )
        if done.returncode != 0:
            sys.exit(f"cost: {program} ended with {done.returncode}: {done.stderr[-500:]}")
        parts = re.split(r"^desc: Trigger: ", out.read_text(), flags=re.M)[1:]
        counts = [
            int(re.search(r"^totals: (\d+)", part, re.M)[1])
            for part in parts
            if part.startswith("Client Request: case")
        ]
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    if len(lines) != len(counts):
        sys.exit(f"cost: {len(lines)} cases, but {len(counts)} counts")
    return [
        Case(which, int(index), subject, shape, int(size), int(units), outcome, instructions)
        for (index, subject, shape, size, units, outcome), instructions in zip(lines, counts)
    ]


def per_unit(case):
    return case.instructions / max(case.units, 1)


def list_cases(program, which, sample):
    """The numbers of all cases of a set, or of each so many of every function."""
    listed = subprocess.run([program, which, "list"], capture_output=True, text=True, check=True)
    seen = collections.Counter()
    for line in listed.stdout.splitlines():
        index, subject, _ = line.split("\t")
        if seen[subject] % sample == 0:
            yield int(index)
        seen[subject] += 1


def measure_all(program, sets, jobs, sample):
    """Every case of the sets at the first size, by subject."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = pool.map(
            lambda one: count(program, one, FIRST, list_cases(program, one, sample)), sets
        )
    subjects = collections.defaultdict(list)
    for cases in found:
        for case in cases:
            subjects[case.set, case.subject].append(case)
    return subjects


def worst(cases):
    """The cases of one subject that cost most by the unit, and in all."""
    return {
        max(cases, key=per_unit).index,
        max(cases, key=lambda case: case.instructions).index,
    }


def measure_worst(program, subjects, size, jobs):
    """The worst cases of every subject at another size."""
    wanted = collections.defaultdict(set)
    for (which, subject), cases in subjects.items():
        if not SEARCHES.search(subject):
            wanted[which] |= worst(cases)
    sets = [which for which in SETS if wanted[which]]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda one: count(program, one, size, sorted(wanted[one])), sets)
        return [case for cases in found for case in cases]


def growth(case, first):
    """How many times as much the larger case costs, against a small one that is not cheap."""
    return case.instructions / max(first.instructions, first.units * MOST_PER_UNIT / 3, 2000)


def find_faults(case, first, slack):
    """What is wrong with a case; `first`: the same one at the first size."""
    if SEARCHES.search(case.subject):
        return
    if per_unit(case) > MOST_PER_UNIT * slack:
        yield f"{per_unit(case):,.0f} instructions for each unit (at most {MOST_PER_UNIT:,})"
    if case.size > first.size:
        times = case.size / first.size
        paid = case.units / max(first.units, 1)
        if growth(case, first) > max(SORTING / LARGER * times, 2 * paid):
            yield f"{growth(case, first):,.0f} times the instructions for {times:.0f} times the size"


def order(cases, firsts):
    """The order that the instructions of a subject grow by."""
    most = max(growth(case, firsts[case.index]) for case in cases)
    return "n" if most <= LINEAR else "n log n" if most <= SORTING else "as it pays"


def table(subjects, larger):
    """Markdown: what each function costs, a table for each set."""
    before = None
    for key in sorted(subjects, key=lambda key: (list(SETS).index(key[0]), key[1])):
        if key[0] != before:
            before = key[0]
            yield from ("", f"{SETS[before]}:", "")
            yield "| function | order | worst instructions for a unit | at |"
            yield "|---|---|---|---|"
        firsts = {case.index: case for case in subjects[key]}
        cases = [case for case in larger if (case.set, case.subject) == key]
        top = max(subjects[key] + cases, key=per_unit)
        subject = key[1].replace("|", "\\|")
        shape = top.shape.replace("|", "\\|").lower()
        yield (
            f"| `{subject}` | {order(cases, firsts) if cases else '–'} | {per_unit(top):,.0f} "
            f"| {top.size:,} bytes: {shape} |"
        )


def missing(subjects, program, sets):
    """Functions of the tables for which no case was measured."""
    named = subprocess.run([program, "names"], capture_output=True, text=True, check=True)
    names = {tuple(line.split("\t")) for line in named.stdout.splitlines()}
    return sorted(": ".join(name) for name in names - set(subjects) if name[0] in sets)


def main():
    parser = argparse.ArgumentParser(prog="./dev cost", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--set", choices=SETS, action="append", help="this set alone; repeats")
    parser.add_argument("--sample", type=int, default=1, help="each so many of the cases alone")
    parser.add_argument(
        "--slack", type=float, default=1, help="a build without optimisation takes longer"
    )
    parser.add_argument("--full", action="store_true", help="measure at 1 MB, too")
    parser.add_argument("--table", type=pathlib.Path, help="write what each function costs there")
    options = parser.parse_args()
    program = options.build / "cost-meter"
    sets = options.set or SETS
    subjects = measure_all(program, sets, options.jobs, options.sample)
    firsts = {(case.set, case.index): case for cases in subjects.values() for case in cases}
    larger = measure_worst(program, subjects, FIRST * LARGER, options.jobs)
    if options.full:
        larger += measure_worst(program, subjects, FULL, options.jobs)
    faults = {}
    for case in sorted([*firsts.values(), *larger], key=per_unit, reverse=True):
        for fault in find_faults(case, firsts[case.set, case.index], options.slack):
            name = f"{case.set}: {case.subject}"
            faults.setdefault(name, f"{case.shape}, {case.size:,} bytes: {fault}")
    for name in missing(subjects, program, sets):
        faults[name] = "no case calls it"
    if options.table:
        options.table.write_text("\n".join(table(subjects, larger)) + "\n")
    for name, fault in sorted(faults.items()):
        print(f"cost: {name}: {fault}")
    print(f"cost: {len(firsts)} cases of {len(subjects)} functions, {len(faults)} at fault")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
