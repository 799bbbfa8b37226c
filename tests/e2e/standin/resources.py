# SPDX-License-Identifier: Apache-2.0
"""Which resources are served: the built-in ones, and those of definitions as they come."""

import base64
import hashlib
import threading

from . import schema

VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
CUSTOM_VERBS = [
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "create",
    "update",
    "watch",
]


class Resource:
    """One resource of one group: its versions share one storage."""

    def __init__(self, group, plural, kind, versions, namespaced):
        self.group, self.plural, self.kind = group, plural, kind
        self.versions = dict(versions)  # name -> Type of the whole object
        self.namespaced = namespaced
        self.singular, self.short_names, self.categories = kind.lower(), [], []
        self.list_kind = kind + "List"
        self.custom = False
        self.openapi = {}  # of a custom resource: version -> its schema as it was given
        self.has_status = False
        self.parts = {}  # subresource -> verbs, besides the status
        self.generations = False  # a change of anything but metadata and status counts
        self.empty = {}  # what an empty object of this kind has besides its metadata
        self.storage_version = next(iter(self.versions), None)

    @property
    def id(self):
        return (self.group, self.plural)

    def api_version(self, version):
        return self.group + "/" + version if self.group else version

    def type_of(self, version):
        return self.versions[version]

    def describe(self, version):
        """Its lines in the list of its version's resources."""
        verbs = CUSTOM_VERBS if self.custom else VERBS
        line = {
            "name": self.plural,
            "singularName": self.singular,
            "namespaced": self.namespaced,
            "kind": self.kind,
            "verbs": verbs,
            "shortNames": self.short_names,
            "categories": self.categories,
            "storageVersionHash": _hash(self.group, self.storage_version, self.kind),
        }
        lines = [{name: value for name, value in line.items() if value not in ([], None)}]
        status = {"status": ["get", "patch", "update"]} if self.has_status else {}
        for part, verbs in {**self.parts, **status}.items():
            lines.append(
                {
                    "name": "%s/%s" % (self.plural, part),
                    "singularName": "",
                    "namespaced": self.namespaced,
                    "kind": self.kind,
                    "verbs": verbs,
                }
            )
        return lines

    def serves(self, part, verb):
        """Has it this subresource ("": itself), and for this verb?"""
        if part in self.parts:
            return verb in self.parts[part]
        return not part or (part == "status" and self.has_status)


def _hash(*words):
    digest = hashlib.sha512("/".join(words).encode()).digest()
    return base64.b64encode(digest[:8]).decode()


# Subresources that take a whole object, besides the status.
PARTS = {"namespaces": {"finalize": ["update"]}}

# group/version; type in the table; plural; n: namespaced; s: a status subresource, g:
# generations; short names
BUILT_IN = """
v1 | core.v1.Namespace | namespaces | - | s | ns
v1 | core.v1.Node | nodes | - | s | no
v1 | core.v1.Pod | pods | n | s | po
v1 | core.v1.ConfigMap | configmaps | n | | cm
v1 | core.v1.Secret | secrets | n | |
v1 | core.v1.Event | events | n | | ev
v1 | core.v1.Service | services | n | s | svc
v1 | core.v1.Endpoints | endpoints | n | | ep
v1 | core.v1.ServiceAccount | serviceaccounts | n | | sa
v1 | core.v1.ResourceQuota | resourcequotas | n | s | quota
{adm} | {adm_type}.MutatingWebhookConfiguration | mutatingwebhookconfigurations | - | g |
{adm} | {adm_type}.ValidatingWebhookConfiguration | validatingwebhookconfigurations | - | g |
{ext} | {ext_type}.CustomResourceDefinition | customresourcedefinitions | - | sg | crd crds
apps/v1 | apps.v1.Deployment | deployments | n | sg | deploy
apps/v1 | apps.v1.ReplicaSet | replicasets | n | sg | rs
apps/v1 | apps.v1.StatefulSet | statefulsets | n | sg | sts
apps/v1 | apps.v1.DaemonSet | daemonsets | n | sg | ds
batch/v1 | batch.v1.Job | jobs | n | sg |
batch/v1 | batch.v1.CronJob | cronjobs | n | sg | cj
coordination.k8s.io/v1 | coordination.v1.Lease | leases | n | |
networking.k8s.io/v1 | networking.v1.NetworkPolicy | networkpolicies | n | g | netpol
networking.k8s.io/v1 | networking.v1.Ingress | ingresses | n | sg | ing
policy/v1 | policy.v1.PodDisruptionBudget | poddisruptionbudgets | n | sg | pdb
rbac.authorization.k8s.io/v1 | rbac.v1.ClusterRole | clusterroles | - | |
rbac.authorization.k8s.io/v1 | rbac.v1.ClusterRoleBinding | clusterrolebindings | - | |
rbac.authorization.k8s.io/v1 | rbac.v1.Role | roles | n | |
rbac.authorization.k8s.io/v1 | rbac.v1.RoleBinding | rolebindings | n | |
scheduling.k8s.io/v1 | scheduling.v1.PriorityClass | priorityclasses | - | | pc
""".format(
    adm="admissionregistration.k8s.io/v1",
    adm_type="admissionregistration.v1",
    ext="apiextensions.k8s.io/v1",
    ext_type="apiextensions.v1",
)


def _built_in(line):
    group_version, name, plural, scope, flags, short = map(str.strip, line.split("|"))
    group, _, version = group_version.rpartition("/")
    kind = name.rpartition(".")[2]
    made = Resource(group, plural, kind, {version: schema.builtin(name)}, scope == "n")
    made.has_status, made.generations = "s" in flags, "g" in flags
    made.short_names, made.parts = short.split(), PARTS.get(plural, {})
    made.empty = {
        part: {} for part in ("spec", "status") if part in made.versions[version].fields
    }
    return made


def _of_definition(definition):
    """The resource that a CustomResourceDefinition makes."""
    spec, names = definition["spec"], definition["spec"]["names"]
    served = {
        one["name"]: schema.of_definition((one.get("schema") or {}).get("openAPIV3Schema"))
        for one in spec["versions"]
        if one.get("served")
    }
    made = Resource(
        spec["group"], names["plural"], names["kind"], served, spec["scope"] == "Namespaced"
    )
    made.custom = made.generations = True
    made.openapi = {
        one["name"]: (one.get("schema") or {}).get("openAPIV3Schema") or {}
        for one in spec["versions"]
    }
    made.singular = names.get("singular") or names["kind"].lower()
    made.short_names = names.get("shortNames", [])
    made.categories = names.get("categories", [])
    made.list_kind = names.get("listKind") or names["kind"] + "List"
    made.has_status = any(
        "status" in (one.get("subresources") or {}) for one in spec["versions"]
    )
    made.storage_version = next(one["name"] for one in spec["versions"] if one.get("storage"))
    return made


def _rank(version):
    """v1 before v2beta1 before v1beta1 before v1alpha1 before anything else."""
    parts = version.lstrip("v").replace("alpha", " 1 ").replace("beta", " 2 ").split()
    if not all(part.isdigit() for part in parts) or len(parts) not in (1, 3):
        return (1, version)
    numbers = [int(part) for part in parts]
    stage, minor = (3, 0) if len(numbers) == 1 else (numbers[1], numbers[2])
    return (0, -stage, -numbers[0], -minor)


class Registry:
    """All resources that are served now."""

    def __init__(self):
        self._lock = threading.Lock()
        built_in = [_built_in(line) for line in BUILT_IN.strip().splitlines()]
        self._by_id = {resource.id: resource for resource in built_in}

    def find(self, group, version, plural):
        """The resource of these three; None: not served."""
        resource = self._by_id.get((group, plural))
        return resource if resource and version in resource.versions else None

    def get(self, group, plural):
        return self._by_id.get((group, plural))

    def of_kind(self, api_version, kind):
        """The resource of an object."""
        group, _, version = api_version.rpartition("/")
        for resource in list(self._by_id.values()):
            if (resource.group, resource.kind) == (
                group,
                kind,
            ) and version in resource.versions:
                return resource
        return None

    def define(self, definition):
        """A definition has come or changed."""
        made = _of_definition(definition)
        with self._lock:
            self._by_id = {**self._by_id, made.id: made}
        return made

    def undefine(self, definition):
        """A definition has gone."""
        spec = definition["spec"]
        gone = (spec["group"], spec["names"]["plural"])
        with self._lock:
            self._by_id = {key: value for key, value in self._by_id.items() if key != gone}
        return gone

    def groups(self):
        """group -> its versions, the preferred one first."""
        found = {}
        for resource in self._by_id.values():
            found.setdefault(resource.group, set()).update(resource.versions)
        return {group: sorted(versions, key=_rank) for group, versions in found.items()}

    def in_version(self, group, version):
        return [
            resource
            for resource in self._by_id.values()
            if resource.group == group and version in resource.versions
        ]


def group_document(group, versions):
    listed = [
        {"groupVersion": group + "/" + version, "version": version} for version in versions
    ]
    return {"name": group, "versions": listed, "preferredVersion": listed[0]}


def discovery(registry, path):
    """The document of a discovery path; None: there is none."""
    steps = path.strip("/").split("/")
    groups = registry.groups()
    if steps == ["api"]:
        return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
    if steps == ["apis"]:
        named = [group_document(g, versions) for g, versions in groups.items() if g]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": named}
    if len(steps) == 2 and steps[0] == "apis" and steps[1] in groups:
        document = group_document(steps[1], groups[steps[1]])
        return {"kind": "APIGroup", "apiVersion": "v1", **document}
    if steps[0] == "api":
        group, version = "", "/".join(steps[1:])
    else:
        group, version = steps[1], "/".join(steps[2:])
    served = registry.in_version(group, version) if group in groups else []
    if not served:
        return None
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": group + "/" + version if group else version,
        "resources": [line for resource in served for line in resource.describe(version)],
    }
