# SPDX-License-Identifier: Apache-2.0
"""Policies that deny, and policies that fail for themselves alone: what the answer, the log
and the metrics say of them."""

import metrics_text
from client import Connection, answer, ask, encode, health, patch_of, pod, request, review
from metrics_text import value

GROUP = "api.kubemod.io"


def rule(name, **spec):
    spec.setdefault("match", [{"select": "$.kind", "matchValue": "Pod"}])
    return {
        "apiVersion": GROUP + "/v1beta1",
        "kind": "ModRule",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": spec,
    }


def rejects(name, words, **spec):
    return rule(name, type="Reject", rejectMessage=words, **spec)


def patches(name, path, template):
    return rule(name, type="Patch", patch=[{"op": "add", "path": path, "value": template}])


def samples_of(server):
    status, text = health(server, "/metrics")
    assert status == 200
    return metrics_text.read(text)


def of(name):
    return {"group": GROUP, "kind": "ModRule", "name": "shop/" + name}


def test_a_denial(start):
    server = start(
        rejects("no-latest", "{{ (index .Target.spec.containers 0).image }} is too new"),
        rejects("keep", "{{ .Target.metadata.name }} stays", admissionOperations=["DELETE"]),
    )
    reviewed = answer(ask(server, review(pod(images=("s3cret:latest",)))))
    assert reviewed["allowed"] is False and reviewed["status"]["code"] == 403
    assert 's3cret:latest is too new"' in reviewed["status"]["message"]
    line = server.log.wait("review denied")
    assert line["level"] == "info" and line["uid"] == "uid-1" and line["kind"] == "Pod"
    assert line["denied_by"] == "ModRule/shop/no-latest" and line["namespace"] == "shop"
    assert not any("s3cret" in str(entry) for entry in server.log.entries("review denied"))
    assert not server.log.entries("review failed")
    samples = samples_of(server)
    assert value(samples, "fixpoint_reviews_total", decision="denied") == 1
    assert value(samples, "fixpoint_mutator_denied_total", **of("no-latest")) == 1
    assert value(samples, "fixpoint_mutator_denied_total", **of("keep")) == 0
    assert value(samples, "fixpoint_mutator_errors_total", **of("no-latest")) == 0


def test_one_that_is_left_out(start):
    server = start(
        patches("broken", "/metadata/labels/a", '{{ fail (index .Target.metadata.name) }}'),
        patches("sound", "/metadata/labels/b", "{{ .Target.metadata.name }}"),
    )
    rounds = 5
    for _ in range(rounds):
        reviewed = answer(ask(server, review(pod())))
        assert reviewed["allowed"] is True and patch_of(reviewed)
        assert "shop/broken was skipped: " in reviewed["warnings"][0]
    line = server.log.wait("mutator skipped after a failure")
    assert line["level"] == "warn" and line["mutator"] == "ModRule/shop/broken"
    assert line["times"] == 1 and line["kind"] == "Pod" and line["namespace"] == "shop"
    assert "error" not in line
    # One a minute, of each of the threads.
    assert len(server.log.entries("mutator skipped after a failure")) <= 64
    samples = samples_of(server)
    assert value(samples, "fixpoint_mutator_skipped_total", **of("broken")) == rounds
    assert value(samples, "fixpoint_mutator_errors_total", **of("broken")) == 0
    assert value(samples, "fixpoint_mutator_skipped_total", **of("sound")) == 0
    assert value(samples, "fixpoint_mutator_changed_total", **of("sound")) == rounds
    assert value(samples, "fixpoint_reviews_total", decision="mutated") == rounds


def test_it_is_one_line_on_one_connection(start):
    """A connection is served by one thread, which says it once a minute."""
    server = start(patches("broken", "/metadata/labels/a", '{{ fail "no" }}'))
    with Connection(server) as connection:
        for _ in range(9):
            connection.send(request(encode(review(pod()))))
            assert answer(connection.response())["allowed"] is True
    server.log.wait("mutator skipped after a failure")
    assert len(server.log.entries("mutator skipped after a failure")) == 1
