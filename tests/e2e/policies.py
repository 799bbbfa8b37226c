# SPDX-License-Identifier: Apache-2.0
"""Policies as their users write them."""

import yaml

GROUP = "mutations.gatekeeper.sh/"


def _policy(kind, name, spec, version="v1"):
    return {
        "apiVersion": GROUP + version,
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec,
    }


def apply_to(*kinds, group="", version="v1"):
    return [{"groups": [group], "versions": [version], "kinds": list(kinds)}]


def assign(name, location, value, kinds=("Pod",)):
    return _policy(
        "Assign",
        name,
        {
            "applyTo": apply_to(*kinds),
            "location": location,
            "parameters": {"assign": {"value": value}},
        },
    )


def annotation(name, key, value):
    return _policy(
        "AssignMetadata",
        name,
        {
            "location": 'metadata.annotations."%s"' % key,
            "parameters": {"assign": {"value": value}},
        },
    )


def modify_set(name, location, values, kinds=("Pod",)):
    return _policy(
        "ModifySet",
        name,
        {
            "applyTo": apply_to(*kinds),
            "location": location,
            "parameters": {"operation": "merge", "values": {"fromList": values}},
        },
    )


def external(name="from-outside", location="spec.containers[name: *].image", **source):
    source.setdefault("provider", "p")
    return _policy(
        "Assign",
        name,
        {
            "applyTo": apply_to("Pod"),
            "location": location,
            "parameters": {"assign": {"externalData": source}},
        },
    )


def pull_always():
    return assign("pull-always", "spec.containers[name: *].imagePullPolicy", "Always")


def sidecar():
    """Its name comes before `pull-always`: in a pass the last writer wins."""
    return assign(
        "add-sidecar", "spec.containers[name: sidecar]", {"name": "sidecar", "image": "envoy:1"}
    )


def fails_on_strings():
    """It expects an object where a Pod with `spec.nodeName: x` has a string."""
    return assign("fails", "spec.nodeName.inner", "x")


def never_settles():
    """Each pass finds another domain in the image `n@x/y` (spec section 3.5)."""
    return _policy(
        "AssignImage",
        "never-settles",
        {
            "applyTo": apply_to("Pod"),
            "location": "spec.containers[name: c0].image",
            "parameters": {"assignPath": "a.b"},
        },
        version="v1alpha1",
    )


def write(path, *documents):
    path.write_text(yaml.safe_dump_all(documents))
