# SPDX-License-Identifier: Apache-2.0
"""CustomResourceDefinitions for scenarios: the kinds Fixpoint reads, with as much of their
schemas as a scenario can feel. (The chart has the whole ones.)"""

STRING = {"type": "string"}
STRINGS = {"type": "array", "items": STRING}
ANYTHING = {"x-kubernetes-preserve-unknown-fields": True}
LABEL_SELECTOR = {
    "type": "object",
    "x-kubernetes-map-type": "atomic",
    "properties": {
        "matchLabels": {"type": "object", "additionalProperties": STRING},
        "matchExpressions": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["key", "operator"],
                "properties": {"key": STRING, "operator": STRING, "values": STRINGS},
            },
        },
    },
}


def _object(**properties):
    return {"type": "object", "properties": properties}


def _list(item):
    return {"type": "array", "items": item}


EXTERNAL_DATA = _object(
    provider=STRING,
    dataSource={"type": "string", "enum": ["ValueAtLocation", "Username"]},
    default=STRING,
    failurePolicy={"type": "string", "enum": ["UseDefault", "Ignore", "Fail"]},
)
APPLY_TO = _list(_object(groups=STRINGS, kinds=STRINGS, versions=STRINGS, operations=STRINGS))
MATCH = _object(
    kinds=_list(_object(apiGroups=STRINGS, kinds=STRINGS)),
    scope=STRING,
    namespaces=STRINGS,
    excludedNamespaces=STRINGS,
    labelSelector=LABEL_SELECTOR,
    namespaceSelector=LABEL_SELECTOR,
    name=STRING,
    source={"type": "string", "enum": ["All", "Generated", "Original"]},
)
PATH_TESTS = _list(
    _object(condition={"type": "string", "enum": ["MustExist", "MustNotExist"]}, subPath=STRING)
)
VALUE = _object(
    value=ANYTHING,
    externalData=EXTERNAL_DATA,
    fromMetadata=_object(field={"type": "string", "enum": ["namespace", "name"]}),
)
PARAMETERS = {
    "Assign": _object(assign=VALUE, pathTests=PATH_TESTS),
    "AssignMetadata": _object(assign=VALUE),
    "ModifySet": _object(
        operation={"type": "string", "enum": ["merge", "prune"]},
        pathTests=PATH_TESTS,
        values={"type": "object", "properties": {"fromList": _list(ANYTHING)}},
    ),
    "AssignImage": _object(
        assignDomain=STRING, assignPath=STRING, assignTag=STRING, pathTests=PATH_TESTS
    ),
    "Remove": _object(pathTests=PATH_TESTS),
}


def _status(keyed):
    """status.byPod: atomic as in Gatekeeper's definitions, or a list keyed by `id`."""
    entry = _object(
        id=STRING,
        mutatorUID=STRING,
        operations=STRINGS,
        observedGeneration={"type": "integer", "format": "int64"},
        enforced={"type": "boolean"},
        errors=_list(
            {
                "type": "object",
                "required": ["message"],
                "properties": {"type": STRING, "message": STRING},
            }
        ),
    )
    by_pod = _list(entry)
    if keyed:
        entry["required"] = ["id"]
        by_pod.update({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"]})
    return _object(byPod=by_pod)


def definition(group, kind, versions, spec, plural=None, status=None, scope="Cluster"):
    """A definition; the first version is the one that is stored."""
    plural = plural or kind.lower()
    schema = _object(apiVersion=STRING, kind=STRING, metadata={"type": "object"}, spec=spec)
    if status:
        schema["properties"]["status"] = status
    served = []
    for version in versions:
        one = {"name": version, "served": True, "storage": version == versions[0]}
        one["schema"] = {"openAPIV3Schema": schema}
        if status:
            one["subresources"] = {"status": {}}
        served.append(one)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "%s.%s" % (plural, group)},
        "spec": {
            "group": group,
            "names": {"kind": kind, "listKind": kind + "List", "plural": plural},
            "scope": scope,
            "versions": served,
        },
    }


def _mutator(group, kind, versions, keyed, plural=None):
    spec = _object(location=STRING, match=MATCH, parameters=PARAMETERS[kind])
    if kind != "AssignMetadata":
        spec["properties"]["applyTo"] = APPLY_TO
    made = definition(group, kind, versions, spec, plural=plural, status=_status(keyed))
    for one in made["spec"]["versions"]:
        metadata = one["schema"]["openAPIV3Schema"]["properties"]["metadata"]
        metadata["properties"] = {"name": {"type": "string", "maxLength": 63}}
    return made


def mutators(keyed=False):
    """Gatekeeper's mutators. `keyed`: byPod is a list keyed by `id`, as in our definitions."""
    group, versions = "mutations.gatekeeper.sh", ["v1", "v1beta1", "v1alpha1"]
    made = [
        _mutator(group, kind, versions, keyed)
        for kind in ("Assign", "AssignMetadata", "ModifySet")
    ]
    return made + [_mutator(group, "AssignImage", ["v1alpha1"], keyed)]


def fixpoint():
    """The mutators of our own group."""
    group, made = "mutations.fixpoint.dev", []
    for kind in PARAMETERS:
        plural = "fixpoint" + kind.lower()
        if not plural.endswith("metadata"):
            plural += "s"
        made.append(_mutator(group, kind, ["v1alpha1"], True, plural))
    return made


def provider():
    spec = _object(
        url=STRING,
        timeout={"type": "integer"},
        caBundle=STRING,
        cacheTTLSeconds={"type": "integer"},
    )
    group = "externaldata.gatekeeper.sh"
    return definition(group, "Provider", ["v1beta1", "v1alpha1"], spec, plural="providers")


def config():
    spec = _object(
        match=_list(_object(excludedNamespaces=STRINGS, processes=STRINGS)), sync=ANYTHING
    )
    group = "config.gatekeeper.sh"
    return definition(group, "Config", ["v1alpha1"], spec, plural="configs", scope="Namespaced")


def modrule(status=True):
    """KubeMod's ModRule, as our definition has it; without `status` as KubeMod's own: it has no
    such subresource, and prunes what is written there."""
    group, spec = "api.kubemod.io", {"type": "object", **ANYTHING}
    made = definition(group, "ModRule", ["v1beta1"], spec, plural="modrules", scope="Namespaced")
    (version,) = made["spec"]["versions"]
    properties = version["schema"]["openAPIV3Schema"]["properties"]
    properties["status"] = {"type": "object"}
    if status:
        texts = ("type", "status", "reason", "message", "lastTransitionTime")
        condition = _object(**{one: STRING for one in texts})
        condition["properties"]["observedGeneration"] = {"type": "integer", "format": "int64"}
        condition["required"] = list(texts)
        conditions = _list(condition)
        conditions["x-kubernetes-list-type"] = "map"
        conditions["x-kubernetes-list-map-keys"] = ["type"]
        properties["status"] = _status(True)
        properties["status"]["properties"]["conditions"] = conditions
        version["subresources"] = {"status": {}}
    return made


def everything(keyed=False):
    return mutators(keyed) + fixpoint() + [provider(), config()]
