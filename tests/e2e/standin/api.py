# SPDX-License-Identifier: Apache-2.0
"""What each request is answered: authentication, authorization, then the verb."""

import json
import threading
import time
import traceback

from . import openapi, resources, selectors, server_facts, status
from .auth import REVIEWS, User
from .binding import is_binding
from .faults import Cut, Handled
from .incoming import Write
from .storage import compact, continue_token, read_token
from .watching import Watch

HEALTH = ("/healthz", "/livez", "/readyz")
LIST_META = ("resourceVersion", "continue", "remainingItemCount")
TOO_OLD_TOKEN = (
    "The provided continue parameter is too old to display a consistent list result. You can "
    "start a new list without the continue parameter, or use the continue token in this "
    "response to retrieve the remainder of the results. Continuing with the provided token "
    "results in an inconsistent list - objects that were created, modified, or deleted between "
    "the time the first chunk was returned and now may show up in the list."
)


class Log(list):
    """The requests so far, in the order they came."""

    def of(self, **wanted):
        """Those with these attributes: log.of(verb="patch", resource="assign")."""
        return [
            one
            for one in self
            if all(getattr(one, name) == value for name, value in wanted.items())
        ]


class Settings:
    """What tests may change at any time."""

    def __init__(self):
        self.bookmark_seconds = 10.0  # between bookmarks
        self.watch_seconds = 2400.0  # of a watch that names no timeout
        self.expired_in_head = False  # a watch that is too old: 410 as the answer's status
        self.minor = 32  # of its version
        self.feature_gates = {"APIListChunking": True, "MutatingAdmissionPolicy": False}


class Api:
    def __init__(self, storage, registry, writes, bindings, authenticator, authorizer, rules):
        self._storage, self._registry, self._writes = storage, registry, writes
        self._bindings = bindings
        self._authenticator, self._authorizer, self._faults = authenticator, authorizer, rules
        self.settings, self.log = Settings(), Log()
        self.mistakes = []  # of the stand-in itself
        self._news = threading.Condition()
        self._verbs = {
            "get": self._get,
            "list": self._list,
            "watch": self._watch,
            "create": self._create,
            "update": self._update,
            "patch": self._patch,
            "delete": self._delete,
            "deletecollection": self._delete_all,
        }

    # --- every request ---

    def handle(self, exchange, certificate):
        request = exchange.request
        self.log.append(request)
        try:
            try:
                self._identify(request, certificate)
            finally:
                self._faults.meet(exchange)
            self._authorize(request)
            self._answer(exchange)
        except status.PageNotFound:
            exchange.respond(
                404,
                b"404 page not found\n",
                "text/plain; charset=utf-8",
                [("X-Content-Type-Options", "nosniff")],
            )
        except status.ApiError as error:
            exchange.respond(error.code, error.encode(), headers=error.headers)
        except (Cut, Handled, OSError):
            raise
        except Exception:  # a mistake of the stand-in: reported to the client, and to the tests
            self.mistakes.append("%r\n%s" % (request, traceback.format_exc()))
            error = status.internal(self.mistakes[-1])
            exchange.respond(error.code, error.encode())
        with self._news:
            self._news.notify_all()

    def wait(self, count=1, timeout=10, **wanted):
        """Waits for this many requests with these attributes that are answered (of a watch:
        its head) or were cut; gives them."""
        deadline = time.monotonic() + timeout
        with self._news:
            while True:
                found = [one for one in self.log.of(**wanted) if one.is_answered]
                left = deadline - time.monotonic()
                if len(found) >= count:
                    return found
                if left <= 0:
                    raise AssertionError("%d of %d requests %r" % (len(found), count, wanted))
                self._news.wait(min(left, 0.1))

    def _identify(self, request, certificate):
        request.who = self._authenticator.identify(
            request.headers.get("authorization"), certificate
        )
        request.user = request.who.name

    def _authorize(self, request):
        if not request.is_resource:
            verb = request.verb
            if not self._authorizer.allows_path(request.who, verb, request.path):
                raise status.forbidden_path(request.user, verb, request.path)
            return
        name = request.name
        if not name and request.verb in ("list", "watch", "deletecollection"):
            name = selectors.named(request.query.get("fieldSelector"))
        place = (request.group, request.resource, request.subresource, request.namespace, name)
        if not self._authorizer.allows(request.who, request.verb, *place):
            raise status.forbidden(request.user, request.verb, *place)

    def _answer(self, exchange):
        request = exchange.request
        if not request.is_resource:
            self._path(exchange)
            return
        if request.resource in REVIEWS:
            self._review_access(exchange)
            return
        if is_binding(request):
            self._document(exchange, self._bindings.create(request), 201)
            return
        resource = self._registry.find(request.group, request.version, request.resource)
        if resource is None:
            raise status.PageNotFound
        if not resource.serves(request.subresource, request.verb):
            if resource.custom and request.subresource == "status":
                raise status.not_found(resource.group, resource.plural, request.name)
            raise status.PageNotFound
        if request.namespace and not resource.namespaced and resource.plural != "namespaces":
            raise status.PageNotFound
        verb = self._verbs.get(request.verb)
        if verb is None or (request.name and request.method == "POST"):
            raise status.method_not_allowed(resource.group, resource.plural)
        verb(exchange, resource)

    # --- what is no object ---

    def _path(self, exchange):
        request = exchange.request
        if request.path == "/version":
            self._document(exchange, server_facts.version(self.settings.minor), indent=True)
        elif request.path == "/metrics":
            page = server_facts.metrics(self.settings.feature_gates)
            exchange.respond(200, page, "text/plain; version=0.0.4; charset=utf-8")
        elif request.path in HEALTH:
            exchange.respond(200, b"ok", "text/plain; charset=utf-8")
        else:
            document = None
            if request.path.startswith("/openapi/v3"):
                document = openapi.document(self._registry, request.path)
            elif request.path.startswith(("/api", "/apis")):
                document = resources.discovery(self._registry, request.path)
            if document is None:
                raise status.PageNotFound
            self._document(exchange, document)

    def _document(self, exchange, document, code=200, indent=False):
        if indent or exchange.request.pretty:
            body = json.dumps(document, indent=2, ensure_ascii=False).encode()
        else:
            body = compact(document) + b"\n"
        exchange.respond(code, body)

    def _review_access(self, exchange):
        """Who somebody is, or what somebody may do: the one who asks, or a named user."""
        request = exchange.request
        document = request.document()
        spec = document.get("spec") or {}
        who = request.who
        if request.resource == "subjectaccessreviews":
            who = User(spec.get("user", ""), spec.get("groups") or ())
        if request.resource == "selfsubjectreviews":
            document["status"] = {"userInfo": {"username": who.name, "groups": who.groups}}
        else:
            asked = spec.get("resourceAttributes") or {}
            parts = ("verb", "group", "resource", "subresource", "namespace", "name")
            allowed = self._authorizer.allows(who, *(asked.get(part, "") for part in parts))
            document["status"] = {"allowed": allowed}
        self._document(exchange, document, 201)

    # --- reading ---

    def _form(self, request):
        return "partial" if request.wants_metadata else "object"

    def _object(self, exchange, resource, stored, code=200, warnings=()):
        """Answers with an object."""
        request = exchange.request
        headers = [("Warning", '299 - "%s"' % text.replace('"', '\\"')) for text in warnings]
        body = stored.encode(resource, request.version, self._form(request))
        if request.pretty:
            body = json.dumps(json.loads(body), indent=2, ensure_ascii=False).encode()
        else:
            body += b"\n"
        exchange.respond(code, body, headers=headers)

    def _get(self, exchange, resource):
        request = exchange.request
        own_namespace = request.namespace if resource.namespaced else ""
        stored = self._storage.table(resource).objects.get((own_namespace, request.name))
        if stored is None:
            raise status.not_found(resource.group, resource.plural, request.name)
        self._object(exchange, resource, stored)

    def _chooser(self, request, resource):
        """Which objects a list or a watch is about: a function of a Stored."""
        labels = selectors.labels(request.query.get("labelSelector"))
        fields = selectors.fields(request.query.get("fieldSelector"), resource)
        own_namespace = request.namespace if resource.namespaced else ""

        def chosen(stored):
            metadata = stored.obj["metadata"]
            if own_namespace and metadata.get("namespace") != own_namespace:
                return False
            if labels and not labels(stored.labels):
                return False
            return not fields or fields(stored.obj)

        return chosen if own_namespace or labels or fields else None

    def _page(self, request, resource):
        """(version, the objects of this page, the token of the next, how many remain)."""
        chosen = self._chooser(request, resource)
        limit = int(request.query.get("limit") or 0)
        with self._storage.lock:
            version, after = self._storage.version, None
            if request.query.get("continue"):
                version, after = read_token(request.query["continue"])
            else:
                self._check_version(request, version)
            found = self._storage.table(resource).page(version, after, limit, chosen)
            if found is None:
                fresh = continue_token(self._storage.version, after)
                raise status.expired(TOO_OLD_TOKEN, {"continue": fresh})
        page, more = found
        if not more:
            return version, page, "", 0
        last = page[-1].obj["metadata"]
        token = continue_token(version, (last.get("namespace", ""), last["name"]))
        return version, page, token, 0 if chosen else more

    def _check_version(self, request, version):
        wanted = request.query.get("resourceVersion") or "0"
        if not wanted.isdigit():
            raise status.bad_request("invalid resource version %s" % wanted)
        if int(wanted) > version:
            raise status.ApiError(
                504,
                "Timeout",
                "Too large resource version: %s, current: %d" % (wanted, version),
                {
                    "causes": [
                        {
                            "reason": "ResourceVersionTooLarge",
                            "message": "Too large resource version",
                        }
                    ],
                    "retryAfterSeconds": 1,
                },
            )

    def _list(self, exchange, resource):
        request = exchange.request
        version, page, token, remaining = self._page(request, resource)
        metadata = {"continue": token} if token or resource.custom else {}
        if remaining:
            metadata["remainingItemCount"] = remaining
        metadata["resourceVersion"] = str(version)
        if request.wants_metadata:
            kind, api_version, form = "PartialObjectMetadataList", "meta.k8s.io/v1", "partial"
        else:
            kind, api_version = resource.list_kind, resource.api_version(request.version)
            form = "object" if resource.custom else "item"
        items = b",".join(one.encode(resource, request.version, form) for one in page)
        if form == "object":
            body = b'{"apiVersion":%b,"items":[%b],"kind":%b,"metadata":%b}' % (
                compact(api_version),
                items,
                compact(kind),
                compact(metadata),
            )
        else:
            body = b'{"kind":%b,"apiVersion":%b,"metadata":%b,"items":[%b]}' % (
                compact(kind),
                compact(api_version),
                compact({name: metadata[name] for name in LIST_META if name in metadata}),
                items,
            )
        if request.pretty:
            body = json.dumps(json.loads(body), indent=2, ensure_ascii=False).encode()
        exchange.respond(200, body if request.pretty else body + b"\n")

    # --- watching ---

    def _watch(self, exchange, resource):
        request = exchange.request
        wanted = request.query.get("resourceVersion") or "0"
        if not wanted.isdigit():
            raise status.bad_request("invalid resource version %s" % wanted)
        chosen = self._chooser(request, resource)
        version = None if wanted == "0" else int(wanted)
        if version is not None:
            self._check_version(request, self._storage.version)
        with self._storage.watch(resource, version) as watcher:
            if watcher is None:
                self._too_old(exchange, resource, version)
            else:
                exchange.begin_stream()
                Watch(exchange, resource, watcher, chosen, self.settings, self._storage).run()
                exchange.end_stream()

    def _too_old(self, exchange, resource, version):
        oldest = self._storage.table(resource).oldest
        error = status.expired("too old resource version: %d (%d)" % (version, oldest))
        if self.settings.expired_in_head:
            raise error
        exchange.begin_stream()
        exchange.send_chunk(compact({"type": "ERROR", "object": error.body}) + b"\n")
        exchange.end_stream()

    # --- writing ---

    def _create(self, exchange, resource):
        write = Write(exchange.request, resource)
        stored = self._writes.create(write, exchange.request.document())
        self._object(exchange, resource, stored, 201, write.warnings)

    def _update(self, exchange, resource):
        write = Write(exchange.request, resource)
        stored, _ = self._writes.update(write, exchange.request.document())
        self._object(exchange, resource, stored, 200, write.warnings)

    def _patch(self, exchange, resource):
        write = Write(exchange.request, resource)
        stored, created = self._writes.patch(write)
        self._object(exchange, resource, stored, 201 if created else 200, write.warnings)

    def _delete(self, exchange, resource):
        request = exchange.request
        options = request.document() if request.body else None
        last = self._writes.delete(Write(request, resource), options)
        if resource.plural in ("namespaces", "pods"):
            self._object(exchange, resource, last)
            return
        uid = last.obj["metadata"]["uid"]
        report = status.success(request.name, resource.group, resource.plural, uid)
        self._document(exchange, report)

    def _delete_all(self, exchange, resource):
        request = exchange.request
        with self._storage.lock:
            _, page, _, _ = self._page(request, resource)
            gone = [self._writes.remove(resource, stored) for stored in page]
        items = [json.loads(one.encode(resource, request.version)) for one in gone]
        self._document(
            exchange,
            {
                "kind": resource.list_kind,
                "apiVersion": resource.api_version(request.version),
                "metadata": {"resourceVersion": str(self._storage.version)},
                "items": items,
            },
        )
