# SPDX-License-Identifier: Apache-2.0
"""Private keys that are not in use any more are not in memory any more, as text or as
numbers; and of those in use, no text is."""

import base64
import re
import signal
import subprocess

import pytest
from client import answer, ask, pod, review
from fixpoint_cluster import SECRET, until
from policies import pull_always
from shared_certificate import published, read_secret
from test_certificates import Pair
from webhook_configurations import NAMESPACE

WORD = 24  # bytes of a text that are searched: enough to exclude chance


def memory(process):
    """All that a process may write, region by region; skips without permission."""
    try:
        with open("/proc/%d/maps" % process.pid) as maps, open(
            "/proc/%d/mem" % process.pid, "rb"
        ) as mem:
            for line in maps:
                at, rights = line.split()[:2]
                if not rights.startswith("rw") or "[v" in line:
                    continue
                begin, end = (int(side, 16) for side in at.split("-"))
                mem.seek(begin)
                yield mem.read(end - begin)
    except OSError as failure:
        pytest.skip("the memory of another process cannot be read here: %s" % failure)


def found(server, needles):
    """Which of {name: bytes} are in its memory; skips where a tool has a memory of its own."""
    for report in server.log.entries("no sandbox"):
        pytest.skip(report["reason"])
    assert server.process.poll() is None
    regions = list(memory(server.process))
    assert sum(len(region) for region in regions) > 1 << 20
    return {name for name, needle in needles.items() if any(needle in one for one in regions)}


def secret_numbers(pem):
    """{name: bytes} of a key: what must stay secret."""
    report = subprocess.run(
        ["openssl", "pkey", "-text", "-noout"], input=pem, capture_output=True, text=True,
        check=True, timeout=60,
    ).stdout  # fmt: skip
    found = re.findall(r"^(priv\w*|prime\d|exponent\d):\n((?:    .*\n)+)", report, re.M)
    made = {name: bytes.fromhex(re.sub(r"[\s:]", "", digits)) for name, digits in found}
    assert made
    return {name: number.lstrip(b"\0") for name, number in made.items()}


def numbers(pem):
    """As they stand in memory, in either order of bytes."""
    needles = {}
    for name, number in secret_numbers(pem).items():
        needles[name] = number[:WORD]
        needles[name + " reversed"] = number[::-1][:WORD]
    return needles


def texts(pem):
    """A part of the PEM that has nothing in it but a part of such a number; and the same as
    a Secret holds it, base64 once more, wherever that text may begin in a group."""
    body = "".join(line for line in pem.splitlines() if line and not line.startswith("-"))
    number = next(iter(secret_numbers(pem).values()))
    at = base64.b64decode(body).index(number)
    first, last = -(-at * 4 // 3) + 1, (at + len(number)) * 4 // 3 - 1
    pieces = [body[first:last][: 64 - first % 64], body[first:last][64 - first % 64 :][:64]]
    piece = max(pieces, key=len).encode()
    assert len(piece) >= WORD - 4
    needles = {"text": piece}
    for shift in range(3):
        encoded = base64.b64encode(b"x" * shift + piece)
        needles["encoded %d" % shift] = encoded[4:-4][:WORD]
    return needles


@pytest.mark.parametrize("kind", ["ecdsa", "rsa"])
def test_a_key_that_is_replaced(start, tmp_path, kind):
    pair = Pair(tmp_path, "serving", kind, common_name="first")
    old = pair.key.read_text()
    server = start(pull_always(), tls=pair)
    assert answer(ask(server, review(pod())))["allowed"]
    assert found(server, texts(old)) == set()
    assert found(server, numbers(old)) != set()  # it serves with it: the search can find
    position = server.log.position()
    new = Pair(tmp_path, "new", kind, common_name="second")
    pair.key.write_bytes(new.key.read_bytes())
    pair.cert.write_bytes(new.cert.read_bytes())
    server.signal(signal.SIGHUP)
    server.log.wait("certificate in use", since=position)
    assert answer(ask(server, review(pod())))["allowed"]
    until(lambda: found(server, {**texts(old), **numbers(old)}), lambda left: left == set())
    assert found(server, texts(new.key.read_text())) == set()


def test_keys_of_a_secret(replica, fixture):
    """The text of those in use is kept, to be written again in a rotation."""
    server = replica("--rotation-wait", "1s")
    published(fixture.cluster)
    server.wait_ready()
    old = read_secret(fixture.cluster)
    ours = {**texts(old["tls.key"]), **numbers(old["tls.key"])}
    theirs = {"ca " + name: needle for name, needle in texts(old["ca.key"]).items()}
    theirs |= {"ca " + name: needle for name, needle in numbers(old["ca.key"]).items()}
    needles = {**ours, **theirs}
    assert found(server, needles) != set()
    fixture.cluster.delete("secrets", SECRET, NAMESPACE)
    until(
        lambda: (read_secret(fixture.cluster) or old)["tls.key"], lambda key: key != old["tls.key"]
    )
    published(fixture.cluster)
    until(lambda: found(server, needles), lambda left: left == set())
