#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes builtin_types.c: the schemas of Kubernetes' own kinds, as merge/schema.h has them.

usage: builtin_types.py types.json > builtin_types.c

types.json has no Go types. The tables FORMATS, INT32 and INT64 below have those that matter
when an object is decoded, from the `format`s of Kubernetes' OpenAPI document of 1.32.

types.json has `kinds` (group/version/kind -> type) and `types` (name -> {f: fields, a: the
struct is atomic, d: defaults}). The type of a field is a text:
  s string, n number, b bool, u scalar, * any, @T the struct T; with ! after it: atomic here
  [a]X list, [s]X set, [m:key,key]X list with keys, {}X map, {a}X atomic map
"""

import json
import sys

HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * builtin_types.c - the kinds of Kubernetes 1.32 and how they are merged. Made by
 * builtin_types.py: do not edit.
 */
#include "merge/schema.h"

/* clang-format off */
"""

# The letters of types.json, and those that formatted() gives instead: type and format.
SCALARS = {
    "*": ("ANY", "NO_FORMAT"),
    "s": ("STRING", "NO_FORMAT"),
    "y": ("STRING", "BYTES"),
    "n": ("NUMBER", "INT32"),
    "l": ("NUMBER", "INT64"),
    "d": ("NUMBER", "DOUBLE"),
    "b": ("BOOL", "NO_FORMAT"),
    "q": ("SCALAR", "QUANTITY"),
    "t": ("SCALAR", "DATE_TIME"),
    # No type in the OpenAPI document, so that validation accepts anything.
    "i": ("ANY", "INT_OR_STRING"),
    "o": ("ANY", "OPTIONAL_INT_OR_STRING"),
}

# Fields of this name, or the field of this struct. Other numbers are int32.
FORMATS = {
    "y": {
        "APIServiceSpec.caBundle",
        "CertificateSigningRequestSpec.request",
        "CertificateSigningRequestStatus.certificate",
        "ConfigMap.binaryData",
        "Secret.data",
        "WebhookClientConfig.caBundle",
    },
    "l": {
        "activeDeadlineSeconds",
        "ControllerRevision.revision",
        "deletionGracePeriodSeconds",
        "DeviceAttribute.int",
        "DeviceRequest.count",
        "fsGroup",
        "generation",
        "gracePeriodSeconds",
        "LinuxContainerUser.gid",
        "LinuxContainerUser.uid",
        "maxItems",
        "maxLength",
        "maxProperties",
        "minItems",
        "minLength",
        "minProperties",
        "observedGeneration",
        "resourceSliceCount",
        "runAsGroup",
        "runAsUser",
        "ServiceAccountTokenProjection.expirationSeconds",
        "sizeBytes",
        "SleepAction.seconds",
        "startingDeadlineSeconds",
        "supplementalGroups",
        "terminationGracePeriodSeconds",
        "TokenRequest.expirationSeconds",
        "TokenRequestSpec.expirationSeconds",
        "tolerationSeconds",
    },
    "d": {
        "JSONSchemaProps.maximum",
        "JSONSchemaProps.minimum",
        "JSONSchemaProps.multipleOf",
    },
    "i": {
        "HTTPGetAction.port",
        "ServicePort.targetPort",
        "TCPSocketAction.port",
    },
    "o": {
        "maxSurge",
        "maxUnavailable",
        "minAvailable",
        "NetworkPolicyPort.port",
    },
}
# Other scalars of these names are dates, the rest is quantities.
DATES = (
    "acquireTime",
    "completionTime",
    "disruptedPods",
    "eventTime",
    "finishedAt",
    "pingTime",
    "renewTime",
    "startTime",
    "startedAt",
    "time",
    "timeAdded",
)
DATE_ENDINGS = ("Timestamp", "TransitionTime", "UpdateTime", "ProbeTime", "HeartbeatTime",
    "ScaleTime", "ScheduleTime", "SuccessfulTime", "ObservedTime")  # fmt: skip


def formatted(struct, field, text):
    """The type of a field with the letter of its format."""
    name = f"{struct.rsplit('.', 1)[-1]}.{field}"
    letter = text[-1]
    if letter not in "snu" or "@" in text:
        return text
    for code, fields in FORMATS.items():
        if name in fields or field in fields:
            return text[:-1] + code
    if letter == "u":
        is_date = field in DATES or field.endswith(DATE_ENDINGS)
        return text[:-1] + ("t" if is_date else "q")
    return text


class Tables:
    """The arrays of the set, filled while types are read."""

    def __init__(self, types):
        self.types = types
        self.nodes, self.fields, self.defaults = [None], [], []
        self.keys, self.texts = [], []
        self.offsets, self.length = {}, 0
        self.known = {"*": 0}
        self.nodes[0] = self.node("ANY")

    def text(self, text):
        if text not in self.offsets:
            self.offsets[text] = self.length
            self.texts.append(text)
            self.length += len(text.encode()) + 1
        return self.offsets[text]

    @staticmethod
    def node(
        kind, form="NO_FORMAT", atomic=False, unique=False, element=0, first=0, count=0
    ):
        return (
            f"{{FX_SCHEMA_{kind}, FX_SCHEMA_{form}, {str(atomic).lower()}, "
            f"{str(unique).lower()}, false, {element}, {first}, {count}}}"
        )

    def add(self, key, make):
        """The node of this text, made once."""
        if key not in self.known:
            self.known[key] = len(self.nodes)
            self.nodes.append(None)
            self.nodes[self.known[key]] = make()
        return self.known[key]

    def type(self, text):
        return self.add(text, lambda: self.read(text))

    def read(self, text):
        if text in SCALARS:
            return self.node(*SCALARS[text])
        if text.startswith("@"):
            return self.struct(text[1:].rstrip("!"), text.endswith("!"))
        how, rest = text[1:].split("]" if text[0] == "[" else "}", 1)
        element = self.type(rest)
        if text[0] == "{":
            return self.node("MAP", atomic=how == "a", element=element)
        if how.startswith("m:"):
            names = [self.text(name) for name in how[2:].split(",")]
            first = len(self.keys)
            self.keys += names
            return self.node(
                "LIST", element=element, first=first, count=len(names)
            )
        return self.node(
            "LIST", atomic=how == "a", unique=how == "s", element=element
        )

    def default(self, value):
        if isinstance(value, str):
            self.defaults.append(f"{{0, {self.text(value)}, false}}")
        else:
            self.defaults.append(f"{{{value}, 0, true}}")
        return len(self.defaults)

    def struct(self, name, atomic):
        given = self.types[name]
        if "f" not in given:
            return self.node("ANY")
        first = len(self.fields)
        names = sorted(given["f"], key=lambda name: name.encode())
        self.fields += [None] * len(names)
        for at, field in enumerate(names, first):
            default = given.get("d", {}).get(field)
            self.fields[at] = (
                f"{{{self.text(field)}, "
                f"{self.type(formatted(name, field, given['f'][field]))}, "
                f"{0 if default is None else self.default(default)}}}"
            )
        return self.node(
            "STRUCT",
            atomic=atomic or bool(given.get("a")),
            first=first,
            count=len(names),
        )


def array(head, items):
    lines = "".join(f"    {item},\n" for item in items)
    print(f"static const {head}[] = {{\n{lines}}};\n")


def write(tables, kinds, name, more=""):
    """The arrays, and the set of this name; `more` of its members."""
    array("struct fx_schema_node nodes", tables.nodes)
    array("struct fx_schema_field fields", tables.fields)
    if tables.defaults:
        array("struct fx_schema_default defaults", tables.defaults)
    array("struct fx_schema_kind kinds", kinds)
    array("uint32_t keys", tables.keys)
    characters = [
        ", ".join([*(str(byte) for byte in text.encode()), "0"]) for text in tables.texts
    ]
    array("char texts", characters)
    defaults = "    .defaults = defaults,\n" if tables.defaults else ""
    print(
        f"const struct fx_schema_set {name} = {{\n"
        f"    .nodes = nodes,\n    .fields = fields,\n{defaults}"
        f"    .kinds = kinds,\n    .keys = keys,\n    .texts = texts,\n{more}"
        f"    .n_nodes = {len(tables.nodes)},\n    .n_kinds = {len(kinds)},\n}};"
    )


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    tables = Tables(given["types"])
    kinds = [
        f"{{{tables.text(kind)}, {tables.type('@' + given['kinds'][kind])}}}"
        for kind in sorted(given["kinds"], key=lambda kind: kind.encode())
    ]
    print(HEAD)
    write(tables, kinds, "fx_schema_builtin")


if __name__ == "__main__":
    main()
