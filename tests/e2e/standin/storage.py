# SPDX-License-Identifier: Apache-2.0
"""Where objects are kept: by resource, with one counter of versions, and what happened."""

import base64
import bisect
import collections
import contextlib
import json
import os
import threading

from . import status

ORDER = {
    name: place
    for place, name in enumerate(
        "name generateName namespace uid resourceVersion generation creationTimestamp "
        "deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences "
        "finalizers managedFields".split()
    )
}


def compact(value, sort=False):
    """JSON as Go's encoder writes it, without spaces."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=sort)
    text = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return text.encode("utf-8", "surrogatepass")


def ordered(metadata):
    """Built-in metadata in the order of its struct."""
    return dict(sorted(metadata.items(), key=lambda pair: ORDER.get(pair[0], 99)))


class Stored:
    """One version of one object; never written once it is here. Its JSON is made once."""

    __slots__ = ("obj", "version", "_made")

    def __init__(self, obj):
        self.obj = obj
        self.version = int(obj["metadata"]["resourceVersion"])
        self._made = {}

    @property
    def labels(self):
        return self.obj["metadata"].get("labels") or {}

    def encode(self, resource, version, form="object"):
        """Its JSON in a version: object, item (of a built-in list: without its kind),
        partial (its metadata only)."""
        made = self._made.get((version, form))
        if made is None:
            made = self._made[version, form] = self._encode(resource, version, form)
        return made

    def _encode(self, resource, version, form):
        metadata = self.obj["metadata"]
        if form == "partial":
            head = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
            return compact({**head, "metadata": ordered(metadata)})
        body = {
            k: v for k, v in self.obj.items() if k not in ("kind", "apiVersion", "metadata")
        }
        head = {"kind": resource.kind, "apiVersion": resource.api_version(version)}
        if resource.custom:
            return compact({**head, "metadata": metadata, **body}, sort=True)
        body = {"metadata": ordered(metadata), **body}
        return compact(body if form == "item" else {**head, **body})


class Event:
    """What happened: ADDED, MODIFIED or DELETED; `old` is what was there before."""

    __slots__ = ("kind", "version", "new", "old")

    def __init__(self, kind, version, new, old):
        self.kind, self.version, self.new, self.old = kind, version, new, old


class Watcher:
    """A receiver of every event; `bell` becomes readable when there are new ones."""

    def __init__(self, backlog):
        self._queue = collections.deque(backlog)
        self.gone = False  # the resource is no longer served
        self.bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def give(self, event):
        self._queue.append(event)
        os.eventfd_write(self.bell, 1)

    def end(self):
        self.gone = True
        os.eventfd_write(self.bell, 1)

    def take(self):
        """The events since the last time."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self.bell)
        taken = []
        while self._queue:
            taken.append(self._queue.popleft())
        return taken


class Table:
    """The objects of one resource, and its history."""

    def __init__(self):
        self.objects = {}  # (namespace, name) -> Stored
        self.events, self.versions = [], []
        self.oldest = 0  # versions before this one are forgotten
        self.watchers = set()
        self._sorted = None

    def keys(self):
        if self._sorted is None:
            self._sorted = sorted(self.objects)
        return self._sorted

    def record(self, event, key):
        if event.kind == "DELETED":
            del self.objects[key]
        else:
            self.objects[key] = event.new
        if event.kind != "MODIFIED":
            self._sorted = None
        self.events.append(event)
        self.versions.append(event.version)
        for watcher in self.watchers:
            watcher.give(event)

    def since(self, version):
        """The events after this version; None: forgotten."""
        if version < self.oldest:
            return None
        return self.events[bisect.bisect_right(self.versions, version) :]

    def _as_of(self, version):
        """(sorted keys, objects by key) of this version; None: forgotten."""
        later = self.since(version)
        if later is None:
            return None
        if not later:
            return self.keys(), self.objects
        then = dict(self.objects)
        for event in reversed(later):
            metadata = event.new.obj["metadata"]
            key = (metadata.get("namespace", ""), metadata["name"])
            if event.old is None:
                then.pop(key, None)
            else:
                then[key] = event.old
        return sorted(then), then

    def page(self, version, after, limit, chosen):
        """(objects, how many more) of this version behind this key: no more than `limit` (0:
        all), and those alone that are chosen. None: forgotten."""
        then = self._as_of(version)
        if then is None:
            return None
        keys, objects = then
        begin = bisect.bisect_right(keys, after) if after else 0
        if chosen:
            found = [one for one in map(objects.get, keys[begin:]) if chosen(one)]
            return found[: limit or None], max(0, len(found) - (limit or len(found)))
        end = begin + limit if limit else len(keys)
        return [objects[key] for key in keys[begin:end]], max(0, len(keys) - end)


class Storage:
    """All tables. `lock` is held for reading several things as one, and for writing."""

    def __init__(self):
        self.lock = threading.RLock()
        self._tables = {}
        self._version = 0

    @property
    def version(self):
        return self._version

    def table(self, resource):
        with self.lock:
            return self._tables.setdefault(resource.id, Table())

    def put(self, resource, obj, old=None):
        """Stores an object (which becomes ours) and returns what is stored."""
        with self.lock:
            self._version += 1
            obj["metadata"]["resourceVersion"] = str(self._version)
            stored = Stored(obj)
            key = (obj["metadata"].get("namespace", ""), obj["metadata"]["name"])
            kind = "MODIFIED" if old else "ADDED"
            self.table(resource).record(Event(kind, self._version, stored, old), key)
            return stored

    def delete(self, resource, old):
        """Removes an object; what is returned carries the version of its end."""
        with self.lock:
            self._version += 1
            metadata = dict(old.obj["metadata"], resourceVersion=str(self._version))
            last = Stored(dict(old.obj, metadata=metadata))
            key = (metadata.get("namespace", ""), metadata["name"])
            self.table(resource).record(Event("DELETED", self._version, last, old), key)
            return last

    def drop(self, id_):
        """A resource is no longer served: its objects go, its watches end."""
        with self.lock:
            table = self._tables.pop(id_, None)
            for watcher in table.watchers if table else ():
                watcher.end()

    def end_watches(self, resource):
        """The watches of a resource end; its objects stay."""
        with self.lock:
            for watcher in self.table(resource).watchers:
                watcher.end()

    @contextlib.contextmanager
    def watch(self, resource, version):
        """A Watcher of what happens after this version (None: of everything, beginning with
        what is there); gives None where the version is forgotten."""
        with self.lock:
            table = self.table(resource)
            if version is None:
                there = (table.objects[key] for key in table.keys())
                backlog = [Event("ADDED", one.version, one, None) for one in there]
            else:
                backlog = table.since(version)
            watcher = None if backlog is None else Watcher(backlog)
            if watcher:
                table.watchers.add(watcher)
        try:
            yield watcher
        finally:
            if watcher:
                with self.lock:
                    table.watchers.discard(watcher)
                os.close(watcher.bell)

    def forget(self, resource=None):
        """Compaction: watches and continued lists from before now have expired."""
        with self.lock:
            self._version += 1
            for id_, table in self._tables.items():
                if resource is None or id_ == resource.id:
                    table.oldest = self._version
                    table.events, table.versions = [], []


def continue_token(version, key):
    """Where the next page begins: behind this key."""
    start = "/".join(filter(None, key)) + "\u0000"
    token = {"v": "meta.k8s.io/v1", "rv": version, "start": start}
    text = json.dumps(token, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def read_token(token):
    """(version, key) of a token."""
    try:
        padded = token + "=" * (-len(token) % 4)
        read = json.loads(base64.urlsafe_b64decode(padded))
        namespace, _, name = read["start"].rstrip("\u0000").rpartition("/")
        return int(read["rv"]), (namespace, name)
    except (ValueError, KeyError, TypeError) as error:
        raise status.bad_request("continue key is not valid: %s" % error) from error
