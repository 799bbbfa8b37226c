# SPDX-License-Identifier: Apache-2.0
"""Kyverno's policies: what they bring to the chart, and that nothing of it is there without
them."""

import chart
import definition
import test_rbac

READ = ("get", "list", "watch")
POLICIES = ["clusterpolicies", "policies", "policyexceptions"]
CEL_POLICIES = ["mutatingpolicies", "namespacedmutatingpolicies", "policyexceptions"]
ON = {"enabled": True}
OFF = {"enabled": False}


def validated(values):
    policies = chart.render(values).one("ValidatingWebhookConfiguration")["webhooks"][0]
    return policies["rules"]


def test_nothing_is_there_without():
    assert "kyverno" not in str(chart.default())
    assert chart.render({"apis": {"kyverno": OFF}, "crds": {"kyverno": True}}) == chart.default()


def test_apis():
    def apis(**values):
        (flag,) = [one for one in chart.render({"apis": values}).flags if one.startswith("--apis=")]
        return flag.removeprefix("--apis=")

    assert apis(kyverno=ON) == "gatekeeper,kyverno"
    assert apis(kyverno=ON, gatekeeper=OFF) == "kyverno"
    everything = apis(kyverno=ON, kubemod=ON, admissionPolicy=ON)
    assert everything == "gatekeeper,kubemod,admission_policy,kyverno"


def test_exceptions():
    """Nobody may make exceptions unless a namespace is named for them."""

    def flags(**values):
        found = chart.render({"apis": {"kyverno": values}}).flags
        return [one for one in found if one.startswith("--policy-exceptions")]

    assert flags(**ON) == []
    assert flags(**ON, exceptionsNamespace="shop") == ["--policy-exceptions=shop"]
    assert flags(**ON, exceptionsNamespace="*") == ["--policy-exceptions=*"]
    assert flags(**OFF, exceptionsNamespace="shop") == []


def test_permissions():
    """The policies are read, and their status is Kyverno's. The configuration is read by name."""
    objects = chart.with_kyverno()
    more = [one for one in test_rbac.rules(objects.one("ClusterRole")) if one not in test_rbac.CLUSTER]
    assert more == [
        ("kyverno.io", POLICIES, None, READ), ("policies.kyverno.io", CEL_POLICIES, None, READ),
    ]  # fmt: skip
    own = test_rbac.rules(objects.one("Role", "fixpoint"))
    assert [one for one in own if one not in test_rbac.OWN_NAMESPACE] == [
        ("", ["configmaps"], ["kyverno"], ("list", "watch")),
    ]


def test_permissions_for_contexts():
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}

    def further(on):
        values = {"apis": {"kyverno": {**on, "contextRules": [rule]}}}
        found = test_rbac.rules(chart.render(values).one("ClusterRole"))
        return [one for one in found if one[1] == ["configmaps"]]

    assert further(ON) == [("", ["configmaps"], None, ("get",))]
    assert further(OFF) == []


def test_permissions_alone():
    """There is no status to write, and no definition to look at for it."""
    objects = chart.render({"apis": {"gatekeeper": OFF, "kyverno": ON}})
    groups = {group for group, *_ in test_rbac.rules(objects.one("ClusterRole"))}
    assert groups == {"", "kyverno.io", "policies.kyverno.io", "admissionregistration.k8s.io"}


def test_policies_are_validated():
    """Only the kinds that are read: Kyverno writes others of its groups all the time."""
    rule = {
        "apiGroups": ["kyverno.io", "policies.kyverno.io"],
        "apiVersions": ["*"],
        "operations": ["CREATE", "UPDATE"],
        "resources": [*POLICIES, "mutatingpolicies", "namespacedmutatingpolicies"],
        "scope": "*",
    }
    assert validated(chart.KYVERNO) == [*validated(None), rule]
    assert validated({"apis": {"gatekeeper": OFF, "kyverno": ON}}) == [rule]


def test_mutation_is_the_same():
    """Kyverno's rules change what is created or updated, as the others do."""
    kind = "MutatingWebhookConfiguration"
    assert chart.with_kyverno().one(kind) == chart.default().one(kind)


# ---- the definitions -----------------------------------------------------------------------


def definitions(values):
    found = chart.definitions(chart.render(values))
    return {name: one for name, one in found.items() if name.endswith(".kyverno.io")}


def test_definitions_are_kyvernos_own():
    assert definitions(chart.KYVERNO) == {}
    found = definitions({**chart.KYVERNO, "crds": {"kyverno": True}})
    scopes = {name: one["spec"]["scope"] for name, one in found.items()}
    assert scopes == {
        "clusterpolicies.kyverno.io": "Cluster",
        "policies.kyverno.io": "Namespaced",
        "policyexceptions.kyverno.io": "Namespaced",
        "mutatingpolicies.policies.kyverno.io": "Cluster",
        "namespacedmutatingpolicies.policies.kyverno.io": "Namespaced",
        "policyexceptions.policies.kyverno.io": "Namespaced",
    }
    for one in found.values():
        schema = definition.schema_of(one)
        assert list(definition.structural_faults(schema)) == []
        assert list(definition.undescribed(schema)) == []


def test_definitions_keep_every_field():
    """The rules of a policy are not described; nothing of them may be dropped."""
    rule = {"name": "a", "match": {"any": [{"resources": {"kinds": ["Pod"]}}]},
            "mutate": {"patchStrategicMerge": {"metadata": {"+(labels)": {"a": None}}}}}  # fmt: skip
    policy = {
        "apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "metadata": {"name": "a"},
        "spec": {"rules": [rule]}, "status": {"autogen": {}},
    }  # fmt: skip
    found = definitions({**chart.KYVERNO, "crds": {"kyverno": True}})
    schema = definition.schema_of(found["clusterpolicies.kyverno.io"], "v1")
    assert definition.faults(schema, policy) == []
    assert list(definition.dropped(schema, policy)) == []


def test_definitions_of_kyverno_are_left_alone():
    theirs = {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "clusterpolicies.kyverno.io"},
    }  # fmt: skip
    objects = chart.render({**chart.KYVERNO, "crds": {"kyverno": True}}, lookup=[theirs])
    assert "clusterpolicies.kyverno.io" not in chart.definitions(objects)
    assert "policies.kyverno.io" in chart.definitions(objects)
