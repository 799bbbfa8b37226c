# SPDX-License-Identifier: Apache-2.0
"""Prometheus' text format, read as strictly as promtool does."""

import re

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\Z")
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)\Z")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|\Z)')
TYPES = ("counter", "gauge", "histogram")


def _labels(text):
    labels, at = {}, 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match, "bad labels: %s" % text
        assert match.group(1) not in labels, "label twice: %s" % text
        labels[match.group(1)] = match.group(2)
        at = match.end()
    return labels


def _family_of(name, types):
    for suffix in ("_bucket", "_sum", "_count"):
        base = name[: -len(suffix)]
        if name.endswith(suffix) and types.get(base) == "histogram":
            return base
    return name


def read(text):
    """{(name, ((label, value), …)): number}; an assertion where a rule is broken."""
    assert text.endswith("\n")
    helps, types, samples, finished, current = {}, {}, {}, set(), None
    for line in text.splitlines():
        if line.startswith("# "):
            _, word, name, rest = line.split(" ", 3)
            table = {"HELP": helps, "TYPE": types}[word]
            assert NAME.match(name) and name not in table and rest, line
            table[name] = rest
            continue
        match = SAMPLE.match(line)
        assert match, "no sample: %r" % line
        name, labels, value = match.group(1), _labels(match.group(2) or ""), match.group(3)
        family = _family_of(name, types)
        assert family in helps and types.get(family) in TYPES, "no HELP or TYPE: " + line
        if family != current:
            assert family not in finished, "samples of %s are apart" % family
            finished.add(current)
            current = family
        key = (name, tuple(sorted(labels.items())))
        assert key not in samples, "twice: " + line
        samples[key] = float(value)
        assert types[family] == "gauge" or samples[key] >= 0
    assert set(helps) == set(types)
    _check_histograms(samples, types)
    return samples


def _check_histograms(samples, types):
    series = {}
    for (name, labels), value in samples.items():
        family = _family_of(name, types)
        if types[family] == "histogram" and name.endswith("_bucket"):
            rest = tuple(pair for pair in labels if pair[0] != "le")
            series.setdefault((family, rest), []).append((float(dict(labels)["le"]), value))
    for (family, labels), buckets in series.items():
        bounds = [bound for bound, _ in buckets]
        counts = [count for _, count in buckets]
        assert bounds == sorted(set(bounds)) and bounds[-1] == float("inf")
        assert counts == sorted(counts), "%s is not cumulative" % family
        assert counts[-1] == samples[(family + "_count", labels)]
        assert (family + "_sum", labels) in samples


def value(samples, name, /, **labels):
    return samples[(name, tuple(sorted(labels.items())))]
