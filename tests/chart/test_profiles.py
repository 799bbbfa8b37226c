# SPDX-License-Identifier: Apache-2.0
"""profiles/recommended.yaml: what it promises holds of the objects."""

import re

import pytest
import yaml

import builtin_types
import chart
import test_objects
from test_rbac import of_cluster
from test_values import VALUES, faults, merged

PATH = chart.CHART / "profiles" / "recommended.yaml"
PROFILE = yaml.safe_load(PATH.read_text(encoding="utf-8"))
PAGE = (chart.ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def of_page(name):
    """The values in a file of docs/security.md."""
    (text,) = re.findall(rf"^```yaml\n# file: {re.escape(name)}\n(.*?)^```$", PAGE, re.M | re.S)
    return yaml.safe_load(text)


# For control planes that show no certificate.
MANAGED = of_page("managed.yaml")
DNS = [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]


@pytest.fixture(
    params=[{}, MANAGED, chart.MODRULES, chart.ADMISSION],
    ids=["alone", "managed", "modrules", "admission-policies"],
)
def values(request):
    return merged(PROFILE, request.param)


def test_it_is_valid(values):
    assert faults(values) == []
    for one in chart.render(values):
        assert builtin_types.faults(one) == []


def test_the_program_knows_its_flags(values):
    flags = {flag.partition("=")[0] for flag in chart.render(values).flags}
    assert flags - test_objects.flags_of("serve") == set()


def test_it_says_only_what_differs():
    """Else it would hide a better default of a later version."""

    def leaves(value, under, where=""):
        for key, child in value.items():
            if isinstance(child, dict):
                yield from leaves(child, under[key], f"{where}.{key}")
            else:
                yield f"{where}.{key}", child, under[key]

    same = [where for where, value, default in leaves(PROFILE, VALUES) if value == default]
    assert same == []


def test_only_api_servers_may_ask():
    objects = chart.render(PROFILE)
    assert {"--client-ca=/client-ca/ca.crt", "--client-cn=kube-apiserver"} <= set(objects.flags)
    managed = chart.render(merged(PROFILE, MANAGED))
    assert not any(flag.startswith("--client-") for flag in managed.flags)
    assert "client-ca" not in str(managed.deployment)


def test_pods_are_out_of_reach(values):
    """The service account may neither read nor patch those of other namespaces."""
    assert not {one for one in of_cluster(values) if one[0].startswith("pods")}
    assert "podbinding" not in str(chart.render(values).one("MutatingWebhookConfiguration"))


def test_it_is_confined(values):
    objects = chart.render(values)
    assert "--sandbox=require" in objects.flags
    label = objects.one("ValidatingWebhookConfiguration")["webhooks"][1]
    assert label["name"] == "check-ignore-label.gatekeeper.sh" and label["failurePolicy"] == "Fail"
    assert label["rules"][0]["resources"] == ["namespaces", "namespaces/status", "namespaces/finalize"]


def test_network(values):
    """Both ways are closed but for what it lives on."""
    objects = chart.render(values)
    spec = objects.one("NetworkPolicy")["spec"]
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    pod = objects.deployment["spec"]["template"]["metadata"]["labels"]
    assert spec["podSelector"]["matchLabels"].items() <= pod.items()
    ports = {port["name"] for port in objects.container["ports"]}
    webhook, health = spec["ingress"]
    for rule, name in ((webhook, "webhook"), (health, "health")):
        assert rule["ports"] == [{"port": name, "protocol": "TCP"}] and name in ports
    assert "from" not in webhook and health["from"] == [{"namespaceSelector": {}}]
    server, dns = spec["egress"]
    assert [one["port"] for one in server["ports"]] == [443, 6443] and "to" not in server
    assert dns["ports"] == DNS and len(dns["to"]) == 2


def test_page():
    """What it says of lists, and of each value."""
    mine = of_page("mine.yaml")
    values = merged(PROFILE, mine)
    assert faults(values) == []
    policy = chart.render(values).one("NetworkPolicy")
    assert builtin_types.faults(policy) == []
    assert policy["spec"]["egress"] == mine["controllerManager"]["networkPolicy"]["egress"]
    rows = re.search(r"^## The recommended profile$(.*?)^## ", PAGE, re.M | re.S).group(1)
    for name in ("clientCA.configMapName", "clientCNs", "controllerManager.networkPolicy",
                 "apis.kubemod.nodeRefs.enabled: false", "sandbox: require",
                 "validatingWebhookCheckIgnoreFailurePolicy: Fail"):  # fmt: skip
        assert f"`{name}`" in rows, name
    assert set(PROFILE) == {
        "clientCA", "clientCNs", "sandbox", "validatingWebhookCheckIgnoreFailurePolicy", "apis",
        "controllerManager",
    }  # fmt: skip


def test_the_example_of_a_provider_is_a_rule():
    """It stands in a comment, indented as it has to be."""
    lines = PATH.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if "Providers of external data" in line)
    rules = [line.replace("#   ", "", 1) for line in lines[start + 1 :]]
    with_provider = "\n".join([*lines[:start], *rules])
    egress = yaml.safe_load(with_provider)["controllerManager"]["networkPolicy"]["egress"]
    assert len(egress) == 3
    objects = chart.render(yaml.safe_load(with_provider))
    policy = objects.one("NetworkPolicy")
    assert policy["spec"]["egress"] == egress and builtin_types.faults(policy) == []
