# SPDX-License-Identifier: Apache-2.0
"""The parts of the benchmark that are functions: what wrk said, ratios, comparing, slopes,
the table, the tables of Markdown. (Nothing is measured.)"""

import json
import math

import pytest

import compare
import external
import figures
import instructions
import report
import slope
import table
import wrk
from scenarios import SCENARIOS
from servers import Failed

TOLD = {
    "requests": 2000,
    "us": 4_000_000,
    "p50_us": 250,
    "p99_us": 1500,
    "p999_us": 9000,
    "errors": {"connect": 0, "read": 0, "write": 0, "timeout": 0, "status": 0},
}


def said(**changed):
    """wrk's output."""
    marked = wrk.MARK + json.dumps({**TOLD, **changed})
    return "Running 4s test\n  2000 requests in 4.00s\n" + marked


def run(rate=1000.0, **more):
    """The figures of one run."""
    plain = {"rate": rate, "p50_ms": 1.0, "p99_ms": 4.0, "p999_ms": 8.0}
    return {**plain, "cpu_us": 100.0, "resident_mb": 6.0, **more}


def result(ours, limit=(10_000.0,) * 3, **more):
    """Of rounds with these requests a second."""
    return {
        "fixpoint": [run(rate, **more) for rate in ours],
        "limit": [run(rate) for rate in limit],
    }


# ---- wrk ------------------------------------------------------------------------------


def test_what_wrk_said_is_read():
    got = wrk.parse(said())
    wanted = {"requests": 2000, "rate": 500, "p50_ms": 0.25, "p99_ms": 1.5, "p999_ms": 9}
    assert got == wanted


@pytest.mark.parametrize("what", ["connect", "read", "write", "timeout", "status"])
def test_a_failed_request_is_no_measurement(what):
    with pytest.raises(Failed, match=f"{what} 3"):
        wrk.parse(said(errors={**TOLD["errors"], what: 3}))


@pytest.mark.parametrize("out", ["", "  2000 requests in 4.00s\n", said() + "\n" + said()])
def test_without_one_line_of_figures_there_are_none(out):
    with pytest.raises(Failed, match="no figures"):
        wrk.parse(out)


def test_no_request_is_no_measurement():
    with pytest.raises(Failed, match="no request"):
        wrk.parse(said(requests=0))


# ---- ratios ---------------------------------------------------------------------------


def test_a_ratio_is_that_of_each_round():
    # The weather changed; how the two stood to each other did not.
    found = result((5000.0, 2500.0, 1000.0), (10_000.0, 5000.0, 2000.0))
    assert figures.ratios(found, "rate") == [0.5, 0.5, 0.5]
    assert figures.ratio(found, "rate") == 0.5
    assert figures.median(found["fixpoint"], "rate") == 2500


def test_what_the_limit_hides_has_no_ratio():
    found = result((5000.0,), (10_000.0,))
    found["limit"][0]["cpu_us"] = 0
    assert figures.ratio(found, "cpu_us") is None
    assert "-" in report.scenario("x", found).splitlines()[3].split()


# ---- comparing ------------------------------------------------------------------------

QUIET = (5000.0, 5100.0, 4900.0)


def share(old, new):
    found = compare.changes({"s": result(old)}, {"s": result(new)})
    return next(one for one in found if one.figure == "share")


def test_a_fall_beyond_the_noise_is_a_regression():
    change = share(QUIET, (4000.0, 4100.0, 4050.0))
    assert change.moved and math.isclose(change.worse, 5000 / 4050 - 1)
    assert change.is_regression(0.10) and not change.is_regression(0.30)


def test_a_fall_within_the_noise_is_none():
    change = share(QUIET, (4000.0, 4950.0, 3000.0))
    assert change.worse > 0.10 and not change.moved and not change.is_regression(0.10)


def test_a_single_round_knows_nothing_of_its_noise():
    change = share(QUIET, (4000.0,))
    assert change.worse > 0.10 and not change.moved


def test_a_rise_is_none():
    change = share(QUIET, (9000.0, 9100.0, 9050.0))
    assert change.moved and change.worse < 0 and not change.is_regression(0.0)


def test_more_time_and_memory_are_worse():
    old = {"s": result(QUIET)}
    new = {"s": result(QUIET, cpu_us=150.0, resident_mb=3.0)}
    worse = {one.figure: one.worse for one in compare.changes(old, new)}
    assert worse == {"share": 0, "CPU": 0.5, "memory": -0.5}


def test_the_report_names_what_regressed():
    old, new = {"s": result(QUIET)}, {"s": result((2500.0, 2550.0, 2450.0))}
    text, is_worse = compare.report(compare.changes(old, new), 0.10)
    assert is_worse and "*!" in text and "s: share is 100% worse" in text
    assert max(map(len, text.splitlines())) <= 80
    assert compare.report(compare.changes(old, old), 0.0)[1] is False


def test_runs_with_nothing_in_common_cannot_be_compared():
    found = compare.changes({"a": result(QUIET)}, {"b": result(QUIET)})
    assert compare.report(found, 0.10)[1] is True


# ---- slopes ---------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0, 0.5, 1, 2])
def test_the_slope_is_the_exponent(exponent):
    points = [(x, 7 * x**exponent) for x in (1, 10, 50, 300, 1000)]
    assert math.isclose(slope.fit(points), exponent, abs_tol=1e-9)


def test_what_a_review_costs_anyhow_does_not_hide_growth():
    points = [(x, 100_000 + x**2) for x in (1, 10, 100, 1000, 3000, 10_000)]
    assert slope.fit(points) < 1.1 < slope.at_the_end(points)
    assert slope.verdict(slope.at_the_end(points)) == "worse than linear"


def test_verdicts():
    assert slope.verdict(1.05) == "linear"
    assert slope.verdict(0.2) == "better than linear"


@pytest.mark.parametrize("points", [[(1, 1)], [(5, 1), (5, 9)]])
def test_one_place_has_no_slope(points):
    with pytest.raises(ValueError):
        slope.fit(points)


# ---- ceilings, the table, what is printed ---------------------------------------------


def test_five_percent_over_the_ceiling_are_allowed():
    counts = {"a": 105, "b": 106, "new": 9}
    assert instructions.over(counts, {"a": 100, "b": 100}) == ["b"]


def test_ceilings_are_of_scenarios_that_there_are():
    ceilings = json.loads(instructions.CEILINGS.read_text())
    assert set(ceilings) == {one.name for one in SCENARIOS if one.ceiling}


def test_the_table_judges_the_median():
    found = {row: [] for row in table.ROWS}
    found[table.SHARE] = [49.0, 52.0, 51.0]
    found[table.P99] = [1.0, 2.1, 2.2]
    lines = {line[:36].strip(): line for line in table.text(found).splitlines()}
    assert lines[table.SHARE.figure].split()[-4:] == ["met", "2", "of", "3"]
    assert lines[table.P99.figure].split()[-5:] == ["NOT", "MET", "1", "of", "3"]
    assert "skipped" in lines[table.ADDED.figure]
    assert not table.all_met(found)
    found[table.P99] = [1.0]
    assert table.all_met(found)
    assert max(map(len, table.text(found).splitlines())) <= 80


def test_an_empty_table_is_no_success():
    with pytest.raises(Failed):
        table.all_met({row: [] for row in table.ROWS})


def test_text_fits_a_terminal():
    widest = result((123_456.0,), (123_456.0,), cpu_us=123_456.0, resident_mb=1234.5)
    texts = [report.HEAD, report.LEGEND, report.scenario("x", widest)]
    waiting = {"waiting": [run(background=9)], "constant": [run(background=9)]}
    texts.append(external.text(waiting))
    assert max(len(line) for text in texts for line in text.splitlines()) <= 80


def test_markdown_has_a_cell_for_each_column():
    lines = report.markdown({"a": result(QUIET), "b": result(QUIET)}).splitlines()
    assert len(lines) == 4 and len({line.count("|") for line in lines}) == 1
    assert lines[2].startswith("| a | 5,000/s | 10,000/s | 50 % | 1.00 ms (1.0) |")
