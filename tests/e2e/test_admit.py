# SPDX-License-Identifier: Apache-2.0
"""The validating webhooks: policies, and the label that exempts a namespace."""

import pytest
from client import answer, ask, health, pod, review
from policies import assign, pull_always

ADMIT, LABEL = "/v1/admit?timeout=3s", "/v1/admitlabel?timeout=3s"
IGNORE = "admission.gatekeeper.sh/ignore"


def admitted(server, obj, path=ADMIT, **how):
    return answer(ask(server, review(obj, **how), path=path))


def namespace(name, **labels):
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": labels},
    }


@pytest.mark.parametrize("operation", ["CREATE", "UPDATE"])
def test_a_sound_policy_is_allowed(start, operation):
    server = start()
    assert admitted(server, pull_always(), operation=operation)["allowed"] is True


@pytest.mark.parametrize("operation", ["CREATE", "UPDATE"])
def test_an_invalid_policy_is_denied(start, operation):
    server = start()
    reviewed = admitted(server, assign("a", "metadata.name", "x"), operation=operation)
    assert reviewed["allowed"] is False
    assert reviewed["status"]["code"] == 422
    assert reviewed["status"]["message"] == "assign a can't change metadata"
    server.log.wait("admission denied", kind="Assign", name="a")
    assert 'fixpoint_admissions_total{decision="failed"} 1' in health(server, "/metrics")[1]


def test_a_policy_that_goes_is_looked_at_as_well(start):
    server = start()
    body = review(assign("a", "metadata.name", "x"), operation="DELETE")
    body["request"]["oldObject"], body["request"]["object"] = body["request"]["object"], None
    assert answer(ask(server, body, path=ADMIT))["allowed"] is False
    body["request"].update(oldObject=None, name="")
    assert answer(ask(server, body, path=ADMIT))["allowed"] is True


def test_a_long_name(start):
    server = start()
    reviewed = admitted(server, assign("x" * 64, "spec.a", "v"))
    assert reviewed["allowed"] is False and reviewed["status"]["code"] == 500
    assert reviewed["status"]["message"] == (
        "resource cannot have metadata.name larger than 63 char; length: 64"
    )


def test_other_objects_are_none_of_its_business(start):
    server = start()
    assert admitted(server, pod())["allowed"] is True


def test_unknown_fields_are_warnings(start):
    server = start()
    policy = pull_always()
    policy["spec"]["paramters"] = {}
    reviewed = admitted(server, policy)
    assert reviewed["allowed"] is True
    assert any("paramters" in warning for warning in reviewed["warnings"])


def test_whose_regex_counts(start):
    """Of which namespace the rules of the cluster are is known at admission, too."""
    server = start(args=["--cluster-modrules-namespace", "rules"])
    for name, counts in (("rules", True), ("kubemod-system", False)):
        rule = {
            "apiVersion": "api.kubemod.io/v1beta1",
            "kind": "ModRule",
            "metadata": {"name": "r", "namespace": name},
            "spec": {
                "type": "Reject",
                "targetNamespaceRegex": "^shop",
                "match": [{"select": "$.kind", "matchValue": "Pod"}],
            },
        }
        reviewed = admitted(server, rule)
        assert reviewed["allowed"] is True
        assert ("warnings" not in reviewed) is counts, reviewed


def test_providers_are_validated(start):
    server = start()
    provider = {
        "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
        "kind": "Provider",
        "metadata": {"name": "p"},
        "spec": {"url": "http://x/", "timeout": 1},
    }
    reviewed = admitted(server, provider)
    assert reviewed["allowed"] is False
    assert "only HTTPS scheme is supported for Providers" in reviewed["status"]["message"]


def test_garbage(start):
    server = start()
    for path in (ADMIT, LABEL):
        assert ask(server, b"{", path=path).status == 400
        assert ask(server, b"", path=path, method="GET").status == 405


def test_the_ignore_label(start):
    args = ["--exempt-namespace", "system", "--exempt-namespace-prefix", "kube-",
            "--exempt-namespace-suffix", "-infra"]
    server = start(args=args)
    labelled = {IGNORE: "true"}
    for name, allowed in [("shop", False), ("system", True), ("kube-system", True),
                          ("team-infra", True), ("system-x", False)]:
        reviewed = admitted(server, namespace(name, **labelled), path=LABEL)
        assert reviewed["allowed"] is allowed, name
    assert admitted(server, namespace("shop", team="a"), path=LABEL)["allowed"] is True
    assert IGNORE in admitted(server, namespace("shop", **labelled), path=LABEL)["status"][
        "message"
    ]


def test_operations(start):
    only_mutate = start(args=["--operation", "mutation-webhook", "--operation", "audit"])
    assert ask(only_mutate, review(pod()), path="/v1/mutate").status == 200
    assert ask(only_mutate, review(pod()), path=ADMIT).status == 404
    only_admit = start(args=["--operation", "webhook,mutation-status"])
    assert ask(only_admit, review(pod()), path="/v1/mutate").status == 404
    assert ask(only_admit, review(pod()), path=LABEL).status == 200
