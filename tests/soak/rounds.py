# SPDX-License-Identifier: Apache-2.0
"""A round: a time of load on both programs, then quiet, then a look at their figures."""

import json
import os
import pathlib
import random
import re
import subprocess
import threading
import time

from hostile import Hostile
from subject import FIGURES, PATIENCE

HERE = pathlib.Path(__file__).resolve().parent
BETWEEN_CHANGES = 0.3  # seconds
CONNECTIONS = {"files": 12, "cluster": 4}


class Load:
    """Everything at once, on one side."""

    def __init__(self, side, seconds, seed):
        self.side, self.seconds = side, seconds
        self.over = threading.Event()
        self.failure = None
        self.dice = random.Random(seed)
        self.hostile = [
            Hostile(side.subject, self.over, random.Random("%s-%s" % (seed, i))) for i in "12"
        ]
        self.changes = threading.Thread(target=self._change, daemon=True)
        self.wrk = None

    def _change(self):
        try:
            while not self.over.is_set():
                self.side.change()
                self.over.wait(self.dice.uniform(0, 2 * BETWEEN_CHANGES))
        except Exception as failure:
            self.failure = failure

    def start(self):
        command = ["wrk", "-t1", "-c%d" % CONNECTIONS[self.side.name], "-d%ds" % self.seconds]
        command += ["--timeout", "10s", "-s", str(HERE / "mixed.lua")]
        command += ["https://127.0.0.1:%d/" % self.side.subject.port]
        self.wrk = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "REQUESTS": str(self.side.requests)},
        )
        for thread in [*self.hostile, self.changes]:
            thread.start()

    def end(self):
        """Waits for wrk, ends the others; wrk's figures."""
        try:
            out, _ = self.wrk.communicate(timeout=self.seconds + PATIENCE)
        finally:
            self.wrk.kill()
            self.over.set()
        for thread in [*self.hostile, self.changes]:
            thread.join(PATIENCE)
        self.side.subject.must_live()
        if self.failure is not None:
            raise self.failure
        found = re.search(r"^figures (.*)$", out, re.M)
        if found is None:
            raise RuntimeError("wrk said: " + out)
        return {**json.loads(found[1]), "hostile": sum(one.count for one in self.hostile)}


def figures_at_rest(subject):
    """The least of a few looks: what is asked for the looks themselves is not meant."""
    looks = []
    for _ in range(3):
        looks.append(subject.figures())
        time.sleep(0.15)
    return {name: min(look[name] for look in looks) for name in FIGURES}


def play(sides, seconds, number):
    """One round; for each side its row."""
    loads = [Load(side, seconds, "%d-%s" % (number, side.name)) for side in sides]
    for load in loads:
        load.start()
    rows = {}
    for load in loads:
        rows[load.side.name] = load.end()
    for side in sides:
        side.rest()
        side.subject.shorten_log()
        rows[side.name].update(figures_at_rest(side.subject))
        rows[side.name]["broken"] = side.subject.metric(
            "fixpoint_reviews_total", decision="broken"
        )
    return rows
