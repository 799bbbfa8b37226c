# SPDX-License-Identifier: Apache-2.0
"""What is measured: the Pods have their sizes and look like Pods, the policies are as many as
they say, and names name one scenario each."""

import json

import pytest
import yaml

import objects
import policy_sets
from scenarios import NAMED, SCENARIOS


@pytest.mark.parametrize("size", [1_000, 2_000, 5_000, 20_000, 200_000, 500_000])
def test_a_pod_has_its_size(size):
    pod = objects.pod(size)
    assert len(objects.encoded(pod)) == size
    assert objects.encoded(pod) == objects.encoded(objects.pod(size))


@pytest.mark.parametrize("size", [5_000, 20_000, 200_000])
def test_a_pod_looks_like_one(size):
    metadata = objects.pod(size)["metadata"]
    managed = len(objects.encoded(metadata["managedFields"]))
    assert 0.2 < managed / size < 0.5
    assert len(metadata["annotations"]["example.com/notes"]) < 500


def test_no_pod_is_that_small():
    with pytest.raises(ValueError):
        objects.pod(100)


def test_managed_fields_tell_of_named_elements():
    pod = objects.pod(20_000)
    spec = pod["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]
    container = spec["f:containers"]['k:{"name":"app"}']
    name = pod["spec"]["containers"][0]["env"][0]["name"]
    variable = container["f:env"]['k:{"name":"%s"}' % name]
    assert variable == {".": {}, "f:name": {}, "f:value": {}}
    assert container["f:command"] == {}


def test_an_update_has_the_object_before_it():
    request = json.loads(objects.review(objects.pod(5_000), "UPDATE"))["request"]
    assert request["operation"] == "UPDATE" and request["options"]["kind"] == "UpdateOptions"
    assert request["oldObject"] != request["object"]
    assert request["oldObject"]["metadata"]["name"] == request["object"]["metadata"]["name"]
    created = json.loads(objects.review(objects.pod(5_000)))["request"]
    assert created["oldObject"] is None


@pytest.mark.parametrize("sort", policy_sets.SORTS)
def test_policies_are_as_many_as_they_say(sort):
    made = list(yaml.safe_load_all(policy_sets.text("policies.yaml", sort, 10)))
    made = [one for one in made if not one["kind"].endswith("Binding")]
    names = {(one["kind"], one["metadata"]["name"]) for one in made}
    count = policy_sets.LINKS if sort == "chained" else 10
    assert len(made) == len(names) == 3 + count


def test_a_chain_has_so_many_links_that_wait_for_the_next():
    made = [one for one in yaml.safe_load_all(policy_sets.chained(5)) if one]
    sources = [one["spec"]["parameters"]["assign"]["fromObject"] for one in made]
    assert sum("link" in one for one in sources) == 4


def test_names_are_names():
    assert len(NAMED) == len(SCENARIOS)
    assert max(map(len, NAMED)) < 34


@pytest.mark.parametrize("name", NAMED)
def test_a_scenario_can_be_written(name, tmp_path):
    policies, review = NAMED[name].write(tmp_path)
    assert json.loads(review.read_bytes())["request"]["object"]["kind"] == "Pod"
    text = policies.read_text()
    kinds = ("Assign", "ModRule", "MutatingAdmissionPolicy\n", "ClusterPolicy")
    made = sum(text.count(f"\nkind: {kind}") for kind in kinds)
    assert made == 3 + NAMED[name].count
