# SPDX-License-Identifier: Apache-2.0
"""How cost grows with work: the exponent b of cost = a * work^b, the slope of a line on paper
whose axes are both logarithmic. 1 is linear, 0 is constant."""

import math

LINEAR = 1.1  # up to here: a table that doubles in size now and then is linear, too


def fit(points):
    """The slope through (work, cost), by least squares of the logarithms."""
    logs = [(math.log(work), math.log(cost)) for work, cost in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    if len(logs) < 2 or not spread:
        raise ValueError("a slope needs two points apart")
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread


def at_the_end(points):
    """The slope where the work is most: what each review costs anyhow hides growth where it is
    little. Of the upper half of the range, and three points at least."""
    ordered = sorted(points)
    middle = math.sqrt(ordered[0][0] * ordered[-1][0])
    upper = [point for point in ordered if point[0] >= middle]
    return fit(upper if len(upper) >= 3 else ordered[-3:])


def verdict(slope):
    if slope > LINEAR:
        return "worse than linear"
    return "linear" if slope > 0.9 else "better than linear"
