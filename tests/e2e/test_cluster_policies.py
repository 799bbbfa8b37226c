# SPDX-License-Identifier: Apache-2.0
"""Policies that live in a cluster: from `kubectl apply` to the next object that is created,
through the API server's own admission."""

import base64
import statistics
import time

import pytest
from fixpoint_cluster import (
    FIXPOINT,
    GATEKEEPER,
    definitions,
    deployment,
    for_deployments,
    resource_of,
    selects,
    until,
)
from policies import annotation, assign, external, modify_set
from process import SLOW
from provider import Authority, Provider
from standin import faults
from standin.cluster import Cluster, Refused
from webhook_configurations import NAMESPACE

STATUS = ("--operation", "mutation-webhook", "--operation", "mutation-status")
BURST = 1000
# These come and go in the tests; all others are there from the beginning.
MODIFY_SET = "modifyset." + GATEKEEPER
REMOVE = "fixpointremoves." + FIXPOINT


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    absent = (MODIFY_SET, REMOVE)
    made.define(*(one for one in definitions() if one["metadata"]["name"] not in absent))
    yield made
    made.close()


def with_match(policy, **match):
    return {**policy, "spec": {**policy["spec"], "match": match}}


def need_absent(cluster, name):
    group = "customresourcedefinitions.apiextensions.k8s.io"
    if cluster.find(group, name):
        pytest.skip("%s is there already" % name)


# --- what acts, and when ---------------------------------------------------------------------


def test_changes_act_on_the_next_create(fixture):
    """Created, changed and deleted policies; usually much sooner than within a second."""
    fixture.start(register=True)
    fixture.expect()
    took = []
    for version in range(5):
        fixture.put(annotation("a", "a", str(version)))
        took.append(fixture.expect(a=str(version)))
    fixture.drop(annotation("a", "a", ""))
    took.append(fixture.expect())
    print("a change acts after %s s" % ", ".join("%.3f" % one for one in took))
    assert statistics.median(took) < 1 * SLOW


def test_what_is_stored_is_mutated(fixture):
    """Not only on trial: objects that are really created, and changed later."""
    fixture.start(register=True)
    fixture.put(annotation("a", "a", "1"))
    fixture.expect(a="1")
    fixture.put(deployment("stored"))
    stored = fixture.cluster.get("deployments.apps", "stored", NAMESPACE)
    assert stored["metadata"]["annotations"] == {"a": "1"}
    fixture.put(annotation("b", "b", "2"))
    fixture.expect(a="1", b="2")
    fixture.put(deployment("stored", hostname="touched"))
    stored = fixture.cluster.get("deployments.apps", "stored", NAMESPACE)
    assert stored["metadata"]["annotations"] == {"a": "1", "b": "2"}


def test_every_kind(fixture):
    """Of Gatekeeper's groups and of our own."""
    fixture.define(*definitions(MODIFY_SET, REMOVE))
    inner = "spec.template.spec."
    removal = {"location": inner + "hostname"}
    image = {
        "location": inner + "containers[name: *].image",
        "parameters": {"assignDomain": "example.com"},
    }
    more = modify_set("", inner + "containers[name: c].args", ["x"])
    grace = assign("", inner + "terminationGracePeriodSeconds", 5)
    policies = (
        assign("policy", inner + "containers[name: *].imagePullPolicy", "Always"),
        modify_set("args", inner + "containers[name: *].args", ["-v"]),
        of(GATEKEEPER, "AssignImage", "domain", image),
        of(FIXPOINT, "Assign", "grace", grace),
        of(FIXPOINT, "ModifySet", "more", more),
        of(FIXPOINT, "Remove", "no-host", removal),
    )
    fixture.put(
        *map(for_deployments, policies),
        annotation("key", "key", "value"),
        of(FIXPOINT, "AssignMetadata", "other", annotation("", "other", "value")),
    )
    fixture.start(register=True)
    fixture.expect(key="value", other="value")
    spec = fixture.would_create(hostname="h")["spec"]["template"]["spec"]
    container = spec["containers"][0]
    assert container["imagePullPolicy"] == "Always"
    assert sorted(container["args"]) == ["-v", "x"]
    assert container["image"] == "example.com/nginx:1"
    assert spec["terminationGracePeriodSeconds"] == 5 and "hostname" not in spec


def of(group, kind, name, spec):
    """A policy in v1alpha1; `spec`: its own, or the policy that has the same."""
    return {
        "apiVersion": group + "/v1alpha1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec.get("spec", spec),
    }


# --- what is wrong with them -----------------------------------------------------------------


def test_an_invalid_change_keeps_the_previous_version(fixture):
    replica = fixture.start(*STATUS, register=True)
    good = selects("a", "key", "1")
    fixture.put(good)
    until(fixture.selector, {"key": "1"})
    until(lambda: (fixture.entry(good, replica) or {}).get("enforced"), True)
    bad = selects("a", "key[name: *", "2")
    fixture.put(bad)
    until(lambda: bool(fixture.entry(bad, replica).get("errors")), True)
    entry = fixture.entry(bad, replica)
    stored = fixture.cluster.get(resource_of(bad), "a")
    assert entry["observedGeneration"] == stored["metadata"]["generation"] == 2
    assert entry["mutatorUID"] == stored["metadata"]["uid"] and not entry.get("enforced")
    assert fixture.selector() == {"key": "1"}
    assert replica.metric("gatekeeper_mutators", status="error") == 1
    fixture.put(selects("a", "key", "3"))
    until(fixture.selector, {"key": "3"})
    until(lambda: fixture.entry(good, replica)["observedGeneration"], 3)
    entry = fixture.entry(good, replica)
    assert entry["enforced"] and not entry.get("errors")
    assert sorted(entry["operations"]) == ["mutation-status", "mutation-webhook"]


def test_conflicting_policies_stand_still_until_one_goes(fixture):
    replica = fixture.start(*STATUS, register=True)
    first, second = selects("a", "key.inner", "1"), selects("b", "key[name: x].inner", "2")
    other = annotation("c", "c", "1")
    fixture.put(first, second, other)
    fixture.expect(c="1")
    for policy in (first, second):
        until(lambda: bool((fixture.entry(policy, replica) or {}).get("errors")), True)
        errors = fixture.entry(policy, replica)["errors"]
        assert [one["type"] for one in errors] == ["ErrConflictingSchema"], errors
    assert fixture.selector() == {}
    assert replica.metric("gatekeeper_mutator_conflicting_count") == 2
    fixture.drop(second)
    until(lambda: fixture.entry(first, replica).get("errors") or [], [])
    assert replica.metric("gatekeeper_mutator_conflicting_count") == 0


# --- what is installed -----------------------------------------------------------------------


def test_a_definition_that_comes_later(fixture):
    need_absent(fixture.cluster, REMOVE)
    replica = fixture.start(register=True)
    assert replica.state(REMOVE) == "absent"
    fixture.put(selects("a", "key", "1"))
    until(fixture.selector, {"key": "1"})
    fixture.define(*definitions(REMOVE))
    removal = {"location": "spec.template.spec.nodeSelector.unwanted"}
    fixture.put(for_deployments(of(FIXPOINT, "Remove", "r", removal)))

    def created():
        return fixture.selector(unwanted="x", wanted="y")

    until(created, {"key": "1", "wanted": "y"}, within=30)
    assert replica.state(REMOVE) == "watching"
    fixture.drop(definitions(REMOVE)[0])  # and takes its objects along
    until(created, {"key": "1", "wanted": "y", "unwanted": "x"}, within=30)
    assert fixture.annotations() == {}


def test_only_an_old_version_is_served(fixture):
    need_absent(fixture.cluster, MODIFY_SET)
    (definition,) = definitions(MODIFY_SET)
    for version in definition["spec"]["versions"]:
        version["served"] = version["name"] == "v1beta1"
    fixture.define(definition)
    replica = fixture.start(*STATUS, register=True)
    assert replica.state(MODIFY_SET) == "watching"
    policy = for_deployments(modify_set("m", "spec.template.spec.list", ["x"]))
    policy["apiVersion"] = GATEKEEPER + "/v1beta1"
    fixture.put(policy)
    until(lambda: replica.metric("gatekeeper_mutators", status="active"), 1)
    until(lambda: (fixture.entry(policy, replica) or {}).get("enforced"), True)
    assert replica.metric("gatekeeper_mutators", status="error") == 0


def test_a_provider(fixture):
    authority = Authority(fixture.folder / "authority")
    provider = Provider(authority, authority.issue("provider"))
    policy = for_deployments(external("from-outside", "spec.template.spec.nodeSelector.key"))
    fixture.start(register=True)
    bundle = base64.b64encode(authority.cert.read_bytes()).decode()
    fixture.put(
        policy,
        {
            "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
            "kind": "Provider",
            "metadata": {"name": "p"},
            "spec": {"url": provider.url, "timeout": 3, "caBundle": bundle},
        },
    )

    def created():
        try:
            return fixture.selector(key="a")
        except Refused as refused:  # as long as the provider is not known
            return refused.message

    until(created, {"key": "a_valid"})
    provider.close()


def test_a_config_excludes_namespaces(fixture):
    fixture.start(register=True)
    fixture.put(annotation("a", "a", "1"))
    fixture.expect(a="1")
    excluded = fixture.namespace()
    until(lambda: fixture.annotations(excluded), {"a": "1"})
    match = [{"excludedNamespaces": [excluded], "processes": ["mutation-webhook"]}]
    config = of("config.gatekeeper.sh", "Config", "config", {"match": match})
    config["metadata"]["namespace"] = NAMESPACE
    fixture.put(config)
    until(lambda: fixture.annotations(excluded), {})
    assert fixture.annotations() == {"a": "1"}
    fixture.drop(config)
    until(lambda: fixture.annotations(excluded), {"a": "1"})


# --- namespaces ------------------------------------------------------------------------------


def team(name):
    selector = {"matchLabels": {"team": name}}
    return with_match(annotation(name, name, "1"), namespaceSelector=selector)


def test_namespaces_by_selector(fixture):
    fixture.start(register=True)
    fixture.put(annotation("a", "a", "1"), team("web"), team("shop"))
    fixture.expect(a="1")
    web, shop, none = fixture.namespace(team="web"), fixture.namespace(team="shop"), NAMESPACE
    until(lambda: fixture.annotations(web), {"a": "1", "web": "1"})
    until(lambda: fixture.annotations(shop), {"a": "1", "shop": "1"})
    assert fixture.annotations(none) == {"a": "1"}
    fixture.cluster.patch("namespaces", shop, {"metadata": {"labels": {"team": "web"}}})
    until(lambda: fixture.annotations(shop), {"a": "1", "web": "1"})
    fixture.cluster.patch("namespaces", web, {"metadata": {"labels": {"team": None}}})
    until(lambda: fixture.annotations(web), {"a": "1"})


def test_objects_right_after_their_namespace(fixture):
    """As `kubectl apply -f folder` has it: no object comes too early to be selected."""
    fixture.start(register=True)
    fixture.put(team("web"))
    until(lambda: fixture.annotations(fixture.namespace(team="web")), {"web": "1"})
    for _ in range(20):
        assert fixture.annotations(fixture.namespace(team="web")) == {"web": "1"}


def test_a_namespace_that_is_younger_than_the_watch(fixture):
    """It is asked for, as long as the watch says nothing."""
    standin = fixture.cluster.need_standin()
    rule = standin.faults.add(_silent_watch, verb="watch", resource="namespaces")
    fixture.start(register=True)
    rule.wait()
    fixture.put(team("web"))
    name = fixture.namespace(team="web")
    until(lambda: fixture.annotations(name), {"web": "1"})
    asked = standin.log.of(verb="get", resource="namespaces", name=name, user="fixpoint")
    assert asked and all(one.status == 200 for one in asked)
    standin.faults.clear()


@pytest.mark.parametrize("body", [b"{}", b'{"metadata":{"name":"another"}}', b"[]"])
def test_an_answer_that_is_not_the_namespace(fixture, body):
    """It is none without labels: the review fails for the moment, and no message says that the
    selector does not match."""
    standin = fixture.cluster.need_standin()
    rule = standin.faults.add(_silent_watch, verb="watch", resource="namespaces")
    server = fixture.start(register=True)
    rule.wait()
    fixture.put(team("web"))
    name = fixture.namespace(team="web")
    until(lambda: fixture.annotations(name), {"web": "1"})
    lie = standin.faults.add(
        faults.garbage(body), verb="get", resource="namespaces", name=name, user="fixpoint"
    )
    fixture.annotations(name)  # the webhook may fail open
    lie.wait()
    assert server.log.wait("review failed")["status"] == 503
    standin.faults.clear()
    until(lambda: fixture.annotations(name), {"web": "1"})


def _silent_watch(exchange):
    """A watch that is late: its head, and then nothing."""
    exchange.begin_stream()
    exchange.pause(1e9)


# --- many ------------------------------------------------------------------------------------


def test_a_burst_is_few_builds(fixture):
    replica = fixture.start(register=True)
    fixture.put(annotation("last", "last", "0"))
    fixture.expect(last="0")
    before = replica.metric("fixpoint_policy_generation")
    burst = [selects("burst-%04d" % i, "k%04d" % i, "v") for i in range(BURST)]
    began = time.monotonic()
    fixture.cluster.load(*burst)
    fixture.put(annotation("last", "last", "1"))
    seconds = time.monotonic() - began
    until(lambda: len(fixture.selector()), BURST, within=30)
    fixture.expect(last="1")
    builds = replica.metric("fixpoint_policy_generation") - before
    print("%d changes in %.1f s: %d builds" % (BURST, seconds, builds))
    assert 1 <= builds < BURST / 4 or seconds > 5  # slowly, they are no burst
    for one in burst:
        fixture.cluster.delete(resource_of(one), one["metadata"]["name"])
    until(fixture.selector, {}, within=30)
