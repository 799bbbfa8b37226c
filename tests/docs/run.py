#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of a Markdown page as a reader would.

A fenced block whose first line is `# file: NAME` is saved as that file; in a ```console
block each line that begins with `$ ` is a command, and what follows it is what it must
print (both streams, in the order they come; a line `...` stands for any lines, and
durations, dates and UUIDs may be others). A page's
blocks run in order, in one empty folder with the repository's examples/ in it. A comment
`<!-- no test -->` before a block leaves it out.

With --update before the pages, what an example printed in place of what stands there is
written into the page. Look at it before you commit it. (Pages with a cluster are left as
they are.)

A page with `<!-- standin: FILE... -->` has a cluster: the stand-in API server of
tests/e2e/standin with these files, in the environment's KUBECONFIG, and deploy/. Blocks with kubectl or
curl are left out, and counted, where there is none. A command that ends in `&`
runs until the page does, and is waited for until it is ready; the ports 8443, 9090 and 8081
of a page with a cluster or with `fixpoint serve … &` are others here."""
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
VARYING = re.compile(r'(?<=[(\t])\d+\.\d{3}(?=s\)?(?:$|\t\[))'  # of `fixpoint test`
                     r'|(?<=time=")\d+\.\d{3}(?=")|(?<="Elapsed":)\d+\.\d{3}'
                     r'|(?<=, in )\d+\.\d(?= ms$)'                # of `fixpoint ping`
                     r'|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ'
                     r'|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', re.M)
FENCE = re.compile(r"(<!-- no test -->\n+)?^```(\w*)\n(.*?)^```$", re.M | re.S)
STANDIN = re.compile(r"^<!-- standin: (.*) -->$", re.M)
SERVES = re.compile(r"^\$ fixpoint serve .*&$", re.M)
TOOLS = re.compile(r"\b(kubectl|curl) ")  # that Debian has not, or not everybody


def blocks(page):
    for skipped, language, body in FENCE.findall(page):
        if not skipped:
            yield language, body


def commands(body):
    """[(lines, expected output)] of a console block; `\\` or `> ` continues a command."""
    found = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append([[line], []])
        elif found and not found[-1][1] and (found[-1][0][-1].endswith("\\")
                                             or line.startswith("> ")):
            found[-1][0].append(line)
        elif found:
            found[-1][1].append(line)
    return found


def command_of(lines):
    return "\n".join([lines[0][2:], *(line.removeprefix("> ") for line in lines[1:])])


def fits(expected, got):
    """Line by line; `...` stands for any lines, so that a match is where they end soonest."""
    expected, got = ([VARYING.sub("0", line) for line in lines] for lines in (expected, got))
    at, after_any, resume = 0, None, 0
    for_line = 0
    while for_line < len(got):
        if at < len(expected) and expected[at] == "...":
            after_any, resume = at + 1, for_line
            at += 1
        elif at < len(expected) and expected[at] == got[for_line]:
            at, for_line = at + 1, for_line + 1
        elif after_any is not None:
            resume += 1
            at, for_line = after_any, resume
        else:
            return False
    return all(line == "..." for line in expected[at:])


# ---- a page with a cluster ------------------------------------------------------------

def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@contextlib.contextmanager
def cluster(files, folder):
    """The kubeconfig of a stand-in that holds these files."""
    process = subprocess.Popen(
        [sys.executable, "-m", "standin", "--folder", folder, *(ROOT / file for file in files)],
        cwd=ROOT / "tests/e2e", text=True, stdout=subprocess.PIPE)
    try:
        said = [process.stdout.readline() for _ in range(2)]
        yield re.search(r"KUBECONFIG=(\S+)", said[1])[1]
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def wait_until_ready(port, process):
    for _ in range(600):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2).close()
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.05)
    return False


class Background:
    """Commands that end in `&`."""

    def __init__(self):
        self.processes = []

    def start(self, command, folder, env, health):
        process = subprocess.Popen(
            ["bash", "-c", command.rstrip(" &")], cwd=folder, env=env, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.processes.append(process)
        return wait_until_ready(health, process)

    def close(self):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)


# ---- any page -------------------------------------------------------------------------

class Page:
    def __init__(self, path, binary):
        self.name, self.text = path.name, path.read_text(encoding="utf-8")
        self.env = {**os.environ, "PATH": f"{binary.parent}:{os.environ['PATH']}",
                    "NO_COLOR": "1", "USER": "ana"}
        self.path, self.count, self.failures, self.skipped = path, 0, 0, 0
        self.health = None
        self.updates = []  # [(a block, the same with what it printed)]

    def fail(self, command, expected, got):
        self.failures += 1
        print(f"{self.name}: $ {command}\n--- expected\n" + "\n".join(expected)
              + f"\n--- got\n{got}")

    def run_command(self, command, expected, folder, background):
        """What it printed, where that is not what is expected; else what is."""
        self.count += 1
        if command.endswith("&"):
            if not background.start(command, folder, self.env, self.health):
                self.fail(command, ["(ready)"], "(not ready)")
            return expected
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        if fits(expected, done.stdout.splitlines()):
            return expected
        self.fail(command, expected, done.stdout)
        as_written = {VARYING.sub("0", line): line for line in expected}
        return [as_written.get(VARYING.sub("0", line), line)
                for line in done.stdout.splitlines()]

    def run_block(self, body, folder, background):
        printed = []
        for lines, expected in commands(body):
            printed += lines + self.run_command(command_of(lines), expected, folder, background)
        if printed != body.splitlines():
            self.updates.append((body, "".join(line + "\n" for line in printed)))

    def run_blocks(self, folder):
        background = Background()
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        try:
            for language, body in blocks(self.text):
                named = re.match(r"# file: (\S+)\n", body)
                if named:
                    target = Path(folder) / named[1]
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(body[named.end():], encoding="utf-8")
                elif language == "console" and not all(map(shutil.which, TOOLS.findall(body))):
                    self.skipped += 1
                elif language == "console":
                    self.run_block(body, folder, background)
        finally:
            background.close()

    def take_ports(self):
        webhook, self.health = free_port(), free_port()
        for told, taken in (("8443", webhook), ("9090", self.health), ("8081", free_port())):
            self.text = self.text.replace(told, taken)
        self.text = self.text.replace("fixpoint serve ", "fixpoint serve "
                                      f"--listen 127.0.0.1:{webhook} "
                                      f"--health-listen 127.0.0.1:{self.health} ")

    def run(self):
        wanted = STANDIN.search(self.text)
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            if wanted:
                own = stack.enter_context(tempfile.TemporaryDirectory())
                self.env["KUBECACHEDIR"] = own
                shutil.copytree(ROOT / "deploy", Path(folder) / "deploy")
                self.env["KUBECONFIG"] = stack.enter_context(cluster(wanted[1].split(), own))
            if wanted or SERVES.search(self.text):
                self.take_ports()
            self.run_blocks(folder)

    def update(self):
        if STANDIN.search(self.text) or SERVES.search(self.text):
            return
        at = 0
        for old, new in self.updates:
            at = self.text.index(f"```console\n{old}```\n", at)
            self.text = (self.text[:at]
                         + self.text[at:].replace(f"```console\n{old}```\n",
                                                  f"```console\n{new}```\n", 1))
        if self.updates:
            self.path.write_text(self.text, encoding="utf-8")


def main():
    binary = Path(sys.argv[1]).resolve()
    total = failed = skipped = 0
    updates = "--update" in sys.argv[2:3]
    for name in sys.argv[3 if updates else 2:]:
        page = Page(Path(name), binary)
        page.run()
        if updates:
            page.update()
        total += page.count
        failed += page.failures
        skipped += page.skipped
    left_out = f", {skipped} blocks left out (no kubectl, no curl)" if skipped else ""
    print(f"{total - failed} passed, {failed} failed{left_out}")
    sys.exit(1 if failed or total == 0 else 0)


if __name__ == "__main__":
    main()
