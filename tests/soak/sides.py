# SPDX-License-Identifier: Apache-2.0
"""The two programs under test, and what goes on around each: one with policies in files, one
that reads them from an API server."""

import base64
import contextlib
import random
import shutil
import time

import jsonpatch
import reviews
from client import answer, ask, encode, health, patch_of, pod, review
from fixpoint_cluster import (
    NAMES,
    admission_policies,
    definitions,
    kyverno_policies,
    resource_of,
)
from policies import annotation, write
from provider import Provider, respond, valid
from standin import faults
from standin.cluster import Cluster
from standin.definitions import modrule
from standin.status import ApiError
from subject import Subject

PAIRS = 3
CONNECTIONS = "fixpoint_connections"


class FailingProvider(Provider):
    """It fails sometimes, in one of the ways there are."""

    def __init__(self, authority, dice):
        super().__init__(authority, authority.issue("provider"), fault=self._answer)
        self._dice, self.honest = dice, False

    def _answer(self, request, keys):
        del self.requests[:]  # nobody looks at them
        request.close_connection = False
        number = 1.0 if self.honest else self._dice.random()
        if number < 0.03:
            respond(request, 500, b"no")
        elif number < 0.06:
            respond(request, 200, b"{}]")
        elif number < 0.09:
            request.close_connection = True
        else:
            if number < 0.12:
                time.sleep(0.1)
            respond(request, 200, encode(valid(keys)))

    def hang_up(self):
        super().hang_up()
        del self.connections[:]


class Side:
    """What both have. `change` is called again and again under load; `restore` brings back
    what was in force at the beginning."""

    def __init__(self, folder, authority, seed):
        self.folder, self.authority, self.dice = folder, authority, random.Random(seed)
        self.folder.mkdir(parents=True)
        self.provider = FailingProvider(authority, self.dice)
        self.version = 0

    def bundle(self):
        return base64.b64encode(self.authority.cert.read_bytes()).decode()

    def base(self, version):
        """What is in force at quiet moments, marked with a version."""
        made = reviews.base() + [reviews.provider_of(self.provider, self.bundle())]
        return made + [annotation("version", "version", str(version)), rule(version)]

    def look_around(self):
        """As a kubelet does and a scrape."""
        for path in ("/healthz", "/readyz", "/metrics"):
            status, _ = health(self.subject, path)
            assert status in (200, 503), (path, status)

    def seen_version(self):
        obj = pod()
        with contextlib.suppress(OSError, EOFError, AssertionError, KeyError):
            patch = patch_of(answer(ask(self.subject, review(obj)))) or []
            return jsonpatch.apply(obj, patch)["metadata"]["annotations"]["version"]
        return None

    def rest(self):
        """Everything back to the beginning, and nobody connected."""
        self.provider.honest = True
        self.version += 1
        self.restore()
        wanted = str(self.version)
        self.subject.until(lambda: self.seen_version() == wanted, "version %s" % wanted)
        self.provider.hang_up()
        self.hang_up()
        self.subject.until(lambda: self.subject.metric(CONNECTIONS) == 0, "nobody connected")
        self.settle()
        self.provider.honest = False

    def settle(self):
        """Until its descriptors stay as they are for a second."""
        seen = []

        def is_settled():
            seen.append(self.subject.descriptors())
            return len(seen) > 10 and len(set(seen[-10:])) == 1

        self.subject.until(is_settled, "the descriptors stay as they are")

    def hang_up(self):
        pass

    def close(self):
        wrong = self.subject.stop()
        self.provider.close()
        return wrong


class Files(Side):
    """Policies and certificates in files, and SIGHUP."""

    name = "files"

    def __init__(self, binary, folder, authority, seed, meter):
        super().__init__(folder, authority, seed)
        self.policies = folder / "policies"
        self.policies.mkdir()
        self.pairs = [authority.issue("pair-%d" % i) for i in range(PAIRS)]
        self.cert, self.key = folder / "serving.crt", folder / "serving.key"
        self.requests = reviews.write_requests(
            folder / "requests", reviews.plain() + reviews.asking()
        )
        self.restore()
        arguments = ["--policies", self.policies, "--tls-cert", self.cert]
        arguments += ["--tls-key", self.key, "--metrics-max-mutators", "20"]
        self.subject = Subject(self.name, binary, folder, arguments, meter)
        self.subject.certificate = str(authority.cert)
        self.subject.wait_ready()

    def put_pair(self, number):
        for source, to in zip(self.pairs[number], (self.cert, self.key)):
            shutil.copy(source, str(to) + ".new")
        for to in (self.key, self.cert):
            shutil.move(str(to) + ".new", to)

    def put_policies(self, *documents):
        write(self.folder / "next.yaml", *documents)
        shutil.move(self.folder / "next.yaml", self.policies / "all.yaml")

    def change(self):
        self.version += 1
        number = self.dice.random()
        if number < 0.5:
            passing = reviews.passing(self.dice, self.version)
            self.put_policies(*self.base(self.version), *passing)
        elif number < 0.7:
            self.put_pair(self.dice.randrange(PAIRS))
        elif number < 0.8:
            (self.policies / "broken.yaml").write_text("kind: [\n")
        else:
            (self.policies / "broken.yaml").unlink(missing_ok=True)
        if self.dice.random() < 0.5:
            self.subject.process.send_signal(1)
        self.look_around()

    def restore(self):
        (self.policies / "broken.yaml").unlink(missing_ok=True)
        self.put_policies(*self.base(self.version))
        self.put_pair(0)


def rule(version):
    """A ModRule about Pods of every namespace, which changes with the policies beside it."""
    value = "'v{{ len .Target.metadata.name }}-%d'" % version
    return {
        "apiVersion": "api.kubemod.io/v1beta1",
        "kind": "ModRule",
        "metadata": {"name": "version", "namespace": "kubemod-system"},
        "spec": {
            "type": "Patch",
            "targetNamespaceRegex": ".",
            "match": [{"select": '$.kind == "Pod" && isDefined($.spec.containers[0].image)'}],
            "patch": [{"op": "add", "path": "/metadata/annotations/rule", "value": value}],
        },
    }


class InCluster(Side):
    """Policies in an API server that fails now and then."""

    name = "cluster"

    def __init__(self, binary, folder, authority, seed, meter):
        super().__init__(folder, authority, seed)
        (folder / "standin").mkdir()
        self.cluster = Cluster(folder / "standin")
        self.cluster.load(
            *definitions(), *admission_policies(), *kyverno_policies(), modrule()
        )
        for name in ("shop", reviews.ASKING, "n", "kubemod-system"):
            metadata = {"name": name}
            self.cluster.load({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        self.requests = reviews.write_requests(
            folder / "requests", reviews.plain() + reviews.asking() + reviews.unknown()
        )
        self.there = {}
        self.restore()
        cert, key = authority.issue("replica")
        arguments = ["--kubeconfig", self.cluster.kubeconfig_for("fixpoint"), *NAMES]
        arguments += ["--tls-cert", cert, "--tls-key", key, "--no-events"]
        environment = {"POD_NAME": "soak", "POD_NAMESPACE": "default"}
        environment["KUBERNETES_SERVICE_HOST"] = ""
        self.subject = Subject(self.name, binary, folder, arguments, meter, environment)
        self.subject.certificate = str(authority.cert)
        self.subject.wait_ready()

    def put(self, documents):
        """Creates what is new, changes what is other, deletes the rest."""
        wanted = {(one["kind"], one["metadata"]["name"]): one for one in documents}
        for key, one in self.there.items():
            if key not in wanted:
                self.cluster.delete(resource_of(one), key[1])
        for key, one in wanted.items():
            if self.there.get(key) != one:
                self.load(one)
        self.there = wanted

    def load(self, one):
        """As a user does, who tries again when the replica was quicker with its status."""
        for _ in range(20):
            try:
                self.cluster.load(one)
                return
            except ApiError as refused:
                if refused.code != 409:
                    raise
        raise RuntimeError("conflicts without an end: %s" % one["metadata"]["name"])

    def change(self):
        self.version += 1
        number, standin = self.dice.random(), self.cluster.standin
        if number < 0.7:
            self.put(self.base(self.version) + reviews.passing(self.dice, self.version))
        elif number < 0.8:
            standin.http.hang_up()
        elif number < 0.9:
            cut = faults.cut(0, 3000, seed=self.version, rst=self.version % 2 == 0)
            standin.faults.add(cut, times=3, verb="watch", user="fixpoint")
        else:
            failing = self.dice.choice([faults.answer(500), faults.garbage(), faults.close()])
            standin.faults.add(failing, times=2, user="fixpoint")
        self.look_around()

    def restore(self):
        self.cluster.standin.faults.clear()
        self.put(self.base(self.version))

    def hang_up(self):
        """Its idle connections, too; and its watches begin anew."""
        self.cluster.standin.http.hang_up()

        def all_watch():
            states = [
                (dict(labels)["state"], value)
                for (name, labels), value in self.subject.metrics().items()
                if name == "fixpoint_kube_resources"
            ]
            return sum(value for state, value in states if state == "watching") == sum(
                value for _, value in states
            )

        time.sleep(0.2)
        self.subject.until(all_watch, "all resources are watched")

    def close(self):
        wrong = super().close()
        self.cluster.close()
        return wrong
