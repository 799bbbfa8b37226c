# SPDX-License-Identifier: Apache-2.0
"""The three ways to patch that are not server-side apply."""

import copy

import jsonpatch

from . import status


def merge(target, patch):
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), value)
    return merged


def _look(document, pointer):
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        document = document[int(step) if isinstance(document, list) else step]
    return document


def _plain(document, operation):
    """An operation in terms of add, replace and remove."""
    op = operation["op"]
    if op == "test":
        if _look(document, operation["path"]) != operation.get("value"):
            raise ValueError("testing value %s failed" % operation["path"])
        return []
    if op in ("copy", "move"):
        value = copy.deepcopy(_look(document, operation["from"]))
        taken = [{"op": "remove", "path": operation["from"]}] if op == "move" else []
        return taken + [{"op": "add", "path": operation["path"], "value": value}]
    return [operation]


def json(document, patch):
    """RFC 6902; ValueError where it does not apply."""
    try:
        for operation in patch:
            document = jsonpatch.apply(document, _plain(document, operation))
    except (AssertionError, LookupError, TypeError, AttributeError) as error:
        raise ValueError("the patch does not apply: %r" % (error,)) from error
    return document


def strategic(target, patch, kind):
    """Kubernetes' strategic merge, by the keys of the type."""
    if isinstance(patch, dict) and kind is not None and kind.shape == "map":
        if patch.get("$patch") == "replace":
            return {name: value for name, value in patch.items() if name != "$patch"}
        merged = dict(target) if isinstance(target, dict) else {}
        for name in set(merged) - set(patch.get("$retainKeys", merged)):
            del merged[name]
        for name, value in patch.items():
            if name.startswith("$deleteFromPrimitiveList/"):
                listed = name.partition("/")[2]
                merged[listed] = [one for one in merged.get(listed, []) if one not in value]
            elif value is None:
                merged.pop(name, None)
            elif not name.startswith("$"):
                merged[name] = strategic(merged.get(name), value, kind.of(name))
        return merged
    if isinstance(patch, list) and kind is not None and isinstance(target, list):
        if kind.relation == "map":
            return _strategic_list(target, patch, kind)
        if kind.relation == "set":
            return target + [one for one in patch if one not in target]
    return patch


def _strategic_list(target, patch, kind):
    key = kind.keys[0]
    merged = list(target)
    for item in patch:
        at = next((i for i, one in enumerate(merged) if one.get(key) == item.get(key)), None)
        if item.get("$patch") == "delete":
            if at is not None:
                del merged[at]
        elif item.get("$patch") == "replace":
            return [one for one in patch if "$patch" not in one]
        elif at is None:
            merged.append(item)
        else:
            merged[at] = strategic(merged[at], item, kind.items)
    return merged


def by_media_type(media_type, document, patch, kind):
    """The document as this patch makes it."""
    if media_type == "application/merge-patch+json":
        return merge(document, patch)
    if media_type == "application/strategic-merge-patch+json":
        return strategic(document, patch, kind)
    try:
        return json(document, patch)
    except ValueError as error:
        raise status.ApiError(
            422,
            "Invalid",
            "the server rejected our request due to an error " "in our request: %s" % error,
        ) from error
