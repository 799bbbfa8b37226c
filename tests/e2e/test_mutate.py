# SPDX-License-Identifier: Apache-2.0
"""Reviews and what they are answered with."""

import json

import jsonpatch
import pytest
from client import Connection, answer, ask, encode, patch_of, pod, request, review
from policies import annotation, assign, fails_on_strings, never_settles, pull_always, sidecar


def test_a_pod_is_mutated(start):
    server = start(pull_always(), sidecar(), annotation("note", "example.com/a~b", "x/y"))
    before = pod(images=("nginx", "redis"))
    reviewed = answer(ask(server, review(before)))
    assert reviewed["uid"] == "uid-1" and reviewed["allowed"] is True
    expected = pod(images=("nginx", "redis"))
    expected["metadata"]["annotations"] = {"example.com/a~b": "x/y"}
    expected["spec"]["containers"].append({"name": "sidecar", "image": "envoy:1"})
    for container in expected["spec"]["containers"]:
        container["imagePullPolicy"] = "Always"
    assert jsonpatch.apply(before, patch_of(reviewed)) == expected
    line = server.log.wait("review changed")
    assert line["uid"] == "uid-1" and line["kind"] == "Pod" and line["username"] == "alice"
    assert line["operation"] == "CREATE" and line["namespace"] == "shop"
    assert line["mutators"] == "Assign/add-sidecar, Assign/pull-always, AssignMetadata/note"
    assert line["iterations"] >= 2 and line["operations"] == len(patch_of(reviewed))


def test_what_was_mutated_is_settled(start):
    server = start(pull_always(), sidecar())
    before = pod()
    after = jsonpatch.apply(before, patch_of(answer(ask(server, review(before)))))
    reviewed = answer(ask(server, review(after, operation="UPDATE")))
    assert patch_of(reviewed) is None and reviewed["allowed"] is True


def test_nothing_to_do(start):
    server = start(pull_always())
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "n"}}
    reviewed = answer(ask(server, review(obj)))
    assert reviewed["allowed"] is True and patch_of(reviewed) is None
    assert not server.log.entries("review changed")


def test_no_policies_at_all(start):
    server = start()
    assert patch_of(answer(ask(server, review(pod())))) is None


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_both_versions(start, version):
    server = start(pull_always())
    response = ask(server, review(pod(), version=version))
    assert response.json()["apiVersion"] == "admission.k8s.io/" + version
    assert patch_of(answer(response))


def test_deletes_are_allowed_untouched(start):
    server = start(pull_always())
    body = review(pod(), operation="DELETE")
    body["request"]["oldObject"], body["request"]["object"] = body["request"]["object"], None
    reviewed = answer(ask(server, body))
    assert reviewed["allowed"] is True and patch_of(reviewed) is None


def test_the_trace_is_named(start):
    server = start(pull_always())
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    header = "traceparent: 00-%s-00f067aa0ba902b7-01" % trace
    ask(server, review(pod()), headers=[header])
    server.log.wait("review changed", trace_id=trace)


def test_every_recording(start, recordings):
    """The bytes of a real API server, head and body, on one connection."""
    server = start(pull_always(), annotation("seen", "example.com/seen", "yes"))
    head, bodies = recordings
    with Connection(server) as connection:
        for name, body in bodies.items():
            connection.send(with_length(head, len(body)) + body)
            response = connection.response()
            asked = json.loads(body)["request"]
            reviewed = answer(response)
            assert reviewed["uid"] == asked["uid"] and reviewed["allowed"] is True, name
            patch = patch_of(reviewed)
            assert (patch is None) == (asked["operation"] not in ("CREATE", "UPDATE")), name
            if patch is not None:
                after = jsonpatch.apply(asked["object"], patch)
                assert after["metadata"]["annotations"]["example.com/seen"] == "yes", name


def with_length(head, length):
    """The recorded head with the length of another body."""
    lines = head.rstrip(b"\r\n").split(b"\n")
    lines = [line.rstrip(b"\r") for line in lines]
    for i, line in enumerate(lines):
        if line.lower().startswith(b"content-length:"):
            lines[i] = b"Content-Length: %d" % length
    return b"\r\n".join(lines) + b"\r\n\r\n"


def failing_pod():
    obj = pod()
    obj["spec"]["nodeName"] = "x"
    return obj


def test_mutation_annotations(start):
    """Gatekeeper's flag: the object says who changed it, and under which id."""
    server = start(pull_always(), args=["--mutation-annotations"])
    patched = jsonpatch.apply(pod(), patch_of(answer(ask(server, review(pod())))))
    annotations = patched["metadata"]["annotations"]
    assert annotations["gatekeeper.sh/mutations"] == "Assign//pull-always:0"
    assert len(annotations["gatekeeper.sh/mutation-id"]) == 36
    unchanged = review(pod(), operation="DELETE")
    assert patch_of(answer(ask(server, unchanged))) is None


def test_failure_denies(start):
    server = start(fails_on_strings())
    reviewed = answer(ask(server, review(failing_pod())))
    assert reviewed["allowed"] is False and patch_of(reviewed) is None
    assert reviewed["status"]["code"] == 500
    words = reviewed["status"]["message"]
    assert "Assign.mutations.gatekeeper.sh /fails failed for  Pod shop web" in words
    line = server.log.wait("review failed")
    assert line["level"] == "warn" and line["mutator"] == "Assign/fails"


def test_failure_defers(start):
    server = start(fails_on_strings(), args=["--on-error", "defer"])
    response = ask(server, review(failing_pod()))
    assert response.status == 500 and b"/fails failed for" in response.body
    assert response.headers["content-type"].startswith("text/plain")


def test_failure_allows(start):
    server = start(fails_on_strings(), args=["--on-error", "allow"])
    reviewed = answer(ask(server, review(failing_pod())))
    assert reviewed["allowed"] is True and patch_of(reviewed) is None
    assert reviewed["warnings"]


def test_no_fixed_point(start):
    server = start(never_settles())
    reviewed = answer(ask(server, review(pod(images=("n@x/y",)))))
    assert reviewed["allowed"] is False and reviewed["status"]["code"] == 500
    words = reviewed["status"]["message"]
    assert words.startswith("mutation not converging: mutation ")
    assert " not converging for  Pod shop web" in words
    line = server.log.wait("review failed")
    assert line["cycle"] == "AssignImage/never-settles /spec/containers/0/image"


def test_too_little_time_is_no_verdict(start):
    server = start(pull_always())
    response = ask(server, review(pod()), path="/v1/mutate?timeout=1ns")
    assert response.status == 503 and response.headers["retry-after"] == "1"
    assert response.headers["content-type"].startswith("text/plain")
    for timeout in ("30s", "1m30s", "0", ""):
        path = "/v1/mutate?timeout=" + timeout
        assert patch_of(answer(ask(server, review(pod()), path=path)))


def test_conflicting_mutators_are_disabled_and_told(start):
    server = start(pull_always(), assign("other", "spec.containers.image", "x"))
    for name in ("pull-always", "other"):
        line = server.log.wait("policy finding", mutator="Assign/" + name)
        assert line["level"] == "error" and line["severity"] == "conflict"
        assert "conflicting schemas" in line["text"]
    assert server.log.wait("policies active")["conflicting"] == 2
    assert patch_of(answer(ask(server, review(pod())))) is None


def test_a_hundred_reviews_of_one_connection(start):
    server = start(pull_always())
    with Connection(server) as connection:
        for i in range(100):
            connection.send(request(encode(review(pod(), uid="u%d" % i))))
            reviewed = answer(connection.response())
            assert reviewed["uid"] == "u%d" % i and patch_of(reviewed)


def test_unknown_fields_are_told(start, folder):
    policy = assign("typo", "spec.hostname", "h")
    policy["spec"]["matches"] = {"scope": "Namespaced"}
    server = start(policy)
    line = server.log.wait("policy finding")
    assert line["level"] == "warn" and "matches" in line["text"]
    assert line["file"].endswith("policies.yaml") and line["line"] > 0


def test_secrets_are_never_logged(start, recordings):
    head, bodies = recordings
    body = bodies["017-create-secret.json"]
    server = start(
        annotation("seen", "example.com/seen", "yes"),
        assign("data", "data.extra", "c2VjcmV0LW9mLXBvbGljeQ==", kinds=("Secret",)),
    )
    with Connection(server) as connection:
        connection.send(with_length(head, len(body)) + body)
        patch = patch_of(answer(connection.response()))
    assert {"op": "add", "path": "/data/extra", "value": "c2VjcmV0LW9mLXBvbGljeQ=="} in patch
    line = server.log.wait("review changed", kind="Secret")
    assert line["name"] == "s"
    assert server.stop() == 0
    for content in ("Yg==", "c2VjcmV0", "secret-of-policy"):
        assert content not in server.log.text()


def test_a_broken_review_of_a_secret_is_not_logged_either(start):
    server = start(pull_always())
    body = encode(review({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}))
    for broken in (
        body.replace(b'"metadata"', b'"data": {"a": "Yg=="} "metadata"'),
        body.replace(b'"metadata"', b'"data": Yg==, "metadata"'),
        body.replace(b'"CREATE"', b'["Yg=="]'),
        body.replace(b'"uid-1"', b'{"Yg==": "Yg=="}'),
    ):
        assert ask(server, broken).status == 400
    assert server.stop() == 0
    assert "Yg" not in server.log.text()
