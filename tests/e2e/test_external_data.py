# SPDX-License-Identifier: Apache-2.0
"""Values from a real HTTPS provider, and from providers that fail."""

import base64
import re
import shutil
import ssl
import threading
import time

import jsonpatch
import pytest
from client import Connection, answer, ask, encode, health, patch_of, pod, request, review
from policies import annotation, external, pull_always, write
from process import SLOW
from provider import Authority, Provider, dead_port, envelope, respond, valid


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def certificate(authority):
    return authority.issue("provider")


@pytest.fixture
def provide(authority, certificate):
    """provide(fault=None, …) starts a provider that ends with the test."""
    running = []

    def begin(**how):
        how.setdefault("certificate", certificate)
        running.append(Provider(authority, **how))
        return running[-1]

    yield begin
    for one in running:
        one.close()


def document(url, ca, name="p", timeout=3, version="v1beta1"):
    """A Provider."""
    bundle = base64.b64encode(ca.read_bytes()).decode()
    return {
        "apiVersion": "externaldata.gatekeeper.sh/" + version,
        "kind": "Provider",
        "metadata": {"name": name},
        "spec": {"url": url, "timeout": timeout, "caBundle": bundle},
    }


def images(server, obj, **how):
    """The images after a review."""
    reviewed = answer(ask(server, review(obj), **how))
    assert reviewed["allowed"] is True, reviewed
    patched = jsonpatch.apply(obj, patch_of(reviewed) or [])
    return [container["image"] for container in patched["spec"]["containers"]]


def refusal(server, obj=None, **how):
    """The message of a refused review."""
    reviewed = answer(ask(server, review(obj or pod()), **how))
    assert reviewed["allowed"] is False and reviewed["status"]["code"] == 500
    return reviewed["status"]["message"]


START = "failed to resolve external data placeholders: "
SEND = START + "failed to send external data request to provider p: "


def test_values_come_from_the_provider(start, provide, authority):
    provider = provide()
    server = start(document(provider.url, authority.cert), external(), pull_always())
    assert images(server, pod(images=("nginx", "redis:7", "nginx"))) == [
        "nginx_valid", "redis:7_valid", "nginx_valid"
    ]
    assert provider.keys == [["nginx", "redis:7"]], "one request, each key once"
    request = provider.requests[0]
    assert request["path"] == "/validate"
    assert request["headers"]["content-type"] == "application/json"
    assert request["body"]["apiVersion"] == "externaldata.gatekeeper.sh/v1beta1"
    assert request["body"]["kind"] == "ProviderRequest"


@pytest.mark.parametrize("version", ["v1beta1", "v1alpha1"])
def test_both_versions_of_providers(start, provide, authority, version):
    provider = provide()
    server = start(document(provider.url, authority.cert, version=version), external())
    assert images(server, pod()) == ["nginx_valid"]


def test_nobody_is_asked_where_nothing_matches(start, provide, authority):
    provider = provide()
    server = start(document(provider.url, authority.cert), external())
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "n"}}
    assert patch_of(answer(ask(server, review(other)))) is None
    assert provider.requests == []


def test_the_username_is_a_key(start, provide, authority):
    provider = provide()
    by_user = annotation("who", "example.com/who", "x")
    by_user["spec"]["parameters"]["assign"] = {
        "externalData": {"provider": "p", "dataSource": "Username"}
    }
    server = start(document(provider.url, authority.cert), by_user)
    reviewed = answer(ask(server, review(pod(), username="alice@example.com")))
    patched = jsonpatch.apply(pod(), patch_of(reviewed))
    assert patched["metadata"]["annotations"] == {"example.com/who": "alice@example.com_valid"}


def test_several_providers_at_once(start, provide, authority):
    both = threading.Barrier(2)

    def together(request, keys):
        both.wait(10 * SLOW)
        respond(request, 200, encode(valid(keys)))

    first, second = provide(fault=together), provide(fault=together)
    server = start(
        document(first.url, authority.cert),
        document(second.url, authority.cert, name="q"),
        external("a", "spec.nodeName"),
        external("b", "spec.schedulerName", provider="q"),
    )
    obj = pod()
    obj["spec"].update(nodeName="n", schedulerName="s")
    patched = jsonpatch.apply(obj, patch_of(answer(ask(server, review(obj)))))
    assert patched["spec"]["nodeName"] == "n_valid"
    assert patched["spec"]["schedulerName"] == "s_valid"
    assert first.keys == [["n"]] and second.keys == [["s"]]


def test_our_certificate_is_offered(start, provide, authority, tmp_path):
    """A provider that accepts the webhook only, by its serving certificate."""
    pair = authority.issue("webhook")

    class Tls:
        ca, (cert, key) = authority.cert, pair

    provider = provide(client_ca=authority.cert)
    server = start(document(provider.url, authority.cert), external(), tls=Tls)
    assert images(server, pod()) == ["nginx_valid"]
    offered = ssl.DER_cert_to_PEM_cert(provider.requests[0]["certificate"])
    own = pair[0].read_text()
    assert offered.split() == own[own.index("-----BEGIN CERT"):].split()


def test_a_self_signed_certificate_is_offered_too(start, provide, authority):
    provider = provide()
    server = start(document(provider.url, authority.cert), external())
    assert images(server, pod()) == ["nginx_valid"]


# ---- what can go wrong ---------------------------------------------------------------


def never(request, keys):
    time.sleep(3)


def half(request, keys):
    body = encode(valid(keys))
    request.send_response(200)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body[: len(body) // 2])


def garbage(request, keys):
    respond(request, 200, b"<html>no</html>")


def nothing(request, keys):
    respond(request, 200, b"")


def not_http(request, keys):
    request.wfile.write(b"SSH-2.0-OpenSSH_9\r\n")


def too_large(request, keys):
    body = b" " * (9 << 20)
    respond(request, 200, body)


FAULTS = [
    (never, SEND + r".*in time|" + SEND + ".*within"),
    (half, SEND + ".*"),
    (garbage, SEND + ".*"),
    (nothing, SEND + ".*"),
    (not_http, SEND + ".*"),
    (too_large, SEND + ".*larger.*"),
]


@pytest.mark.parametrize("fault, words", FAULTS, ids=[f[0].__name__ for f in FAULTS])
def test_a_faulty_provider_fails_the_request(start, provide, authority, fault, words):
    provider = provide(fault=fault)
    timeout = 1 if fault is never else 3
    server = start(document(provider.url, authority.cert, timeout=timeout), external())
    assert re.match(words, refusal(server))
    assert provider.requests, "it was asked"


@pytest.mark.parametrize("fault", [f[0] for f in FAULTS], ids=[f[0].__name__ for f in FAULTS])
@pytest.mark.parametrize(
    "policy, expected",
    [({"failurePolicy": "Ignore"}, "nginx"),
     ({"failurePolicy": "UseDefault", "default": "fallback:1"}, "fallback:1")],
    ids=["Ignore", "UseDefault"],
)
def test_failure_policies(start, provide, authority, fault, policy, expected):
    provider = provide(fault=fault)
    timeout = 1 if fault is never else 3
    server = start(document(provider.url, authority.cert, timeout=timeout), external(**policy))
    assert images(server, pod()) == [expected]


def test_a_dead_provider(start, authority):
    url = "https://localhost:%d/" % dead_port()
    server = start(document(url, authority.cert), external())
    assert refusal(server).startswith(SEND)
    assert "refused" in refusal(server)
    counted = 'fixpoint_external_data_requests_total{result="error"} 2'
    assert counted in health(server, "/metrics")[1]


def test_an_unknown_host(start, authority):
    url = "https://provider.invalid/"
    server = start(document(url, authority.cert), external())
    assert refusal(server).startswith(SEND)


def test_an_unknown_provider(start):
    server = start(external(provider="nobody"))
    assert refusal(server) == (
        START + "failed to find external data provider nobody in responses"
    )


def test_a_certificate_of_another_authority(start, provide, authority, tmp_path):
    stranger = Authority(tmp_path / "stranger")
    provider = provide(certificate=stranger.issue("stranger"))
    server = start(document(provider.url, authority.cert), external())
    assert refusal(server).startswith(SEND)
    assert provider.requests == [], "nothing is sent to an unknown server"


def test_a_certificate_for_another_name(start, provide, authority):
    provider = provide(certificate=authority.issue("other", "DNS:other.example"))
    server = start(document(provider.url, authority.cert), external())
    assert refusal(server).startswith(SEND)
    assert provider.requests == []


def test_the_deadline_of_the_review_is_kept(start, provide, authority):
    """The provider may take 3 s, the review 1 s: the failure policy answers in time."""
    provider = provide(fault=never)
    server = start(document(provider.url, authority.cert), external(failurePolicy="Ignore"))
    assert images(server, pod(), path="/v1/mutate?timeout=1s") == ["nginx"]
    timeouts = 'fixpoint_external_data_requests_total{result="timeout"} 1'
    assert timeouts in health(server, "/metrics")[1]


def test_a_large_answer(start, provide, authority):
    def large(request, keys):
        items = [{"key": "k%d" % i, "value": "v" * 50} for i in range(14000)]
        body = encode(envelope(items + [{"key": key, "value": "big"} for key in keys]))
        assert len(body) > 1 << 20
        respond(request, 200, body)

    provider = provide(fault=large)
    server = start(document(provider.url, authority.cert), external())
    assert images(server, pod()) == ["big"]


def test_the_simplest_provider(start, provide, authority):
    """HTTP/1.0, no length, and no goodbye of TLS: the end of the connection ends it."""

    def simple(request, keys):
        request.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" + encode(valid(keys)))
        request.close_connection = True

    provider = provide(fault=simple)
    server = start(document(provider.url, authority.cert), external())
    assert images(server, pod()) == ["nginx_valid"]


def test_half_an_answer_of_the_simplest_provider(start, provide, authority):
    def simple(request, keys):
        body = encode(valid(keys))
        request.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" + body[: len(body) // 2])
        request.close_connection = True

    provider = provide(fault=simple)
    server = start(document(provider.url, authority.cert), external())
    assert refusal(server).startswith(SEND)


def test_of_duplicate_keys_the_last_counts(start, provide, authority):
    def twice(request, keys):
        items = [{"key": keys[0], "value": "first"}, {"key": keys[0], "value": "last"}]
        respond(request, 200, encode(envelope(items)))

    provider = provide(fault=twice)
    server = start(document(provider.url, authority.cert), external())
    assert images(server, pod()) == ["last"]


def test_the_status_does_not_count(start, provide, authority):
    provider = provide(fault=lambda r, keys: respond(r, 503, encode(valid(keys))))
    server = start(document(provider.url, authority.cert), external())
    assert images(server, pod()) == ["nginx_valid"]


@pytest.mark.parametrize(
    "reply, words",
    [
        (lambda keys: envelope([], idempotent=False),
         START + "failed to validate external data response from provider p: "
         "non-idempotent response"),
        (lambda keys: envelope([], systemError=" on fire\n"),
         START + "failed to validate external data response from provider p: "
         "non-empty system error: on fire"),
        (lambda keys: envelope([]),
         START + "failed to find external data item in response for provider p"),
        (lambda keys: envelope([{"key": keys[0], "error": "no such image"}]),
         START + "failed to retrieve external data item from provider p: no such image"),
        (lambda keys: envelope([{"key": keys[0], "value": 5}]),
         START + "failed to convert external data item value from provider p to string, "
         "got type float64"),
    ],
    ids=["not idempotent", "system error", "missing", "item error", "no string"],
)
def test_answers_that_are_none(start, provide, authority, reply, words):
    provider = provide(fault=lambda r, keys: respond(r, 200, encode(reply(keys))))
    server = start(document(provider.url, authority.cert), external())
    assert refusal(server) == words


# ---- connections that are used again -------------------------------------------------

ONE_THREAD = ("--threads", "1")  # since each has connections of its own


def test_a_second_review_uses_the_connection_of_the_first(start, provide, authority):
    provider = provide()
    server = start(document(provider.url, authority.cert), external(), args=ONE_THREAD)
    for i in range(5):
        assert images(server, pod(images=("image:%d" % i,))) == ["image:%d_valid" % i]
    assert len(provider.requests) == 5 and len(provider.connections) == 1


@pytest.mark.parametrize("waits", [0, 0.3], ids=["at once", "later"])
def test_a_provider_may_close_between_two_reviews(start, provide, authority, waits):
    provider = provide()
    server = start(document(provider.url, authority.cert), external())
    for i in range(4):
        assert images(server, pod()) == ["nginx_valid"]
        assert len(provider.connections) == i + 1
        provider.hang_up()
        time.sleep(waits)
    assert len(provider.requests) == 4
    failed = 'fixpoint_external_data_requests_total{result="error"} 0'
    assert failed in health(server, "/metrics")[1]


def test_a_provider_may_close_when_it_is_asked_again(start, provide, authority):
    def only_the_first(request, keys):
        if request.n_requests == 1:
            respond(request, 200, encode(valid(keys)))
            request.close_connection = False

    provider = provide(fault=only_the_first)
    server = start(document(provider.url, authority.cert), external(), args=ONE_THREAD)
    for _ in range(4):
        assert images(server, pod()) == ["nginx_valid"]
    assert len(provider.connections) == 4
    assert len(provider.requests) == 7, "all but the first were made twice"


def test_a_provider_that_says_close_is_left(start, provide, authority):
    def last(request, keys):
        body = encode(valid(keys))
        request.send_response(200)
        request.send_header("Connection", "close")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    provider = provide(fault=last)
    server = start(document(provider.url, authority.cert), external())
    for _ in range(3):
        assert images(server, pod()) == ["nginx_valid"]
    assert len(provider.connections) == len(provider.requests) == 3


def test_reviews_at_once_keep_their_connections(start, provide, authority):
    together = threading.Barrier(8)

    def meet(request, keys):
        together.wait(10 * SLOW)
        respond(request, 200, encode(valid(keys)))
        request.close_connection = False

    provider = provide(fault=meet)
    slow = document(provider.url, authority.cert, timeout=20)
    server = start(slow, external(), args=ONE_THREAD)
    for _ in range(3):
        threads = [threading.Thread(target=images, args=(server, pod())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20 * SLOW)
    assert len(provider.requests) == 24 and len(provider.connections) == 8


def test_a_new_certificate_is_offered_on_a_new_connection(start, provide, authority):
    class Tls:
        ca, (cert, key) = authority.cert, authority.issue("webhook-1")

    provider = provide(client_ca=authority.cert)
    asked = document(provider.url, authority.cert)
    server = start(asked, external(), tls=Tls, args=ONE_THREAD)
    assert images(server, pod()) == ["nginx_valid"]
    since = server.log.position()
    for old, new in zip((Tls.cert, Tls.key), authority.issue("webhook-2")):
        shutil.copyfile(new, old)
    server.log.wait("certificate in use", since=since)
    assert images(server, pod()) == ["nginx_valid"]
    first, second = (request["certificate"] for request in provider.requests)
    assert first != second and len(provider.connections) == 2


# ---- many at once --------------------------------------------------------------------


def test_nobody_waits_for_the_provider_of_another(start, provide, authority):
    """64 reviews wait for a provider; others go on being answered meanwhile."""
    release = threading.Event()

    def held(request, keys):
        release.wait(20 * SLOW)
        respond(request, 200, encode(valid(keys)))

    provider = provide(fault=held)
    server = start(document(provider.url, authority.cert, timeout=30), external(), pull_always())
    results = []

    def wait_for_provider():
        results.append(images(server, pod(), path="/v1/mutate?timeout=30s"))

    waiting = [threading.Thread(target=wait_for_provider) for _ in range(64)]
    for thread in waiting:
        thread.start()
    deadline = time.monotonic() + 10 * SLOW
    while len(provider.requests) < 64 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(provider.requests) == 64, "all of them are under way"
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "n"}}
    for _ in range(50):
        assert answer(ask(server, review(other)))["allowed"] is True
    assert not results, "the others were answered before"
    release.set()
    for thread in waiting:
        thread.join(20 * SLOW)
    assert results == [["nginx_valid"]] * 64


def test_the_end_waits_for_those_who_wait(start, provide, authority):
    entered = threading.Event()

    def slow(request, keys):
        entered.set()
        time.sleep(0.5)
        respond(request, 200, encode(valid(keys)))

    provider = provide(fault=slow)
    server = start(document(provider.url, authority.cert), external())
    results = []
    thread = threading.Thread(target=lambda: results.append(images(server, pod())))
    thread.start()
    assert entered.wait(10 * SLOW)
    assert server.stop() == 0
    thread.join(10 * SLOW)
    assert results == [["nginx_valid"]]


def test_a_client_that_leaves_while_we_ask(start, provide, authority):
    entered, release = threading.Event(), threading.Event()

    def held(request, keys):
        entered.set()
        release.wait(10 * SLOW)
        respond(request, 200, encode(valid(keys)))

    provider = provide(fault=held)
    server = start(document(provider.url, authority.cert, timeout=20), external())
    with Connection(server) as connection:
        connection.send(request(encode(review(pod()))))
        assert entered.wait(10 * SLOW)
        connection.reset()
    release.set()
    provider.fault = None
    assert images(server, pod()) == ["nginx_valid"]


def test_no_value_reaches_the_log(start, provide, authority):
    provider = provide(fault=lambda r, keys: respond(r, 200, encode(
        envelope([{"key": key, "value": "hunter2-value"} for key in keys]))))
    server = start(
        document(provider.url, authority.cert), external(), args=["--log-mutations"]
    )
    assert images(server, pod(images=("hunter2-key",))) == ["hunter2-value"]
    server.log.wait("Mutation applied")
    assert "hunter2" not in server.log.text()


def test_a_provider_that_changes_is_asked_anew(start, provide, authority, folder):
    first, second = provide(), provide(fault=lambda r, keys: respond(
        r, 200, encode(envelope([{"key": key, "value": "second"} for key in keys]))))
    server = start(document(first.url, authority.cert), external())
    assert images(server, pod()) == ["nginx_valid"]
    since = server.log.position()
    write(
        folder / "policies.yaml", document(second.url, authority.cert), external()
    )
    server.log.wait("policies active", since=since)
    assert images(server, pod()) == ["second"]
