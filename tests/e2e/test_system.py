# SPDX-License-Identifier: Apache-2.0
"""What is not mutated, and what is reported of it."""

import pytest
from client import answer, ask, health, patch_of, pod, review
from policies import annotation, assign, never_settles, pull_always, write


def config(*entries, name="config"):
    return {
        "apiVersion": "config.gatekeeper.sh/v1alpha1",
        "kind": "Config",
        "metadata": {"name": name, "namespace": "gatekeeper-system"},
        "spec": {
            "match": [
                {"excludedNamespaces": globs, "processes": processes}
                for globs, processes in entries
            ]
        },
    }


@pytest.mark.parametrize("process, excluded", [
    ("mutation-webhook", True), ("*", True), ("audit", False), ("webhook", False)])
def test_a_config_excludes_namespaces(start, process, excluded):
    server = start(config((["kube-*", "shop"], [process])), pull_always())
    for namespace in ("shop", "kube-system"):
        reviewed = answer(ask(server, review(pod(namespace=namespace))))
        assert reviewed["allowed"] is True
        assert (patch_of(reviewed) is None) is excluded
        if excluded:
            assert reviewed["status"]["message"] == (
                "Namespace is set to be ignored by Gatekeeper config"
            )
    assert patch_of(answer(ask(server, review(pod(namespace="other")))))
    skips = 'gatekeeper_mutation_request_count{mutation_status="skip"} %d'
    assert skips % (2 if excluded else 0) in health(server, "/metrics")[1]


def test_a_config_is_taken_back(start, folder):
    server = start(config((["shop"], ["*"])), pull_always())
    assert patch_of(answer(ask(server, review(pod())))) is None
    since = server.log.position()
    write(folder / "policies.yaml", pull_always())
    server.log.wait("policies active", since=since)
    assert patch_of(answer(ask(server, review(pod()))))


def test_mutations_are_logged_by_pass(start):
    """The second mutator finds what it wants only when the third has run."""
    late = assign("a-late", "spec.priorityClassName", "hunter2")
    late["spec"]["match"] = {"labelSelector": {"matchLabels": {"late": "yes"}}}
    label = annotation("note", "x", "yes")
    label["spec"]["location"] = "metadata.labels.late"
    server = start(late, label, pull_always(), args=["--log-mutations"])
    assert patch_of(answer(ask(server, review(pod()))))
    line = server.log.wait("Mutation applied")
    assert line["event_type"] == "mutation_applied"
    assert line["resource_kind"] == "Pod" and line["resource_name"] == "web"
    assert line["resource_namespace"] == "shop" and line["resource_api_version"] == "v1"
    assert line["resource_source_type"] == "Original"
    assert line["iteration_0"] == "Assign//pull-always:0, AssignMetadata//note:0"
    assert line["iteration_1"] == "Assign//a-late:0, Assign//pull-always:0"
    assert "iteration_2" not in line and line["iterations"] == 3
    assert "hunter2" not in server.log.text()


def test_a_fight_is_logged(start):
    server = start(never_settles(), args=["--log-mutations"])
    reviewed = answer(ask(server, review(pod(images=("n@x/y",)))))
    assert reviewed["allowed"] is False
    line = server.log.wait("Mutation not converging")
    assert line["iteration_0"] == "AssignImage//never-settles:0"


def test_without_the_flag_nothing_is_logged(start):
    server = start(pull_always())
    assert patch_of(answer(ask(server, review(pod()))))
    server.log.wait("review changed")
    assert not server.log.entries("Mutation applied")


@pytest.mark.parametrize("group", ["mutations.gatekeeper.sh", "externaldata.gatekeeper.sh"])
def test_own_groups_are_not_mutated(start, group):
    server = start(annotation("note", "a", "b"))
    obj = assign("x", "spec.a", "v")
    obj["apiVersion"] = group + "/v1"
    reviewed = answer(ask(server, review(obj)))
    assert reviewed["status"]["message"] == "Not mutating gatekeeper resources"
    assert patch_of(reviewed) is None
