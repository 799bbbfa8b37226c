# SPDX-License-Identifier: Apache-2.0
"""Policies that change while reviews go on."""

import os
import random
import shutil
import signal
import threading
import time

import jsonpatch
import yaml
from client import Connection, answer, ask, encode, patch_of, pod, request, review
from policies import annotation, write
from process import SLOW

RELOADS = int(os.environ.get("FIXPOINT_RELOADS", "1000"))
SWAPS = 40 if SLOW == 1 else 15
CLIENTS = 4


def annotations(server):
    """What a fresh Pod is annotated with now."""
    obj = pod()
    patched = jsonpatch.apply(obj, patch_of(answer(ask(server, review(obj)))))
    return patched["metadata"].get("annotations", {})


def after(server, change, *arguments):
    """Does the change, waits for its version, and asks it."""
    position = server.log.position()
    change(*arguments)
    server.log.wait("policies active", since=position)
    return annotations(server)


def test_files_come_change_and_go(start, folder):
    server = start(annotation("a", "a", "1"))
    assert annotations(server) == {"a": "1"}
    second = folder / "second.yaml"
    assert after(server, write, second, annotation("b", "b", "1")) == {"a": "1", "b": "1"}
    assert after(server, write, second, annotation("b", "b", "2")) == {"a": "1", "b": "2"}
    assert after(server, second.rename, folder / "third.yml") == {"a": "1", "b": "2"}
    assert after(server, (folder / "third.yml").unlink) == {"a": "1"}


def test_a_new_folder_within(start, folder):
    server = start(annotation("a", "a", "1"))
    inner = folder / "team" / "web"

    def change():
        inner.mkdir(parents=True)
        write(inner / "b.yaml", annotation("b", "b", "1"))

    assert after(server, change) == {"a": "1", "b": "1"}
    second = annotation("b", "b", "2")
    assert after(server, write, inner / "b.yaml", second) == {"a": "1", "b": "2"}


def modrule(value):
    """Of a namespace that a flag makes that of the cluster's rules."""
    return {
        "apiVersion": "api.kubemod.io/v1beta1",
        "kind": "ModRule",
        "metadata": {"name": "r", "namespace": "rules"},
        "spec": {
            "type": "Patch",
            "targetNamespaceRegex": ".",
            "match": [{"select": "$.kind", "matchValue": "Pod"}],
            "patch": [{"op": "add", "path": "/metadata/annotations/r", "value": value}],
        },
    }


def test_the_rules_of_the_cluster(start, folder):
    """What the flag says holds for every version of the files."""
    server = start(modrule("one"), args=("--cluster-modrules-namespace", "rules"))
    assert after(server, write, folder / "b.yaml", annotation("b", "b", "1")) == {
        "r": "one",
        "b": "1",
    }
    assert after(server, write, folder / "policies.yaml", modrule("two")) == {
        "r": "two",
        "b": "1",
    }


def test_other_files_are_none_of_our_business(start, folder):
    server = start(annotation("a", "a", "1"))
    position = server.log.position()
    (folder / "README.md").write_text("no policy")
    (folder / ".a.yaml.swp").write_text("no policy: [")
    time.sleep(0.5)
    assert not server.log.entries("policies active", since=position)
    assert not server.log.entries("policy finding")


def test_a_broken_file_keeps_its_previous_version(start, folder):
    server = start(annotation("a", "a", "1"))
    write(folder / "b.yaml", annotation("b", "b", "1"))
    server.log.wait("policies active", files=2)
    position = server.log.position()
    (folder / "b.yaml").write_text("apiVersion: v1\nkind: [\n")
    finding = server.log.wait("policy finding", since=position)
    assert finding["level"] == "error" and finding["file"] == str(folder / "b.yaml")
    assert finding["line"] in (2, 3) and "previous version" in finding["text"]
    server.log.wait("policies active", since=position)
    assert annotations(server) == {"a": "1", "b": "1"}
    mended = annotation("b", "b", "2")
    assert after(server, write, folder / "b.yaml", mended) == {"a": "1", "b": "2"}


def test_an_invalid_policy_keeps_its_previous_version(start, folder):
    server = start(annotation("a", "a", "1"), annotation("b", "b", "1"))
    position = server.log.position()
    broken = annotation("b", "b", "2")
    broken["spec"]["location"] = "spec.containers[name: *"
    write(folder / "policies.yaml", annotation("a", "a", "2"), broken)
    finding = server.log.wait("policy finding", since=position, level="error")
    assert finding["mutator"] == "AssignMetadata/b" and finding["line"] > 1
    server.log.wait("policies active", since=position)
    assert annotations(server) == {"a": "2", "b": "1"}


def test_a_folder_that_vanishes_stays_in_force(start, folder):
    server = start(annotation("a", "a", "1"))
    position = server.log.position()
    away = folder.with_name("away")
    folder.rename(away)
    report = server.log.wait("policies cannot be read: the previous version stays active")
    assert str(folder) in report["error"]
    assert annotations(server) == {"a": "1"}
    write(away / "policies.yaml", annotation("a", "a", "2"))
    time.sleep(2.5)  # it is reported once, though it is checked again and again
    assert len(server.log.entries(report["msg"])) == 1
    away.rename(folder)
    server.log.wait("policies active", since=position)
    assert annotations(server) == {"a": "2"}


def test_invalid_policies_do_not_keep_the_server_from_starting(start, folder):
    (folder / "bad.yaml").write_text("{")
    server = start(annotation("a", "a", "1"))
    assert server.log.wait("policy finding")["file"].endswith("bad.yaml")
    assert annotations(server) == {"a": "1"}


class Volume:
    """A folder as Kubernetes mounts a ConfigMap: `..data` is a link to the version, and
    the files are links through it."""

    def __init__(self, folder):
        self.folder = folder
        self.version = 0

    def swap(self, files):
        self.version += 1
        version = self.folder / ("..2026_%d" % self.version)
        version.mkdir()
        for name, text in files.items():
            (version / name).write_text(text)
        (self.folder / "..data_tmp").symlink_to(version.name)
        (self.folder / "..data_tmp").rename(self.folder / "..data")
        for name in files:
            link = self.folder / name
            if not link.is_symlink():
                link.symlink_to("..data/" + name)
        old = self.folder / ("..2026_%d" % (self.version - 1))
        if old.exists():
            shutil.rmtree(old)


def version_of(value):
    return {"a.yaml": yaml.safe_dump(annotation("a", "a", value))}


def test_a_mounted_volume(start, folder):
    volume = Volume(folder)
    volume.swap(version_of("1"))
    server = start()
    assert annotations(server) == {"a": "1"}
    for value in ("2", "3", "4"):
        assert after(server, volume.swap, version_of(value)) == {"a": value}


def test_a_mounted_file(start, folder):
    """One file of a volume, named by itself."""
    volume = Volume(folder)
    volume.swap(version_of("1"))
    server = start(paths=folder / "a.yaml")
    for value in ("2", "3"):
        assert after(server, volume.swap, version_of(value)) == {"a": value}


def test_a_link_to_a_folder_is_swapped(start, tmp_path):
    for value in ("1", "2"):
        (tmp_path / value).mkdir()
        write(tmp_path / value / "a.yaml", annotation("a", "a", value))
    link = tmp_path / "current"
    link.symlink_to("1")
    server = start(paths=link)
    assert annotations(server) == {"a": "1"}

    def change():
        (tmp_path / "next").symlink_to("2")
        (tmp_path / "next").rename(link)

    assert after(server, change) == {"a": "2"}


def test_hangup_reads_again(start, folder):
    server = start(annotation("a", "a", "1"))
    write(folder / "policies.yaml", annotation("a", "a", "2"))
    server.signal(signal.SIGHUP)
    server.log.wait("policies active", generation=2)
    assert annotations(server) == {"a": "2"}


class Client(threading.Thread):
    """Sends one review after the other and notes what each was answered, and when."""

    def __init__(self, server, over):
        super().__init__()
        self.server, self.over = server, over
        self.answers = []  # (sent, received, first value, second value)
        self.failure = None

    def run(self):
        obj = pod()
        data = request(encode(review(obj)))
        try:
            with Connection(self.server) as connection:
                while not self.over.is_set():
                    sent = time.monotonic()
                    connection.send(data)
                    reviewed = answer(connection.response())
                    received = time.monotonic()
                    patched = jsonpatch.apply(obj, patch_of(reviewed))
                    got = patched["metadata"]["annotations"]
                    self.answers.append((sent, received, int(got["first"]), int(got["second"])))
        except Exception as failure:
            self.failure = failure


def pair_of(version):
    """Two files that depend on each other."""
    policies = {name: annotation(name, name, str(version)) for name in ("first", "second")}
    return {name + ".yaml": yaml.safe_dump(policies[name]) for name in policies}


def test_reloads_under_load(start, folder):
    """A thousand versions of two files, swapped at once while clients ask: no request is
    lost, and each answer is wholly of one version that was in force meanwhile."""
    volume = Volume(folder)

    volume.swap(pair_of(1))
    server = start(args=["--shed-after", "60s"])  # a slow machine is no overload
    began, certain = [0.0, 0.0], [0.0, time.monotonic()]  # by version
    over = threading.Event()
    clients = [Client(server, over) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        for version in range(2, RELOADS + 2):
            position = server.log.position()
            began.append(time.monotonic())
            volume.swap(pair_of(version))
            server.signal(signal.SIGHUP)
            server.log.wait("policies active", since=position)
            certain.append(time.monotonic())
    finally:
        over.set()
        for client in clients:
            client.join()
    certain.append(float("inf"))
    total = 0
    for client in clients:
        assert client.failure is None
        total += len(client.answers)
        for sent, received, first, second in client.answers:
            assert first == second, "half of version %d and half of %d" % (first, second)
            assert began[first] <= received, "version %d before its time" % first
            assert sent <= certain[first + 1], "version %d after its time" % first
    seen = {first for client in clients for _, _, first, _ in client.answers}
    assert total >= CLIENTS * 10 and len(seen) > 1
    assert not server.log.entries("policy finding")


def test_a_swap_while_the_files_are_read(start, tmp_path, folder):
    """Many files between two that depend on each other, swapped in the middle of reading: what
    is in force is one version or the other."""
    for version in range(SWAPS):
        inner = tmp_path / str(version)
        inner.mkdir()
        for name, text in pair_of(version).items():
            (inner / name).write_text(text)
        for i in range(300):
            (inner / ("m%03d.yaml" % i)).write_text("# nothing")
        (tmp_path / ("data%d" % version)).symlink_to(inner)
    for path in (tmp_path / "0").iterdir():
        (folder / path.name).symlink_to("..data/" + path.name)
    (tmp_path / "data0").rename(folder / "..data")
    server = start()
    chance = random.Random(1)
    for version in range(1, SWAPS):
        time.sleep(0.1 * SLOW)  # until what the last swap led to is over
        position = server.log.position()
        server.signal(signal.SIGHUP)
        time.sleep(chance.uniform(0, 0.01 * SLOW))
        (tmp_path / ("data%d" % version)).rename(folder / "..data")
        server.log.wait("policies active", since=position)
        got = annotations(server)
        assert got["first"] == got["second"] == str(version)


def test_a_change_during_a_build_is_not_missed(start, folder):
    """Changes faster than they can be read: the last one wins in the end."""
    server = start(annotation("a", "a", "0"))
    for value in range(1, 200):
        write(folder / "next.tmp", annotation("a", "a", str(value)))
        (folder / "next.tmp").rename(folder / "policies.yaml")
        if value % 3 == 0:
            server.signal(signal.SIGHUP)
    deadline = time.monotonic() + 5 * SLOW
    while annotations(server) != {"a": "199"}:
        assert time.monotonic() < deadline
        time.sleep(0.02)
