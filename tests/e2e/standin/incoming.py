# SPDX-License-Identifier: Apache-2.0
"""What comes to be written: who writes it and how, and the object as the server reads it."""

import datetime

from . import builtin, managed, schema, status

APPLY = "application/apply-patch+yaml"


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Write:
    """One request that writes: what it writes, how, and the messages about it."""

    def __init__(self, request, resource):
        self.request, self.resource = request, resource
        self.version = request.version
        self.kind = resource.type_of(request.version)
        self.api_version = resource.api_version(request.version)
        self.subresource = request.subresource
        self.dry_run = request.query.get("dryRun") == "All"
        self.admit = True  # ask the webhooks
        self.warnings = []

    @property
    def manager(self):
        given = self.request.query.get("fieldManager")
        return given or self.request.user_agent.partition("/")[0] or "unknown"

    def writer(self, operation):
        return managed.Writer(
            self.manager, operation, self.api_version, self.subresource, now()
        )

    def conflict(self, why=status.MODIFIED):
        return status.conflict(
            self.resource.group, self.resource.plural, self.request.name, why
        )

    def not_found(self):
        return status.not_found(self.resource.group, self.resource.plural, self.request.name)

    def invalid(self, field, reason, message):
        return status.invalid(
            self.resource.group,
            self.resource.kind,
            self.request.name,
            [(field, "FieldValue" + reason, message)],
        )

    def live(self, old):
        """A stored object in the version of the request."""
        return dict(old.obj, apiVersion=self.api_version, kind=self.resource.kind)

    def options(self, operation):
        """The `options` of an admission review."""
        kind = {"CREATE": "Create", "UPDATE": "Update", "DELETE": "Delete"}[operation]
        if self.request.verb == "patch" and operation == "UPDATE":
            kind = "Patch" if self.request.media_type == APPLY else "Update"
        options = {"kind": kind + "Options", "apiVersion": "meta.k8s.io/v1"}
        if self.dry_run:
            options["dryRun"] = ["All"]
        for name in ("fieldManager", "fieldValidation"):
            if name in self.request.query:
                options[name] = self.request.query[name]
        if kind == "Patch" and self.request.flag("force"):
            options["force"] = True
        return options


def check_identity(write, obj):
    """The body must be of this kind, name and namespace."""
    request, resource = write.request, write.resource
    if not isinstance(obj, dict):
        raise status.bad_request("the object provided is unrecognized: no object")
    given = (obj.get("apiVersion"), obj.get("kind"))
    if not all(isinstance(one, str) and one for one in given):
        raise status.bad_request("Object 'Kind' or 'apiVersion' is missing")
    if given != (write.api_version, resource.kind):
        raise status.bad_request(
            "the API version and kind in the data (%s, %s) do not match the expected (%s, %s)"
            % (*given, write.api_version, resource.kind)
        )
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        metadata = obj["metadata"] = {}
    for name, wanted in (("namespace", request.namespace), ("name", request.name)):
        if name == "namespace" and not resource.namespaced:
            wanted = ""
        value = metadata.get(name) or ""
        if value and value != wanted and (wanted or name == "namespace"):
            raise status.bad_request(
                "the %s of the object (%s) does not match the %s on the %s (%s)"
                % (name, value, name, "URL" if name == "name" else "request", wanted)
            )
        if wanted:
            metadata[name] = wanted


def prepare(write, obj):
    """The object as it is decoded: pruned, with defaults; refused where a built-in
    type does not hold it."""
    resource = write.resource
    if not resource.custom:
        wrong = schema.mismatch(obj, write.kind)
        if wrong:
            raise status.bad_request(
                '%s in version "%s" cannot be handled as a %s: json: cannot unmarshal %s '
                "into Go struct field %s of type %s"
                % (
                    resource.kind,
                    write.version,
                    resource.kind,
                    wrong[2],
                    wrong[0],
                    wrong[1],
                )
            )
        builtin.check_decoding(resource, write.version, obj)
    unknown = []
    obj = schema.prune(obj, write.kind, unknown)
    _tell_unknown(write, unknown)
    obj["metadata"] = dict(obj["metadata"])
    if resource.custom:
        obj = schema.fill(obj, write.kind)
    else:
        builtin.fill(resource, obj)
    return obj


def _tell_unknown(write, unknown):
    how = write.request.query.get("fieldValidation", "Warn")
    messages = ['unknown field "%s"' % path for path in unknown]
    if messages and how == "Strict":
        raise status.bad_request(
            '%s in version "%s" cannot be handled as a %s: strict decoding error: %s'
            % (write.resource.kind, write.version, write.resource.kind, ", ".join(messages))
        )
    if how == "Warn":
        write.warnings += messages


def validate(write, obj):
    resource = write.resource
    found = list(builtin.problems(resource, obj))
    if resource.custom:
        found += schema.problems(obj, write.kind)
        found += schema.problems(obj["metadata"], write.kind.metadata, "metadata")
    if found:
        name = obj["metadata"].get("name", "")
        raise status.invalid(resource.group, resource.kind, name, found)
