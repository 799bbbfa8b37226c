# SPDX-License-Identifier: Apache-2.0
"""The webhook configurations, to the letter, and the values that change them."""

import pytest

import chart

MUTATING = "gatekeeper-mutating-webhook-configuration"
VALIDATING = "gatekeeper-validating-webhook-configuration"

SUBRESOURCES = [
    "pods/ephemeralcontainers", "pods/exec", "pods/log", "pods/eviction", "pods/portforward",
    "pods/proxy", "pods/attach", "pods/binding", "deployments/scale", "replicasets/scale",
    "statefulsets/scale", "replicationcontrollers/scale", "services/proxy", "nodes/proxy",
    "services/status",
]  # fmt: skip


def client(path):
    return {
        "service": {
            "name": "fixpoint-webhook-service", "namespace": "fixpoint-system", "port": 443,
            "path": path,
        }
    }  # fmt: skip


def mutating(values=None, **arguments):
    (webhook,) = chart.render(values, **arguments).one("MutatingWebhookConfiguration")["webhooks"]
    return webhook


def test_mutating():
    configuration = chart.default().one("MutatingWebhookConfiguration")
    assert configuration["metadata"]["name"] == MUTATING
    assert configuration["metadata"]["annotations"] == {"admissions.enforcer/disabled": "true"}
    webhook = dict(*configuration["webhooks"])
    conditions = webhook.pop("matchConditions")
    assert webhook == {
        "name": "mutation.gatekeeper.sh",
        "admissionReviewVersions": ["v1", "v1beta1"],
        "clientConfig": client("/v1/mutate"),
        "failurePolicy": "Ignore",
        "matchPolicy": "Equivalent",
        "reinvocationPolicy": "IfNeeded",
        "sideEffects": "None",
        "timeoutSeconds": 2,
        "namespaceSelector": {
            "matchExpressions": [
                {"key": "kubernetes.io/metadata.name", "operator": "NotIn",
                 "values": ["fixpoint-system", "kube-system"]},
                {"key": "admission.gatekeeper.sh/ignore", "operator": "DoesNotExist"},
            ]
        },
        "rules": [
            {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"],
             "resources": ["*", *SUBRESOURCES], "scope": "*"}
        ],
    }  # fmt: skip
    assert [one["name"] for one in conditions] == [
        "no-leases", "no-events", "no-access-or-token-reviews",
    ]  # fmt: skip


def test_validating():
    configuration = chart.default().one("ValidatingWebhookConfiguration")
    assert configuration["metadata"]["name"] == VALIDATING
    assert configuration["metadata"]["annotations"] == {"admissions.enforcer/disabled": "true"}
    common = {
        "admissionReviewVersions": ["v1", "v1beta1"],
        "failurePolicy": "Ignore",
        "matchPolicy": "Equivalent",
        "sideEffects": "None",
        "timeoutSeconds": 2,
    }
    policies, label = configuration["webhooks"]
    assert policies == {
        "name": "validation.gatekeeper.sh",
        "clientConfig": client("/v1/admit"),
        "rules": [
            {"apiGroups": ["mutations.gatekeeper.sh", "mutations.fixpoint.dev",
                           "externaldata.gatekeeper.sh", "config.gatekeeper.sh",
                           "expansion.gatekeeper.sh"],
             "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"], "resources": ["*"],
             "scope": "*"}
        ],
        **common,
    }  # fmt: skip
    assert label == {
        "name": "check-ignore-label.gatekeeper.sh",
        "clientConfig": client("/v1/admitlabel"),
        "namespaceSelector": {
            "matchExpressions": [
                {"key": "kubernetes.io/metadata.name", "operator": "NotIn",
                 "values": ["fixpoint-system"]}
            ]
        },
        "objectSelector": {
            "matchExpressions": [{"key": "admission.gatekeeper.sh/ignore", "operator": "Exists"}]
        },
        "rules": [
            {"apiGroups": [""], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"],
             "resources": ["namespaces", "namespaces/status", "namespaces/finalize"],
             "scope": "*"}
        ],
        **common,
    }  # fmt: skip


def holds(conditions, group, resource):
    """Evaluates the CEL of the three conditions, which is so little that it is Python, too,
    but for `!`, `&&` and the request's fields."""
    for one in conditions:
        text = one["expression"].replace("!(", "not (").replace("&&", "and")
        text = text.replace("request.resource.group", "group")
        text = text.replace("request.resource.resource", "resource")
        if not eval(text, {"__builtins__": {}}, {"group": group, "resource": resource}):  # noqa: S307
            return False
    return True


def rule_matches(rule, group, resource):
    groups, resources = rule["apiGroups"], rule["resources"]
    return ("*" in groups or group in groups) and (
        resource in resources or ("*" in resources and "/" not in resource)
    )


def is_asked(webhook, group, resource):
    return holds(webhook.get("matchConditions", []), group, resource) and any(
        rule_matches(rule, group, resource) for rule in webhook["rules"]
    )


LEFT_OUT = [
    ("coordination.k8s.io", "leases"), ("", "events"), ("events.k8s.io", "events"),
    ("authentication.k8s.io", "tokenreviews"), ("authentication.k8s.io", "selfsubjectreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"), ("", "serviceaccounts/token"),
    ("", "pods/status"), ("", "nodes/status"),
]  # fmt: skip
ASKED = [
    ("", "pods"), ("", "services"), ("", "configmaps"), ("", "secrets"), ("", "namespaces"),
    ("", "persistentvolumeclaims"), ("", "serviceaccounts"), ("apps", "deployments"),
    ("apps", "deployments/scale"), ("batch", "jobs"), ("batch", "cronjobs"),
    ("networking.k8s.io", "ingresses"), ("autoscaling", "horizontalpodautoscalers"),
    ("policy", "poddisruptionbudgets"), ("rbac.authorization.k8s.io", "roles"),
    ("storage.k8s.io", "storageclasses"), ("", "pods/ephemeralcontainers"),
    ("", "pods/eviction"), ("", "pods/binding"), ("discovery.k8s.io", "endpointslices"),
]  # fmt: skip


@pytest.mark.parametrize("kube", ["v1.25.0", "v1.27.16", "v1.28.0", "v1.32.4", "v1.28.3-eks-1"])
def test_what_is_asked_about(kube):
    webhook = mutating(kube=kube)
    for group, resource in LEFT_OUT:
        assert not is_asked(webhook, group, resource), (group, resource)
    for group, resource in ASKED:
        assert is_asked(webhook, group, resource), (group, resource)
    has_conditions = "matchConditions" in webhook
    assert has_conditions == (kube >= "v1.28")
    assert is_asked(webhook, "example.com", "widgets") == has_conditions


# Gatekeeper's values: what each does to the mutating webhook.
RULE = {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["*"]}
CHANGES = [
    ({"mutatingWebhookFailurePolicy": "Fail"}, "failurePolicy", "Fail"),
    ({"mutatingWebhookTimeoutSeconds": 7}, "timeoutSeconds", 7),
    ({"mutatingWebhookReinvocationPolicy": "Never"}, "reinvocationPolicy", "Never"),
    ({"mutatingWebhookCustomRules": [RULE]}, "rules", [RULE]),
    ({"mutatingWebhookURL": "a.example.com:99"}, "clientConfig", {"url": "https://a.example.com:99/v1/mutate"}),
    ({"mutatingWebhookObjectSelector": {"matchLabels": {"a": "b"}}}, "objectSelector", {"matchLabels": {"a": "b"}}),
]


@pytest.mark.parametrize(("values", "field", "wanted"), CHANGES, ids=str)
def test_values_of_gatekeeper(values, field, wanted):
    assert mutating(values)[field] == wanted


def test_further_values_of_gatekeeper():
    assert mutating({"mutatingWebhookScope": "Namespaced"})["rules"][0]["scope"] == "Namespaced"
    assert mutating({"mutatingWebhookSubResources": ["a/b"]})["rules"][0]["resources"] == ["*", "a/b"]
    mine = {"name": "a", "expression": "true"}
    assert mutating({"mutatingWebhookMatchConditions": [mine]})["matchConditions"][3:] == [mine]
    exempt = mutating({"mutatingWebhookExemptNamespacesLabels": {"env": ["a", "b"]}})
    assert exempt["namespaceSelector"]["matchExpressions"][2] == {
        "key": "env", "operator": "NotIn", "values": ["a", "b"],
    }  # fmt: skip
    named = chart.render({"mutatingWebhookName": "a", "mutatingWebhookAnnotations": {"b": "c"}})
    metadata = named.one("MutatingWebhookConfiguration")["metadata"]
    assert metadata["name"] == "a" and metadata["annotations"]["b"] == "c"
    assert "--mutating-webhook-configuration-name=a" in named.flags


def test_values_of_validation():
    objects = chart.render({
        "validatingWebhookName": "a", "validatingWebhookFailurePolicy": "Fail",
        "validatingWebhookTimeoutSeconds": 9, "validatingWebhookCheckIgnoreFailurePolicy": "Fail",
        "validatingWebhookURL": "b.example.com", "validatingWebhookAnnotations": {"c": "d"},
    })  # fmt: skip
    configuration = objects.one("ValidatingWebhookConfiguration", "a")
    assert configuration["metadata"]["annotations"]["c"] == "d"
    policies, label = configuration["webhooks"]
    assert policies["clientConfig"] == {"url": "https://b.example.com/v1/admit"}
    assert label["clientConfig"] == {"url": "https://b.example.com/v1/admitlabel"}
    for webhook in (policies, label):
        assert webhook["failurePolicy"] == "Fail" and webhook["timeoutSeconds"] == 9
    assert "--validating-webhook-configuration-name=a" in objects.flags


def test_own_namespace_is_always_left_alone():
    for webhook in webhooks(chart.MODRULES, args=["--namespace", "kube-system"]):
        assert webhook["namespaceSelector"]["matchExpressions"][0]["values"] == ["kube-system"]


# ---- ModRules ---------------------------------------------------------------------------


def webhooks(values=None, **arguments):
    return chart.render(values, **arguments).one("MutatingWebhookConfiguration")["webhooks"]


@pytest.mark.parametrize("kube", ["v1.25.0", "v1.32.0"])
def test_modrules_judge_deletions(kube):
    """And nothing else is changed for Gatekeeper's mutators."""
    before = mutating(kube=kube)
    after, _ = webhooks(chart.MODRULES, kube=kube)
    assert {tuple(rule["operations"]) for rule in before["rules"]} == {("CREATE", "UPDATE")}
    assert {tuple(rule.pop("operations")) for rule in after["rules"]} == {("CREATE", "UPDATE", "DELETE")}
    for rule in before["rules"]:
        del rule["operations"]
    assert after == before


@pytest.mark.parametrize("kube", ["v1.25.0", "v1.32.0"])
def test_policies_see_connects(kube):
    """And nothing else is changed; all of it is about subresources."""
    before = mutating(kube=kube)
    (after,) = webhooks(chart.ADMISSION, kube=kube)
    wanted = ("CREATE", "UPDATE", "CONNECT")
    assert {tuple(rule.pop("operations")) for rule in after["rules"]} == {wanted}
    for rule in before["rules"]:
        del rule["operations"]
        assert {"pods/exec", "pods/attach", "services/proxy"} < set(rule["resources"])
    assert after == before
    off = {"apis": {"admissionPolicy": {"enabled": True, "connects": False}}}
    assert webhooks(off, kube=kube) == [mutating(kube=kube)]
    (all_of_them, _) = webhooks(chart.ALL, kube=kube)
    wanted = ("CREATE", "UPDATE", "DELETE", "CONNECT")
    assert {tuple(rule["operations"]) for rule in all_of_them["rules"]} == {wanted}


def test_rules_about_connects():
    rule = {**RULE, "operations": ["CONNECT"]}
    (mutation,) = webhooks({**chart.ADMISSION, "mutatingWebhookCustomRules": [rule]})
    assert mutation["rules"] == [rule]


def test_rules_about_deletions():
    rule = {**RULE, "operations": ["CREATE", "DELETE"]}
    mutation, _ = webhooks({**chart.MODRULES, "mutatingWebhookCustomRules": [rule]})
    assert mutation["rules"] == [rule]


def test_binding():
    """The first webhook stays the first: docs/emergency.md and the notes patch it by its place."""
    mutation, binding = webhooks(chart.MODRULES)
    assert mutation["name"] == "mutation.gatekeeper.sh"
    # The label is looked at by the rules themselves: Gatekeeper's mutators do not know it.
    assert "kubemod" not in str(mutation)
    assert binding == {
        "name": "podbinding.kubemod.io",
        "admissionReviewVersions": ["v1", "v1beta1"],
        "clientConfig": client("/podbinding-webhook"),
        # Else no Pod is bound while nobody answers.
        "failurePolicy": "Ignore",
        "matchPolicy": "Equivalent",
        "reinvocationPolicy": "Never",
        "sideEffects": "NoneOnDryRun",
        "timeoutSeconds": 5,
        "namespaceSelector": {
            "matchExpressions": [
                *mutation["namespaceSelector"]["matchExpressions"],
                {"key": "admission.kubemod.io/ignore", "operator": "NotIn", "values": ["true"]},
            ]
        },
        "rules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
             "resources": ["pods/binding"], "scope": "Namespaced"}
        ],
    }  # fmt: skip


def test_values_of_binding():
    def render(**node_refs):
        values = {"apis": {"kubemod": {"enabled": True, "nodeRefs": node_refs}}}
        return webhooks({**values, "mutatingWebhookURL": "a.example.com"})

    binding = render(failurePolicy="Fail", timeoutSeconds=9)[1]
    assert binding["failurePolicy"] == "Fail" and binding["timeoutSeconds"] == 9
    assert binding["clientConfig"] == {"url": "https://a.example.com/podbinding-webhook"}
    assert len(render(enabled=False)) == 1
    mutation, binding = render(namespaces=["shop", "bank"])
    assert binding["namespaceSelector"]["matchExpressions"][-1] == {
        "key": "kubernetes.io/metadata.name", "operator": "In", "values": ["shop", "bank"],
    }  # fmt: skip
    assert mutation == render()[0]
    exempt = webhooks({**chart.MODRULES, "mutatingWebhookExemptNamespacesLabels": {"env": ["a"]}})
    for webhook in exempt:
        assert {"key": "env", "operator": "NotIn", "values": ["a"]} in (
            webhook["namespaceSelector"]["matchExpressions"]
        )


def test_modrules_are_validated():
    def groups(values):
        policies, label = chart.render(values).one("ValidatingWebhookConfiguration")["webhooks"]
        assert policies["clientConfig"] == client("/v1/admit")
        assert label["clientConfig"] == client("/v1/admitlabel")
        return policies["rules"][0]["apiGroups"]

    both = groups(chart.MODRULES)
    assert both == [*groups(None), "api.kubemod.io"]
    alone = {"apis": {"gatekeeper": {"enabled": False}, "kubemod": {"enabled": True}}}
    assert groups(alone) == ["api.kubemod.io"]


def test_defaults_want_no_webhook():
    """The definition has them, and what is absent means the same: nobody has to be asked when a
    rule is written, and none is refused because nobody answers."""
    assert "mmodrule" not in str(chart.with_modrules())


def test_what_is_disabled_is_not_there():
    """And its name, which may be that of somebody else's configuration, is nowhere."""
    for value, kind, name, operations in (
        ("disableMutation", "MutatingWebhookConfiguration", MUTATING, ["webhook", "mutation-status"]),
        ("disableValidatingWebhook", "ValidatingWebhookConfiguration", VALIDATING,
         ["mutation-webhook", "mutation-status"]),
    ):  # fmt: skip
        objects = chart.render({value: True})
        assert objects.of(kind) == []
        assert name not in str(objects)
        assert [flag for flag in objects.flags if flag.startswith("--operation")] == [
            f"--operation={one}" for one in operations
        ]
    assert not any(flag.startswith("--operation") for flag in chart.default().flags)


# What makes no sense together, and the words of the template.
COMBINATIONS = [
    ({"mutatingWebhookFailurePolicy": "Fail", "replicas": 1}, "replicas of at least 2"),
    ({"mutatingWebhookFailurePolicy": "Fail", "pdb": {"controllerManager": {"enabled": False}}},
     "replicas of at least 2"),
    ({"disableMutation": True, "disableValidatingWebhook": True}, "nothing is left to do"),
    ({"certs": {"mode": "files"}}, "certs.secretName is missing"),
    ({"controllerManager": {"port": 9090}}, "one port cannot be both"),
    ({"clientCA": {"configMapName": "a", "secretName": "b"}}, "one of them holds"),
    ({"clientCNs": ["a"]}, "who vouches for clients"),
    ({"apis": {"gatekeeper": {"enabled": False}}}, "nobody's policies"),
    ({"apis": {"admissionPolicy": {"native": True}}}, "nothing would be watched"),
    ({"mutatingWebhookCustomRules": [{**RULE, "operations": ["DELETE"]}]}, "only ModRules validate"),
    ({"mutatingWebhookCustomRules": [{**RULE, "operations": ["CONNECT"]}]}, "only MutatingAdmissionPolicies"),
    ({"web": {"enabled": True, "port": 8443}}, "one port cannot be both"),
    ({"web": {"enabled": True, "port": 9090}}, "one port cannot be both"),
    ({"web": {"enabled": True}, "controllerManager": {"hostNetwork": True}}, "can reach a node"),
    ({"controllerManager": {"dnsPolicy": "None"}}, "whom is it to ask"),
    ({"controllerManager": {"dnsPolicy": "None", "dnsConfig": {"searches": ["a"]}}}, "whom is it to ask"),
]
EQUAL_PORTS = "one port cannot be both"


@pytest.mark.parametrize(("values", "words"), COMBINATIONS, ids=str)
def test_refused(values, words):
    with pytest.raises(chart.RenderError, match=words):
        chart.render(values)


def test_refused_by_version():
    with pytest.raises(chart.RenderError, match="requires kubeVersion"):
        chart.render(kube="v1.24.9")
    with pytest.raises(chart.RenderError, match="1.28"):
        chart.render({"mutatingWebhookMatchConditions": [{"name": "a", "expression": "b"}]}, kube="v1.27.0")
