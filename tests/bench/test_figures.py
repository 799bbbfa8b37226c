# SPDX-License-Identifier: Apache-2.0
"""The parts of the benchmark that are functions: what wrk said, ratios, comparing, slopes,
the table, the tables of Markdown. (Nothing is measured.)"""

import json
import math
import sys
from types import SimpleNamespace

import pytest

import api_server
import bench
import compare
import external
import figures
import instructions
import report
import servers
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


def test_some_errors_may_be_allowed():
    failed = said(errors={**TOLD["errors"], "connect": 3})
    assert wrk.parse(failed, allowed=("connect", "timeout"))["requests"] == 2000
    with pytest.raises(Failed, match="status 1"):
        worse = said(errors={**TOLD["errors"], "connect": 3, "status": 1})
        wrk.parse(worse, allowed=("connect", "timeout"))


def test_figures_of_a_while():
    wanted = {"requests": 1000, "rate": 500}
    wanted |= {"user_us": 60, "system_us": 20, "cpu_us": 80, "client_us": 30}
    assert wrk.each_of(1000, 0.06, 0.02, 0.03, 2) == pytest.approx(wanted)
    for nothing in ((0, 1, 1, 1, 2), (-1, 1, 1, 1, 2), (1000, 0, 0, 1, 2)):
        with pytest.raises(Failed, match="no request"):
            wrk.each_of(*nothing)


def test_metrics_are_read():
    text = """# HELP fixpoint_connections Open connections.
fixpoint_connections 3
fixpoint_thread_connections{thread="0"} 2
fixpoint_reviews_total{decision="mutated"} 1.5e+06
process_open_fds 9
"""
    assert servers.parse_metrics(text) == {
        "fixpoint_connections": 3,
        'fixpoint_thread_connections{thread="0"}': 2,
        'fixpoint_reviews_total{decision="mutated"}': 1_500_000,
    }


def test_processor_time_is_read():
    stat = "42 (a) b (c) S " + " ".join(map(str, range(1, 30)))
    ticks = servers.TICKS
    assert servers.cpu_of(stat) == (11 / ticks, 12 / ticks)


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


def test_ratios_are_bounded():
    for over, _, _ in instructions.RATIOS:
        counts = {name: 100 * most for name, most, _ in instructions.RATIOS}
        counts |= {other: 100 for _, _, other in instructions.RATIOS}
        assert instructions.ratios(counts)
        assert not instructions.ratios(counts | {over: counts[over] + 1})


def test_ratios_are_of_scenarios_that_are_counted():
    counted = {one.name for one in SCENARIOS if one.ceiling}
    assert {name for row in instructions.RATIOS for name in (row[0], row[2])} <= counted


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


@pytest.mark.parametrize(
    "limit_ms, wanted_ms", [(0.26, 0.5), (0.52, 0.25), (0.13, 0.5)], ids=["as", "slower", "faster"]
)
def test_latency_is_told_as_the_reference_machine_would_have_it(limit_ms, wanted_ms):
    got = table.on_reference("p50_ms", run(p50_ms=0.5), run(p50_ms=limit_ms))
    assert got == pytest.approx(wanted_ms)


def test_an_empty_table_is_no_success():
    with pytest.raises(Failed):
        table.all_met({row: [] for row in table.ROWS})


def table_of(share, p99):
    """One in which all else is left out."""
    return {row: [] for row in table.ROWS} | {table.SHARE: share, table.P99: p99}


def test_several_tables_are_judged_together():
    tables = [table_of([52.0], [1.0]), table_of([49.0], [1.5]), table_of([51.0], [1.2])]
    lines = {line[:36].strip(): line for line in table.text_of_all(tables, 3).splitlines()}
    share = lines[table.SHARE.figure].split()
    assert share[-9:] == ["50", "%", "49", "%", "52", "%", "2", "of", "3"]
    assert lines[table.P99.figure].split()[-7:] == ["1.50", "ms", "1.00", "ms", "3", "of", "3"]
    assert lines[table.ADDED.figure].endswith("skipped")
    assert "the whole table: met 2 of 3 times" in table.text_of_all(tables, 3)
    assert max(map(len, table.text_of_all(tables, 3).splitlines())) <= 80


def test_a_table_that_could_not_be_measured_is_met_in_none():
    said = table.text_of_all([table_of([52.0], [1.0])], 3)
    assert "the whole table: met 1 of 3 times" in said and "1 of 3" in said.splitlines()[2]
    assert "met 0 of 3" in table.text_of_all([], 3)


def test_several_tables_have_a_column_each():
    lines = table.markdown_of_all([table_of([52.0], [1.0]), table_of([49.0], [3.0])], 2)
    lines = lines.splitlines()
    assert len({line.count("|") for line in lines}) == 1
    assert lines[0] == "| figure | wanted | 1 | 2 | met |"
    assert lines[3] == f"| {table.SHARE.figure} | ≥ 50 % | 52 % | 49 % | 1 of 2 |"
    assert lines[2].endswith("| - | - | skipped |")


@pytest.mark.parametrize("fails, shares, good", [(0, 52, True), (0, 49, False), (1, 52, False)])
def test_the_table_several_times(monkeypatch, capsys, tmp_path, fails, shares, good):
    failing = [Failed("wrk did not end")] * fails

    def measure(*_):
        if failing:
            raise failing.pop()
        return table_of([shares], [1.0]), ["a note"]

    monkeypatch.setattr(table, "measure", measure)
    path = tmp_path / "table.json"
    monkeypatch.setattr(sys, "argv", ["bench", "--table", "--times", "3", "--json", str(path)])
    assert bench.run(bench.arguments()) == good
    saved = json.loads(path.read_text())["tables"]
    assert len(saved) == 3 - fails and saved[0]["table"][table.SHARE.figure] == [shares]
    out = capsys.readouterr().out
    assert f"the whole table: met {3 - fails if shares > 50 else 0} of 3 times" in out
    assert ("not measured: wrk did not end" in out) == bool(fails)


# ---- a create at an API server --------------------------------------------------------

CREATED = [
    {"nobody": 4.0, "limit": 4.5, "fixpoint": 4.75, "creates": 200},
    {"nobody": 6.0, "limit": 6.25, "fixpoint": 6.5, "creates": 150},
    {"nobody": 5.0, "limit": 5.75, "fixpoint": 6.0, "creates": 200},
]


def test_what_is_added_is_that_of_each_round():
    assert api_server.added(CREATED) == [0.75, 0.5, 1.0]
    assert api_server.added(CREATED, "limit") == [0.5, 0.25, 0.75]
    assert api_server.added_on_reference(CREATED) == pytest.approx([0.6, 0.5, 1.0 / 1.875])


def test_a_create_is_told():
    lines = {line[:24].strip(): line.split() for line in api_server.text(CREATED).splitlines()}
    assert lines["added by Fixpoint"][-4:] == ["0.75", "0.75", "0.50", "1.00"]
    assert lines["without a webhook"][-4:] == ["5.00", "4.00", "6.00", "5.00"]
    assert "of 150 creates each" in api_server.text(CREATED)
    assert "(+0.50)" in api_server.note(CREATED) and "(+0.75)" in api_server.note(CREATED)
    told = [*api_server.text(CREATED).splitlines(), *api_server.note(CREATED).splitlines()]
    assert max(map(len, told)) <= 80
    assert len({line.count("|") for line in api_server.markdown(CREATED).splitlines()}) == 1


class Busy:
    """A cluster that refuses as often as it is told to, and then creates."""

    def __init__(self, *statuses):
        self.statuses, self.posts, self.deleted = list(statuses), 0, 0

    def create(self, obj):
        pass

    def path_of(self, obj, named=True):
        return "/pods"

    def request(self, method, path, body=None):
        if method == "DELETE":
            self.deleted += 1
            return None
        self.posts += 1
        status = self.statuses.pop(0) if self.statuses else 201
        return SimpleNamespace(status=status, headers={"Retry-After": "0"}, body=b"why")


def test_what_is_refused_for_the_moment_is_tried_again():
    cluster = Busy(429, 503)
    api_server._Namespaces(cluster).create("nobody")
    assert cluster.posts == 3 and cluster.deleted == 1


@pytest.mark.parametrize("statuses, posts", [((403,), 1), ((500,) * 5, 5)])
def test_what_is_refused_for_good_is_told(statuses, posts):
    cluster = Busy(*statuses)
    with pytest.raises(Failed, match=f"not created: {statuses[0]}"):
        api_server._Namespaces(cluster).create("nobody")
    assert cluster.posts == posts


def test_a_round_ends_in_time(monkeypatch):
    monkeypatch.setattr(api_server, "ROUND_S", -1)
    got = api_server._Namespaces(Busy()).round(200)
    assert got["creates"] == api_server.FEWEST


def test_a_round_is_of_so_many():
    got = api_server._Namespaces(Busy()).round(30)
    assert got["creates"] == 30 and set(got) == {"nobody", "limit", "fixpoint", "creates"}


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
