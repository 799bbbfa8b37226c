# SPDX-License-Identifier: Apache-2.0
"""The judge, on series that are made up."""

import math
import random

import pytest
from judge import LEAST, judge, mann_kendall, theil_sen

KB = 1024
ALLOWED = 32 * KB  # of the heap, as in a real run
HOUR = 3600


def series(seconds, every, figure, seed=0):
    dice = random.Random(seed)
    return [(t, figure(t, dice)) for t in range(0, int(seconds), every)]


def noise(dice, size):
    return dice.uniform(-size, size)


def steady(size):
    return lambda t, dice: 5000 * KB + noise(dice, size)


def leaking(rate, size):
    return lambda t, dice: 5000 * KB + rate * t + noise(dice, size)


def test_known_values():
    points = [(0, 1), (1, 3), (2, 5), (3, 100)]
    assert theil_sen(points[:3]) == 2
    assert theil_sen([(0, 7), (1, 7), (2, 7)]) == 0
    assert mann_kendall([1, 2, 3, 4, 5]) == pytest.approx((10 - 1) / math.sqrt(300 / 18))
    assert mann_kendall([5, 5, 5]) == 0 and mann_kendall([3, 2, 1]) < 0


@pytest.mark.parametrize("size", (0, 2 * KB, 8 * KB))
@pytest.mark.parametrize("seconds,every", ((90, 4), (600, 10), (24 * HOUR, 60)))
def test_a_kilobyte_a_second_is_found(seconds, every, size):
    for seed in range(40):
        verdict = judge("heap", series(seconds, every, leaking(KB, size), seed), ALLOWED)
        assert verdict.grows, "seed %d: %r" % (seed, vars(verdict))
        if seconds >= 600:
            assert verdict.slope == pytest.approx(KB, rel=0.1)


@pytest.mark.parametrize("size", (0, 8 * KB, 64 * KB, 1024 * KB))
def test_noise_is_no_growth(size):
    for seed in range(200):
        for seconds, every in ((90, 4), (2400, 12)):
            verdict = judge("heap", series(seconds, every, steady(size), seed), ALLOWED)
            assert verdict.grows is False, "seed %d: %r" % (seed, vars(verdict))


def test_noise_does_not_hide_a_leak_for_long():
    """Noise of a megabyte: an hour is needed."""
    for seed in range(30):
        points = series(HOUR, 12, leaking(KB, 1024 * KB), seed)
        assert judge("heap", points, ALLOWED).grows


def warming(t, dice):
    """It reaches its size within a quarter of the time."""
    return 5000 * KB + 3000 * KB * (1 - math.exp(-t / 30)) + noise(dice, 4 * KB)


def test_a_warm_up_is_no_growth():
    for seed in range(100):
        assert judge("heap", series(600, 5, warming, seed), ALLOWED).grows is False


def stepping(at):
    """Once something gets larger for good."""
    return lambda t, dice: 5000 * KB + (500 * KB if t > at else 0) + noise(dice, 4 * KB)


@pytest.mark.parametrize("at", range(150, 600, 25))
def test_a_step_is_no_growth(at):
    for seed in range(30):
        verdict = judge("heap", series(600, 5, stepping(at), seed), ALLOWED)
        assert verdict.grows is False, "seed %d: %r" % (seed, vars(verdict))


def test_a_warm_up_does_not_hide_a_leak():
    for seed in range(30):
        points = [(t, y + KB * t) for t, y in series(600, 5, warming, seed)]
        assert judge("heap", points, ALLOWED).grows


@pytest.mark.parametrize("seconds,every", ((300, 5), (HOUR, 12)))
def test_a_descriptor_a_minute_is_found(seconds, every):
    points = series(seconds, every, lambda t, _: 30 + t // 60)
    verdict = judge("descriptors", points, 0.5)
    assert verdict.grows and verdict.slope * 60 == pytest.approx(1, rel=0.3)


def test_descriptors_that_come_and_go_are_no_growth():
    for seed in range(300):
        points = series(600, 5, lambda _, dice: 30 + dice.randrange(3), seed)
        assert judge("descriptors", points, 0.5).grows is False


def test_what_shrinks_does_not_grow():
    points = series(600, 5, lambda t, _: 5000 * KB - KB * t)
    assert judge("heap", points, ALLOWED).grows is False


def test_too_few_figures_are_no_verdict():
    assert judge("heap", [], ALLOWED).grows is None
    points = series(LEAST * 4, 4, leaking(KB, 0))
    assert judge("heap", points, ALLOWED).grows is None


def test_many_figures_are_thinned():
    points = series(24 * HOUR, 5, leaking(KB, 100 * KB))
    verdict = judge("heap", points, ALLOWED)
    assert verdict.grows and verdict.slope == pytest.approx(KB, rel=0.05)
