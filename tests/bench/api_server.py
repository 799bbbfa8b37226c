# SPDX-License-Identifier: Apache-2.0
"""What the webhook adds to the creation of a Pod at a real API server, the one that
FIXPOINT_KUBECONFIG names, beside what `limit` adds as the same webhook.

Three namespaces: one that no webhook is asked about, one of each webhook's. Pods are created in
them in turn, so that all see the same weather; no scheduler wants them, and they are deleted
again. The server has to be on this machine: the webhooks are registered by URL, as those of
tests/e2e, whose client is used."""

import contextlib
import os
import pathlib
import statistics
import sys
import time
import uuid

import objects
from scenarios import NAMED
from servers import Failed, fixpoint, limit

E2E = pathlib.Path(__file__).resolve().parents[1] / "e2e"
SIZE = 5_000
WARM = 5  # creations that do not count
PATIENCE_S = 30  # until the API server knows of a new webhook
LABEL = "fixpoint-bench"
NOBODY, OURS, LIMIT = "nobody", "fixpoint", "limit"
PODS = [
    {
        "operations": ["CREATE"],
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["pods"],
    }
]


class Skipped(Exception):
    """It cannot be measured here, and why."""


def _client():
    """(the module of tests/e2e, the kubeconfig)"""
    kubeconfig = os.environ.get("FIXPOINT_KUBECONFIG")
    if not kubeconfig:
        raise Skipped("no API server to try it at, FIXPOINT_KUBECONFIG names none")
    sys.path.insert(0, str(E2E))
    try:
        from standin import cluster
    except ImportError as missing:
        raise Skipped(f"the client of tests/e2e needs {missing.name}") from None
    return cluster, kubeconfig


def _pod(namespace):
    """As a user creates it: without what the server fills in."""
    made = objects.pod(SIZE)
    metadata = made["metadata"]
    for name in ("managedFields", "ownerReferences", "generateName"):
        metadata.pop(name, None)
    metadata.update(namespace=namespace, name="bench-" + uuid.uuid4().hex[:10])
    spec = made["spec"]
    spec.update(schedulerName="nobody", automountServiceAccountToken=False)
    spec["volumes"] = [{"name": one, "emptyDir": {}} for one in ("data", "kube-api-access-x")]
    return made


class _Namespaces:
    """One for each of whom is asked, with what was created in them."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.names = {}
        for whom in (NOBODY, OURS, LIMIT):
            self.names[whom] = f"bench-{whom}-{uuid.uuid4().hex[:6]}"
            metadata = {"name": self.names[whom], "labels": {LABEL: whom}}
            cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})

    def create(self, whom):
        """(seconds it took, the Pod as it became)"""
        pod = _pod(self.names[whom])
        path = self.cluster.path_of(pod, named=False)
        body = objects.encoded(pod)
        began = time.monotonic()
        answer = self.cluster.request("POST", path, body)
        took = time.monotonic() - began
        if answer.status != 201:
            raise Failed(f"a Pod was not created: {answer.status} {answer.body[:300]!r}")
        self.cluster.request("DELETE", self.cluster.path_of(pod) + "?gracePeriodSeconds=0")
        return took, answer.json()

    def is_mutated(self, whom):
        return "owner" in self.create(whom)[1]["metadata"]["labels"]

    def wait_for(self, whom):
        """Until the API server asks the webhook of this namespace."""
        end = time.monotonic() + PATIENCE_S
        while not self.is_mutated(whom):
            if time.monotonic() > end:
                raise Failed(f"the API server does not ask {whom}: is it on this machine?")
            time.sleep(0.1)
        for _ in range(WARM):
            if not self.is_mutated(whom):
                raise Failed(f"a Pod was created that {whom} was not asked about")

    def round(self, creates):
        """{whom: p50 in milliseconds}"""
        took = {whom: [] for whom in self.names}
        for turn in range(creates):
            order = list(self.names)
            for whom in order[turn % 3 :] + order[: turn % 3]:
                took[whom].append(self.create(whom)[0] * 1000)
        return {whom: statistics.median(values) for whom, values in took.items()}


def _register(client, cluster, certificate, servers):
    for whom, server in servers.items():
        hook = client.webhook(
            "mutation.bench.fixpoint.dev",
            certificate[0].read_bytes(),
            url=f"https://localhost:{server.port}/v1/mutate",
            rules=PODS,
            namespaceSelector={"matchLabels": {LABEL: whom}},
            failurePolicy="Fail",
        )
        name = f"bench-{whom}-{uuid.uuid4().hex[:6]}"
        cluster.create(client.configuration(hook, name=name))


def measure(build, certificate, folder, rounds, creates):
    """[{"nobody": p50, "fixpoint": what it adds, "limit": what that adds}] of each round, in
    milliseconds."""
    client, kubeconfig = _client()
    policies, _ = NAMED["3 mutators"].write(folder)
    with fixpoint(build, certificate, policies) as a, limit(build, certificate) as b:
        try:
            cluster = client.Cluster(folder, real=kubeconfig)
            with contextlib.closing(cluster):  # deletes what it made
                namespaces = _Namespaces(cluster)
                _register(client, cluster, certificate, {OURS: a, LIMIT: b})
                for whom in (OURS, LIMIT):
                    namespaces.wait_for(whom)
                found = [namespaces.round(creates) for _ in range(rounds)]
        except (OSError, client.Refused) as wrong:
            raise Failed(f"the API server of FIXPOINT_KUBECONFIG: {wrong}") from None
    return [
        {whom: p50 - (0 if whom == NOBODY else one[NOBODY]) for whom, p50 in one.items()}
        for one in found
    ]


def note(found):
    """A sentence."""
    nobody, theirs = (statistics.median(one[whom] for one in found) for whom in (NOBODY, LIMIT))
    return (
        f"A create: p50 {nobody:.2f} ms without a webhook; `limit` as the webhook adds "
        f"{theirs:.2f} ms."
    )
