# SPDX-License-Identifier: Apache-2.0
"""An API server that fails in every way there is: what was read last goes on to count, and
in the end Fixpoint has what the server has."""

import os
import random
import subprocess
import threading
import time

import jsonpatch
import pytest
import yaml
from client import answer, ask, health, patch_of, pod, review
from fixpoint_cluster import (
    FIXPOINT,
    GATEKEEPER,
    NAMESPACE,
    definitions,
    manifests,
    resource_of,
    until,
)
from policies import annotation, assign
from process import SLOW, command
from standin import faults
from standin.cluster import Cluster

CUTS = 100
SEED = int(os.environ.get("FIXPOINT_SEED", "1"))
CHANGING = [
    (group, kind) for group in (GATEKEEPER, FIXPOINT) for kind in ("Assign", "AssignMetadata")
]
ANNOTATIONS = "assignmetadata." + GATEKEEPER
FAILING = "cannot be read: what was read last counts"
CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
GATEKEEPERS = "gatekeeper-%s-webhook-configuration"
ACCOUNT = "system:serviceaccount:fixpoint-system:fixpoint"


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path / "cluster")
    made.need_standin().folder.mkdir(exist_ok=True)
    made.load(*definitions())
    yield made
    made.close()


@pytest.fixture
def standin(cluster):
    yield cluster.standin
    cluster.standin.faults.clear()
    cluster.standin.thaw()
    cluster.standin.http.stop_listening()  # it is there again, whatever happened
    cluster.standin.reappear()


def objects(standin, group, kind):
    plural = resource_of({"apiVersion": group + "/v1alpha1", "kind": kind}).partition(".")[0]
    return standin.objects(group, plural)


def stored(world):
    """What the stored policies write into a Pod that is created now, by its last key."""
    found = {}
    for group, kind in CHANGING:
        for policy in objects(world.cluster.standin, group, kind):
            key = policy["spec"]["location"].rpartition(".")[2].strip('"')
            found[key] = policy["spec"]["parameters"]["assign"]["value"]
    return found


def agree(world, replica, within=30):
    """Waits until objects get just what the policies say that are stored."""
    wanted = stored(world)
    until(lambda: seen_by(replica), wanted, within)


def seen_by(replica):
    """What a review writes, asked past the API server."""
    obj = pod(namespace=NAMESPACE)
    patched = jsonpatch.apply(obj, patch_of(answer(ask(replica, review(obj)))) or [])
    return {
        **patched["metadata"].get("annotations", {}),
        **patched["spec"].get("nodeSelector", {}),
    }


def said(replica):
    """Of what it said that it cannot be read, by resource."""
    return {line["resource"]: line["error"] for line in replica.log.entries(FAILING)}


# --- watches ---------------------------------------------------------------------------------


def change(cluster, dice, count):
    """Creates, changes or deletes one policy, by dice."""
    group, kind = dice.choice(CHANGING)
    key = "%s-%s-%02d" % (group[10], kind.lower(), dice.randrange(30))
    make = annotation
    location = key
    if kind == "Assign":
        make, location = assign, "spec.nodeSelector." + key
    policy = make(key, location, str(count))
    policy["apiVersion"] = group + "/v1alpha1"
    if dice.random() < 0.3 and cluster.find(resource_of(policy), key):
        cluster.delete(resource_of(policy), key)
    else:
        cluster.load(policy)


def test_watches_that_are_cut_again_and_again(world, standin):
    """A hundred times, at whatever byte, within lines and chunk sizes, while policies come,
    change and go."""
    replica = world.start()
    cut = faults.cut(0, 6000, seed=SEED, rst=SEED % 2 == 0)
    rule = standin.faults.add(cut, times=CUTS, verb="watch", user="fixpoint")
    standin.http.hang_up()
    dice, count = random.Random(SEED), 0
    deadline = time.monotonic() + 60 * SLOW
    while rule.hits < CUTS:
        assert time.monotonic() < deadline, "%d cuts" % rule.hits
        change(world.cluster, dice, count)
        count += 1
        time.sleep(0.005)
    agree(world, replica)
    print("seed %d: %d changes, %d cuts" % (SEED, count, rule.hits))
    assert len(stored(world)) > 10
    until(lambda: replica.state(ANNOTATIONS), "watching")


def away(standin):
    """From now on the API server ends every connection of Fixpoint's, until the rule that is
    given is removed."""
    rule = standin.faults.add(faults.close(), user="fixpoint")
    standin.http.hang_up()
    return rule


@pytest.mark.parametrize("silent", (0, 2), ids=("told", "lost"))
@pytest.mark.parametrize("in_head", (False, True), ids=("in the stream", "as a status"))
def test_a_version_that_is_too_old(world, standin, in_head, silent):
    """What happened meanwhile is listed; also where a watch first ends without a word."""
    standin.settings.expired_in_head = in_head
    gone = annotation("gone", "gone", "1")
    world.put(annotation("stays", "stays", "1"), gone)
    replica = world.start()
    rule = away(standin)
    world.drop(gone)
    world.put(annotation("stays", "stays", "2"), annotation("new", "new", "1"))
    standin.expire()
    if silent:
        standin.faults.add(faults.silence(), times=silent, verb="watch", skip=0)
    standin.faults.remove(rule)
    agree(world, replica)
    assert stored(world) == {"stays": "2", "new": "1"}
    lists = standin.log.of(verb="list", resource="assignmetadata", user="fixpoint")
    assert len(lists) > 1
    watches = standin.log.of(verb="watch", resource="assignmetadata", user="fixpoint")
    assert not in_head or 410 in [one.status for one in watches]


def test_pages_that_are_too_old(world, standin):
    """The rest of a list is gone when it is asked for: it begins again."""
    policies = [annotation("p%04d" % i, "p%04d" % i, "1") for i in range(1100)]
    world.cluster.load(*policies)

    def expire(exchange):
        standin.expire()

    rule = standin.faults.add(
        expire, times=1, resource="assignmetadata", query=lambda query: "continue" in query
    )
    replica = world.start()
    assert rule.hits == 1
    assert replica.metric("fixpoint_kube_objects", resource=ANNOTATIONS) == len(policies)
    assert replica.metric("gatekeeper_mutators", status="active") == len(policies)


# --- answers ---------------------------------------------------------------------------------


def sample(i):
    """An object of each kind that is read."""
    apply_to = [{"groups": [""], "versions": ["v1"], "kinds": ["Pod"]}]
    own = {"applyTo": apply_to, "location": "spec.nodeSelector.n%d" % i}
    value = {**own, "parameters": {"assign": {"value": str(i)}}}
    listed = {
        "applyTo": apply_to,
        "location": "spec.l%d" % i,
        "parameters": {"operation": "merge", "values": {"fromList": ["x"]}},
    }
    image = {
        "applyTo": apply_to,
        "location": "spec.i%d.image" % i,
        "parameters": {"assignTag": ":%d" % i},
    }
    pick = {
        "location": "metadata.annotations.a%d" % i,
        "parameters": {"assign": {"value": str(i)}},
    }
    made = []
    for group in (GATEKEEPER, FIXPOINT):
        made += [
            (group, "Assign", value),
            (group, "AssignMetadata", pick),
            (group, "ModifySet", listed),
            (group, "AssignImage", image),
        ]
    made.append((FIXPOINT, "Remove", {**own, "location": "spec.r%d" % i}))
    provider = {"url": "https://localhost:1/%d" % i, "timeout": 1, "caBundle": "Cg=="}
    made.append(("externaldata.gatekeeper.sh", "Provider", provider))
    objects = []
    for group, kind, spec in made:
        version = "v1beta1" if kind == "Provider" else "v1alpha1"
        metadata = {"name": "%s-%d" % (kind.lower(), i)}
        objects.append(
            {
                "apiVersion": "%s/%s" % (group, version),
                "kind": kind,
                "metadata": metadata,
                "spec": spec,
            }
        )
    metadata = {"name": "space-%d" % i}
    return objects + [{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}]


def name_of(obj):
    return "namespaces" if obj["kind"] == "Namespace" else resource_of(obj)


def split(name):
    """(plural, group)"""
    plural, _, group = name.partition(".")
    return plural, group


RESOURCES = [name_of(obj) for obj in sample(0)]
LISTS = [
    faults.answer(500),
    faults.answer(503, retry_after=1),
    faults.answer(429, "slow down", retry_after=1),
    faults.garbage(),
    faults.garbage(b"<html>hello</html>", "text/html"),
    faults.garbage(b"{}"),
    faults.reset(),
    faults.reset(after_head=True),
    faults.close(after_head=True),
    faults.cut(10, 500, seed=1),
    faults.trickle(7, 0.0005),
]
WATCHES = [
    faults.answer(500),
    faults.answer(429, "slow down", retry_after=1),
    faults.garbage(),
    faults.endless_line(32 << 20),
    faults.in_stream(b'{"type":"ADDED","obj'),
    faults.in_stream(b'{"type":"ADDED","object":{"metadata":{}}}\n'),
    faults.in_stream(b'{"type":"WHAT","object":{"metadata":{"name":"a"}}}\n'),
    faults.reset(after_head=True),
    faults.expired(),
    faults.silence(),
    faults.trickle(3, 0.0001),
]


def inject(standin, actions, verb):
    """Each resource gets a fault of its own, twice."""
    assert len(actions) == len(RESOURCES)
    rules = []
    for name, action in zip(RESOURCES, actions):
        plural, group = split(name)
        rules.append(
            standin.faults.add(
                action, times=2, verb=verb, resource=plural, group=group, user="fixpoint"
            )
        )
    return rules


def counts_of(replica):
    found = replica.metrics()
    return {
        name: found.get(("fixpoint_kube_objects", (("resource", name),)))
        for name in RESOURCES
    }


def counts_in(standin):
    return {
        name: len(standin.objects(split(name)[1], split(name)[0])) for name in RESOURCES
    }


def test_every_list_fails_in_its_own_way(world, standin):
    """And yet all is read; only then it is ready."""
    world.cluster.load(*sample(1), *sample(2))
    rules = inject(standin, LISTS, "list")
    gate = threading.Event()
    last = standin.faults.add(lambda _: gate.wait(60), verb="list", resource="configs")
    replica = world.start(ready=False)
    last.wait()
    assert not replica.ready()
    gate.set()
    replica.wait_ready(30)
    assert [rule.hits for rule in rules[:-1]] == [2] * (len(rules) - 1)
    assert counts_of(replica) == counts_in(standin)
    agree(world, replica)
    told = said(replica)
    assert "list assign.mutations.gatekeeper.sh: 500" in told["assign"]
    assert all(error.startswith("list ") for error in told.values()), told


def test_every_watch_fails_in_its_own_way(world, standin):
    world.cluster.load(*sample(1), *sample(2))
    replica = world.start()
    rules = inject(standin, WATCHES, "watch")
    standin.http.hang_up()
    for obj in sample(1):
        world.drop(obj)
    world.cluster.load(*sample(3))
    for i, rule in enumerate(rules[:-1]):  # the last is only slow
        rule.wait(2, 30 * SLOW)
        world.cluster.load(*sample(4 + i))
    until(lambda: counts_of(replica) == counts_in(standin), True, within=30)
    agree(world, replica)
    until(lambda: {replica.state(name) for name in RESOURCES}, {"watching"}, within=30)
    print("resident: %d KiB at most" % replica.memory("VmHWM"))


# --- gone, and back --------------------------------------------------------------------------


def test_the_api_server_is_gone_for_a_while(world, standin):
    """Reviews are answered as before, and it says what it cannot read."""
    world.put(annotation("a", "a", "1"))
    replica = world.start()
    world.register(replica.port, replica.ca)
    standin.disappear()
    until(lambda: replica.state(ANNOTATIONS), "failing")
    world.cluster.load(annotation("a", "a", "2"))
    for _ in range(20):
        assert seen_by(replica) == {"a": "1"}
        time.sleep(0.1)
    assert replica.ready()
    error = said(replica)["assignmetadata"]
    assert error.startswith("watch assignmetadata.mutations.gatekeeper.sh: "), error
    assert "refused" in error
    assert len(replica.log.entries(FAILING)) < 100
    standin.reappear()
    agree(world, replica)
    world.expect(a="2")
    until(lambda: replica.state(ANNOTATIONS), "watching")


def test_the_api_server_says_nothing_for_a_while(world, standin):
    world.put(annotation("a", "a", "1"))
    replica = world.start()
    standin.freeze()
    world.cluster.load(annotation("a", "a", "2"))
    for _ in range(20):
        assert seen_by(replica) == {"a": "1"}
    assert replica.ready()
    standin.thaw()
    agree(world, replica)


# --- who we are, and what we may -------------------------------------------------------------


def with_token_file(standin, mounted, folder):
    """A kubeconfig of a mounted service account."""
    document = yaml.safe_load(standin.kubeconfig_for("nobody").read_text())
    document["users"][0]["user"] = {"tokenFile": str(mounted.path / "token")}
    path = folder / "mounted.kubeconfig"
    path.write_text(yaml.safe_dump(document))
    return path


def grant_all(standin, user):
    standin.grant(user, ["get", "list", "watch"], ["*"], group="*")


def test_the_token_is_rotated(world, standin, tmp_path):
    """The file is another, the old token is no longer valid: nobody notices."""
    account = "system:serviceaccount:%s:fixpoint" % NAMESPACE
    mounted, rotate = standin.service_account(NAMESPACE, "fixpoint", tmp_path / "mounted")
    grant_all(standin, account)
    replica = world.start(kubeconfig=with_token_file(standin, mounted, tmp_path))
    plurals = {split(name)[0] for name in RESOURCES}
    for turn in range(3):
        standin.revoke(rotate())
        position = len(standin.log)
        standin.http.hang_up()
        world.put(annotation("a", "a", str(turn)))

        def watched():
            watches = [one for one in list(standin.log)[position:] if one.verb == "watch"]
            return plurals <= {one.resource for one in watches if one.status == 200}

        until(watched, True, within=30)
        agree(world, replica)
    assert not [error for error in said(replica).values() if "401" in error]


def test_a_token_that_is_refused_is_told_until_there_is_another(world, standin, tmp_path):
    account = "system:serviceaccount:%s:fixpoint" % NAMESPACE
    mounted, rotate = standin.service_account(NAMESPACE, "fixpoint", tmp_path / "mounted")
    grant_all(standin, account)
    world.put(annotation("a", "a", "1"))
    rotate()
    standin.revoke((mounted.path / "token").read_text())
    replica = world.start(
        kubeconfig=with_token_file(standin, mounted, tmp_path), ready=False
    )
    until(lambda: len(said(replica)) >= len(RESOURCES), True)
    assert "list assign.mutations.gatekeeper.sh: 401 Unauthorized" in said(replica)["assign"]
    assert not replica.ready() and replica.process.poll() is None
    rotate()
    replica.wait_ready(30)
    agree(world, replica)


def test_no_rights_at_the_start(world, standin):
    """Not ready, and it says which rule it needs; with the rights it becomes so."""
    world.put(annotation("a", "a", "1"))
    kubeconfig = world.cluster.kubeconfig_for("fixpoint", groups=[])
    replica = world.start(kubeconfig=kubeconfig, ready=False)
    until(lambda: len(said(replica)) >= len(RESOURCES), True)
    error = said(replica)["assign"]
    assert error.startswith("list assign.mutations."), error
    error = next(
        line["error"]
        for line in replica.log.entries(FAILING)
        if line["resource"] == "assign" and line["group"] == GATEKEEPER
    )
    assert error.startswith("list assign.mutations.gatekeeper.sh: 403 Forbidden: "), error
    assert error.endswith(
        'the ClusterRole needs apiGroups ["mutations.gatekeeper.sh"], resources ["assign"], '
        'verbs ["list","watch"]'
    ), error
    assert not replica.ready() and replica.process.poll() is None
    assert replica.state("assign." + GATEKEEPER) == "failing"
    grant_all(standin, "fixpoint")
    replica.wait_ready(30)
    agree(world, replica)


def test_the_rights_of_the_manifest_are_enough(world, standin):
    """deploy/fixpoint.yaml, with nothing granted that is not written there."""
    roles = ("Namespace", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
    standin.load(*manifests(*roles), *manifests(*CONFIGURATIONS))
    bad = annotation("bad", "bad", "1")
    bad["spec"]["location"] = "spec.no[metadata"
    world.put(annotation("a", "a", "1"), bad)
    replica = world.start(
        *("--operation", "mutation-webhook", "--operation", "mutation-status"),
        *("--own-namespace", "fixpoint-system", "--lease-name", "fixpoint"),
        *("--mutating-webhook-configuration-name", GATEKEEPERS % "mutating"),
        *("--validating-webhook-configuration-name", GATEKEEPERS % "validating"),
        *("--tls-secret", "fixpoint-webhook-server-cert"),
        kubeconfig=standin.kubeconfig_for(ACCOUNT, namespace="fixpoint-system"),
        tls=False,
    )
    for policy in (annotation("a", "a", "1"), bad):
        until(lambda: world.entry(policy, replica) is not None, True)
    until(lambda: replica.metric("fixpoint_lease_held"), 1)
    until(lambda: replica.metric("fixpoint_events_total", result="ok"), 1)
    until(lambda: replica.metric("fixpoint_ca_bundle_published"), 1)
    asked = [one for one in list(standin.log) if one.user == ACCOUNT]
    print("asked: %s" % sorted({(one.verb, one.resource, one.subresource) for one in asked}))
    assert asked and not [one for one in asked if one.status == 403]


def test_not_ready_before_its_certificate(world, standin):
    """Whoever asked it would be shown one that nobody vouches for."""
    gate = threading.Event()
    standin.faults.add(lambda _: gate.wait(60), resource="secrets")
    arguments = ("--tls-secret", "certificate", "--tls-name", "localhost")
    replica = world.start(*arguments, tls=False, ready=False)
    replica.log.wait("policies in force")
    replica.log.wait("webhook port answers")
    status, text = health(replica, "/readyz")
    assert status == 503 and "[-]certificate failed: " in text, text
    gate.set()
    replica.wait_ready()
    assert standin.log.of(verb="create", resource="secrets")


# --- kubeconfigs -----------------------------------------------------------------------------

GOOD = """apiVersion: v1
kind: Config
clusters:
- name: c
  cluster: {server: "https://localhost:1", insecure-skip-tls-verify: true}
users:
- name: u
  user: {token: t}
contexts:
- name: x
  context: {cluster: c, user: u}
current-context: x
"""


@pytest.mark.parametrize(
    "before, after, words",
    [
        ("cluster: c,", "cluster: other,", ":4:1: clusters: no `other` in it"),
        ("token: t", "tokenFile: gone", ":8:21: users[0].user.tokenFile: "),
        ("token: t", "exec: {command: aws}", ":8:16: users[0].user.exec: "),
        ("https://localhost:1", "localhost", ":5:22: clusters[0].cluster.server: "),
        ("current-context: x", "current-context: other", ":10:1: contexts: no `other` in it"),
        ("users:", "users: [", ":7:1: yaml: "),
    ],
)
def test_a_kubeconfig_that_is_wrong(tmp_path, before, after, words):
    path = tmp_path / "config"
    path.write_text(GOOD.replace(before, after))
    assert path.read_text() != GOOD
    status, text = refused(path)
    assert status == (5 if "gone" in after else 3) and str(path) + words in text, text


def test_a_kubeconfig_that_is_not_there(tmp_path):
    status, text = refused(tmp_path / "gone")
    assert status == 5 and str(tmp_path / "gone") in text and "No such file" in text


def refused(path):
    """(exit status, what was said) of a start that ends at once."""
    ended = subprocess.run(
        command() + ["serve", "--kubeconfig", str(path), "--tls-self-signed"],
        capture_output=True,
        timeout=30 * SLOW,
        check=False,
    )
    return ended.returncode, ended.stderr.decode()
