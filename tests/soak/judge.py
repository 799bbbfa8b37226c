# SPDX-License-Identifier: Apache-2.0
"""Does a series of figures grow?

The figures are taken at quiet moments: nobody is connected, the same policies are in force,
so a program that gives everything back has the same figure each time, but for noise of the
allocator (memory that is kept for the next time, and comes and goes) and a warm-up (caches
that fill, buffers that reach their size). A leak goes on for ever. So the beginning is left
out, and the rest must show all of this to be called growth:

1. It rises most of the time. Of all pairs of figures, far more rise than fall (the test of
   Mann and Kendall; Z >= 3, which noise alone reaches once in 700 series).
2. By more than is allowed over the time that was looked at. The slope is that of Theil and
   Sen, the median of the slopes of all pairs: no outlier and no single step moves it.
3. It rises from each quarter of that time to the next, by no less than a quarter of what
   the slope makes of it (medians). A warm-up slows down, a step comes once; a leak does
   neither.

What the judge cannot miss: a leak of `rate` in a time in which it adds up to twice what is
allowed, unless the noise is as large as that. Of a descriptor the allowance is half of one,
since there is no noise: connections are closed, and files are not kept open."""

import itertools
import math
import statistics

WARM_UP = 0.25  # of the time, left out at the beginning
CERTAIN = 3.0  # the Z of Mann and Kendall
STEADY = 0.25  # of the slope over all, that the rise from quarter to quarter must have
LEAST = 8  # figures that a verdict needs
MOST = 200  # figures of which all pairs are looked at


class Verdict:
    """What became of one series. `grows` is None where there were too few figures."""

    def __init__(self, name, grows, slope=0.0, seconds=0.0, first=0.0, last=0.0, trend=0.0):
        self.name, self.grows = name, grows
        self.slope, self.seconds = slope, seconds  # a second; how long was looked at
        self.first, self.last, self.trend = first, last, trend

    @property
    def growth(self):
        return self.slope * self.seconds


def theil_sen(points):
    """The median slope of all pairs."""
    return statistics.median(
        (y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in itertools.combinations(points, 2)
    )


def mann_kendall(values):
    """How sure it is that they rise (negative: that they fall), in standard deviations."""
    n = len(values)
    rises = sum((b > a) - (b < a) for a, b in itertools.combinations(values, 2))
    ties = [values.count(value) for value in set(values)]
    variance = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)) / 18
    if rises == 0 or variance <= 0:
        return 0.0
    return (rises - math.copysign(1, rises)) / math.sqrt(variance)


def quarters(values):
    """The medians of four parts that follow each other."""
    bounds = [len(values) * i // 4 for i in range(5)]
    return [statistics.median(values[a:b]) for a, b in zip(bounds, bounds[1:])]


def rises_steadily(values, growth):
    """From each quarter to the next, as befits what it grows in all."""
    steps = quarters(values)
    return all(b - a >= STEADY * growth / 4 for a, b in zip(steps, steps[1:]))


def thinned(points, most=MOST):
    """Neighbours become their median, where there are so many that all pairs are too many."""
    size = -(-len(points) // most)
    groups = [points[at : at + size] for at in range(0, len(points), size)]
    return [(group[len(group) // 2][0], statistics.median(y for _, y in group)) for group in groups]


def judge(name, points, allowed):
    """`points`: (seconds, figure), in order; `allowed`: growth that is none."""
    if not points:
        return Verdict(name, None)
    begin = points[0][0] + WARM_UP * (points[-1][0] - points[0][0])
    points = thinned([point for point in points if point[0] >= begin])
    if len(points) < LEAST:
        return Verdict(name, None)
    values = [value for _, value in points]
    seconds = points[-1][0] - points[0][0]
    slope, trend = theil_sen(points), mann_kendall(values)
    grows = trend >= CERTAIN and slope * seconds > allowed
    grows = grows and rises_steadily(values, slope * seconds)
    third = max(1, len(values) // 3)
    first, last = statistics.median(values[:third]), statistics.median(values[-third:])
    return Verdict(name, grows, slope, seconds, first, last, trend)
