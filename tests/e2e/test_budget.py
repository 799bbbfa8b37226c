# SPDX-License-Identifier: Apache-2.0
"""Policies and objects that would take long: each review ends by its deadline, good clients
of the same two threads are answered throughout, and SIGTERM ends the process."""

import copy
import http.client
import json
import signal
import subprocess
import threading
import time

import metrics_text
import pytest
from client import answer, ask, health, pod, review
from process import ANY_PORT, SLOW, command
from test_kubemod_webhooks import modrule

HOSTILE_PODS = 4
TIMEOUT_S = 2  # that the API server would name
STALL_S = 10 * TIMEOUT_S  # a thread that answers by then has not stalled
WAYS = ("--threads", "2", "--drain", "1ms")


def writes(value, name="slow", **more):
    patch = [{"op": "add", "path": "/metadata/labels/by", "value": value}]
    return modrule(name, type="Patch", patch=patch, **more)


def matches(select, **more):
    item = {"select": select, **more}
    patch = [{"op": "add", "path": "/metadata/labels/by", "value": "x"}]
    return modrule("slow", type="Patch", match=[item], patch=patch)


def plain():
    return pod("hostile")


def with_annotations(**annotations):
    made = plain()
    made["metadata"]["annotations"] = annotations
    return made


def with_list(values):
    made = plain()
    made["spec"]["l"] = values
    return made


def nested(depth, width):
    value = list(range(width))
    for _ in range(depth):
        value = [value]
    return value


SUBNORMAL = 5e-324
SUM_OF_BRANCHES = "|".join(
    "%d[01]{%d}%s" % (first, count, last)
    for first, count, last in [(1, 900, "x"), (1, 800, "y"), (1, 700, "z"), (0, 700, "z"), (0, 600, "z")]
)
BITS = "0110100110010110100101100110100111010" * 12000

# name: the rule, and the object it is given
HOSTILE = {
    "dates of the policy's own": (
        writes(
            '{{ $s := repeat 1000000 "1" }}{{ range until 1000 }}{{ $y := toDate $s $s }}{{ end }}'
        ),
        plain(),
    ),
    "dates of the object": (
        writes(
            "{{ range until 100 }}{{ toDate $.Target.metadata.annotations.layout "
            "$.Target.metadata.annotations.time }}{{ end }}"
        ),
        with_annotations(layout="1" * 125000, time="1" * 125000),
    ),
    "subnormal numbers": (writes("{{ toJson .Target.spec.l }}"), with_list([SUBNORMAL] * 350000)),
    "subnormal numbers printed": (writes("{{ .Target.spec.l }}"), with_list([SUBNORMAL] * 131000)),
    "long fractions": (
        writes('{{ range until 200000 }}{{ printf "%.60f" 1e308 }}{{ end }}'),
        plain(),
    ),
    "a million integers": (writes("{{ toJson .Target.spec.l }}"), with_list([7] * 1000000)),
    "a pattern of many states": (
        matches("$.metadata.annotations.bits", matchRegex=SUM_OF_BRANCHES),
        with_annotations(bits=BITS),
    ),
    "a pattern of many states in a template": (
        writes('{{ regexMatch "%s" .Target.metadata.annotations.bits }}' % SUM_OF_BRANCHES),
        with_annotations(bits=BITS),
    ),
    "values printed again and again": (
        matches("$..*", matchRegex="never"),
        with_list(nested(500, 5000)),
    ),
    "long keys looked up": (
        matches("$.spec.l[? $.metadata.annotations[$.metadata.annotations.key] == @]"),
        {**with_list([1] * 100000), "metadata": with_annotations(key="k" * 200000)["metadata"]},
    ),
}


class Asking(threading.Thread):
    """One hostile review, on a connection of its own."""

    def __init__(self, server, obj):
        super().__init__()
        self.server, self.obj = server, obj
        self.seconds = self.response = None
        self.start()

    def run(self):
        began = time.monotonic()
        path = "/v1/mutate?timeout=%ds" % (TIMEOUT_S * SLOW)
        self.response = ask(self.server, review(self.obj), path=path)
        self.seconds = time.monotonic() - began


def good_pod():
    """Of a namespace that has no rules."""
    made = copy.deepcopy(pod("good"))
    made["metadata"]["namespace"] = "elsewhere"
    return made


def ask_good(server, hostile):
    """Good reviews, for as long as there are hostile ones: the longest that one took."""
    longest, count = 0, 0
    while any(thread.is_alive() for thread in hostile) or count == 0:
        began = time.monotonic()
        assert answer(ask(server, review(good_pod())))["allowed"] is True
        longest = max(longest, time.monotonic() - began)
        count += 1
    return longest


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_the_webhook(start, name):
    rule, obj = HOSTILE[name]
    server = start(rule, args=WAYS)
    hostile = [Asking(server, obj) for _ in range(HOSTILE_PODS)]
    longest = ask_good(server, hostile)
    for thread in hostile:
        thread.join()
        assert thread.response.status in (200, 503), thread.response.body
        if thread.response.status == 503:
            assert b"deadline exceeded" in thread.response.body
        # An answer that needs no time of its own comes at once, others by the deadline; both
        # may wait for the reviews before them on their thread.
        assert thread.seconds < STALL_S * SLOW
    assert longest < STALL_S * SLOW
    assert health(server, "/healthz")[0] == 200
    began = time.monotonic()
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
    assert time.monotonic() - began < 10 * SLOW


# Each rule takes all steps that it may, so that a hundred of them take longer than there is.
BOMB = "{{ range until 500 }}{{ range until 500 }}{{ end }}{{ end }}x"


def bomb(number, namespace="shop"):
    rule = writes(BOMB, name="slow%d" % number, namespace=namespace)
    rule["spec"]["patch"][0].update(select="$.spec.l[*]", path="/spec/l/#0")
    return rule


def test_the_words(start):
    """A rule that takes too many steps is disabled, and the warning names it."""
    server = start(bomb(1), args=[*WAYS, "--namespace-share", "100"])
    said = answer(ask(server, review(with_list([0] * 9000))))
    assert said["allowed"] is True
    (warning,) = said["warnings"]
    assert warning.startswith("ModRule.api.kubemod.io shop/slow1 was skipped: spec.patch[0]: ")
    assert warning.endswith("it exceeds its limit of steps")


def test_the_share_of_a_namespace(start):
    """What a namespace's rules take beyond their share they do without; the review and the
    cluster's rules go on."""
    bombs = [bomb(number) for number in range(100)]
    label = writes("cluster", name="label", namespace="kubemod-system", targetNamespaceRegex="shop")
    args = (*WAYS, "--namespace-share", "10")
    server = start(*bombs, label, args=args)
    path = "/v1/mutate?timeout=%ds" % (TIMEOUT_S * SLOW)
    began = time.monotonic()
    said = answer(ask(server, review(with_list([0] * 9000)), path=path))
    seconds = time.monotonic() - began
    assert said["allowed"] is True and said["patch"]  # of the cluster's rule
    report = "the policies of its namespace have used up their share of the review's time, 10 %"
    assert sum(report in warning for warning in said["warnings"]) > 50
    assert seconds < TIMEOUT_S * SLOW
    samples = metrics_text.read(health(server, "/metrics")[1])
    name = "fixpoint_namespace_policies_seconds_total"
    spent = metrics_text.value(samples, name, namespace="shop")
    assert 0 < spent < seconds


def test_the_deadline(start):
    """Where no share bounds it, the deadline does; the answer and the log name the policy that
    took the time, and that counts towards its quarantine."""
    bombs = [bomb(number) for number in range(400)]
    args = (*WAYS, "--namespace-share", "100", "--quarantine-after", "1")
    server = start(*bombs, args=args)
    response = ask(server, review(with_list([0] * 9000)), path="/v1/mutate?timeout=1s")
    assert response.status == 503 and response.headers["retry-after"]
    assert response.body.startswith(b"deadline exceeded in ModRule.api.kubemod.io shop/slow")
    assert "shop/slow" in server.log.wait("review failed")["mutator"]


def test_one_policy_takes_the_time(start):
    """A deadline that passes while one policy takes most of the work counts against it. (On a
    busy machine it may pass before the policy's step, and then counts against no policy.)"""
    args = (*WAYS, "--namespace-share", "100", "--quarantine-after", "1")
    server = start(bomb(1), args=args)
    for _ in range(50):
        response = ask(server, review(with_list([0] * 9000)), path="/v1/mutate?timeout=%dms" % (30 * SLOW))
        if response.status == 200:  # it is out; the log says so soon
            break
    quarantined = server.log.wait("mutator quarantined")
    assert quarantined["mutator"] == "ModRule/shop/slow1"
    assert quarantined["reason"].endswith("it took more time than its budget")


def dry_run_status(server, rule, obj):
    """Of a dry run of the rule, which has no credentials."""
    host, _, port = server.log.wait("serving dry runs")["listen"].rpartition(":")
    body = json.dumps({"resourceManifest": obj, "modRules": [rule]})
    connection = http.client.HTTPConnection(host, int(port), timeout=30 * SLOW)
    path = "/v1/dryrun?timeout=%ds" % (TIMEOUT_S * SLOW)
    try:
        connection.request("PUT", path, body, {"Content-Type": "application/json"})
        return connection.getresponse().status
    except BrokenPipeError:  # it is larger than a dry run may be
        return 413
    finally:
        connection.close()


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_dry_runs(start, name):
    """The port that asks for no credentials; reviews go on beside it."""
    rule, obj = HOSTILE[name]
    server = start(args=(*WAYS, "--web-listen", ANY_PORT))
    began = time.monotonic()
    assert dry_run_status(server, rule, obj) in (200, 400, 413, 503)
    assert time.monotonic() - began < 2 * TIMEOUT_S * SLOW
    assert answer(ask(server, review(good_pod())))["allowed"] is True


def test_apply(tmp_path):
    """The command line has a limit, too, that a flag sets."""
    bombs = {"apiVersion": "v1", "kind": "List", "items": [bomb(number) for number in range(400)]}
    (tmp_path / "rules.json").write_text(json.dumps(bombs))
    (tmp_path / "pod.json").write_text(json.dumps(with_list([0] * 9000)))
    arguments = ["apply", "-p", tmp_path / "rules.json", "-f", tmp_path / "pod.json"]
    began = time.monotonic()
    done = subprocess.run(
        command() + [str(argument) for argument in (*arguments, "--timeout", "500ms")],
        capture_output=True,
        timeout=60 * SLOW,
        text=True,
    )
    assert done.returncode == 4, done.stderr
    assert "deadline exceeded in ModRule.api.kubemod.io shop/slow" in done.stderr
    assert "--timeout" in done.stderr
    assert time.monotonic() - began < 10 * SLOW
