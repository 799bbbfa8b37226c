# SPDX-License-Identifier: Apache-2.0
"""Fixpoint in a cluster: replicas that read one, their webhook in it, and what it does to
objects that are created there."""

import copy
import functools
import os
import pathlib
import subprocess
import time
import uuid

import metrics_text
from client import health
from policies import apply_to, assign
from process import SLOW, Server, command, is_report
from standin import documents
from standin.cluster import configuration, webhook
from webhook_configurations import CONFIGURATION, NAMESPACE

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEASES = "leases.coordination.k8s.io"
SECRET = "fixpoint-e2e-certificate"
# No other program uses these names in a shared cluster.
NAMES = ("--lease-name", CONFIGURATION)
NAMES += ("--mutating-webhook-configuration-name", CONFIGURATION)
NAMES += ("--validating-webhook-configuration-name", CONFIGURATION)
# No more than the scenarios create, so that a cluster of other people's is left in peace.
RULES = [
    {
        "operations": ["CREATE", "UPDATE"],
        "apiGroups": ["apps"],
        "apiVersions": ["v1"],
        "resources": ["deployments"],
    }
]
GATEKEEPER, FIXPOINT = "mutations.gatekeeper.sh", "mutations.fixpoint.dev"


@functools.cache
def _deployed():
    return documents.of_files(ROOT / "deploy" / "fixpoint.yaml")


def manifests(*kinds):
    """What deploy/fixpoint.yaml has of these kinds."""
    return copy.deepcopy([one for one in _deployed() if one["kind"] in kinds])


def definitions(*names):
    """The CustomResourceDefinitions of these names, as installed with Fixpoint; all of them
    where none is named."""
    found = {one["metadata"]["name"]: one for one in manifests("CustomResourceDefinition")}
    return [found[name] for name in names or found]


@functools.cache
def _manifests_of(folder):
    return documents.of_files(ROOT / "deploy" / folder / "fixpoint.yaml")


def _definitions_of(folder, *groups):
    """The CustomResourceDefinitions of these groups in what this folder of deploy/ installs."""
    return copy.deepcopy(
        [
            one
            for one in _manifests_of(folder)
            if one["kind"] == "CustomResourceDefinition" and one["spec"]["group"] in groups
        ]
    )


def admission_policies():
    """The CustomResourceDefinitions of MutatingAdmissionPolicies in Fixpoint's own group."""
    return _definitions_of("with-admission-policies", "policies.fixpoint.dev")


def kyverno_policies():
    """The CustomResourceDefinitions of Kyverno's policies."""
    return _definitions_of("with-kyverno-policies", "kyverno.io", "policies.kyverno.io")


def until(read, wanted, within=10):
    """Waits until read() gives what is wanted (or what `wanted` holds of), and gives it."""
    holds = wanted if callable(wanted) else lambda got: got == wanted
    began = time.monotonic()
    while True:
        got = read()
        if holds(got):
            return got
        took = time.monotonic() - began
        assert took < within * SLOW, "after %.1f s it is %r" % (took, got)
        time.sleep(0.01)


class Replica(Server):
    """One `fixpoint serve` that reads its policies from a cluster."""

    def __init__(self, folder, kubeconfig, name, *args, environment=(), **how):
        self.name = name
        folder.mkdir(parents=True, exist_ok=True)
        env = {**os.environ, "POD_NAME": name, "POD_NAMESPACE": NAMESPACE}
        env.pop("KUBERNETES_SERVICE_HOST", None)
        env.update(environment)
        super().__init__(folder, [], "--kubeconfig", kubeconfig, *args, env=env, **how)

    @property
    def ca(self):
        """Who vouches for its certificate, PEM."""
        return pathlib.Path(self.certificate).read_bytes()

    def ready(self):
        return health(self, "/readyz")[0] == 200

    def wait_ready(self, timeout=15):
        until(self.ready, True, timeout)
        return self

    def metrics(self):
        return metrics_text.read(health(self, "/metrics")[1])

    def metric(self, name, /, **labels):
        """The value of one; None where it is not there."""
        return self.metrics().get((name, tuple(sorted(labels.items()))))

    def state(self, resource):
        """How a watched resource stands: starting, watching, absent, failing."""
        found = [
            dict(labels)["state"]
            for (name, labels), value in self.metrics().items()
            if name == "fixpoint_kube_resources"
            and dict(labels)["resource"] == resource
            and value == 1
        ]
        assert len(found) == 1, "%s is %s" % (resource, found)
        return found[0]

    def memory(self, what="VmRSS"):
        """Resident memory (VmHWM: the most of it so far), in KiB."""
        with open("/proc/%d/status" % self.process.pid) as lines:
            return int(next(line for line in lines if line.startswith(what)).split()[1])


class Fixture:
    """A cluster, and what a test has in it. All of it goes with `close`."""

    def __init__(self, cluster, folder):
        self.cluster, self.folder = cluster, folder
        self.replicas, self._put = [], {}

    # --- replicas ---

    def start(
        self,
        *args,
        name=None,
        names=NAMES,
        kubeconfig=None,
        everything=False,
        ready=True,
        register=False,
        **how,
    ):
        """A replica; of the webhook alone, unless the caller says otherwise
        (`everything`: of all there is). `register`: the cluster asks it."""
        name = name or "replica-%d" % len(self.replicas)
        kubeconfig = kubeconfig or self.cluster.kubeconfig_for("fixpoint")
        folder = self.folder / ("%s-%d" % (name, len(self.replicas)))
        if "--operation" not in args and not everything:
            args += ("--operation", "mutation-webhook")
        replica = Replica(folder, kubeconfig, name, *names, *args, **how)
        self.replicas.append(replica)
        if ready:
            replica.wait_ready()
        if register:
            self.register(replica.port, replica.ca)
        return replica

    def register(self, port, ca, **more):
        """Has the cluster ask the webhook at this port of this machine."""
        url = "https://localhost:%d/v1/mutate" % port
        hook = webhook("mutation.gatekeeper.sh", ca, url=url, **{"rules": RULES, **more})
        self.put(configuration(hook, name=CONFIGURATION))

    # --- objects ---

    def put(self, *objects):
        """Creates objects or changes them; they are deleted at the end."""
        for obj in objects:
            self.cluster.apply(obj)
            self._put[self.cluster.path_of(obj)] = None

    def define(self, *given):
        """Installs definitions until the end of the test."""
        self.cluster.define(*given)
        for one in given:
            self._put[self.cluster.path_of(one)] = None

    def drop(self, obj):
        path = self.cluster.path_of(obj)
        assert self.cluster.request("DELETE", path).status == 200
        self._put.pop(path, None)

    def namespace(self, **labels):
        """A new namespace, its name."""
        name = "e2e-" + uuid.uuid4().hex[:8]
        metadata = {"name": name, "labels": labels}
        self.put({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        return name

    def would_create(self, namespace=NAMESPACE, **pod):
        """A Deployment as it would be, were it created now."""
        return self.cluster.create(deployment("probe", namespace, **pod), dryRun="All")

    def annotations(self, namespace=NAMESPACE):
        """Those of a Deployment that were created now."""
        return self.would_create(namespace)["metadata"].get("annotations", {})

    def selector(self, **given):
        """The nodeSelector of the Pods of one that were created now with this."""
        created = self.would_create(nodeSelector=given)
        return created["spec"]["template"]["spec"].get("nodeSelector", {})

    def expect(self, within=10, **wanted):
        """Waits until objects that are created get these annotations and no others; gives
        the seconds that this took."""
        began = time.monotonic()
        until(self.annotations, wanted, within)
        return time.monotonic() - began

    def entry(self, policy, replica):
        """What the replica says of a policy in its status; None: nothing."""
        resource = resource_of(policy)
        version = policy["apiVersion"].partition("/")[2]
        stored = self.cluster.get(resource, policy["metadata"]["name"], version=version)
        entries = stored.get("status", {}).get("byPod", ())
        found = [one for one in entries if one["id"] == replica.name]
        assert len(found) <= 1, "twice in %r" % entries
        return found[0] if found else None

    def close(self):
        """Ends everything; gives what went wrong with the replicas."""
        failures = []
        for replica in self.replicas:
            try:
                if replica.process.poll() is None and replica.stop() != 0:
                    failures.append("exit %s" % replica.process.returncode)
            finally:
                replica.kill()
            print("%s said:\n%s" % (replica.name, replica.log.text()[-20000:]))
            lines = replica.log.text().splitlines()
            failures += [line for line in lines if is_report(line) or "PRIVATE" in line]
        if self.replicas:  # and what they made
            self._put[self.cluster.path(LEASES, CONFIGURATION, NAMESPACE)] = None
            self._put[self.cluster.path("secrets", SECRET, NAMESPACE)] = None
        for path in reversed(self._put):
            self.cluster.request("DELETE", path)
        return failures


def run(kubeconfig, *arguments):
    """A command of the program that ends: (exit status, output, errors)."""
    done = subprocess.run(
        command() + [*arguments, "--kubeconfig", str(kubeconfig)],
        capture_output=True,
        timeout=60 * SLOW,
        text=True,
        env={**os.environ, "USER": "tester"},
    )
    return done.returncode, done.stdout, done.stderr


@functools.cache
def _resources():
    """{(group, kind): "fixpointassigns.mutations.fixpoint.dev"}"""
    specs = [one["spec"] for one in definitions()]
    return {
        (one["group"], one["names"]["kind"]): "%s.%s" % (one["names"]["plural"], one["group"])
        for one in specs
    }


def resource_of(obj):
    """As kubectl names it: assign.mutations.gatekeeper.sh."""
    group = obj["apiVersion"].rpartition("/")[0]
    return _resources()[group, obj["kind"]]


def deployment(name, namespace=NAMESPACE, **pod):
    """A Deployment without replicas."""
    labels = {"app": name}
    containers = [{"name": "c", "image": "nginx:1"}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers, **pod}}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


def for_deployments(policy):
    """The same policy, about Deployments."""
    spec = {**policy["spec"], "applyTo": apply_to("Deployment", group="apps")}
    return {**policy, "spec": spec}


def selects(name, key, value):
    """Sets a key of the nodeSelector of Deployments."""
    location = "spec.template.spec.nodeSelector." + key
    return for_deployments(assign(name, location, value))
