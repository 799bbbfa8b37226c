# SPDX-License-Identifier: Apache-2.0
"""The stand-in calls webhooks as an API server does: as recorded, and as specified."""

import base64
import http.server
import json
import pathlib
import re
import ssl
import threading
import time

import pytest
from standin import definitions
from standin.cluster import Cluster, Refused, configuration, webhook

RECORDINGS = pathlib.Path(__file__).resolve().parent.parent / "recordings" / "admission"
CONFIGURATIONS = "mutatingwebhookconfigurations.admissionregistration.k8s.io"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        hook = self.server.hook
        hook.heads.append(
            "%s\n%s"
            % (self.requestline, "".join("%s: %s\n" % pair for pair in self.headers.items()))
        )
        hook.bodies.append(body)
        review = json.loads(body)
        code, response, headers = hook.respond(review["request"])
        answer = {"kind": "AdmissionReview", "apiVersion": review["apiVersion"]}
        answer["response"] = {"uid": review["request"]["uid"], **response}
        data = json.dumps(answer).encode()
        self.send_response(code)
        for name, value in {"Content-Length": len(data), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Hook:
    """A webhook of the tests: `answer(request)` gives the response, or (status, response,
    headers)."""

    def __init__(self, certificate):
        self.heads, self.bodies = [], []
        self.answer = lambda request: {"allowed": True}
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.hook = self
        self._server.socket = context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def respond(self, request):
        answer = self.answer(request)
        return answer if isinstance(answer, tuple) else (200, answer, {})

    @property
    def requests(self):
        return [json.loads(body)["request"] for body in self.bodies]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("standin"))
    made.need_standin()
    made.load(*definitions.mutators())
    yield made
    made.close()


@pytest.fixture
def hook(cluster):
    authority = cluster.standin.authority
    names = "DNS:localhost,DNS:hook.default.svc"
    made = Hook(authority.issue("hook", names))
    made.ca = authority.cert.read_bytes()
    cluster.standin.admission.calls.clear()
    yield made
    made.close()
    for kind in ("mutating", "validating"):
        cluster.delete_all("%swebhookconfigurations.admissionregistration.k8s.io" % kind)


def register(cluster, hook, name="hook.example.com", kind="Mutating", **more):
    one = webhook(name, hook.ca, url="https://localhost:%d/v1/mutate" % hook.port, **more)
    if kind == "Validating":
        one.pop("reinvocationPolicy", None)
    cluster.create(configuration(one, kind=kind, name=name))


def config_map(name, **labels):
    metadata = {"name": name, "namespace": "default", "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}}


def patch(*operations):
    encoded = base64.b64encode(json.dumps(list(operations)).encode()).decode()
    return {"allowed": True, "patchType": "JSONPatch", "patch": encoded}


def add(path, value):
    return {"op": "add", "path": path, "value": value}


def refusal(action, *arguments, **more):
    with pytest.raises(Refused) as caught:
        action(*arguments, **more)
    return caught.value


def test_the_head_is_the_recorded_one(cluster, hook):
    register(cluster, hook, timeoutSeconds=5)
    cluster.create(config_map("head"))
    wanted = (RECORDINGS / "request-head.txt").read_text().strip()
    varying = re.compile(r"^(Host|Content-Length): .*$", re.M)
    assert varying.sub(r"\1", hook.heads[0].strip()) == varying.sub(r"\1", wanted)
    cluster.delete("configmaps", "head", "default")


@pytest.mark.parametrize(
    "name", ["001-create-namespace", "002-update-namespace", "017-create-secret"]
)
def test_reviews_are_shaped_as_recorded(name, cluster, hook):
    wanted = json.loads((RECORDINGS / (name + ".json")).read_bytes())["request"]
    register(cluster, hook)
    obj = wanted["object"]
    metadata = {k: obj["metadata"][k] for k in ("name", "namespace") if k in obj["metadata"]}
    plain = {k: v for k, v in obj.items() if k not in ("metadata", "status", "spec")}
    if "namespace" in metadata:
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
        cluster.create(space)
    manager = {"fieldManager": wanted["options"]["fieldManager"]}
    if wanted["operation"] == "CREATE":
        strict = {**manager, "fieldValidation": "Strict"}
        made = cluster.create(dict(plain, metadata=metadata), **strict)
    else:
        made = cluster.create(dict(plain, metadata=metadata))
        label = {"metadata": {"labels": {"mutate": "yes"}}}
        cluster.patch("namespaces", metadata["name"], label, **manager)
    got = hook.requests[-1]
    assert list(got) == list(wanted)
    same = set(wanted) - {"uid", "userInfo", "object", "oldObject"}
    assert {key: got[key] for key in same} == {key: wanted[key] for key in same}
    assert got["userInfo"]["username"] == "admin"
    assert set(wanted["userInfo"]["groups"]) == set(got["userInfo"]["groups"])
    assert list(got["object"]) == list(obj)
    assert list(got["object"]["metadata"]) == list(obj["metadata"])
    fields = [one["fieldsV1"] for one in got["object"]["metadata"]["managedFields"]]
    assert fields == [one["fieldsV1"] for one in obj["metadata"]["managedFields"]]
    assert bool(got["oldObject"]) == bool(wanted["oldObject"])
    cluster.delete("namespaces", made["metadata"].get("namespace") or metadata["name"])


def test_reviews_are_of_the_first_version_that_both_know(cluster, hook):
    register(cluster, hook, admissionReviewVersions=["v1beta1"])
    register(cluster, hook, "z.example.com", admissionReviewVersions=["v2", "v1", "v1beta1"])
    cluster.create(config_map("reviewed"))
    versions = [json.loads(body)["apiVersion"] for body in hook.bodies]
    assert versions == ["admission.k8s.io/v1beta1", "admission.k8s.io/v1"]
    assert cluster.standin.admission.calls.count("allowed") == 2
    cluster.delete("configmaps", "reviewed", "default")


def test_a_patch_is_applied_and_read_again(cluster, hook):
    hook.answer = lambda _: patch(add("/metadata/labels/x", "y"), add("/unknown", 1))
    register(cluster, hook)
    made = cluster.create(config_map("patched", a="b"))
    assert made["metadata"]["labels"] == {"a": "b", "x": "y"} and "unknown" not in made
    hook.answer = lambda _: patch(add("/data/a", {"not": "text"}))
    refused = refusal(cluster.create, config_map("wrong"))
    assert refused.code == 500  # whatever the failurePolicy
    hook.answer = lambda _: patch({"op": "remove", "path": "/data/nothing"})
    assert refusal(cluster.create, config_map("wrong")).code == 500
    assert cluster.standin.admission.calls.count("patched") == 3
    cluster.delete("configmaps", "patched", "default")


def test_denials(cluster, hook):
    hook.answer = lambda _: {"allowed": False, "status": {"code": 422, "message": "no"}}
    register(cluster, hook, kind="Validating")
    refused = refusal(cluster.create, config_map("denied"))
    assert refused.code == 422
    assert refused.message == 'admission webhook "hook.example.com" denied the request: no'
    hook.answer = lambda _: {"allowed": False}
    assert refusal(cluster.create, config_map("denied")).code == 400


def test_nobody_is_asked_about_webhooks_themselves(cluster, hook):
    hook.answer = lambda _: {"allowed": False}
    register(cluster, hook)
    refusal(cluster.create, config_map("denied"))
    cluster.patch(CONFIGURATIONS, "hook.example.com", {"metadata": {"labels": {"a": "b"}}})
    cluster.delete(CONFIGURATIONS, "hook.example.com")
    cluster.create(config_map("denied"))
    cluster.delete("configmaps", "denied", "default")


def test_failures_are_for_the_policy(cluster, hook):
    calls = cluster.standin.admission.calls
    hook.answer = lambda _: (500, {}, {})
    register(cluster, hook)
    cluster.create(config_map("open"))
    assert calls.count("failed open") == 1
    cluster.delete("configmaps", "open", "default")
    policy = [{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Fail"}]
    cluster.patch(CONFIGURATIONS, "hook.example.com", policy, how="json")
    refused = refusal(cluster.create, config_map("closed"))
    assert refused.code == 500
    assert 'failed calling webhook "hook.example.com"' in refused.message
    hook.answer = lambda _: {"allowed": True, "uid": "another"}
    assert refusal(cluster.create, config_map("closed")).code == 500
    hook.answer = lambda _: {"allowed": True, "patchType": "JSONPatch"}
    assert refusal(cluster.create, config_map("closed")).code == 500
    assert calls.count("failed") == 3


def test_a_busy_webhook_is_asked_again(cluster, hook):
    answers = [(503, {}, {"Retry-After": "1"}), (200, {"allowed": True}, {})]
    hook.answer = lambda _: answers.pop(0)
    register(cluster, hook, timeoutSeconds=3)
    began = time.monotonic()
    cluster.create(config_map("busy"))
    assert time.monotonic() - began > 0.9 and len(hook.bodies) == 2
    assert cluster.standin.admission.calls.count("allowed") == 1
    cluster.delete("configmaps", "busy", "default")


def test_who_is_asked(cluster, hook):
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
    register(
        cluster,
        hook,
        rules=[{**rule, "operations": ["CREATE"]}],
        objectSelector={"matchLabels": {"on": "yes"}},
        namespaceSelector={
            "matchExpressions": [{"key": "off", "operator": "DoesNotExist"}],
        },
        matchConditions=[{"name": "n", "expression": 'request.name != "spared"'}],
    )
    for name, labels in (
        ("asked", {"on": "yes"}),
        ("unselected", {}),
        ("spared", {"on": "yes"}),
    ):
        cluster.create(config_map(name, **labels))
        cluster.patch("configmaps", name, {"data": {"c": "d"}}, "default")
    assert [request["name"] for request in hook.requests] == ["asked"]
    cluster.patch("namespaces", "default", {"metadata": {"labels": {"off": ""}}})
    cluster.create(config_map("elsewhere", on="yes"))
    cluster.patch("namespaces", "default", {"metadata": {"labels": {"off": None}}})
    cluster.delete(CONFIGURATIONS, "hook.example.com")
    cluster.create(config_map("after", on="yes"))
    assert len(hook.bodies) == 1
    cluster.delete_all("configmaps", "default")


def test_an_equivalent_version_is_converted(cluster, hook):
    rule = {
        "operations": ["*"],
        "apiGroups": ["mutations.gatekeeper.sh"],
        "apiVersions": ["v1"],
    }
    register(cluster, hook, rules=[{**rule, "resources": ["*"]}], kind="Validating")
    obj = {
        "apiVersion": "mutations.gatekeeper.sh/v1beta1",
        "kind": "Assign",
        "metadata": {"name": "old"},
        "spec": {"location": "spec.x"},
    }
    cluster.create(obj)
    request = hook.requests[0]
    assert request["kind"]["version"] == "v1"
    assert request["requestKind"]["version"] == "v1beta1"
    assert request["object"]["apiVersion"] == "mutations.gatekeeper.sh/v1"
    hook.bodies.clear()
    cluster.patch("assign.mutations.gatekeeper.sh", "old", {"status": {}}, subresource="status")
    assert not hook.bodies  # `*` names no subresource
    cluster.delete("assign.mutations.gatekeeper.sh", "old")
    assert [request["operation"] for request in hook.requests] == ["DELETE"]


def test_a_webhook_is_asked_again_when_a_later_one_changed_something(cluster, hook):
    register(cluster, hook, name="a.example.com")
    later = Hook(cluster.standin.authority.issue("later"))
    later.ca = hook.ca
    later.answer = lambda _: patch(add("/data/later", "yes"))
    register(cluster, later, name="b.example.com", reinvocationPolicy="Never")
    made = cluster.create(config_map("twice"))
    assert made["data"]["later"] == "yes"
    assert [("later" in one["object"]["data"]) for one in hook.requests] == [False, True]
    assert len(later.bodies) == 1
    later.close()
    cluster.delete("configmaps", "twice", "default")


def test_a_service_has_several_ports_and_connections_are_kept(cluster, hook):
    admission = cluster.standin.admission
    second = Hook(cluster.standin.authority.issue("second", "DNS:hook.default.svc"))
    admission.client.services.set("default", "hook", [hook.port, second.port])
    one = webhook("svc.example.com", hook.ca, service=("default", "hook", "/v1/mutate"))
    cluster.create(configuration(one, name="svc"))
    dialled = admission.client.dialled
    cluster.create_all([config_map("m%d" % i) for i in range(40)], threads=4)
    assert admission.calls.count("allowed") == 40
    assert hook.bodies and second.bodies and admission.client.dialled - dialled <= 8
    assert "Host: hook.default.svc:443" in hook.heads[0]
    second.close()
    admission.client.services.set("default", "hook", [])
    cluster.delete_all("configmaps", "default")
