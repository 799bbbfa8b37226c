# SPDX-License-Identifier: Apache-2.0
"""What /metrics says, to Prometheus and to the readers of docs/metrics.md."""

import json
import re
import subprocess

import metrics_page
import metrics_text
import yaml
from client import answer, ask, health, pod, review
from fixpoint_cluster import until
from metrics_page import ALWAYS, API_SERVER, IN_A_CLUSTER, ROOT
from metrics_text import value
from policies import annotation, assign, fails_on_strings, never_settles, pull_always
from process import Server

CHART = ROOT / "charts" / "fixpoint" / "files"
GROUP = "mutations.gatekeeper.sh"


def scrape(server):
    status, text = health(server, "/metrics")
    assert status == 200
    return text, metrics_text.read(text)


def promtool(*arguments, given=None):
    """Debian's package `prometheus` has it."""
    return subprocess.run(
        ("promtool",) + arguments,
        input=given,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )


def unreachable_cluster():
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }


def failing(samples):
    """The watched resources that cannot be read."""
    return {
        dict(labels)["resource"]
        for (name, labels), number in samples.items()
        if name == "fixpoint_kube_resources" and ("state", "failing") in labels and number
    }


def busy_server(start):
    """One that has something to say of everything."""
    server = start(pull_always(), fails_on_strings(), annotation('quote"d', "a", "1"))
    failing = pod()
    failing["spec"]["nodeName"] = "x"
    answer(ask(server, review(pod())))
    answer(ask(server, review(failing)))
    return server


def test_promtool_reads_it(start):
    """It finds fault with Gatekeeper's names, which are not ours to choose."""
    text, _ = scrape(busy_server(start))
    done = promtool("check", "metrics", given=text)
    faults = [line for line in done.stdout.splitlines() if not line.startswith("gatekeeper_")]
    assert not faults and done.returncode in (0, 3), done.stdout
    done = promtool("check", "metrics", given=text.replace(" counter\n", " teapot\n", 1))
    assert done.returncode not in (0, 3)


def test_the_page_tells_of_each(start):
    text, samples = scrape(busy_server(start))
    metrics_page.check(text, samples, ALWAYS)


def test_the_page_tells_of_each_in_a_cluster(tmp_path):
    """Of one whose API server does not answer: what is counted is there all the same."""
    config = tmp_path / "kubeconfig"
    config.write_text(yaml.safe_dump(unreachable_cluster()))
    secret = ("--tls-secret", "certs", "--own-namespace", "n")
    server = Server(tmp_path, [], "--kubeconfig", config, *secret, tls=False)
    try:
        server.log.wait("the API server does not answer: the objects read last stay in use")
        until(lambda: failing(scrape(server)[1]), lambda names: len(names) == 25)
        text, samples = scrape(server)
    finally:
        server.kill()
    metrics_page.check(text, samples, ALWAYS, IN_A_CLUSTER)
    hooks = "%swebhookconfigurations.admissionregistration.k8s.io"
    assert failing(samples) >= {"namespaces", "secrets", hooks % "mutating", hooks % "validating"}
    assert any(
        key[0] == "fixpoint_kube_requests_total" and ("reason", "network") in key[1]
        for key in samples
    )


def test_what_each_mutator_did(start):
    server = start(
        pull_always(), assign("same", "spec.containers[name: c0].image", "i"), fails_on_strings()
    )
    for name in ("x", None, None):
        obj = pod(images=["i"])
        if name:
            obj["spec"]["nodeName"] = name
        answer(ask(server, review(obj)))
    _, samples = scrape(server)

    def count(what, name):
        metric = "fixpoint_mutator_%s_total" % what
        return value(samples, metric, group=GROUP, kind="Assign", name=name)

    facts = ("matched", "applied", "changed", "errors")
    assert [count(fact, "fails") for fact in facts] == [3, 2, 2, 1]
    assert [count(fact, "pull-always") for fact in facts] == [2, 2, 2, 0]
    assert [count(fact, "same") for fact in facts] == [2, 2, 0, 0]
    assert 0 < count("seconds", "pull-always") < 5
    passes = "fixpoint_review_passes"
    assert value(samples, passes + "_count") == 3
    assert value(samples, passes + "_sum") == 1 + 2 + 2
    assert value(samples, "fixpoint_review_duration_seconds_count") == 3


def test_the_metrics_of_mutators_are_bounded(start):
    many = [annotation("m%d" % i, "a%d" % i, "1") for i in range(5)]
    server = start(*many, args=("--metrics-max-mutators", "2"))
    answer(ask(server, review(pod())))
    text, samples = scrape(server)
    metric = "fixpoint_mutator_changed_total"
    assert value(samples, metric, group=GROUP, kind="AssignMetadata", name="m1") == 1
    assert value(samples, metric, group="other", kind="other", name="other") == 3
    assert text.count(metric + "{") == 3


def test_mutators_that_are_gone_are_no_more_told_of(start, folder):
    server = start(annotation("a", "a", "1"), annotation("b", "b", "1"))
    answer(ask(server, review(pod())))
    assert 'name="b"' in scrape(server)[0]
    position = server.log.position()
    (folder / "policies.yaml").write_text(yaml.safe_dump(annotation("a", "a", "2")))
    server.log.wait("policies active", since=position)
    text, samples = scrape(server)
    metric = "fixpoint_mutator_changed_total"
    assert value(samples, metric, group=GROUP, kind="AssignMetadata", name="a") == 1
    assert 'name="b"' not in text
    assert value(samples, "gatekeeper_mutator_ingestion_count", status="active") == 3
    assert value(samples, "fixpoint_policy_generation") == 2


def test_connections_and_handshakes(start):
    server = start(never_settles())
    answer(ask(server, review(pod())))
    _, samples = scrape(server)
    accepted = value(samples, "fixpoint_connections_accepted_total")
    assert accepted >= 1
    assert 1 <= value(samples, "fixpoint_tls_handshakes_total", result="ok") <= accepted
    assert value(samples, "fixpoint_tls_handshakes_total", result="failed") == 0
    assert value(samples, "process_resident_memory_bytes") > 1e6


# ---- the chart's ------------------------------------------------------------------------


def expressions(node):
    """Every `expr`, and what the variables of a dashboard ask for."""
    if isinstance(node, dict):
        for key, inner in node.items():
            if key in ("expr", "definition") and isinstance(inner, str):
                yield inner
            else:
                yield from expressions(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from expressions(inner)


def unknown_names(*documents):
    known = metrics_page.documented(ALWAYS, IN_A_CLUSTER, API_SERVER)
    names = set()
    for expression in [expr for document in documents for expr in expressions(document)]:
        # what is no label, nor within quotes
        bare = re.sub(r'"[^"]*"|\b(?:by|on|without|ignoring)\s*\([^)]*\)', "", expression)
        names |= set(re.findall(r"\b(?:fixpoint|gatekeeper|apiserver|process)_\w+", bare))
    assert names
    for name in sorted(names):
        family = re.sub(r"_(bucket|sum|count)\Z", "", name)
        if name not in known and known.get(family, ("",))[0] != "histogram":
            yield name


def test_the_alerts_and_the_dashboard_use_what_there_is():
    alerts = yaml.safe_load((CHART / "alerts.yaml").read_text())
    dashboard = json.loads((CHART / "dashboard.json").read_text())
    assert list(unknown_names(alerts, dashboard)) == []
    assert list(unknown_names({"expr": "rate(fixpoint_nothing_total[5m])"})) == [
        "fixpoint_nothing_total"
    ]


def test_promtool_reads_the_alerts():
    done = promtool("check", "rules", str(CHART / "alerts.yaml"))
    assert done.returncode == 0, done.stdout


def test_every_alert_says_what_to_do():
    groups = yaml.safe_load((CHART / "alerts.yaml").read_text())["groups"]
    for rule in (rule for group in groups for rule in group["rules"]):
        assert rule["labels"]["severity"] in ("warning", "critical"), rule
        assert rule["annotations"]["summary"] and rule["annotations"]["description"], rule
