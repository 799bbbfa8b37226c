# SPDX-License-Identifier: Apache-2.0
"""deploy/: the chart, rendered, and what kustomize makes of it."""

import pytest
import yaml

import builtin_types
import chart
import manifests

KUBEMOD = "kubemod-system"
KYVERNO = "kyverno"


def name_of(manifest):
    return str(manifest.path.relative_to(chart.DEPLOY))


@pytest.fixture(params=manifests.INSTALLED, ids=name_of)
def installed(request):
    return request.param


def objects_of(manifest):
    return chart.Objects(chart.load_all(manifest.path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("manifest", manifests.ALL, ids=name_of)
def test_is_the_rendered_chart(manifest):
    """Else: tests/chart/manifests.py --update"""
    assert manifest.path.read_text(encoding="utf-8") == manifests.rendered(manifest)


def test_there_is_nothing_else():
    found = {path for path in chart.DEPLOY.rglob("*.yaml") if path.stem in ("fixpoint", "definition")}
    assert found == {manifest.path for manifest in manifests.ALL}


def test_objects(installed):
    objects = objects_of(installed)
    spaces = [one["metadata"]["name"] for one in objects.of("Namespace")]
    # Theirs are there, with labels of their own and Pods that may fit no PodSecurity.
    assert spaces == ([] if installed.namespace in (KUBEMOD, KYVERNO) else [installed.namespace])
    assert {one["metadata"].get("namespace") for one in objects} <= {
        None, "default", installed.namespace,
    }  # fmt: skip
    for one in objects:
        assert builtin_types.faults(one) == []
        assert "helm.sh/hook" not in one["metadata"].get("annotations", {})
        assert one["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "kubectl"


def as_of_helm(objects):
    """But for the Namespace, and who manages them."""
    for one in objects:
        labels = [one["metadata"]["labels"]]
        if one["kind"] == "Deployment":
            labels.append(one["spec"]["template"]["metadata"]["labels"])
        for some in labels:
            some["app.kubernetes.io/managed-by"] = "Helm"
    return [one for one in objects if one["kind"] != "Namespace"]


@pytest.mark.parametrize(
    ("manifest", "values"),
    [
        (manifests.DEFAULT, None), (manifests.WITH_MODRULES, chart.MODRULES),
        (manifests.WITH_ADMISSION_POLICIES, chart.ADMISSION),
        (manifests.WITH_KYVERNO_POLICIES, {**chart.KYVERNO, "crds": {"kyverno": True}}),
    ],
    ids=["default", "with-modrules", "with-admission-policies", "with-kyverno-policies"],
)
def test_is_the_chart_with_these_values(manifest, values):
    """But for the test."""
    wanted = [one for one in chart.render(values) if one["kind"] != "Pod"]
    assert as_of_helm(objects_of(manifest)) == wanted


def test_beside_gatekeeper():
    """Nothing has the name of anything that Gatekeeper installs."""
    objects = objects_of(manifests.BESIDE_GATEKEEPER)
    assert all(one["metadata"]["name"].find("gatekeeper") < 0 for one in objects)
    assert "gatekeeper-mutating-webhook-configuration" not in str(objects)
    assert "gatekeeper-validating-webhook-configuration" not in str(objects)


# What KubeMod's bundle installs (spec section 9), and may or may not be changed by us.
KUBEMODS_SERVICE = ("Service", "kubemod-webhook-service")
KUBEMODS_CONFIGURATIONS = {
    "mutating": "kubemod-mutating-webhook-configuration",
    "validating": "kubemod-validating-webhook-configuration",
}


def test_in_place_of_kubemod():
    """Its Service leads to us, at the port that its configurations name; of what else it
    installed nothing is changed but the caBundle, in the cluster."""
    objects = objects_of(manifests.IN_PLACE_OF_KUBEMOD)
    theirs = [
        (one["kind"], one["metadata"]["name"]) for one in objects
        if "kubemod" in one["metadata"]["name"]
    ]  # fmt: skip
    assert theirs == [KUBEMODS_SERVICE]
    service = objects.one(*KUBEMODS_SERVICE)
    assert service["metadata"]["namespace"] == KUBEMOD
    assert [port["port"] for port in service["spec"]["ports"]] == [443]
    for kind in ("CustomResourceDefinition", "Namespace", "Secret"):
        assert objects.of(kind) == []
    for kind, name in KUBEMODS_CONFIGURATIONS.items():
        assert objects.of(f"{kind.title()}WebhookConfiguration") == []
        assert f"--{kind}-webhook-configuration-name={name}" in objects.flags
    assert set(objects.flags) >= {
        "--apis=kubemod", "--cluster-modrules-namespace=kubemod-system",
        "--cert-service-name=kubemod-webhook-service",
    }  # fmt: skip
    rules = objects.one("ClusterRole")["rules"]
    written = {
        name for rule in rules if "admissionregistration.k8s.io" in rule["apiGroups"]
        for name in rule["resourceNames"]
    }  # fmt: skip
    assert written == set(KUBEMODS_CONFIGURATIONS.values())
    assert "gatekeeper" not in str(objects)


def test_in_place_of_kyverno():
    """Nothing has the name of anything that Kyverno installs, or changes it: its webhook
    configurations, its Service and its definitions are its own."""
    objects = objects_of(manifests.IN_PLACE_OF_KYVERNO)
    assert all("kyverno" not in one["metadata"]["name"] for one in objects)
    for kind in ("CustomResourceDefinition", "Namespace", "Secret", "ConfigMap"):
        assert objects.of(kind) == []
    assert "--apis=kyverno" in objects.flags
    assert "gatekeeper-" not in str(objects)
    written = {
        verb for role in (*objects.of("ClusterRole"), *objects.of("Role"))
        for rule in role["rules"] if "kyverno.io" in str(rule["apiGroups"])
        for verb in rule["verbs"]
    }  # fmt: skip
    assert written == {"get", "list", "watch"}


def test_definition_of_modrules():
    """The same wherever it is."""
    (alone,) = objects_of(manifests.MODRULE_DEFINITION)
    assert alone == objects_of(manifests.WITH_MODRULES).one(alone["kind"], alone["metadata"]["name"])
    assert alone["metadata"]["name"] == "modrules.api.kubemod.io"


def test_kustomization(installed):
    path = installed.folder / "kustomization.yaml"
    base = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert base["apiVersion"] == "kustomize.config.k8s.io/v1beta1"
    assert base["kind"] == "Kustomization"
    assert set(base) == {"apiVersion", "kind", "resources"}
    for name in base["resources"]:
        assert (installed.folder / name).is_file()
    assert objects_of(installed).container["image"].rpartition(":")[0] == "localhost/fixpoint"
