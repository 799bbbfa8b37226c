# SPDX-License-Identifier: Apache-2.0
"""Kyverno's rules in a cluster: one that mutates what is created and changed, and one with
`mutate.targets`, which mutates what exists."""

import pytest
from fixpoint_cluster import deployment, until
from standin.cluster import Cluster
from standin.definitions import ANYTHING, definition
from webhook_configurations import NAMESPACE

GROUP = "kyverno.io"
RULES = [
    {
        "operations": ["CREATE", "UPDATE", "DELETE"],
        "apiGroups": ["", "apps"],
        "apiVersions": ["v1"],
        "resources": ["deployments", "configmaps"],
    }
]
ALL = "--operation", "mutation-webhook", "--operation", "mutation-status"


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path / "cluster")
    made.define(
        definition(GROUP, "ClusterPolicy", ["v1"], ANYTHING, "clusterpolicies", ANYTHING),
        definition(GROUP, "Policy", ["v1"], ANYTHING, "policies", ANYTHING, "Namespaced"),
    )
    yield made
    made.close()


@pytest.fixture
def start(fixture):
    def begin(*args, mode="on"):
        replica = fixture.start("--apis", "kyverno", "--existing", mode, *args, *ALL)
        fixture.register(replica.port, replica.ca, rules=RULES)
        return replica

    return begin


def any_of(**resources):
    return {"any": [{"resources": resources}]}


def policy(name, *rules, namespace=None, **spec):
    kind, metadata = "ClusterPolicy", {"name": name}
    if namespace is not None:
        kind, metadata = "Policy", {"name": name, "namespace": namespace}
    spec["rules"] = [{"name": "rule-%d" % at, **rule} for at, rule in enumerate(rules)]
    return {"apiVersion": GROUP + "/v1", "kind": kind, "metadata": metadata, "spec": spec}


def restarts(**spec):
    """Writes the version of a ConfigMap into the Deployments that name it in a label."""
    rule = {
        "match": any_of(kinds=["ConfigMap"], names=["settings*"]),
        "preconditions": {
            "all": [
                {
                    "key": "{{ request.object.data.version || '' }}",
                    "operator": "NotEquals",
                    "value": "",
                }
            ]
        },
        "mutate": {
            "targets": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "namespace": "{{ request.object.metadata.namespace }}",
                    "selector": {"matchLabels": {"uses": "{{ request.object.metadata.name }}"}},
                }
            ],
            "patchStrategicMerge": {
                "metadata": {
                    "annotations": {
                        "version": "{{ request.object.data.version }}",
                        "+(first)": "{{ target.metadata.name }}",
                    }
                }
            },
        },
    }
    return policy("restarts", rule, **spec)


def config_map(name="settings", **data):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "data": data,
    }


def user(name, uses="settings"):
    made = deployment(name)
    made["metadata"]["labels"] = {"uses": uses}
    return made


def annotations(fixture, name, resource="deployments.apps"):
    return fixture.cluster.get(resource, name, NAMESPACE)["metadata"].get("annotations", {})


def jobs(replica, result="done"):
    return replica.metric("fixpoint_existing_jobs_total", result=result)


def test_create_and_update(fixture, start):
    """What is created and what is changed is mutated on its way, and once."""
    labels = {"metadata": {"labels": {"by": "{{ request.operation }}", "+(owner)": "us"}}}
    rule = {
        "match": any_of(kinds=["ConfigMap"]),
        "mutate": {"patchStrategicMerge": labels},
    }
    fixture.put(policy("marks", rule))
    start()
    fixture.put(config_map())
    stored = fixture.cluster.get("configmaps", "settings", NAMESPACE)
    assert stored["metadata"]["labels"] == {"by": "CREATE", "owner": "us"}
    fixture.put(config_map(version="2"))
    stored = fixture.cluster.get("configmaps", "settings", NAMESPACE)
    assert stored["metadata"]["labels"]["by"] == "UPDATE"


def test_targets(fixture, start):
    """The trigger is stored as it came; of the Deployments those that the selector means are
    mutated, and the second time nothing is to change."""
    fixture.put(restarts(), user("web"), user("api"), user("other", uses="else"))
    replica = start()
    fixture.put(config_map(version="3"))
    until(lambda: annotations(fixture, "web"), {"version": "3", "first": "web"})
    until(lambda: annotations(fixture, "api"), {"version": "3", "first": "api"})
    assert annotations(fixture, "other") == {}
    assert annotations(fixture, "settings", "configmaps") == {}
    until(lambda: jobs(replica), 1)
    fixture.put(config_map(version="3", more="yes"))
    until(lambda: jobs(replica), 2)
    assert replica.metric("fixpoint_existing_targets_total", result="written") == 2
    assert replica.metric("fixpoint_existing_targets_total", result="same") == 2


def test_a_trigger_whose_preconditions_do_not_hold(fixture, start):
    fixture.put(restarts(), user("web"))
    replica = start()
    fixture.put(config_map(other="3"))
    until(lambda: jobs(replica), 1)
    assert annotations(fixture, "web") == {}


def test_a_policy_that_is_new_runs_on_what_exists(fixture, start):
    fixture.put(config_map(version="7"), user("web"))
    start("--operation", "mutation-controller")
    fixture.put(restarts(mutateExistingOnPolicyUpdate=True))
    until(lambda: annotations(fixture, "web"), {"version": "7", "first": "web"}, 30)


def test_a_policy_stays_in_its_namespace(fixture, start):
    """A target in another namespace fails with the rule's name, and is not changed."""
    space = fixture.namespace()
    rule = {
        "match": any_of(kinds=["ConfigMap"]),
        "mutate": {
            "targets": [{"apiVersion": "v1", "kind": "ConfigMap", "namespace": space}],
            "patchStrategicMerge": {"metadata": {"annotations": {"a": "b"}}},
        },
    }
    fixture.put(policy("reaches", rule, namespace=NAMESPACE))
    replica = start()
    fixture.put(config_map())
    failed = replica.log.wait("existing objects not changed")
    assert "mutates objects of its own namespace, %s" % NAMESPACE in failed["error"]
    assert "rules [rule-0: " in failed["error"]


def test_a_dry_run_stores_nothing(fixture, start):
    fixture.put(restarts(), user("web"))
    replica = start(mode="dry-run")
    fixture.put(config_map(version="3"))
    logged = replica.log.wait("existing object would be changed")
    assert logged["mutator"] == "restarts:rule-0"
    assert annotations(fixture, "web") == {}
