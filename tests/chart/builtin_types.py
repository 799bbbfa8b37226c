# SPDX-License-Identifier: Apache-2.0
"""Checks objects against the fields of Kubernetes' own types.

types.json has, for the kinds that the chart renders, the fields of their types as an API
server of v1.32 tells them, and whether they are texts, numbers, lists, maps or objects (its
`legend` has the grammar). So an unknown field is found, which an API server would drop or
refuse, and a value of the wrong type. What a server validates beyond that, it does not know.
"""

import json
import pathlib
import re

TYPES = json.loads((pathlib.Path(__file__).parent / "types.json").read_text(encoding="utf-8"))

SCALARS = {
    "s": lambda v: isinstance(v, str),
    "b": lambda v: isinstance(v, bool),
    "n": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "u": lambda v: isinstance(v, (str, int, float)) and not isinstance(v, bool),
    "*": lambda v: True,
}


def _faults(kind, value, where):
    kind = kind.rstrip("!")
    if value is None:
        yield f"{where}: null"
    elif kind.startswith("@"):
        yield from _struct_faults(kind[1:], value, where)
    elif kind.startswith("["):
        if not isinstance(value, list):
            yield f"{where}: no list"
            return
        inner = re.sub(r"^\[[^]]*\]", "", kind)
        for i, one in enumerate(value):
            yield from _faults(inner, one, f"{where}[{i}]")
    elif kind.startswith("{"):
        if not isinstance(value, dict):
            yield f"{where}: no map"
            return
        inner = re.sub(r"^\{[^}]*\}", "", kind)
        for key, one in value.items():
            yield from _faults(inner, one, f"{where}.{key}")
    elif not SCALARS[kind](value):
        yield f"{where}: {value!r} is not of type {kind}"


def _struct_faults(name, value, where):
    struct = TYPES["types"][name]
    if struct.get("any"):
        return
    if not isinstance(value, dict):
        yield f"{where}: no object"
        return
    for key, one in value.items():
        if key not in struct["f"]:
            yield f"{where}.{key}: unknown field of {name}"
        else:
            yield from _faults(struct["f"][key], one, f"{where}.{key}")


def knows(document):
    return f"{document['apiVersion']}/{document['kind']}" in TYPES["kinds"]


def faults(document):
    """What is wrong with an object, as sentences."""
    kind = f"{document['apiVersion']}/{document['kind']}"
    return list(_struct_faults(TYPES["kinds"][kind], document, document["kind"]))
