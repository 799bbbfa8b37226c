# SPDX-License-Identifier: Apache-2.0
"""What an object may hold: of the built-in kinds a table (`types.json`: the merge rules of
v1.32, as its API server publishes them), of other kinds the schema of their definition."""

import functools
import json
import pathlib
import re

TABLE = pathlib.Path(__file__).with_name("types.json")


class Type:
    """One place of an object.

    shape:    scalar, map, list; any: by the value itself
    scalar:   string, number, integer, boolean; untyped
    relation: of a map: granular or atomic; of a list: atomic, set or map (with keys)
    fields:   what a map may hold by name; values: what it may hold besides; None: nothing
    """

    def __init__(self, shape, scalar=None, relation=None, items=None, values=None, keys=()):
        self.shape, self.scalar, self.relation = shape, scalar, relation
        self.items, self.values, self.keys = items, values, tuple(keys)
        self.fields = {}
        self.required, self.enum, self.nullable = (), None, False
        self.has_default, self.default = False, None
        self.rules = {}  # of OpenAPI: pattern, minimum, ...
        self.strict = False  # values are checked against it
        self.metadata = None

    def of(self, name):
        """The type of what a map holds under this name; None: it may not."""
        return self.fields.get(name, self.values)


ANY = Type("any")
ANY_MAP = Type("map", relation="granular", values=ANY)
ANY_LIST = Type("list", relation="atomic", items=ANY)
ANY_SCALAR = Type("scalar", "untyped")


def settle(kind, value):
    """The type to use for this value: `any` follows the value."""
    if kind is None or kind.shape == "any":
        if isinstance(value, dict):
            return ANY_MAP
        return ANY_LIST if isinstance(value, list) else ANY_SCALAR
    return kind


# --- the table of built-in types -------------------------------------------------------------

SCALARS = {"s": "string", "n": "number", "b": "boolean", "u": "untyped"}


@functools.lru_cache(None)
def _table():
    return json.loads(TABLE.read_text())


def _parse(text):
    """A type as the table writes it: s, n, b, u, *, @T, [a]X, [s]X, [m:k1,k2]X, {}X, {a}X."""
    if text in SCALARS:
        return Type("scalar", SCALARS[text])
    if text == "*":
        return ANY
    if text.startswith("@"):
        return builtin(text[1:].rstrip("!"), text.endswith("!"))
    head, rest = re.match(r"(\[.*?\]|\{a?\})(.*)$", text).groups()
    if head.startswith("{"):
        relation = "atomic" if head == "{a}" else "granular"
        return Type("map", relation=relation, values=_parse(rest))
    relation = {"a": "atomic", "s": "set", "m": "map"}[head[1]]
    keys = head[3:-1].split(",") if relation == "map" else ()
    return Type("list", relation=relation, items=_parse(rest), keys=keys)


@functools.lru_cache(None)
def builtin(name, atomic=False):
    """The type of this name in the table."""
    row = _table()[name]
    if row.get("any"):
        return ANY
    made = _Lazy(row["f"])
    made.relation = "atomic" if atomic or row.get("a") else "granular"
    made.key_defaults = row.get("d", {})
    return made


class _Lazy(Type):
    """A struct of the table; its fields are read when they are asked for, since types
    may hold themselves."""

    def __init__(self, rows):
        self._rows = rows
        super().__init__("map")
        del self.fields
        self.key_defaults = {}

    @functools.cached_property
    def fields(self):
        made = {name: _parse(text) for name, text in self._rows.items()}
        for name, default in self.key_defaults.items():
            made[name].has_default, made[name].default = True, default
        return made


# --- schemas of definitions ------------------------------------------------------------------


def _shape_of(node):
    if node.get("x-kubernetes-int-or-string"):
        return Type("scalar", "untyped")
    kind = node.get("type")
    if kind == "array":
        relation = node.get("x-kubernetes-list-type", "atomic")
        items = from_openapi(node.get("items") or {})
        return Type(
            "list",
            relation=relation,
            items=items,
            keys=node.get("x-kubernetes-list-map-keys", ()),
        )
    if kind in ("string", "integer", "number", "boolean"):
        return Type("scalar", kind)
    if kind == "object" or "properties" in node:
        return _map_of(node)
    made = Type("any")  # a copy, since it may carry rules
    return made


def _map_of(node):
    made = Type("map", relation=node.get("x-kubernetes-map-type", "granular"))
    made.fields = {
        name: from_openapi(child) for name, child in (node.get("properties") or {}).items()
    }
    more = node.get("additionalProperties")
    if isinstance(more, dict):
        made.values = from_openapi(more)
    elif more or node.get("x-kubernetes-preserve-unknown-fields"):
        made.values = ANY
    if node.get("x-kubernetes-embedded-resource"):
        made.fields.setdefault("apiVersion", Type("scalar", "string"))
        made.fields.setdefault("kind", Type("scalar", "string"))
        made.fields.setdefault("metadata", builtin("meta.v1.ObjectMeta"))
    return made


def from_openapi(node):
    """The type of a structural schema."""
    made = _shape_of(node)
    made.strict = True
    made.nullable = bool(node.get("nullable"))
    made.required = tuple(node.get("required") or ())
    made.enum = node.get("enum")
    made.rules = {name: node[name] for name in CHECKS if name in node}
    if "default" in node:
        made.has_default, made.default = True, node["default"]
    return made


def of_definition(node):
    """The type of a whole custom resource, given its openAPIV3Schema. What that says of the
    metadata (a longest name, say) is checked besides."""
    made = from_openapi(dict(node or {}, type="object"))
    made.metadata = made.fields.get("metadata")
    made.fields["apiVersion"] = made.fields["kind"] = Type("scalar", "string")
    made.fields["metadata"] = builtin("meta.v1.ObjectMeta")
    return made


# --- what a server does with a value ---------------------------------------------------------


def prune(value, kind, unknown, path=""):
    """A copy without the fields that the type does not know; they are added to `unknown`."""
    kind = settle(kind, value)
    if kind in (ANY_MAP, ANY_LIST):
        return value
    if isinstance(value, dict) and kind.shape == "map":
        kept = {}
        for name, child in value.items():
            inner = kind.of(name)
            if inner is None:
                unknown.append(_join(path, name))
            else:
                kept[name] = prune(child, inner, unknown, _join(path, name))
        return kept
    if isinstance(value, list) and kind.shape == "list":
        items = enumerate(value)
        return [prune(child, kind.items, unknown, "%s[%d]" % (path, i)) for i, child in items]
    return value


def fill(value, kind):
    """A copy with the defaults of a definition's schema, and without nulls they replace."""
    if isinstance(value, dict) and kind.shape == "map":
        filled = {}
        for name, child in value.items():
            inner = kind.of(name)
            if child is None and inner is not None and inner.has_default and not inner.nullable:
                continue
            filled[name] = child if inner is None else fill(child, inner)
        for name, inner in kind.fields.items() if kind.strict else ():
            if inner.has_default and name not in filled:
                filled[name] = fill(inner.default, inner)
        return filled
    if isinstance(value, list) and kind.shape == "list":
        return [fill(child, kind.items) for child in value]
    return value


def _name_of(value):
    if value is None:
        return "null"
    for kinds, name in (
        (bool, "boolean"),
        (str, "string"),
        (int, "integer"),
        (float, "number"),
        (dict, "object"),
    ):
        if isinstance(value, kinds):
            return name
    return "array"


def _fits(value, kind):
    if kind.shape == "map":
        return isinstance(value, dict)
    if kind.shape == "list":
        return isinstance(value, list)
    if kind.scalar == "untyped":
        return not isinstance(value, (dict, list))
    if kind.scalar == "boolean":
        return isinstance(value, bool)
    if kind.scalar == "string":
        return isinstance(value, str)
    wanted = int if kind.scalar == "integer" else (int, float)
    return isinstance(value, wanted) and not isinstance(value, bool)


def _wanted(kind):
    return {"map": "object", "list": "array"}.get(kind.shape, kind.scalar)


def _word(value):
    return json.dumps(value, ensure_ascii=False)


# rule: (kinds it is for, does the value break it, reason, words)
CHECKS = {
    "pattern": (str, lambda v, p: not re.search(p, v), "Invalid", "should match '%s'"),
    "minLength": (str, lambda v, n: len(v) < n, "Invalid", "should be at least %s chars long"),
    "maxLength": (str, lambda v, n: len(v) > n, "TooLong", "may not be more than %s bytes"),
    "minItems": (list, lambda v, n: len(v) < n, "Invalid", "should have at least %s items"),
    "maxItems": (list, lambda v, n: len(v) > n, "TooMany", "must have at most %s items"),
    "minimum": (
        (int, float),
        lambda v, n: v < n,
        "Invalid",
        "should be greater than or equal to %s",
    ),
    "maximum": (
        (int, float),
        lambda v, n: v > n,
        "Invalid",
        "should be less than or equal to %s",
    ),
}


def _check_rules(value, rules, path):
    for name, limit in rules.items():
        kinds, breaks, reason, words = CHECKS[name]
        if not isinstance(value, kinds) or isinstance(value, bool) or not breaks(value, limit):
            continue
        if reason == "TooLong":
            text = "Too long: " + words % limit
        elif reason == "TooMany":
            text = "Too many: %d: %s" % (len(value), words % limit)
        else:
            text = "Invalid value: %s: %s in body %s" % (_word(value), path, words % limit)
        yield path, "FieldValue" + reason, text


def problems(value, kind, path=""):
    """What is wrong with the value: triples of a field, a reason and a message."""
    if kind is None or not kind.strict or (value is None and kind.nullable):
        return
    if kind.shape != "any" and not _fits(value, kind):
        given = _name_of(value)
        yield path, "FieldValueTypeInvalid", (
            'Invalid value: "%s": %s in body must be of type %s: "%s"'
            % (given, path or "", _wanted(kind), given)
        )
        return
    if kind.enum is not None and value not in kind.enum:
        yield path, "FieldValueNotSupported", "Unsupported value: %s: supported values: %s" % (
            _word(value),
            ", ".join(_word(one) for one in kind.enum),
        )
    yield from _check_rules(value, kind.rules, path)
    if isinstance(value, dict):
        for name in kind.required:
            if name not in value:
                yield _join(path, name), "FieldValueRequired", "Required value"
        for name, child in value.items():
            inner = kind.of(name) if kind.shape == "map" else None
            yield from problems(child, inner, _join(path, name))
    elif isinstance(value, list):
        yield from _duplicates(value, kind, path)
        for index, child in enumerate(value):
            yield from problems(child, kind.items, "%s[%d]" % (path, index))


def _duplicates(value, kind, path):
    """A list that is a set or keyed may hold nothing twice."""
    if kind.relation not in ("set", "map"):
        return
    seen = set()
    for index, child in enumerate(value):
        key = child
        if kind.relation == "map":
            key = (
                {name: child.get(name) for name in kind.keys}
                if isinstance(child, dict)
                else None
            )
        word = json.dumps(key, sort_keys=True)
        if word in seen:
            yield "%s[%d]" % (path, index), "FieldValueDuplicate", "Duplicate value: %s" % word
        seen.add(word)


def _join(path, name):
    return path + "." + name if path else name


def mismatch(value, kind, path=""):
    """The first place where a built-in object has a wrong type, as (path, wanted, given)."""
    kind = settle(kind, value)
    if value is None or kind.shape == "any" or kind in (ANY_MAP, ANY_LIST, ANY_SCALAR):
        return None
    if not _fits(value, kind):
        return path, _wanted(kind), _name_of(value)
    if isinstance(value, dict):
        children = ((_join(path, name), child, kind.of(name)) for name, child in value.items())
    elif isinstance(value, list):
        children = ((path, child, kind.items) for child in value)
    else:
        return None
    for where, child, inner in children:
        found = mismatch(child, inner, where) if inner is not None else None
        if found:
            return found
    return None
