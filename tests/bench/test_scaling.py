# SPDX-License-Identifier: Apache-2.0
"""From the figures of one thread and of two to what two cores could give. (Nothing is
measured.)"""

import pytest

import scaling
from servers import TICKS, Failed

STAT = """cpu  900 0 300 5000 100 0 0 0 0 0
cpu0 100 5 20 300 7 1 2 3 900 900
cpu1 200 0 30 400 0 0 0 10 0 0
cpu2 600 0 250 4300 93 0 0 0 0 0
intr 12 0 3
"""


def run(cpu=100.0, connections=(8,), work=(1.0,), **more):
    plain = {"rate": 9000.0, "cpu_us": cpu, "user_us": cpu - 20, "system_us": 20.0}
    plain |= {"client_us": 40.0, "idle": 0.01, "others": 0.02}
    return {**plain, "connections": list(connections), "work": list(work), **more}


def result(ones, twos, connections=(4, 4), work=(0.5, 0.5)):
    """Of rounds with this processor time of a review."""
    return {
        "1": [run(cpu) for cpu in ones],
        "2": [run(cpu, connections, work) for cpu in twos],
    }


EVEN = result((100.0, 200.0, 80.0), (100.0, 210.0, 100.0))


def test_a_ratio_is_that_of_each_round():
    assert scaling.ratios(EVEN) == [1.0, 1.05, 1.25]
    assert scaling.scalings(EVEN) == pytest.approx([2, 2 / 1.05, 1.6])


def test_the_ticks_of_two_cores():
    assert scaling.idle_and_all(STAT, {0, 1}) == (307 + 400, 438 + 640)
    assert scaling.idle_and_all(STAT, {1}) == (400, 640)


def test_what_others_took():
    assert scaling.others(idle=100, everything=800, ours_s=500 / TICKS) == 0.25
    assert scaling.others(idle=100, everything=800, ours_s=701 / TICKS) == 0
    assert scaling.others(0, 0, 0) == 0


def test_who_serves_is_busiest():
    before = {"1": 5.0, "2": 1.0, "3": 1.0, "4": 0.5}
    after = {"1": 5.1, "2": 4.0, "3": 2.0, "4": 0.5, "5": 0.05}  # 5 came while it ran
    assert scaling.shares(before, after, 2) == [0.75, 0.25]
    assert scaling.shares(before, before, 2) == [0, 0]


@pytest.mark.parametrize(
    "connections, even",
    [((4, 4), True), ((5, 4), True), ((6, 3), False), ((35, 29), True), ((36, 28), False)],
)
def test_evenly_spread(connections, even):
    assert scaling.is_even(result((1.0,), (1.0,), connections)) == even


def test_what_does_not_scale_is_named():
    assert list(scaling.bad({"8": EVEN})) == []
    dear = result((100.0,) * 3, (111.0, 109.0, 120.0))
    assert list(scaling.bad({"8": EVEN, "16": dear})) == [
        "with 16 connections a review costs more than 1.1 times as much"
    ]
    uneven = result((100.0,), (100.0,), (8, 0))
    assert list(scaling.bad({"8": uneven})) == ["8 connections are not spread evenly"]


def test_it_is_told():
    told = scaling.text("8", EVEN)
    assert "CPU of a review, 2 threads to 1: 1.05 (1.00 to 1.25)" in told
    assert "two cores could give 1.90 (1.60 to 2.00) times" in told
    assert "connections 4 + 4, work (processor time) 50 % + 50 %" in told
    assert max(len(line) for line in (told + "\n" + scaling.LEGEND).splitlines()) <= 80
    assert len(scaling.HEAD) == len(told.splitlines()[1]) <= 80


def test_the_least_even_round_is_told():
    found = result((1.0,) * 2, (1.0,) * 2)
    found["2"][1] = run(1.0, (5, 3), (0.6, 0.4))
    assert "connections 5 + 3, work (processor time) 60 % + 40 %" in scaling.text("8", found)


def test_markdown_has_a_cell_for_each_column():
    measured, derived = scaling.markdown({"8": EVEN, "16": EVEN}).split("\n\n")
    assert len(measured.splitlines()) == 6 and len(derived.splitlines()) == 4
    for one in (measured, derived):
        assert len({line.count("|") for line in one.splitlines()}) == 1
    assert derived.splitlines()[2] == "| 8 | 1.05 (1.00 to 1.25) | 1.90 (1.60 to 2.00) |"


def test_it_needs_two_cores(monkeypatch):
    monkeypatch.setattr(scaling.os, "sched_getaffinity", lambda _: {3})
    with pytest.raises(Failed, match="needs 2 cores"):
        scaling.cores()
    monkeypatch.setattr(scaling.os, "sched_getaffinity", lambda _: {3, 5})
    assert scaling.cores() == ({3, 5}, {3, 5})
    monkeypatch.setattr(scaling.os, "sched_getaffinity", lambda _: {3, 5, 6, 7})
    assert scaling.cores() == ({3, 5}, {6, 7})
