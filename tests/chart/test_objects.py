# SPDX-License-Identifier: Apache-2.0
"""What the chart makes of many values: objects that an API server takes, with labels,
selectors and pods as conventions have them."""

import os
import re
import subprocess

import pytest

import builtin_types
import chart
import definition

EVERYTHING = {
    "createNamespace": True,
    "replicas": 5,
    "commonLabels": {"team": "platform"},
    "commonAnnotations": {"owner": "platform"},
    "podLabels": {"pod": "label"},
    "podAnnotations": {"pod": "annotation"},
    "image": {"repository": "registry.example.com/fixpoint", "digest": "sha256:" + "a" * 64,
              "pullPolicy": "Always", "pullSecrets": [{"name": "registry"}]},
    "controllerManager": {
        "hostNetwork": True,
        "tolerations": [{"key": "a", "operator": "Exists"}],
        "nodeSelector": {"disk": "ssd"},
        "affinity": {"nodeAffinity": {}},
        "topologySpreadConstraints": [
            {"topologyKey": "rack", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
        ],
        "networkPolicy": {"enabled": True, "egress": [{"ports": [{"port": 443}]}]},
        "extraRules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}],
        "exemptNamespaces": ["a"], "exemptNamespacePrefixes": ["b-"], "exemptNamespaceSuffixes": ["-c"],
    },
    "extraArgs": ["--max-connections=100"],
    "extraEnvs": [{"name": "A", "value": "b"}],
    "extraVolumes": [{"name": "a", "emptyDir": {}}],
    "extraVolumeMounts": [{"name": "a", "mountPath": "/a"}],
    "extraObjects": [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "{{ .Release.Name }}-extra"}}
    ],
    "logMutations": True, "mutationAnnotations": True, "logLevel": "WARNING",
    "quarantine": {"after": 5, "budget": "20ms"},
    "mutatingWebhookExemptNamespacesLabels": {"env": ["test", "dev"]},
    "mutatingWebhookObjectSelector": {"matchLabels": {"mutate": "yes"}},
    "mutatingWebhookMatchConditions": [{"name": "nodes", "expression": "true"}],
    "mutatingWebhookFailurePolicy": "Fail",
    "additionalMutatingWebhookConfigsToRotateCerts": ["other"],
    "service": {"annotations": {"a": "b"}, "trafficDistribution": "PreferClose"},
    "metrics": {
        "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
        "podMonitor": {"enabled": True}, "prometheusRule": {"enabled": True},
        "dashboard": {"enabled": True},
    },
}  # fmt: skip

# name: values, arguments of render()
MATRIX = {
    "default": ({}, {}),
    "everything": (EVERYTHING, {}),
    "cert-manager": ({"certs": {"mode": "cert-manager"}}, {}),
    "issuer": ({"certs": {"mode": "cert-manager",
                          "certManager": {"issuerRef": {"name": "a", "kind": "ClusterIssuer"}}}}, {}),
    "files": ({"certs": {"mode": "files", "secretName": "mine"}}, {}),
    "clients": ({"clientCA": {"configMapName": "api-servers", "key": "bundle.pem"},
                 "clientCNs": ["kube-apiserver", "a, b"], "sandbox": "require", "threads": 0}, {}),
    "clients-of-a-secret": ({"clientCA": {"secretName": "api-servers"},
                             "certs": {"mode": "files", "secretName": "mine"}}, {}),
    "oldest": ({}, {"kube": "v1.25.0"}),
    "old": ({}, {"kube": "v1.27.9"}),
    "vendor": ({}, {"kube": "v1.33.1-gke.100"}),
    "validates-only": ({"disableMutation": True}, {}),
    "mutates-only": ({"disableValidatingWebhook": True}, {}),
    "bare": ({"rbac": {"create": False}, "serviceAccount": {"create": False}, "resourceQuota": False,
              "crds": {"install": False}, "pdb": {"controllerManager": {"enabled": False}},
              "metrics": {"service": {"enabled": False}}, "status": {"enabled": False},
              "events": {"enabled": False}}, {}),
    "url": ({"mutatingWebhookURL": "hook.example.com:8443", "validatingWebhookURL": "hook.example.com"}, {}),
    "named": ({"nameOverride": "mutator"}, {"args": ["--name", "prod"]}),
    "fully-named": ({"fullnameOverride": "x" * 80}, {}),
    "digits": ({"fullnameOverride": "789", "nameOverride": "1", "mutatingWebhookName": "2",
                "validatingWebhookName": "3", "certs": {"mode": "cert-manager"}},
               {"args": ["--name", "123", "--namespace", "456"]}),
    "upgrade": ({}, {"args": ["--is-upgrade"]}),
    "own-dns": ({"controllerManager": {
        "dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.0.0.10"], "options": [{"name": "ndots", "value": "2"}]},
    }}, {}),
    "modrules": (chart.MODRULES, {}),
    "modrules-alone": ({"apis": {"gatekeeper": {"enabled": False},
                                 "kubemod": {"enabled": True, "clusterNamespace": "rules",
                                             "nodeRefs": {"enabled": False}}},
                        "events": {"enabled": False}, "status": {"enabled": False}}, {}),
    "node-refs-of-two": ({"apis": {"kubemod": {
        "enabled": True, "nodeRefs": {"namespaces": ["shop", "bank"]}}}}, {}),
    "modrules-old": (chart.MODRULES, {"kube": "v1.25.0"}),
    "admission-policies": (chart.ADMISSION, {}),
    "admission-policies-alone": ({"apis": {
        "gatekeeper": {"enabled": False},
        "admissionPolicy": {"enabled": True, "native": True, "paramRules": [
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]}]},
    }}, {}),
    "kyverno": (chart.KYVERNO, {}),
    "kyverno-alone": ({"apis": {"gatekeeper": {"enabled": False}, "kyverno": {
        "enabled": True, "contextRules": [
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]}},
                       "crds": {"kyverno": True}}, {}),
    "kyverno-and-all": ({"apis": {**chart.ALL["apis"], **chart.KYVERNO["apis"]}}, {}),
    "all-policies": (chart.ALL, {"kube": "v1.25.0"}),
    "dry-runs": ({"web": {"enabled": True, "annotations": {"a": "b"}},
                  "controllerManager": {"networkPolicy": {"enabled": True}}}, {}),
    "webhooks-of-others": ({"webhookConfigurations": {"create": False},
                            "mutatingWebhookName": "their-mutation",
                            "validatingWebhookName": "their-validation",
                            "service": {"name": "their-service"}}, {}),
}  # fmt: skip

SELECTOR = {
    "app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component",
}  # fmt: skip
LABELS = SELECTOR | {
    "app.kubernetes.io/version", "app.kubernetes.io/part-of", "app.kubernetes.io/managed-by",
    "helm.sh/chart",
}  # fmt: skip
CLUSTER_SCOPED = {
    "Namespace", "CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding",
    "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration",
}  # fmt: skip
# Kinds of others, whose types are not known here.
FOREIGN = {"ServiceMonitor", "PodMonitor", "PrometheusRule", "Issuer", "Certificate"}


@pytest.fixture(params=MATRIX, scope="module")
def objects(request):
    values, arguments = MATRIX[request.param]
    return chart.render(values, **arguments)


def test_fields_exist_and_have_their_types(objects):
    for one in objects:
        if one["kind"] not in FOREIGN:
            assert builtin_types.knows(one), one["kind"]
            assert builtin_types.faults(one) == []


def test_names(objects):
    seen = set()
    for one in objects:
        name = one["metadata"]["name"]
        key = (one["kind"], name, one["metadata"].get("namespace"))
        assert key not in seen
        seen.add(key)
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", name), name
        if one["kind"] == "Service":
            assert len(name) <= 63
        if not name.endswith("-extra"):
            assert ("namespace" in one["metadata"]) == (one["kind"] not in CLUSTER_SCOPED)


def test_labels(objects):
    for one in objects:
        if one["metadata"]["name"].endswith("-extra"):
            continue
        labels = one["metadata"]["labels"]
        assert LABELS <= set(labels), one["kind"]
        for value in labels.values():
            assert re.fullmatch(r"([A-Za-z0-9]([-A-Za-z0-9_.]{,61}[A-Za-z0-9])?)?", value), value


def test_selectors(objects):
    pod = objects.deployment["spec"]["template"]["metadata"]["labels"]
    chosen = objects.deployment["spec"]["selector"]["matchLabels"]
    assert set(chosen) == SELECTOR and chosen.items() <= pod.items()
    for service in objects.of("Service"):
        assert service["spec"]["selector"] == chosen
    for kind in ("PodDisruptionBudget", "NetworkPolicy"):
        for one in objects.of(kind):
            spec = one["spec"]
            assert (spec.get("selector") or spec["podSelector"])["matchLabels"] == chosen
    # What else is there is not chosen by it.
    for one in objects.of("Pod"):
        assert not chosen.items() <= one["metadata"]["labels"].items()


def test_definitions_stay_structural(objects):
    for one in objects.of("CustomResourceDefinition"):
        for version in one["spec"]["versions"]:
            schema = version["schema"]["openAPIV3Schema"]
            assert list(definition.structural_faults(schema)) == []


def pods(objects):
    yield objects.deployment["spec"]["template"]["spec"]
    for one in objects.of("Pod"):
        yield one["spec"]


def test_pods_are_restricted(objects):
    """PodSecurity `restricted`, but for hostNetwork where it is asked for."""
    for spec in pods(objects):
        for container in spec["containers"]:
            context = container["securityContext"]
            assert context["allowPrivilegeEscalation"] is False
            assert context["capabilities"] == {"drop": ["ALL"]}
            assert context["readOnlyRootFilesystem"] is True
            assert context["runAsNonRoot"] is True
            assert context["runAsUser"] == 65532 and context["runAsGroup"] == 65532
            assert context["seccompProfile"] == {"type": "RuntimeDefault"}
        for volume in spec.get("volumes", []):
            assert set(volume) - {"name"} <= {"secret", "configMap", "emptyDir"}
        assert "hostPID" not in spec and "hostIPC" not in spec


def test_references_hold(objects):
    """Services, Secrets, accounts and ports that objects name are those of others."""
    names = {(one["kind"], one["metadata"]["name"]) for one in objects}
    ports = {port["name"] for port in objects.container["ports"]}
    for service in objects.of("Service"):
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        for one in objects.of(kind):
            for webhook in one["webhooks"]:
                client = webhook["clientConfig"]
                assert "caBundle" not in client
                if "url" not in client:
                    assert ("Service", client["service"]["name"]) in names
    for kind in ("RoleBinding", "ClusterRoleBinding"):
        for one in objects.of(kind):
            assert (one["roleRef"]["kind"], one["roleRef"]["name"]) in names
    spec = objects.deployment["spec"]["template"]["spec"]
    mounted = {mount["name"] for mount in objects.container.get("volumeMounts", [])}
    assert mounted == {volume["name"] for volume in spec.get("volumes", [])}


def test_environment(objects):
    fields = {
        one["name"]: one["valueFrom"]["fieldRef"]["fieldPath"]
        for one in objects.container["env"]
        if "valueFrom" in one
    }
    assert fields == {
        "POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace", "POD_UID": "metadata.uid",
    }  # fmt: skip


def test_order():
    """What Helm installs first: the server before the webhooks, which come last."""
    kinds = [one["kind"] for one in chart.default()]
    assert kinds[-3:] == ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "Pod"]
    assert kinds.index("Deployment") < kinds.index("MutatingWebhookConfiguration")


def test_deployment():
    spec = chart.default().deployment["spec"]
    assert spec["replicas"] == 3
    assert spec["strategy"] == {
        "type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0},
    }  # fmt: skip
    pod = spec["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] == 30
    assert {"--drain=10s", "--grace=15s"} <= set(chart.default().flags)
    given = {"grace": "5s", "stallAfter": "1m"}
    assert {"--grace=5s", "--stall-after=1m"} <= set(chart.render({"controllerManager": given}).flags)
    assert pod["priorityClassName"] == "system-cluster-critical"
    affinity = pod["affinity"]["podAntiAffinity"]
    assert list(affinity) == ["preferredDuringSchedulingIgnoredDuringExecution"]
    (spread,) = pod["topologySpreadConstraints"]
    assert spread["whenUnsatisfiable"] == "ScheduleAnyway"
    container = chart.default().container
    assert container["resources"] == {
        "requests": {"cpu": "50m", "memory": "16Mi"}, "limits": {"memory": "64Mi"},
    }  # fmt: skip
    assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "health"}
    assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "health"}
    assert container["image"] == "localhost/fixpoint:0.1.0"


def test_budget_and_quota():
    budget = chart.default().one("PodDisruptionBudget")["spec"]
    assert budget["maxUnavailable"] == 1
    assert budget["unhealthyPodEvictionPolicy"] == "AlwaysAllow"
    old = chart.render(kube="v1.25.3").one("PodDisruptionBudget")["spec"]
    assert "unhealthyPodEvictionPolicy" not in old
    quota = chart.default().one("ResourceQuota")["spec"]
    assert quota["hard"] == {"pods": "100"}
    assert quota["scopeSelector"]["matchExpressions"][0]["values"] == ["system-cluster-critical"]


def test_helm_test_pod():
    pod = chart.default().one("Pod")
    assert pod["metadata"]["annotations"]["helm.sh/hook"] == "test"
    (container,) = pod["spec"]["containers"]
    service = chart.default().one("Service", "fixpoint-webhook-service")["metadata"]
    address = f"https://{service['name']}.{service['namespace']}.svc:443/v1/mutate"
    assert container["args"] == ["ping", address, "--ca=/certs/ca.crt", "--timeout=10s"]
    (volume,) = pod["spec"]["volumes"]
    assert [item["key"] for item in volume["secret"]["items"]] == ["ca.crt"]


@pytest.mark.parametrize("version", ["1.3", 1.3])
def test_the_lowest_version_of_tls(version):
    assert not any(flag.startswith("--tls-min") for flag in chart.default().flags)
    objects = chart.render({"controllerManager": {"tlsMinVersion": version}})
    assert "--tls-min-version=1.3" in objects.flags


def test_clients_show_a_certificate():
    assert not any(flag.startswith("--client-") for flag in chart.default().flags)
    objects = chart.render(*MATRIX["clients"][:1])
    assert [flag for flag in objects.flags if flag.startswith("--client-")] == [
        "--client-ca=/client-ca/ca.crt", "--client-cn=kube-apiserver", "--client-cn=a, b",
    ]  # fmt: skip
    (volume,) = objects.deployment["spec"]["template"]["spec"]["volumes"]
    assert volume["configMap"] == {
        "name": "api-servers", "defaultMode": 0o440,
        "items": [{"key": "bundle.pem", "path": "ca.crt"}],
    }  # fmt: skip
    (mount,) = objects.container["volumeMounts"]
    assert mount == {"name": volume["name"], "mountPath": "/client-ca", "readOnly": True}
    assert not objects.of("Pod")  # the test has no certificate
    of_secret = chart.render(*MATRIX["clients-of-a-secret"][:1])
    volumes = of_secret.deployment["spec"]["template"]["spec"]["volumes"]
    assert [volume["secret"]["secretName"] for volume in volumes] == ["mine", "api-servers"]
    assert volumes[1]["secret"]["items"] == [{"key": "ca.crt", "path": "ca.crt"}]
    assert not any(flag.startswith("--client-cn") for flag in of_secret.flags)


def test_sandbox_and_threads():
    flags = chart.default().flags
    assert "--threads=2" in flags and not any("sandbox" in flag for flag in flags)
    flags = chart.render(*MATRIX["clients"][:1]).flags
    assert "--sandbox=require" in flags and not any("threads" in flag for flag in flags)


def test_dns():
    pod = chart.default().deployment["spec"]["template"]["spec"]
    assert pod["dnsPolicy"] == "ClusterFirst" and "dnsConfig" not in pod
    values, arguments = MATRIX["own-dns"]
    pod = chart.render(values, **arguments).deployment["spec"]["template"]["spec"]
    assert pod["dnsPolicy"] == "None"
    assert pod["dnsConfig"] == values["controllerManager"]["dnsConfig"]


def test_everything_has_its_effect():
    objects = chart.render(EVERYTHING)
    spec = objects.deployment["spec"]["template"]["spec"]
    assert objects.container["image"] == "registry.example.com/fixpoint@sha256:" + "a" * 64
    assert spec["imagePullSecrets"] == [{"name": "registry"}]
    assert spec["hostNetwork"] is True and spec["dnsPolicy"] == "ClusterFirstWithHostNet"
    assert spec["affinity"] == {"nodeAffinity": {}}
    assert spec["topologySpreadConstraints"][0]["topologyKey"] == "rack"
    assert spec["nodeSelector"] == {"disk": "ssd", "kubernetes.io/os": "linux"}
    assert {"name": "A", "value": "b"} in objects.container["env"]
    assert {"name": "a", "mountPath": "/a"} in objects.container["volumeMounts"]
    assert objects.container["args"][-1] == "--max-connections=100"
    metadata = objects.deployment["spec"]["template"]["metadata"]
    assert metadata["labels"]["pod"] == "label" and metadata["annotations"]["pod"] == "annotation"
    for one in objects:
        if not one["metadata"]["name"].endswith("-extra"):
            assert one["metadata"]["labels"]["team"] == "platform"
            assert one["metadata"]["annotations"]["owner"] == "platform"
    assert objects.one("ConfigMap", "fixpoint-extra")
    assert objects.one("Namespace")["metadata"]["labels"][
        "pod-security.kubernetes.io/enforce"
    ] == "privileged"
    assert objects.one("ServiceMonitor")["metadata"]["labels"]["release"] == "prometheus"
    assert set(objects.flags) >= {
        "--log-mutations", "--mutation-annotations", "--log-level=warn",
        "--quarantine-after=5", "--quarantine-budget=20ms",
        "--exempt-namespace=fixpoint-system", "--exempt-namespace=a",
        "--exempt-namespace-prefix=b-", "--exempt-namespace-suffix=-c",
        "--additional-mutating-webhook-configs-to-rotate-certs=other",
    }  # fmt: skip


def test_monitors_find_their_service():
    objects = chart.render(EVERYTHING)
    wanted = objects.one("ServiceMonitor")["spec"]["selector"]["matchLabels"]
    found = [one for one in objects.of("Service") if wanted.items() <= one["metadata"]["labels"].items()]
    assert [one["metadata"]["name"] for one in found] == ["fixpoint-metrics"]
    wanted = objects.one("PodMonitor")["spec"]["selector"]["matchLabels"]
    pod = objects.deployment["spec"]["template"]["metadata"]["labels"]
    assert wanted.items() <= pod.items()


# ---- the program ------------------------------------------------------------------------


def flags_of(command):
    """The flags that the program under test knows."""
    program = os.environ.get("FIXPOINT")
    if not program:
        pytest.skip("no FIXPOINT to ask")
    text = subprocess.run([program, "help", command], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(?<![-\w])--[a-z][-a-z0-9]*", text))


def test_flags_exist():
    known = flags_of("serve")
    for values, arguments in MATRIX.values():
        flags = chart.render(values, **arguments).flags
        assert {flag.partition("=")[0] for flag in flags} - known == set()


def test_flags_of_the_test_exist():
    (container,) = chart.default().one("Pod")["spec"]["containers"]
    flags = {one.partition("=")[0] for one in container["args"] if one.startswith("--")}
    assert flags - flags_of("ping") == set()


# ---- certificates -----------------------------------------------------------------------


def test_self_mode():
    objects = chart.default()
    assert "volumes" not in objects.deployment["spec"]["template"]["spec"]
    assert set(objects.flags) >= {
        "--tls-secret=fixpoint-webhook-server-cert", "--cert-service-name=fixpoint-webhook-service",
        "--ca-validity=87600h", "--cert-validity=8760h", "--rotation-wait=60s",
    }  # fmt: skip
    assert not any(flag.startswith("--tls-name") for flag in objects.flags)
    # Nobody but Fixpoint writes what it makes.
    assert objects.of("Secret") == []


def test_cert_manager_mode():
    objects = chart.render({"certs": {"mode": "cert-manager"}})
    assert [one["metadata"]["name"] for one in objects.of("Issuer")] == [
        "fixpoint-self-signed", "fixpoint-ca",
    ]  # fmt: skip
    leaf = objects.one("Certificate", "fixpoint")["spec"]
    assert leaf["secretName"] == "fixpoint-webhook-server-cert"
    assert "fixpoint-webhook-service.fixpoint-system.svc" in leaf["dnsNames"]
    assert leaf["issuerRef"]["name"] == "fixpoint-ca"
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        annotations = objects.one(kind)["metadata"]["annotations"]
        assert annotations["cert-manager.io/inject-ca-from"] == "fixpoint-system/fixpoint"
    assert "--disable-cert-rotation" in objects.flags
    assert "--tls-cert=/certs/tls.crt" in objects.flags
    assert not any(flag.startswith("--tls-secret") for flag in objects.flags)


URLS = {"mutatingWebhookURL": "a.example.com:8443", "validatingWebhookURL": "10.0.0.1"}


def test_certificates_are_for_urls_as_well():
    flags = chart.render(URLS).flags
    assert [flag for flag in flags if flag.startswith("--tls-name")] == [
        "--tls-name=a.example.com", "--tls-name=10.0.0.1",
    ]  # fmt: skip
    made = chart.render({**URLS, "certs": {"mode": "cert-manager"}}).one("Certificate", "fixpoint")
    assert made["spec"]["dnsNames"][4:] == ["a.example.com"]
    assert made["spec"]["ipAddresses"] == ["10.0.0.1"]


def test_files_mode():
    objects = chart.render({"certs": {"mode": "files", "secretName": "mine"}})
    (volume,) = objects.deployment["spec"]["template"]["spec"]["volumes"]
    assert volume["secret"]["secretName"] == "mine"
    assert set(objects.flags) >= {
        "--tls-cert=/certs/tls.crt", "--tls-key=/certs/tls.key", "--tls-ca=/certs/ca.crt",
    }  # fmt: skip
    assert "--disable-cert-rotation" not in objects.flags


# ---- definitions of others --------------------------------------------------------------


def installed(name, annotations=None):
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name, **({"annotations": annotations} if annotations else {})},
    }


def ours(release="fixpoint", namespace=chart.NAMESPACE):
    return {"meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": namespace}


NAME = "assign.mutations.gatekeeper.sh"


@pytest.mark.parametrize(
    ("annotations", "is_rendered"),
    [
        (None, False),
        (ours("gatekeeper", "gatekeeper-system"), False),
        (ours(namespace="elsewhere"), False),
        (ours(), True),
    ],
)
def test_definitions_of_others_are_left_alone(annotations, is_rendered):
    lookup = [installed(NAME, annotations), installed("other.example.com")]
    names = set(chart.definitions(chart.render(lookup=lookup)))
    assert (NAME in names) == is_rendered
    assert set(chart.definitions(chart.default())) - names <= {NAME}
    notes = chart.render_text(args=["--notes", "--lookup", write(lookup)])
    assert (f"\n  {NAME}\n" in notes) != is_rendered


def write(lookup):
    path = chart.renderer().with_name("lookup.yaml")
    path.write_text(chart.yaml.safe_dump(lookup), encoding="utf-8")
    return str(path)


def test_without_gatekeepers_definitions():
    objects = chart.render({"crds": {"gatekeeper": False}})
    assert chart.definitions(objects) and not any(
        name.endswith(".gatekeeper.sh") for name in chart.definitions(objects)
    )
    bare = chart.render({"crds": {"keep": False, "annotations": {"a": "b"}}})
    for one in bare.of("CustomResourceDefinition"):
        assert one["metadata"]["annotations"] == {"a": "b"}


# ---- notes ------------------------------------------------------------------------------


def test_notes():
    notes = chart.render_text({"mutatingWebhookName": "mine"}, args=["--notes"])
    for words in (
        "kubectl delete mutatingwebhookconfiguration mine",
        "-l app.kubernetes.io/name=fixpoint,app.kubernetes.io/instance=fixpoint",
        "fixpoint disable --name mine --for 30m",
        "fixpoint enable --name mine",
        "kubectl patch mutatingwebhookconfiguration mine --type json",
        'Undo: "value": {}',
        "kubectl get mutators -o wide",
        "kubectl delete assign NAME",
        "kubectl delete validatingwebhookconfiguration gatekeeper-validating-webhook-configuration",
        "admission.gatekeeper.sh/ignore",
        "helm test fixpoint -n fixpoint-system",
    ):
        assert words in notes
    policy = re.search(r"<<'END'\n(.*?)\n  END", notes, re.S).group(1)
    (item,) = chart.load_all(policy)
    schema = definition.schema_of(chart.definitions()[NAME], "v1")
    assert definition.faults(schema, item) == []
    assert "custom resources are mutated only with" in chart.render_text(
        args=["--notes", "--kube-version", "v1.26.0"]
    )
    assert "can be drained" not in notes
    blocks = {"replicas": 1, "pdb": {"controllerManager": {"minAvailable": 1}}}
    assert "can be drained" in chart.render_text(blocks, args=["--notes"])


# ---- webhook configurations of others ---------------------------------------------------


def test_webhooks_of_others():
    """Nothing is written of them, and they are known by their names."""
    values, arguments = MATRIX["webhooks-of-others"]
    objects = chart.render(values, **arguments)
    for kind, name in (("mutating", "their-mutation"), ("validating", "their-validation")):
        assert objects.of(f"{kind.title()}WebhookConfiguration") == []
        assert f"--{kind}-webhook-configuration-name={name}" in objects.flags
    assert "--cert-service-name=their-service" in objects.flags
    assert objects.one("Service", "their-service")
    made = chart.render({**values, "certs": {"mode": "cert-manager"}}, **arguments)
    assert "their-service.fixpoint-system.svc" in made.one("Certificate", "fixpoint")["spec"]["dnsNames"]


def test_notes_of_webhooks_of_others():
    """Nothing is said of what only our own have: labels, and their first webhook."""
    values = {"webhookConfigurations": {"create": False}, "mutatingWebhookName": "theirs"}
    notes = chart.render_text(values, args=["--notes"])
    assert "kubectl delete mutatingwebhookconfiguration theirs" in notes
    assert "fixpoint disable --name theirs" in notes
    assert "/webhooks/0" not in notes and "app.kubernetes.io/name=fixpoint,app" not in notes
    assert "admission.gatekeeper.sh/ignore" not in notes
