# SPDX-License-Identifier: Apache-2.0
"""The stand-in as one thing: the server, its users, its faults, its kubeconfigs."""

import copy
import pathlib

from provider import Authority

from . import kubeconfig
from .admission import Admission
from .api import Api
from .auth import (
    MASTERS,
    Authenticator,
    Authorizer,
    ServiceAccountFolder,
    User,
    service_account,
)
from .binding import Bindings
from .faults import Faults
from .http_server import HttpServer
from .incoming import Write
from .request import Request
from .resources import Registry
from .storage import Storage
from .writes import Writes

NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
ADMIN = "admin"


class Standin:
    """A running stand-in. Folder: where its certificates and kubeconfigs go."""

    def __init__(self, folder, port=0):
        self.folder = pathlib.Path(folder)
        self.authority = Authority(self.folder)
        self.storage, self.registry, self.faults = Storage(), Registry(), Faults()
        self.authenticator = Authenticator()
        self.authorizer = Authorizer(self._roles)
        self.admission = Admission(self.storage, self.registry)
        self._writes = Writes(self.storage, self.registry, self.authorizer, self.admission)
        self.api = Api(
            self.storage,
            self.registry,
            self._writes,
            Bindings(self.storage, self.registry.get("", "pods"), self.admission),
            self.authenticator,
            self.authorizer,
            self.faults,
        )
        names = "DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1"
        cert, key = self.authority.issue("apiserver", names)
        self.http = HttpServer(cert, key, self.authority.cert, self.api.handle, port)
        for name in NAMESPACES:
            self.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self.kubeconfig = self.kubeconfig_for(ADMIN, [MASTERS], certificate=True)

    @property
    def port(self):
        return self.http.port

    @property
    def url(self):
        return "https://localhost:%d" % self.port

    @property
    def settings(self):
        return self.api.settings

    @property
    def log(self):
        return self.api.log

    def wait(self, count=1, timeout=10, **wanted):
        """Waits for this many answered requests with these attributes; gives them."""
        return self.api.wait(count, timeout, **wanted)

    def close(self):
        """Ends it; fails where the stand-in itself made a mistake."""
        self.http.close()
        self.admission.close()
        assert not self.api.mistakes, "\n".join(self.api.mistakes)

    # --- what is there ---

    def load(self, *objects):
        """Puts objects in as an administrator would, but past admission and without HTTP.
        An object that is there is replaced."""
        for obj in objects:
            resource = self.registry.of_kind(obj["apiVersion"], obj["kind"])
            if resource is None:
                raise LookupError("nothing serves %s %s" % (obj["apiVersion"], obj["kind"]))
            self._load(resource, obj)

    def _load(self, resource, obj):
        obj = copy.deepcopy(obj)  # the stored object is not shared
        metadata = obj.setdefault("metadata", {})
        group, _, version = obj["apiVersion"].rpartition("/")
        own_namespace = ""
        if resource.namespaced:
            own_namespace = metadata.setdefault("namespace", "default")
        request = Request("POST", "/", {"user-agent": "standin"}, b"")
        request.group, request.version, request.namespace = group, version, own_namespace
        write = Write(request, resource)
        write.admit = False
        old = self.storage.table(resource).objects.get((own_namespace, metadata["name"]))
        if old is None:
            self._writes.create(write, obj)
            return
        request.name = metadata["name"]
        metadata["resourceVersion"] = old.obj["metadata"]["resourceVersion"]
        self._writes.update(write, obj)

    def warm(self):
        """Makes the JSON of everything that is there, so that no list waits for it."""
        for group, versions in self.registry.groups().items():
            for resource in self.registry.in_version(group, versions[0]):
                forms = ["object", "partial"] + ([] if resource.custom else ["item"])
                for stored in list(self.storage.table(resource).objects.values()):
                    for form in forms:
                        stored.encode(resource, versions[0], form)

    def objects(self, group, plural):
        """The stored objects of a resource."""
        resource = self.registry.get(group, plural)
        return [stored.obj for stored in list(self.storage.table(resource).objects.values())]

    def _roles(self, plural):
        return self.objects("rbac.authorization.k8s.io", plural)

    def expire(self):
        """Compaction: every version that clients know now is too old for a watch or for a
        continued list."""
        self.storage.forget()

    # --- who may come ---

    def token_for(self, name, groups=("system:authenticated",)):
        """A token of a user; the older ones stay valid until `revoke`."""
        return self.authenticator.issue(User(name, groups))

    def revoke(self, token):
        self.authenticator.revoke(token)

    def grant(self, user, verbs, resources, **more):
        """Adds a rule to a user (see `Authorizer.grant`)."""
        self.authorizer.grant(user, verbs, resources, **more)

    def kubeconfig_for(self, user, groups=(), certificate=False, **how):
        """A kubeconfig for a user, with a token or a client certificate. how: namespace;
        embedded=True: files within it in base64."""
        path = self.folder / ("%s.kubeconfig" % user.replace(":", "-"))
        if certificate:
            self.authenticator.groups[user] = list(groups)
            how["cert"], how["key"] = self.authority.issue(user)
        else:
            how["token"] = self.token_for(user, [*groups, "system:authenticated"])
        return kubeconfig.write(path, self.url, self.authority.cert, **how)

    def service_account(self, namespace, name, folder):
        """A mounted service account: (its folder, a function that rotates its token and
        gives the old one)."""
        user = service_account(namespace, name)
        tokens = [self.authenticator.issue(user)]
        mounted = ServiceAccountFolder(folder, self.authority.cert, namespace, tokens[0])

        def rotate():
            tokens.append(self.authenticator.issue(user))
            mounted.write(tokens[-1])
            return tokens[-2]

        return mounted, rotate

    # --- when it is away ---

    def disappear(self):
        """New connections are refused, those there are end."""
        self.http.stop_listening()
        self.http.hang_up()

    def reappear(self):
        self.http.listen()

    def freeze(self):
        """Connections are accepted and stay open, but not a byte is said."""
        self.http.gate.clear()

    def thaw(self):
        self.http.gate.set()

    def close_idle(self):
        """Ends the connections that carry no request now."""
        self.http.hang_up(idle_only=True)
