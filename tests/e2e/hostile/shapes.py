# SPDX-License-Identifier: Apache-2.0
"""Objects with one fault: another type, nothing, or a text that holds a NUL."""

import copy

SECRET = "S3cr3tV4lue"
ABSENT = object()
WRONG = [ABSENT, None, 7, 1.5, True, "", "\0", SECRET, [], [SECRET], [None], {}, {"": None}]
WRONG += [{SECRET: SECRET}, 12345678901234567890123, {"a": [{"b": None}]}]


def places(value, path=()):
    """The path of every node."""
    yield path
    if isinstance(value, (dict, list)):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from places(value[key], path + (key,))


def find(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def replaced(tree, path, value):
    """A copy with another node there, or with none."""
    if not path:
        return value
    tree = copy.deepcopy(tree)
    parent = find(tree, path[:-1])
    if value is ABSENT:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return tree


def of_wrong_types(tree):
    """(path, value, a copy with that value there)"""
    for path in places(tree):
        for value in WRONG:
            if path or value is not ABSENT:
                yield path, value, replaced(tree, path, value)


def with_a_nul(tree):
    """The same, with a NUL at the start, within and at the end of each text."""
    for path in places(tree):
        text = find(tree, path)
        if isinstance(text, str):
            for at in sorted({0, len(text) // 2, len(text)}):
                value = text[:at] + "\0" + text[at:]
                yield path, value, replaced(tree, path, value)
