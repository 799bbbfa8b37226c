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


def test_changes_act_on_the_next_create(world):
    """Created, changed and deleted policies; usually much sooner than within a second."""
    world.start(register=True)
    world.expect()
    took = []
    for version in range(5):
        world.put(annotation("a", "a", str(version)))
        took.append(world.expect(a=str(version)))
    world.drop(annotation("a", "a", ""))
    took.append(world.expect())
    print("a change acts after %s s" % ", ".join("%.3f" % one for one in took))
    assert statistics.median(took) < 1 * SLOW


def test_what_is_stored_is_mutated(world):
    """Not only on trial: objects that are really created, and changed later."""
    world.start(register=True)
    world.put(annotation("a", "a", "1"))
    world.expect(a="1")
    world.put(deployment("stored"))
    stored = world.cluster.get("deployments.apps", "stored", NAMESPACE)
    assert stored["metadata"]["annotations"] == {"a": "1"}
    world.put(annotation("b", "b", "2"))
    world.expect(a="1", b="2")
    world.put(deployment("stored", hostname="touched"))
    stored = world.cluster.get("deployments.apps", "stored", NAMESPACE)
    assert stored["metadata"]["annotations"] == {"a": "1", "b": "2"}


def test_every_kind(world):
    """Of Gatekeeper's groups and of our own."""
    world.define(*definitions(MODIFY_SET, REMOVE))
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
    world.put(
        *map(for_deployments, policies),
        annotation("key", "key", "value"),
        of(FIXPOINT, "AssignMetadata", "other", annotation("", "other", "value")),
    )
    world.start(register=True)
    world.expect(key="value", other="value")
    spec = world.would_create(hostname="h")["spec"]["template"]["spec"]
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


def test_an_invalid_change_keeps_the_previous_version(world):
    replica = world.start(*STATUS, register=True)
    good = selects("a", "key", "1")
    world.put(good)
    until(world.selector, {"key": "1"})
    until(lambda: (world.entry(good, replica) or {}).get("enforced"), True)
    bad = selects("a", "key[name: *", "2")
    world.put(bad)
    until(lambda: bool(world.entry(bad, replica).get("errors")), True)
    entry = world.entry(bad, replica)
    stored = world.cluster.get(resource_of(bad), "a")
    assert entry["observedGeneration"] == stored["metadata"]["generation"] == 2
    assert entry["mutatorUID"] == stored["metadata"]["uid"] and not entry.get("enforced")
    assert world.selector() == {"key": "1"}
    assert replica.metric("gatekeeper_mutators", status="error") == 1
    world.put(selects("a", "key", "3"))
    until(world.selector, {"key": "3"})
    until(lambda: world.entry(good, replica)["observedGeneration"], 3)
    entry = world.entry(good, replica)
    assert entry["enforced"] and not entry.get("errors")
    assert sorted(entry["operations"]) == ["mutation-status", "mutation-webhook"]


def test_conflicting_policies_stand_still_until_one_goes(world):
    replica = world.start(*STATUS, register=True)
    first, second = selects("a", "key.inner", "1"), selects("b", "key[name: x].inner", "2")
    other = annotation("c", "c", "1")
    world.put(first, second, other)
    world.expect(c="1")
    for policy in (first, second):
        until(lambda: bool((world.entry(policy, replica) or {}).get("errors")), True)
        errors = world.entry(policy, replica)["errors"]
        assert [one["type"] for one in errors] == ["ErrConflictingSchema"], errors
    assert world.selector() == {}
    assert replica.metric("gatekeeper_mutator_conflicting_count") == 2
    world.drop(second)
    until(lambda: world.entry(first, replica).get("errors") or [], [])
    assert replica.metric("gatekeeper_mutator_conflicting_count") == 0


# --- what is installed -----------------------------------------------------------------------


def test_a_definition_that_comes_later(world):
    need_absent(world.cluster, REMOVE)
    replica = world.start(register=True)
    assert replica.state(REMOVE) == "absent"
    world.put(selects("a", "key", "1"))
    until(world.selector, {"key": "1"})
    world.define(*definitions(REMOVE))
    removal = {"location": "spec.template.spec.nodeSelector.unwanted"}
    world.put(for_deployments(of(FIXPOINT, "Remove", "r", removal)))

    def created():
        return world.selector(unwanted="x", wanted="y")

    until(created, {"key": "1", "wanted": "y"}, within=30)
    assert replica.state(REMOVE) == "watching"
    world.drop(definitions(REMOVE)[0])  # and takes its objects along
    until(created, {"key": "1", "wanted": "y", "unwanted": "x"}, within=30)
    assert world.annotations() == {}


def test_only_an_old_version_is_served(world):
    need_absent(world.cluster, MODIFY_SET)
    (definition,) = definitions(MODIFY_SET)
    for version in definition["spec"]["versions"]:
        version["served"] = version["name"] == "v1beta1"
    world.define(definition)
    replica = world.start(*STATUS, register=True)
    assert replica.state(MODIFY_SET) == "watching"
    policy = for_deployments(modify_set("m", "spec.template.spec.list", ["x"]))
    policy["apiVersion"] = GATEKEEPER + "/v1beta1"
    world.put(policy)
    until(lambda: replica.metric("gatekeeper_mutators", status="active"), 1)
    until(lambda: (world.entry(policy, replica) or {}).get("enforced"), True)
    assert replica.metric("gatekeeper_mutators", status="error") == 0


def test_a_provider(world):
    authority = Authority(world.folder / "authority")
    provider = Provider(authority, authority.issue("provider"))
    policy = for_deployments(external("from-outside", "spec.template.spec.nodeSelector.key"))
    world.start(register=True)
    bundle = base64.b64encode(authority.cert.read_bytes()).decode()
    world.put(
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
            return world.selector(key="a")
        except Refused as refused:  # as long as the provider is not known
            return refused.message

    until(created, {"key": "a_valid"})
    provider.close()


def test_a_config_excludes_namespaces(world):
    world.start(register=True)
    world.put(annotation("a", "a", "1"))
    world.expect(a="1")
    excluded = world.namespace()
    until(lambda: world.annotations(excluded), {"a": "1"})
    match = [{"excludedNamespaces": [excluded], "processes": ["mutation-webhook"]}]
    config = of("config.gatekeeper.sh", "Config", "config", {"match": match})
    config["metadata"]["namespace"] = NAMESPACE
    world.put(config)
    until(lambda: world.annotations(excluded), {})
    assert world.annotations() == {"a": "1"}
    world.drop(config)
    until(lambda: world.annotations(excluded), {"a": "1"})


# --- namespaces ------------------------------------------------------------------------------


def team(name):
    selector = {"matchLabels": {"team": name}}
    return with_match(annotation(name, name, "1"), namespaceSelector=selector)


def test_namespaces_by_selector(world):
    world.start(register=True)
    world.put(annotation("a", "a", "1"), team("web"), team("shop"))
    world.expect(a="1")
    web, shop, none = world.namespace(team="web"), world.namespace(team="shop"), NAMESPACE
    until(lambda: world.annotations(web), {"a": "1", "web": "1"})
    until(lambda: world.annotations(shop), {"a": "1", "shop": "1"})
    assert world.annotations(none) == {"a": "1"}
    world.cluster.patch("namespaces", shop, {"metadata": {"labels": {"team": "web"}}})
    until(lambda: world.annotations(shop), {"a": "1", "web": "1"})
    world.cluster.patch("namespaces", web, {"metadata": {"labels": {"team": None}}})
    until(lambda: world.annotations(web), {"a": "1"})


def test_objects_right_after_their_namespace(world):
    """As `kubectl apply -f folder` has it: no object comes too early to be selected."""
    world.start(register=True)
    world.put(team("web"))
    until(lambda: world.annotations(world.namespace(team="web")), {"web": "1"})
    for _ in range(20):
        assert world.annotations(world.namespace(team="web")) == {"web": "1"}


def test_a_namespace_that_is_younger_than_the_watch(world):
    """It is asked for, as long as the watch says nothing."""
    standin = world.cluster.need_standin()
    rule = standin.faults.add(_silent_watch, verb="watch", resource="namespaces")
    world.start(register=True)
    rule.wait()
    world.put(team("web"))
    name = world.namespace(team="web")
    until(lambda: world.annotations(name), {"web": "1"})
    asked = standin.log.of(verb="get", resource="namespaces", name=name, user="fixpoint")
    assert asked and all(one.status == 200 for one in asked)
    standin.faults.clear()


@pytest.mark.parametrize("body", [b"{}", b'{"metadata":{"name":"another"}}', b"[]"])
def test_an_answer_that_is_not_the_namespace(world, body):
    """It is none without labels: the review fails for the moment, and nobody is told that the
    selector does not match."""
    standin = world.cluster.need_standin()
    rule = standin.faults.add(_silent_watch, verb="watch", resource="namespaces")
    server = world.start(register=True)
    rule.wait()
    world.put(team("web"))
    name = world.namespace(team="web")
    until(lambda: world.annotations(name), {"web": "1"})
    lie = standin.faults.add(
        faults.garbage(body), verb="get", resource="namespaces", name=name, user="fixpoint"
    )
    world.annotations(name)  # the webhook may fail open
    lie.wait()
    assert server.log.wait("review failed")["status"] == 503
    standin.faults.clear()
    until(lambda: world.annotations(name), {"web": "1"})


def _silent_watch(exchange):
    """A watch that is late: its head, and then nothing."""
    exchange.begin_stream()
    exchange.pause(1e9)


# --- many ------------------------------------------------------------------------------------


def test_a_burst_is_few_builds(world):
    replica = world.start(register=True)
    world.put(annotation("last", "last", "0"))
    world.expect(last="0")
    before = replica.metric("fixpoint_policy_generation")
    burst = [selects("burst-%04d" % i, "k%04d" % i, "v") for i in range(BURST)]
    began = time.monotonic()
    world.cluster.load(*burst)
    world.put(annotation("last", "last", "1"))
    seconds = time.monotonic() - began
    until(lambda: len(world.selector()), BURST, within=30)
    world.expect(last="1")
    builds = replica.metric("fixpoint_policy_generation") - before
    print("%d changes in %.1f s: %d builds" % (BURST, seconds, builds))
    assert 1 <= builds < BURST / 4 or seconds > 5  # slowly, they are no burst
    for one in burst:
        world.cluster.delete(resource_of(one), one["metadata"]["name"])
    until(world.selector, {}, within=30)
