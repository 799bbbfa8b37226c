# SPDX-License-Identifier: Apache-2.0
"""Pictures are well-formed, have what they are to show within their frame, and can be read on
white and on black."""

import re
import resource
import xml.etree.ElementTree as tree

import pytest

import connections
import curves
import svg

SVG = "{http://www.w3.org/2000/svg}"
LINES = [
    svg.Line("first: slope 1.00", ((1, 300), (10, 2_900), (10_000, 2_000_000))),
    svg.Line("a < b & 'c'", ((1, 290), (100, 300), (3_000, 310))),
]


@pytest.fixture
def picture():
    return tree.fromstring(svg.picture("Title", "work", "cost", LINES))


def test_it_has_a_title_labels_and_a_legend(picture):
    texts = [one.text for one in picture.iter(SVG + "text")]
    labels = [line.label for line in LINES]
    assert {"Title", "work (dashes: linear growth)", "cost", *labels} <= set(texts)
    assert picture.find(SVG + "title").text == "Title"
    assert {"1", "10", "100", "1 k", "10 k", "1 M"} <= set(texts)


def test_every_point_is_within_the_frame(picture):
    circles = list(picture.iter(SVG + "circle"))
    assert len(circles) == sum(len(line.points) for line in LINES)
    for one in circles:
        assert svg.LEFT - 0.1 <= float(one.get("cx")) <= svg.WIDTH - svg.RIGHT + 0.1
        assert svg.TOP - 0.1 <= float(one.get("cy")) <= svg.HEIGHT - svg.BOTTOM + 0.1


def test_more_work_is_right_and_more_cost_is_up(picture):
    circles = list(picture.iter(SVG + "circle"))[: len(LINES[0].points)]
    xs, ys = [float(one.get("cx")) for one in circles], [float(one.get("cy")) for one in circles]
    assert xs == sorted(xs) and ys == sorted(ys, reverse=True)


def test_a_short_axis_has_finer_lines():
    text = svg.picture("t", "x", "y", [svg.Line("short", ((1, 3), (60, 8)))])
    texts = [one.text for one in tree.fromstring(text).iter(SVG + "text")]
    assert texts.count("1") == 2 and {"2", "5", "10", "20", "50"} <= set(texts)


def test_a_flat_line_can_be_drawn():
    tree.fromstring(svg.picture("t", "x", "y", [svg.Line("flat", ((1, 5), (64, 5)))]))


def luminance(colour):
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [((one + 0.055) / 1.055) ** 2.4 if one > 0.04 else one / 12.92 for one in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("paper", ["#ffffff", "#0d1117", "#000000"])
def test_it_can_be_read_on_light_and_dark(paper):
    assert contrast(svg.INK, paper) >= 4
    assert min(contrast(colour, paper) for colour in svg.COLOURS) >= 3


def test_the_file_has_no_colours_but_these():
    text = svg.picture("t", "x", "y", LINES)
    assert set(re.findall(r"#[0-9a-f]{6}", text)) <= {svg.INK, *svg.COLOURS}


def test_curves_are_drawn_and_judged(tmp_path):
    steep = [svg.Line("mutators", tuple((x, x**2) for x in (1, 10, 100, 1000)))]
    curve = curves.BY_INSTRUCTIONS[0]
    slopes = curves._drawn(curve, steep, tmp_path)
    text = (tmp_path / f"{curve.name}.svg").read_text(encoding="utf-8")
    assert "mutators: slope 2.00" in text
    points = steep[0].points
    found = {curve.name: {"mutators": {"slope": slopes["mutators"], "points": points}}}
    assert curves.too_steep(found) == [f"{curve.name}: mutators"]
    assert "worse than linear" in curves.text(found)
    assert "| 2.00 | worse than linear |" in curves.markdown(found)
    timed = {"connections": {"fixpoint": {"slope": 2.0, "points": points}}}
    assert curves.too_steep(timed) == []


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(curves, "cores", lambda: ({0}, {1}))


def lines(ours, limit):
    return {"fixpoint": {"points": ours}, "limit": {"points": limit}}


def test_a_curve_without_all_of_its_points_is_told(two_cores):
    points = [(one, 1.0) for one in connections.COUNTS]
    memory = lines(points, points)
    found = {"connections": lines(points, points[1:]), "connections-memory": memory}
    assert curves.incomplete(found, quick=False) == ["connections: limit"]
    assert curves.incomplete({}, quick=False, only="mutators") == []


def test_a_line_that_is_not_there_is_told(two_cores):
    points = [(one, 1.0) for one in connections.COUNTS]
    found = {"connections": {"limit": {"points": points}}}
    wanted = ["connections-memory: fixpoint", "connections-memory: limit"]
    assert curves.incomplete(found, quick=False) == ["connections: fixpoint", *wanted]


def test_one_point_is_no_curve(two_cores, monkeypatch, tmp_path):
    found = {"fixpoint": [(1, 90.0)], "limit": [(1, 40.0), (4, 39.0)]}
    monkeypatch.setattr(connections, "measure", lambda build, quick: (found, {"limit": []}))
    made = curves.measure("build", tmp_path, quick=False, only="connections")
    assert list(made) == ["connections"] and list(made["connections"]) == ["limit"]
    assert [one.name for one in tmp_path.iterdir()] == ["connections.svg"]


@pytest.mark.parametrize("count, hard, possible", [(1024, 1124, True), (1024, 1123, False)])
def test_connections_need_descriptors(count, hard, possible):
    reason = connections.too_many(count, hard)
    assert (reason is None) == possible
    if reason:
        assert reason.startswith("1,024 connections need 1,124 descriptors")
    assert connections.too_many(count, resource.RLIM_INFINITY) is None


def test_as_many_descriptors_as_are_allowed():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, before[1]))
        assert connections.raise_descriptors() == before[1]
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
