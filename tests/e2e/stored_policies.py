# SPDX-License-Identifier: Apache-2.0
"""All that Fixpoint reads in a cluster: an object of each kind; what it says where it cannot
be read; and whether reviews write what the policies say that are stored."""

import jsonpatch
from client import answer, ask, patch_of, pod, review
from fixpoint_cluster import FIXPOINT, GATEKEEPER, resource_of, until
from webhook_configurations import NAMESPACE

CHANGING = [
    (group, kind) for group in (GATEKEEPER, FIXPOINT) for kind in ("Assign", "AssignMetadata")
]
FAILING = "resource cannot be read: the objects read last stay in use"
GONE = "the API server does not answer: the objects read last stay in use"


def said(replica):
    """Of what it said that it cannot be read, by resource."""
    return {line["resource"]: line["error"] for line in replica.log.entries(FAILING)}


def seen_by(replica):
    """What a review writes, asked past the API server."""
    obj = pod(namespace=NAMESPACE)
    patched = jsonpatch.apply(obj, patch_of(answer(ask(replica, review(obj)))) or [])
    return {
        **patched["metadata"].get("annotations", {}),
        **patched["spec"].get("nodeSelector", {}),
    }


def objects(standin, group, kind):
    plural = resource_of({"apiVersion": group + "/v1alpha1", "kind": kind}).partition(".")[0]
    return standin.objects(group, plural)


def stored(fixture):
    """What the stored policies write into a Pod that is created now, by its last key."""
    found = {}
    for group, kind in CHANGING:
        for policy in objects(fixture.cluster.standin, group, kind):
            key = policy["spec"]["location"].rpartition(".")[2].strip('"')
            found[key] = policy["spec"]["parameters"]["assign"]["value"]
    return found


def agree(fixture, replica, within=30):
    """Waits until objects get just what the policies say that are stored."""
    wanted = stored(fixture)
    until(lambda: seen_by(replica), wanted, within)


def sample(i):
    """An object of each kind that is read."""
    apply_to = [{"groups": [""], "versions": ["v1"], "kinds": ["Pod"]}]
    own = {"applyTo": apply_to, "location": "spec.nodeSelector.n%d" % i}
    value = {**own, "parameters": {"assign": {"value": str(i)}}}
    listed = {
        "applyTo": apply_to,
        "location": "spec.l%d" % i,
        "parameters": {"operation": "merge", "values": {"fromList": ["x"]}},
    }
    image = {
        "applyTo": apply_to,
        "location": "spec.i%d.image" % i,
        "parameters": {"assignTag": ":%d" % i},
    }
    pick = {
        "location": "metadata.annotations.a%d" % i,
        "parameters": {"assign": {"value": str(i)}},
    }
    made = []
    for group in (GATEKEEPER, FIXPOINT):
        made += [
            (group, "Assign", value),
            (group, "AssignMetadata", pick),
            (group, "ModifySet", listed),
            (group, "AssignImage", image),
        ]
    made.append((FIXPOINT, "Remove", {**own, "location": "spec.r%d" % i}))
    provider = {"url": "https://localhost:1/%d" % i, "timeout": 1, "caBundle": "Cg=="}
    made.append(("externaldata.gatekeeper.sh", "Provider", provider))
    objects = []
    for group, kind, spec in made:
        version = "v1beta1" if kind == "Provider" else "v1alpha1"
        metadata = {"name": "%s-%d" % (kind.lower(), i)}
        objects.append(
            {
                "apiVersion": "%s/%s" % (group, version),
                "kind": kind,
                "metadata": metadata,
                "spec": spec,
            }
        )
    metadata = {"name": "space-%d" % i}
    return objects + [{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}]


def name_of(obj):
    return "namespaces" if obj["kind"] == "Namespace" else resource_of(obj)


def split(name):
    """(plural, group)"""
    plural, _, group = name.partition(".")
    return plural, group


RESOURCES = [name_of(obj) for obj in sample(0)]
