# SPDX-License-Identifier: Apache-2.0
"""From the figures of single runs to those that are told: medians, and ratios of two servers
round by round, since both saw the same weather."""

import statistics

OURS, LIMIT = "fixpoint", "limit"


def median(runs, figure):
    return statistics.median(run[figure] for run in runs)


def ratios(result, figure):
    """Fixpoint's to the limit's, of each round."""
    pairs = zip(result[OURS], result[LIMIT])
    return [ours[figure] / limit[figure] for ours, limit in pairs if limit[figure]]


def ratio(result, figure):
    """The median of them; None: the limit's was too small to be seen."""
    found = ratios(result, figure)
    return statistics.median(found) if found else None
