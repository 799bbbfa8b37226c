#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of one review under callgrind: the figure that is the same however busy the
machine is. What a regression of more than 5 % breaks are the ceilings beside this file.

The same review is run few times and often; the difference is the reviews' alone, without
starting, reading policies and ending."""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import SCENARIOS

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CEILINGS = HERE / "ceilings.json"
FEW, MANY = 20, 120
ALLOWED = 1.05


def count(program, policies, times, folder):
    """Instructions of a run of so many reviews."""
    out = folder / "callgrind.out"
    subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, policies,
         HERE / "review.json", str(times)], check=True, capture_output=True, timeout=600)
    return int(re.search(r"^summary: (\d+)", out.read_text(), re.M)[1])


def of_one_review(program, text, folder):
    policies = folder / "policies.yaml"
    policies.write_text((HERE / "policies.yaml").read_text() + text)
    few, many = (count(program, policies, times, folder) for times in (FEW, MANY))
    return round((many - few) / (MANY - FEW))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--update", action="store_true", help="write the ceilings anew")
    options = parser.parse_args()
    ceilings = json.loads(CEILINGS.read_text()) if CEILINGS.exists() else {}
    over = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SCENARIOS.items():
            now = of_one_review(options.build / "review-cost", text(), Path(folder))
            ceiling = ceilings.get(name)
            said = "" if ceiling is None else f"  {now / ceiling * 100:6.1f} % of the ceiling"
            print(f"{name:34}{now:12,} instructions{said}", flush=True)
            if ceiling is not None and now > ceiling * ALLOWED:
                over.append(name)
            ceilings[name] = now
    if options.update:
        CEILINGS.write_text(json.dumps(ceilings, indent=2) + "\n")
    elif over:
        sys.exit(f"bench: over the ceiling: {', '.join(over)}; where that is meant, "
                 "write it anew with --instructions --update")


if __name__ == "__main__":
    main()
