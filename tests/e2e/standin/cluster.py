# SPDX-License-Identifier: Apache-2.0
"""The cluster of a scenario: the stand-in, or the server that FIXPOINT_KUBECONFIG names.

All of it but `standin` works with both; a test that needs faults, the log of requests or
other users begins with `cluster.need_standin()`."""

import base64
import concurrent.futures
import http.client
import json
import os
import pathlib
import ssl
import threading
import time
import urllib.parse

import pytest

from .faults import TESTS
from .kubeconfig import Access
from .server import MASTERS, Standin

SLOW = float(os.environ.get("FIXPOINT_SLOW", "1"))
PATCHES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


class Refused(Exception):
    """An answer that is an error; `code`, and `status`: its body, read."""

    def __init__(self, code, body):
        super().__init__("%d %s" % (code, body.decode("utf-8", "replace")))
        self.code = code
        try:
            self.status = json.loads(body)
        except ValueError:
            self.status = None

    @property
    def message(self):
        return (self.status or {}).get("message", "")


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


class Cluster:
    """`Cluster(folder)`: the stand-in, unless FIXPOINT_KUBECONFIG names a server."""

    def __init__(self, folder, real=None):
        real = real or os.environ.get("FIXPOINT_KUBECONFIG")
        self.standin = None if real else Standin(pathlib.Path(folder))
        self.kubeconfig = pathlib.Path(real) if real else self.standin.kubeconfig
        self._access = Access(self.kubeconfig)
        self._local, self._open = threading.local(), []
        self._resources, self._made = {}, {}

    def close(self):
        """Ends the stand-in; on a real server, deletes what was made through here."""
        if self.standin is None:
            for path in reversed(self._made):
                self.request("DELETE", path)
        for connection in self._open:
            connection.close()
        if self.standin:
            self.standin.close()

    def need_standin(self):
        if self.standin is None:
            pytest.skip("needs the stand-in")
        return self.standin

    def kubeconfig_for(self, user="fixpoint", **how):
        """A kubeconfig for the program under test. Of the stand-in: a user with all rights
        and a token (`certificate=True`: with a client certificate); of a real server: the
        one there is."""
        if self.standin is None:
            return self.kubeconfig
        how.setdefault("groups", [MASTERS])
        return self.standin.kubeconfig_for(user, **how)

    # --- plain HTTP ---

    def _connect(self, timeout=60):
        access = self._access
        return http.client.HTTPSConnection(
            access.host, access.port, timeout=timeout * SLOW, context=access.context
        )

    def _connection(self):
        """This thread's connection, and whether it was used before."""
        known = getattr(self._local, "connection", None)
        if known is None:
            known = self._local.connection = self._connect()
            self._open.append(known)
        return known, known.sock is not None

    def request(self, method, path, body=None, media_type="application/json", headers=()):
        """Any request; gives the Answer, whatever it is."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        head = {"User-Agent": TESTS, "Accept": "application/json", **dict(headers)}
        if self._access.token:
            head["Authorization"] = "Bearer " + self._access.token
        if body is not None:
            head["Content-Type"] = media_type
        while True:
            connection, used = self._connection()
            try:
                connection.request(method, path, body, head)
                got = connection.getresponse()
                return Answer(got.status, got.headers, got.read())
            except (http.client.HTTPException, ConnectionError, ssl.SSLError):
                connection.close()
                if not used:  # an idle connection may have ended; a new one may not
                    raise

    def _json(self, *arguments, **more):
        answer = self.request(*arguments, **more)
        if answer.status >= 300:
            raise Refused(answer.status, answer.body)
        return answer.json()

    # --- names of things ---

    def _served(self, group, version=None):
        """The resources of a group's version (the preferred one where none is said)."""
        root = "/apis/" + group if group else "/api"
        if not version:
            version = "v1"
            if group:
                version = self._json("GET", root)["preferredVersion"]["version"]
        path = "%s/%s" % (root, version)
        if path not in self._resources:
            self._resources[path] = self._json("GET", path)["resources"]
        return path, self._resources[path]

    def _find(self, group, version, wanted):
        """(path of the group and version, resource) of what fits `wanted`."""
        for fresh in (False, True):
            if fresh:
                self._resources.clear()
            path, served = self._served(group, version)
            for one in served:
                if "/" not in one["name"] and wanted(one):
                    return path, one
        raise LookupError("nothing such is served in %s" % path)

    def path(
        self, resource, name=None, namespace=None, version=None, subresource=None, **query
    ):
        """The path of `plural` or `plural.group`, or of one object of it."""
        plural, _, group = resource.partition(".")
        root, described = self._find(group, version, lambda one: one["name"] == plural)
        return self._join(root, described, name, namespace, subresource, query)

    def _join(self, root, described, name, namespace, subresource, query):
        steps = [root]
        if described["namespaced"] and namespace:
            steps += ["namespaces", namespace]
        steps += [described["name"]] + [step for step in (name, subresource) if step]
        path = "/".join(steps)
        return path + "?" + urllib.parse.urlencode(query) if query else path

    def path_of(self, obj, subresource=None, named=True, **query):
        """The path of an object, or of where it is to be created."""
        group, _, version = obj["apiVersion"].rpartition("/")
        root, described = self._find(group, version, lambda one: one["kind"] == obj["kind"])
        namespace = obj["metadata"].get("namespace", "default")
        name = obj["metadata"]["name"] if named else None
        return self._join(root, described, name, namespace, subresource, query)

    # --- verbs ---

    def create(self, obj, **query):
        made = self._json("POST", self.path_of(obj, named=False, **query), obj)
        self._remember(made)
        return made

    def _remember(self, obj):
        if self.standin is None:
            self._made[self.path_of(obj)] = None

    def create_all(self, objects, threads=8):
        """Creates many, over several connections."""
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            return list(pool.map(self.create, objects))

    def load(self, *objects):
        """Puts objects in quickly: into the stand-in past admission."""
        if self.standin:
            self.standin.load(*objects)
        else:
            self.create_all(objects)

    def define(self, *definitions):
        """Creates the definitions that are not there, and waits until they are served."""
        group = "customresourcedefinitions.apiextensions.k8s.io"
        for one in definitions:
            name = one["metadata"]["name"]
            found = self.find(group, name)
            if found and "deletionTimestamp" in found["metadata"]:  # by the test before
                self.wait(group, name, lambda obj: obj is None)
                found = None
            if not found:
                self.create(one)
            self.wait(group, name, _is_served)

    def get(self, resource, name, namespace=None, **query):
        return self._json("GET", self.path(resource, name, namespace, **query))

    def find(self, resource, name, namespace=None, **query):
        """The object, or None."""
        try:
            return self.get(resource, name, namespace, **query)
        except Refused as refused:
            if refused.code != 404:
                raise
            return None

    def list(self, resource, namespace=None, **query):
        """The items of a list."""
        return self._json("GET", self.path(resource, None, namespace, **query))["items"]

    def bind(self, pod, node, namespace="default", **query):
        """Puts a Pod on a Node, as a scheduler does; gives the Answer."""
        metadata = {"name": pod, "namespace": namespace}
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target}
        path = self.path("pods", pod, namespace, subresource="binding", **query)
        return self.request("POST", path, body)

    def update(self, obj, subresource=None, **query):
        return self._json("PUT", self.path_of(obj, subresource, **query), obj)

    def patch(self, resource, name, patch, namespace=None, how="merge", **more):
        """how: merge, json, strategic."""
        path = self.path(resource, name, namespace, **more)
        return self._json("PATCH", path, patch, media_type=PATCHES[how])

    def apply(self, obj, manager="tests", force=True, subresource=None, **query):
        """Server-side apply."""
        query.update({"fieldManager": manager, "force": str(bool(force)).lower()})
        path = self.path_of(obj, subresource, **query)
        made = self._json("PATCH", path, obj, media_type=PATCHES["apply"])
        self._remember(made)
        return made

    def delete(self, resource, name, namespace=None, **options):
        body = {"kind": "DeleteOptions", "apiVersion": "v1", **options} if options else None
        return self._json("DELETE", self.path(resource, name, namespace), body)

    def delete_all(self, resource, namespace=None, **query):
        return self._json("DELETE", self.path(resource, None, namespace, **query))

    def watch(self, resource, namespace=None, seconds=30, **query):
        """The events of a watch, until it ends."""
        query.update({"watch": "true", "timeoutSeconds": int(seconds)})
        path = self.path(resource, None, namespace, **query)
        head = {"User-Agent": TESTS}
        if self._access.token:
            head["Authorization"] = "Bearer " + self._access.token
        connection = self._connect(seconds + 10)
        try:
            connection.request("GET", path, headers=head)
            got = connection.getresponse()
            if got.status != 200:
                raise Refused(got.status, got.read())
            for line in got:
                yield json.loads(line)
        finally:
            connection.close()

    def wait(self, resource, name, holds, namespace=None, timeout=10):
        """Waits until holds(object or None), and gives the object."""
        deadline = time.monotonic() + timeout * SLOW
        while True:
            obj = self.find(resource, name, namespace)
            if holds(obj):
                return obj
            if time.monotonic() > deadline:
                raise AssertionError(
                    "%s %s is %s" % (resource, name, json.dumps(obj, indent=1))
                )
            time.sleep(0.02)


def _is_served(definition):
    conditions = ((definition or {}).get("status") or {}).get("conditions") or ()
    return any((one["type"], one["status"]) == ("Established", "True") for one in conditions)


def webhook(name, ca, url=None, service=None, **more):
    """One webhook of a configuration, as Fixpoint's chart has it. `ca`: PEM; `service`:
    (namespace, name, path)."""
    client = {"caBundle": base64.b64encode(ca).decode()} if ca else {}
    if url:
        client["url"] = url
    else:
        client["service"] = dict(zip(("namespace", "name", "path"), service))
    rule = {"operations": ["CREATE", "UPDATE"], "apiGroups": ["*"], "apiVersions": ["*"]}
    return {
        "name": name,
        "clientConfig": client,
        "rules": [{**rule, "resources": ["*"], "scope": "*"}],
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "timeoutSeconds": 2,
        "failurePolicy": "Ignore",
        "reinvocationPolicy": "IfNeeded",
        **more,
    }


def configuration(*webhooks, kind="Mutating", name=None, **metadata):
    """A webhook configuration, named as Gatekeeper's unless said."""
    name = name or "gatekeeper-%s-webhook-configuration" % kind.lower()
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind + "WebhookConfiguration",
        "metadata": {"name": name, **metadata},
        "webhooks": list(webhooks),
    }
