# SPDX-License-Identifier: Apache-2.0
"""Creating, changing and deleting objects, as the handlers of an API server do it."""

import random
import uuid

from . import builtin, managed, patches, schema, status
from .incoming import APPLY, check_identity, now, prepare, validate
from .storage import Stored

PATCHES = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
)
# What the server decides; a client's word on it is dropped.
OWN = ("uid", "creationTimestamp", "generation", "deletionTimestamp", "selfLink")
ATTEMPTS = 5
PRECONDITION = (
    "StorageError: invalid object, Code: 4, Key: /registry/%s, ResourceVersion: 0, "
    "AdditionalErrorMsg: Precondition failed: %s in precondition: %s, %s in object meta: %s"
)
NOT_THERE = (
    "uid mismatch: the provided object specified uid %s, and no existing object was found"
)


class Writes:
    def __init__(self, storage, registry, authorizer, admission):
        self._storage, self._registry = storage, registry
        self._authorizer, self._admission = authorizer, admission

    # --- creating ---

    def _check_namespace(self, write):
        namespace = write.request.namespace
        if not write.resource.namespaced:
            return
        if not namespace:
            raise status.method_not_allowed(write.resource.group, write.resource.plural)
        namespaces = self._registry.get("", "namespaces")
        if ("", namespace) not in self._storage.table(namespaces).objects:
            raise status.not_found("", "namespaces", namespace)

    def create(self, write, obj):
        """POST."""
        check_identity(write, obj)
        metadata = obj["metadata"]
        if metadata.get("resourceVersion"):
            words = "resourceVersion should not be set on objects to be created"
            raise status.ApiError(500, "", words)
        if not metadata.get("name") and not metadata.get("generateName"):
            words = "Required value: name or generateName is required"
            raise write.invalid("metadata.name", "Required", words)
        self._check_namespace(write)
        for name in OWN:
            metadata.pop(name, None)
        obj = prepare(write, obj)
        entries = managed.updated({}, obj, write.resource, write.kind, write.writer("Update"))
        obj["metadata"]["managedFields"] = entries
        return self._create(write, obj)

    def _create(self, write, obj):
        """A new object, prepared, on its way past admission into the storage."""
        resource = write.resource
        for name, nothing in resource.empty.items():
            obj.setdefault(name, dict(nothing))
        obj = self._admission.mutate(write, "CREATE", obj, None, prepare)
        metadata = obj["metadata"] = dict(obj["metadata"])
        if not metadata.get("name"):
            alphabet = "bcdfghjklmnpqrstvwxz2456789"
            metadata["name"] = metadata["generateName"] + "".join(random.choices(alphabet, k=5))
            builtin.fill(resource, obj)
        metadata["uid"] = str(uuid.uuid4())
        metadata["creationTimestamp"] = now()
        if resource.generations:
            metadata["generation"] = 1
        if resource.has_status and resource.custom:
            obj.pop("status", None)
        builtin.begin(resource, obj)
        validate(write, obj)
        self._admission.validate(write, "CREATE", obj, None)
        with self._storage.lock:
            key = (metadata.get("namespace", ""), metadata["name"])
            if key in self._storage.table(resource).objects:
                raise status.already_exists(resource.group, resource.plural, key[1])
            if resource.plural == "customresourcedefinitions":
                obj["status"] = builtin.established(obj, now())
            return self._store(write, obj, None)

    # --- changing ---

    def _find(self, write):
        request = write.request
        own_namespace = request.namespace if write.resource.namespaced else ""
        return self._storage.table(write.resource).objects.get((own_namespace, request.name))

    def update(self, write, obj):
        """PUT."""
        check_identity(write, obj)
        given = obj["metadata"].get("resourceVersion")

        def make(old):
            # The uid is checked first, even without an object.
            self._check_precondition(write, old, "UID", "uid", obj["metadata"])
            if old is None:
                raise write.not_found()
            if not given and write.resource.custom:
                words = "Invalid value: 0x0: must be specified for an update"
                raise write.invalid("metadata.resourceVersion", "Invalid", words)
            new = self._rooted(write, old, prepare(write, obj))
            return self._owned(write, old, new)

        return self._modify(write, make, retry=not given)

    def _check_precondition(self, write, old, word, name, wanted):
        there = old.obj["metadata"][name] if old else ""
        if wanted.get(name) and wanted[name] != there:
            request, resource = write.request, write.resource
            own_namespace = request.namespace if resource.namespaced else ""
            parts = (resource.group, resource.plural, own_namespace, request.name)
            steps = [one for one in parts if one]
            details = ("/".join(steps), word, wanted[name], word, there)
            raise write.conflict(PRECONDITION % details)

    def patch(self, write):
        """PATCH."""
        media_type = write.request.media_type
        if media_type == APPLY:
            return self._apply(write)
        if media_type not in PATCHES:
            raise status.unsupported(media_type)
        document = write.request.document()

        def make(old):
            if old is None:
                raise write.not_found()
            base = write.live(old)
            new = patches.by_media_type(media_type, base, document, write.kind)
            check_identity(write, new)
            new = self._rooted(write, old, prepare(write, new))
            return self._owned(write, old, new)

        return self._modify(write, make, retry=True)

    def _owned(self, write, old, new):
        """With the managedFields of an update."""
        live = write.live(old)
        writer = write.writer("Update")
        entries = managed.updated(live, new, write.resource, write.kind, writer)
        new["metadata"]["managedFields"] = entries
        return new

    def _rooted(self, write, old, new):
        """What a client sends, with what it cannot change from the object there is."""
        was = old.obj["metadata"]
        metadata = dict(new["metadata"])
        given = metadata.get("resourceVersion")
        if given and given != was["resourceVersion"]:
            raise write.conflict()
        if metadata.get("uid", was["uid"]) != was["uid"]:
            words = 'Invalid value: "%s": field is immutable' % metadata["uid"]
            raise write.invalid("metadata.uid", "Invalid", words)
        for name in OWN + ("resourceVersion",):
            metadata.pop(name, None)
            if name in was:
                metadata[name] = was[name]
        if write.subresource == "status":
            kept = {name: value for name, value in write.live(old).items() if name != "status"}
            # A custom resource keeps its metadata; of a built-in one the labels and
            # annotations are taken as they come.
            if write.resource.custom:
                metadata = dict(was, managedFields=metadata.get("managedFields", []))
            kept["metadata"] = metadata
            return {**kept, **({"status": new["status"]} if "status" in new else {})}
        if write.resource.has_status:
            new = {k: v for k, v in new.items() if k != "status"}
            if "status" in old.obj:
                new["status"] = old.obj["status"]
        return dict(new, metadata=metadata)

    def _modify(self, write, make, retry):
        """Changes an object: make(stored or None) gives what it is to be."""
        for _ in range(ATTEMPTS):
            old = self._find(write)
            new = make(old)
            if old is None:
                return self._create(write, new), True
            new = self._admission.mutate(write, "UPDATE", new, old, prepare)
            new = self._rooted(write, old, new)
            validate(write, new)
            self._admission.validate(write, "UPDATE", new, old)
            with self._storage.lock:
                if self._find(write) is old:
                    return self._replace(write, old, new), False
            if not retry:
                break
        raise write.conflict()

    def _replace(self, write, old, new):
        resource = write.resource
        metadata = new["metadata"] = dict(new["metadata"])
        was, now_is = (_counted(resource, obj) for obj in (old.obj, new))
        if resource.generations and was != now_is:
            metadata["generation"] = old.obj["metadata"].get("generation", 0) + 1
        if _same(old.obj, new):
            return old
        return self._store(write, new, old)

    # --- server-side apply ---

    def _apply(self, write):
        request, resource = write.request, write.resource
        if not request.query.get("fieldManager"):
            words = "Required value: is required for apply patch"
            problem = ("fieldManager", "FieldValueRequired", words)
            raise status.invalid("meta.k8s.io", "PatchOptions", "", [problem])
        config = request.document()
        check_identity(write, config)
        if config["metadata"].get("managedFields"):
            raise status.bad_request("metadata.managedFields must be nil")
        unknown = []
        config = schema.prune(config, write.kind, unknown)
        if unknown:
            details = [".%s: field not declared in schema" % path for path in unknown]
            place = (request.namespace, request.name, write.api_version, resource.kind)
            words = "failed to create typed patch object (%s/%s; %s, Kind=%s): " % place
            raise status.ApiError(500, "", words + ", ".join(details))
        return self._modify(write, lambda old: self._applied(write, config, old), retry=True)

    def _applied(self, write, config, old):
        metadata = config["metadata"]
        if old is None:
            if write.subresource:
                raise write.not_found()
            self._authorize_create(write)
            if metadata.get("uid"):  # a resourceVersion does not keep it from being created
                raise write.conflict(NOT_THERE % metadata["uid"])
            self._check_namespace(write)
        elif (metadata.get("resourceVersion") or str(old.version)) != str(old.version):
            raise write.conflict()
        said = {name: value for name, value in metadata.items() if name != "resourceVersion"}
        new = managed.applied(
            write.live(old) if old else {},
            dict(config, metadata=said),
            write.resource,
            write.kind,
            write.writer("Apply"),
            write.request.flag("force"),
        )
        new = prepare(write, new)
        return self._rooted(write, old, new) if old else new

    def _authorize_create(self, write):
        request, resource = write.request, write.resource
        place = (resource.group, resource.plural, request.subresource, request.namespace)
        if not self._authorizer.allows(request.who, "create", *place, request.name):
            raise status.forbidden(request.user, "create", *place, request.name)

    # --- deleting ---

    def delete(self, write, options):
        """DELETE of one object. Finalizers are none of its business."""
        old = self._find(write)
        if old is None:
            raise write.not_found()
        wanted = (options or {}).get("preconditions") or {}
        for name, word in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
            self._check_precondition(write, old, word, name, wanted)
        self._admission.delete(write, old)
        if write.dry_run:
            return old
        with self._storage.lock:
            if self._find(write) is None:
                raise write.not_found()
            return self.remove(write.resource, self._find(write))

    def remove(self, resource, old):
        """Takes an object out, and what goes with it."""
        if resource.plural == "namespaces" and not resource.group:
            old = self._end_namespace(resource, old)
        if resource.plural == "customresourcedefinitions":
            spec = old.obj["spec"]
            made = self._registry.get(spec["group"], spec["names"]["plural"])
            for one in list(self._storage.table(made).objects.values()) if made else ():
                self._storage.delete(made, one)
            self._storage.drop(self._registry.undefine(old.obj))
        return self._storage.delete(resource, old)

    def _end_namespace(self, resource, old):
        """It terminates, its objects go."""
        metadata = dict(old.obj["metadata"], deletionTimestamp=now())
        ending = dict(old.obj, metadata=metadata, status={"phase": "Terminating"})
        ending = self._storage.put(resource, ending, old)
        for group, versions in self._registry.groups().items():
            for other in self._registry.in_version(group, versions[0]):
                table = self._storage.table(other)
                for (own_namespace, _), one in list(table.objects.items()):
                    if own_namespace and own_namespace == metadata["name"]:
                        self._storage.delete(other, one)
        return ending

    # --- storing ---

    def _store(self, write, obj, old):
        if write.dry_run:
            metadata = dict(obj["metadata"])
            metadata.setdefault("resourceVersion", "0")
            return Stored(dict(obj, metadata=metadata))
        stored = self._storage.put(write.resource, obj, old)
        if write.resource.plural == "customresourcedefinitions":
            before = old and self._registry.get(
                obj["spec"]["group"], obj["spec"]["names"]["plural"]
            )
            made = self._registry.define(obj)
            if before and set(before.versions) != set(made.versions):
                self._storage.end_watches(made)
        return stored


def _counted(resource, obj):
    """What a generation counts."""
    skipped = {"apiVersion", "kind", "metadata"}
    if resource.has_status:
        skipped.add("status")
    return {name: value for name, value in obj.items() if name not in skipped}


def _same(old, new):
    """Equal, in whatever version?"""
    head = {"apiVersion": "", "kind": ""}
    return {**old, **head} == {**new, **head}
