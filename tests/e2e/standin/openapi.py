# SPDX-License-Identifier: Apache-2.0
"""As much of /openapi/v3 as kubectl reads before it applies: which paths there are, and
that the server itself checks the fields (`fieldValidation`). Of schemas, those of custom
resources."""

import hashlib
import json

PARAMETERS = [
    {"name": name, "in": "query", "schema": {"type": "string"}}
    for name in ("dryRun", "fieldManager", "fieldValidation", "force")
]


def _of_version(registry, group, version):
    root = "/apis/%s/%s" % (group, version) if group else "/api/" + version
    paths, schemas = {}, {}
    for resource in registry.in_version(group, version):
        prefix = root + ("/namespaces/{namespace}" if resource.namespaced else "")
        named = {"group": group, "version": version, "kind": resource.kind}
        operation = {"parameters": PARAMETERS, "x-kubernetes-group-version-kind": named}
        paths["%s/%s" % (prefix, resource.plural)] = {"post": operation}
        paths["%s/%s/{name}" % (prefix, resource.plural)] = {"patch": operation, "put": operation}
        if version in resource.openapi:
            schemas["%s.%s.%s" % (group, version, resource.kind)] = {
                **resource.openapi[version],
                "x-kubernetes-group-version-kind": [named],
            }
    info = {"title": "Kubernetes", "version": "v1.32.0"}
    components = {"schemas": schemas}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": components}


def _hash(document):
    return hashlib.sha512(json.dumps(document, sort_keys=True).encode()).hexdigest().upper()


def document(registry, path):
    """The document of this path; None: there is none."""
    steps = path.strip("/").split("/")[2:]
    groups = registry.groups()
    if not steps:
        listed = {}
        for group, versions in groups.items():
            for version in versions:
                name = "apis/%s/%s" % (group, version) if group else "api/" + version
                found = _hash(_of_version(registry, group, version))
                url = "/openapi/v3/%s?hash=%s" % (name, found)
                listed[name] = {"serverRelativeURL": url}
        return {"paths": listed}
    group = steps[1] if steps[0] == "apis" and len(steps) == 3 else ""
    if steps[-1] not in groups.get(group, ()):
        return None
    return _of_version(registry, group, steps[-1])
