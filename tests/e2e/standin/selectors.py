# SPDX-License-Identifier: Apache-2.0
"""Label selectors and field selectors, of queries and of objects."""

import re

from . import status

TERM = re.compile(
    r"\s*(?:(?P<not>!)\s*(?P<absent>[^\s,=!()]+)"
    r"|(?P<key>[^\s,=!()]+)\s*(?:(?P<op>==|=|!=)\s*(?P<value>[^\s,()]*)"
    r"|\s(?P<set>in|notin)\s*\((?P<values>[^)]*)\))?)\s*(?:,|$)"
)


def _term(match):
    """One requirement of a query: a function of the labels."""
    if match["not"]:
        return lambda labels, key=match["absent"]: key not in labels
    key, value = match["key"], match["value"]
    if match["set"]:
        values = {one.strip() for one in match["values"].split(",")}
        if match["set"] == "in":
            return lambda labels: labels.get(key) in values
        return lambda labels: labels.get(key) not in values
    if match["op"] is None:
        return lambda labels: key in labels
    if match["op"] == "!=":
        return lambda labels: labels.get(key) != value
    return lambda labels: labels.get(key) == value


def labels(text):
    """A function of labels for a `labelSelector` query; None: everything."""
    if not text:
        return None
    terms, at = [], 0
    while at < len(text):
        match = TERM.match(text, at)
        if not match or match.end() == at:
            raise status.bad_request("unable to parse requirement: %s" % text)
        terms.append(_term(match))
        at = match.end()
    return lambda given: all(term(given) for term in terms)


def of_object(selector, given):
    """Does a LabelSelector (of a webhook, say) select these labels?"""
    for key, value in (selector.get("matchLabels") or {}).items():
        if given.get(key) != value:
            return False
    for term in selector.get("matchExpressions") or ():
        key, values = term["key"], term.get("values") or ()
        holds = {
            "In": given.get(key) in values,
            "NotIn": given.get(key) not in values,
            "Exists": key in given,
            "DoesNotExist": key not in given,
        }[term["operator"]]
        if not holds:
            return False
    return True


# What a field selector may name besides metadata.name and metadata.namespace.
FIELDS = {
    "events": {
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "reason",
        "type",
    },
    "secrets": {"type"},
    "pods": {"spec.nodeName", "status.phase"},
    "namespaces": {"status.phase"},
}


def parse_fields(text):
    """[(path, wanted, equal)] of a `fieldSelector` query."""
    terms = []
    for term in filter(None, (text or "").split(",")):
        match = re.fullmatch(r"([^=!]+)(==|=|!=)(.*)", term)
        if not match:
            raise status.bad_request("invalid field selector: %s" % term)
        terms.append((match[1], match[3], match[2] != "!="))
    return terms


def fields(text, resource):
    """A function of an object for a `fieldSelector` query; None: everything."""
    terms = parse_fields(text)
    known = {"metadata.name", "metadata.namespace"} | FIELDS.get(resource.plural, set())
    for path, _, _ in terms:
        if path not in known:
            raise status.bad_request("field label not supported: %s" % path)
    if not terms:
        return None

    def matches(obj):
        for path, wanted, equal in terms:
            value = obj
            for step in path.split("."):
                value = value.get(step, "") if isinstance(value, dict) else ""
            if (value == wanted) != equal:
                return False
        return True

    return matches


def named(text):
    """The one name that a field selector asks for, or none."""
    for path, wanted, equal in parse_fields(text):
        if path == "metadata.name" and equal:
            return wanted
    return ""
