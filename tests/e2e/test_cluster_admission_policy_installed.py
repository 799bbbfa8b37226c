# SPDX-License-Identifier: Apache-2.0
"""MutatingAdmissionPolicies in a cluster that has what deploy/with-admission-policies brings, and
nothing else: the rights of its account suffice."""

import pytest
from fixpoint_cluster import Fixture, until
from standin.cluster import Cluster, Refused
from standin.definitions import definition
from test_cluster_admission_policy import OWN, RULE, Of, config_map, may_update, outcome
from test_cluster_modrules_installed import Installed


@pytest.fixture
def manifest(tmp_path):
    """A cluster with nothing but what deploy/with-admission-policies brings."""
    made = Cluster(tmp_path / "installed")
    made.need_standin().folder.mkdir(exist_ok=True)
    yield made
    made.close()


def may_read_config_maps(account):
    """What `apis.admissionPolicy.paramRules` adds for ConfigMaps."""
    group, name = "rbac.authorization.k8s.io", "parameters"
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"]}
    namespace, _, account = account.removeprefix("system:serviceaccount:").partition(":")
    yield {"apiVersion": group + "/v1", "kind": "ClusterRole", "metadata": {"name": name},
           "rules": [rule]}  # fmt: skip
    yield {
        "apiVersion": group + "/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }  # fmt: skip


def owned(fixture, of, space):
    """Custom resources are merged by the schema in their definition."""
    part = {"type": "object", "required": ["id"],
            "properties": {"id": {"type": "string"}, "size": {"type": "integer"}}}  # fmt: skip
    parts = {"type": "array", "items": part, "x-kubernetes-list-type": "map",
             "x-kubernetes-list-map-keys": ["id"]}  # fmt: skip
    spec = {"type": "object", "properties": {"parts": parts}}
    fixture.define(definition("example.com", "Widget", ["v1"], spec, "widgets", scope="Namespaced"))
    rule = {**RULE, "apiGroups": ["example.com"], "resources": ["widgets"]}
    applied = 'Object{spec: Object.spec{parts: [Object.spec.parts{id: "b", size: 3}]}}'
    mutation = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": applied}}
    constraints = {"resourceRules": [rule]}
    made = of.policy(
        "widgets", params=False, matchConstraints=constraints, mutations=[mutation]
    )
    fixture.put(made, of.binding("widgets", to="widgets"))

    def sizes():
        widget = {"apiVersion": "example.com/v1", "kind": "Widget",
                  "metadata": {"name": "w", "namespace": space},
                  "spec": {"parts": [{"id": "a", "size": 1}, {"id": "b", "size": 2}]}}  # fmt: skip
        try:
            created = fixture.cluster.create(widget, dryRun="All")
            return [one["size"] for one in created["spec"]["parts"]]
        except Refused as refusal:
            return refusal.message

    until(sizes, [1, 3])


def test_the_manifest(manifest, tmp_path):
    """Its account has the rights that policies need, but for those to parameters."""
    fixture, of = Fixture(manifest, tmp_path / "replicas"), Of(OWN)
    installed_ = Installed("with-admission-policies", fixture, manifest.standin)
    manifest.load(*(one for one in installed_.objects if one["kind"] != "Deployment"))
    try:
        space = fixture.namespace()
        installed_.start()
        with pytest.raises(Refused, match="undeclared reference to 'params'"):
            fixture.put(of.policy(params=False))
        fixture.put(of.policy("copy", annotations='{"by": "map"}', params=False,
                              matchConditions=may_update()), of.binding("copy", to="copy"))  # fmt: skip
        until(lambda: outcome(fixture, space), {"by": "map"})
        assert installed_.refused() == []
        owned(fixture, of, space)
        fixture.put(of.policy(), of.binding(), config_map(owner="ann"))
        until(lambda: len(of.errors(fixture)), 1)
        assert set(installed_.refused()) == {("list", "configmaps", "")}
        fixture.put(*may_read_config_maps(installed_.account))
        until(lambda: outcome(fixture, space), {"by": "map", "owner": "ann"}, within=40)
        until(lambda: of.errors(fixture), [])
    finally:
        failures = fixture.close()
    assert not failures, "\n".join(failures)
