# SPDX-License-Identifier: Apache-2.0
"""`fixpoint disable` stops mutation with a record, and perhaps an end; `enable` undoes it."""

import json
import threading
import time

import pytest
from fixpoint_cluster import run, until
from shared_certificate import published
from standin import faults
from standin.cluster import webhook
from webhook_configurations import (
    BLUE,
    CONFIGURATION,
    MUTATING,
    bundle,
    configured,
    mutating,
    overwrite,
)

NEVER = {
    "matchExpressions": [
        {"key": "fixpoint.dev/disabled", "operator": "Exists"},
        {"key": "fixpoint.dev/disabled", "operator": "DoesNotExist"},
    ]
}


def ask(cluster, command, *arguments, name=CONFIGURATION):
    """(exit status, output, errors)"""
    return run(cluster.kubeconfig_for("admin"), command, "--name", name, *arguments)


def selectors(cluster):
    return [one["objectSelector"] for one in configured(cluster)["webhooks"]]


def record(cluster):
    annotations = configured(cluster)["metadata"].get("annotations") or {}
    return {key.partition("/")[2]: value for key, value in annotations.items()}


def owners(cluster):
    """Who owns the selector of the first webhook: (manager, operation)."""
    found = set()
    for entry in configured(cluster)["metadata"]["managedFields"]:
        hooks = entry["fieldsV1"].get("f:webhooks", {})
        if "f:objectSelector" in hooks.get('k:{"name":"mutation.gatekeeper.sh"}', {}):
            found.add((entry["manager"], entry["operation"]))
    return found


def applied(selector):
    """What a user applies who sets this selector, and no caBundle."""
    obj = mutating()
    obj["webhooks"][0]["objectSelector"] = selector
    return obj


def test_by_hand(cluster, tmp_path):
    before = configured(cluster)
    status, said, errors = ask(cluster, "disable", "--reason", "a storm")
    assert (status, errors) == (0, "")
    assert said == (
        "%s matches nothing now: mutation is disabled\nuntil `fixpoint enable`\n"
        % CONFIGURATION
    )
    assert selectors(cluster) == [NEVER]
    kept = record(cluster)
    assert kept.pop("disabled-at").endswith("Z")
    assert json.loads(kept.pop("disabled-selectors")) == {"mutation.gatekeeper.sh": BLUE}
    assert list(json.loads(kept.pop("disabled-owners"))) == ["mutation.gatekeeper.sh"]
    assert kept == {"disabled-by": "tester", "disabled-reason": "a storm"}

    status, said, errors = ask(cluster, "enable")
    assert (status, errors) == (0, "")
    assert said == "%s matches as before: mutation is enabled\n" % CONFIGURATION
    assert configured(cluster)["webhooks"] == before["webhooks"]
    assert record(cluster) == {}


def test_enable_what_is_not_disabled(cluster):
    assert ask(cluster, "enable") == (
        3,
        "",
        "fixpoint: MutatingWebhookConfiguration `%s`: the configuration is not disabled\n"
        % CONFIGURATION,
    )


@pytest.mark.parametrize("command", ["disable", "enable"])
def test_there_is_none(cluster, command):
    """That one is meant, unless another one is named."""
    cluster.need_standin()  # in a real one it may be in use
    assert run(cluster.kubeconfig_for("admin"), command) == (
        5,
        "",
        "fixpoint: MutatingWebhookConfiguration `gatekeeper-mutating-webhook-configuration` "
        "does not exist, so it mutates nothing; `helm upgrade` or `kubectl apply` creates it\n",
    )


def test_nobody_may(cluster):
    standin = cluster.need_standin()
    plural, _, group = MUTATING.partition(".")
    command = ("disable", "--name", CONFIGURATION)
    status, said, errors = run(standin.kubeconfig_for("reader"), *command)
    assert (status, said) == (5, "")
    assert 'verbs ["get"]' in errors
    standin.grant("reader", ["get"], [plural], group=group)
    status, _, errors = run(standin.kubeconfig_for("reader"), *command)
    assert status == 5 and 'resources ["%s"], verbs ["patch"]' % plural in errors
    assert selectors(cluster) == [BLUE]


def test_a_write_in_between(cluster):
    """The configuration changes after it was read: it is read again."""
    standin = cluster.need_standin()
    slow = standin.faults.add(
        faults.delay(0.5), verb="patch", resource=MUTATING.partition(".")[0], times=1
    )
    done = []
    thread = threading.Thread(target=lambda: done.append(ask(cluster, "disable")))
    thread.start()
    slow.wait()
    overwrite(cluster)
    thread.join(20)
    assert done[0][0] == 0 and selectors(cluster) == [NEVER]


def test_disabled_twice_and_a_webhook_in_between(cluster):
    assert ask(cluster, "disable")[0] == 0
    now = configured(cluster)
    red = {"matchLabels": {"team": "red"}}
    url = "https://localhost:1/"
    now["webhooks"].append(webhook("late.example.com", None, url=url, objectSelector=red))
    cluster.update(now)
    assert ask(cluster, "disable", "--reason", "again")[0] == 0
    assert selectors(cluster) == [NEVER, NEVER]
    assert ask(cluster, "enable")[0] == 0
    assert selectors(cluster) == [BLUE, red]
    assert record(cluster) == {}


def test_it_ends_by_itself(cluster, replica):
    servers = [replica() for _ in range(2)]
    trusted = published(cluster)
    until(lambda: any(one.log.entries("lease won") for one in servers), True, within=20)
    status, said, _ = ask(cluster, "disable", "--for", "2s")
    assert status == 0 and "\nuntil 2" in said
    for server in servers:
        server.log.wait("mutation is disabled")
    assert selectors(cluster) == [NEVER] and bundle(cluster) == trusted
    until(lambda: selectors(cluster), [BLUE])
    for server in servers:
        server.log.wait("mutation is enabled")
    until(lambda: record(cluster), {})
    assert bundle(cluster) == trusted
    ended = "mutation is enabled again: the end of the disable is reached"
    until(lambda: sum(len(one.log.entries(ended)) for one in servers), 1)


def install(cluster, operation="Apply"):
    """The configuration anew, by a client that applies it, or by one that only writes it."""
    cluster.delete(MUTATING, CONFIGURATION)
    if operation == "Apply":
        cluster.apply(applied(BLUE), manager="helm")
    else:
        cluster.create(applied(BLUE), fieldManager="helm")
    assert owners(cluster) == {("helm", operation)}


@pytest.mark.parametrize("operation", ["Apply", "Update"])
def test_the_selector_is_given_back(cluster, operation):
    """Whoever owned it owns it again, and has no conflict when it is to be another."""
    install(cluster, operation)
    assert ask(cluster, "disable")[0] == 0
    assert ask(cluster, "disable", "--reason", "still")[0] == 0
    assert ("fixpoint-disable", "Apply") in owners(cluster)
    assert ask(cluster, "enable")[0] == 0
    assert selectors(cluster) == [BLUE] and record(cluster) == {}
    assert owners(cluster) == {("helm", operation)}
    managers = {entry["manager"] for entry in configured(cluster)["metadata"]["managedFields"]}
    assert managers == {"helm"}
    if operation == "Apply":
        cluster.apply(applied({"matchLabels": {"team": "red"}}), manager="helm", force=False)
        assert selectors(cluster) == [{"matchLabels": {"team": "red"}}]


def test_what_was_applied_meanwhile_stays(cluster):
    red = {"matchLabels": {"team": "red"}, "matchExpressions": []}
    install(cluster)
    assert ask(cluster, "disable")[0] == 0
    cluster.apply(applied(red), manager="somebody", force=True)
    assert ask(cluster, "enable")[0] == 0
    assert selectors(cluster)[0]["matchLabels"] == {"team": "red"}
    assert ("somebody", "Apply") in owners(cluster)
    assert record(cluster) == {}
    cluster.apply(applied({"matchLabels": {"team": "green"}}), manager="somebody", force=False)
    assert selectors(cluster)[0]["matchLabels"] == {"team": "green"}


def test_enabling_was_cut_in_two(cluster):
    """The selector was put back, but not handed over: it is done once more."""
    standin = cluster.need_standin()
    install(cluster)
    assert ask(cluster, "disable")[0] == 0
    resource = MUTATING.partition(".")[0]
    standin.faults.add(faults.answer(500), verb="patch", resource=resource, skip=1, times=9)
    assert ask(cluster, "enable")[0] == 5
    assert selectors(cluster) == [BLUE] and "disabled-owners" in record(cluster)
    standin.faults.clear()
    assert ask(cluster, "enable")[0] == 0
    assert record(cluster) == {} and owners(cluster) == {("helm", "Apply")}


def test_it_ends_though_nobody_was_there(cluster, replica):
    assert ask(cluster, "disable", "--for", "1s")[0] == 0
    time.sleep(1.5)
    assert selectors(cluster) == [NEVER]
    replica()
    until(lambda: selectors(cluster), [BLUE], within=20)
    published(cluster)


def test_record_that_somebody_spoilt(cluster, replica):
    """Then only people know what was matched before; all else goes on."""
    assert ask(cluster, "disable", "--for", "1s")[0] == 0
    spoilt = {"metadata": {"annotations": {"fixpoint.dev/disabled-selectors": "{oops"}}}
    cluster.patch(MUTATING, CONFIGURATION, spoilt)
    server = replica()
    published(cluster)
    report = server.log.wait(
        "mutation stays disabled although the end of the disable is reached", timeout=20
    )
    assert "fixpoint.dev/disabled-selectors" in report["error"]
    time.sleep(2)
    assert len(server.log.entries("mutation stays disabled although the end of the disable is reached")) <= 2
    assert selectors(cluster) == [NEVER]
    status, _, errors = ask(cluster, "enable")
    assert status == 3 and "fixpoint.dev/disabled-selectors" in errors


def test_upgraded_while_disabled(cluster, replica):
    """Helm puts the selectors of the chart back: it is not disabled any more."""
    server = replica()
    trusted = published(cluster)
    assert ask(cluster, "disable")[0] == 0
    server.log.wait("mutation is disabled")
    now = configured(cluster)
    now["webhooks"][0]["objectSelector"] = BLUE
    cluster.update(now)
    server.log.wait("mutation is enabled")
    assert "disabled-selectors" in record(cluster)
    assert ask(cluster, "enable")[0] == 0
    assert record(cluster) == {} and selectors(cluster) == [BLUE]
    assert bundle(cluster) == trusted
