# SPDX-License-Identifier: Apache-2.0
"""MutatingAdmissionPolicies of a cluster, which are read only if `--apis` asks for the API
server's own: policies, bindings, parameters, and the definitions of custom resources."""

import pytest
from standin.cluster import Cluster
from standin.definitions import ANYTHING, definition
from webhook_configurations import NAMESPACE

GROUP = "admissionregistration.k8s.io"
APIS = ("--apis", "gatekeeper," + GROUP)


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path / "cluster")
    made.define(
        definition(GROUP, "MutatingAdmissionPolicy", ["v1"], ANYTHING, "mutatingadmissionpolicies"),
        definition(
            GROUP,
            "MutatingAdmissionPolicyBinding",
            ["v1"],
            ANYTHING,
            "mutatingadmissionpolicybindings",
        ),
    )
    yield made
    made.close()


def of(kind, name, **spec):
    metadata = {"name": name}
    return {"apiVersion": GROUP + "/v1", "kind": kind, "metadata": metadata, "spec": spec}


def policy(value, **spec):
    """Sets the annotation `owner` of Deployments to the value of an expression."""
    expression = "Object{metadata: Object.metadata{annotations: {'owner': %s}}}" % value
    rule = {
        "apiGroups": ["apps"],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["deployments"],
    }
    return of(
        "MutatingAdmissionPolicy",
        "owner",
        matchConstraints={"resourceRules": [rule]},
        reinvocationPolicy="Never",
        mutations=[
            {
                "patchType": "ApplyConfiguration",
                "applyConfiguration": {"expression": expression},
            }
        ],
        **spec,
    )


def binding(**spec):
    return of("MutatingAdmissionPolicyBinding", "everywhere", policyName="owner", **spec)


def config_map(owner):
    metadata = {"name": "owners", "namespace": NAMESPACE}
    data = {"owner": owner}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def test_only_if_asked_for(fixture):
    """By default the API server's policies are its own business: it runs them itself."""
    fixture.put(policy("'ann'"), binding())
    replica = fixture.start(register=True)
    assert fixture.annotations() == {}
    resources = {dict(labels).get("resource") for _, labels in replica.metrics()}
    assert not [one for one in resources if one and one.startswith("mutatingadmission")]


def test_policy_binding_and_parameter_change(fixture):
    """Whatever of the three is applied, changed or deleted, the next review shows it."""
    params = {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}}
    ref = {"name": "owners", "parameterNotFoundAction": "Allow"}
    fixture.put(policy("'ann'"), binding())
    replica = fixture.start(*APIS, register=True)
    assert replica.state("mutatingadmissionpolicies." + GROUP) == "watching"
    assert fixture.annotations() == {"owner": "ann"}
    fixture.put(policy("object.metadata.name"))
    fixture.expect(owner="probe")
    fixture.put(policy("params.data.owner", **params), binding(paramRef=ref), config_map("ben"))
    fixture.expect(owner="ben")
    fixture.put(config_map("eve"))
    fixture.expect(owner="eve")
    fixture.drop(config_map("eve"))
    fixture.expect()
    fixture.put(policy("request.userInfo.nope"))
    fixture.put(config_map("oli"))
    fixture.expect(owner="oli")  # an invalid change keeps the previous version
    fixture.drop(binding())
    fixture.expect()
