#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of a Markdown page as a reader would.

A fenced block whose first line is `# file: NAME` is saved as that file; in a ```console
block each line that begins with `$ ` is a command, and what follows it is what it must
print (both streams, in the order they come; a line `...` stands for any lines, and
durations and UUIDs may be others). A page's
blocks run in order, in one empty folder with the repository's examples/ in it. A comment
`<!-- no test -->` before a block leaves it out."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
VARYING = re.compile(r'(?<=[(\t])\d+\.\d{3}(?=s\)?$)'           # of `fixpoint test`
                     r'|(?<=time=")\d+\.\d{3}(?=")|(?<="Elapsed":)\d+\.\d{3}'
                     r'|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', re.M)
FENCE = re.compile(r"(<!-- no test -->\n+)?^```(\w*)\n(.*?)^```$", re.M | re.S)


def blocks(page):
    for skipped, language, body in FENCE.findall(page):
        if not skipped:
            yield language, body


def commands(body):
    """[(command, expected output)] of a console block; `\\` continues a command."""
    found = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line.removeprefix("> ")
        elif found:
            found[-1][1].append(line)
    return found


def fits(expected, got):
    expected, got = (VARYING.sub("0", "\n".join(lines)) for lines in (expected, got))
    pattern = re.escape(expected).replace("\\\n", "\n")
    pattern = re.sub(r"(^|\n)\\\.\\\.\\\.(?=\n|$)", r"\1(?:.*\n?)*?", pattern)
    return re.fullmatch(pattern, got) is not None


def run_page(path, binary):
    env = {**os.environ, "PATH": f"{binary.parent}:{os.environ['PATH']}", "NO_COLOR": "1"}
    failures = count = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        for language, body in blocks(path.read_text(encoding="utf-8")):
            named = re.match(r"# file: (\S+)\n", body)
            if named:
                target = Path(folder) / named[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(body[named.end():], encoding="utf-8")
            elif language == "console":
                for command, expected in commands(body):
                    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env,
                                          text=True, stdout=subprocess.PIPE,
                                          stderr=subprocess.STDOUT, timeout=60)
                    count += 1
                    if not fits(expected, done.stdout.splitlines()):
                        failures += 1
                        print(f"{path.name}: $ {command}\n--- expected\n"
                              + "\n".join(expected) + f"\n--- got\n{done.stdout}")
    return count, failures


def main():
    binary = Path(sys.argv[1]).resolve()
    total = failed = 0
    for page in sys.argv[2:]:
        count, failures = run_page(Path(page), binary)
        total += count
        failed += failures
    print(f"{total - failed} passed, {failed} failed")
    sys.exit(1 if failed or total == 0 else 0)


if __name__ == "__main__":
    main()
