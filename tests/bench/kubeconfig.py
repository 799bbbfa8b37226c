# SPDX-License-Identifier: Apache-2.0
"""Is a kubeconfig one that can be used? Said in a sentence before anything is measured: what
reads it afterwards (tests/e2e) takes it for right."""

import http.client
import pathlib

import yaml

from servers import Misused

PATIENCE_S = 10  # until the API server answers
PATH = "/api/v1/namespaces?limit=1"


def _read(path):
    try:
        document = yaml.safe_load(pathlib.Path(path).read_text())
    except OSError as wrong:
        raise Misused(wrong.strerror) from None
    except UnicodeDecodeError:
        raise Misused("is no text") from None
    except yaml.YAMLError as wrong:
        mark = getattr(wrong, "problem_mark", None)
        raise Misused("is no YAML" + (f", line {mark.line + 1}" if mark else "")) from None
    if not isinstance(document, dict) or document.get("kind") != "Config":
        raise Misused("is no kubeconfig: its kind is not Config")
    return document


def _named(document, field, part, name):
    """What the file has under a name in one of its lists."""
    listed = document.get(field)
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and one.get("name") == name and isinstance(one.get(part), dict):
            return one[part]
    raise Misused(f"has no {part} `{name}`")


def check(path):
    """Does its current context name a server and a user that are there?"""
    document = _read(path)
    name = document.get("current-context")
    if not name:
        raise Misused("has no current-context")
    context = _named(document, "contexts", "context", name)
    cluster = _named(document, "clusters", "cluster", context.get("cluster"))
    _named(document, "users", "user", context.get("user"))
    if not str(cluster.get("server")).startswith("https://"):
        raise Misused(f"names a server of another kind than https://: `{cluster.get('server')}`")


def _status(access):
    """The API server's to a simple question."""
    head = {"Authorization": f"Bearer {access.token}"} if access.token else {}
    how = {"timeout": PATIENCE_S, "context": access.context}
    connection = http.client.HTTPSConnection(access.host, access.port, **how)
    try:
        connection.request("GET", PATH, headers=head)
        return connection.getresponse().status
    finally:
        connection.close()


def reach(make, path):
    """`make(path)` gives host, port, context and token of its server: does that answer?"""
    try:
        access = make(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as wrong:
        raise Misused(f"has a certificate, key or token that cannot be used: {wrong}") from None
    try:
        status = _status(access)
    except (OSError, http.client.HTTPException) as wrong:
        where = f"{access.host}:{access.port}"
        raise Misused(f"names an API server that cannot be reached: {where}: {wrong}") from None
    if status != 200:
        raise Misused(f"names an API server that answers GET {PATH} with {status}")
