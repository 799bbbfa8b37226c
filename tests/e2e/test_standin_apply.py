# SPDX-License-Identifier: Apache-2.0
"""Server-side apply, in the stand-in or in the server that FIXPOINT_KUBECONFIG names: who
owns what, who conflicts, and what is removed."""

import base64
import json

import pytest
from provider import Authority
from standin import definitions
from standin.cluster import Cluster, Refused, configuration, webhook

ASSIGN = "assign.mutations.gatekeeper.sh"
OURS = "fixpointassigns.mutations.fixpoint.dev"
WEBHOOKS = "mutatingwebhookconfigurations.admissionregistration.k8s.io"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("standin"))
    made.define(*definitions.mutators(), *definitions.fixpoint())
    yield made
    made.close()


def mutator(name, group="mutations.fixpoint.dev/v1alpha1"):
    return {
        "apiVersion": group,
        "kind": "Assign",
        "metadata": {"name": name},
        "spec": {"location": "spec.x", "parameters": {"assign": {"value": 1}}},
    }


def entry(obj, *entries):
    """The object's status, as a replica applies it."""
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "metadata": {"name": obj["metadata"]["name"]},
        "status": {"byPod": list(entries)} if entries else {},
    }


def by_pod(cluster, resource, name):
    return cluster.get(resource, name).get("status", {}).get("byPod")


def owners(obj):
    return {
        (one["manager"], one["operation"], one.get("subresource")): one["fieldsV1"]
        for one in obj["metadata"]["managedFields"]
    }


def refusal(action, *arguments, **more):
    with pytest.raises(Refused) as caught:
        action(*arguments, **more)
    return caught.value


def test_an_atomic_list_has_one_owner(cluster):
    """As recorded: Gatekeeper's definitions keep byPod atomic."""
    obj = mutator("atomic", "mutations.gatekeeper.sh/v1")
    cluster.create(obj)
    got = cluster.apply(entry(obj, {"id": "a", "enforced": True}), "a", subresource="status")
    assert owners(got)["a", "Apply", "status"] == {"f:status": {"f:byPod": {}}}
    assert got["metadata"]["generation"] == 1
    other = entry(obj, {"id": "b", "enforced": True})
    refused = refusal(cluster.apply, other, "b", force=False, subresource="status")
    assert refused.code == 409 and ".status.byPod" in refused.message
    got = cluster.apply(other, "b", subresource="status")
    assert [one["id"] for one in got["status"]["byPod"]] == ["b"]
    assert ("a", "Apply", "status") not in owners(got)


def test_a_keyed_list_has_an_owner_of_each_item(cluster):
    obj = mutator("keyed")
    cluster.create(obj)
    for pod in ("a", "b"):
        one = entry(obj, {"id": pod, "enforced": True, "operations": ["webhook"]})
        got = cluster.apply(one, pod, force=False, subresource="status")
    assert [one["id"] for one in got["status"]["byPod"]] == ["a", "b"]
    assert owners(got)["b", "Apply", "status"] == {
        "f:status": {
            "f:byPod": {
                'k:{"id":"b"}': {".": {}, "f:id": {}, "f:enforced": {}, "f:operations": {}}
            }
        }
    }
    changed = entry(obj, {"id": "a", "enforced": False})
    got = cluster.apply(changed, "a", force=False, subresource="status")
    assert got["status"]["byPod"][0] == {"id": "a", "enforced": False}
    again = cluster.apply(changed, "a", force=False, subresource="status")
    assert again["metadata"]["resourceVersion"] == got["metadata"]["resourceVersion"]
    cluster.apply(entry(obj), "a", force=False, subresource="status")
    assert [one["id"] for one in by_pod(cluster, OURS, "keyed")] == ["b"]
    refused = refusal(cluster.apply, entry(obj), "b", force=False, subresource="status")
    assert refused.code == 422 and 'status: Invalid value: "null"' in refused.message
    assert [one["id"] for one in by_pod(cluster, OURS, "keyed")] == ["b"]


def test_the_last_entry_goes_only_where_nobody_owns_the_list(cluster):
    """A container that a manager owns stays when all that was in it goes: as null, which no
    schema takes. So who gives up the last entry by saying nothing is refused then."""
    for name, before in (("alone", None), ("owned", {"byPod": [{"id": "x"}]})):
        obj = mutator(name)
        cluster.create(obj)
        if before:
            cluster.patch(OURS, name, {"status": before}, subresource="status", fieldManager="x")
            cluster.patch(OURS, name, [{"op": "remove", "path": "/status/byPod/0"}], how="json",
                          subresource="status", fieldManager="y")  # fmt: skip
        cluster.apply(entry(obj, {"id": "a"}), "a", subresource="status")
        nothing = entry(obj)
        del nothing["status"]
        if before:
            refused = refusal(cluster.apply, nothing, "a", subresource="status")
            assert refused.code == 422 and 'Invalid value: "null"' in refused.message
        else:
            got = cluster.apply(nothing, "a", subresource="status")
            assert "status" not in got


def test_a_conflict_names_manager_and_field(cluster):
    obj = mutator("conflict")
    cluster.create(obj)
    first = entry(obj, {"id": "a", "enforced": True, "observedGeneration": 1})
    cluster.apply(first, "a", subresource="status")
    other = entry(obj, {"id": "a", "enforced": False, "observedGeneration": 1})
    refused = refusal(cluster.apply, other, "b", force=False, subresource="status")
    assert refused.code == 409 and refused.status["reason"] == "Conflict"
    assert refused.status["metadata"] == {} and refused.status["status"] == "Failure"
    assert refused.status["details"]["causes"] == [
        {
            "reason": "FieldManagerConflict",
            "message": 'conflict with "a" with subresource "status"',
            "field": '.status.byPod[id="a"].enforced',
        }
    ]
    got = cluster.apply(other, "b", subresource="status")
    shares = owners(got)
    item = 'k:{"id":"a"}'
    assert "f:enforced" not in shares["a", "Apply", "status"]["f:status"]["f:byPod"][item]
    # what both say alike both own: it stays when one of them goes
    cluster.apply(entry(obj), "b", subresource="status")
    assert by_pod(cluster, OURS, "conflict") == [{"id": "a", "observedGeneration": 1}]


def test_nothing_is_created_with_a_uid(cluster):
    """So that a configuration that a user deletes stays deleted. A resourceVersion alone
    would not do: it is checked only if there is an object."""
    made = cluster.create(mutator("gone"))
    cluster.delete(OURS, "gone")
    config = mutator("gone")
    config["metadata"]["uid"] = made["metadata"]["uid"]
    refused = refusal(cluster.apply, config)
    assert refused.code == 409 and "no existing object was found" in refused.message
    assert not cluster.find(OURS, "gone")
    refused = refusal(cluster.apply, entry(made, {"id": "a"}), "a", subresource="status")
    assert refused.code == 404
    for subresource in (None, "status"):
        refused = refusal(cluster.update, made, subresource=subresource)
        # Up to 1.33 the uid is checked first.
        assert refused.code == 404 or "Precondition failed: UID in precondition" in refused.message
        assert refused.code in (404, 409)
    config["metadata"] = {"name": "gone", "resourceVersion": made["metadata"]["resourceVersion"]}
    again = cluster.apply(config)
    assert again["metadata"]["uid"] != made["metadata"]["uid"]


def test_an_old_version_and_another_object_conflict(cluster):
    first = cluster.create(mutator("again"))
    old = mutator("again")
    old["metadata"]["resourceVersion"] = first["metadata"]["resourceVersion"]
    cluster.patch(OURS, "again", {"metadata": {"labels": {"a": "b"}}})
    refused = refusal(cluster.apply, old)
    assert refused.code == 409 and "please apply your changes" in refused.message
    cluster.delete(OURS, "again")
    cluster.create(mutator("again"))
    assert refusal(cluster.apply, old).code == 409


def test_apply_creates_and_needs_a_manager(cluster):
    got = cluster.apply(mutator("fresh"), "m")
    assert owners(got)["m", "Apply", None] == {
        "f:spec": {"f:location": {}, "f:parameters": {"f:assign": {"f:value": {}}}}
    }
    assert got["metadata"]["generation"] == 1
    path = cluster.path_of(mutator("fresh"))
    media_type = "application/apply-patch+yaml"
    answer = cluster.request("PATCH", path, mutator("fresh"), media_type)
    assert answer.status in (400, 422) and "fieldManager" in answer.json()["message"]


def test_a_ca_bundle_in_a_configuration_of_another(cluster, tmp_path):
    """A chart has made it; we say the bundle and nothing else."""
    hooks = [
        webhook("%s.fixpoint.dev" % name, None, url="https://localhost:1/" + name, rules=[])
        for name in ("one", "two")
    ]
    made = cluster.create(configuration(*hooks, name="fx-bundle"), fieldManager="helm")
    bundle = base64.b64encode(Authority(tmp_path).cert.read_bytes()).decode()
    config = {
        "apiVersion": made["apiVersion"],
        "kind": made["kind"],
        "metadata": {"name": "fx-bundle", "uid": made["metadata"]["uid"]},
        "webhooks": [
            {"name": one["name"], "clientConfig": {"caBundle": bundle}} for one in hooks
        ],
    }
    got = cluster.apply(config, "fixpoint", force=False)
    for one in got["webhooks"]:
        assert one["clientConfig"]["caBundle"] == bundle
        assert one["clientConfig"]["url"].startswith("https://localhost")
        assert one["timeoutSeconds"] == 2
    item = {".": {}, "f:name": {}, "f:clientConfig": {"f:caBundle": {}}}
    assert owners(got)["fixpoint", "Apply", None] == {
        "f:webhooks": {
            'k:{"name":"one.fixpoint.dev"}': item,
            'k:{"name":"two.fixpoint.dev"}': item,
        }
    }
    assert got["metadata"]["generation"] == 2
    # a selector is atomic; given up, it is gone, and defaulted
    never = {"matchExpressions": [{"key": "x", "operator": "Exists"}]}
    config["webhooks"] = [{"name": "one.fixpoint.dev", "objectSelector": never}]
    got = cluster.apply(config, "fixpoint-disable", force=True)
    assert [one["objectSelector"] for one in got["webhooks"]] == [never, {}]
    config["webhooks"] = []
    got = cluster.apply(config, "fixpoint-disable", force=True)
    assert [one["objectSelector"] for one in got["webhooks"]] == [{}, {}]
    assert got["webhooks"][0]["clientConfig"]["caBundle"] == bundle
    cluster.delete(WEBHOOKS, "fx-bundle")
    refused = refusal(cluster.apply, config, "fixpoint")
    assert refused.code == 409 and not cluster.find(WEBHOOKS, "fx-bundle")


def test_a_lease_is_settled_by_conflict(cluster):
    def lease(holder):
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "fx-lease", "namespace": "default"},
            "spec": {
                "holderIdentity": holder,
                "leaseDurationSeconds": 15,
                "renewTime": "2026-11-21T10:00:00.000000Z",
            },
        }

    cluster.apply(lease("a"), "a", force=False)
    refused = refusal(cluster.apply, lease("b"), "b", force=False)
    assert refused.code == 409 and ".spec.holderIdentity" in refused.message
    wrong = lease("a")
    wrong["spec"]["renewTime"] = "2026-11-21T10:00:00Z"
    assert refusal(cluster.apply, wrong, "a").code in (400, 500)
    got = cluster.apply(lease("b"), "b", force=True)
    assert got["spec"]["holderIdentity"] == "b"


def test_secret_keys_have_owners(cluster):
    def secret(**data):
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "fx-secret", "namespace": "default"},
            "data": {key: base64.b64encode(text).decode() for key, text in data.items()},
        }

    cluster.apply(secret(a=b"1", b=b"2"), "one")
    cluster.apply(secret(c=b"3"), "two", force=False)
    got = cluster.apply(secret(a=b"1"), "one")
    assert set(got["data"]) == {"a", "c"}
    assert got["type"] == "Opaque"
    bad = dict(secret(), data={"a": "not base64!"})
    assert refusal(cluster.apply, bad, "one").code in (400, 500)


def test_keys_of_several_parts_with_defaults(cluster):
    def service(*ports):
        return {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "fx-service", "namespace": "default"},
            "spec": {"selector": {"a": "b"}, "ports": list(ports)},
        }

    cluster.apply(service({"port": 443, "name": "a", "targetPort": 1}), "one")
    both = {"port": 443, "protocol": "TCP", "name": "a", "targetPort": 2}
    refused = refusal(cluster.apply, service(both), "two", force=False)
    assert '.spec.ports[port=443,protocol="TCP"].targetPort' in refused.message
    got = cluster.apply(service({"port": 443, "protocol": "UDP", "name": "u"}), "two")
    assert len(got["spec"]["ports"]) == 2


def test_updates_take_over_what_they_change(cluster):
    obj = mutator("mixed")
    cluster.apply(obj, "m")
    cluster.patch(OURS, "mixed", {"spec": {"location": "spec.y"}}, fieldManager="hand")
    got = cluster.get(OURS, "mixed")
    assert owners(got)["hand", "Update", None] == {"f:spec": {"f:location": {}}}
    assert "f:location" not in owners(got)["m", "Apply", None]["f:spec"]
    refused = refusal(cluster.apply, obj, "m", force=False)
    assert 'conflict with "hand" using mutations.fixpoint.dev/v1alpha1' in refused.message
    json_patch = [{"op": "test", "path": "/spec/location", "value": "spec.y"}]
    json_patch += [{"op": "remove", "path": "/spec/location"}]
    got = cluster.patch(OURS, "mixed", json_patch, how="json")
    assert "location" not in got["spec"] and ("hand", "Update", None) not in owners(got)


def test_set_lists_are_united(cluster):
    def finalized(*names):
        obj = mutator("sets")
        obj["metadata"]["finalizers"] = list(names)
        return obj

    cluster.apply(finalized("example.com/a"), "one")
    got = cluster.apply(finalized("example.com/b"), "two", force=False)
    assert sorted(got["metadata"]["finalizers"]) == ["example.com/a", "example.com/b"]
    got = cluster.apply(mutator("sets"), "two")
    assert got["metadata"]["finalizers"] == ["example.com/a"]
    got = cluster.apply(mutator("sets"), "one")
    assert not got["metadata"].get("finalizers")
    assert json.dumps(owners(got)["one", "Apply", None]).count("finalizers") == 0
