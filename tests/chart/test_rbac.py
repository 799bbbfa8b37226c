# SPDX-License-Identifier: Apache-2.0
"""What Fixpoint may do: no more than it does."""

import chart

MUTATORS = ["assign", "assignimage", "assignmetadata", "modifyset"]
OURS = ["fixpointassigns", "fixpointassignimages", "fixpointassignmetadata",
        "fixpointmodifysets", "fixpointremoves"]  # fmt: skip
READ = ("get", "list", "watch")

# group, resources, names (None: all), verbs
CLUSTER = [
    ("mutations.gatekeeper.sh", MUTATORS, None, READ),
    ("mutations.fixpoint.dev", OURS, None, READ),
    ("externaldata.gatekeeper.sh", ["providers"], None, READ),
    ("mutations.gatekeeper.sh", [f"{one}/status" for one in MUTATORS], None, ("patch", "update")),
    ("mutations.fixpoint.dev", [f"{one}/status" for one in OURS], None, ("patch", "update")),
    ("apiextensions.k8s.io", ["customresourcedefinitions"],
     [f"{one}.mutations.gatekeeper.sh" for one in MUTATORS]
     + [f"{one}.mutations.fixpoint.dev" for one in OURS], ("get",)),
    ("", ["namespaces"], None, READ),
    ("admissionregistration.k8s.io", ["mutatingwebhookconfigurations"],
     ["gatekeeper-mutating-webhook-configuration"], ("list", "watch", "patch")),
    ("admissionregistration.k8s.io", ["validatingwebhookconfigurations"],
     ["gatekeeper-validating-webhook-configuration"], ("list", "watch", "patch")),
]  # fmt: skip
OWN_NAMESPACE = [
    ("config.gatekeeper.sh", ["configs"], ["config"], ("list", "watch")),
    ("coordination.k8s.io", ["leases"], None, ("create",)),
    ("coordination.k8s.io", ["leases"], ["fixpoint"], ("get", "patch")),
    ("", ["pods"], None, ("list",)),
    ("", ["secrets"], None, ("create",)),
    ("", ["secrets"], ["fixpoint-webhook-server-cert"], ("list", "watch", "patch")),
]
# Events about what is in no namespace are there.
DEFAULT_NAMESPACE = [("", ["events"], None, ("get", "create", "patch"))]


NAMES = "customresourcedefinitions"


def with_modrules(wanted):
    """The same with what ModRules need besides."""
    rules = ("api.kubemod.io", ["modrules"], None, READ)
    status = ("api.kubemod.io", ["modrules/status"], None, ("patch", "update"))
    for one in wanted:
        if one[1] == [NAMES]:
            yield status
            yield (*one[:2], [*one[2], "modrules.api.kubemod.io"], one[3])
        else:
            yield one
        if one[1] == ["providers"]:
            yield rules
        if one[1] == ["namespaces"]:
            yield ("", ["nodes"], None, ("get",))
            yield ("", ["pods"], None, ("get", "patch"))
            yield ("", ["events"], None, ("get", "create", "patch"))


POLICIES = "fixpointmutatingadmissionpolicies"
BINDINGS = "fixpointmutatingadmissionpolicybindings"
NATIVE = ("admissionregistration.k8s.io",
          ["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"], None, READ)  # fmt: skip


def with_admission_policies(wanted):
    """The same with what MutatingAdmissionPolicies need besides."""
    own = "policies.fixpoint.dev"
    for one in wanted:
        if one[1] == [NAMES]:
            yield (own, [f"{POLICIES}/status", f"{BINDINGS}/status"], None, ("patch", "update"))
            yield (*one[:2], [*one[2], f"{POLICIES}.{own}", f"{BINDINGS}.{own}"], one[3])
        else:
            yield one
        if one[1] == ["providers"]:
            yield (own, [POLICIES, BINDINGS], None, READ)
        if one[1] == ["namespaces"]:
            yield ("authorization.k8s.io", ["subjectaccessreviews"], None, ("create",))


def rules(role):
    return [
        (group, rule["resources"], rule.get("resourceNames"), tuple(rule["verbs"]))
        for rule in role["rules"]
        for group in rule.get("apiGroups", ())
    ]


def paths(role):
    """The rules about URLs that are no resources: (URLs, verbs)."""
    found = [one for one in role["rules"] if "nonResourceURLs" in one]
    return [(one["nonResourceURLs"], one["verbs"]) for one in found]


def test_default():
    assert rules(chart.default().one("ClusterRole")) == CLUSTER
    for name, namespace, wanted in (
        ("fixpoint", "fixpoint-system", OWN_NAMESPACE),
        ("fixpoint-events", "default", DEFAULT_NAMESPACE),
    ):
        role = chart.default().one("Role", name)
        assert role["metadata"]["namespace"] == namespace
        assert rules(role) == wanted


def test_modrules():
    objects = chart.with_modrules()
    assert rules(objects.one("ClusterRole")) == list(with_modrules(CLUSTER))
    assert rules(objects.one("Role", "fixpoint")) == OWN_NAMESPACE
    assert rules(objects.one("Role", "fixpoint-events")) == DEFAULT_NAMESPACE


def test_modrules_alone():
    objects = chart.render({"apis": {"gatekeeper": {"enabled": False}, "kubemod": {"enabled": True}}})
    names = {names[0] for _, kinds, names, _ in rules(objects.one("ClusterRole")) if kinds == [NAMES]}
    assert names == {"modrules.api.kubemod.io"}
    roles = [*objects.of("ClusterRole"), *objects.of("Role")]
    groups = {group for role in roles for group, *_ in rules(role)}
    assert groups == {
        "", "api.kubemod.io", "apiextensions.k8s.io", "admissionregistration.k8s.io",
        "coordination.k8s.io",
    }  # fmt: skip


def test_admission_policies():
    objects = chart.with_admission()
    assert rules(objects.one("ClusterRole")) == list(with_admission_policies(CLUSTER))
    assert rules(objects.one("Role", "fixpoint")) == OWN_NAMESPACE
    assert rules(objects.one("Role", "fixpoint-events")) == DEFAULT_NAMESPACE


def test_native_admission_policies_and_parameters():
    """Both are asked for by name; else nobody may read them."""
    parameters = ("", ["configmaps"], None, READ)
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": list(READ)}

    def further(**more):
        values = {"apis": {"admissionPolicy": {"enabled": True, **more}}}
        found = rules(chart.render(values).one("ClusterRole"))
        return [one for one in found if one not in list(with_admission_policies(CLUSTER))]

    assert further() == []
    assert further(native=True) == [NATIVE]
    assert further(paramRules=[rule]) == [parameters]
    assert further(native=True, paramRules=[rule]) == [NATIVE, parameters]
    metrics = [(["/metrics"], ["get"])]
    for native, how, wanted in (
        (True, "auto", metrics), (True, "run", []), (True, "leave", []), (False, "auto", []),
    ):  # fmt: skip
        values = {"enabled": True, "native": native, "nativePolicies": how}
        role = chart.render({"apis": {"admissionPolicy": values}}).one("ClusterRole")
        assert paths(role) == wanted
    off = {"apis": {"admissionPolicy": {"enabled": False, "paramRules": [rule]}}}
    assert chart.render(off) == chart.default()


def test_existing_objects():
    """A ClusterRole of their own, with the rules that are asked for by name."""
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "patch"]}
    name = "fixpoint-existing"
    for off in ({"rules": [rule]}, {"mode": "off", "rules": [rule]}):
        assert chart.render({"existing": off}) == chart.default()
    for mode in ("on", "dry-run"):
        objects = chart.render({"existing": {"mode": mode, "qps": 7, "rules": [rule]}})
        assert objects.one("ClusterRole", name)["rules"] == [rule]
        bound = objects.one("ClusterRoleBinding", name)
        assert bound["roleRef"]["name"] == name
        assert bound["subjects"] == chart.default().one("ClusterRoleBinding")["subjects"]
        args = objects.one("Deployment")["spec"]["template"]["spec"]["containers"][0]["args"]
        assert {"--existing=" + mode, "--existing-qps=7"} <= set(args)
    without = chart.render({"existing": {"mode": "on"}})
    assert [one["metadata"]["name"] for one in without.of("ClusterRole")] == ["fixpoint"]


def of_cluster(values):
    return {
        (resource, verb) for _, kinds, _, verbs in rules(chart.render(values).one("ClusterRole"))
        for resource in kinds for verb in verbs
    }  # fmt: skip


def test_what_is_off_of_modrules():
    """Nothing is written into Pods of others, unless nodes are to be noted in them."""
    pods = {("pods", "get"), ("pods", "patch")}
    events = {("events", "get"), ("events", "create"), ("events", "patch")}
    status = {("modrules/status", "patch"), ("modrules/status", "update")}
    full = of_cluster(chart.MODRULES)
    assert pods | events | status <= full
    for values, gone in (
        ({"apis": {"kubemod": {"enabled": True, "nodeRefs": {"enabled": False}}}}, pods),
        ({**chart.MODRULES, "events": {"enabled": False}}, events),
    ):
        assert full - of_cluster(values) == gone
    assert not of_cluster({**chart.MODRULES, "status": {"enabled": False}}) & status
    assert not of_cluster(None) & (pods | events | status)


def test_node_refs_of_some_namespaces():
    """Pods of other namespaces may neither be read nor written, and nobody asks about them."""
    values = {"apis": {"kubemod": {"enabled": True, "nodeRefs": {"namespaces": ["shop", "bank"]}}}}
    objects = chart.render(values)
    pods = {("pods", "get"), ("pods", "patch")}
    assert of_cluster(chart.MODRULES) - of_cluster(values) == pods
    roles = [one for one in objects.of("Role") if one["metadata"]["name"] == "fixpoint-node-refs"]
    assert [one["metadata"]["namespace"] for one in roles] == ["shop", "bank"]
    for role in roles:
        assert rules(role) == [("", ["pods"], None, ("get", "patch"))]
        (binding,) = (
            one for one in objects.of("RoleBinding")
            if one["metadata"]["namespace"] == role["metadata"]["namespace"]
        )  # fmt: skip
        assert binding["roleRef"]["name"] == "fixpoint-node-refs"
        assert binding["subjects"] == [
            {"kind": "ServiceAccount", "name": "fixpoint", "namespace": "fixpoint-system"}
        ]
    off = {"enabled": False, "namespaces": ["shop"]}
    objects = chart.render({"apis": {"kubemod": {"enabled": True, "nodeRefs": off}}})
    assert "node-refs" not in str(objects) and "shop" not in str(objects)


def test_bindings():
    account = chart.default().one("ServiceAccount")["metadata"]["name"]
    bindings = [*chart.default().of("RoleBinding"), *chart.default().of("ClusterRoleBinding")]
    assert len(bindings) == 3
    for binding in bindings:
        assert binding["subjects"] == [
            {"kind": "ServiceAccount", "name": account, "namespace": "fixpoint-system"}
        ]
        role = chart.default().one(binding["roleRef"]["kind"], binding["roleRef"]["name"])
        assert role["metadata"].get("namespace") == binding["metadata"].get("namespace")
    assert chart.default().deployment["spec"]["template"]["spec"]["serviceAccountName"] == account


def test_nothing_is_for_everything():
    objects = chart.with_all()
    for role in [*objects.of("ClusterRole"), *objects.of("Role")]:
        for rule in role["rules"]:
            assert not {"*"} & {*rule["apiGroups"], *rule["resources"], *rule["verbs"]}
            assert "delete" not in rule["verbs"] and "deletecollection" not in rule["verbs"]


def resources(objects):
    return {
        resource
        for role in [*objects.of("ClusterRole"), *objects.of("Role")]
        for rule in role["rules"]
        for resource in rule["resources"]
    }


def test_what_is_off_is_not_allowed():
    for values, gone in (
        ({"events": {"enabled": False}}, {"events"}),
        ({"status": {"enabled": False}}, {"assign/status", "customresourcedefinitions", "pods"}),
        ({"certs": {"mode": "cert-manager"}}, {"secrets"}),
        ({"certs": {"mode": "files", "secretName": "a"}}, {"secrets"}),
        ({"disableMutation": True}, {"mutatingwebhookconfigurations"}),
        ({"disableValidatingWebhook": True}, {"validatingwebhookconfigurations"}),
    ):
        assert gone <= resources(chart.default())
        assert not gone & resources(chart.render(values))


def test_not_at_all():
    objects = chart.render({"rbac": {"create": False}, "serviceAccount": {"create": False, "name": "a"}})
    for kind in ("ClusterRole", "Role", "RoleBinding", "ClusterRoleBinding", "ServiceAccount"):
        assert objects.of(kind) == []
    assert objects.deployment["spec"]["template"]["spec"]["serviceAccountName"] == "a"


def test_names_follow_values():
    objects = chart.render({
        "fullnameOverride": "other", "mutatingWebhookName": "m", "validatingWebhookName": "v",
        "additionalMutatingWebhookConfigsToRotateCerts": ["n"],
    })  # fmt: skip
    names = [names for _, _, names, _ in rules(objects.one("ClusterRole")) + rules(objects.one("Role", "other")) if names]
    assert ["m", "n"] in names and ["v"] in names
    assert ["other"] in names and ["other-webhook-server-cert"] in names
    assert "--lease-name=other" in objects.flags
    assert "--tls-secret=other-webhook-server-cert" in objects.flags
