# SPDX-License-Identifier: Apache-2.0
"""deploy/: the chart, rendered, and what kustomize makes of it."""

import pytest
import yaml

import builtin_types
import chart
import manifests

ids = [folder.name for folder in manifests.FOLDERS]


@pytest.fixture(params=manifests.FOLDERS, ids=ids)
def folder(request):
    return request.param


def objects_of(folder):
    return chart.Objects(chart.load_all((folder / "fixpoint.yaml").read_text(encoding="utf-8")))


def test_is_the_rendered_chart(folder):
    """Else: tests/chart/manifests.py --update"""
    assert (folder / "fixpoint.yaml").read_text(encoding="utf-8") == manifests.rendered(folder)


def test_objects(folder):
    objects = objects_of(folder)
    assert objects[0]["kind"] == "Namespace"
    assert objects[0]["metadata"]["name"] == chart.NAMESPACE
    for one in objects:
        assert builtin_types.faults(one) == []
        assert "helm.sh/hook" not in one["metadata"].get("annotations", {})
        assert one["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "kubectl"


def test_default_is_the_default_chart():
    """But for the Namespace, the test, and who manages it."""
    objects = objects_of(chart.DEPLOY)
    for one in objects:
        labels = [one["metadata"]["labels"]]
        if one["kind"] == "Deployment":
            labels.append(one["spec"]["template"]["metadata"]["labels"])
        for some in labels:
            some["app.kubernetes.io/managed-by"] = "Helm"
    assert objects[1:] == [one for one in chart.default() if one["kind"] != "Pod"]


def test_beside_gatekeeper():
    """Nothing has the name of anything that Gatekeeper installs."""
    objects = objects_of(chart.DEPLOY / "beside-gatekeeper")
    assert all(one["metadata"]["name"].find("gatekeeper") < 0 for one in objects)
    assert "gatekeeper-mutating-webhook-configuration" not in str(objects)
    assert "gatekeeper-validating-webhook-configuration" not in str(objects)


def test_kustomization(folder):
    base = yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))
    assert base["apiVersion"] == "kustomize.config.k8s.io/v1beta1"
    assert base["kind"] == "Kustomization"
    assert set(base) == {"apiVersion", "kind", "resources"}
    for name in base["resources"]:
        assert (folder / name).is_file()
    assert objects_of(folder).container["image"].rpartition(":")[0] == "localhost/fixpoint"
