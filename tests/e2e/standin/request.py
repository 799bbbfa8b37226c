# SPDX-License-Identifier: Apache-2.0
"""One request: what was received, and what it means in Kubernetes' terms."""

import json
import time
import urllib.parse

import yaml

from . import status

# A method with and without a name in the path.
VERBS = {
    ("GET", True): "get",
    ("HEAD", True): "get",
    ("GET", False): "list",
    ("HEAD", False): "list",
    ("POST", False): "create",
    ("POST", True): "create",
    ("PUT", True): "update",
    ("PATCH", True): "patch",
    ("DELETE", True): "delete",
    ("DELETE", False): "deletecollection",
}
# Below /api/v1/namespaces/NAME, this is a part of the namespace and no resource in it.
NAMESPACE_PARTS = ("status", "finalize")


def _integer(value):
    """Go reads integers that fit into 64 bits, and doubles otherwise."""
    number = int(value)
    return number if -(1 << 63) <= number < 1 << 63 else float(value)


def _double(value):
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 1e21 else number


def read_json(text):
    return json.loads(text, parse_int=_integer, parse_float=_double)


class Request:
    """Attributes that tests may match on: method, path, query (first values), headers (lower
    case), body, user (name), user_agent, verb, group, version, resource, subresource,
    namespace, name; and afterwards `status`, `seconds`."""

    def __init__(self, method, target, headers, body):
        self.method, self.headers, self.body = method, headers, body
        self.path, _, query = target.partition("?")
        pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
        self.query = dict(reversed(pairs))
        self.user_agent = headers.get("user-agent", "")
        self.user, self.who = "", None
        self.group = self.version = self.resource = self.subresource = ""
        self.namespace = self.name = ""
        self.is_resource = False
        self.verb = method.lower()
        self.began, self.seconds, self.status = time.monotonic(), None, None
        self._locate()

    def __repr__(self):
        return "<%s %s %s/%s %s %s>" % (
            self.verb,
            self.resource or self.path,
            self.namespace,
            self.name,
            self.user,
            self.status,
        )

    @property
    def is_answered(self):
        return self.status is not None or self.seconds is not None

    def _locate(self):
        steps = [urllib.parse.unquote(step) for step in self.path.strip("/").split("/")]
        if steps[0] == "api" and len(steps) > 2:
            self.version, rest = steps[1], steps[2:]
        elif steps[0] == "apis" and len(steps) > 3:
            self.group, self.version, rest = steps[1], steps[2], steps[3:]
        else:
            return
        self.is_resource = True
        if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in NAMESPACE_PARTS:
            self.namespace, rest = rest[1], rest[2:]
        elif rest[0] == "namespaces" and len(rest) > 1:
            self.namespace = rest[1]  # as the authorizer sees it
        self.resource, self.name, self.subresource = (rest + ["", ""])[:3]
        self.verb = VERBS.get((self.method, bool(self.name)), self.method.lower())
        watches = self.flag("watch")
        if self.verb == "list" and watches:
            self.verb = "watch"

    def flag(self, name):
        return self.query.get(name, "").lower() in ("1", "true")

    @property
    def media_type(self):
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def pretty(self):
        """Humans and their tools get indentation."""
        if "pretty" in self.query:
            return self.flag("pretty")
        return self.user_agent.startswith(("curl", "Wget", "Mozilla"))

    @property
    def wants_metadata(self):
        """Is PartialObjectMetadata what it asks for first?"""
        first = self.headers.get("accept", "").partition(",")[0].replace(" ", "")
        parameters = first.split(";")[1:]
        return (
            any(one.startswith("as=PartialObjectMetadata") for one in parameters)
            and "g=meta.k8s.io" in parameters
            and "v=v1" in parameters
        )

    def document(self):
        """The body, read."""
        if "protobuf" in self.media_type or "cbor" in self.media_type:
            raise status.unsupported(self.media_type)
        try:
            if "yaml" in self.media_type and not self.body.startswith(b"{"):
                loaded = yaml.load(self.body, Loader=Loader)
                return read_json(json.dumps(loaded))
            return read_json(self.body)
        except (ValueError, TypeError, yaml.YAMLError) as error:
            raise status.bad_request(
                "the object provided is unrecognized: %s" % error
            ) from error


class Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):
    """YAML as Kubernetes reads it: a text in the form of a date stays text."""


Loader.yaml_implicit_resolvers = {
    letter: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
