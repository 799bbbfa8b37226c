# SPDX-License-Identifier: Apache-2.0
"""pods/binding: how a Pod comes to its Node, as a scheduler asks for it."""

from . import schema, status
from .incoming import Write, check_identity, now, prepare
from .resources import Resource

TAKEN = "pod %s is already assigned to node %r"
ENDING = "pod %s is being deleted, cannot be assigned to a host"
UID = "Precondition failed: UID in precondition: %s, UID in object meta: %s"


def is_binding(request):
    wanted = (request.group, request.resource, request.subresource)
    return wanted == ("", "pods", "binding") and request.method == "POST"


class Bindings:
    def __init__(self, storage, pods, admission):
        self._storage, self._pods, self._admission = storage, pods, admission
        versions = {"v1": schema.builtin("core.v1.Binding")}
        self._resource = Resource("", "pods", "Binding", versions, True)

    def create(self, request):
        """Asks the webhooks, then writes the Node into the Pod; gives a Status."""
        write = Write(request, self._resource)
        obj = request.document()
        check_identity(write, obj)
        obj = self._admission.mutate(write, "CREATE", prepare(write, obj), None, prepare)
        if not (obj.get("target") or {}).get("name"):
            raise write.invalid("target.name", "Required", "Required value")
        self._admission.validate(write, "CREATE", obj, None)
        with self._storage.lock:
            pod = self._storage.table(self._pods).objects.get((request.namespace, request.name))
            self._check(write, obj, pod)
            if not write.dry_run:
                self._storage.put(self._pods, _bound(pod.obj, obj["target"]["name"]), pod)
        done = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
        return {**done, "code": 201}

    def _check(self, write, obj, pod):
        name = write.request.name
        if pod is None:
            raise write.not_found()
        metadata = pod.obj["metadata"]
        uid = obj["metadata"].get("uid")
        if uid and uid != metadata["uid"]:
            raise write.conflict(UID % (uid, metadata["uid"]))
        if metadata.get("deletionTimestamp"):
            raise status.conflict("", "pods/binding", name, ENDING % name)
        node = pod.obj["spec"].get("nodeName")
        if node:
            raise status.conflict("", "pods/binding", name, TAKEN % (name, node))


def _bound(pod, node):
    """The Pod on its Node."""
    pod_status = pod.get("status") or {}
    kept = [one for one in pod_status.get("conditions", ()) if one["type"] != "PodScheduled"]
    scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": now()}
    return {
        **pod,
        "spec": {**pod["spec"], "nodeName": node},
        "status": {**pod_status, "conditions": [*kept, scheduled]},
    }
