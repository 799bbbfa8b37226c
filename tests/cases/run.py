#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs text cases: run.py [--update] FIXPOINT FOLDER [NAME...]

Each folder in FOLDER is a case:
  cmd      what to run, as a shell would, with `fixpoint` as the program
  stdin    what it reads (nothing where there is no such file)
  stdout   what it must print, stderr what it must say (nothing where there is none)
  exit     its status (0 where there is none)
and whatever files the command names. UUIDs count as the one of zeros. NAME runs those
cases only. --update writes down what comes, to be read before it is committed.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

UUID = re.compile(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ZEROS = b"00000000-0000-0000-0000-000000000000"
SECONDS = 60


def run(case: Path, bin_folder: str) -> dict[str, bytes]:
    environment = {"PATH": bin_folder + os.pathsep + os.environ["PATH"], "LC_ALL": "C"}
    for name in os.environ:
        if name.endswith("SAN_OPTIONS"):
            environment[name] = os.environ[name]
    stdin = case / "stdin"
    done = subprocess.run(
        ["sh", "-c", (case / "cmd").read_text()],
        cwd=case,
        env=environment,
        input=stdin.read_bytes() if stdin.exists() else b"",
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    return {
        "stdout": UUID.sub(ZEROS, done.stdout),
        "stderr": UUID.sub(ZEROS, done.stderr),
        "exit": b"%d\n" % done.returncode,
    }


def expected(case: Path, part: str) -> bytes:
    file = case / part
    if file.exists():
        return file.read_bytes()
    return b"0\n" if part == "exit" else b""


def update(case: Path, got: dict[str, bytes]) -> None:
    for part, content in got.items():
        if content in (b"", b"0\n") and part in ("stdout", "stderr", "exit"):
            (case / part).unlink(missing_ok=True)
        else:
            (case / part).write_bytes(content)


def compare(case: Path, got: dict[str, bytes]) -> bool:
    same = True
    for part, content in got.items():
        wanted = expected(case, part)
        if content != wanted:
            same = False
            print(f"FAIL {case.name}: {part}")
            print("  expected: " + wanted.decode(errors="replace").replace("\n", "\n    "))
            print("  got:      " + content.decode(errors="replace").replace("\n", "\n    "))
    return same


def main() -> int:
    arguments = sys.argv[1:]
    updating = "--update" in arguments
    if updating:
        arguments.remove("--update")
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    program, folder, names = Path(arguments[0]).resolve(), Path(arguments[1]), arguments[2:]
    cases = sorted(path.parent for path in folder.glob("*/cmd"))
    cases = [case for case in cases if not names or case.name in names]
    failed = 0
    with tempfile.TemporaryDirectory() as bin_folder:
        os.symlink(program, Path(bin_folder) / "fixpoint")
        for case in cases:
            got = run(case.resolve(), bin_folder)
            if updating:
                update(case, got)
            elif not compare(case, got):
                failed += 1
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
