# SPDX-License-Identifier: Apache-2.0
"""Policies of the API server's own group: run by the API server or by Fixpoint, never by both."""

import pytest
from fixpoint_cluster import until
from standin import faults
from standin.cluster import Cluster
from test_cluster_admission_policy import APIS, GROUPS, NATIVE, OWN, STATUS, Of, definitions

BOTH = ",".join(APIS.values())
GATE = "MutatingAdmissionPolicy"
FIXPOINT = {"policies": "map", "admissionregistration": "map"}
ONLY_OWN = {"policies": "map"}


@pytest.fixture
def cluster(tmp_path):
    """With a policy of either group; each writes an annotation of its name."""
    made = Cluster(tmp_path / "cluster")
    made.need_standin()
    made.define(*definitions(OWN), *definitions(NATIVE))
    yield made
    made.close()


@pytest.fixture
def standin(fixture):
    for group in GROUPS:
        of = Of(group)
        word = '{"%s": "map"}' % group.partition(".")[0]
        fixture.put(of.policy(annotations=word, params=False), of.binding())
    return fixture.cluster.standin


def start(fixture, *args):
    return fixture.start("--apis", BOTH, *STATUS, *args, register=True)


def state(replica):
    """Who runs them, as the metric says it."""
    found = [
        dict(labels)["state"]
        for (name, labels), value in replica.metrics().items()
        if name == "fixpoint_native_policies" and value == 1
    ]
    assert len(found) <= 1
    return found[0] if found else None


def events(fixture):
    """Those about the policy of the API server's group: (type, reason, message)."""
    return [
        (one["type"], one["reason"], one["message"])
        for one in fixture.cluster.list("events", "default")
        if one["involvedObject"]["apiVersion"].startswith(NATIVE)
    ]


def forbid_metrics(standin):
    return standin.faults.add(faults.answer(403, "no"), path="/metrics", user="fixpoint")


@pytest.mark.parametrize("minor", [32, 34, 36])
def test_the_feature_gate_is_off(fixture, standin, minor):
    standin.settings.minor = minor
    replica = start(fixture)
    assert fixture.annotations() == FIXPOINT
    assert state(replica) == "run"
    line = replica.log.wait("Fixpoint runs these policies, because the API server does not")
    assert (line["group"], line["reason"]) == (NATIVE, "its feature gate %s is off" % GATE)
    assert events(fixture) == []


@pytest.mark.parametrize("minor", [32, 34, 36])
def test_the_feature_gate_is_on(fixture, standin, minor):
    """Fixpoint says so and leaves them; it is ready, and runs the policies of its own group."""
    standin.settings.minor = minor
    standin.settings.feature_gates[GATE] = True
    replica = start(fixture)
    assert fixture.annotations() == ONLY_OWN
    assert state(replica) == "left"
    line = replica.log.wait("the API server runs these policies: Fixpoint leaves them")
    assert line["reason"] == "its feature gate %s is on" % GATE
    until(lambda: len(events(fixture)), 1)
    message = "Fixpoint leaves this policy to the API server: its feature gate %s is on" % GATE
    assert events(fixture) == [("Normal", "LeftToAPIServer", message)]


def test_the_version_decides_where_there_is_no_feature_gate(fixture, standin):
    """Once a feature is stable, its gate goes; before it comes, nothing runs the policies."""
    standin.settings.feature_gates = {"APIListChunking": True}
    for minor, wanted in ((40, "left"), (31, "run")):
        standin.settings.minor = minor
        replica = start(fixture)
        assert state(replica) == wanted
        assert fixture.annotations() == (FIXPOINT if wanted == "run" else ONLY_OWN)
        assert replica.stop() == 0


def test_the_page_of_metrics_may_not_be_read(fixture, standin):
    """From 1.36 on the version tells. Before, nobody knows, and Fixpoint says what it needs;
    it takes the policies up when it may read the page."""
    rule = forbid_metrics(standin)
    standin.settings.minor = 36
    first = start(fixture)
    assert (state(first), fixture.annotations()) == ("left", ONLY_OWN)
    line = first.log.wait("the API server runs these policies: Fixpoint leaves them")
    assert line["reason"] == "Kubernetes v1.36.0-standin does so by default"
    assert first.stop() == 0
    standin.settings.minor = 34
    second = start(fixture)
    assert (state(second), fixture.annotations()) == ("unknown", ONLY_OWN)
    line = second.log.wait("Fixpoint leaves these policies, because the API server may run them")
    assert line["level"] == "warn"
    assert line["advice"] == 'grant `get` on nonResourceURLs ["/metrics"], or set --native-policies'
    assert "get metrics: 403 Forbidden: no" in line["reason"]
    assert "resources" not in line["reason"], "no rule about resources helps"
    until(lambda: ("Warning", "NotRun") in [one[:2] for one in events(fixture)], True)
    standin.faults.remove(rule)
    standin.disappear()
    until(lambda: second.state(Of(NATIVE).resource), "failing", within=20)
    standin.reappear()
    until(lambda: state(second), "run", within=40)
    until(fixture.annotations, FIXPOINT)


def test_the_api_server_is_upgraded(fixture, standin):
    """What runs them is looked up again after the connection was lost; meanwhile nothing of
    Fixpoint's own stops."""
    replica = start(fixture)
    assert fixture.annotations() == FIXPOINT
    standin.disappear()
    until(lambda: replica.state(Of(NATIVE).resource), "failing", within=20)
    assert replica.ready() and state(replica) == "run"
    standin.settings.minor = 36
    standin.settings.feature_gates[GATE] = True
    standin.reappear()
    until(lambda: state(replica), "left", within=40)
    until(fixture.annotations, ONLY_OWN)
    assert replica.ready()


def test_the_page_of_metrics_is_cut(fixture, standin):
    """A page that does not arrive whole is asked for again, and tells nothing until then."""
    rule = standin.faults.add(
        faults.cut(1, 2000, 7), path="/metrics", user="fixpoint", times=2
    )
    replica = start(fixture)
    assert rule.hits == 2
    assert (state(replica), fixture.annotations()) == ("run", FIXPOINT)


def test_the_operator_decides(fixture, standin):
    for word, gate, wanted in (("run", True, "run"), ("leave", False, "left")):
        standin.settings.feature_gates[GATE] = gate
        before = len(standin.log.of(path="/metrics"))
        replica = start(fixture, "--native-policies", word)
        assert state(replica) == wanted
        assert fixture.annotations() == (FIXPOINT if wanted == "run" else ONLY_OWN)
        assert len(standin.log.of(path="/metrics")) == before
        assert replica.stop() == 0


def test_without_the_group_nothing_is_asked(fixture, standin):
    replica = fixture.start("--apis", APIS[OWN], *STATUS, register=True)
    assert fixture.annotations() == ONLY_OWN
    assert state(replica) is None
    assert standin.log.of(path="/metrics") == []


def test_events_of_policies_that_fixpoint_runs(fixture, standin):
    """They and their bindings have no status of ours, so Events say what is wrong."""
    of = Of(NATIVE)
    fixture.put(of.policy("wrong", annotations="params +"), of.binding("wrong", to="wrong"))
    start(fixture)
    until(lambda: len(events(fixture)), 2)
    assert {one[:2] for one in events(fixture)} == {("Warning", "Invalid")}
    of_binding = "there is no valid %s `wrong`" % GATE
    messages = {one[2] for one in events(fixture)}
    assert of_binding in messages
    (of_policy,) = messages - {of_binding}
    assert "spec.mutations[0].applyConfiguration.expression" in of_policy
