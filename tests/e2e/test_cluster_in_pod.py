# SPDX-License-Identifier: Apache-2.0
"""`fixpoint serve` in a Pod: the API server is that of its environment, and the volume of its
service account says the rest. That volume is mounted where the kubelet mounts it, in a mount
namespace of the process's own (unshare, of util-linux); where there can be none, this is
skipped."""

import functools
import os
import subprocess

import pytest
from fixpoint_cluster import GATEKEEPER, LEASES, RULES, Replica, definitions, manifests, until
from policies import annotation
from process import ANY_PORT, SLOW, Server, command
from standin.cluster import Cluster, Refused, configuration, webhook

NAMESPACE, SERVICE = "fixpoint-system", "fixpoint-webhook-service"
POLICY, MUTATOR = annotation("a", "a", "1"), "assignmetadata"
IGNORE = "admission.gatekeeper.sh/ignore"
FORBIDDEN = (
    'admission webhook "check-ignore-label.gatekeeper.sh" denied the request: '
    "Only exempt namespace can have the %s label" % IGNORE
)
SERVER = ("KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT")
VOLUME = "/var/run/secrets/kubernetes.io/serviceaccount"
# What a container finds below /var/run: the volume ($1), and nothing of this machine's.
CONTAINER = """set -e
mount -t tmpfs -o mode=755 container /var/run
mkdir -p {0}
mount --bind "$1" {0}
shift
exec "$@"
""".format(VOLUME)


# --- a Pod -----------------------------------------------------------------------------------


@functools.cache
def unshare():
    """What comes before a command that is to have mounts of its own: for root, and for who
    can only be root of a user namespace."""
    for more in ((), ("--user", "--map-root-user")):
        before = ["env", "unshare", "--mount", *more]
        trial = ["mount", "-t", "tmpfs", "container", "/var/run"]
        tried = subprocess.run(before + trial, capture_output=True, text=True, timeout=60)
        if tried.returncode == 0:
            return before
    pytest.skip("no mount namespace can be made here: " + tried.stderr.strip())


@pytest.fixture
def volume(tmp_path, monkeypatch):
    """A folder. Whatever is started from now on has it as the volume of its service account,
    and a Pod's environment without an API server."""
    made, script = tmp_path / "volume", tmp_path / "container.sh"
    made.mkdir()
    script.write_text(CONTAINER)
    tool = os.environ.get("FIXPOINT_WRAPPER", "").split()
    enter = [*unshare(), "sh", str(script), str(made), *tool]
    monkeypatch.setenv("FIXPOINT_WRAPPER", " ".join(enter))
    monkeypatch.setenv("POD_NAME", "pod-0")
    for name in ("POD_NAMESPACE", "KUBECONFIG", *SERVER):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.fixture
def account(standin, volume, monkeypatch):
    """account(namespace) fills the volume, and gives the user that it stands for and what
    rotates its token."""
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(standin.port))

    def fill(namespace=NAMESPACE):
        _, rotate = standin.service_account(namespace, "fixpoint", volume)
        return "system:serviceaccount:%s:fixpoint" % namespace, rotate

    return fill


class Pod(Replica):
    """A replica without a flag for the API server."""

    def __init__(self, fixture, *arguments, namespace=NAMESPACE):
        self.name = os.environ["POD_NAME"]
        Server.__init__(self, fixture.folder, [], *arguments, tls=False)
        fixture.replicas.append(self)
        services = fixture.cluster.standin.admission.client.services
        services.set(namespace, SERVICE, [self.port])


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path / "standin")
    yield made
    made.close()


@pytest.fixture
def standin(cluster):
    return cluster.need_standin()


def register(standin, namespace):
    """Has the API server ask the Service of this namespace, once it has a bundle."""
    service = (namespace, SERVICE, "/v1/mutate")
    hook = webhook("mutation.gatekeeper.sh", None, service=service, rules=RULES)
    standin.load(configuration(hook))


def entry(fixture, pod):
    """What the Pod says of the policy in its status."""
    return fixture.entry(POLICY, pod) or {}


def asked(verb, resource, user, standin, since=0):
    """Did this user ask so, and was it granted?"""
    log = standin.log[since:]
    found = [one for one in log if (one.verb, one.resource, one.user) == (verb, resource, user)]
    return any(one.status == 200 for one in found)


# --- what it does there ----------------------------------------------------------------------


@pytest.fixture
def installed(fixture, standin, account, monkeypatch):
    """A Pod with the arguments and the rights of deploy/fixpoint.yaml, and its user."""
    kinds = ("CustomResourceDefinition", "Namespace", "ServiceAccount", "ClusterRole")
    kinds += ("ClusterRoleBinding", "Role", "RoleBinding", "Service")
    kinds += ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    standin.load(*manifests(*kinds))
    user, _ = account()
    monkeypatch.setenv("POD_NAMESPACE", NAMESPACE)
    return Pod(fixture, *arguments_of_the_manifest()).wait_ready(), user


def test_as_the_manifest_installs_it(fixture, standin, installed):
    """A policy acts."""
    pod, user = installed
    fixture.put(POLICY)
    fixture.expect(a="1")
    until(lambda: entry(fixture, pod).get("enforced"), True)
    until(lambda: pod.metric("fixpoint_lease_held"), 1)
    assert asked("watch", MUTATOR, user, standin)
    assert not [one for one in standin.log if one.status in (401, 403)]


def arguments_of_the_manifest():
    """But its ports, of which a Pod has its own and this machine not."""
    spec = manifests("Deployment")[0]["spec"]["template"]["spec"]
    first, *others = spec["containers"][0]["args"]
    assert first == "serve" and spec["serviceAccountName"] == "fixpoint"
    return [one for one in others if "listen=" not in one]


def test_the_ignore_label_comes_in_no_way(fixture, standin, installed):
    """The API server takes labels along with a Namespace's status and finalizers, too. But
    the end of a Namespace that has the label is written in the same way, and is let pass."""
    cluster, label = fixture.cluster, {"metadata": {"labels": {IGNORE: "yes"}}}
    until(lambda: guarded(cluster), True)
    standin.load(space("plain"), labelled("had"))
    finalizers = cluster.get("namespaces", "plain")
    finalizers["metadata"]["labels"][IGNORE] = "yes"
    for write in (
        lambda: cluster.patch("namespaces", "plain", label),
        lambda: cluster.patch("namespaces", "plain", label, subresource="status"),
        lambda: cluster.apply(labelled("plain"), subresource="status"),
        lambda: cluster.update(finalizers, subresource="finalize"),
    ):
        with pytest.raises(Refused) as refused:
            write()
        assert (refused.value.code, refused.value.message) == (403, FORBIDDEN)
    assert IGNORE not in cluster.get("namespaces", "plain")["metadata"]["labels"]
    ending = cluster.get("namespaces", "had")
    ending["spec"] = {"finalizers": []}
    assert cluster.update(ending, subresource="finalize")["spec"] == {"finalizers": []}
    phase = {"status": {"phase": "Terminating"}}
    got = cluster.patch("namespaces", "had", phase, subresource="status")
    assert got["status"] == phase["status"] and got["metadata"]["labels"][IGNORE] == "yes"


def labelled(name):
    made = space(name)
    made["metadata"]["labels"] = {IGNORE: "yes"}
    return made


def guarded(cluster):
    """Has every validating webhook its bundle?"""
    (one,) = cluster.list("validatingwebhookconfigurations.admissionregistration.k8s.io")
    return all(hook["clientConfig"].get("caBundle") for hook in one["webhooks"])


@pytest.mark.parametrize(
    "in_file, in_environment, own",
    [
        ("of-file", None, "of-file"),
        ("of-file", "of-environment", "of-environment"),
        (None, None, "gatekeeper-system"),
    ],
)
def test_the_own_namespace(
    fixture, standin, account, volume, monkeypatch, in_file, in_environment, own
):
    """Its Config counts, and Secret and Lease are made there; the certificate is for the
    Service there."""
    namespaces = {"of-file", "of-environment", "gatekeeper-system"}
    spaces = [space(name) for name in (*namespaces, *map("spared-by-{}".format, namespaces))]
    standin.load(*definitions(), *spaces, *map(config, namespaces))
    user, _ = account(in_file or "default")
    standin.grant(user, ["*"], ["*"], group="*")
    if in_file is None:
        (volume / "namespace").unlink()
    if in_environment:
        monkeypatch.setenv("POD_NAMESPACE", in_environment)
    register(standin, own)
    Pod(fixture, "--tls-secret", "certificate", namespace=own).wait_ready()
    fixture.put(POLICY)
    fixture.expect(a="1")
    for namespace in namespaces:
        wanted = {} if namespace == own else {"a": "1"}
        assert fixture.annotations("spared-by-" + namespace) == wanted, namespace
    assert found(fixture, "secrets") == {("certificate", own)}
    until(lambda: found(fixture, LEASES), {("fixpoint", own)})


def found(fixture, resource):
    """Name and namespace of each."""
    each = [one["metadata"] for one in fixture.cluster.list(resource)]
    return {(one["name"], one["namespace"]) for one in each}


def space(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def config(namespace):
    """A Config that leaves one namespace alone."""
    exclusion = {"excludedNamespaces": ["spared-by-" + namespace], "processes": ["*"]}
    return {
        "apiVersion": "config.gatekeeper.sh/v1alpha1",
        "kind": "Config",
        "metadata": {"name": "config", "namespace": namespace},
        "spec": {"match": [exclusion]},
    }


@pytest.fixture
def served(fixture, standin, account):
    """A Pod with one policy in force; gives it, its user, and what rotates its token."""
    standin.load(*definitions(), space(NAMESPACE))
    user, rotate = account()
    standin.grant(user, ["*"], ["*"], group="*")
    register(standin, NAMESPACE)
    pod = Pod(fixture, "--tls-secret", "certificate").wait_ready()
    fixture.put(POLICY)
    fixture.expect(a="1")
    return pod, user, rotate


def test_commands_that_are_run_in_it(fixture, served):
    """They find the cluster as it does."""
    for verb, wanted in (("disable", {}), ("enable", {"a": "1"})):
        done = subprocess.run(command() + [verb], capture_output=True, timeout=60 * SLOW)
        assert done.returncode == 0, done.stderr
        fixture.expect(**wanted)


# --- its token -------------------------------------------------------------------------------


def test_the_token_is_another(fixture, standin, served):
    """The kubelet turns `..data` over, and the API server knows the old token no longer:
    no request fails, not even one in progress."""
    pod, user, rotate = served
    for value in ("2", "3", "4"):
        standin.revoke(rotate())
        since = len(standin.log)
        standin.http.hang_up()
        fixture.put(annotation("a", "a", value))
        fixture.expect(a=value)
        until(lambda: entry(fixture, pod).get("observedGeneration"), int(value))
        until(lambda: asked("watch", MUTATOR, user, standin, since), True)
    # The Lease is renewed every ten seconds.
    until(lambda: asked("patch", "leases", user, standin, since), True, within=20)
    assert "401 Unauthorized" not in pod.log.text()


def test_the_token_is_refused_before_there_is_another(fixture, standin, volume, served):
    """What is known stays in force, and it says what is wrong; with the new token all goes
    on by itself."""
    pod, _, rotate = served
    standin.revoke((volume / "token").read_text())
    standin.http.hang_up()
    fixture.put(annotation("a", "a", "2"))
    failing = "the API server does not answer: the objects read last stay in use"
    report = pod.log.wait(failing, timeout=20)
    assert "401 Unauthorized" in report["error"]
    assert fixture.annotations() == {"a": "1"} and pod.ready()
    rotate()
    fixture.expect(within=30, a="2")
    until(lambda: pod.state(MUTATOR + "." + GATEKEEPER), "watching", within=30)


# --- what it may lack ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, content, status, words",
    [
        (
            SERVER[0],
            None,
            2,
            "--policies or --kubeconfig is missing (outside of a Pod, "
            "KUBERNETES_SERVICE_HOST is not set)",
        ),
        (SERVER[0], "", 3, "not in a Pod: %s is not set" % SERVER[0]),
        (SERVER[1], None, 3, "not in a Pod: %s is not set" % SERVER[1]),
        (SERVER[1], "https", 3, "%s and %s: not a port" % SERVER),
        (
            "token",
            None,
            5,
            VOLUME + "/token: no such file; the Pod needs a service account whose token is "
            "mounted (automountServiceAccountToken)",
        ),
        ("token", "\n", 3, VOLUME + "/token: no token"),
        ("ca.crt", None, 5, VOLUME + "/ca.crt: No such file or directory"),
        ("ca.crt", "none\n", 3, VOLUME + "/ca.crt: not PEM"),
        ("namespace", "a b", 3, VOLUME + "/namespace: not a valid namespace name"),
    ],
)
def test_what_is_missing_is_reported(volume, monkeypatch, name, content, status, words):
    """It ends at once, and names the file or the variable."""
    given = {"token": "t", "ca.crt": "-----BEGIN CERTIFICATE-----", "namespace": NAMESPACE}
    given.update(zip(SERVER, ("127.0.0.1", "1")))
    given.update({name: content})
    for key in given.keys() - {name} if content is None else given:
        if key in SERVER:
            monkeypatch.setenv(key, given[key])
        else:
            (volume / key).write_text(given[key])
    serve = ["serve", "--tls-self-signed", "--listen", ANY_PORT, "--health-listen", ANY_PORT]
    ended = subprocess.run(
        command() + serve, capture_output=True, timeout=30 * SLOW, text=True
    )
    assert (ended.returncode, ended.stderr) == (status, "fixpoint: %s\n" % words)
