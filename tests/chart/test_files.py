# SPDX-License-Identifier: Apache-2.0
"""The alerts and the dashboard: of metrics that there are."""

import json
import re
import shutil
import subprocess

import pytest

import chart

ALERTS = chart.CHART / "files" / "alerts.yaml"
DASHBOARD = chart.CHART / "files" / "dashboard.json"

# What others count.
FOREIGN = {"apiserver_admission_webhook_fail_open_count", "apiserver_admission_webhook_rejection_count"}


def counted():
    """Names of metrics in the sources: words with our prefixes."""
    names = set()
    for path in sorted((chart.ROOT / "src").rglob("*.[ch]")):
        if not path.name.endswith("_test.c"):
            text = path.read_text(encoding="utf-8")
            names |= set(re.findall(r'"((?:fixpoint|gatekeeper|process)_[a-z_]+)"', text))
    return names


def asked(expression):
    """Names of metrics in an expression."""
    plain = re.sub(r'"[^"]*"', "", expression)
    return set(re.findall(r"\b(?:fixpoint|gatekeeper|process|apiserver|kube)_[a-z_]+\b", plain))


def base(name, known):
    for suffix in ("_bucket", "_sum", "_count"):
        if name not in known and name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


def alerts():
    (document,) = chart.load_all(ALERTS.read_text(encoding="utf-8"))
    return [rule for group in document["groups"] for rule in group["rules"]]


def expressions(panel):
    for target in panel.get("targets", []):
        yield target["expr"]


def panels():
    return json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]


def test_metrics_exist():
    known = counted() | FOREIGN
    used = [rule["expr"] for rule in alerts()]
    used += [one for panel in panels() for one in expressions(panel)]
    for expression in used:
        assert asked(expression), expression
        for name in asked(expression):
            assert base(name, known) in known, name


def test_alerts():
    names = [rule["alert"] for rule in alerts()]
    assert len(names) == len(set(names)) >= 10
    for rule in alerts():
        assert re.fullmatch(r"Fixpoint[A-Z]\w+", rule["alert"])
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}
        assert rule["annotations"]["summary"].endswith(".") and rule["annotations"]["description"]


def test_promtool():
    if shutil.which("promtool") is None:
        pytest.skip("no promtool (Debian: prometheus)")
    done = subprocess.run(["promtool", "check", "rules", str(ALERTS)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_rule_is_the_file():
    objects = chart.render({"metrics": {"prometheusRule": {"enabled": True}}})
    (document,) = chart.load_all(ALERTS.read_text(encoding="utf-8"))
    assert objects.one("PrometheusRule")["spec"] == document


def test_webhooks_of_modrules_are_counted():
    """By their names, of which there are more, and no other word is changed."""
    values = {"metrics": {"prometheusRule": {"enabled": True}, "dashboard": {"enabled": True}}}
    one, more = (
        chart.render({**values, **apis}) for apis in ({}, chart.MODRULES)
    )
    names = "mutation.gatekeeper.sh|dragnet.kubemod.io|podbinding.kubemod.io"

    def counted_by(objects):
        rules = objects.one("PrometheusRule")["spec"]
        board = json.loads(objects.one("ConfigMap")["data"]["fixpoint.json"])
        return json.dumps([rules, board])

    before, after = counted_by(one), counted_by(more)
    assert before.count("mutation.gatekeeper.sh") == before.count('=\\"mutation.gatekeeper.sh\\"') > 0
    assert after == before.replace('=\\"mutation.gatekeeper.sh', f'=~\\"{names}')
    hooks = more.one("MutatingWebhookConfiguration")["webhooks"]
    assert {hook["name"] for hook in hooks} <= set(names.split("|"))


def test_dashboard():
    objects = chart.render({"metrics": {"dashboard": {"enabled": True, "namespace": "monitoring"}}})
    config = objects.one("ConfigMap")
    assert config["metadata"]["namespace"] == "monitoring"
    assert json.loads(config["data"]["fixpoint.json"]) == json.loads(DASHBOARD.read_text(encoding="utf-8"))
    assert len(str(config)) < 900_000  # a ConfigMap holds 1 MiB
    identifiers = [panel["id"] for panel in panels()]
    assert len(identifiers) == len(set(identifiers))
    for panel in panels():
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        assert panel["type"] == "row" or list(expressions(panel)), panel["title"]
