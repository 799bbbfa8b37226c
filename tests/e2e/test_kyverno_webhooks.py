# SPDX-License-Identifier: Apache-2.0
"""The paths that Kyverno's own webhook configurations send to, and its ConfigMap."""

import jsonpatch
from client import answer, ask, patch_of, pod, review
from policies import assign


def policy(name, value="x", kind="ClusterPolicy", **spec):
    """Appends the value to an annotation each time that it runs."""
    rule = {
        "name": "note",
        "match": {"any": [{"resources": {"kinds": ["Pod"]}}]},
        "mutate": {"patchStrategicMerge": {"metadata": {"annotations": {name: value}}}},
    }
    metadata = {"name": name, **({"namespace": "shop"} if kind == "Policy" else {})}
    return {
        "apiVersion": "kyverno.io/v1",
        "kind": kind,
        "metadata": metadata,
        "spec": {"rules": [rule], **spec},
    }


def config_map(**data):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kyverno", "namespace": "kyverno"},
        "data": data,
    }


POLICIES = [
    policy("fails", failurePolicy="Fail"),
    policy("ignores", failurePolicy="Ignore"),
    policy("local", kind="Policy"),
    assign("other", "spec.hostname", "h"),
]


def shown(server, path, obj=None, **how):
    """The annotations that the review adds, and the host name."""
    before = obj or pod(namespace="shop")
    reviewed = answer(ask(server, review(before, **how), path=path))
    assert reviewed["allowed"] is True
    patch = patch_of(reviewed)
    after = before if patch is None else jsonpatch.apply(before, patch)
    return set(after["metadata"].get("annotations", {})), after["spec"].get("hostname")


def test_each_path_has_its_policies(start):
    """Each policy is served once, whichever of Kyverno's configurations there are; policies
    of other kinds have a webhook of their own."""
    server = start(*POLICIES)
    for path, names in (
        ("/mutate", {"fails", "ignores", "local"}),
        ("/mutate/fail", {"fails", "local"}),
        ("/mutate/ignore", {"ignores"}),
        ("/mutate/fail/finegrained/fails", {"fails"}),
        ("/mutate/ignore/finegrained/ignores", {"ignores"}),
        ("/mutate/fail/finegrained/shop/local", {"local"}),
        ("/mutate/fail/finegrained/local", set()),
        ("/mutate/fail/finegrained/shop/fails", set()),
        ("/mutate/fail/finegrained/nobody", set()),
        ("/verifymutate", set()),
    ):
        assert shown(server, f"{path}?timeout=10s") == (names, None), path
    assert shown(server, "/v1/mutate") == ({"fails", "ignores", "local"}, "h")


def test_what_kyverno_leaves_to_us(start):
    """Without the annotation, a policy that is not for requests is not for ours either."""
    left, off = policy("left", admission=False), policy("off", admission=False)
    left["metadata"]["annotations"] = {"policies.fixpoint.dev/admission": "true"}
    off["metadata"]["annotations"] = {"policies.fixpoint.dev/admission": "false"}
    server = start(left, off, policy("on"))
    assert shown(server, "/v1/mutate") == ({"left", "on"}, None)


def test_policies_are_validated(start):
    server = start()
    faulty = policy("faulty")
    faulty["spec"]["rules"][0]["match"] = {"any": [{"resources": {"kinds": "Pod"}}]}
    for path in ("/policyvalidate", "/exceptionvalidate"):
        assert answer(ask(server, review(policy("sound")), path=path))["allowed"] is True
        assert answer(ask(server, review(faulty), path=path))["allowed"] is False


def test_defaults_change_nothing(start):
    server = start()
    reviewed = answer(ask(server, review(policy("sound")), path="/policymutate"))
    assert reviewed["allowed"] is True and patch_of(reviewed) is None


def test_the_config_map_excludes(start):
    """Kyverno's rules alone: those of others run all the same."""
    data = {"resourceFilters": "[Pod,shop,p-*]", "excludeGroups": "system:nodes"}
    server = start(*POLICIES, config_map(**data))
    everything = {"fails", "ignores", "local"}
    assert shown(server, "/v1/mutate", pod(name="p-1", namespace="shop")) == (set(), "h")
    assert shown(server, "/v1/mutate", pod(name="q-1", namespace="shop")) == (everything, "h")

    body = review(pod(name="q-1", namespace="shop"))
    for groups, is_changed in ((["system:nodes"], False), (["system:masters"], True)):
        body["request"]["userInfo"] = {"username": "u", "groups": groups}
        patch = patch_of(answer(ask(server, body, path="/mutate")))
        assert (patch is not None) is is_changed


def test_other_config_maps_are_none_of_its(start):
    """One of another name is an object among policies, as before."""
    other = config_map(resourceFilters="[*,*,*]")
    other["metadata"]["name"] = "settings"
    server = start(*POLICIES, other)
    assert shown(server, "/mutate")[0] == {"fails", "ignores", "local"}


def test_a_config_map_is_mutated_as_any_object(start):
    """Even the one that is read."""
    label = policy("label")
    label["spec"]["rules"][0]["match"]["any"][0]["resources"]["kinds"] = ["ConfigMap"]
    server = start(label)
    obj = config_map(excludeUsernames="x")
    reviewed = answer(ask(server, review(obj), path="/v1/mutate"))
    assert jsonpatch.apply(obj, patch_of(reviewed))["metadata"]["annotations"] == {"label": "x"}
