# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/metrics.md, and what they have to do with what a server prints."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ALWAYS, IN_A_CLUSTER = "All metrics of the server", "In a cluster"
API_SERVER = "Metrics of the API server"
ROW = re.compile(r"\| `(\w+)` \| (counter|gauge|histogram) \|(.*?)\| (\S.*) \|\Z")
FREE = {"group", "name", "resource", "thread", "version", "le"}  # labels of any value


def tables():
    """{section: {name: (type, labels, meaning)}}"""
    found, section = {}, None
    for line in (ROOT / "docs" / "metrics.md").read_text().splitlines():
        if line.startswith("## "):
            section = found.setdefault(line[3:], {})
        elif line.startswith("| `"):
            match = ROW.match(line)
            assert match and match.group(1) not in section, line
            name, kind, labels, meaning = match.groups()
            section[name] = (kind, frozenset(re.findall(r"`(\w+)`", labels)), meaning)
    assert set(found) == {ALWAYS, IN_A_CLUSTER, API_SERVER}
    return found


def documented(*sections):
    return {name: row for section in sections for name, row in tables()[section].items()}


def values(wanted):
    """{label: the values in backticks of all rows that have it}"""
    found = {}
    for _, labels, meaning in wanted.values():
        for label in labels:
            found.setdefault(label, set()).update(re.findall(r'`(?:\w+=")?(\w+)"?`', meaning))
    return found


def check(text, samples, *sections):
    """The families that a server prints are those of these sections, with their labels, and
    the labels have the values that the page names."""
    wanted = documented(*sections)
    words = values(wanted)
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    assert types == {name: row[0] for name, row in wanted.items()}
    for name, labels in samples:
        family = re.sub(r"_(bucket|sum|count)\Z", "", name)
        family = family if types.get(family) == "histogram" else name
        keys = {key for key, _ in labels} - ({"le"} if name.endswith("_bucket") else set())
        assert keys == wanted[family][1], "%s has %s" % (name, sorted(keys))
        free = FREE | ({"kind"} if "group" in keys else set())
        for key, value in labels:
            assert key in free or value in words[key], "%s has %s=%s" % (name, key, value)
