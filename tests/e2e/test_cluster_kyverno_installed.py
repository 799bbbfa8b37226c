# SPDX-License-Identifier: Apache-2.0
"""Kyverno's policies as the manifests install them: with their flags, their webhooks and no
other rights than theirs. deploy/with-kyverno-policies brings the definitions of their kinds;
deploy/in-place-of-kyverno runs in Kyverno's namespace, where they are."""

import pytest
from fixpoint_cluster import until
from standin.cluster import Cluster, Refused
from test_cluster_modrules_installed import Installed, pod

KYVERNO = "kyverno"


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path / "cluster")
    made.need_standin().folder.mkdir(exist_ok=True)
    yield made
    made.close()


def kyvernos(fixture, cluster):
    """What Kyverno has installed: its namespace, and definitions of its kinds."""
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": KYVERNO}}
    for one in Installed("with-kyverno-policies", fixture, cluster.standin).objects:
        if one["kind"] == "CustomResourceDefinition" and one["spec"]["group"].endswith("kyverno.io"):
            yield one


@pytest.fixture(params=["with-kyverno-policies", "in-place-of-kyverno"])
def installed(request, fixture, cluster):
    made = Installed(request.param, fixture, cluster.standin)
    if made.namespace == KYVERNO:
        cluster.load(*kyvernos(fixture, cluster))
    cluster.load(*(one for one in made.objects if one["kind"] != "Deployment"))
    return made


def policy(name, namespace=None, **annotations):
    rule = {
        "name": "note",
        "match": {"any": [{"resources": {"kinds": ["Pod"]}}]},
        "mutate": {"patchStrategicMerge": {"metadata": {"labels": annotations}}},
    }
    kind, metadata = "ClusterPolicy", {"name": name}
    if namespace is not None:
        kind, metadata = "Policy", {"name": name, "namespace": namespace}
    return {"apiVersion": "kyverno.io/v1", "kind": kind, "metadata": metadata,
            "spec": {"rules": [rule]}}  # fmt: skip


def config_map(namespace, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "data": data,
            "metadata": {"name": "kyverno", "namespace": namespace}}  # fmt: skip


def labels(cluster, space, name="web"):
    return cluster.create(pod(space, name), dryRun="All")["metadata"].get("labels", {})


def test_policies_act(installed, fixture, cluster):
    """A Policy in its own namespace only."""
    space, other = fixture.namespace(), fixture.namespace()
    installed.start()
    fixture.put(policy("team", team="blue"), policy("local", space, local="yes"))
    until(lambda: labels(cluster, space), {"team": "blue", "local": "yes"})
    until(lambda: labels(cluster, other), {"team": "blue"})
    assert installed.refused() == []


def test_policies_are_validated(installed, fixture):
    installed.start()
    bad = policy("bad", team="blue")
    bad["spec"]["rules"][0]["match"] = {"any": [{"resources": {"kinds": "Pod"}}]}
    with pytest.raises(Refused) as refusal:
        fixture.put(bad)
    assert "kinds" in refusal.value.message
    assert installed.refused() == []


def test_the_config_map_excludes(installed, fixture, cluster):
    """That of the release's namespace, as it changes; nobody else's of that name."""
    space = fixture.namespace()
    installed.start()
    fixture.put(policy("team", team="blue"))
    cluster.create(config_map(space, resourceFilters="[*,*,*]"))
    until(lambda: labels(cluster, space), {"team": "blue"})
    fixture.put(config_map(installed.namespace, resourceFilters="[Pod,*,web]"))
    until(lambda: labels(cluster, space), {})
    assert labels(cluster, space, "shop") == {"team": "blue"}
    fixture.drop(config_map(installed.namespace))
    until(lambda: labels(cluster, space), {"team": "blue"})
    assert installed.refused() == []
