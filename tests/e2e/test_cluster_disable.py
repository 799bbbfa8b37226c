# SPDX-License-Identifier: Apache-2.0
"""`fixpoint disable` stops mutation with a record, and perhaps an end; `enable` undoes it."""

import json
import threading
import time

import pytest
from replica import (  # cluster and replica are fixtures
    MUTATING,
    MUTATING_NAME,
    bundle,
    cluster,
    configured,
    overwrite,
    published,
    replica,
    run,
    until,
)
from standin import faults
from standin.cluster import webhook

NEVER = {
    "matchExpressions": [
        {"key": "fixpoint.dev/disabled", "operator": "Exists"},
        {"key": "fixpoint.dev/disabled", "operator": "DoesNotExist"},
    ]
}
BLUE = {"matchLabels": {"team": "blue"}}


def selectors(cluster):
    return [one["objectSelector"] for one in configured(cluster)["webhooks"]]


def record(cluster):
    annotations = configured(cluster)["metadata"].get("annotations") or {}
    return {key.partition("/")[2]: value for key, value in annotations.items()}


def test_by_hand(cluster, tmp_path):
    kubeconfig = cluster.kubeconfig_for("admin")
    before = configured(cluster)
    status, said, errors = run(kubeconfig, "disable", "--reason", "a storm")
    assert (status, errors) == (0, "")
    assert said == (
        "%s matches nothing now: mutation has stopped\nuntil `fixpoint enable`\n"
        % MUTATING_NAME
    )
    assert selectors(cluster) == [NEVER]
    kept = record(cluster)
    assert kept.pop("disabled-at").endswith("Z")
    assert json.loads(kept.pop("disabled-selectors")) == {"mutation.gatekeeper.sh": BLUE}
    assert kept == {"disabled-by": "tester", "disabled-reason": "a storm"}

    status, said, errors = run(kubeconfig, "enable")
    assert (status, errors) == (0, "")
    assert said == "%s matches as before: mutation goes on\n" % MUTATING_NAME
    assert configured(cluster)["webhooks"] == before["webhooks"]
    assert record(cluster) == {}


def test_enable_what_is_not_disabled(cluster):
    kubeconfig = cluster.kubeconfig_for("admin")
    assert run(kubeconfig, "enable") == (
        3,
        "",
        "fixpoint: MutatingWebhookConfiguration `%s`: the configuration is not disabled\n"
        % MUTATING_NAME,
    )


@pytest.mark.parametrize("command", ["disable", "enable"])
def test_there_is_none(cluster, command):
    kubeconfig = cluster.kubeconfig_for("admin")
    assert run(kubeconfig, command, "--name", "other") == (
        5,
        "",
        "fixpoint: there is no MutatingWebhookConfiguration `other`: nothing is mutated by "
        "it, and nothing makes it again but `helm upgrade` or `kubectl apply`\n",
    )


def test_nobody_may(cluster):
    standin = cluster.need_standin()
    plural, _, group = MUTATING.partition(".")
    kubeconfig = standin.kubeconfig_for("reader")
    status, said, errors = run(kubeconfig, "disable")
    assert (status, said) == (5, "")
    assert 'verbs ["get"]' in errors
    standin.grant("reader", ["get"], [plural], group=group)
    status, _, errors = run(kubeconfig, "disable")
    assert status == 5 and 'resources ["%s"], verbs ["patch"]' % plural in errors
    assert selectors(cluster) == [BLUE]


def test_a_write_in_between(cluster):
    """The configuration changes after it was read: it is read again."""
    standin = cluster.need_standin()
    slow = standin.faults.add(
        faults.delay(0.5), verb="patch", resource=MUTATING.partition(".")[0], times=1
    )
    done = []
    kubeconfig = cluster.kubeconfig_for("admin")
    thread = threading.Thread(target=lambda: done.append(run(kubeconfig, "disable")))
    thread.start()
    slow.wait()
    overwrite(cluster)
    thread.join(20)
    assert done[0][0] == 0 and selectors(cluster) == [NEVER]


def test_disabled_twice_and_a_webhook_in_between(cluster):
    kubeconfig = cluster.kubeconfig_for("admin")
    assert run(kubeconfig, "disable")[0] == 0
    now = configured(cluster)
    red = {"matchLabels": {"team": "red"}}
    url = "https://localhost:1/"
    now["webhooks"].append(webhook("late.example.com", None, url=url, objectSelector=red))
    cluster.update(now)
    assert run(kubeconfig, "disable", "--reason", "again")[0] == 0
    assert selectors(cluster) == [NEVER, NEVER]
    assert run(kubeconfig, "enable")[0] == 0
    assert selectors(cluster) == [BLUE, red]
    assert record(cluster) == {}


def test_it_ends_by_itself(cluster, replica):
    servers = [replica(pod="fixpoint-%d" % i) for i in range(2)]
    trusted = published(cluster)
    until(lambda: any(one.log.entries("lease won") for one in servers), "no lease", 20)
    status, said, _ = run(cluster.kubeconfig_for("admin"), "disable", "--for", "2s")
    assert status == 0 and "\nuntil 2" in said
    for server in servers:
        server.log.wait("mutation is disabled")
    assert selectors(cluster) == [NEVER] and bundle(cluster) == trusted
    until(lambda: selectors(cluster) == [BLUE], "still disabled", 10)
    for server in servers:
        server.log.wait("mutation is enabled")
    assert record(cluster) == {} and bundle(cluster) == trusted
    ended = [
        one.log.entries("mutation is enabled again: the time of its disable is over")
        for one in servers
    ]
    assert sum(map(len, ended)) == 1


def test_it_ends_though_nobody_was_there(cluster, replica):
    assert run(cluster.kubeconfig_for("admin"), "disable", "--for", "1s")[0] == 0
    time.sleep(1.5)
    assert selectors(cluster) == [NEVER]
    replica()
    until(lambda: selectors(cluster) == [BLUE], "still disabled", 20)
    published(cluster)


def test_record_that_somebody_spoilt(cluster, replica):
    """Then only people know what was matched before; all else goes on."""
    assert run(cluster.kubeconfig_for("admin"), "disable", "--for", "1s")[0] == 0
    spoilt = {"metadata": {"annotations": {"fixpoint.dev/disabled-selectors": "{oops"}}}
    cluster.patch(MUTATING, MUTATING_NAME, spoilt)
    server = replica()
    published(cluster)
    told = server.log.wait("mutation stays disabled though its time is over", timeout=20)
    assert "fixpoint.dev/disabled-selectors" in told["error"]
    time.sleep(2)
    assert len(server.log.entries("mutation stays disabled though its time is over")) <= 2
    assert selectors(cluster) == [NEVER]
    status, _, errors = run(cluster.kubeconfig_for("admin"), "enable")
    assert status == 3 and "fixpoint.dev/disabled-selectors" in errors


def test_upgraded_while_disabled(cluster, replica):
    """Helm puts the selectors of the chart back: it is not disabled any more."""
    server = replica()
    trusted = published(cluster)
    assert run(cluster.kubeconfig_for("admin"), "disable")[0] == 0
    server.log.wait("mutation is disabled")
    now = configured(cluster)
    now["webhooks"][0]["objectSelector"] = BLUE
    cluster.update(now)
    server.log.wait("mutation is enabled")
    assert "disabled-selectors" in record(cluster)
    assert run(cluster.kubeconfig_for("admin"), "enable")[0] == 0
    assert record(cluster) == {} and selectors(cluster) == [BLUE]
    assert bundle(cluster) == trusted
