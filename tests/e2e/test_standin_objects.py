# SPDX-License-Identifier: Apache-2.0
"""What the stand-in (or the server that FIXPOINT_KUBECONFIG names) makes of objects:
defaults, pruning, validation, versions, generations, ends."""

import pytest
from standin import definitions, documents
from standin.cluster import Cluster, Refused, configuration, webhook

GADGETS = "gadgets.fixpoint.example.com"
DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"

SPEC = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 8},
        "mode": {"type": "string", "enum": ["fast", "slow"], "default": "fast"},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "maybe": {"type": "string", "nullable": True},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "port": {"x-kubernetes-int-or-string": True},
        "named": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["id"],
            "items": {
                "type": "object",
                "required": ["id"],
                "properties": {"id": {"type": "string"}, "on": {"type": "boolean"}},
            },
        },
        "inner": {
            "type": "object",
            "default": {},
            "properties": {"size": {"type": "integer", "default": 3}},
        },
    },
}
STATUS = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("standin"))
    group = "fixpoint.example.com"
    versions = ["v1", "v1beta1"]
    made.define(
        definitions.definition(group, "Gadget", versions, SPEC, "gadgets", STATUS, "Namespaced")
    )
    yield made
    made.close()


def gadget(object_name, version="v1", **spec):
    return {
        "apiVersion": "fixpoint.example.com/" + version,
        "kind": "Gadget",
        "metadata": {"name": object_name, "namespace": "default"},
        "spec": {"name": "a", **spec},
    }


def refusal(action, *arguments, **more):
    with pytest.raises(Refused) as caught:
        action(*arguments, **more)
    return caught.value


def test_defaults_and_pruning(cluster):
    obj = gadget("pruned", unknown=1, free={"x": {"y": 1}}, maybe=None, port="http")
    made = cluster.create(obj)
    assert made["spec"] == {
        "name": "a",
        "mode": "fast",
        "inner": {"size": 3},
        "free": {"x": {"y": 1}},
        "maybe": None,
        "port": "http",
    }
    refused = refusal(cluster.create, gadget("strict", unknown=1), fieldValidation="Strict")
    assert refused.code == 400 and 'unknown field "spec.unknown"' in refused.message


@pytest.mark.parametrize(
    "spec, field, reason",
    [
        ({"name": "UP"}, "spec.name", "FieldValueInvalid"),
        ({"name": "muchtoolong"}, "spec.name", "FieldValueTooLong"),
        ({"name": 5}, "spec.name", "FieldValueTypeInvalid"),
        ({"mode": "other"}, "spec.mode", "FieldValueNotSupported"),
        ({"count": 0}, "spec.count", "FieldValueInvalid"),
        ({"count": 10}, "spec.count", "FieldValueInvalid"),
        ({"named": [{"on": True}]}, "spec.named[0].id", "FieldValueRequired"),
        ({"named": [{"id": "a"}, {"id": "a"}]}, "spec.named[1]", "FieldValueDuplicate"),
    ],
)
def test_validation(spec, field, reason, cluster):
    refused = refusal(cluster.create, gadget("invalid", **spec))
    assert (refused.code, refused.status["reason"]) == (422, "Invalid")
    assert refused.message.startswith('Gadget.fixpoint.example.com "invalid" is invalid: ')
    causes = [(one["field"], one["reason"]) for one in refused.status["details"]["causes"]]
    assert (field, reason) in causes


def test_names(cluster):
    refused = refusal(cluster.create, gadget("Not_A_Name"))
    assert refused.code == 422 and "RFC 1123" in refused.message
    obj = gadget("x")
    obj["metadata"] = {"generateName": "made-", "namespace": "default"}
    first, second = cluster.create(obj), cluster.create(obj)
    names = [one["metadata"]["name"] for one in (first, second)]
    assert all(name.startswith("made-") for name in names) and names[0] != names[1]
    refused = refusal(cluster.create, gadget(names[0]))
    assert (refused.code, refused.status["reason"]) == (409, "AlreadyExists")
    lost = gadget("lost")
    lost["metadata"]["namespace"] = "not-there"
    refused = refusal(cluster.create, lost)
    assert refused.code == 404 and refused.message == 'namespaces "not-there" not found'


def test_versions_share_their_objects(cluster):
    cluster.create(gadget("both", "v1beta1"))
    for version in ("v1", "v1beta1"):
        got = cluster.get(GADGETS, "both", "default", version=version)
        assert got["apiVersion"] == "fixpoint.example.com/" + version
    managed = got["metadata"]["managedFields"][0]
    assert managed["apiVersion"] == "fixpoint.example.com/v1beta1"


def test_generations_and_the_status(cluster):
    made = cluster.create(dict(gadget("gen"), status={"a": 1}))
    assert made["metadata"]["generation"] == 1 and "status" not in made
    path = {"namespace": "default"}
    cluster.patch(GADGETS, "gen", {"metadata": {"labels": {"a": "b"}}}, **path)
    both = {"status": {"a": 1}, "spec": {"count": 5}}
    got = cluster.patch(GADGETS, "gen", both, subresource="status", **path)
    assert got["status"] == {"a": 1} and "count" not in got["spec"]
    assert got["metadata"]["generation"] == 1
    got = cluster.patch(GADGETS, "gen", {**both, "status": {"a": 2}}, **path)
    assert got["status"] == {"a": 1} and got["spec"]["count"] == 5
    assert got["metadata"]["generation"] == 2
    again = cluster.patch(GADGETS, "gen", {"spec": {"count": 5}}, **path)
    assert again["metadata"]["resourceVersion"] == got["metadata"]["resourceVersion"]


def test_updates_need_the_latest_version(cluster):
    made = cluster.create(gadget("put"))
    fresh = dict(made, spec={**made["spec"], "count": 2})
    cluster.update(fresh)
    refused = refusal(cluster.update, fresh)
    assert (refused.code, refused.status["reason"]) == (409, "Conflict")
    bare = gadget("put")
    assert refusal(cluster.update, bare).code == 422
    absent = dict(fresh, metadata={**made["metadata"], "name": "no"})
    # The uid is checked first: 409 up to 1.33.
    assert refusal(cluster.update, absent).code in (404, 409)
    del absent["metadata"]["uid"]
    assert refusal(cluster.update, absent).code == 404


def test_deletion_has_preconditions(cluster):
    made = cluster.create(gadget("end"))
    wrong = {"preconditions": {"uid": "another"}}
    assert refusal(cluster.delete, GADGETS, "end", "default", **wrong).code == 409
    right = {"preconditions": {"uid": made["metadata"]["uid"]}}
    done = cluster.delete(GADGETS, "end", "default", **right)
    assert (done["kind"], done["status"]) == ("Status", "Success")
    assert done["details"] == {
        "name": "end",
        "group": "fixpoint.example.com",
        "kind": "gadgets",
        "uid": made["metadata"]["uid"],
    }
    assert refusal(cluster.delete, GADGETS, "end", "default").code == 404


def test_collections_end_together(cluster):
    for name, labels in (("c1", {"gone": "yes"}), ("c2", {"gone": "yes"}), ("c3", {})):
        obj = gadget(name)
        obj["metadata"]["labels"] = labels
        cluster.create(obj)
    cluster.delete_all(GADGETS, "default", labelSelector="gone=yes")
    names = [one["metadata"]["name"] for one in cluster.list(GADGETS, "default")]
    assert "c3" in names and not {"c1", "c2"} & set(names)


def test_dry_run(cluster):
    made = cluster.create(gadget("dry"), dryRun="All")
    assert made["metadata"]["uid"] and not cluster.find(GADGETS, "dry", "default")


def test_built_in_types_are_checked(cluster):
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "fx-typed"}}
    wrong = dict(space, metadata={"name": "fx-typed", "labels": {"a": 5}})
    assert refusal(cluster.create, wrong).code == 400
    assert cluster.create(space)["status"] == {"phase": "Active"}
    cluster.delete("namespaces", "fx-typed")


def test_webhook_configurations_are_filled_and_checked(cluster):
    plain = webhook("a.b.example.com", None, url="https://localhost:1/x", rules=[])
    for name in ("failurePolicy", "timeoutSeconds", "reinvocationPolicy"):
        plain.pop(name)
    made = cluster.create(configuration(plain, name="fx-filled"))["webhooks"][0]
    assert (made["failurePolicy"], made["timeoutSeconds"]) == ("Fail", 10)
    assert (made["reinvocationPolicy"], made["matchPolicy"]) == ("Never", "Equivalent")
    assert made["namespaceSelector"] == made["objectSelector"] == {}
    for wrong in (
        {"name": "short"},
        {"sideEffects": "Unknown"},
        {"timeoutSeconds": 31},
        {"clientConfig": {}},
        {"clientConfig": {"url": "http://localhost"}},
        {"admissionReviewVersions": []},
    ):
        broken = configuration({**plain, **wrong}, name="fx-broken")
        assert refusal(cluster.create, broken).code == 422
    client = {"url": "https://localhost", "caBundle": "AAAA"}  # no PEM: found when it is used
    cluster.create(configuration({**plain, "clientConfig": client}, name="fx-broken"))
    client["caBundle"] = "A"
    assert refusal(cluster.create, configuration({**plain, "clientConfig": client})).code == 400


def test_parts_of_a_namespace_carry_its_labels(cluster):
    """A write of the status or the finalizers is a write of labels, too."""
    name = "fx-parts"
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    both = {"metadata": {"labels": {"a": "1"}}, "spec": {"finalizers": []}}
    got = cluster.patch("namespaces", name, both, subresource="status")
    assert got["metadata"]["labels"]["a"] == "1" and got["spec"]["finalizers"] == ["kubernetes"]
    got["metadata"]["labels"]["b"] = "2"
    got["spec"]["finalizers"].append("example.com/keep")
    got = cluster.update(got, subresource="finalize")
    assert (got["metadata"]["labels"]["a"], got["metadata"]["labels"]["b"]) == ("1", "2")
    assert got["spec"]["finalizers"] == ["kubernetes", "example.com/keep"]
    got["spec"]["finalizers"].pop()
    cluster.update(got, subresource="finalize")
    cluster.delete("namespaces", name)


def test_events_live_where_their_object_lives(cluster):
    def event(namespace, involved=None):
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"generateName": "fx-", "namespace": namespace},
            "involvedObject": {
                "apiVersion": "fixpoint.example.com/v1",
                "kind": "Gadget",
                "name": "x",
                **({"namespace": involved} if involved else {}),
            },
            "reason": "Test",
            "message": "m",
            "type": "Warning",
        }

    cluster.create(event("default"))  # of a cluster-scoped object
    cluster.create(event("kube-system", "kube-system"))
    assert refusal(cluster.create, event("kube-system", "default")).code == 422
    assert refusal(cluster.create, event("kube-public")).code == 422


def test_a_namespace_takes_its_objects_along(cluster):
    cluster.need_standin()  # a real server alone has no controller for it
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "fx-gone"}})
    obj = gadget("inside")
    obj["metadata"]["namespace"] = "fx-gone"
    cluster.create(obj)
    cluster.delete("namespaces", "fx-gone")
    assert not cluster.find("namespaces", "fx-gone")
    assert not cluster.list(GADGETS, "fx-gone")


def test_documents_are_read_as_kubectl_reads_them():
    text = "kind: B\nwhen: 2026-01-01\n---\nkind: List\nitems: [{kind: Namespace}]\n---\n"
    assert documents.of_text(text) == [
        {"kind": "Namespace"},
        {"kind": "B", "when": "2026-01-01"},
    ]


def test_who_am_i(cluster):
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = cluster.request(
        "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review
    )
    assert answer.status == 201 and answer.json()["status"]["userInfo"]["username"]
