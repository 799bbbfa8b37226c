# SPDX-License-Identifier: Apache-2.0
"""Shutdown: no request is lost."""

import signal
import threading
import time
import types

import pytest
from client import Connection, answer, ask, encode, health, pod, request, review
from policies import pull_always
from process import SLOW, Server, is_report


class Client(threading.Thread):
    """Asks again and again until `over` is set, on a new connection where the server
    says that it closes one."""

    def __init__(self, server, over):
        super().__init__()
        self.server, self.over = server, over
        self.answered = self.closes = 0
        self.failure = None

    def run(self):
        try:
            while not self.over.is_set():
                with Connection(self.server) as connection:
                    self.use(connection)
        except Exception as failure:
            self.failure = failure

    def use(self, connection):
        while not self.over.is_set():
            connection.send(request(encode(review(pod()))))
            response = connection.response()
            assert answer(response)["allowed"]
            self.answered += 1
            if response.closes:
                self.closes += 1
                assert connection.at_end(), "no goodbye after Connection: close"
                return


def test_term_under_load(start):
    """Clients go on through the whole drain: all that is accepted is answered, each
    answer says `Connection: close`, and the exit status is 0."""
    server = start(pull_always(), args=["--drain", "%dms" % (1500 * SLOW)])
    over = threading.Event()
    clients = [Client(server, over) for _ in range(6)]
    for client in clients:
        client.start()
    time.sleep(0.3 * SLOW)
    server.signal(signal.SIGTERM)
    server.log.wait("draining")
    status, text = health(server, "/readyz")
    assert status == 503 and "[-]shutdown failed: draining" in text
    assert health(server, "/healthz")[0] == 200
    with Connection(server) as fresh:  # new connections are still accepted
        fresh.send(request(encode(review(pod()))))
        response = fresh.response()
        assert answer(response)["allowed"] and response.closes
    time.sleep(0.5 * SLOW)
    over.set()  # the endpoint is gone from all lists
    for client in clients:
        client.join()
        assert client.failure is None
        assert client.answered > 0 and client.closes > 0
    assert server.wait() == 0
    assert server.log.entries("stopped")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_the_wait(start, number):
    server = start(pull_always())
    began = time.monotonic()
    server.signal(number)
    server.log.wait("draining")
    server.signal(number)
    assert server.wait() == 0
    assert time.monotonic() - began < 5 * SLOW


def test_an_idle_connection_takes_one_more_request(start):
    """Its client may be sending at the moment of SIGTERM; that request is not lost."""
    server = start(pull_always())
    with Connection(server) as idle:
        idle.send(request(encode(review(pod()))))
        assert not idle.response().closes
        server.signal(signal.SIGTERM)
        server.log.wait("draining")
        idle.send(request(encode(review(pod()))))
        response = idle.response()
        assert answer(response)["allowed"] and response.closes
        assert idle.at_end()


def test_what_is_in_flight_is_answered(start):
    """A request of which half came before SIGTERM, and the other half during the drain."""
    server = start(pull_always())
    data = request(encode(review(pod())))
    with Connection(server) as connection:
        connection.send(data[:-10])
        server.signal(signal.SIGTERM)
        server.log.wait("draining")
        connection.send(data[-10:])
        response = connection.response()
        assert answer(response)["allowed"] and response.closes
        assert connection.at_end()


def test_the_port_is_free_afterwards(start):
    server = start(pull_always())
    answer(ask(server, review(pod())))
    assert server.stop() == 0
    with pytest.raises(ConnectionRefusedError):
        Connection(server)


def test_a_broken_pipe_is_no_end(start):
    server = start(pull_always())
    data = request(encode(review(pod())))
    for _ in range(20):
        connection = Connection(server)
        connection.send(data * 5)
        connection.reset()
    assert answer(ask(server, review(pod())))["allowed"]


def starts_not(folder, policies, words, **how):
    """A server that says why it cannot start, and ends."""
    with pytest.raises(AssertionError, match=words) as raised:
        Server(folder, policies, **how)
    assert not is_report(str(raised.value))


def test_a_folder_that_is_not_there(tmp_path):
    starts_not(tmp_path, tmp_path / "nowhere", "nowhere: No such file or directory")


def test_a_port_that_is_taken(start, tmp_path, folder):
    server = start(pull_always())
    taken = "127.0.0.1:%d" % server.port
    starts_not(tmp_path, folder, "address already in use", listen=taken)
    starts_not(tmp_path, folder, "address already in use", health_listen=taken)


def test_a_certificate_that_cannot_be_written(tmp_path, folder):
    starts_not(tmp_path / "nowhere", folder, "serving.pem: No such file or directory")


def test_no_certificate(tmp_path, folder):
    empty = tmp_path / "empty.pem"
    empty.write_text("")
    tls = types.SimpleNamespace(ca=empty, cert=empty, key=empty)
    starts_not(tmp_path, folder, "empty.pem: ", tls=tls)
    tls.key = tmp_path / "nowhere.pem"
    starts_not(tmp_path, folder, "nowhere.pem: No such file or directory", tls=tls)
