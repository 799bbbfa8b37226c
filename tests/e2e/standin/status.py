# SPDX-License-Identifier: Apache-2.0
"""Refusals, with the messages and the form of an API server."""

import json


class ApiError(Exception):
    """A refusal; `body` is its Status."""

    def __init__(self, code, reason, message, details=None, metadata=None, headers=()):
        super().__init__(message)
        self.code = code
        self.headers = list(headers)
        self.body = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": metadata or {},
            "status": "Failure",
            "message": message,
        }
        if reason:
            self.body["reason"] = reason
        if details:
            self.body["details"] = details
        self.body["code"] = code

    def encode(self):
        return json.dumps(self.body, indent=2, ensure_ascii=False).encode()


class PageNotFound(Exception):
    """A path that nothing serves: plain text, no Status."""


def _details(group, kind, name="", **more):
    details = {"name": name, "group": group, "kind": kind, **more}
    return {key: value for key, value in details.items() if value}


def _qualified(resource, group):
    return resource + "." + group if group else resource


def success(name, group, resource, uid):
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": _details(group, resource, name, uid=uid),
    }


def unauthorized():
    return ApiError(401, "Unauthorized", "Unauthorized")


def forbidden(user, verb, group, resource, subresource, namespace, name):
    what = resource + "/" + subresource if subresource else resource
    where = 'in the namespace "%s"' % namespace if namespace else "at the cluster scope"
    named = (
        '%s "%s"' % (_qualified(resource, group), name) if name else _qualified(resource, group)
    )
    message = '%s is forbidden: User "%s" cannot %s resource "%s" in API group "%s" %s' % (
        named,
        user,
        verb,
        what,
        group,
        where,
    )
    return ApiError(
        403,
        "Forbidden",
        message,
        _details(group, resource, name),
        headers=[("X-Content-Type-Options", "nosniff")],
    )


def forbidden_path(user, verb, path):
    message = 'forbidden: User "%s" cannot %s path "%s"' % (user, verb, path)
    return ApiError(
        403, "Forbidden", message, {}, headers=[("X-Content-Type-Options", "nosniff")]
    )


def not_found(group, resource, name):
    return ApiError(
        404,
        "NotFound",
        '%s "%s" not found' % (_qualified(resource, group), name),
        _details(group, resource, name),
    )


def no_such_path():
    return ApiError(
        404, "NotFound", "the server could not find the requested resource", {"causes": []}
    )


def already_exists(group, resource, name):
    return ApiError(
        409,
        "AlreadyExists",
        '%s "%s" already exists' % (_qualified(resource, group), name),
        _details(group, resource, name),
    )


MODIFIED = (
    "the object has been modified; "
    "please apply your changes to the latest version and try again"
)


def conflict(group, resource, name, why=MODIFIED):
    return ApiError(
        409,
        "Conflict",
        'Operation cannot be fulfilled on %s "%s": %s'
        % (_qualified(resource, group), name, why),
        _details(group, resource, name),
    )


def apply_conflict(conflicts):
    """`conflicts`: pairs of texts: a manager and a path."""
    causes = [
        {"reason": "FieldManagerConflict", "message": "conflict with " + manager, "field": path}
        for manager, path in conflicts
    ]
    if len(conflicts) == 1:
        message = "Apply failed with 1 conflict: conflict with %s: %s" % conflicts[0]
    else:
        by_manager = {}
        for manager, path in conflicts:
            by_manager.setdefault(manager, []).append(path)
        lines = [
            "conflicts with %s:\n%s" % (manager, "\n".join("- " + path for path in paths))
            for manager, paths in sorted(by_manager.items())
        ]
        message = "Apply failed with %d conflicts: %s" % (len(conflicts), "\n".join(lines))
    return ApiError(409, "Conflict", message, {"causes": causes})


def expired(message, metadata=None):
    return ApiError(410, "Expired", message, metadata=metadata)


def bad_request(message):
    return ApiError(400, "BadRequest", message)


def unsupported(media_type):
    return ApiError(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, "
        "application/apply-patch+yaml"
        " (not %s)" % media_type,
    )


def method_not_allowed(group, resource):
    return ApiError(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        _details(group, resource),
    )


def internal(message):
    return ApiError(
        500,
        "InternalError",
        "Internal error occurred: " + message,
        {"causes": [{"message": message}]},
    )


def invalid(group, kind, name, problems):
    """`problems`: triples of a field, a reason and a message."""
    lines = ["%s: %s" % (field, message) for field, _, message in problems]
    causes = [
        {"reason": reason, "message": message, "field": field}
        for field, reason, message in problems
    ]
    return ApiError(
        422,
        "Invalid",
        '%s "%s" is invalid: %s'
        % (
            _qualified(kind, group),
            name,
            lines[0] if len(lines) == 1 else "[%s]" % ", ".join(lines),
        ),
        _details(group, kind, name, causes=causes),
    )
