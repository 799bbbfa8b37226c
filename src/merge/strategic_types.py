#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes strategic_types.c: the lists that a strategic merge patch merges by keys.

usage: strategic_types.py mergekeys_by_gvk.json > strategic_types.c

mergekeys_by_gvk.json has for each kind ("core/v1/Pod") the paths of its fields with a patch
strategy ("/spec/containers[]/env"). Of these, lists with the strategy `merge` matter: with
keys, or without (sets). Every other list is replaced, so no other field is written.
"""

import json
import sys

from builtin_types import Tables, array, write

HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * strategic_types.c - the lists that a strategic merge patch merges by keys, in the kinds
 * of Kubernetes 1.21. Made by strategic_types.py: do not edit.
 */
#include "merge/strategic.h"

/* clang-format off */
"""


def tree(paths):
    """Nested fields: name -> (keys of the list or None, fields below)."""
    root = {}
    for path, found in paths.items():
        if not found["list"] or "merge" not in found["strategy"].split(","):
            continue
        fields = root
        *parents, last = path.strip("/").split("/")
        for step in parents:
            name = step.removesuffix("[]")
            fields = fields.setdefault(name, [step != name, None, {}])[2]
        fields.setdefault(last, [True, None, {}])[1] = tuple(found["keys"] or ())
    return root


class Strategic(Tables):
    """The arrays; equal types are written once."""

    def __init__(self):
        super().__init__({})
        self.two_keys = set()  # nodes with a list with two keys, in them or below

    def fields_of(self, fields):
        return self.add(("struct", freeze(fields)), lambda: self.struct_of(fields))

    def struct_of(self, fields):
        names = sorted(fields, key=lambda name: name.encode())
        nodes = [self.field(*fields[name]) for name in names]
        first = len(self.fields)
        self.fields += [
            f"{{{self.text(name)}, {node}, 0}}" for name, node in zip(names, nodes)
        ]
        self.note(("struct", freeze(fields)), nodes)
        return self.node("STRUCT", first=first, count=len(names))

    def field(self, is_list, keys, below):
        if not is_list:
            return self.fields_of(below)
        key = ("list", keys, freeze(below))
        return self.add(key, lambda: self.list_of(keys, below))

    def list_of(self, keys, below):
        element = self.fields_of(below) if below else 0
        if not keys:
            # A list without a strategy is replaced: nothing below it can matter.
            return self.node("LIST", unique=keys is not None, atomic=keys is None)
        names = [self.text(name) for name in keys]
        first = len(self.keys)
        self.keys += names
        self.note(("list", keys, freeze(below)), [element], len(keys) > 1)
        return self.node("LIST", element=element, first=first, count=len(names))

    def note(self, key, below, has_two_keys=False):
        if has_two_keys or self.two_keys.intersection(below):
            self.two_keys.add(self.known[key])


def freeze(fields):
    """The same as a value that can be a key of a dictionary."""
    return tuple(
        (name, is_list, keys, freeze(below))
        for name, (is_list, keys, below) in sorted(fields.items())
    )


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    tables = Strategic()
    kinds = {
        name.removeprefix("core/"): tables.fields_of(tree(paths))
        for name, paths in given.items()
    }
    print(HEAD)
    array(
        "bool two_keys",
        [str(node in tables.two_keys).lower() for node in range(len(tables.nodes))],
    )
    write(
        tables,
        [
            f"{{{tables.text(kind)}, {kinds[kind]}}}"
            for kind in sorted(kinds, key=lambda kind: kind.encode())
        ],
        "fx_strategic_builtin",
        "    .two_keys = two_keys,\n",
    )


if __name__ == "__main__":
    main()
