# SPDX-License-Identifier: Apache-2.0
"""Sets of fields, as managedFields write them, and the merging of server-side apply.

A path is a tuple of steps: `f:name` a field, `k:{...}` an item of a keyed list, `v:...` an
item of a set. A set is a python set of paths; in managedFields it is a tree of steps."""

import json

from .schema import settle

# --- the written form ------------------------------------------------------------------------


def encode(paths):
    """The tree of a set; `.` marks a member that has members below it."""
    tree = {}
    for path in sorted(paths):
        node = tree
        for step in path:
            node = node.setdefault(step, {})
        node["."] = {}
    return _tidy(tree)


def _tidy(node):
    if len(node) == 1 and "." in node:
        return {}
    return {step: below if step == "." else _tidy(below) for step, below in node.items()}


def decode(tree):
    """The set that a tree writes."""
    paths = set()
    stack = [((), tree)]
    while stack:
        at, node = stack.pop()
        for step, below in node.items():
            if step == ".":
                paths.add(at)
                continue
            if not below:
                paths.add(at + (step,))
            else:
                stack.append((at + (step,), below))
    paths.discard(())
    return paths


def words(path):
    """A path as conflicts name it: .spec.byPod[id="x"].enforced"""
    text = ""
    for step in path:
        kind, rest = step[0], step[2:]
        if kind == "f":
            text += "." + rest
        elif kind == "k":
            pairs = json.loads(rest).items()
            text += "[%s]" % ",".join("%s=%s" % (name, json.dumps(v)) for name, v in pairs)
        else:
            text += "[=%s]" % rest
    return text


# --- walking values --------------------------------------------------------------------------


def _key(item, kind):
    """The step that names an item of a keyed list or of a set."""
    if kind.relation == "set":
        return "v:" + json.dumps(item, separators=(",", ":"), ensure_ascii=False)
    keys = {}
    for name in sorted(kind.keys):
        if isinstance(item, dict) and name in item:
            keys[name] = item[name]
        else:
            inner = kind.items.of(name)
            if inner is not None and inner.has_default:
                keys[name] = inner.default
    return "k:" + json.dumps(keys, separators=(",", ":"), ensure_ascii=False)


def _children(value, kind):
    """(step, value, type) of what a granular value holds; None for a leaf."""
    if isinstance(value, dict) and kind.shape == "map" and kind.relation != "atomic":
        return [("f:" + name, child, kind.of(name)) for name, child in value.items()]
    if isinstance(value, list) and kind.shape == "list" and kind.relation != "atomic":
        return [(_key(child, kind), child, kind.items) for child in value]
    return None


def paths_of(value, kind):
    """The set of what an applied configuration says."""
    paths = set()
    _gather(value, settle(kind, value), (), paths)
    return paths


def _gather(value, kind, at, paths):
    children = _children(value, kind)
    if children is None:
        paths.add(at)
        return
    named = kind.fields if kind.shape == "map" else None
    for step, child, inner in children:
        path = at + (step,)
        _gather(child, settle(inner, child), path, paths)
        if child is None or child == {} or named is None or step[2:] not in named:
            paths.add(path)


def compare(old, new, kind):
    """(added, modified, removed) between two values."""
    sets = (set(), set(), set())
    _compare(old, new, kind, (), sets)
    return sets


def _everything(value, kind, at, paths):
    """All of a value that is on one side only: its containers too."""
    if at:
        paths.add(at)
    kind = settle(kind, value)
    children = _children(value, kind) if value else None
    for step, child, inner in children or ():
        _everything(child, inner, at + (step,), paths)


def _compare(old, new, kind, at, sets):
    added, modified, removed = sets
    if old == new:
        return
    kind_old = settle(kind, old)
    kind_new = settle(kind, new) if new is not None else kind_old  # null is of any kind
    before = _children(old, kind_old) if kind_old is kind_new and (old or new) else None
    after = None if before is None else _children(new, kind_new) if new is not None else ()
    if before is None or after is None:
        modified.add(at)
        return
    before = {step: (child, inner) for step, child, inner in before}
    for step, child, inner in after:
        path = at + (step,)
        if step in before:
            _compare(before.pop(step)[0], child, inner, path, sets)
        else:
            _everything(child, inner, path, added)
    for step, (child, inner) in before.items():
        _everything(child, inner, at + (step,), removed)


def merge(live, config, kind):
    """The live value with what the configuration says."""
    if live is None or config is None:
        return config
    kind_live, kind = settle(kind, live), settle(kind, config)
    ours, theirs = _children(live, kind_live), _children(config, kind)
    if ours is None or theirs is None or kind is not kind_live:
        return config
    if isinstance(live, dict):
        merged = dict(live)
        for step, child, inner in theirs:
            merged[step[2:]] = merge(live.get(step[2:]), child, inner)
        return merged
    said = {step: child for step, child, _ in theirs}
    merged = [merge(c, said.pop(s), inner) if s in said else c for s, c, inner in ours]
    return merged + list(said.values())


def remove(value, kind, tree):
    """A copy without the members of the set (given as a tree). A container that is no member
    itself, and of which nothing is left, becomes None, as a server makes it null."""
    kind = settle(kind, value)
    children = _children(value, kind)
    if not children:
        return value if children is not None or not tree else None
    kept = []
    for step, child, inner in children:
        node = tree.get(step)
        if node is not None and (not node or "." in node):
            continue
        kept.append((step, remove(child, inner, node) if node else child))
    if not kept:
        return None
    if isinstance(value, dict):
        return {step[2:]: child for step, child in kept}
    return [child for _, child in kept]


def with_named(paths, kind):
    """The set, and the named fields on the way to its members."""
    more = set(paths)
    for path in paths:
        at = kind
        for depth, step in enumerate(path):
            if at is None or at.shape == "any":
                break
            if step[0] == "f":
                if at.shape != "map":
                    break
                if step[2:] in at.fields:
                    more.add(path[: depth + 1])
                at = at.of(step[2:])
            else:
                at = at.items
    return more
