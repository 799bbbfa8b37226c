# SPDX-License-Identifier: Apache-2.0
"""How the cost of a review grows with the size of the object, the mutators, the passes, the
connections: measured, fitted, drawn."""

import dataclasses

import callgrind
import connections
import report
import slope
import svg
from figures import LIMIT, OURS
from scenarios import Scenario
from servers import cores

INSTRUCTIONS = "instructions of a review"


@dataclasses.dataclass(frozen=True)
class Growth:
    """One line of a picture: a scenario that has more of something at each point."""

    label: str
    field: str  # of the scenario: what there is more of
    scenario: Scenario
    values: tuple
    times: tuple = (20, 120)  # that a review is run, few and many (callgrind.py)

    def points(self, quick):
        values = self.values[::2] if quick else self.values
        return [(one, dataclasses.replace(self.scenario, **{self.field: one})) for one in values]


@dataclasses.dataclass(frozen=True)
class Curve:
    name: str  # of the file
    title: str
    x_label: str
    lines: tuple
    y_label: str = INSTRUCTIONS


SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000)
COUNTS = (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000)
PASSES = (1, 2, 4, 8, 16, 32, 64)
LONG = (4, 12)  # for reviews that take long
BY_INSTRUCTIONS = (
    Curve(
        "object-size",
        "The size of the object, 3 mutators",
        "bytes of the object",
        (
            Growth("CREATE", "size", Scenario(""), SIZES),
            Growth("UPDATE with oldObject", "size", Scenario("", operation="UPDATE"), SIZES),
        ),
    ),
    Curve(
        "mutators",
        "Mutators beside the 3, a Pod of 5 kB",
        "mutators",
        (
            Growth("that all match", "count", Scenario("", sort="annotating"), COUNTS, LONG),
            Growth("for other namespaces", "count", Scenario("", sort="elsewhere"), COUNTS),
        ),
    ),
    Curve(
        "passes",
        "Passes until nothing changes, 3 + 64 mutators",
        "passes that change something",
        (Growth("64 mutators", "count", Scenario("", sort="chained"), PASSES, LONG),),
    ),
)


def _of_instructions(curve, build, quick):
    lines = []
    for growth in curve.lines:
        points = growth.points(quick)
        scenarios = [scenario for _, scenario in points]
        counts = callgrind.of_each(build, scenarios, growth.times)
        made = []
        for (work, _), count in zip(points, counts):
            print(f"  {growth.label}: {work:,}: {count:,}", flush=True)
            made.append((work, count))
        lines.append(svg.Line(growth.label, tuple(made)))
    return lines


# By processor time.
OPEN = "Open connections, each with a review under way"
BY_TIME = (
    Curve("connections", OPEN, "connections", (), "processor time of a review, µs"),
    Curve("connections-memory", OPEN, "connections", (), "resident memory at most, MB"),
)


def _of_connections(build, quick):
    """The lines of the two pictures, of those that have two points."""
    return [
        [svg.Line(label, tuple(points)) for label, points in found.items() if len(points) > 1]
        for found in connections.measure(build, quick)
    ]


# ---- what is made of them -------------------------------------------------------------


def _drawn(curve, lines, folder):
    """Writes the picture; gives the slopes: {label: slope}."""
    slopes = {line.label: slope.at_the_end(line.points) for line in lines}
    named = [
        svg.Line(f"{line.label}: slope {slopes[line.label]:.2f}", line.points) for line in lines
    ]
    text = svg.picture(curve.title, curve.x_label, curve.y_label, named)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{curve.name}.svg").write_text(text, encoding="utf-8")
    return slopes


def measure(build, folder, quick, only=""):
    """{curve: {line: {"slope": b, "points": [[work, cost], ...]}}}, and the pictures."""
    made = {}

    def keep(curve, lines):
        slopes = _drawn(curve, lines, folder)
        made[curve.name] = {
            line.label: {"slope": slopes[line.label], "points": line.points} for line in lines
        }

    for curve in BY_INSTRUCTIONS:
        if only in curve.name:
            print(curve.title, flush=True)
            keep(curve, _of_instructions(curve, build, quick))
    timed = _timed(only)
    if timed:
        print(BY_TIME[0].title, flush=True)
        for curve, lines in zip(BY_TIME, _of_connections(build, quick)):
            if curve in timed and lines:
                keep(curve, lines)
    return made


def _timed(only):
    """Those by time. Who asks would take the only core from who is measured."""
    return [curve for curve in BY_TIME if only in curve.name and cores()[1] is not None]


def too_steep(found):
    """Those by instructions that are worse than linear: "curve: line"."""
    counted = [curve.name for curve in BY_INSTRUCTIONS if curve.name in found]
    return [
        f"{name}: {label}"
        for name in counted
        for label, line in found[name].items()
        if line["slope"] > slope.LINEAR
    ]


def incomplete(found, quick, only=""):
    """Those by time that lack points: "curve: line"."""
    wanted = len(connections.counts(quick))
    return [
        f"{curve.name}: {label}"
        for curve in _timed(only)
        for label in (OURS, LIMIT)
        if len(found.get(curve.name, {}).get(label, {"points": ()})["points"]) < wanted
    ]


def _rows(found):
    for name, lines in found.items():
        for label, line in lines.items():
            (low, least), (high, most) = line["points"][0], line["points"][-1]
            yield [
                name,
                label,
                f"{low:,}: {least:,.0f}",
                f"{high:,}: {most:,.0f}",
                f"{line['slope']:.2f}",
                slope.verdict(line["slope"]),
            ]


def text(found):
    """80 columns."""
    lines = [f"{'curve, line':43}{'slope':>6}"]
    for name, label, *_, value, verdict in _rows(found):
        lines.append(f"{name + ', ' + label:43}{value:>6}  {verdict}")
    return "\n".join(lines)


def markdown(found):
    head = ["curve", "line", "from", "to", "slope", ""]
    return report.table(head, _rows(found))
