# SPDX-License-Identifier: Apache-2.0
"""MutatingAdmissionPolicies of the group policies.fixpoint.dev: their definitions, which say of
them what the program says, and what else they bring; their permissions are in test_rbac.py."""

import json
import os
import re
import subprocess

import pytest

import chart
import definition
import test_objects

GROUP = "policies.fixpoint.dev"
KINDS = {
    "MutatingAdmissionPolicy": f"fixpointmutatingadmissionpolicies.{GROUP}",
    "MutatingAdmissionPolicyBinding": f"fixpointmutatingadmissionpolicybindings.{GROUP}",
}
APPLY = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}
PATCH = {
    "patchType": "JSONPatch",
    "jsonPatch": {"expression": '[JSONPatch{op: "remove", path: "/a"}]'},
}
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
CONDITION = {"name": "a", "expression": "true"}
REMOVED = object()


def some(kind, spec):
    return {
        "apiVersion": f"{GROUP}/v1alpha1", "kind": kind, "metadata": {"name": "a"},
        "spec": {key: value for key, value in spec.items() if value is not REMOVED},
    }  # fmt: skip


def policy(**spec):
    given = {"matchConstraints": {"resourceRules": [RULE]}, "mutations": [APPLY],
             "reinvocationPolicy": "Never"}  # fmt: skip
    return some("MutatingAdmissionPolicy", {**given, **spec})


def rule(**fields):
    made = {**RULE, **fields}
    made = {key: value for key, value in made.items() if value is not REMOVED}
    return policy(matchConstraints={"resourceRules": [made]})


def matching(**fields):
    return policy(matchConstraints={"resourceRules": [RULE], **fields})


def binding(**spec):
    return some("MutatingAdmissionPolicyBinding", {"policyName": "p", **spec})


def named(**ref):
    return binding(paramRef=ref)


SELECTOR = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]}
# Definition and program take it.
TAKEN = [
    policy(), policy(mutations=[APPLY, PATCH]), policy(reinvocationPolicy="IfNeeded"),
    policy(failurePolicy="Fail"), policy(failurePolicy="Ignore"),
    policy(paramKind={"apiVersion": "v1", "kind": "ConfigMap"}),
    policy(variables=[CONDITION, {"name": "b", "expression": "variables.a"}]),
    policy(matchConditions=[CONDITION, {**CONDITION, "name": "b"}]), policy(matchConditions=[]),
    rule(operations=["CREATE", "UPDATE", "CONNECT"]), rule(operations=["*"]),
    rule(resources=["pods", "pods/status", "*/scale"]), rule(resources=["*/*"]),
    rule(resourceNames=["a", "b"]), rule(scope="Namespaced"), rule(scope="*"), rule(scope="Cluster"),
    rule(apiGroups=["*"], apiVersions=["*"]), rule(apiGroups=["", "apps"]),
    matching(matchPolicy="Exact"), matching(matchPolicy="Equivalent"),
    matching(objectSelector=SELECTOR, namespaceSelector={}),
    matching(excludeResourceRules=[RULE, {**RULE, "operations": ["DELETE"]}]),
    binding(), named(name="a"), named(name="a", namespace="b", parameterNotFoundAction="Allow"),
    named(selector={}), named(selector=SELECTOR, parameterNotFoundAction="Deny"),
    binding(matchResources={}), binding(matchResources={"resourceRules": []}),
    binding(matchResources={"resourceRules": [{**RULE, "operations": ["DELETE"]}]}),
    binding(matchResources={"namespaceSelector": SELECTOR, "matchPolicy": "Exact"}),
]  # fmt: skip
# Both refuse it.
REFUSED = [
    policy(mutations=REMOVED), policy(mutations=[]), policy(mutations={}),
    policy(mutations=[{"patchType": "Merge"}]), policy(mutations=[{**APPLY, "patchType": REMOVED}]),
    policy(mutations=[{"patchType": "JSONPatch", "jsonPatch": {}}]),
    policy(mutations=[{"patchType": "JSONPatch", "jsonPatch": {"expression": ""}}]),
    policy(mutations=[{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": 5}}]),
    policy(reinvocationPolicy=REMOVED), policy(reinvocationPolicy="Always"),
    policy(reinvocationPolicy=""), policy(failurePolicy="ignore"), policy(failurePolicy=5),
    policy(paramKind={"kind": "ConfigMap"}), policy(paramKind={"apiVersion": "v1"}),
    policy(paramKind={"apiVersion": "v1", "kind": ""}), policy(paramKind="ConfigMap"),
    policy(variables=[{"name": "a"}]), policy(variables=[{"expression": "1"}]),
    policy(variables=[{"name": "", "expression": "1"}]), policy(variables={}),
    policy(matchConditions=[{"name": "a"}]), policy(matchConditions=[{"expression": "true"}]),
    policy(matchConditions=[{**CONDITION, "name": f"a{i}"} for i in range(65)]),
    policy(matchConstraints=REMOVED), policy(matchConstraints={}),
    policy(matchConstraints={"resourceRules": []}), policy(matchConstraints=[]),
    *[rule(**{key: REMOVED}) for key in RULE], *[rule(**{key: []}) for key in RULE],
    rule(operations=["DELETE"]), rule(operations=["create"]), rule(apiVersions=[""]),
    rule(resources=[""]), rule(resources="pods"), rule(scope="namespaced"), rule(resourceNames="a"),
    matching(matchPolicy="equivalent"), matching(objectSelector=[]),
    matching(namespaceSelector={"matchExpressions": [{"key": "a"}]}),
    matching(excludeResourceRules=[{}]),
    {**policy(), "spec": None}, {**policy(), "spec": []},
    binding(policyName=REMOVED), binding(policyName=""), binding(policyName=5),
    binding(paramRef=[]), named(name=5), named(name="a", parameterNotFoundAction="Ignore"),
    named(selector={"matchLabels": []}), binding(matchResources=[]),
    binding(matchResources={"resourceRules": [{}]}), {**binding(), "spec": None},
]  # fmt: skip
# What only the program can tell.
FAULTY = [
    policy(mutations=[{"patchType": "JSONPatch"}]), policy(mutations=[{**APPLY, **PATCH}]),
    policy(mutations=[{**APPLY, "applyConfiguration": {"expression": "1"}}]),
    policy(mutations=[{**APPLY, "applyConfiguration": {"expression": "Object{"}}]),
    policy(matchConditions=[{"name": "a", "expression": "1"}]),
    policy(variables=[{"name": "1", "expression": "1"}]), rule(operations=["*", "CREATE"]),
    rule(resources=["*", "pods"]), rule(resourceNames=["a", "a"]), named(), named(name="a/b"),
    named(name="a", selector={}), binding(policyName="A b"),
    matching(objectSelector={"matchExpressions": [{"key": "a", "operator": "Is"}]}),
]  # fmt: skip


def strip(value):
    """Without what is REMOVED, below the fields of `spec` as well."""
    if isinstance(value, dict):
        return {key: strip(one) for key, one in value.items() if one is not REMOVED}
    return [strip(one) for one in value] if isinstance(value, list) else value


def schema_of(item):
    return definition.schema_of(chart.definitions()[KINDS[item["kind"]]])


@pytest.mark.parametrize("item", [*TAKEN, *FAULTY], ids=str)
def test_takes(item):
    assert definition.faults(schema_of(item), item) == []
    assert list(definition.dropped(schema_of(item), item)) == []


@pytest.mark.parametrize("item", [strip(one) for one in REFUSED], ids=str)
def test_refuses(item):
    assert definition.faults(schema_of(item), item) != []


def test_conditions_are_a_map():
    """So two of one name are refused, and server-side apply merges them by name."""
    conditions = schema_of(policy())["properties"]["spec"]["properties"]["matchConditions"]
    assert conditions["x-kubernetes-list-type"] == "map"
    assert conditions["x-kubernetes-list-map-keys"] == ["name"]
    assert conditions["maxItems"] == 64


def test_defaults():
    """Those of API servers."""
    match = {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}
    filled = definition.defaulted(schema_of(policy()), policy())
    assert filled["spec"] == {
        **policy()["spec"], "failurePolicy": "Fail",
        "matchConstraints": {**match, "resourceRules": [{**RULE, "scope": "*"}]},
    }  # fmt: skip
    item = binding(paramRef={"name": "a"}, matchResources={})
    filled = definition.defaulted(schema_of(item), item)
    assert filled["spec"] == {
        "policyName": "p", "matchResources": match,
        "paramRef": {"name": "a", "parameterNotFoundAction": "Deny"},
    }  # fmt: skip


def test_names_and_columns():
    for kind, name in KINDS.items():
        spec = chart.definitions()[name]["spec"]
        assert spec["names"]["singular"] == "fixpoint" + kind.lower()
        assert ("mutators" in spec["names"]["categories"]) == (kind == "MutatingAdmissionPolicy")
        # Any name that an API server takes.
        assert "properties" not in definition.schema_of(chart.definitions()[name])["properties"]["metadata"]

    def columns(name):
        (version,) = chart.definitions()[name]["spec"]["versions"]
        return [one["name"] for one in version["additionalPrinterColumns"] if "priority" not in one]

    assert [columns(name) for name in KINDS.values()] == [
        ["Mutations", "ParamKind", "Failure", "Age"], ["Policy", "Param", "Age"],
    ]  # fmt: skip


# ---- and the program --------------------------------------------------------------------


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """What is wrong with this policy, as the program under test says; "" if nothing is."""
    program = os.environ.get("FIXPOINT")
    if not program:
        pytest.skip("no FIXPOINT to ask")
    path = tmp_path_factory.mktemp("policies") / "policy.json"

    def ask(item):
        path.write_text(json.dumps(item), encoding="utf-8")
        done = subprocess.run([program, "check", "-p", path], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1, 3), done.stderr
        return done.stderr + done.stdout if done.returncode == 3 else ""

    return ask


def test_program_agrees_with_the_definition(check):
    """Whichever of the two a policy meets first: in a cluster the definition, in a file the
    program alone."""
    assert {str(item): check(item) for item in TAKEN if check(item)} == {}
    assert [item for item in [*map(strip, REFUSED), *FAULTY] if not check(item)] == []


def test_program_takes_the_defaults(check):
    for item in TAKEN:
        assert check(definition.defaulted(schema_of(item), item)) == ""


def fields(schema):
    """The fields below `spec`, but for those of selectors."""
    for name, child in schema.get("properties", {}).items():
        yield name
        if not name.lower().endswith("selector"):
            yield from fields(child)
    if "items" in schema:
        yield from fields(schema["items"])


def test_fields_are_those_of_the_program():
    """What the program does not know it warns of; what the definition does not is dropped."""
    folder = chart.ROOT / "mutators" / "admission_policy"
    text = "".join(
        (folder / f"{name}_read.c").read_text(encoding="utf-8")
        for name in ("binding", "match", "policy")  # the others read Kyverno's kinds
    )
    read = set()
    for body in re.findall(r"\bknown\[\] = \{(.*?)\};", text, re.S):
        read |= set(re.findall(r'"(\w+)"', body))
    schemas = [definition.schema_of(chart.definitions()[name]) for name in KINDS.values()]
    known = {name for schema in schemas for name in schema["properties"]}
    for schema in schemas:
        known |= set(fields(schema["properties"]["spec"]))
    assert known == read


# ---- what comes with them ---------------------------------------------------------------


def by_name(objects):
    return {(one["kind"], one["metadata"]["name"]): one for one in objects}


def test_default_knows_nothing_of_them():
    for words in ("admission_policy", "policies.fixpoint.dev", "subjectaccessreviews", "mutatingadmission"):
        assert words not in str(chart.default()), words
        assert words not in str(chart.with_modrules()), words


def test_what_they_add():
    """Definitions; and what is there is the same but in these objects."""
    before, after = by_name(chart.default()), by_name(chart.with_admission())
    assert set(after) - set(before) == {("CustomResourceDefinition", name) for name in KINDS.values()}
    assert set(before) <= set(after)
    assert {key for key, one in before.items() if one != after[key]} == {
        ("Deployment", "fixpoint"), ("ClusterRole", "fixpoint"),
        ("ValidatingWebhookConfiguration", "gatekeeper-validating-webhook-configuration"),
        ("MutatingWebhookConfiguration", "gatekeeper-mutating-webhook-configuration"),
    }  # fmt: skip


def test_flags():
    def apis(**values):
        (flag,) = [one for one in chart.render({"apis": values}).flags if one.startswith("--apis=")]
        return flag.removeprefix("--apis=")

    on, off = {"enabled": True}, {"enabled": False}
    assert apis(admissionPolicy=on) == "gatekeeper,admission_policy"
    assert apis(admissionPolicy=on, gatekeeper=off) == "admission_policy"
    assert apis(admissionPolicy=on, kubemod=on) == "gatekeeper,kubemod,admission_policy"
    native = {**on, "native": True}
    assert apis(admissionPolicy=native) == "gatekeeper,admission_policy,admissionregistration.k8s.io"
    for values, wanted in (
        ({**native, "nativePolicies": "run"}, ["--native-policies=run"]),
        ({**native, "nativePolicies": "leave"}, ["--native-policies=leave"]),
        (native, []),
        ({**on, "nativePolicies": "run"}, []),
    ):
        flags = chart.render({"apis": {"admissionPolicy": values}}).flags
        assert [one for one in flags if "native" in one] == wanted


def test_they_are_validated():
    """Those of our own group; API servers validate their own."""

    def groups(values):
        policies, _ = chart.render(values).one("ValidatingWebhookConfiguration")["webhooks"]
        return policies["rules"][0]["apiGroups"]

    native = {"apis": {"admissionPolicy": {"enabled": True, "native": True}}}
    assert groups(chart.ADMISSION) == [*groups(None), GROUP] == groups(native)
    alone = {"apis": {"gatekeeper": {"enabled": False}, **chart.ADMISSION["apis"]}}
    assert groups(alone) == [GROUP]


@pytest.mark.parametrize(("annotations", "is_rendered"), [(None, False), (test_objects.ours(), True)])
def test_definitions_of_others_are_left_alone(annotations, is_rendered):
    lookup = [test_objects.installed(name, annotations) for name in KINDS.values()]
    found = chart.definitions(chart.render(chart.ADMISSION, lookup=lookup))
    notes = chart.render_text(chart.ADMISSION, args=["--notes", "--lookup", test_objects.write(lookup)])
    for name in KINDS.values():
        assert (name in found) == is_rendered
        assert (f"\n  {name}\n" in notes) != is_rendered


def test_notes(check):
    values = {"apis": {"gatekeeper": {"enabled": False}, "admissionPolicy": {"enabled": True, "native": True}}}
    notes = chart.render_text(values, args=["--notes"])
    for words in (
        "kubectl get mutators -o wide",
        "kubectl delete fixpointmutatingadmissionpolicies NAME",
        "unless the API server\nruns them itself",
        "apis.admissionPolicy.paramRules is empty",
    ):
        assert words in notes
    assert "delete assign" not in notes and "modrule" not in notes.lower()
    policies = re.search(r"<<'END'\n(.*?)\n  END", notes, re.S).group(1)
    items = chart.load_all(policies.replace("\n  ", "\n").removeprefix("  "))
    assert [item["kind"] for item in items] == list(KINDS)
    for item in items:
        assert definition.faults(schema_of(item), item) == []
        assert list(definition.dropped(schema_of(item), item)) == []
        assert check(item) == ""
    for how, words in (("run", "each of them runs twice"), ("leave", "to the API server.")):
        values = {"enabled": True, "native": True, "nativePolicies": how}
        assert words in chart.render_text({"apis": {"admissionPolicy": values}}, args=["--notes"])
    notes = chart.render_text(chart.ADMISSION, args=["--notes"])
    assert "admissionregistration" not in notes and "kubectl delete assign NAME" in notes
    assert "admissionpolic" not in chart.render_text(args=["--notes"]).lower()
