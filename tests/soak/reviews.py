# SPDX-License-Identifier: Apache-2.0
"""What clients send: reviews of several kinds and sizes, and things that are none."""

import random

from client import encode, pod, review
from policies import annotation, apply_to, assign, external, modify_set, pull_always, sidecar

ASKING = "asking"  # the namespace whose Pods want values from outside
UNKNOWN = "nowhere"  # a namespace that no cluster has
POLICY = "/v1/admit?timeout=5s"
REVIEW = "/v1/mutate?timeout=5s"


def named(kind, name, namespace="shop", version="v1", **fields):
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def large_pod(size):
    """About so many bytes, as real ones are: environment, managed fields."""
    dice = random.Random(size)
    made = pod("large-%d" % size, images=["nginx:%d" % i for i in range(3)])
    names = ["N%d" % i for i in range(size // 120)]
    made["spec"]["containers"][0]["env"] = [
        {"name": name, "value": "%050x" % dice.getrandbits(200)} for name in names
    ]
    fields = {"f:" + name: {".": {}, "f:name": {}} for name in names}
    made["metadata"]["managedFields"] = [{"manager": "m", "fieldsV1": fields}]
    return made


def deployment(name, namespace="shop"):
    template = {"metadata": {"labels": {"app": name}}, "spec": pod()["spec"]}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": name}}, "template": template}
    return named("Deployment", name, namespace, "apps/v1", spec=spec)


def updated(obj):
    """An UPDATE of it."""
    made = review(obj, operation="UPDATE")
    made["request"]["oldObject"] = obj
    return made


def deleted(obj):
    made = review(obj, operation="DELETE")
    made["request"]["oldObject"], made["request"]["object"] = obj, None
    return made


def policy_of(made):
    wrong = review(made)
    wrong["request"]["resource"]["resource"] = made["kind"].lower()
    return wrong


def plain():
    """(weight, path, body): what any server is asked."""
    wrong_type = review(pod())
    wrong_type["request"]["object"]["spec"]["containers"] = 7
    fails = review(pod())
    fails["request"]["object"]["spec"]["nodeName"] = "x"
    config = named("ConfigMap", "c", data={"a": "b" * 500})
    secret = named("Secret", "s", data={"password": "czNjcjN0"})
    return [
        (300, REVIEW, encode(review(pod()))),
        (200, REVIEW, encode(review(pod(images=("a", "b:1", "c@x")), username="bob"))),
        (100, REVIEW, encode(review(large_pod(5700)))),
        (60, REVIEW, encode(updated(large_pod(20_000)))),
        (8, REVIEW, encode(review(large_pod(200_000)))),
        (2, REVIEW, encode(updated(large_pod(900_000)))),
        (80, REVIEW, encode(updated(deployment("web")))),
        (60, REVIEW, encode(review(config))),
        (40, REVIEW, encode(review(secret))),
        (20, REVIEW, encode(deleted(pod()))),
        (20, REVIEW, encode(review(pod(namespace="kube-system")))),
        (10, REVIEW, encode(wrong_type)),
        (10, REVIEW, encode(fails)),
        (5, REVIEW, b'{"kind":['),
        (5, REVIEW, b"{}"),
        (5, REVIEW, encode(review(pod()))[:-200]),
        (2, REVIEW, b"[" * 5000),
        (3, "/v1/nowhere", b"{}"),
        (5, POLICY, encode(policy_of(annotation("p", "k", "v")))),
        (5, POLICY, encode(policy_of(assign("p", "spec.a[", "v")))),
        (5, "/v1/admitlabel", encode(review(named("Namespace", "n")))),
    ]


def asking():
    """What needs a provider."""
    return [(6, REVIEW, encode(review(pod("p%d" % i, ASKING)))) for i in range(2)]


def unknown():
    """What needs a namespace that has to be asked for, in vain."""
    return [(2, REVIEW, encode(review(pod(namespace=UNKNOWN))))]


def write_requests(folder, requests):
    """As mixed.lua reads them: the file with the list."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, (weight, path, body) in enumerate(requests):
        name = folder / ("%03d.json" % number)
        name.write_bytes(body)
        lines.append("%d\t%s\t%s\n" % (weight, path, name))
    (folder / "list").write_text("".join(lines))
    return folder / "list"


# --- policies --------------------------------------------------------------------------------


def provider_of(provider, bundle):
    return {
        "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
        "kind": "Provider",
        "metadata": {"name": "p"},
        "spec": {"url": provider.url, "timeout": 3, "caBundle": bundle},
    }


def from_outside():
    policy = external(failurePolicy="Ignore")
    policy["spec"]["match"] = {"namespaces": [ASKING]}
    return policy


def base():
    """Those that are always in force."""
    args = modify_set("args", "spec.containers[name: *].args", ["--quiet", "--v=2"])
    fails = assign("fails", "spec.nodeName.inner", "x")
    for_deployments = assign("replicas", "spec.replicas", 3)
    for_deployments["spec"]["applyTo"] = apply_to("Deployment", group="apps")
    image = {
        **assign("image", "spec.containers[name: *].image", None),
        "apiVersion": "mutations.gatekeeper.sh/v1alpha1",
        "kind": "AssignImage",
    }
    image["spec"]["parameters"] = {"assignDomain": "registry.example.com"}
    return [pull_always(), sidecar(), args, fails, for_deployments, image, from_outside()]


def passing(dice, version):
    """Some that come and go; one is wrong, two may be in conflict."""
    made = [
        annotation("note-%d" % dice.randrange(30), "note-%d" % i, str(version))
        for i in range(dice.randrange(20))
    ]
    made = list({one["metadata"]["name"]: one for one in made}.values())
    if dice.random() < 0.3:
        made.append(assign("wrong", "spec.containers[name: *", "x"))
    if dice.random() < 0.3:
        made.append(assign("x-conflict", "spec.field[name: a].b", "x"))
        made.append(assign("y-conflict", "spec.field.b", "x"))
    return made
