# SPDX-License-Identifier: Apache-2.0
"""RFC 6902, as far as an admission patch may go: add, replace, remove."""

import copy


def _steps(pointer):
    if pointer == "":
        return []
    assert pointer.startswith("/"), pointer
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]


def _index(step, length):
    assert step == "0" or (step.isdigit() and not step.startswith("0")), step
    index = int(step)
    assert index < length, "%s is beyond the list" % step
    return index


def _descend(node, step):
    if isinstance(node, list):
        return node[_index(step, len(node))]
    return node[step]


def _apply(root, operation):
    steps = _steps(operation["path"])
    op = operation["op"]
    assert op in ("add", "replace", "remove"), op
    if not steps:
        assert op != "remove"
        return copy.deepcopy(operation["value"])
    node = root
    for step in steps[:-1]:
        node = _descend(node, step)
    last = steps[-1]
    if isinstance(node, list):
        if op == "add":
            at = len(node) if last == "-" else _index(last, len(node) + 1)
            node.insert(at, copy.deepcopy(operation["value"]))
        elif op == "replace":
            node[_index(last, len(node))] = copy.deepcopy(operation["value"])
        else:
            del node[_index(last, len(node))]
        return root
    assert isinstance(node, dict), operation
    if op == "add":
        node[last] = copy.deepcopy(operation["value"])
    elif op == "replace":
        assert last in node, operation
        node[last] = copy.deepcopy(operation["value"])
    else:
        del node[last]
    return root


def apply(document, patch):
    """A copy of the document with the patch applied; an error where it does not."""
    root = copy.deepcopy(document)
    for operation in patch or []:
        root = _apply(root, operation)
    return root
