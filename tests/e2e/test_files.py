# SPDX-License-Identifier: Apache-2.0
"""Files and folders that are there to stop a server: after each, a reload that works, and a
prompt end."""

import os
import shutil
import signal
import time

import metrics_text
import pytest
from client import answer, ask, health, pod, review
from metrics_text import value
from policies import annotation, write
from process import SLOW
from test_reload import after, annotations

EMPTIED = "the policy files have no mutators any more: "
KEPT = EMPTIED + "the previous policies stay active"


def metric(server, name, **labels):
    return value(metrics_text.read(health(server, "/metrics")[1]), name, **labels)


def ends_promptly(server):
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 5 * SLOW
    assert server.log.entries("stopped")  # and nothing was left


def finding(server, since, text):
    deadline = time.monotonic() + 10 * SLOW
    while True:
        for entry in server.log.entries("policy finding", since):
            if text in entry["text"]:
                return entry
        assert time.monotonic() < deadline, server.log.text()[-3000:]
        time.sleep(0.02)


def swap(path, make):
    """Replaces a file atomically."""
    beside = path.with_suffix(".new")
    make(beside)
    os.rename(beside, path)


def put(path, *documents):
    """A file that is there at once: an empty one would be a version of its own."""
    swap(path, lambda beside: write(beside, *documents))


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: os.symlink("/dev/zero", path)], ids=["fifo", "device"]
)
def test_a_file_that_becomes_something_else(start, tmp_path, make):
    """It is named on the command line, so it is read; its previous version stays in force."""
    file = tmp_path / "named.yaml"
    write(file, annotation("a", "a", "1"))
    server = start(paths=[file])
    position = server.log.position()
    swap(file, make)
    server.signal(signal.SIGHUP)
    finding(server, position, "not a regular file")
    server.log.wait("policies active", since=position)
    assert annotations(server) == {"a": "1"}
    assert after(server, swap, file, lambda new: write(new, annotation("a", "a", "2"))) == {
        "a": "2"
    }
    swap(file, make)  # and it ends while that is there
    server.signal(signal.SIGHUP)
    ends_promptly(server)


def test_a_fifo_among_files(start, folder):
    server = start(annotation("a", "a", "1"))
    os.mkfifo(folder / "fifo.yaml")
    assert after(server, put, folder / "b.yaml", annotation("b", "b", "1")) == {
        "a": "1",
        "b": "1",
    }
    ends_promptly(server)


def test_a_certificate_that_becomes_a_fifo(start, tmp_path, folder):
    write(folder / "policies.yaml", annotation("a", "a", "1"))
    ca = tmp_path / "clients.pem"
    other = start(args=["--threads", "1"])  # makes a certificate to be copied
    shutil.copy(other.certificate, ca)
    server = start(args=["--client-ca", ca])
    swap(ca, os.mkfifo)
    server.signal(signal.SIGHUP)
    server.log.wait("client CA certificates rejected: the previous ones stay in use")
    swap(ca, lambda new: shutil.copy(other.certificate, new))
    ends_promptly(server)


def links(folder, levels=26):
    """Each folder has two links to the next one: 2^levels ways lead to the last."""
    for level in range(levels + 1):
        (folder / (".%d" % level)).mkdir()
    for level in range(levels):
        for name in "ab":
            (folder / (".%d" % level) / name).symlink_to(folder / (".%d" % (level + 1)))
    return folder / (".%d" % levels)


def test_folders_of_links(start, folder):
    server = start(annotation("a", "a", "1"))

    def change():
        last = links(folder)
        put(last / "b.yaml", annotation("b", "b", "1"))
        (folder / "way").symlink_to(folder / ".0")

    assert after(server, change) == {"a": "1", "b": "1"}
    assert after(server, put, folder / "c.yaml", annotation("c", "c", "1")) == {
        "a": "1",
        "b": "1",
        "c": "1",
    }
    ends_promptly(server)


def test_a_ring_of_links(start, folder):
    server = start(annotation("a", "a", "1"))
    (folder / "ring").symlink_to(folder)
    assert after(server, put, folder / "b.yaml", annotation("b", "b", "1")) == {
        "a": "1",
        "b": "1",
    }
    ends_promptly(server)


# ---- a root that becomes empty ---------------------------------------------------------------


def empty(folder):
    for file in list(folder.iterdir()):
        file.unlink()


def replace_by_file(folder):
    """The folder is away, and an empty file has its name."""
    folder.rename(folder.with_name("away"))
    folder.write_text("")


@pytest.mark.parametrize("change", [empty, replace_by_file])
def test_the_previous_policies_are_kept(start, folder, change):
    server = start(annotation("a", "a", "1"))
    change(folder)
    assert server.log.wait(KEPT)["mutators_before"] == 1
    assert annotations(server) == {"a": "1"}
    assert health(server, "/readyz")[0] == 200
    assert metric(server, "fixpoint_policies_emptied") == 1
    assert metric(server, "fixpoint_reloads_total", result="failed") >= 1
    server.signal(signal.SIGHUP)
    assert annotations(server) == {"a": "1"}
    if folder.is_file():
        folder.unlink()
        folder.mkdir()
    assert after(server, put, folder / "b.yaml", annotation("b", "b", "1")) == {"b": "1"}
    assert metric(server, "fixpoint_policies_emptied") == 0
    ends_promptly(server)


def test_not_ready_without_policies(start, folder):
    server = start(annotation("a", "a", "1"), args=["--on-empty-policies", "not-ready"])
    position = server.log.position()
    empty(folder)
    server.log.wait(EMPTIED + "nothing is mutated, not ready")
    server.log.wait("policies active", since=position)
    status, text = health(server, "/readyz")
    assert status == 503
    assert "[-]policies failed: the policy files have no mutators any more" in text
    assert annotations(server) == {}
    assert metric(server, "fixpoint_policies_emptied") == 1
    assert after(server, put, folder / "b.yaml", annotation("b", "b", "1")) == {"b": "1"}
    assert "[+]policies ok" in health(server, "/readyz?verbose")[1]
    ends_promptly(server)


def test_no_policies_are_accepted(start, folder):
    server = start(annotation("a", "a", "1"), args=["--on-empty-policies", "accept"])
    empty(folder)
    server.log.wait(EMPTIED + "nothing is mutated")
    assert annotations(server) == {}
    assert "[+]policies ok" in health(server, "/readyz?verbose")[1]
    assert metric(server, "fixpoint_policies_emptied") == 1
    ends_promptly(server)


def test_no_policies_from_the_start(start, folder):
    """Nothing has vanished."""
    server = start(args=["--on-empty-policies", "not-ready"])
    assert "[+]policies ok" in health(server, "/readyz?verbose")[1]
    assert metric(server, "fixpoint_policies_emptied") == 0
    assert after(server, put, folder / "b.yaml", annotation("b", "b", "1")) == {"b": "1"}
    assert answer(ask(server, review(pod())))["allowed"]
