# SPDX-License-Identifier: Apache-2.0
"""The time of day jumps under load, by hours and by years, forth and back: deadlines do not
notice, and what goes by the time of day follows it. (Debian: faketime. The certificate in a
Secret has tests of its own in test_cluster_clock.)"""

import base64
import email.utils
import random
import signal
import threading
import time

import jsonpatch
import pytest
from client import Connection, answer, ask, encode, health, patch_of, pod, request, review
from descriptors import until
from fates import ANSWERED, Crowd
from policies import annotation, external, pull_always, write
from process import SLOW
from provider import Authority, Provider, respond, valid
from test_cluster_clock import clock  # noqa: F401 (a fixture)

YEAR = 365
JUMPS = [1 / 24, -1 / 24, 1, -1, 40, -40, 20 * YEAR, -20 * YEAR, 300, 0]
KINDS = [
    ("kept", {}),
    ("kept", {}),
    ("each its connection", {"fresh": True}),
    ("slow upload", {"pieces": 4, "pause": 0.1}),
    ("now and then", {"pause": 0.2}),
]


@pytest.fixture
def begin(start, clock, monkeypatch):  # noqa: F811
    """A server that lives by that clock."""

    def started(*documents, **how):
        with monkeypatch.context() as environment:
            for name, value in clock.environment.items():
                environment.setenv(name, value)
            return start(*documents, **how)

    return started


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def gate():
    """A provider answers once this is set."""
    made = threading.Event()
    yield made
    made.set()


@pytest.fixture
def provider(authority, gate):
    def answer_late(request, keys):
        gate.wait(30 * SLOW)
        respond(request, 200, encode(valid(keys)))

    running = Provider(authority, authority.issue("provider"), fault=answer_late)
    yield running
    gate.set()
    running.close()


def value_of(server):
    """What it annotates with."""
    patched = jsonpatch.apply(pod(), patch_of(answer(ask(server, review(pod())))))
    (value,) = patched["metadata"]["annotations"].values()
    return value


def test_jumps_under_load(begin, clock, folder):  # noqa: F811
    """Everybody is answered, and policies that change meanwhile are read."""
    server = begin(annotation("a", "a", "0"))
    crowd = Crowd(server, 1, KINDS)
    crowd.start()
    crowd.wait()
    dice = random.Random(1)
    for number in range(40):
        clock.move(dice.choice(JUMPS))
        if number % 8 == 0:
            write(folder / "next.tmp", annotation("a", "a", str(number)))
            (folder / "next.tmp").rename(folder / "policies.yaml")
            until(lambda: value_of(server) == str(number), "version %d is in force" % number)
        time.sleep(0.05 * SLOW)
    fates = crowd.end()
    wrong = [str(fate) for fate in fates if fate.end != ANSWERED or fate.status != 200]
    assert not wrong and crowd.failed_dials == 0, wrong
    assert health(server, "/healthz")[0] == 200


def asking(provider, authority):
    bundle = base64.b64encode(authority.cert.read_bytes()).decode()
    return external(), {
        "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
        "kind": "Provider",
        "metadata": {"name": "p"},
        "spec": {"url": provider.url, "timeout": 5, "caBundle": bundle},
    }


@pytest.mark.parametrize("days", (1, -1, 20 * YEAR, -20 * YEAR))
def test_a_wait_is_not_cut_short(begin, clock, provider, authority, gate, days):  # noqa: F811
    server = begin(*asking(provider, authority))
    with Connection(server) as connection:
        connection.send(request(encode(review(pod())), path="/v1/mutate?timeout=9s"))
        until(lambda: provider.requests, "the provider is asked")
        clock.move(days)
        time.sleep(0.5)
        gate.set()
        reviewed = answer(connection.response())
    assert reviewed["allowed"] and b"nginx_valid" in base64.b64decode(reviewed["patch"])


@pytest.mark.parametrize("days", (20 * YEAR, -20 * YEAR))
def test_a_deadline_comes_all_the_same(begin, clock, provider, authority, days):  # noqa: F811
    server = begin(*asking(provider, authority))
    with Connection(server) as connection:
        connection.send(request(encode(review(pod())), path="/v1/mutate?timeout=1s"))
        until(lambda: provider.requests, "the provider is asked")
        clock.move(days)
        reviewed = answer(connection.response())
    assert not reviewed["allowed"] and "provider p" in reviewed["status"]["message"]


@pytest.mark.parametrize("days", (20 * YEAR, -20 * YEAR))
def test_a_slow_message_is_late_by_its_own_clock(begin, clock, days):  # noqa: F811
    server = begin(pull_always(), args=["--message-timeout", "1s"])
    with Connection(server) as slow, Connection(server) as other:
        slow.send(request(encode(review(pod())))[:-10])
        clock.move(days)
        other.send(request(encode(review(pod()))))
        assert answer(other.response())["allowed"]
        assert slow.response().status == 408
        assert slow.at_end()


def test_what_goes_by_the_time_of_day_follows_it(begin, clock):  # noqa: F811
    """The Date of answers, and whether the certificate is valid; reviews go on."""
    server = begin(pull_always())
    server.log.wait("webhook port answers")

    def year():
        date = ask(server, review(pod())).headers["date"]
        return email.utils.parsedate_to_datetime(date).year

    now, ready = year(), (200, "ok\n")
    assert health(server, "/readyz") == ready
    for days, difference in ((20 * YEAR, 20), (-20 * YEAR, -20), (0, 0)):
        clock.move(days)
        until(lambda: abs(year() - now - difference) <= 1, "the Date is of that year")
        status, text = health(server, "/readyz")
        assert (status == 200) == (days == 0) and ("certificate failed" in text) == (days != 0)
        assert answer(ask(server, review(pod())))["allowed"]
    until(lambda: health(server, "/readyz") == ready, "it is ready again")


@pytest.mark.parametrize("days", (20 * YEAR, -20 * YEAR))
def test_the_end_comes_all_the_same(begin, clock, days):  # noqa: F811
    server = begin(pull_always(), args=["--drain", "500ms"])
    server.signal(signal.SIGTERM)
    server.log.wait("draining")
    clock.move(days)
    assert answer(ask(server, review(pod())))["allowed"]
    assert server.wait() == 0
