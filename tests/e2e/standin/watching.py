# SPDX-License-Identifier: Apache-2.0
"""A watch: events as its selectors see them, bookmarks, and its end."""

import time

from .storage import compact


class Watch:
    """One watch that goes on."""

    def __init__(self, exchange, resource, watcher, chosen, settings, storage):
        self._exchange, self._resource = exchange, resource
        self._watcher, self._chosen = watcher, chosen
        self._settings, self._storage = settings, storage
        self._request = exchange.request
        self._form = "partial" if exchange.request.wants_metadata else "object"

    def _line(self, kind, body):
        return b'{"type":"%b","object":%b}\n' % (kind.encode(), body)

    def _say(self, event):
        """The event as this watch sees it; None: not at all."""
        resource, version = self._resource, self._request.version
        kind, shown = event.kind, event.new
        if self._chosen:
            now = kind != "DELETED" and self._chosen(event.new)
            before = event.old is not None and self._chosen(event.old)
            if not now and not before:
                return None
            if kind == "MODIFIED" and now != before:
                kind = "ADDED" if now else "DELETED"
                if not now:
                    shown = _with_version(event.old, event.version)
        return self._line(kind, shown.encode(resource, version, self._form))

    def _bookmark(self):
        resource, version = self._resource, self._request.version
        at = {"resourceVersion": str(self._storage.version)}
        if self._form == "partial":
            shown = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
            shown["metadata"] = {**at, "creationTimestamp": None}
        elif resource.custom:
            shown = {"apiVersion": resource.api_version(version), "kind": resource.kind}
            shown["metadata"] = at
        else:
            shown = {"kind": resource.kind, "apiVersion": resource.api_version(version)}
            shown.update({"metadata": {**at, "creationTimestamp": None}, **resource.empty})
        return self._line("BOOKMARK", compact(shown))

    def run(self):
        settings, query = self._settings, self._request.query
        seconds = float(query.get("timeoutSeconds") or settings.watch_seconds)
        end = time.monotonic() + seconds
        bookmarks = self._request.flag("allowWatchBookmarks")
        due = time.monotonic() + min(settings.bookmark_seconds, max(seconds - 2, 0.1))
        while True:
            with self._storage.lock:
                gone, events = self._watcher.gone, self._watcher.take()
                bookmark = bookmarks and time.monotonic() >= due and self._bookmark()
            lines = [line for line in map(self._say, events) if line]
            if bookmark:
                lines.append(bookmark)
                due = time.monotonic() + settings.bookmark_seconds
            if lines:
                self._exchange.send_chunks(lines)
            left = end - time.monotonic()
            if left <= 0 or gone:
                return
            until = min(left, due - time.monotonic()) if bookmarks else left
            self._exchange.wait(self._watcher.bell, max(until, 0))


def _with_version(stored, version):
    """An object as it was, with the version of the event that took it out of sight."""
    metadata = dict(stored.obj["metadata"], resourceVersion=str(version))
    return type(stored)(dict(stored.obj, metadata=metadata))
