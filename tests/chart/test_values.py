# SPDX-License-Identifier: Apache-2.0
"""values.yaml, values.schema.json, Chart.yaml: what `helm lint` looks at, and more."""

import json
import re

import jsonschema
import pytest
import yaml

import chart
from test_objects import MATRIX
from test_webhooks import COMBINATIONS, EQUAL_PORTS, RULE

TEXT = (chart.CHART / "values.yaml").read_text(encoding="utf-8")
VALUES = yaml.safe_load(TEXT)
SCHEMA = json.loads((chart.CHART / "values.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def merged(under, over):
    result = dict(under)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged(result[key], value) if both else value
    return result


def faults(values):
    return [
        ".".join(str(part) for part in error.absolute_path) + ": " + error.message
        for error in VALIDATOR.iter_errors(merged(VALUES, values))
    ]


def test_schema_is_one():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize("name", MATRIX)
def test_schema_takes(name):
    assert faults(MATRIX[name][0]) == []


REFUSED = [
    {"replica": 3},
    {"replicas": 0},
    {"replicas": "3"},
    {"controllerManager": {"tlsMinVersion": "1.1"}},
    {"mutatingWebhookFailurPolicy": "Ignore"},
    {"mutatingWebhookFailurePolicy": "ignore"},
    {"mutatingWebhookTimeoutSeconds": 0},
    {"mutatingWebhookTimeoutSeconds": 31},
    {"mutatingWebhookReinvocationPolicy": "Always"},
    {"mutatingWebhookMatchConditions": [{"name": "a"}]},
    {"mutatingWebhookCustomRules": [{"apiGroups": ["*"]}]},
    {"mutatingWebhookCustomRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["PATCH"],
                                     "resources": ["*"]}]},
    {"apis": {"kyverno": True}},
    {"apis": {"kyverno": {"status": True}}},
    {"apis": {"kyverno": {"exceptionsNamespace": "a.b"}}},
    {"apis": {"kyverno": {"exceptionsNamespace": "a*"}}},
    {"apis": {"kyverno": {"contextRules": [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]}]}}},
    {"apis": {"cedar": {"enabled": True}}},
    {"apis": {"gatekeeper": True}},
    {"apis": {"kubemod": {"enabled": "yes"}}},
    {"apis": {"kubemod": {"clusterNamespace": ""}}},
    {"apis": {"kubemod": {"clusterNamespace": "a.b"}}},
    {"apis": {"kubemod": {"namespaceShare": 0}}},
    {"apis": {"kubemod": {"namespaceShare": 101}}},
    {"apis": {"kubemod": {"nodeRefs": False}}},
    {"apis": {"kubemod": {"nodeRefs": {"failurePolicy": "ignore"}}}},
    {"apis": {"kubemod": {"nodeRefs": {"timeoutSeconds": 0}}}},
    {"apis": {"kubemod": {"nodeRefs": {"namespaces": ["a.b"]}}}},
    {"apis": {"kubemod": {"nodeRefs": {"namespaces": ["a", "a"]}}}},
    {"existing": True},
    {"existing": {"mode": "yes"}},
    {"existing": {"qps": 0}},
    {"existing": {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["delete"]}]}},
    {"existing": {"rules": [{"apiGroups": [""], "resources": ["pods"]}]}},
    {"apis": {"admissionPolicy": True}},
    {"apis": {"admissionPolicy": {"native": "yes"}}},
    {"apis": {"admissionPolicy": {"nativePolicies": "never"}}},
    {"apis": {"admissionPolicy": {"paramRules": {}}}},
    {"apis": {"admissionPolicy": {"paramRules": [{"apiGroups": [""], "resources": ["configmaps"]}]}}},
    {"apis": {"admissionPolicy": {"paramRules": [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["patch"]}]}}},
    {"webhookConfigurations": False},
    {"service": {"name": "A"}},
    {"web": {"enabled": True, "port": 0}},
    {"web": {"enabled": True, "type": "NodePort"}},
    {"crds": {"kubemod": "no"}},
    {"crds": {"admissionPolicy": "no"}},
    {"mutatingWebhookObjectSelector": {"matchLabel": {}}},
    {"mutatingWebhookSubResources": ["pods"]},
    {"mutatingWebhookURL": "https://a.example.com"},
    {"mutatingWebhookScope": "All"},
    {"mutatingWebhookExemptNamespacesLabels": {"a": "b"}},
    {"image": {"tag": "1"}},
    {"image": {"pullPolicy": "Sometimes"}},
    {"image": {"digest": "abc"}},
    {"nameOverride": "Fix Point"},
    {"fullnameOverride": "fix_point"},
    {"certs": {"mode": "byo"}},
    {"certs": {"secretName": "My Secret"}},
    {"certs": {"certManager": {"issuerRef": {"kind": "ClusterIssuer"}}}},
    {"certs": {"validity": "1y"}},
    {"certs": {"certManager": {"issuer": {}}}},
    {"clientCA": {"configMap": "a"}},
    {"clientCA": {"configMapName": "My Map"}},
    {"clientCA": {"key": "a/b"}},
    {"clientCNs": "kube-apiserver"},
    {"clientCNs": [""]},
    {"sandbox": True},
    {"threads": -1},
    {"threads": 65},
    {"controllerManager": {"port": 0}},
    {"controllerManager": {"resources": {"request": {}}}},
    {"controllerManager": {"dnsConfig": {"nameserver": "10.0.0.10"}}},
    {"controllerManager": {"dnsConfig": {"nameservers": ["dns.example.com"]}}},
    {"controllerManager": {"dnsConfig": {"options": [{"value": "2"}]}}},
    {"controllerManager": {"affinity": {"podAffinty": {}}}},
    {"controllerManager": {"strategyType": "rolling"}},
    {"logLevel": "loud"},
    {"onError": "ignore"},
    {"quarantine": {"budget": "20"}},
    {"pdb": {"enabled": True}},
    {"metrics": {"serviceMonitor": {"enable": True}}},
    {"crds": {"install": "yes"}},
    {"extraArgs": "--a"},
    {"disableAudit": True},
]  # fmt: skip


@pytest.mark.parametrize(("values", "words"), COMBINATIONS, ids=str)
def test_schema_refuses_together(values, words):
    """For `helm lint`, which takes no notice of what templates refuse. No schema can compare two
    numbers."""
    assert (faults(values) == []) == (words == EQUAL_PORTS)


@pytest.mark.parametrize(
    "values",
    [
        {"disableMutation": True},
        {"disableValidatingWebhook": True},
        {"mutatingWebhookFailurePolicy": "Fail", "replicas": 2},
        {"certs": {"mode": "files", "secretName": "mine"}},
        {"clientCA": {"secretName": "a"}, "clientCNs": ["b"]},
        {"apis": {"gatekeeper": {"enabled": False}, "kubemod": {"enabled": True}}},
        {"apis": {"gatekeeper": {"enabled": False}, **chart.ADMISSION["apis"]}},
        {"apis": {"admissionPolicy": {"enabled": True, "native": True}}},
        {"apis": {"gatekeeper": {"enabled": False}, **chart.KYVERNO["apis"]}},
        {**chart.MODRULES, "mutatingWebhookCustomRules": [{**RULE, "operations": ["DELETE"]}]},
        {"web": {"enabled": True}},
        {"controllerManager": {"hostNetwork": True}},
        {"controllerManager": {"dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.0.0.10"]}}},
    ],
    ids=str,
)
def test_schema_takes_together(values):
    assert faults(values) == []
    assert chart.render(values)


def paths(value, where=()):
    """The leaves of values, and what they are in."""
    yield ".".join(where)
    for key, child in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(child, (dict, list)):
            yield from paths(child, (*where, str(key)))
        else:
            yield ".".join((*where, str(key)))


@pytest.mark.parametrize("values", REFUSED, ids=str)
def test_schema_refuses(values):
    """And says where: Helm prints the path of each fault."""
    assert faults(values) != []
    for fault in faults(values):
        where, _, words = fault.partition(": ")
        assert where in set(paths(values)), fault
        assert where or "Additional properties" in words, fault


def without(values, path):
    """What Helm makes of null: the value is not there."""
    key, *rest = path
    return {
        name: without(value, rest) if name == key else value
        for name, value in values.items()
        if name != key or rest
    }


def test_null():
    """As in `podAnnotations:` with nothing below. It is refused by name, or means nothing."""
    nothing = {}
    for key in keys(VALUES):
        path = key[1:].split(".")
        found = [error.message for error in VALIDATOR.iter_errors(without(VALUES, path))]
        assert found in ([], [f"'{path[-1]}' is a required property"]), found
        node = nothing
        for part in path[:-1]:
            node = node.setdefault(part, {}) if node is not None else None
        if not found and node is not None:
            node[path[-1]] = None
    assert len(json.dumps(nothing)) > 500
    for line in chart.render_text(nothing, args=["--kube-version", chart.KUBE_VERSION]).splitlines():
        assert not line.endswith(": null") and "<nil>" not in line and "<no value>" not in line, line
    assert chart.load_all(chart.render_text(nothing))


def closed(schema, where=""):
    """Objects of the schema that take unknown keys."""
    if schema.get("type") == "object" and "additionalProperties" not in schema:
        yield where
    for name, child in schema.get("properties", {}).items():
        yield from closed(child, f"{where}.{name}")


def test_schema_is_closed():
    # These are Kubernetes' own, which it validates itself; and other charts'.
    manager = ".controllerManager"
    assert set(closed(SCHEMA)) == {
        f"{manager}.affinity.nodeAffinity", f"{manager}.affinity.podAffinity",
        f"{manager}.affinity.podAntiAffinity", f"{manager}.podSecurityContext",
        f"{manager}.securityContext", ".global",
    }  # fmt: skip


def keys(value, where=""):
    for key, child in value.items():
        yield f"{where}.{key}"
        if isinstance(child, dict):
            yield from keys(child, f"{where}.{key}")


def schema_keys(schema, where=""):
    for key, child in schema.get("properties", {}).items():
        yield f"{where}.{key}"
        yield from schema_keys(child, f"{where}.{key}")


def test_values_and_schema_have_the_same_keys():
    known = set(schema_keys(SCHEMA))
    given = set(keys(VALUES))
    # Examples of maps and of what has no default.
    open_maps = re.compile(
        r"\.(mutatingWebhookAnnotations|validatingWebhookAnnotations|controllerManager\."
        r"(nodeSelector|securityContext|podSecurityContext|resources\.\w+)|"
        r"metrics\.dashboard\.labels)\."
    )
    assert {key for key in given - known if not open_maps.match(key)} == set()
    optional = {
        ".global", ".mutatingWebhookObjectSelector.matchLabels",
        ".mutatingWebhookObjectSelector.matchExpressions", ".controllerManager.resources.claims",
        *(f".controllerManager.affinity.{one}" for one in ("nodeAffinity", "podAffinity", "podAntiAffinity")),
        *(f".controllerManager.dnsConfig.{one}" for one in ("nameservers", "searches", "options")),
        *(f".certs.certManager.issuerRef.{one}" for one in ("name", "kind", "group")),
    }  # fmt: skip
    assert known - given - optional == set()


def test_every_value_is_used():
    templates = "".join(
        path.read_text(encoding="utf-8")
        for path in sorted((chart.CHART / "templates").rglob("*"))
        if path.is_file()
    )
    for key in VALUES:
        assert f".Values.{key}" in templates, key
    for name in re.findall(r"\.Values\.(\w+)", templates):
        assert name in VALUES, name


def test_every_top_value_has_a_comment():
    lines = TEXT.splitlines()
    for i, line in enumerate(lines):
        if re.match(r"\w+:", line) and lines[i - 1].strip() == "":
            name = line.split(":")[0]
            assert name in {
                "image", "certs", "crds", "rbac", "serviceAccount", "controllerManager", "pdb",
                "service", "metrics", "podAnnotations",
            }, f"{name}: no comment"  # fmt: skip


# Of Gatekeeper's chart: those that mean the same keep their names and their places.
SAME_NAMES = """
replicas revisionHistoryLimit disableMutation disableValidatingWebhook mutatingWebhookName
mutatingWebhookFailurePolicy mutatingWebhookReinvocationPolicy mutatingWebhookAnnotations
mutatingWebhookExemptNamespacesLabels mutatingWebhookObjectSelector
mutatingWebhookMatchConditions mutatingWebhookTimeoutSeconds mutatingWebhookCustomRules
mutatingWebhookSubResources mutatingWebhookURL mutatingWebhookScope mutationAnnotations
logMutations logLevel validatingWebhookName validatingWebhookTimeoutSeconds
validatingWebhookFailurePolicy validatingWebhookAnnotations
validatingWebhookCheckIgnoreFailurePolicy validatingWebhookURL commonAnnotations
additionalMutatingWebhookConfigsToRotateCerts resourceQuota podCountLimit podAnnotations
podLabels extraVolumes extraVolumeMounts rbac.create image.repository image.release
image.pullPolicy image.pullSecrets pdb.controllerManager.minAvailable
controllerManager.exemptNamespaces controllerManager.exemptNamespacePrefixes
controllerManager.exemptNamespaceSuffixes controllerManager.port controllerManager.healthPort
controllerManager.readinessTimeout controllerManager.livenessTimeout
controllerManager.hostNetwork controllerManager.dnsPolicy
controllerManager.priorityClassName controllerManager.strategyType
controllerManager.strategyRollingUpdate controllerManager.affinity
controllerManager.topologySpreadConstraints controllerManager.tolerations
controllerManager.nodeSelector controllerManager.resources
controllerManager.podSecurityContext controllerManager.securityContext
controllerManager.extraRules controllerManager.networkPolicy.enabled
controllerManager.networkPolicy.ingress service
""".split()


REMOVED = """
enableExternalData enableGeneratorResourceExpansion enableTLSHealthcheck maxServingThreads
externaldataProviderResponseCacheTTL enableK8sNativeValidation secretAnnotations logDenies
metricsBackends disableAudit exportBackend externalCertInjection upgradeCRDs postInstall
preInstall postUpgrade preUninstall enableRuntimeDefaultSeccompProfile disabledBuiltins
controllerManager.clientCertName controllerManager.metricsPort
controllerManager.disableCertRotation controllerManager.podLabels
controllerManager.containerName controllerManager.serviceAccount
controllerManager.disableWebhookOperation controllerManager.disableGenerateOperation
validatingWebhookCustomRules constraintViolationsLimit enableDeleteOperations
""".split()


def test_names_of_gatekeepers_values():
    known = {key[1:] for key in keys(VALUES)}
    assert set(SAME_NAMES) - known == set()
    readme = (chart.CHART / "README.md").read_text(encoding="utf-8")
    for name in REMOVED:
        assert f"`{name}`" in readme, f"{name} does not exist, and README.md does not say so"


def test_chart():
    meta = yaml.safe_load((chart.CHART / "Chart.yaml").read_text(encoding="utf-8"))
    project = (chart.ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"project\(fixpoint VERSION ([\d.]+)", project).group(1)
    assert meta["apiVersion"] == "v2" and meta["type"] == "application"
    assert meta["appVersion"] == version and re.fullmatch(r"\d+\.\d+\.\d+", meta["version"])
    assert meta["kubeVersion"] == ">=1.25.0-0"
    annotations = meta["annotations"]
    assert annotations["artifacthub.io/license"] == "Apache-2.0"
    listed = {one["name"]: one for one in yaml.safe_load(annotations["artifacthub.io/crds"])}
    stored = {
        name: (one["spec"]["names"]["kind"], one["spec"]["versions"][0]["name"])
        for name, one in chart.definitions().items()
    }
    assert {name: (one["kind"], one["version"]) for name, one in listed.items()} == stored
    (image,) = yaml.safe_load(annotations["artifacthub.io/images"])
    assert image["image"] == f"{VALUES['image']['repository']}:{version}"


def test_files_are_in_order():
    """Two spaces, no tabs, no blanks at ends of lines, a newline at the end, no long lines."""
    for path in sorted(chart.CHART.rglob("*")):
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n") and not text.endswith("\n\n"), path
        for number, line in enumerate(text.splitlines(), 1):
            where = f"{path.relative_to(chart.CHART)}:{number}"
            assert "\t" not in line and line == line.rstrip(), where


def test_rendered_text_is_in_order():
    for values, arguments in MATRIX.values():
        args = ["--kube-version", arguments.get("kube", chart.KUBE_VERSION), *arguments.get("args", [])]
        for line in chart.render_text(values, args=args).splitlines():
            assert line == line.rstrip(), repr(line)
            assert "<no value>" not in line and "<nil>" not in line and "%!" not in line, line
