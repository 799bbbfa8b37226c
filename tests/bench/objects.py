# SPDX-License-Identifier: Apache-2.0
"""Pods of a wanted size as a controller creates them, and the reviews in which an API server
sends them. The same size gives the same bytes."""

import copy
import json

VARIABLES = 12  # of a container, until there are
CONTAINERS = 8
OWNER = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "name": "web-7d4b9c6f5",
    "uid": "5e3b6f3e-5a6b-4a59-9a4c-0f0b1ed0c2b0",
    "controller": True,
    "blockOwnerDeletion": True,
}
PROBE = {
    "httpGet": {"path": "/healthz", "port": "http", "scheme": "HTTP"},
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
}
RESOURCES = {
    "limits": {"cpu": "500m", "memory": "256Mi"},
    "requests": {"cpu": "100m", "memory": "128Mi"},
}
MOUNTS = [
    {"name": "data", "mountPath": "/data"},
    {
        "name": "kube-api-access-x",
        "readOnly": True,
        "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
    },
]
SPEC = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "serviceAccountName": "default",
    "schedulerName": "default-scheduler",
}


def encoded(value):
    """As an API server writes it."""
    return json.dumps(value, separators=(",", ":")).encode()


def _variable(number):
    name = f"APP_SETTING_{number:04d}"
    if number % 10 == 9:
        source = {"secretKeyRef": {"name": "web-settings", "key": name.lower()}}
        return {"name": name, "valueFrom": source}
    url = f"http://backend-{number}.shop.svc.cluster.local:8080/api/v1?timeout=30s&retries=3"
    return {"name": name, "value": url}


def _container(number, variables, small):
    name = "app" if number == 0 else f"helper-{number}"
    image = f"registry.example.com/team/{name}:1.2.3"
    made = {"name": name, "image": image, "imagePullPolicy": "IfNotPresent"}
    made["command"] = ["/bin/server", "--port=8080", "--log-level=info"]
    made["ports"] = [{"containerPort": 8080 + number, "name": "http", "protocol": "TCP"}]
    made["env"] = [_variable(one) for one in variables]
    if not small:
        made.update(resources=RESOURCES, volumeMounts=MOUNTS, livenessProbe=PROBE)
        made["securityContext"] = {"runAsNonRoot": True}
    return made


def _managed(value):
    """The fields of a value as managedFields tell of them."""
    if isinstance(value, list):
        keys = [encoded({"name": one["name"]}).decode() for one in value]
        made = {f"k:{key}": _managed(one) for key, one in zip(keys, value)}
    elif isinstance(value, dict):
        made = {f"f:{key}": _managed_field(one) for key, one in value.items()}
    else:
        return {}
    return {".": {}, **made}


def _managed_field(value):
    is_atomic = isinstance(value, list) and not all(
        isinstance(one, dict) and "name" in one for one in value
    )
    return {} if is_atomic else _managed(value)


def _metadata(spec, small):
    made = {
        "name": "web-7d4b9c6f5-x2x7q",
        "generateName": "web-7d4b9c6f5-",
        "namespace": "shop",
        "labels": {"app": "web", "pod-template-hash": "7d4b9c6f5", "team": "shop"},
        "annotations": {"prometheus.io/scrape": "true"},
    }
    if not small:
        owned = {name: made[name] for name in ("generateName", "labels", "annotations")}
        made["ownerReferences"] = [OWNER]
        made["managedFields"] = [
            {
                "manager": "kube-controller-manager",
                "operation": "Update",
                "apiVersion": "v1",
                "time": "2026-11-21T00:00:00Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:metadata": _managed(owned), "f:spec": _managed(spec)},
            }
        ]
    return made


def _pod(variables, small=False):
    """`small`: as somebody writes it by hand, of whom no managedFields tell."""
    count = max(1, min(CONTAINERS, variables // VARIABLES))
    shares = [range(number, variables, count) for number in range(count)]
    containers = [_container(number, share, small) for number, share in enumerate(shares)]
    spec = {"containers": containers, **SPEC}
    if not small:
        spec["volumes"] = [{"name": "data", "emptyDir": {}}]
    metadata = _metadata(spec, small)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {}}


def pod(size):
    """A Pod whose JSON has so many bytes: as many variables as fit, and an annotation for
    the rest."""
    small = size < len(encoded(_pod(0))) + 100
    low, high = 0, size // 50
    while low < high:
        middle = (low + high + 1) // 2
        if len(encoded(_pod(middle, small))) + 100 <= size:
            low = middle
        else:
            high = middle - 1
    made = _pod(low, small)
    notes = made["metadata"]["annotations"]
    notes["example.com/notes"] = ""
    missing = size - len(encoded(made))
    if missing < 0:
        raise ValueError(f"no Pod is as small as {size} bytes")
    notes["example.com/notes"] = ("changed by the team of the shop. " * size)[:missing]
    return made


def older(obj):
    """The object before an update that changed an image."""
    made = copy.deepcopy(obj)
    made["metadata"]["labels"]["team"] = "warehouse"
    container = made["spec"]["containers"][0]
    container["image"] = container["image"].replace(":1.2.3", ":1.2.2")
    return made


def review(obj, operation="CREATE"):
    """The bytes of the review of an object; of an UPDATE with the object before it."""
    kind = {"group": "", "version": "v1", "kind": "Pod"}
    resource = {"group": "", "version": "v1", "resource": "pods"}
    options = {"kind": operation.capitalize() + "Options", "apiVersion": "meta.k8s.io/v1"}
    request = {
        "uid": "0df28fbd-5f5f-11e8-bc74-36e6bb280816",
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "name": obj["metadata"]["name"],
        "namespace": obj["metadata"]["namespace"],
        "operation": operation,
        "userInfo": {
            "username": "system:serviceaccount:kube-system:replicaset-controller",
            "uid": "a",
            "groups": ["system:serviceaccounts", "system:authenticated"],
        },
        "object": obj,
        "oldObject": older(obj) if operation == "UPDATE" else None,
        "dryRun": False,
        "options": options,
    }
    made = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}
    return encoded(made)
