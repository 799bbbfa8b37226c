# SPDX-License-Identifier: Apache-2.0
"""Who Fixpoint is to an API server, and what it may do there: tokens that are replaced or
refused, rights that are missing, kubeconfigs that are wrong."""

import re
import subprocess
import threading

import pytest
import yaml
from client import health
from failing_cluster import cluster, standin  # noqa: F401
from fixpoint_cluster import GATEKEEPER, manifests, until
from policies import annotation
from process import SLOW, command
from stored_policies import FAILING, GONE, RESOURCES, agree, said, split
from webhook_configurations import NAMESPACE

CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
ACCOUNT = "system:serviceaccount:fixpoint-system:fixpoint"


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


def test_the_token_is_rotated(fixture, standin, tmp_path):
    """The file is another, the old token is no longer valid: no request fails."""
    account = "system:serviceaccount:%s:fixpoint" % NAMESPACE
    mounted, rotate = standin.service_account(NAMESPACE, "fixpoint", tmp_path / "mounted")
    grant_all(standin, account)
    replica = fixture.start(kubeconfig=with_token_file(standin, mounted, tmp_path))
    plurals = {split(name)[0] for name in RESOURCES}
    for step in range(3):
        standin.revoke(rotate())
        position = len(standin.log)
        standin.http.hang_up()
        fixture.put(annotation("a", "a", str(step)))

        def watched():
            watches = [one for one in list(standin.log)[position:] if one.verb == "watch"]
            return plurals <= {one.resource for one in watches if one.status == 200}

        until(watched, True, within=30)
        agree(fixture, replica)
    assert not [line for line in replica.log.entries(GONE) if "401" in line["error"]]


def test_a_token_that_is_refused_is_told_until_there_is_another(fixture, standin, tmp_path):
    account = "system:serviceaccount:%s:fixpoint" % NAMESPACE
    mounted, rotate = standin.service_account(NAMESPACE, "fixpoint", tmp_path / "mounted")
    grant_all(standin, account)
    fixture.put(annotation("a", "a", "1"))
    rotate()
    standin.revoke((mounted.path / "token").read_text())
    replica = fixture.start(
        kubeconfig=with_token_file(standin, mounted, tmp_path), ready=False
    )
    report = replica.log.wait(GONE)
    assert re.match("list [a-z0-9. ]+: 401 Unauthorized", report["error"]), report
    assert not replica.ready() and replica.process.poll() is None
    rotate()
    replica.wait_ready(30)
    agree(fixture, replica)


def test_no_rights_at_the_start(fixture, standin):
    """Not ready, and it says which rule it needs; with the rights it becomes so."""
    fixture.put(annotation("a", "a", "1"))
    kubeconfig = fixture.cluster.kubeconfig_for("fixpoint", groups=[])
    replica = fixture.start(kubeconfig=kubeconfig, ready=False)
    plurals = {name.partition(".")[0] for name in RESOURCES}
    until(lambda: set(said(replica)) >= plurals, True)
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
    agree(fixture, replica)


def test_the_rights_of_the_manifest_are_enough(fixture, standin):
    """deploy/fixpoint.yaml, with nothing granted that is not written there."""
    roles = ("Namespace", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
    standin.load(*manifests(*roles), *manifests(*CONFIGURATIONS))
    bad = annotation("bad", "bad", "1")
    bad["spec"]["location"] = "spec.no[metadata"
    fixture.put(annotation("a", "a", "1"), bad)
    replica = fixture.start(
        *("--operation", "mutation-webhook", "--operation", "mutation-status"),
        *("--own-namespace", "fixpoint-system", "--apis", "gatekeeper"),
        *("--tls-secret", "fixpoint-webhook-server-cert"),
        names=(),  # the manifest's are those by default
        kubeconfig=standin.kubeconfig_for(ACCOUNT, namespace="fixpoint-system"),
        tls=False,
    )
    for policy in (annotation("a", "a", "1"), bad):
        until(lambda: fixture.entry(policy, replica) is not None, True)
    until(lambda: replica.metric("fixpoint_lease_held"), 1)
    until(lambda: replica.metric("fixpoint_events_total", result="ok"), 1)
    until(lambda: replica.metric("fixpoint_ca_bundle_published"), 1)
    asked = [one for one in list(standin.log) if one.user == ACCOUNT]
    print("asked: %s" % sorted({(one.verb, one.resource, one.subresource) for one in asked}))
    assert asked and not [one for one in asked if one.status == 403]


def test_not_ready_before_its_certificate(fixture, standin):
    """Its answers would use a certificate that no CA has signed."""
    gate = threading.Event()
    standin.faults.add(lambda _: gate.wait(60), resource="secrets")
    arguments = ("--tls-secret", "certificate", "--tls-name", "localhost")
    replica = fixture.start(*arguments, tls=False, ready=False)
    replica.log.wait("policies active")
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
        ("cluster: c,", "cluster: other,", ":4:1: clusters: there is no `other`"),
        ("token: t", "tokenFile: gone", ":8:21: users[0].user.tokenFile: "),
        ("token: t", "exec: {command: aws}", ":8:16: users[0].user.exec: "),
        ("https://localhost:1", "localhost", ":5:22: clusters[0].cluster.server: "),
        ("current-context: x", "current-context: other", ":10:1: contexts: there is no `other`"),
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
