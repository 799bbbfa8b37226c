# SPDX-License-Identifier: Apache-2.0
"""What the webhook adds to the creation of a Pod at a real API server, the one that
FIXPOINT_KUBECONFIG names, beside what `limit` adds as the same webhook.

Three namespaces: one that no webhook is asked about, one of each webhook's. Pods are created in
them in turn, so that all see the same weather; no scheduler wants them, and they are deleted
again. The server has to be on this machine: the webhooks are registered by URL, as those of
tests/e2e, whose client is used. A server that is slow or has too much to do is waited for: what
it refuses for the moment is tried again and does not count, and a round ends in time."""

import contextlib
import http.client
import os
import pathlib
import statistics
import sys
import time
import uuid

import objects
import report
from scenarios import NAMED
from servers import Failed, Misused, fixpoint, limit

E2E = pathlib.Path(__file__).resolve().parents[1] / "e2e"
SIZE = 5_000
WARM = 5  # creations that do not count
PATIENCE_S = 60  # until the API server knows of a new namespace and of a new webhook
ROUND_S, FEWEST = 120, 20  # a round ends after so long, with so many creations at least
BUSY, TRIES = (429, 500, 502, 503, 504), 5  # answers that mean "later"
LABEL = "fixpoint-bench"
NOBODY, OURS, LIMIT = "nobody", "fixpoint", "limit"
REFERENCE_MS = 0.4  # what a webhook that answers a constant adds on the reference machine
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
        import kubeconfig as checks
        from standin import cluster
    except ImportError as missing:
        raise Skipped(f"the client of tests/e2e needs {missing.name}") from None
    try:
        checks.check(kubeconfig)
        checks.reach(cluster.Access, kubeconfig)
    except Misused as wrong:
        raise Misused(f"FIXPOINT_KUBECONFIG: {kubeconfig}: {wrong}") from None
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

    def _try(self, whom):
        """(seconds it took, the answer); the Pod is deleted again."""
        pod = _pod(self.names[whom])
        path = self.cluster.path_of(pod, named=False)
        body = objects.encoded(pod)
        began = time.monotonic()
        answer = self.cluster.request("POST", path, body)
        took = time.monotonic() - began
        if answer.status == 201:
            self.cluster.request("DELETE", self.cluster.path_of(pod) + "?gracePeriodSeconds=0")
        return took, answer

    def create(self, whom):
        """The same, of a Pod that was created."""
        for _ in range(TRIES):
            took, answer = self._try(whom)
            if answer.status == 201:
                return took, answer
            if answer.status not in BUSY:
                break
            time.sleep(_pause(answer.headers.get("Retry-After")))
        raise Failed(f"a Pod was not created: {_refusal(answer)}")

    def wait_for(self, whom):
        """Until Pods can be created in this namespace, and its webhook is asked about them."""
        end = time.monotonic() + PATIENCE_S
        while not _is_as_wanted(whom, answer := self._try(whom)[1]):
            if time.monotonic() > end:
                if answer.status != 201:
                    raise Failed(f"no Pod can be created: {_refusal(answer)}")
                raise Failed(f"the API server does not ask {whom}: is it on this machine?")
            time.sleep(0.1)
        for _ in range(WARM):
            if not _is_as_wanted(whom, self.create(whom)[1]):
                raise Failed(f"a Pod was created that {whom} was not asked about")

    def round(self, creates):
        """{whom: p50 in milliseconds}, and how many there were of each."""
        took = {whom: [] for whom in self.names}
        end = time.monotonic() + ROUND_S
        for turn in range(creates):
            if turn >= FEWEST and time.monotonic() > end:
                break
            order = list(self.names)
            for whom in order[turn % 3 :] + order[: turn % 3]:
                took[whom].append(self.create(whom)[0] * 1000)
        p50 = {whom: statistics.median(values) for whom, values in took.items()}
        return {**p50, "creates": len(took[NOBODY])}


def _pause(said):
    """Seconds, of the header Retry-After."""
    return min(int(said), 10) if said and said.isdigit() else 1


def _refusal(answer):
    return f"{answer.status} {answer.body[:300]!r}"


def _is_as_wanted(whom, answer):
    """Was it created, and changed where there is who changes it?"""
    if answer.status != 201:
        return False
    return whom == NOBODY or "owner" in answer.json()["metadata"]["labels"]


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
    """[{"nobody": p50, "fixpoint": p50, "limit": p50, "creates": how many}] of each round, in
    milliseconds: without a webhook, and with each."""
    client, kubeconfig = _client()
    policies, _ = NAMED["3 mutators"].write(folder)
    with fixpoint(build, certificate, policies) as a, limit(build, certificate) as b:
        try:
            cluster = client.Cluster(folder, real=kubeconfig)
            with contextlib.closing(cluster):  # deletes what it made
                namespaces = _Namespaces(cluster)
                _register(client, cluster, certificate, {OURS: a, LIMIT: b})
                for whom in namespaces.names:
                    namespaces.wait_for(whom)
                return [namespaces.round(creates) for _ in range(rounds)]
        except (OSError, http.client.HTTPException, client.Refused) as wrong:
            raise Failed(f"the API server of FIXPOINT_KUBECONFIG: {wrong}") from None


# ---- what is told ---------------------------------------------------------------------


def added(found, whom=OURS):
    """Milliseconds that the webhook added to the p50, of each round."""
    return [one[whom] - one[NOBODY] for one in found]


def added_on_reference(found):
    """The same, of ours, where `limit` adds what it does on the reference machine: only the ratio
    of the two tells, of the same round. Where it adds less here, as measured."""
    return [
        ours / max(1, theirs / REFERENCE_MS)
        for ours, theirs in zip(added(found), added(found, LIMIT))
    ]


def _rows(found):
    """(words, milliseconds of each round)"""
    yield "without a webhook", [one[NOBODY] for one in found]
    yield "`limit` as the webhook", [one[LIMIT] for one in found]
    yield "Fixpoint, 3 mutators", [one[OURS] for one in found]
    yield "added by `limit`", added(found, LIMIT)
    yield "added by Fixpoint", added(found)
    yield "… on the reference", added_on_reference(found)


def _about(found):
    return f"of {min(one['creates'] for one in found)} creates each, or more, in a round"


def text(found):
    """80 columns, of five rounds or less."""
    head = f"{'p50 of a create, ms':24}{'median':>9}{'rounds':>9}"
    lines = [
        f"{words:24}{statistics.median(values):9.2f}" + "".join(f"{one:9.2f}" for one in values)
        for words, values in _rows(found)
    ]
    return "\n".join([head, *lines, _about(found)])


def markdown(found):
    head = ["p50 of a create", "median", *(f"round {number + 1}" for number in range(len(found)))]
    rows = [
        [words, *(f"{one:.2f} ms" for one in (statistics.median(values), *values))]
        for words, values in _rows(found)
    ]
    return report.table(head, rows)


def note(found):
    """A sentence."""
    p50 = {whom: statistics.median(one[whom] for one in found) for whom in (NOBODY, LIMIT, OURS)}
    theirs, ours = (statistics.median(added(found, whom)) for whom in (LIMIT, OURS))
    return (
        f"A create: p50 {p50[NOBODY]:.2f} ms without a webhook, {p50[LIMIT]:.2f} ms with `limit` "
        f"({theirs:+.2f}),\n{p50[OURS]:.2f} ms with Fixpoint ({ours:+.2f}), {_about(found)}."
    )
