# SPDX-License-Identifier: Apache-2.0
"""A cluster with the kinds of the toy dialect (tests/toy), and objects of them."""

import functools

from standin.cluster import Cluster
from standin.definitions import ANYTHING, definition

GROUP = "toy.fixpoint.dev"


def toy_cluster(folder):
    made = Cluster(folder)
    made.define(
        definition(GROUP, "TagPolicy", ["v1"], ANYTHING, "tagpolicies", ANYTHING),
        definition(GROUP, "TagBinding", ["v1"], ANYTHING, "tagbindings"),
    )
    return made


def without_kyverno(fixture):
    """Its replicas do not watch Kyverno's ConfigMap: what is read of ConfigMaps is the test's."""
    apis = "gatekeeper,kubemod,admission_policy,toy"
    fixture.start = functools.partial(fixture.start, "--apis", apis)
    return fixture


def toy(kind, name, **spec):
    metadata = {"name": name}
    return {"apiVersion": GROUP + "/v1", "kind": kind, "metadata": metadata, "spec": spec}
