# SPDX-License-Identifier: Apache-2.0
"""Results as text of 80 columns for a terminal or a pipe, and as tables of Markdown."""

from figures import LIMIT, OURS, median, ratio

# figure, its words, how it is written
COLUMNS = (
    ("rate", "requests/s", "{:,.0f}"),
    ("p50_ms", "p50 ms", "{:.2f}"),
    ("p99_ms", "p99 ms", "{:.2f}"),
    ("p999_ms", "p99.9 ms", "{:.2f}"),
    ("cpu_us", "CPU us", "{:,.0f}"),
    ("resident_mb", "memory MB", "{:.1f}"),
)
HEAD = " " * 10 + "".join(f"{words:>11}" for _, words, _ in COLUMNS)
LEGEND = """each figure is the median of the rounds; the ratio is the median of the rounds'
ratios, Fixpoint to `limit`. CPU: processor time of the server for a request"""


def _line(words, values):
    return f"{words:>10}" + "".join(f"{value:>11}" for value in values)


def _of(runs):
    return [form.format(median(runs, figure)) for figure, _, form in COLUMNS]


def _ratios(result):
    found = [ratio(result, figure) for figure, _, _ in COLUMNS]
    return ["-" if value is None else f"{value:.3g}" for value in found]


def scenario(name, result):
    """Four lines."""
    ours, limit = _of(result[OURS]), _of(result[LIMIT])
    lines = [name, _line(OURS, ours), _line(LIMIT, limit), _line("ratio", _ratios(result))]
    return "\n".join(lines)


def table(head, rows):
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _beside(result, figure, form, unit):
    """"1.10 ms (4.2)": Fixpoint's, and its ratio to the limit's."""
    value = ratio(result, figure)
    said = form.format(median(result[OURS], figure)) + unit
    return said if value is None else f"{said} ({value:.1f})"


def markdown(results):
    """A row for each scenario."""
    head = ["scenario", "Fixpoint", "`limit`", "share"]
    head += ["p50", "p99", "p99.9", "CPU", "memory"]
    rows = []
    for name, result in results.items():
        ours, limit = median(result[OURS], "rate"), median(result[LIMIT], "rate")
        share = ratio(result, "rate") * 100
        row = [name, f"{ours:,.0f}/s", f"{limit:,.0f}/s", f"{share:.0f} %"]
        row += [_beside(result, one, "{:.2f}", " ms") for one in ("p50_ms", "p99_ms", "p999_ms")]
        row += [_beside(result, "cpu_us", "{:,.0f}", " µs")]
        row += [_beside(result, "resident_mb", "{:.1f}", " MB")]
        rows.append(row)
    return table(head, rows)
