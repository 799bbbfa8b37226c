# SPDX-License-Identifier: Apache-2.0
"""Webhook configurations in a cluster: as the chart installs them, the bundle that replicas
publish in them, and what others do to them."""

import base64
import functools
import pathlib
import tempfile

from provider import Authority
from standin.cluster import configuration, webhook

NAMESPACE = "default"  # of the replicas: one that every cluster has
CONFIGURATION = "fixpoint-e2e"  # of both kinds
SERVICE = "fixpoint-webhook-service"
MUTATING = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
VALIDATING = "validatingwebhookconfigurations.admissionregistration.k8s.io"
BLUE = {"matchLabels": {"team": "blue"}}


def mutating(name=CONFIGURATION):
    """Without a bundle; of few objects, so that a cluster of other people's is left in
    peace."""
    service = (NAMESPACE, SERVICE, "/v1/mutate")
    hook = webhook("mutation.gatekeeper.sh", None, service=service, objectSelector=BLUE)
    return configuration(hook, name=name)


def validating(name=CONFIGURATION):
    service = (NAMESPACE, SERVICE, "/v1/admit")
    names = ("validation.gatekeeper.sh", "check-ignore-label.gatekeeper.sh")
    hooks = [webhook(one, None, service=service, objectSelector=BLUE) for one in names]
    return configuration(*hooks, kind="Validating", name=name)


def configured(cluster, resource=MUTATING, name=CONFIGURATION):
    """One as it is now; None: it is not there."""
    return cluster.find(resource, name)


def bundle(cluster, resource=MUTATING, name=CONFIGURATION):
    """The one bundle of its webhooks, PEM; empty: they have none or several, or it is not
    there."""
    hooks = (configured(cluster, resource, name) or {"webhooks": []})["webhooks"]
    found = {one["clientConfig"].get("caBundle", "") for one in hooks}
    return base64.b64decode(found.pop()).decode() if len(found) == 1 else ""


@functools.cache
def stranger():
    """The bundle of another program, as it is written."""
    with tempfile.TemporaryDirectory() as folder:
        pem = Authority(pathlib.Path(folder)).cert.read_bytes()
    return base64.b64encode(pem).decode()


def overwrite(cluster):
    """Somebody else's write of the bundle."""
    path = "/webhooks/0/clientConfig/caBundle"
    patch = [{"op": "add", "path": path, "value": stranger()}]
    cluster.patch(MUTATING, CONFIGURATION, patch, how="json")
