# SPDX-License-Identifier: Apache-2.0
"""What is measured, as data: the object of a review, the policies, how it is asked."""

import dataclasses
import pathlib

import objects
import policy_sets

REVIEW = pathlib.Path(__file__).parent / "review.json"


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    size: int = 0  # of the object, in bytes; 0: the Pod of review.json, 5 kB (a review of 5.7)
    operation: str = "CREATE"
    base: str = "policies.yaml"
    sort: str = ""  # of the policies beside those of `base` (policy_sets.py)
    count: int = 0
    connections: int = 8
    reconnect: bool = False  # a new TLS connection per request
    quick: bool = False  # measured with --quick, too
    ceiling: bool = False  # its instructions have a ceiling (instructions.py)

    def policies(self):
        return policy_sets.text(self.base, self.sort, self.count)

    def review(self):
        if not self.size:
            return REVIEW.read_bytes()
        return objects.review(objects.pod(self.size), self.operation)

    def write(self, folder):
        """(file of the policies, file of the review)"""
        policies, review = folder / "policies.yaml", folder / "review.json"
        policies.write_text(self.policies())
        review.write_bytes(self.review())
        return policies, review


def _more(count, sort, words, **how):
    return Scenario(f"3 + {count:,} {words}", sort=sort, count=count, **how)


def _elsewhere(count, **how):
    return _more(count, "elsewhere", "for other namespaces", **how)


def _matching(count, **how):
    return _more(count, "annotating", "that all match", **how)


def _modrules(count, sort, words, **how):
    return _more(count, f"modrules{sort}", f"ModRules {words}", ceiling=True, **how)


def _cel_policies(count, sort, words):
    name = f"3 + {count:,} CEL policies {words}"
    sort = f"admission policies{sort}"
    return Scenario(name, base=ADMISSION, sort=sort, count=count, ceiling=True)


def _kyverno(count, sort, words):
    name = f"3 + {count:,} of Kyverno {words}"
    return Scenario(name, base=KYVERNO, sort=f"kyverno{sort}", count=count, ceiling=True)


ADMISSION = "admission-policies.yaml"
KYVERNO = "kyverno-policies.yaml"
SCENARIOS = (
    Scenario("3 mutators", quick=True, ceiling=True),
    Scenario("object of 1 kB", size=1_000),
    Scenario("object of 20 kB", size=20_000),
    Scenario("object of 200 kB", size=200_000, quick=True, ceiling=True),
    Scenario("UPDATE, 20 kB and oldObject", size=20_000, operation="UPDATE", ceiling=True),
    _elsewhere(100),
    _elsewhere(1_000, ceiling=True),
    _elsewhere(10_000, quick=True, ceiling=True),
    _matching(100),
    _matching(200, quick=True, ceiling=True),
    _matching(1_000),
    _matching(10_000),
    _more(100, "assigning", "Assigns that all match", ceiling=True),
    _modrules(100, "", "that all match", quick=True),
    _modrules(1_000, " elsewhere", "elsewhere"),
    _modrules(1_000, " of kinds", "of other kinds"),
    _modrules(1_000, " by name", "by regex"),
    Scenario("3 CEL policies", base=ADMISSION, quick=True, ceiling=True),
    _cel_policies(100, "", "that match"),
    _cel_policies(1_000, " of kinds", "of kinds"),
    _cel_policies(1_000, " elsewhere", "elsewhere"),
    Scenario("3 Kyverno policies", base=KYVERNO, quick=True, ceiling=True),
    _kyverno(100, "", "that match"),
    _kyverno(1_000, " of kinds", "of kinds"),
    _kyverno(1_000, " elsewhere", "elsewhere"),
    Scenario("a new connection each", reconnect=True, quick=True),
)
NAMED = {one.name: one for one in SCENARIOS}
