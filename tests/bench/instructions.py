#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of one review under callgrind, and their ceilings, which are beside this file:
one that grows by more than 5 % breaks CI. So does a review that costs too many times as much as
another one."""

import argparse
import json
import pathlib
import sys

import callgrind
from scenarios import SCENARIOS

HERE = pathlib.Path(__file__).resolve().parent
CEILINGS = HERE / "ceilings.json"
ALLOWED = 1.05
# (what, at most so many times, what)
ASSIGNS = "3 + 100 Assigns that all match"
RATIOS = (
    ("3 + 100 ModRules that all match", 10, ASSIGNS),
    ("3 + 100 CEL policies that match", 3, ASSIGNS),
    ("3 + 100 of Kyverno that match", 4, ASSIGNS),
)


def over(counts, ceilings):
    """The names of those that are over."""
    return [name for name in counts if counts[name] > ceilings.get(name, counts[name]) * ALLOWED]


def ratios(counts):
    """Prints each; True: none is more than it may be."""
    good = True
    for name, most, other in RATIOS:
        times = counts[name] / counts[other]
        good = good and times <= most
        print(f"{name}: {times:.2f} times {other} (at most {most})")
    return good


def run(build, update):
    """Prints each; True: none is over its ceiling."""
    ceilings = json.loads(CEILINGS.read_text()) if CEILINGS.exists() else {}
    measured = [one for one in SCENARIOS if one.ceiling]
    counts = {}
    for scenario, now in zip(measured, callgrind.of_each(build, measured)):
        counts[scenario.name] = now
        ceiling = ceilings.get(scenario.name)
        said = "" if ceiling is None else f"  {now / ceiling * 100:6.1f} % of the ceiling"
        print(f"{scenario.name:34}{now:12,} instructions{said}", flush=True)
    good = ratios(counts)
    if update:
        CEILINGS.write_text(json.dumps(counts, indent=2) + "\n")
        return good
    found = over(counts, ceilings)
    if found:
        print(
            f"bench: over the ceiling: {', '.join(found)}; where that is meant, "
            "write it anew with --instructions --update"
        )
    return good and not found


def main():
    parser = argparse.ArgumentParser(prog="./dev bench --instructions", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build/release")
    parser.add_argument("--update", action="store_true", help="write the ceilings anew")
    options = parser.parse_args()
    sys.exit(0 if run(options.build, options.update) else 1)


if __name__ == "__main__":
    main()
