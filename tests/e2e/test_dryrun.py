# SPDX-License-Identifier: Apache-2.0
"""PUT /v1/dryrun: rules tried on an object over a plain port of their own."""

import http.client
import json
import signal
import socket
import threading

import jsonpatch
import pytest
from client import answer, ask, health, pod, review
from metrics_text import read
from policies import pull_always
from process import ANY_PORT, SLOW

JSON = {"Content-Type": "application/json"}
AT_ONCE, WAITING = 2, 32  # FX_LIMIT_DRYRUNS, FX_LIMIT_DRYRUNS_WAITING

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
    "spec": {
        "replicas": 3,
        "template": {"spec": {"containers": [{"name": "web", "image": "nginx:1.25"}]}},
    },
}


def rule(name, spec, **metadata):
    return {
        "apiVersion": "api.kubemod.io/v1beta1",
        "kind": "ModRule",
        "metadata": {"name": name, **metadata},
        "spec": spec,
    }


def patching(name, *operations, select="$.kind", value="Deployment", **more):
    match = [{"select": select, "matchValue": value}]
    return rule(name, {"type": "Patch", "match": match, "patch": list(operations), **more})


def rejecting(name, message, select="$.spec.replicas > 2", **more):
    spec = {"type": "Reject", "match": [{"select": select}], "rejectMessage": message}
    return rule(name, {**spec, **more})


LABEL = patching("label", {"op": "add", "path": "/metadata/labels/color", "value": "red"})
TOO_MANY = rejecting("too-many", "{{ .Target.metadata.name }} in {{ .Namespace }}")


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {key.lower(): value for key, value in response.getheaders()}
        self.body = response.read()

    def json(self):
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.body)


def send(server, body, method="PUT", path="/v1/dryrun", headers=JSON):
    host, _, port = server.log.wait("serving dry runs")["listen"].rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60 * SLOW)
    try:
        connection.request(method, path, body, headers)
        return Answer(connection.getresponse())
    finally:
        connection.close()


def encode(rules, manifest=DEPLOYMENT, **more):
    return json.dumps({"resourceManifest": manifest, "modRules": rules, **more})


def dry_run(server, rules, manifest=DEPLOYMENT, **more):
    done = send(server, encode(rules, manifest, **more))
    assert done.status == 200, done.body
    return done.json()


def fault(server, body):
    done = send(server, body)
    assert done.status == 400, done.body
    said = done.json()
    assert list(said) == ["error"]
    return said["error"]


@pytest.fixture
def server(start):
    return start(pull_always(), args=["--web-listen", ANY_PORT])


# ---- what comes of it ----------------------------------------------------------------


def test_patch_difference_and_rejections(server):
    got = dry_run(server, [LABEL, TOO_MANY])
    assert list(got)[:3] == ["patch", "diff", "rejections"]
    assert got["patch"] == [{"op": "add", "path": "/metadata/labels/color", "value": "red"}]
    assert got["diff"].splitlines() == [
        "@@ -5,6 +5,7 @@",
        "   namespace: shop",
        "   labels:",
        "     app: web",
        "+    color: red",
        " spec:",
        "   replicas: 3",
        "   template:",
    ]
    assert got["rejections"] == ['dryrun-namespace/too-many: "web in dryrun-namespace"']
    assert got["warnings"] == []
    assert [(row["name"], row["matched"], row["changed"]) for row in got["rules"]] == [
        ("dryrun-namespace/label", True, True),
        ("dryrun-namespace/too-many", True, False),
    ]


def test_nothing_comes_of_rules_that_do_not_match(server):
    got = dry_run(server, [patching("pods", {"op": "remove", "path": "/spec"}, value="Pod")])
    assert (got["patch"], got["diff"], got["rejections"]) == ([], "", [])
    assert got["rules"] == [
        {
            "source": "modRules[0]",
            "kind": "ModRule",
            "name": "dryrun-namespace/pods",
            "matched": False,
            "changed": False,
            "criterion": "match[0]",
            "wanted": '$.kind == "Pod"',
            "found": '"Deployment"',
        }
    ]


def test_no_rules_at_all(server):
    got = dry_run(server, [])
    assert got == {"patch": [], "diff": "", "rejections": [], "warnings": [], "rules": []}


def test_the_patch_gives_what_the_rules_say(server):
    """A sidecar, an image of another registry, and a field that goes; tier by tier."""
    sidecar = '{"name": "proxy", "image": "envoy:1"}'
    rules = [
        patching(
            "image",
            {
                "op": "replace",
                "select": "$.spec.template.spec.containers[*].image",
                "path": "/spec/template/spec/containers/#0/image",
                "value": "{{ .SelectedItem | replace \"nginx\" \"mirror/nginx\" }}",
            },
        ),
        patching(
            "sidecar",
            {"op": "add", "path": "/spec/template/spec/containers/-1", "value": sidecar},
            executionTier=1,
        ),
        patching("scale", {"op": "remove", "path": "/spec/replicas"}, executionTier=2),
    ]
    result = jsonpatch.apply(DEPLOYMENT, dry_run(server, rules)["patch"])
    assert "replicas" not in result["spec"]
    assert result["spec"]["template"]["spec"]["containers"] == [
        {"name": "web", "image": "mirror/nginx:1.25"},
        json.loads(sidecar),
    ]


def test_what_kubemod_lets_clients_leave_out(server):
    """Type and namespace of a rule; those that are given do not count."""
    bare = {"metadata": {"name": "label"}, "spec": LABEL["spec"]}
    elsewhere = rule("reject", TOO_MANY["spec"], namespace="kubemod-system")
    elsewhere["spec"]["targetNamespaceRegex"] = "^nowhere$"
    got = dry_run(server, [bare, elsewhere])
    assert len(got["patch"]) == 1
    assert got["rejections"] == ['dryrun-namespace/reject: "web in dryrun-namespace"']


def test_objects_in_no_namespace(server):
    """Every rule applies to a Namespace and to what is cluster-scoped as well."""
    for kind in ("Namespace", "Node", "ClusterRole"):
        manifest = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x", "labels": {}}}
        any_kind = patching("label", LABEL["spec"]["patch"][0], value=kind)
        assert len(dry_run(server, [any_kind], manifest)["patch"]) == 1, kind


def test_operations(server):
    update = patching("label", LABEL["spec"]["patch"][0], admissionOperations=["UPDATE"])
    keep = rejecting("keep", "no", admissionOperations=["DELETE"])
    assert dry_run(server, [update, keep])["patch"] == []
    assert dry_run(server, [update, keep])["rules"][0]["criterion"] == "admissionOperations"
    assert len(dry_run(server, [update, keep], operation="UPDATE")["patch"]) == 1
    deleted = dry_run(server, [update, keep], operation="DELETE")
    assert deleted["patch"] == []
    assert deleted["rejections"] == ['dryrun-namespace/keep: "no"']
    assert deleted["rules"][0]["criterion"] == "operation"


def test_in_a_namespace_rules_count_where_they_live(server):
    """As in a cluster, with the Namespace and the Node that rules see."""
    here = rejecting("here", "{{ .Target.syntheticRefs.namespace.metadata.labels.env }}")
    there = rule("there", TOO_MANY["spec"], namespace="other")
    for_shops = rule("shops", dict(TOO_MANY["spec"]), namespace="kubemod-system")
    for_shops["spec"]["targetNamespaceRegex"] = "^sh"
    for_others = rule("others", dict(TOO_MANY["spec"]), namespace="kubemod-system")
    for_others["spec"]["targetNamespaceRegex"] = "^bank"
    shop = {"apiVersion": "v1", "kind": "Namespace"}
    shop["metadata"] = {"name": "shop", "labels": {"env": "prod"}}
    got = dry_run(server, [here, there, for_shops, for_others], namespaceManifest=shop)
    assert got["rejections"] == [
        'kubemod-system/shops: "web in shop"',
        'shop/here: "prod"',
    ]
    criteria = {row["name"]: row.get("criterion") for row in got["rules"]}
    assert criteria["other/there"] == "namespace"
    assert criteria["kubemod-system/others"] == "targetNamespaceRegex"
    said = {row["name"]: (row.get("wanted"), row.get("found")) for row in got["rules"]}
    assert said["other/there"] == ("other", "namespace shop")
    assert said["kubemod-system/others"] == ("^bank", "namespace shop")
    assert said["kubemod-system/shops"] == (None, None)


def test_a_node(server):
    manifest = pod()
    manifest["metadata"]["annotations"] = {"ref.kubemod.io/nodename": "n1"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    select = "isDefined($.syntheticRefs.node.metadata.name)"
    has_node = rejecting("node", "{{ .Target.syntheticRefs.node.metadata.name }}", select)
    assert dry_run(server, [has_node], manifest)["rejections"] == []
    got = dry_run(server, [has_node], manifest, nodeManifest=node)
    assert got["rejections"] == ['dryrun-namespace/node: "n1"']


def test_other_policies_beside_them(server):
    """A Gatekeeper mutator sees what the rule sees, in one loop."""
    got = dry_run(server, [], pod(), policies=[pull_always()])
    assert [op["value"] for op in got["patch"]] == ["Always"]
    assert got["rules"][0]["source"] == "policies[0]"


def test_one_that_fails_is_told(server):
    broken = patching("broken", {"op": "replace", "path": "/no/where", "value": "1"})
    got = dry_run(server, [broken, LABEL], typo=1)
    assert len(got["patch"]) == 1
    assert got["warnings"][0] == 'the request: unknown field "typo"'
    assert "ModRule.api.kubemod.io dryrun-namespace/broken was skipped: " in got["warnings"][1]
    assert got["rules"][0]["failure"] in got["warnings"][1]


# ---- what is wrong with it -----------------------------------------------------------


FAULTS = [
    ("", "unexpected end of JSON input"),
    ("{", "unexpected end of JSON input"),
    ("[" * 2000, "exceeded max depth"),
    ("[]", "not a JSON object"),
    ("{}", "`resourceManifest` is missing"),
    ('{"resourceManifest": {}}', "`modRules` is missing"),
    ('{"resourceManifest": [], "modRules": []}', "`resourceManifest` must be an object"),
    ('{"resourceManifest": {}, "modRules": {}}', "`modRules` must be a list"),
    ('{"resourceManifest": {}, "modRules": [1]}', "`modRules[0]` must be an object"),
    ('{"resourceManifest": null, "modRules": []}', "`resourceManifest` is missing"),
    (encode([], operation="CONNECT"), "`operation`: `CONNECT` is none of"),
    (encode([], operation=3), "`operation` must be a string"),
    (encode([], namespace="bank"), "in the namespace `shop`, and the request in `bank`"),
    (encode([], namespaceManifest={}), "`namespaceManifest` has no `metadata.name`"),
    (encode([LABEL] * 65), "more than 64 rules"),
    (encode([{**LABEL, "kind": "Assign"}]), "modRules[0]: not a ModRule"),
    (encode([{"spec": LABEL["spec"]}]), "has no `metadata.name`"),
]


@pytest.mark.parametrize("row", range(len(FAULTS)))
def test_faults(server, row):
    body, words = FAULTS[row]
    assert words in fault(server, body)


def test_all_faults_of_all_rules(server):
    one = rule("one", {"type": "Nope", "match": [{"select": "$$"}]})
    two = rule("two", {"type": "Reject", "match": [{"select": "$", "matchRegex": "("}]})
    lines = fault(server, encode([one, LABEL, two])).split("\n")
    assert all(line.startswith("modRules[0]: ModRule/dryrun-namespace/one") for line in lines[:-1])
    assert len(lines) == 3
    assert lines[2].startswith("modRules[2]: ModRule/dryrun-namespace/two")
    assert "spec.match[0].matchRegex" in lines[2]


def test_as_http_has_it(server):
    body = encode([LABEL])
    done = send(server, body, "POST")
    assert (done.status, done.headers["allow"]) == (405, "PUT")
    assert send(server, body, path="/v1/dryruns").status == 404
    assert send(server, None, "GET", "/metrics").status == 404
    for headers in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/jsonp"}):
        done = send(server, body, headers=headers)
        assert done.status == 415 and "application/json" in done.json()["error"]
    for kind in ("application/json; charset=utf-8", "Application/JSON ;q=1"):
        assert send(server, body, headers={"Content-Type": kind}).status == 200
    try:
        assert send(server, " " * ((2 << 20) + 1)).status == 413
    except (BrokenPipeError, ConnectionResetError):
        pass  # it was answered and closed before all was sent
    assert send(server, body).status == 200


def test_it_is_not_there_unless_asked_for(start):
    server = start(pull_always())
    assert not server.log.entries("serving dry runs")
    assert not [path for path in ("/v1/dryrun",) if health(server, path)[0] != 404]


def test_a_port_that_is_taken(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        with pytest.raises(AssertionError, match="address already in use"):
            start(pull_always(), args=["--web-listen", address])


# ---- many, slow, and the end ---------------------------------------------------------

# As many rules as there may be, each of which takes all steps that it may: the deadline
# ends it.
BOMB = "{{ range until 500 }}{{ range until 500 }}{{ end }}{{ end }}x"
SLOW_DRY_RUN = encode(
    [
        patching("slow%d" % number, {"op": "add", "select": "$.l[*]", "path": "/l/#0", "value": BOMB})
        for number in range(64)
    ],
    dict(DEPLOYMENT, l=[0] * 9000),
)


class Asking(threading.Thread):
    def __init__(self, server, seconds):
        super().__init__()
        self.server, self.path = server, "/v1/dryrun?timeout=%ds" % seconds
        self.answer = None
        self.start()

    def run(self):
        self.answer = send(self.server, SLOW_DRY_RUN, path=self.path)


def wait_for(condition):
    pause = threading.Event()
    for _ in range(int(600 * SLOW)):
        if condition():
            return
        pause.wait(0.05)
    raise AssertionError("it does not come to pass")


def connections(server):
    """How many there are to the port of dry runs, by the kernel's table."""
    port = int(server.log.entries("serving dry runs")[0]["listen"].rpartition(":")[2])
    lines = open("/proc/net/tcp").read().splitlines()[1:]
    return sum(line.split()[1].endswith(":%04X" % port) and line.split()[3] == "01" for line in lines)


def counted(server):
    samples = read(health(server, "/metrics")[1])
    name = "fixpoint_dryrun_requests_total"
    return {dict(labels)["code"]: value for (family, labels), value in samples.items() if family == name}


def test_too_many_at_once(server):
    """They wait for each other, and no review waits for them; too many are refused."""
    wait_for(lambda: health(server, "/readyz")[0] == 200)
    seconds = max(2, SLOW)  # less than the rules take, which sanitizers slow down less
    asking = [Asking(server, seconds) for _ in range(AT_ONCE + WAITING + 3)]
    wait_for(lambda: counted(server)["503"] == 3)
    assert health(server, "/healthz")[0] == 200
    assert health(server, "/readyz")[0] == 200
    assert answer(ask(server, review(pod())))["allowed"]
    assert counted(server)["503"] == 3  # the others still run, or wait
    for one in asking:
        one.join()
        assert one.answer.status == 503 and one.answer.headers["retry-after"] == "1"
    words = [one.answer.json()["error"] for one in asking]
    assert words.count("too many dry runs at once") == 3
    assert sum("deadline exceeded" in text for text in words) == AT_ONCE + WAITING
    assert dry_run(server, [LABEL])["patch"]
    assert counted(server)["200"] == 1


def test_the_end_waits_for_an_answer(server):
    asking = Asking(server, 2)
    wait_for(lambda: connections(server) == 1)
    server.signal(signal.SIGTERM)
    server.log.wait("draining")
    server.signal(signal.SIGTERM)
    server.log.wait("stopping")
    asking.join()
    assert asking.answer.status == 503 and "deadline exceeded" in asking.answer.json()["error"]
    assert asking.answer.headers["connection"] == "close"
    assert server.wait() == 0


def test_a_client_that_leaves(server):
    """Its dry run has no client at its end, and the next one starts."""
    host, _, port = server.log.wait("serving dry runs")["listen"].rpartition(":")
    body = SLOW_DRY_RUN.encode()
    head = "PUT /v1/dryrun?timeout=2s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    with socket.create_connection((host, int(port)), 10) as client:
        client.sendall(("%sContent-Length: %d\r\n\r\n" % (head, len(body))).encode() + body)
    assert dry_run(server, [LABEL])["patch"]
    wait_for(lambda: counted(server)["503"] == 1)
