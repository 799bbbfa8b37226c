# SPDX-License-Identifier: Apache-2.0
"""Who owns which field: managedFields kept by writes, and server-side apply.

The rules are those of Kubernetes' structured merge: an update owns what it changed; an
apply owns what it says, gives up (and removes) what it no longer says unless another owns
it, and conflicts where it changes what another owns."""

import json

from . import fields, status

# Nobody owns what identifies an object or what the server itself sets.
STRIPPED = {("f:apiVersion",), ("f:kind",), ("f:metadata",)} | {
    ("f:metadata", "f:" + name)
    for name in (
        "name",
        "namespace",
        "generateName",
        "creationTimestamp",
        "selfLink",
        "uid",
        "generation",
        "managedFields",
        "resourceVersion",
    )
}


class Share:
    """What one manager owns."""

    def __init__(self, version, paths, time):
        self.version, self.paths, self.time = version, paths, time


class Writer:
    """Who writes, how, to what."""

    def __init__(self, manager, operation, version, subresource, now):
        self.manager, self.operation = manager, operation
        self.version, self.subresource, self.now = version, subresource, now

    @property
    def key(self):
        version = "" if self.operation == "Apply" else self.version
        return (self.manager, self.operation, version, self.subresource)


def read(entries):
    """The managers of an object: key -> Share."""
    managers = {}
    for entry in entries or ():
        version = entry.get("apiVersion", "")
        operation = entry.get("operation", "")
        key = (
            entry.get("manager", ""),
            operation,
            "" if operation == "Apply" else version,
            entry.get("subresource", ""),
        )
        paths = fields.decode(entry.get("fieldsV1") or {})
        managers[key] = Share(version, paths, entry.get("time"))
    return managers


def write(managers):
    """The managedFields of the managers, in the server's order."""
    entries = []
    for (manager, operation, _, subresource), share in managers.items():
        entry = {
            "manager": manager,
            "operation": operation,
            "apiVersion": share.version,
            "time": share.time,
            "fieldsType": "FieldsV1",
            "fieldsV1": fields.encode(share.paths),
            "subresource": subresource,
        }
        entries.append({name: value for name, value in entry.items() if value})
    return sorted(
        entries,
        key=lambda e: (
            e["operation"],
            e.get("time", ""),
            e["manager"],
            e["apiVersion"],
            e.get("subresource", ""),
        ),
    )


def _ours(paths, writer, resource):
    """Without what this endpoint cannot write."""
    kept = paths - STRIPPED
    if writer.subresource == "status":
        untouched = ("f:spec",) if not resource.custom else ("f:spec", "f:metadata")
        return {path for path in kept if path[0] not in untouched}
    if resource.has_status:
        return {path for path in kept if path[0] != "f:status"}
    return kept


def _bare(obj):
    """The object without its managedFields."""
    metadata = {k: v for k, v in obj.get("metadata", {}).items() if k != "managedFields"}
    return dict(obj, metadata=metadata)


def _in_words(key):
    manager, operation, version, subresource = key
    text = json.dumps(manager)
    if subresource:
        text += " with subresource " + json.dumps(subresource)
    return "%s using %s" % (text, version) if operation == "Update" else text


def _take_over(managers, writer, changes, force):
    """Others lose what was changed; without force that is a conflict."""
    added, modified, removed = changes
    touched = added | modified
    conflicts = []
    for key, share in managers.items():
        if key == writer.key:
            continue
        hit = share.paths & touched
        conflicts += [(_in_words(key), fields.words(path)) for path in sorted(hit)]
    if conflicts and not force:
        raise status.apply_conflict(conflicts)
    gone = touched | removed
    for key, share in list(managers.items()):
        if key != writer.key:
            share.paths = share.paths - gone
            if not share.paths:
                del managers[key]


def _settle(managers, writer, paths, before):
    """Enters the writer's share; its time moves only when the share does."""
    if not paths:
        managers.pop(writer.key, None)
        return
    same = before is not None and before[0] == paths and before[1] == writer.version
    managers[writer.key] = Share(writer.version, paths, before[2] if same else writer.now)


def _before(managers, writer):
    share = managers.get(writer.key)
    return (set(share.paths), share.version, share.time) if share else None


def updated(live, new, resource, kind, writer):
    """The managedFields of `new`, written over `live` ({} where it is created)."""
    entries = new.get("metadata", {}).get("managedFields")
    managers = read(entries or live.get("metadata", {}).get("managedFields"))
    before = _before(managers, writer)
    changes = fields.compare(_bare(live) if live else {}, _bare(new), kind)
    added, modified, removed = (_ours(paths, writer, resource) for paths in changes)
    _take_over(managers, writer, (added, modified, removed), force=True)
    mine = set(before[0]) if before else set()
    _settle(managers, writer, (mine - removed) | added | modified, before)
    return write(managers)


def _prune(merged, kind, managers, writer, last):
    """Without what the writer said before, says no longer, and no other manager owns."""
    if not last:
        return merged
    named = fields.with_named
    last = named(last, kind)
    all_paths = named(fields.paths_of(merged, kind), kind)
    owned = set()
    for share in managers.values():
        owned |= share.paths
    pruned = fields.remove(merged, kind, fields.encode(last)) or {}
    kept = named(fields.paths_of(pruned, kind), kind)
    to_go = all_paths - (kept | named(owned, kind))
    pruned = fields.remove(merged, kind, fields.encode(to_go)) or {}
    kept = named(fields.paths_of(pruned, kind), kind)
    return fields.remove(merged, kind, fields.encode((all_paths - kept) & last)) or {}


def _without_nulls(value):
    """As Go's structs hold it."""
    if isinstance(value, dict):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_nulls(one) for one in value if one is not None]
    return value


def _decoded(obj, resource):
    """Of custom resources only the metadata is a struct: what else is null stays null."""
    if not resource.custom:
        return _without_nulls(obj)
    return dict(obj, metadata=_without_nulls(obj.get("metadata") or {}))


def applied(live, config, resource, kind, writer, force):
    """The object that an applied configuration makes of the live one ({}: none), with its
    managedFields."""
    managers = read(live.get("metadata", {}).get("managedFields"))
    before = _before(managers, writer)
    base = _bare(live) if live else {}
    said = fields.paths_of(config, kind)
    mine = _ours(said, writer, resource)
    merged = fields.merge(base, config, kind)
    managers[writer.key] = Share(writer.version, said, writer.now)
    merged = _prune(merged, kind, managers, writer, before[0] if before else None)
    merged = _decoded(merged, resource)
    changes = fields.compare(base, merged, kind)
    _take_over(managers, writer, [_ours(paths, writer, resource) for paths in changes], force)
    _settle(managers, writer, mine, before)
    merged["metadata"] = dict(merged.get("metadata", {}), managedFields=write(managers))
    return merged
