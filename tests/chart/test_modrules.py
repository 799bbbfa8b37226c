# SPDX-License-Identifier: Apache-2.0
"""ModRules: their definition, which says of them what the program says, and what else they
bring; their webhooks are in test_webhooks.py, their permissions in test_rbac.py."""

import json
import os
import re
import subprocess

import pytest

import chart
import definition
import test_objects

RULE_DEFINITION = "modrules.api.kubemod.io"

# ---- the definition ---------------------------------------------------------------------

MATCH = [{"select": "$.kind"}]
ADD = {"op": "add", "path": "/x", "value": "1"}


def rule(**spec):
    """A rule with these fields; those that are None are not there."""
    given = {"type": "Patch", "match": MATCH, "patch": [ADD], **spec}
    return {
        "apiVersion": "api.kubemod.io/v1beta1", "kind": "ModRule",
        "metadata": {"name": "a", "namespace": "b"},
        "spec": {key: value for key, value in given.items() if value is not None},
    }  # fmt: skip


def matching(**item):
    return rule(match=[{"select": "$.kind", **item}])


def patching(**operation):
    return rule(patch=[{**ADD, **operation}])


def rejecting(**spec):
    return rule(type="Reject", patch=None, **spec)


# Definition and program take it.
RULES = [
    rule(), rule(executionTier=-32767), rule(executionTier=32766), rule(executionTier=0),
    rule(admissionOperations=[]), rule(admissionOperations=["CREATE"]),
    rejecting(), rejecting(admissionOperations=["CREATE", "UPDATE", "DELETE"]),
    rejecting(rejectMessage="no {{ .Target.kind }}"), rejecting(rejectMessage=""),
    rule(targetNamespaceRegex=""), rule(targetNamespaceRegex="^a|b$"),
    matching(matchFor="Any"), matching(matchFor="All"), matching(matchValue=""),
    matching(matchValues=[]), matching(matchValues=["a", ""]), matching(matchRegex="^a"),
    matching(negate=True), matching(negate=False),
    rule(match=MATCH * 3), rule(patch=[ADD, {"op": "remove", "path": "/y"}]),
    patching(op="replace"), patching(value=""), patching(select="$.spec.containers[*]"),
    rule(type="Reject", patch=[]),
]  # fmt: skip
# A null is as good as nothing.
NULLS = [
    matching(matchValue=None, matchRegex=None), patching(select=None, value=None),
    {**rejecting(), "spec": {**rejecting()["spec"], "rejectMessage": None,
                             "targetNamespaceRegex": None}},
]  # fmt: skip
# The definition refuses it, and so does the program, of a definition that is KubeMod's.
NO_RULES = [
    rule(type=None), rule(type="patch"), rule(type=5), rule(match=None), rule(match=[]),
    rule(match={}), rule(match=["x"]), rule(match=[{}]), rule(match=[{"select": ""}]),
    rule(match=[{"select": 5}]), rule(executionTier=-32768), rule(executionTier=32767),
    rule(executionTier=1.5), rule(executionTier="1"), rule(admissionOperations=["CONNECT"]),
    rule(admissionOperations=["create"]), rule(admissionOperations="CREATE"),
    matching(matchFor="None"), matching(matchValue=5), matching(matchValues="a"),
    matching(matchValues=[5]), matching(matchRegex=5), matching(negate="true"),
    rule(patch=[{"op": "move", "path": "/x"}]), rule(patch=[{"op": "add"}]),
    rule(patch=[{"path": "/x"}]), rule(patch=["x"]), rule(patch={}), patching(path=5),
    patching(value=5), patching(value={"a": 1}), patching(select=""), patching(select=5),
    rejecting(rejectMessage=5), rule(targetNamespaceRegex=5), {**rule(), "spec": None},
    {**rule(), "spec": []},
]  # fmt: skip
# What only the program can tell.
FAULTY_RULES = [
    rule(patch=None), rule(patch=[]), rejecting(match=[{"select": "$.a["}]),
    rule(rejectMessage="x"), rule(targetNamespaceRegex="("), matching(matchRegex="("),
    patching(value="{{"), patching(select="$.a == 1"), rule(admissionOperations=["DELETE"]),
    {**rejecting(), "spec": {**rejecting()["spec"], "patch": [ADD]}},
]  # fmt: skip


def schema_of_modrules():
    return definition.schema_of(chart.definitions()[RULE_DEFINITION])


@pytest.mark.parametrize("item", [*RULES, *NULLS, *FAULTY_RULES], ids=str)
def test_takes_rules(item):
    assert definition.faults(schema_of_modrules(), item) == []
    assert list(definition.dropped(schema_of_modrules(), item)) == []


@pytest.mark.parametrize("item", NO_RULES, ids=str)
def test_refuses_what_is_no_rule(item):
    assert definition.faults(schema_of_modrules(), item) != []


def test_what_is_nullable():
    """As in KubeMod's definition (spec section 1); of anything else an API server makes its
    default, or nothing."""
    spec = schema_of_modrules()["properties"]["spec"]["properties"]
    levels = {"": spec, "match": spec["match"]["items"]["properties"],
              "patch": spec["patch"]["items"]["properties"]}  # fmt: skip
    assert {
        (level, name) for level, fields in levels.items() for name, one in fields.items()
        if one.get("nullable")
    } == {
        ("", "rejectMessage"), ("", "targetNamespaceRegex"), ("match", "matchValue"),
        ("match", "matchRegex"), ("patch", "select"), ("patch", "value"),
    }  # fmt: skip


def test_defaults_of_rules():
    filled = definition.defaulted(schema_of_modrules(), rule())
    assert filled["spec"] == {
        **rule()["spec"], "executionTier": 0, "admissionOperations": ["CREATE", "UPDATE"],
        "match": [{"select": "$.kind", "matchFor": "Any"}],
    }  # fmt: skip


def test_names_and_columns_of_rules():
    spec = chart.definitions()[RULE_DEFINITION]["spec"]
    assert spec["names"] == {
        "kind": "ModRule", "listKind": "ModRuleList", "plural": "modrules", "singular": "modrule",
        "categories": ["fixpoint", "mutators"],
    }  # fmt: skip
    (version,) = spec["versions"]
    columns = version["additionalPrinterColumns"]
    assert [one["name"] for one in columns if "priority" not in one] == ["Type", "Tier", "Ready", "Age"]
    # Any name that KubeMod takes.
    assert "properties" not in schema_of_modrules()["properties"]["metadata"]


def test_conditions_of_rules():
    """Those of metav1.Condition."""
    status = schema_of_modrules()["properties"]["status"]
    assert set(status["properties"]) == {"byPod", "conditions"}
    conditions = status["properties"]["conditions"]
    assert conditions["x-kubernetes-list-type"] == "map"
    assert conditions["x-kubernetes-list-map-keys"] == ["type"]
    ready = {
        "type": "Ready", "status": "True", "reason": "Accepted", "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1,
    }  # fmt: skip
    assert set(conditions["items"]["properties"]) == set(ready)
    entry = {"id": "p", "mutatorUID": "u", "observedGeneration": 1, "enforced": True,
             "operations": [], "errors": [{"message": "m"}]}  # fmt: skip
    whole = {**rule(), "status": {"byPod": [entry], "conditions": [ready]}}
    assert definition.faults(schema_of_modrules(), whole) == []
    assert list(definition.dropped(schema_of_modrules(), whole)) == []
    for wrong in ({"status": "true"}, {"reason": ""}, {"reason": "not one word"}):
        item = {**whole, "status": {"conditions": [{**ready, **wrong}]}}
        assert definition.faults(schema_of_modrules(), item) != []
    for field in set(ready) - {"observedGeneration"}:
        less = {key: value for key, value in ready.items() if key != field}
        assert definition.faults(schema_of_modrules(), {**rule(), "status": {"conditions": [less]}}) != []


# ---- and the program --------------------------------------------------------------------

KUBEMOD = chart.ROOT / "mutators" / "kubemod"


def words_of_sources(name):
    """The words of a list of fields in the sources: `static const char *const NAME[]`."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(KUBEMOD.glob("rule*.c")))
    (body,) = re.findall(rf"\b{name}\[\] = \{{(.*?)\}};", text, re.S)
    return set(re.findall(r'"(\w+)"', body))


def test_fields_of_rules_are_those_of_the_program():
    """What the program does not know it warns of; what the definition does not is dropped."""
    schema = schema_of_modrules()
    spec = schema["properties"]["spec"]["properties"]
    for name, properties in (
        ("root_fields", schema["properties"]),
        ("spec_fields", spec),
        ("item_fields", spec["match"]["items"]["properties"]),
        ("operation_fields", spec["patch"]["items"]["properties"]),
    ):
        assert set(properties) == words_of_sources(name), name


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """Does the program under test take this rule, from a file?"""
    program = os.environ.get("FIXPOINT")
    if not program:
        pytest.skip("no FIXPOINT to ask")
    path = tmp_path_factory.mktemp("rules") / "rule.json"

    def ask(item):
        path.write_text(json.dumps(item), encoding="utf-8")
        done = subprocess.run([program, "check", "-p", path], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1, 3), done.stderr
        return done.returncode != 3

    return ask


def test_program_agrees_with_the_definition(check):
    """Whichever of the two a rule meets first: in a cluster the definition, in a file, or under
    a definition of KubeMod's, the program alone."""
    assert [item for item in [*RULES, *NULLS] if not check(item)] == []
    assert [item for item in [*NO_RULES, *FAULTY_RULES] if check(item)] == []


def test_program_takes_the_defaults(check):
    """A rule that the definition has filled in is one as well."""
    for item in [*RULES, *NULLS]:
        assert check(definition.defaulted(schema_of_modrules(), item))


# ---- what comes with them ---------------------------------------------------------------


@pytest.mark.parametrize(("annotations", "is_rendered"), [(None, False), (test_objects.ours(), True)])
def test_kubemods_definition_is_left_alone(annotations, is_rendered):
    """Until somebody makes it ours; with its objects in it, as no definition is ever deleted."""
    lookup = [test_objects.installed(RULE_DEFINITION, annotations)]
    found = chart.definitions(chart.render(chart.MODRULES, lookup=lookup))
    assert (RULE_DEFINITION in found) == is_rendered
    notes = chart.render_text(chart.MODRULES, args=["--notes", "--lookup", test_objects.write(lookup)])
    assert ("has no status" in notes) != is_rendered
    assert (f"\n  {RULE_DEFINITION}\n" in notes) != is_rendered
    # Who does not read ModRules is not bothered with it.
    assert RULE_DEFINITION not in chart.render_text(args=["--notes", "--lookup", test_objects.write(lookup)])


def test_not_beside_kubemods_webhooks():
    """Each rule would act twice."""
    theirs = {
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "kubemod-mutating-webhook-configuration"},
    }  # fmt: skip
    with pytest.raises(chart.RenderError, match="each ModRule would act twice"):
        chart.render(chart.MODRULES, lookup=[theirs])
    assert chart.render(lookup=[theirs]) == chart.default()
    in_place = {
        **chart.MODRULES, "mutatingWebhookName": theirs["metadata"]["name"],
        "webhookConfigurations": {"create": False},
    }  # fmt: skip
    assert chart.render(in_place, lookup=[theirs]).of("MutatingWebhookConfiguration") == []


def test_notes_of_modrules():
    values = {"apis": {"gatekeeper": {"enabled": False}, "kubemod": {"enabled": True}},
              "web": {"enabled": True}}  # fmt: skip
    notes = chart.render_text(values, args=["--notes"])
    for words in (
        "kubectl -n kubemod-system get modrules",
        "kubectl get modrules -A -o wide",
        "kubectl -n NAMESPACE delete modrule NAME",
        "kubectl label namespace NAME admission.kubemod.io/ignore=true",
        "port-forward service/fixpoint-web 8081",
    ):
        assert words in notes
    assert "delete assign" not in notes and "get mutators" not in notes
    policy = re.search(r"<<'END'\n(.*?)\n  END", notes, re.S).group(1)
    (item,) = chart.load_all(policy)
    schema = definition.schema_of(chart.definitions()[RULE_DEFINITION])
    assert definition.faults(schema, item) == [] and list(definition.dropped(schema, item)) == []
    assert "modrule" not in chart.render_text(args=["--notes"]).lower()
    every_pod = "may patch every Pod of the cluster"
    assert every_pod in notes
    for limited in ({"namespaces": ["shop"]}, {"enabled": False}):
        limited = {"apis": {"kubemod": {"enabled": True, "nodeRefs": limited}}}
        assert every_pod not in chart.render_text(limited, args=["--notes"])
    both = chart.render_text({**chart.MODRULES, "mutatingWebhookFailurePolicy": "Fail"}, args=["--notes"])
    assert "kubectl delete assign NAME" in both and "can write or delete objects in" in both


def named(objects):
    return {(one["kind"], one["metadata"]["name"]): one for one in objects}


def test_default_knows_nothing_of_modrules():
    """Who has Gatekeeper's mutators alone sees nothing of them, and is not asked about more."""
    assert "--apis=gatekeeper" in chart.default().flags
    assert not any("modrules" in flag or "web-listen" in flag for flag in chart.default().flags)
    for words in ("kubemod", "modrule", "podbinding", "DELETE"):
        assert words not in str(chart.default()), words


def test_what_modrules_add():
    """A definition; and what is there is the same but in these objects, whose tests have them
    to the letter."""
    before, after = named(chart.default()), named(chart.with_modrules())
    assert set(after) - set(before) == {("CustomResourceDefinition", RULE_DEFINITION)}
    assert set(before) <= set(after)
    assert {key for key, one in before.items() if one != after[key]} == {
        ("Deployment", "fixpoint"), ("ClusterRole", "fixpoint"),
        ("MutatingWebhookConfiguration", "gatekeeper-mutating-webhook-configuration"),
        ("ValidatingWebhookConfiguration", "gatekeeper-validating-webhook-configuration"),
    }  # fmt: skip
    changed = chart.render(chart.MODRULES)
    changed.container["args"] = [
        flag.replace("=gatekeeper,kubemod", "=gatekeeper") for flag in changed.container["args"]
        if flag not in ("--cluster-modrules-namespace=kubemod-system", "--namespace-share=25")
    ]  # fmt: skip
    assert changed.deployment == chart.default().deployment


def test_flags_of_modrules():
    assert set(chart.render(chart.MODRULES).flags) >= {
        "--apis=gatekeeper,kubemod", "--cluster-modrules-namespace=kubemod-system",
        "--namespace-share=25",
    }  # fmt: skip
    values, arguments = test_objects.MATRIX["modrules-alone"]
    assert set(chart.render(values, **arguments).flags) >= {
        "--apis=kubemod", "--cluster-modrules-namespace=rules",
    }  # fmt: skip


# ---- the dry run ------------------------------------------------------------------------


def test_dry_runs_are_off():
    assert "web" not in {port["name"] for port in chart.default().container["ports"]}
    assert ("Service", "fixpoint-web") not in named(chart.default())


def test_dry_runs():
    values, arguments = test_objects.MATRIX["dry-runs"]
    objects = chart.render({**values, "web": {"enabled": True, "port": 9000}}, **arguments)
    assert "--web-listen=:9000" in objects.flags
    assert {"name": "web", "containerPort": 9000, "protocol": "TCP"} in objects.container["ports"]
    service = objects.one("Service", "fixpoint-web")["spec"]
    # Only from within: whoever reaches it may ask.
    assert service["type"] == "ClusterIP"
    assert service["ports"] == [{"name": "web", "port": 9000, "targetPort": "web", "protocol": "TCP"}]
    others, own = objects.one("NetworkPolicy")["spec"]["ingress"]
    assert [port["port"] for port in others["ports"]] == ["webhook", "health"] and "from" not in others
    assert own == {"ports": [{"port": "web", "protocol": "TCP"}], "from": [{"podSelector": {}}]}
