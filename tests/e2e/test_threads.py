# SPDX-License-Identifier: Apache-2.0
"""Several threads serve (`--threads`), and only the metrics show it: connections
are spread evenly, and each thread has the policies, the certificate, the namespaces and the
providers that the others have."""

import contextlib
import os
import signal
import threading
import time

import jsonpatch
import metrics_text
import pytest
import yaml
from client import Connection, answer, encode, health, patch_of, pod, request, review
from fixpoint_cluster import definitions
from metrics_text import value
from policies import annotation, external, fails_on_strings, pull_always, write
from process import SLOW
from provider import Authority, Provider
from test_certificates import Pair, renew
from test_external_data import document

MANY = [2, 4]
PATIENT = ("--shed-after", "60s")  # the machine may be slow: that is no overload


def until(read, wanted, within=10):
    """Waits until read() gives what is wanted."""
    deadline = time.monotonic() + within * SLOW
    while True:
        got = read()
        if got == wanted:
            return
        assert time.monotonic() < deadline, "it is %r and not %r" % (got, wanted)
        time.sleep(0.01)


def samples_of(server):
    return metrics_text.read(health(server, "/metrics")[1])


def spread(server):
    """How many connections each thread has."""
    samples = samples_of(server)
    numbers = [
        int(dict(labels)["thread"]) for name, labels in samples
        if name == "fixpoint_thread_connections"
    ]
    assert sorted(numbers) == list(range(len(numbers)))
    return [
        value(samples, "fixpoint_thread_connections", thread=str(number))
        for number in sorted(numbers)
    ]


def quiet(server, n_threads):
    """Waits for the probe of our own to be over, so that counts are those of the test."""
    server.log.wait("webhook port answers")
    until(lambda: spread(server), [0] * n_threads)


@contextlib.contextmanager
def connections(server, n):
    """So many, open at once."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Connection(server)) for _ in range(n)]


def common_name_of(connection):
    parts = connection.peer_name()["subject"]
    return dict(pair for part in parts for pair in part)["commonName"]


def ask(connection, obj, **how):
    connection.send(request(encode(review(obj)), **how))
    return answer(connection.response())


def annotations(connection):
    obj = pod()
    patched = jsonpatch.apply(obj, patch_of(ask(connection, obj)) or [])
    return patched["metadata"].get("annotations", {})


@pytest.fixture(params=MANY)
def n_threads(request):
    return request.param


@pytest.fixture
def begin(start, n_threads):
    """begin(policy, …) starts a server with so many threads."""

    def run(*documents, args=(), **how):
        arguments = ["--threads", str(n_threads), *PATIENT, *args]
        server = start(*documents, args=arguments, **how)
        assert server.log.wait("serving")["threads"] == n_threads
        return server

    return run


def test_few_connections_are_spread_evenly(begin, n_threads):
    """As many as there are threads, kept as the API server keeps them; and again after some
    have gone."""
    server = begin(pull_always())
    quiet(server, n_threads)
    with connections(server, n_threads) as kept:
        until(lambda: spread(server), [1] * n_threads)
        for connection in kept:
            assert ask(connection, pod())["allowed"]
        assert spread(server) == [1] * n_threads
        with connections(server, 3 * n_threads):
            until(lambda: spread(server), [4] * n_threads)
            for connection in kept:  # one of each thread
                connection.socket.close()
            until(lambda: spread(server), [3] * n_threads)
            with connections(server, n_threads):
                until(lambda: spread(server), [4] * n_threads)
    until(lambda: spread(server), [0] * n_threads)
    assert value(samples_of(server), "fixpoint_connections") == 0


def test_a_gap_is_filled_first(begin, n_threads):
    server = begin(pull_always())
    quiet(server, n_threads)
    with connections(server, 2 * n_threads) as kept:
        until(lambda: spread(server), [2] * n_threads)
        kept[0].socket.close()
        kept[n_threads].socket.close()  # of the same thread, as they are given in turn
        until(lambda: sorted(spread(server)), [0] + [2] * (n_threads - 1))
        with connections(server, 2):
            until(lambda: spread(server), [2] * n_threads)


def test_one_thread(start):
    server = start(pull_always(), args=["--threads", "1"])
    quiet(server, 1)
    with connections(server, 5) as kept:
        until(lambda: spread(server), [5])
        assert all(ask(connection, pod())["allowed"] for connection in kept)


def test_as_many_as_there_are_cores(start):
    server = start(pull_always())
    assert 1 <= server.log.wait("serving")["threads"] <= min(64, len(os.sched_getaffinity(0)))


def test_not_more_than_connections(start):
    server = start(pull_always(), args=["--threads", "8", "--max-connections", "3"])
    assert server.log.wait("serving")["threads"] == 3


def test_sums_are_true(begin, n_threads):
    """The sum of what all threads have counted: requests, histograms, mutators."""
    server = begin(pull_always(), annotation("a", "a", "1"), fails_on_strings())
    quiet(server, n_threads)
    bad = pod()
    bad["spec"]["nodeName"] = "a string"
    rounds = 7
    with connections(server, n_threads) as kept:
        for connection in kept * rounds:
            assert ask(connection, pod())["allowed"]
        for connection in kept:
            assert not ask(connection, bad)["allowed"]
        samples = samples_of(server)
    good = rounds * n_threads
    assert value(samples, "fixpoint_reviews_total", decision="mutated") == good
    assert value(samples, "fixpoint_reviews_total", decision="failed") == n_threads
    assert value(samples, "fixpoint_review_duration_seconds_count") == good + n_threads
    assert value(samples, "gatekeeper_mutation_request_count", mutation_status="success") == good
    of = {"group": "mutations.gatekeeper.sh", "kind": "Assign"}
    changed = value(samples, "fixpoint_mutator_changed_total", name="pull-always", **of)
    failed = value(samples, "fixpoint_mutator_errors_total", name="fails", **of)
    assert (changed, failed) == (good, n_threads)
    assert value(samples, "fixpoint_mutator_seconds_total", name="pull-always", **of) > 0
    until(lambda: value(samples_of(server), "fixpoint_requests_in_flight"), 0)


def test_counts_outlive_a_change_of_policies(begin, folder, n_threads):
    """Threads that have not seen a review since the change lose nothing of before."""
    server = begin(pull_always())
    quiet(server, n_threads)
    of = {"group": "mutations.gatekeeper.sh", "kind": "Assign", "name": "pull-always"}
    with connections(server, n_threads) as kept:
        for version in range(1, 6):
            for connection in kept:
                assert ask(connection, pod())["allowed"]
            position = server.log.position()
            write(folder / "more.yaml", annotation("b", "b", str(version)))
            server.log.wait("policies active", since=position)
            matched = value(samples_of(server), "fixpoint_mutator_matched_total", **of)
            assert matched == version * n_threads


class Client(threading.Thread):
    """Asks on one connection until `over` is set; notes what it saw of `version`."""

    def __init__(self, server, over):
        super().__init__()
        self.server, self.over = server, over
        self.seen, self.n_asked, self.failure = [], 0, None

    def run(self):
        try:
            with Connection(self.server) as connection:
                while not self.over.is_set():
                    got = annotations(connection)
                    self.n_asked += 1
                    assert got["first"] == got["second"], got
                    self.seen.append(int(got["first"]))
        except Exception as failure:
            self.failure = failure


def versioned(version):
    return [annotation(name, name, str(version)) for name in ("first", "second")]


def test_reloads_under_load(begin, folder, n_threads):
    """No request is lost, none sees half of a version, and no thread goes back."""
    server = begin(*versioned(0))
    over = threading.Event()
    clients = [Client(server, over) for _ in range(n_threads)]
    for client in clients:
        client.start()
    last = 60
    try:
        for version in range(1, last + 1):
            position = server.log.position()
            (folder / "next.tmp").write_text(yaml.safe_dump_all(versioned(version)))
            (folder / "next.tmp").rename(folder / "policies.yaml")
            server.signal(signal.SIGHUP)
            server.log.wait("policies active", since=position)
            with Connection(server) as connection:
                assert annotations(connection)["first"] == str(version)
    finally:
        over.set()
        for client in clients:
            client.join()
    for client in clients:
        assert client.failure is None
        assert client.seen == sorted(client.seen) and client.n_asked > 0
    decided = value(samples_of(server), "fixpoint_reviews_total", decision="mutated")
    assert decided == sum(client.n_asked for client in clients) + last


def test_a_certificate_reaches_every_thread(begin, n_threads, tmp_path):
    """Connections that are open stay as they are."""
    pair = Pair(tmp_path, "serving", common_name="first")
    new = Pair(tmp_path, "new", common_name="second")
    server = begin(pull_always(), tls=pair)
    quiet(server, n_threads)
    with connections(server, n_threads) as kept:
        position = server.log.position()
        renew(pair, new)
        server.signal(signal.SIGHUP)
        server.log.wait("certificate in use", since=position)
        with connections(server, n_threads) as fresh:
            assert [common_name_of(one) for one in fresh] == ["second"] * n_threads
            until(lambda: spread(server), [2] * n_threads)
            assert all(ask(connection, pod())["allowed"] for connection in kept + fresh)


def test_pass_through_reaches_every_thread(begin, n_threads):
    server = begin(annotation("a", "a", "1"))
    quiet(server, n_threads)
    with connections(server, n_threads) as kept:
        for number, wanted in ((signal.SIGUSR1, {}), (signal.SIGUSR2, {"a": "1"})):
            position = server.log.position()
            server.signal(number)
            server.log.wait(
                "passthrough on (SIGUSR1): objects pass unchanged until SIGUSR2"
                if number == signal.SIGUSR1
                else "passthrough off (SIGUSR2): policies are active",
                since=position,
            )
            assert all(annotations(connection) == wanted for connection in kept)


def test_failures_in_a_row_are_those_of_all_threads(begin, n_threads):
    """And who is out is out for all of them, until a hang-up."""
    server = begin(
        fails_on_strings(), annotation("a", "a", "1"), args=["--quarantine-after", "3"]
    )
    quiet(server, n_threads)
    bad = pod()
    bad["spec"]["nodeName"] = "a string"
    with connections(server, n_threads) as kept:
        first, second = kept[0], kept[1]
        for connection in (first, second):
            assert not ask(connection, bad)["allowed"]
        assert ask(first, pod())["allowed"]  # in between: begins anew
        for connection in (second, first):
            assert not ask(connection, bad)["allowed"]
        assert not server.log.entries("mutator quarantined")
        assert not ask(second, bad)["allowed"]
        assert server.log.wait("mutator quarantined")["mutator"] == "Assign/fails"
        assert all(ask(connection, bad)["allowed"] for connection in kept)
        assert value(samples_of(server), "fixpoint_mutators_quarantined") == 1
        server.signal(signal.SIGHUP)
        server.log.wait("mutator released from quarantine")
        assert not any(ask(connection, bad)["allowed"] for connection in kept[:2])


def test_external_data_on_every_thread(begin, n_threads, tmp_path):
    """Each thread keeps connections to a provider of its own."""
    authority = Authority(tmp_path / "authority")
    provider = Provider(authority, authority.issue("provider"))
    try:
        server = begin(document(provider.url, authority.cert), external())
        quiet(server, n_threads)
        with connections(server, n_threads) as kept:
            for connection in kept * 3:
                reviewed = ask(connection, pod())
                patched = jsonpatch.apply(pod(), patch_of(reviewed))
                assert patched["spec"]["containers"][0]["image"] == "nginx_valid"
        assert len(provider.requests) == 3 * n_threads
        assert len(provider.connections) == n_threads
        samples = samples_of(server)
        asked = value(samples, "fixpoint_external_data_requests_total", result="ok")
        assert asked == 3 * n_threads
    finally:
        provider.close()


class Asker(threading.Thread):
    """Sends requests until the answer says that its connection ends, or the server is gone."""

    def __init__(self, server):
        super().__init__()
        self.server, self.failure = server, None
        self.n_sent = self.n_answered = 0

    def run(self):
        try:
            with Connection(self.server) as connection:
                while True:
                    connection.send(request(encode(review(pod()))))
                    self.n_sent += 1
                    response = connection.response()
                    assert answer(response)["allowed"]
                    self.n_answered += 1
                    if response.closes:
                        assert connection.at_end()
                        return
        except Exception as failure:
            self.failure = failure


def test_the_end_under_load(begin, n_threads):
    """Every thread answers all it was asked, and announces the end to each client."""
    server = begin(pull_always(), args=["--drain", "%dms" % (1000 * SLOW)])
    clients = [Asker(server) for _ in range(3 * n_threads)]
    for client in clients:
        client.start()
    until(lambda: all(client.n_answered > 0 or client.failure for client in clients), True)
    server.signal(signal.SIGTERM)
    for client in clients:
        client.join()
        assert client.failure is None and client.n_sent == client.n_answered
    assert server.wait() == 0
    assert server.log.entries("stopped")


def _silent_watch(exchange):
    """A watch that is late: its head, and then nothing."""
    exchange.begin_stream()
    exchange.pause(1e9)


@pytest.mark.parametrize("n", MANY)
def test_a_namespace_younger_than_the_watch(fixture, n):
    """Every thread can ask for it; what the watch reported is known to all."""
    standin = fixture.cluster.need_standin()
    fixture.define(*definitions())
    known = fixture.namespace(team="web")
    rule = standin.faults.add(_silent_watch, verb="watch", resource="namespaces")
    server = fixture.start("--threads", str(n), *PATIENT)
    quiet(server, n)
    rule.wait()
    policy = annotation("a", "a", "1")
    policy["spec"]["match"] = {"namespaceSelector": {"matchLabels": {"team": "web"}}}
    fixture.put(policy)
    server.log.wait("policies active", mutators=1)
    young = [fixture.namespace(team="web") for _ in range(n)]
    with connections(server, n) as kept:
        for connection, name in zip(kept, young, strict=True):
            for namespace in (known, name):
                got = patch_of(ask(connection, pod(namespace=namespace)))
                assert jsonpatch.apply(pod(), got)["metadata"]["annotations"] == {"a": "1"}
        assert not ask(kept[0], pod(namespace="not-there"))["allowed"]
    for name in young:
        asked = standin.log.of(verb="get", resource="namespaces", name=name, user="fixpoint")
        assert [one.status for one in asked] == [200]
    asked = standin.log.of(verb="get", resource="namespaces", name=known, user="fixpoint")
    assert not asked
    standin.faults.clear()


def test_namespaces_change_under_load(fixture):
    """Threads look them up while the watch adds and removes them."""
    fixture.define(*definitions())
    server = fixture.start("--threads", "2", *PATIENT)
    policy = annotation("a", "a", "1")
    policy["spec"]["match"] = {"namespaceSelector": {"matchLabels": {"team": "web"}}}
    fixture.put(policy)
    server.log.wait("policies active", mutators=1)
    stays = fixture.namespace(team="web")
    over, failures = threading.Event(), []

    def look_up():
        try:
            with Connection(server) as connection:
                while not over.is_set():
                    got = patch_of(ask(connection, pod(namespace=stays)))
                    assert jsonpatch.apply(pod(), got)["metadata"]["annotations"] == {"a": "1"}
        except Exception as failure:
            failures.append(failure)

    clients = [threading.Thread(target=look_up) for _ in range(2)]
    for client in clients:
        client.start()
    for _ in range(30):
        name = fixture.namespace(team="shop")
        fixture.drop({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    over.set()
    for client in clients:
        client.join()
    assert not failures
