# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/metrics.md, and what they have to do with what a server prints."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ALWAYS, IN_A_CLUSTER, API_SERVER = "Always", "In a cluster", "Of the API server"
ROW = re.compile(r"\| `(\w+)` \| (counter|gauge|histogram) \|(.*?)\| \S.* \|\Z")


def tables():
    """{section: {name: (type, labels)}}"""
    found, section = {}, None
    for line in (ROOT / "docs" / "metrics.md").read_text().splitlines():
        if line.startswith("## "):
            section = found.setdefault(line[3:], {})
        elif line.startswith("| `"):
            match = ROW.match(line)
            assert match and match.group(1) not in section, line
            name, kind, labels = match.groups()
            section[name] = (kind, frozenset(re.findall(r"`(\w+)`", labels)))
    assert set(found) == {ALWAYS, IN_A_CLUSTER, API_SERVER}
    return found


def documented(*sections):
    return {name: row for section in sections for name, row in tables()[section].items()}


def check(text, samples, *sections):
    """The families that a server prints are those of these sections, with their labels."""
    wanted = documented(*sections)
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    assert types == {name: kind for name, (kind, _) in wanted.items()}
    for name, labels in samples:
        family = re.sub(r"_(bucket|sum|count)\Z", "", name)
        family = family if types.get(family) == "histogram" else name
        keys = {key for key, _ in labels} - ({"le"} if name.endswith("_bucket") else set())
        assert keys == wanted[family][1], "%s has %s" % (name, sorted(keys))
