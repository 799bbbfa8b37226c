# SPDX-License-Identifier: Apache-2.0
"""The paths that KubeMod's own webhook configurations send to, with the reviews that an API
server sends there: v1beta1, and DELETE as well."""

import copy
import pathlib

import jsonpatch
import pytest
from client import answer, ask, health, patch_of, pod, review
from policies import annotation, assign
from standin.cluster import Refused, configuration, webhook
from standin.definitions import definition

DRAGNET = "/dragnet-webhook?timeout=10s"
VALIDATE = "/validate-api-kubemod-io-v1beta1-modrule?timeout=5s"
FILL_IN = "/mutate-api-kubemod-io-v1beta1-modrule?timeout=5s"
IGNORE = "admission.kubemod.io/ignore"


def modrule(name, namespace="shop", **spec):
    spec.setdefault("match", [{"select": "$.kind", "matchValue": "Pod"}])
    return {
        "apiVersion": "api.kubemod.io/v1beta1",
        "kind": "ModRule",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def labels(name="label", **more):
    patch = [{"op": "add", "path": "/metadata/labels/by", "value": name}]
    return modrule(name, type="Patch", patch=patch, **more)


def keeps(name="keep", **more):
    more.setdefault("rejectMessage", "{{ .Target.metadata.name }} stays")
    return modrule(name, type="Reject", admissionOperations=["DELETE"], **more)


def namespace(name, **marks):
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": dict(marks)},
    }


def beta(obj, operation="CREATE", old=None, **how):
    """As an API server sends it to who takes v1beta1 only."""
    body = review(obj, operation=operation, version="v1beta1", **how)
    body["request"]["oldObject"] = old
    if operation == "DELETE":
        body["request"].update(object=None, oldObject=obj)
    return body


def answered(server, body, path):
    response = ask(server, body, path=path)
    assert response.json()["apiVersion"] == "admission.k8s.io/v1beta1"
    return answer(response)


def test_the_dragnet_mutates(start):
    server = start(labels(), assign("policy", "spec.hostname", "h"))
    reviewed = answered(server, beta(pod()), DRAGNET)
    after = jsonpatch.apply(pod(), patch_of(reviewed))
    assert after["metadata"]["labels"] == {"by": "label"}
    assert after["spec"]["hostname"] == "h"  # all dialects, one loop
    again = answered(server, beta(after, "UPDATE", old=pod()), DRAGNET)
    assert again["allowed"] is True and patch_of(again) is None
    assert server.log.wait("review changed")["mutators"] == "Assign/policy, ModRule/shop/label"


def test_two_configurations_settle_on_one_result(start):
    """KubeMod's beside ours: the object comes twice, and rules that may run again leave it as
    it is."""
    server = start(labels())
    first = answer(ask(server, review(pod())))
    after = jsonpatch.apply(pod(), patch_of(first))
    assert patch_of(answered(server, beta(after), DRAGNET)) is None


def test_the_dragnet_rejects(start):
    server = start(keeps(), labels())
    reviewed = answered(server, beta(pod(), "DELETE"), DRAGNET)
    words = 'operation rejected by the following ModRule(s): shop/keep: "web stays"'
    assert reviewed["allowed"] is False and patch_of(reviewed) is None
    assert reviewed["status"] == {"message": words, "reason": words, "code": 403}
    config_map = {"apiVersion": "v1", "kind": "ConfigMap",
                  "metadata": {"name": "c", "namespace": "shop"}}
    reviewed = answered(server, beta(config_map, "DELETE"), DRAGNET)
    assert reviewed["allowed"] is True and patch_of(reviewed) is None


def test_the_dragnet_has_a_deadline(start):
    server = start(labels())
    response = ask(server, beta(pod()), path="/dragnet-webhook?timeout=1ns")
    assert response.status == 503 and response.headers["retry-after"] == "1"


@pytest.mark.parametrize("path", [DRAGNET, "/v1/mutate"])
def test_an_ignored_namespace(start, path):
    """Only ModRules leave alone what is in it."""
    server = start(
        labels(), labels("cluster", namespace="kubemod-system", targetNamespaceRegex="shop"),
        keeps(), annotation("seen", "example.com/seen", "yes"),
        namespace("shop", **{IGNORE: "true"}),
    )
    patch = patch_of(answered(server, beta(pod()), path))
    assert jsonpatch.apply(pod(), patch)["metadata"].get("labels") is None
    assert jsonpatch.apply(pod(), patch)["metadata"]["annotations"]["example.com/seen"] == "yes"
    assert answered(server, beta(pod(), "DELETE"), path)["allowed"] is True


def test_a_namespace_that_is_ignored_itself(start):
    match = [{"select": "$.kind", "matchValue": "Namespace"}]
    server = start(labels(namespace="kubemod-system", match=match))
    for marks, is_changed in (({IGNORE: "true"}, False), ({IGNORE: "false"}, True), ({}, True)):
        obj = namespace("shop", **marks)
        reviewed = answered(server, beta(obj), DRAGNET)
        assert (patch_of(reviewed) is not None) is is_changed, marks


UNSOUND = modrule("bad", type="Patch", executionTier=99999,
                  match=[{"select": "$.a ]"}, {"select": "$.b\n  == 'Pod'"}],
                  patch=[{"op": "add", "path": "/x", "value": "{{ nope }}"}])


@pytest.mark.parametrize("path", [VALIDATE, "/v1/admit?timeout=3s"])
@pytest.mark.parametrize("operation", ["CREATE", "UPDATE"])
def test_an_invalid_rule_is_denied_with_all_its_faults(start, path, operation):
    server = start()
    reviewed = answered(server, beta(UNSOUND, operation), path)
    status = reviewed["status"]
    assert reviewed["allowed"] is False
    assert status["code"] == 422 and status["reason"] == "Invalid"
    causes = status["details"].pop("causes")
    assert status["details"] == {"name": "bad", "group": "api.kubemod.io", "kind": "ModRule"}
    assert [cause["field"] for cause in causes] == [
        "spec.executionTier", "spec.match[0].select", "spec.match[1].select",
        "spec.patch[0].value"]
    assert {cause["reason"] for cause in causes} == {"FieldValueInvalid"}
    assert causes[1]["message"].endswith("(at character 5)")
    assert causes[2]["message"].endswith("(at line 2, character 6)")
    report = ", ".join("%s: %s" % (cause["field"], cause["message"]) for cause in causes)
    assert status["message"] == 'ModRule.api.kubemod.io "bad" is invalid: [%s]' % report
    line = server.log.wait("admission denied", kind="ModRule", name="bad")
    assert "nope" not in str(line)
    assert 'fixpoint_admissions_total{decision="failed"} 1' in health(server, "/metrics")[1]


def test_a_sound_rule_is_allowed(start):
    server = start()
    assert answered(server, beta(labels(oops=1)), VALIDATE) == {
        "uid": "uid-1", "allowed": True, "status": {"code": 200},
        "warnings": ['unknown field "spec.oops"'],
    }


def test_very_many_warnings_are_counted(start):
    rule = labels(**{f"oops{i:03}": 1 for i in range(107)})
    warnings = answered(start(), beta(rule), VALIDATE)["warnings"]
    assert len(warnings) == 101
    assert warnings[99:] == ['unknown field "spec.oops099"', "and 7 more"]


def test_an_invalid_rule_may_go(start):
    server = start()
    for path in (VALIDATE, "/v1/admit"):
        assert answered(server, beta(UNSOUND, "DELETE"), path)["allowed"] is True


def test_names_may_be_long(start):
    server = start()
    assert answered(server, beta(labels("x" * 200)), VALIDATE)["allowed"] is True


def test_what_is_left_out_is_filled_in(start):
    server = start()
    match = [{"select": "$.a"}, {"select": "$.b", "matchFor": "All"}]
    rule = modrule("r", type="Reject", match=match)
    reviewed = answered(server, beta(rule), FILL_IN)
    expected = copy.deepcopy(rule)
    expected["spec"]["admissionOperations"] = ["CREATE", "UPDATE"]
    expected["spec"]["match"][0]["matchFor"] = "Any"
    assert reviewed["allowed"] is True
    assert jsonpatch.apply(rule, patch_of(reviewed)) == expected
    again = answered(server, beta(expected, "UPDATE", old=rule), FILL_IN)
    assert again["allowed"] is True and patch_of(again) is None
    assert answered(server, beta(expected), VALIDATE)["allowed"] is True
    assert 'fixpoint_admissions_total{decision="mutated"} 1' in health(server, "/metrics")[1]


def test_filling_in_judges_nobody(start):
    server = start()
    assert answered(server, beta(UNSOUND), FILL_IN)["allowed"] is True
    assert patch_of(answered(server, beta(modrule("r", match=5)), FILL_IN)) == [
        {"op": "add", "path": "/spec/admissionOperations", "value": ["CREATE", "UPDATE"]}]
    for obj in (pod(), assign("a", "spec.x", "y")):
        assert patch_of(answered(server, beta(obj), FILL_IN)) is None
    assert patch_of(answered(server, beta(UNSOUND, "DELETE"), FILL_IN)) is None


@pytest.mark.parametrize("path", [DRAGNET, "/v1/mutate"])
def test_rules_are_not_mutated(start, path):
    server = start(annotation("seen", "example.com/seen", "yes"),
                   labels(match=[{"select": "$.kind"}]))
    reviewed = answered(server, beta(labels("other")), path)
    assert reviewed["allowed"] is True and patch_of(reviewed) is None


def test_operations(start):
    only_mutate = start(args=["--operation", "mutation-webhook"])
    assert ask(only_mutate, beta(pod()), path=DRAGNET).status == 200
    for path in (VALIDATE, FILL_IN):
        assert ask(only_mutate, beta(labels()), path=path).status == 404
    only_admit = start(args=["--operation", "webhook"])
    assert ask(only_admit, beta(pod()), path=DRAGNET).status == 404
    for path in (VALIDATE, FILL_IN):
        assert ask(only_admit, beta(labels()), path=path).status == 200


def test_garbage(start):
    server = start()
    for path in (DRAGNET, VALIDATE, FILL_IN):
        assert ask(server, b"{", path=path).status == 400
        assert ask(server, b"", path=path, method="GET").status == 405


@pytest.mark.parametrize("text", ["\0", "a\0", "\0a", "a\0b" * 100], ids=["0", "a0", "0a", "long"])
def test_a_nul_in_a_name(start, text):
    server = start(labels())
    server.log.wait("webhook port answers")
    for name, place in (("named", text), (text, "shop"), (text, text)):
        for path in (VALIDATE, FILL_IN):
            assert ask(server, beta(labels(name, namespace=place)), path=path).status == 200
        reviewed = ask(server, beta(pod(name=name, namespace=place)), path=DRAGNET)
        assert reviewed.status == 200
    assert health(server, "/readyz")[0] == 200


# --- KubeMod's configurations, in an API server ----------------------------------------------


def kubemod_hook(server, name, path, *rules, **more):
    ca = pathlib.Path(server.certificate).read_bytes()
    url = "https://localhost:%d%s" % (server.port, path)
    more = {"failurePolicy": "Fail", "timeoutSeconds": 10, **more}
    versions = ["v1beta1"]
    return webhook(name, ca, url=url, admissionReviewVersions=versions,
                   rules=list(rules), **more)


def rule_for(group, version, *resources, operations=("CREATE", "UPDATE")):
    return {"apiGroups": [group], "apiVersions": [version], "resources": list(resources),
            "operations": list(operations)}


def kubemod_configurations(server):
    """As KubeMod installs them."""
    modrules = rule_for("api.kubemod.io", "v1beta1", "modrules")
    everything = rule_for("*", "*", "namespaces", "configmaps", "pods",
                          operations=("CREATE", "UPDATE", "DELETE"))
    spared = {"matchExpressions": [{"key": IGNORE, "operator": "NotIn", "values": ["true"]}]}
    dragnet = kubemod_hook(server, "dragnet.kubemod.io", "/dragnet-webhook", everything,
                           failurePolicy="Ignore", namespaceSelector=spared)
    mutating = kubemod_hook(server, "mmodrule.kubemod.io",
                            "/mutate-api-kubemod-io-v1beta1-modrule", modrules)
    validating = kubemod_hook(server, "vmodrule.kubemod.io",
                              "/validate-api-kubemod-io-v1beta1-modrule", modrules)
    validating.pop("reinvocationPolicy")
    yield configuration(mutating, dragnet, name="kubemod-mutating-webhook-configuration")
    yield configuration(validating, kind="Validating",
                        name="kubemod-validating-webhook-configuration")


def config_map(name, namespace="shop", **more):
    metadata = {"name": name, "namespace": namespace, **more}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


@pytest.fixture
def kubemod(start, cluster):
    """A server of rules in files, and a cluster that has KubeMod's configurations and its
    definition."""
    cluster.need_standin()
    match = [{"select": "$.kind", "matchValue": "ConfigMap"}]
    kept = match + [{"select": "$.metadata.labels.keep"}]
    server = start(labels(match=match), keeps(match=kept))
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    cluster.define(definition("api.kubemod.io", "ModRule", ["v1beta1"], anything,
                              plural="modrules", scope="Namespaced"))
    cluster.create(namespace("shop"))
    cluster.create(namespace("spared", **{IGNORE: "true"}))
    cluster.load(*kubemod_configurations(server))
    return cluster


def refusal(action, *arguments):
    with pytest.raises(Refused) as caught:
        action(*arguments)
    return caught.value


def test_rules_come_to_a_cluster(kubemod):
    rule = modrule("r", type="Reject", match=[{"select": "$.a"}])
    made = kubemod.create(rule)["spec"]
    assert made["admissionOperations"] == ["CREATE", "UPDATE"]
    assert made["match"] == [{"select": "$.a", "matchFor": "Any"}]
    refused = refusal(kubemod.create, UNSOUND)
    words = 'admission webhook "vmodrule.kubemod.io" denied the request: ModRule.api.kubemod.io'
    assert refused.code == 422 and refused.status["reason"] == "Invalid"
    assert refused.message.startswith(words + ' "bad" is invalid: [spec.executionTier: ')
    assert len(refused.status["details"]["causes"]) == 4
    kubemod.delete("modrules.api.kubemod.io", "r", "shop")


def test_objects_come_to_a_cluster(kubemod):
    made = kubemod.create(config_map("c", labels={"keep": "yes"}))
    assert made["metadata"]["labels"] == {"keep": "yes", "by": "label"}
    refused = refusal(kubemod.delete, "configmaps", "c", "shop")
    assert refused.code == 403
    assert refused.message == (
        'admission webhook "dragnet.kubemod.io" denied the request: operation rejected by the '
        'following ModRule(s): shop/keep: "c stays"')
    kubemod.patch("configmaps", "c", {"metadata": {"labels": {"keep": None}}}, "shop")
    kubemod.delete("configmaps", "c", "shop")
    assert "labels" not in kubemod.create(config_map("c", "spared"))["metadata"]
    calls = kubemod.standin.admission.calls
    assert calls.count("failed") == calls.count("failed open") == 0
