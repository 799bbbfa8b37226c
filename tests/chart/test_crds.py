# SPDX-License-Identifier: Apache-2.0
"""The definitions: what they are, and what they take."""

import re

import pytest

import chart
import definition

THREE = ["v1", "v1beta1", "v1alpha1"]
GATEKEEPER = "mutations.gatekeeper.sh"
FIXPOINT = "mutations.fixpoint.dev"

# name: kind, scope, versions, the stored one first (spec sections 3.1, 7 and 10).
DEFINITIONS = {
    f"assign.{GATEKEEPER}": ("Assign", "Cluster", THREE),
    f"assignmetadata.{GATEKEEPER}": ("AssignMetadata", "Cluster", THREE),
    f"modifyset.{GATEKEEPER}": ("ModifySet", "Cluster", THREE),
    f"assignimage.{GATEKEEPER}": ("AssignImage", "Cluster", ["v1alpha1"]),
    "providers.externaldata.gatekeeper.sh": ("Provider", "Cluster", ["v1beta1", "v1alpha1"]),
    "configs.config.gatekeeper.sh": ("Config", "Namespaced", ["v1alpha1"]),
    "expansiontemplate.expansion.gatekeeper.sh": (
        "ExpansionTemplate", "Cluster", ["v1alpha1", "v1beta1"],
    ),
    f"fixpointassigns.{FIXPOINT}": ("Assign", "Cluster", ["v1alpha1"]),
    f"fixpointassignmetadata.{FIXPOINT}": ("AssignMetadata", "Cluster", ["v1alpha1"]),
    f"fixpointmodifysets.{FIXPOINT}": ("ModifySet", "Cluster", ["v1alpha1"]),
    f"fixpointassignimages.{FIXPOINT}": ("AssignImage", "Cluster", ["v1alpha1"]),
    f"fixpointremoves.{FIXPOINT}": ("Remove", "Cluster", ["v1alpha1"]),
    "modrules.api.kubemod.io": ("ModRule", "Namespaced", ["v1beta1"]),
    "fixpointmutatingadmissionpolicies.policies.fixpoint.dev": (
        "MutatingAdmissionPolicy", "Cluster", ["v1alpha1"],
    ),
    "fixpointmutatingadmissionpolicybindings.policies.fixpoint.dev": (
        "MutatingAdmissionPolicyBinding", "Cluster", ["v1alpha1"],
    ),
}  # fmt: skip
MODRULES = "modrules.api.kubemod.io"
POLICY, BINDING = (name for name in DEFINITIONS if ".policies." in name)
MUTATORS = [name for name in DEFINITIONS if ".mutations." in name or name in (MODRULES, POLICY)]


def test_there_are_these():
    found = {
        name: (
            one["spec"]["names"]["kind"],
            one["spec"]["scope"],
            [version["name"] for version in one["spec"]["versions"]],
        )
        for name, one in chart.definitions().items()
    }
    assert found == DEFINITIONS


@pytest.mark.parametrize(
    ("values", "gone"),
    [
        (None, (".kubemod.io", ".policies.fixpoint.dev")),
        (chart.MODRULES, ".policies.fixpoint.dev"),
        (chart.ADMISSION, ".kubemod.io"),
        ({**chart.ALL, "crds": {"kubemod": False}}, ".kubemod.io"),
        ({**chart.ALL, "crds": {"gatekeeper": False}}, ".gatekeeper.sh"),
        ({**chart.ALL, "crds": {"admissionPolicy": False}}, ".policies.fixpoint.dev"),
        ({"apis": {"gatekeeper": {"enabled": False}, "kubemod": {"enabled": True}}},
         (".gatekeeper.sh", ".fixpoint.dev")),
        ({"apis": {"gatekeeper": {"enabled": False}, **chart.ADMISSION["apis"]}},
         (".gatekeeper.sh", ".mutations.fixpoint.dev", ".kubemod.io")),
        ({**chart.ALL, "crds": {"install": False}}, ("",)),
    ],
    ids=str,
)
def test_only_what_is_asked_for_is_there(values, gone):
    found = set(chart.definitions(chart.render(values)))
    assert found == {name for name in DEFINITIONS if not name.endswith(gone)}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_form(name):
    one = chart.definitions()[name]
    spec = one["spec"]
    assert name == f"{spec['names']['plural']}.{spec['group']}"
    assert [version["storage"] for version in spec["versions"]].count(True) == 1
    assert spec["versions"][0]["storage"]
    assert "shortNames" not in spec["names"] and "conversion" not in spec
    for version in spec["versions"]:
        assert version["served"]
        assert version.get("subresources") == {"status": {}}
        assert version["additionalPrinterColumns"][-1]["name"] == "Age"
    assert one["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"


@pytest.mark.parametrize("name", DEFINITIONS)
def test_all_versions_are_the_same(name):
    first, *others = chart.definitions()[name]["spec"]["versions"]
    for other in others:
        assert other["schema"] == first["schema"], other["name"]
        assert other["additionalPrinterColumns"] == first["additionalPrinterColumns"]


@pytest.mark.parametrize("name", DEFINITIONS)
def test_schema_is_structural_and_described(name):
    schema = definition.schema_of(chart.definitions()[name])
    assert list(definition.structural_faults(schema)) == []
    assert list(definition.undescribed(schema)) == []
    assert schema["description"].endswith(".")


@pytest.mark.parametrize("name", DEFINITIONS)
def test_status_is_a_list_by_pod(name):
    schema = definition.schema_of(chart.definitions()[name])
    by_pod = schema["properties"]["status"]["properties"]["byPod"]
    assert by_pod["x-kubernetes-list-type"] == "map"
    assert by_pod["x-kubernetes-list-map-keys"] == ["id"]
    if name in MUTATORS:
        assert set(by_pod["items"]["properties"]) == {
            "id", "mutatorUID", "observedGeneration", "operations", "enforced", "errors",
        }  # fmt: skip
    if name == BINDING:
        assert set(by_pod["items"]["properties"]) == {
            "id", "mutatorUID", "observedGeneration", "operations", "enforced", "errors",
            "parametersFound", "parameters",
        }  # fmt: skip


def test_small_enough_for_kubectl_apply():
    # It keeps what it was given in an annotation, of at most 256 KiB.
    for name, one in chart.definitions().items():
        assert len(str(one)) < 128 << 10, name


# ---- what they take ---------------------------------------------------------------------


def policies_of_pages():
    """Every policy of the examples and of the pages, with where it stands."""
    for path in sorted((chart.ROOT / "examples").rglob("*.yaml")):
        yield str(path.relative_to(chart.ROOT)), path.read_text(encoding="utf-8")
    pages = [chart.ROOT / "README.md", *sorted((chart.ROOT / "docs").glob("*.md"))]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for i, block in enumerate(re.findall(r"^```yaml\n(.*?)^```", text, re.M | re.S)):
            yield f"{page.name}#{i}", block


def items_of(text):
    try:
        documents = chart.load_all(text)
    except chart.yaml.YAMLError:
        return
    for document in documents:
        if isinstance(document, dict) and document.get("kind") == "List":
            yield from document["items"]
        elif isinstance(document, dict):
            yield document


def known_policies():
    found = {}
    for where, text in policies_of_pages():
        for item in items_of(text):
            group, _, version = str(item.get("apiVersion")).partition("/")
            for name, (kind, _, versions) in DEFINITIONS.items():
                if name.endswith("." + group) and item.get("kind") == kind:
                    key = f"{where}:{kind}/{item['metadata']['name']}"
                    found[key] = (name, version if version in versions else None, item)
    return found


# On the pages to show what a warning or an error looks like.
NOT_FOR_A_CLUSTER = re.compile(
    r"reference\.md#0:AssignMetadata/owner|kubemod\.md#\d+:ModRule/wrong|.*/misspelt\.yaml:.*"
)
POLICIES = known_policies()
SHOWN_WRONG = {where for where in POLICIES if NOT_FOR_A_CLUSTER.fullmatch(where)}


def test_pages_have_policies():
    assert len(POLICIES) > 30
    shown = {name for name, _, _ in POLICIES.values()}
    assert set(MUTATORS) - shown <= {f"fixpointmodifysets.{FIXPOINT}", MODRULES}
    assert SHOWN_WRONG


@pytest.mark.parametrize("where", sorted(set(POLICIES) - SHOWN_WRONG))
def test_takes_what_is_documented(where):
    name, version, item = POLICIES[where]
    schema = definition.schema_of(chart.definitions()[name], version)
    assert definition.faults(schema, item) == []
    assert list(definition.dropped(schema, item)) == []


def assign(**spec):
    return {"metadata": {"name": "a"}, "spec": spec}


ANYTHING = ["x", "", 0, 1.5, True, False, [], [1, {"a": [None]}], {}, {"a": {"b": 1}}]

TAKEN = [
    *[("assign", assign(parameters={"assign": {"value": value}})) for value in ANYTHING],
    ("modifyset", assign(parameters={"values": {"fromList": ANYTHING}})),
    ("assign", assign(match={"scope": "anything"})),
    ("assign", assign(match={"namespaces": ["*", "a", "*-b", "c*", "*d*", ""]})),
    ("assign", assign(match={"labelSelector": {"matchLabels": {"a/b": "c"}}})),
    ("assign", assign(applyTo=[{"operations": ["CREATE", "UPDATE"]}])),
    ("assign", {"metadata": {"name": "a" * 63}, "spec": None}),
]

REFUSED = [
    ("assign", assign(location=3)),
    ("assign", assign(applyTo={})),
    ("assign", assign(applyTo=[{"operations": ["DELETE"]}])),
    ("assign", assign(applyTo=[{"groups": "apps"}])),
    ("assign", assign(match={"source": "None"})),
    ("assign", assign(match={"namespaces": ["A"]})),
    ("assign", assign(match={"namespaces": ["a*b"]})),
    ("assign", assign(match={"excludedNamespaces": ["a b"]})),
    ("assign", assign(match={"name": "a_b"})),
    ("assign", assign(match={"labelSelector": {"matchLabels": {"a": 1}}})),
    ("assign", assign(match={"labelSelector": {"matchExpressions": [{"key": "a"}]}})),
    ("assign", assign(parameters={"pathTests": [{"condition": "Exists"}]})),
    ("assign", assign(parameters={"assign": {"externalData": {}}})),
    ("assign", assign(parameters={"assign": {"externalData": {"provider": "a", "dataSource": "x"}}})),
    ("assign", assign(parameters={"assign": {"externalData": {"provider": "a", "failurePolicy": "x"}}})),
    ("assignmetadata", assign(parameters={"assign": {"fromMetadata": "name"}})),
    ("modifyset", assign(parameters={"operation": "add"})),
    ("modifyset", assign(parameters={"values": []})),
    ("assignimage", assign(parameters={"assignTag": 1.4})),
    ("assign", {"metadata": {"name": "a" * 64}}),
    ("assign", {"metadata": {"name": "a"}, "status": {"byPod": [{"enforced": True}]}}),
    ("assign", {"metadata": {"name": "a"}, "status": {"byPod": [{"id": "p", "errors": [{}]}]}}),
]

# The same in both groups.
GROUPS = [GATEKEEPER, FIXPOINT]


def plural_of(group, name):
    """`kubectl get assign` is to mean Gatekeeper's: the names of our own group are others."""
    ours = {
        "assign": "fixpointassigns",
        "assignimage": "fixpointassignimages",
        "assignmetadata": "fixpointassignmetadata",
        "modifyset": "fixpointmodifysets",
        "remove": "fixpointremoves",
    }
    return f"{ours[name] if group == FIXPOINT else name}.{group}"

OWN = [
    ("assign", assign(conditions=[{"location": "a", "operator": "In", "values": [1, "a", None]}]), True),
    ("assign", assign(conditions=[{"location": "a", "operator": "Is"}]), False),
    ("assign", assign(conditions=[{"operator": "Exists"}]), False),
    ("assign", assign(conditions=[{"location": "a"}]), False),
    ("assign", assign(conditions=[{"location": "a", "operator": "Exists"}] * 65), False),
    ("assign", assign(parameters={"assign": {"fromObject": "spec.a"}}), True),
    ("assign", assign(parameters={"assign": {"fromObject": {}}}), False),
    ("assign", assign(match={"annotationSelector": {"matchLabels": {"a": "b c"}}}), True),
    ("assignmetadata", assign(operations=["CREATE"]), True),
    ("assignmetadata", assign(operations=["DELETE"]), False),
    ("assignimage", assign(parameters={"onlyIf": {"tags": [""]}}), True),
    ("assignimage", assign(parameters={"onlyIf": {"tags": ""}}), False),
    ("remove", assign(location="spec.a", parameters={"pathTests": [{"condition": "MustExist"}]}), True),
]


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("case", TAKEN, ids=str)
def test_takes(group, case):
    schema = definition.schema_of(chart.definitions()[plural_of(group, case[0])])
    assert definition.faults(schema, case[1]) == []
    assert list(definition.dropped(schema, case[1])) == []


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_refuses(group, case):
    schema = definition.schema_of(chart.definitions()[plural_of(group, case[0])])
    assert definition.faults(schema, case[1]) != []


@pytest.mark.parametrize("case", OWN, ids=str)
def test_own_group(case):
    plural, item, fine = case
    schema = definition.schema_of(chart.definitions()[plural_of(FIXPOINT, plural)])
    assert (definition.faults(schema, item) == []) == fine
    assert list(definition.dropped(schema, item)) == []


@pytest.mark.parametrize("case", [case for case in OWN if case[2] and case[0] != "remove"], ids=str)
def test_further_fields_are_not_gatekeepers(case):
    schema = definition.schema_of(chart.definitions()[f"{case[0]}.{GATEKEEPER}"])
    assert list(definition.dropped(schema, case[1])) != []


def test_defaults():
    item = assign(parameters={"assign": {"externalData": {"provider": "a"}}})
    schema = definition.schema_of(chart.definitions()[f"assign.{GATEKEEPER}"])
    filled = definition.defaulted(schema, item)
    assert filled["spec"]["parameters"]["assign"]["externalData"] == {
        "provider": "a", "dataSource": "ValueAtLocation", "failurePolicy": "Fail",
    }  # fmt: skip
    schema = definition.schema_of(chart.definitions()[f"modifyset.{GATEKEEPER}"])
    assert definition.defaulted(schema, assign(parameters={}))["spec"]["parameters"] == {
        "operation": "merge"
    }


# ---- and the program --------------------------------------------------------------------

SHAPES = chart.ROOT / "mutators" / "gatekeeper"


def fields_of_sources():
    """The rows of the tables of fields: FIELD("kinds"), {"fromList", FIELD_LIST, …}."""
    files = [*sorted(SHAPES.glob("*.c")), SHAPES / "shape.h"]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    return set(re.findall(r'\bFIELD(?:_TEXT|_STRUCT)?\("(\w+)"|\{\s*\\?\s*"(\w+)",\s*FIELD_', text))


def fields_of_schema(schema):
    for name, child in schema.get("properties", {}).items():
        yield name
        yield from fields_of_schema(child)
    if "items" in schema:
        yield from fields_of_schema(schema["items"])


# Of Config; the program takes whatever stands in `sync`, `validation` and `readiness`.
GATEKEEPERS_ALONE = {"syncOnly", "traces", "user", "dump", "statsEnabled"}


def test_fields_are_those_of_the_program():
    read = {name for names in fields_of_sources() for name in names if name}
    known = set()
    for name, one in chart.definitions().items():
        if name in (MODRULES, POLICY, BINDING):
            continue
        schema = dict(definition.schema_of(one)["properties"])
        known |= set(schema) | {"name", "namespace", "generation"}  # of `metadata`
        known |= set(fields_of_schema(schema["spec"]))
    assert known - GATEKEEPERS_ALONE == read
