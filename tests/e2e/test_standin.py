# SPDX-License-Identifier: Apache-2.0
"""The stand-in API server answers as the recordings of a real one do."""

import json
import pathlib
import re
import socket
import ssl

import pytest
from standin import definitions
from standin.cluster import Cluster

RECORDINGS = pathlib.Path(__file__).resolve().parent.parent / "recordings" / "api"
ASSIGN = "assign.mutations.gatekeeper.sh"
PATH = "/apis/mutations.gatekeeper.sh/v1/assign"
CURL = {"User-Agent": "curl/8.0"}  # whom the server indents its answers for, as recorded
# What differs between any two servers.
VOLATILE = [
    (rb'"uid": ?"[^"]*"', b'"uid":"U"'),
    (rb'"resourceVersion": ?"\d+"', b'"resourceVersion":"V"'),
    (rb'(Timestamp"|"time"): ?"[^"]*"', rb'\1:"T"'),
    (rb'"continue": ?"[^"]+"', b'"continue":"C"'),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("standin"))
    made.define(*definitions.mutators())
    yield made
    made.close()


def recorded(name):
    """(status line, headers, body as it came on the wire)."""
    head, _, body = (RECORDINGS / name).read_bytes().partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return first, dict(line.split(": ", 1) for line in lines), body


def chunks(body):
    """The chunks of a body, each as it was sent."""
    found = []
    while True:
        size, _, body = body.partition(b"\r\n")
        if int(size, 16) == 0:
            return found
        found.append(body[: int(size, 16)])
        body = body[int(size, 16) + 2 :]


def steady(data):
    for pattern, word in VOLATILE:
        data = re.sub(pattern, word, data)
    return data


class Raw:
    """A connection to the stand-in whose bytes are checked."""

    def __init__(self, cluster):
        trusting = ssl.create_default_context(cafile=cluster.standin.authority.cert)
        sock = socket.create_connection(("127.0.0.1", cluster.standin.port), 10)
        self.socket = trusting.wrap_socket(sock, server_hostname="localhost")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, method, path, token=None, body=b"", media_type="application/json", **more):
        headers = {"Host": "localhost", "Content-Type": media_type, **CURL, **more}
        if token:
            headers["Authorization"] = "Bearer " + token
        lines = ["%s %s HTTP/1.1" % (method, path), "Content-Length: %d" % len(body)]
        lines += ["%s: %s" % pair for pair in headers.items()]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        return self

    def answer(self, until=b"0\r\n\r\n"):
        """As `recorded`."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._more()
        head, _, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        if "Content-Length" in headers:
            while len(body) < int(headers["Content-Length"]):
                body += self._more()
        else:
            while not body.endswith(until):
                body += self._more()
        return first, headers, body

    def _more(self):
        data = self.socket.recv(65536)
        assert data, "the stand-in closed"
        return data


@pytest.fixture
def raw(cluster):
    cluster.need_standin()
    with Raw(cluster) as made:
        yield made


@pytest.fixture
def admin(cluster):
    return cluster.standin.token_for("admin", ["system:masters", "system:authenticated"])


def always_pull(name="always-pull", value="Always"):
    return {
        "apiVersion": "mutations.gatekeeper.sh/v1",
        "kind": "Assign",
        "metadata": {"name": name},
        "spec": {
            "applyTo": [{"groups": [""], "kinds": ["Pod"], "versions": ["v1"]}],
            "location": "spec.containers[name: *].imagePullPolicy",
            "parameters": {"assign": {"value": value}},
        },
    }


@pytest.fixture
def assign(cluster):
    """One Assign, as kubectl would have applied it."""
    obj = always_pull()
    said = json.dumps(dict(obj, metadata={"annotations": {}, "name": "always-pull"}))
    key = "kubectl.kubernetes.io/last-applied-configuration"
    obj["metadata"]["annotations"] = {key: said + "\n"}
    cluster.create(obj, fieldManager="kubectl-client-side-apply")
    yield obj
    if cluster.find(ASSIGN, "always-pull"):
        cluster.delete(ASSIGN, "always-pull")


# --- refusals --------------------------------------------------------------------------------

NO_LIST = dict(always_pull("bad"), spec={"applyTo": "x"})


@pytest.mark.parametrize(
    "name, who, request_",
    [
        ("401-bad-token.http", "nobody", ("GET", PATH)),
        ("403-anonymous.http", None, ("GET", PATH)),
        ("404-missing-object.http", "admin", ("GET", PATH + "/missing")),
        (
            "404-unknown-resource.http",
            "admin",
            ("GET", "/apis/mutations.gatekeeper.sh/v1/nothing"),
        ),
        ("409-conflict.http", "admin", ("PUT", PATH + "/always-pull")),
        ("422-invalid.http", "admin", ("POST", PATH)),
        (
            "patch-404.http",
            "admin",
            (
                "PATCH",
                "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/none",
            ),
        ),
    ],
)
def test_refusals_are_those_of_the_recordings(name, who, request_, raw, admin, assign):
    body, media_type = b"", "application/json"
    if name.startswith("409"):
        obj = always_pull()
        obj["metadata"]["resourceVersion"] = "1"
        body = json.dumps(obj).encode()
    elif name.startswith("422"):
        body = json.dumps(NO_LIST).encode()
    elif name.startswith("patch"):
        body, media_type = b"{}", "application/merge-patch+json"
    token = {"admin": admin}.get(who, who)
    got = raw.ask(*request_, token, body, media_type).answer()
    wanted = recorded(name)
    assert got[0] == wanted[0]
    assert list(got[1]) == list(wanted[1])
    for header in ("Content-Type", "Content-Length", "Cache-Control"):
        assert got[1][header] == wanted[1][header]
    assert got[2] == wanted[2]


def shape(value):
    """Names, order and kinds of a value, without what it says."""
    if isinstance(value, dict):
        return {name: shape(child) for name, child in value.items()}
    if isinstance(value, list):
        return [shape(child) for child in value]
    return type(value)


def test_version(raw):
    got, wanted = raw.ask("GET", "/version").answer(), recorded("version.http")
    assert list(got[1]) == list(wanted[1])
    assert list(shape(json.loads(got[2])).items()) == list(shape(json.loads(wanted[2])).items())


def test_resources_of_a_version(raw, admin):
    got = json.loads(raw.ask("GET", "/apis/mutations.gatekeeper.sh/v1", admin).answer()[2])
    wanted = json.loads(recorded("api-resources-mutations.http")[2])

    def by_name(document):
        listed = {one["name"]: list(one.items()) for one in document.pop("resources")}
        for name, lines in listed.items():
            listed[name] = [pair for pair in lines if pair[0] != "storageVersionHash"]
        return document, listed

    assert by_name(got) == by_name(wanted)


def test_groups(raw, admin):
    got = json.loads(b"".join(chunks(raw.ask("GET", "/apis", admin).answer()[2])))
    wanted = json.loads(b"".join(chunks(recorded("apis.http")[2])))
    assert {k: v for k, v in got.items() if k != "groups"} == {
        k: v for k, v in wanted.items() if k != "groups"
    }
    known = {group["name"]: group for group in wanted["groups"]}
    common = [group for group in got["groups"] if group["name"] in known]
    assert len(common) > 5
    for group in common:
        assert group["preferredVersion"] == known[group["name"]]["preferredVersion"]
        if group["name"] == "mutations.gatekeeper.sh":
            assert group == known[group["name"]]


# --- lists -----------------------------------------------------------------------------------


def test_a_list_of_custom_objects(raw, admin, assign):
    first, headers, body = raw.ask("GET", PATH, admin).answer()
    wanted = recorded("list-assign.http")
    assert (first, list(headers)) == (wanted[0], list(wanted[1]))
    got, wanted = (json.loads(b"".join(chunks(one))) for one in (body, wanted[2]))
    assert list(got) == list(wanted) and list(got["metadata"]) == list(wanted["metadata"])
    item, like = got["items"][0], wanted["items"][0]
    assert [list(item), list(item["metadata"])] == [list(like)[:-1], list(like["metadata"])]
    assert item["spec"] == like["spec"]


def test_a_page_of_a_list(raw, admin, cluster, assign):
    cluster.create(always_pull("sidecar"))
    path = PATH + "?limit=1"
    got = json.loads(b"".join(chunks(raw.ask("GET", path, admin).answer()[2])))
    wanted = json.loads(b"".join(chunks(recorded("list-assign-limit1.http")[2])))
    assert list(got["metadata"]) == list(wanted["metadata"])
    assert got["metadata"]["remainingItemCount"] == 1
    token = got["metadata"]["continue"]
    cluster.delete(ASSIGN, "sidecar")  # the next page is of the same moment
    rest = cluster.request("GET", PATH + "?limit=1&continue=" + token).json()
    assert [one["metadata"]["name"] for one in rest["items"]] == ["sidecar"]
    assert rest["metadata"]["continue"] == ""
    assert rest["metadata"]["resourceVersion"] == got["metadata"]["resourceVersion"]
    cluster.standin.expire()
    late = cluster.request("GET", PATH + "?limit=1&continue=" + token)
    assert (late.status, late.json()["reason"]) == (410, "Expired")
    again = cluster.request("GET", PATH + "?continue=" + late.json()["metadata"]["continue"])
    assert again.status == 200 and again.json()["items"] == []


def test_a_list_of_built_in_objects(raw, admin):
    first, headers, body = raw.ask("GET", "/api/v1/namespaces", admin).answer()
    wanted = recorded("list-namespaces.http")
    assert (first, list(headers)) == (wanted[0], list(wanted[1]))
    got, wanted = (json.loads(b"".join(chunks(one))) for one in (body, wanted[2]))
    assert [list(got), got["metadata"].keys()] == [list(wanted), wanted["metadata"].keys()]
    item, like = got["items"][0], wanted["items"][0]
    assert [list(item), list(item["metadata"])] == [list(like), list(like["metadata"])]
    assert [item["spec"], item["status"]] == [like["spec"], like["status"]]
    for one, other in zip(item["metadata"]["managedFields"], like["metadata"]["managedFields"]):
        assert [list(one), one["fieldsV1"]] == [list(other), other["fieldsV1"]]


def test_metadata_only(cluster):
    accept = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}
    got = cluster.request("GET", "/api/v1/namespaces", headers=accept).json()
    assert (got["kind"], got["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert {"kind", "apiVersion", "metadata"} == set(got["items"][0])
    assert got["items"][0]["kind"] == "PartialObjectMetadata"
    assert got["items"][0]["metadata"]["labels"]["kubernetes.io/metadata.name"] == "default"


def test_selectors(cluster):
    made = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "default", "labels": labels},
        }
        for name, labels in (("a", {"x": "1"}), ("b", {"x": "2"}), ("c", {}))
    ]
    for obj in made:
        cluster.create(obj)

    def names(**query):
        return [
            one["metadata"]["name"] for one in cluster.list("configmaps", "default", **query)
        ]

    assert names(labelSelector="x") == ["a", "b"]
    assert names(labelSelector="x=1") == ["a"]
    assert names(labelSelector="x!=1") == ["b", "c"] or names(labelSelector="x!=1") > ["b"]
    assert names(labelSelector="x in (1,2),x notin (2)") == ["a"]
    assert "c" in names(labelSelector="!x")
    assert names(fieldSelector="metadata.name=b") == ["b"]
    for obj in made:
        cluster.delete("configmaps", obj["metadata"]["name"], "default")


# --- watches ---------------------------------------------------------------------------------


def test_a_watch_of_custom_objects(cluster, raw, admin):
    """The recorded exchange, repeated: the same lines, but for what differs always."""
    wanted = [steady(line) for line in chunks(recorded("watch-assign.http")[2])]
    events = [json.loads(line) for line in chunks(recorded("watch-assign.http")[2])]
    version = cluster.request("GET", PATH).json()["metadata"]["resourceVersion"]

    def fresh(event):
        obj = json.loads(json.dumps(event["object"]))
        kept = {"name": obj["metadata"]["name"], "annotations": obj["metadata"]["annotations"]}
        said = json.loads(next(iter(kept["annotations"].values())))
        return dict(obj, metadata=kept, apiVersion=said["apiVersion"])

    how = {"fieldManager": "kubectl-client-side-apply"}
    cluster.create(fresh(events[0]), **how)
    value = {"spec": {"parameters": {"assign": {"value": "ClusterFirst"}}}}
    cluster.patch(ASSIGN, "watched", value, fieldManager="kubectl-patch")
    cluster.create(fresh(events[2]), **how)
    cluster.delete(ASSIGN, "watched")
    query = "?watch=1&allowWatchBookmarks=true&timeoutSeconds=1&resourceVersion=" + version
    first, headers, body = raw.ask("GET", PATH + query, admin).answer()
    assert list(headers) == list(recorded("watch-assign.http")[1])
    got = [steady(line) for line in chunks(body)]
    assert got[:4] == wanted[:4]
    assert got[4:] and set(got[4:]) == set(wanted[4:])
    cluster.delete(ASSIGN, "watched-alpha")


def test_a_watch_of_namespaces(cluster, raw, admin):
    wanted = [steady(line) for line in chunks(recorded("watch-namespaces.http")[2])]
    version = cluster.request("GET", "/api/v1/namespaces").json()["metadata"]["resourceVersion"]
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-c"}}
    cluster.create(space, fieldManager="kubectl-create")
    label = {"metadata": {"labels": {"mutate": "yes"}}}
    cluster.patch("namespaces", "team-c", label, fieldManager="kubectl-label")
    cluster.delete("namespaces", "team-c")
    query = "?watch=1&allowWatchBookmarks=true&timeoutSeconds=1&resourceVersion=" + version
    body = raw.ask("GET", "/api/v1/namespaces" + query, admin).answer()[2]
    got = [steady(line) for line in chunks(body)]
    assert got[:3] == wanted[:3]
    assert got[3].startswith(b'{"type":"DELETED"')  # the terminating object is removed
    assert set(got[4:]) == set(wanted[3:])


def test_a_watch_that_is_too_old(cluster, raw, admin):
    cluster.standin.expire()
    query = "?watch=1&resourceVersion=1"
    first, headers, body = raw.ask("GET", PATH + query, admin).answer()
    wanted = recorded("watch-assign-too-old.http")
    assert (first, list(headers)) == (wanted[0], list(wanted[1]))
    number = rb"\(\d+\)"
    got, wanted = (re.sub(number, b"(N)", chunks(one)[0]) for one in (body, wanted[2]))
    assert got == wanted


def test_a_watch_of_labels_tells_who_comes_and_goes(cluster):
    version = cluster.request("GET", PATH).json()["metadata"]["resourceVersion"]
    obj = always_pull("labelled")
    cluster.create(obj)
    for labels in ({"on": "yes"}, {"on": "yes", "b": "c"}, {"on": None}):
        cluster.patch(ASSIGN, "labelled", {"metadata": {"labels": labels}})
    cluster.delete(ASSIGN, "labelled")
    events = cluster.watch(ASSIGN, labelSelector="on=yes", resourceVersion=version, seconds=1)
    report = [(e["type"], e["object"]["metadata"]["labels"]) for e in events]
    assert report == [
        ("ADDED", {"on": "yes"}),
        ("MODIFIED", {"on": "yes", "b": "c"}),
        ("DELETED", {"on": "yes", "b": "c"}),
    ]


def test_a_watch_from_nothing_begins_with_what_is_there(cluster, assign):
    events = list(cluster.watch(ASSIGN, seconds=1))
    assert [(e["type"], e["object"]["metadata"]["name"]) for e in events] == [
        ("ADDED", "always-pull")
    ]


def test_a_definition_serves_and_ends_its_resource(cluster):
    cluster.need_standin()
    gadget = definitions.definition(
        "example.com", "Gadget", ["v1"], {"type": "object"}, "gadgets"
    )
    path = "/apis/example.com/v1/gadgets"
    assert cluster.request("GET", path).status == 404
    cluster.create(gadget)
    cluster.create(
        {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "g"}}
    )
    events = cluster.watch("gadgets.example.com", seconds=20)
    assert next(events)["type"] == "ADDED"
    cluster.delete("customresourcedefinitions.apiextensions.k8s.io", "gadgets.example.com")
    assert [event["type"] for event in events] == ["DELETED"]
    gone = cluster.request("GET", path)
    assert (gone.status, gone.body) == (404, b"404 page not found\n")
