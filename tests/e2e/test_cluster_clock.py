# SPDX-License-Identifier: Apache-2.0
"""The clock of a replica jumps around the dates of the certificate in the Secret, or was
never set (Debian: faketime)."""

import os
import signal
import time

import faketime
import pytest
from fixpoint_cluster import until
from process import SLOW
from shared_certificate import published, read_secret, shown, steps, trusts
from webhook_configurations import bundle


class Clock:
    """The time of day of a process, to be moved under way."""

    def __init__(self, path):
        self._path = path
        self.move(0)
        self.environment = faketime.environment(
            FAKETIME_TIMESTAMP_FILE=str(path),
            FAKETIME_NO_CACHE="1",
            FAKETIME_DONT_FAKE_MONOTONIC="1",
        )

    def move(self, days):
        """In one step: the process reads it at any time."""
        made = self._path.with_suffix(".new")
        made.write_text("%+dd\n" % days)
        os.replace(made, self._path)


@pytest.fixture
def clock(tmp_path):
    if not faketime.is_there() or SLOW > 1:  # sanitizers want to be loaded first
        pytest.skip("needs faketime, and no sanitizer")
    return Clock(tmp_path / "clock")


def jump(server, clock, days):
    """SIGHUP makes it check now, instead of within the hour."""
    clock.move(days)
    since = server.log.position()
    server.signal(signal.SIGHUP)
    return since


def test_clock_jumps_to_where_the_leaf_is_due(cluster, replica, clock):
    server = replica(environment=clock.environment)
    trusted, before = published(cluster), read_secret(cluster)
    since = jump(server, clock, 300)
    server.log.wait("Secret written", since, step="renew-leaf")
    after = read_secret(cluster)
    until(lambda: shown(server), after["tls.crt"])
    assert after["ca.crt"] == before["ca.crt"] and after["tls.crt"] != before["tls.crt"]
    assert bundle(cluster) == trusted


@pytest.mark.parametrize("days,step", [(400, "renew-leaf"), (4000, "start-over")])
def test_clock_jumps_over_the_end(cluster, replica, clock, days, step):
    """And back: what was made then is good now, too, so nothing more is written."""
    server = replica(environment=clock.environment)
    published(cluster)
    since = jump(server, clock, days)
    server.log.wait("Secret written", since, step=step)
    published(cluster)
    server.wait_ready()
    after = read_secret(cluster)
    since = jump(server, clock, 0)
    time.sleep(1)
    assert read_secret(cluster) == after and not steps(server, since)
    assert trusts(server, after["ca.crt"])


def test_clock_that_was_never_set(cluster, replica, clock):
    """Then the API server's own certificate is not valid yet: nothing is made."""
    clock.move(-20000)
    server = replica(environment=clock.environment)
    report = server.log.wait("the API server does not answer: the objects read last stay in use")
    assert "starts in the future" in report["error"]
    assert not server.ready()
    assert read_secret(cluster) is None
    clock.move(0)
    server.log.wait("Secret written", step="create")
    published(cluster)
