# SPDX-License-Identifier: Apache-2.0
"""Two runs beside each other: not their figures, which are the machines' as much as ours, but
how each stood to `limit` in its own run."""

import dataclasses
import statistics

from figures import ratios

# figure, its words, is more better
COMPARED = (("rate", "share", True), ("cpu_us", "CPU", False), ("resident_mb", "memory", False))
HEAD = f"{'':32}{'':>7} {'old':>8} {'new':>8} {'new/old':>8}"
LEGEND = """share: of the limit's requests/s; CPU and memory: multiples of the limit's.
*: moved beyond the noise: all rounds of one run lie above all of the other, of
which a single round tells nothing; with a "!" it is a regression"""


@dataclasses.dataclass(frozen=True)
class Change:
    scenario: str
    figure: str
    old: float
    new: float
    moved: bool  # beyond the noise seen between rounds
    worse: float  # by so much; negative: better

    def is_regression(self, threshold):
        return self.moved and self.worse > threshold


def _is_apart(one, other):
    """A single round knows nothing of its noise."""
    if min(len(one), len(other)) < 2:
        return False
    return max(one) < min(other) or max(other) < min(one)


def _change(scenario, words, old, new, more_is_better):
    before, now = statistics.median(old), statistics.median(new)
    worse = before / now - 1 if more_is_better else now / before - 1
    return Change(scenario, words, before, now, _is_apart(old, new), worse)


def changes(old, new):
    """Of every figure of every scenario that both runs have."""
    made = []
    for name in new:
        if name not in old:
            continue
        for figure, words, more_is_better in COMPARED:
            pair = [ratios(run[name], figure) for run in (old, new)]
            if all(pair):
                made.append(_change(name, words, *pair, more_is_better))
    return made


def line(change, threshold):
    name = change.scenario if change.figure == COMPARED[0][1] else ""
    mark = "*" if change.moved else ""
    mark += "!" if change.is_regression(threshold) else ""
    quotient = change.new / change.old
    figures = f"{change.old:8.3f} {change.new:8.3f} {quotient:8.3f}"
    return f"{name:32}{change.figure:>7} {figures} {mark}".rstrip()


def report(found, threshold):
    """The text, and whether anything regressed."""
    lines = [HEAD, *(line(one, threshold) for one in found), LEGEND]
    bad = [one for one in found if one.is_regression(threshold)]
    for one in bad:
        lines.append(f"{one.scenario}: {one.figure} is {one.worse:.0%} worse")
    if not found:
        lines.append("the runs have no scenario in common")
    return "\n".join(lines), bool(bad) or not found
