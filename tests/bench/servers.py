# SPDX-License-Identifier: Apache-2.0
"""Servers under measurement: started on the loopback address and on their cores, looked at
from outside, ended whatever happens."""

import contextlib
import functools
import http.client
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE_S = 60  # until a server is ready: under a busy machine, with 10,000 policies


class Failed(Exception):
    """Something could not be measured, and why."""


class Misused(Failed):
    """It could not, since what is asked for cannot be meant."""


def cores():
    """(the servers' core, that of who asks them), as sets; None: there is but one."""
    usable = sorted(os.sched_getaffinity(0))
    return ({usable[0]}, {usable[1]}) if len(usable) > 1 else (None, None)


def on_cores(numbers):
    """For Popen: the process stays on these cores."""
    return numbers and functools.partial(os.sched_setaffinity, 0, numbers)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_certificate(folder):
    """(certificate, key) for localhost, which vouches for itself."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    uses = "keyUsage=digitalSignature,keyCertSign"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    subject = ["-subj", "/CN=localhost", "-addext", names, "-addext", uses, "-keyout", key, "-out", cert]
    made = ["openssl", "req", "-x509", *curve, *subject]
    subprocess.run(made, check=True, capture_output=True)
    return cert, key


def cpu_of(stat):
    """(user, system) in seconds, of the text of /proc/.../stat."""
    fields = stat.rpartition(")")[2].split()
    return int(fields[11]) / TICKS, int(fields[12]) / TICKS


class Server:
    stdout = None  # where it writes to

    def __init__(self, process, port):
        self.process, self.port = process, port
        self.ready_s = None  # from its start until it was ready

    def _proc(self, name):
        return pathlib.Path(f"/proc/{self.process.pid}/{name}")

    def cpu_parts_s(self):
        """Processor time so far: (user, system)."""
        return cpu_of(self._proc("stat").read_text())

    def cpu_s(self):
        return sum(self.cpu_parts_s())

    def cpu_by_thread_s(self):
        """{thread: processor time so far}"""
        stats = {one.name: one / "stat" for one in self._proc("task").iterdir()}
        return {name: sum(cpu_of(stat.read_text())) for name, stat in stats.items()}

    def _status_mb(self, name):
        return int(re.search(name + r":\s+(\d+)", self._proc("status").read_text())[1]) / 1024

    def resident_mb(self):
        return self._status_mb("VmRSS")

    def peak_mb(self):
        """The most that was resident since `forget_peak`."""
        return self._status_mb("VmHWM")

    def forget_peak(self):
        self._proc("clear_refs").write_text("5")


@contextlib.contextmanager
def ending(command, **how):
    """A process that does not outlive the block."""
    process = subprocess.Popen([str(part) for part in command], **how)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()


def wait_until(is_ready, process, seconds=PATIENCE_S):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise Failed(f"{process.args[0]} ended with {process.returncode}")
        with contextlib.suppress(OSError, http.client.HTTPException):
            if is_ready():
                return
        time.sleep(0.001)
    raise Failed(f"{process.args[0]} was not ready within {seconds} s")


def accepts(port):
    socket.create_connection(("127.0.0.1", port), 1).close()
    return True


def _get(port, path):
    """(status, text)"""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def says_ready(port):
    return _get(port, "/readyz")[0] == 200


class Fixpoint(Server):
    health = None  # the port

    def metrics(self):
        """{series: value}"""
        try:
            return parse_metrics(_get(self.health, "/metrics")[1])
        except (OSError, http.client.HTTPException) as wrong:
            raise Failed(f"fixpoint does not tell its metrics: {wrong}") from None

    def progress(self):
        """(connections that may ask, reviews answered) so far."""
        told = self.metrics()
        reviews = [told[one] for one in told if one.startswith("fixpoint_reviews_total{")]
        return told.get('fixpoint_tls_handshakes_total{result="ok"}', 0), sum(reviews)


class Limit(Server):
    stdout = subprocess.PIPE

    def progress(self):
        """The same. It prints them when it is asked by signal and has its next turn, which a
        thousand handshakes may put off."""
        self.process.send_signal(signal.SIGUSR1)
        out = self.process.stdout
        if not select.select([out], [], [], PATIENCE_S)[0]:
            raise Failed("limit does not tell its counts")
        told = out.readline().split()
        if len(told) != 2:
            raise Failed("limit ended")
        return tuple(map(int, told))


def parse_metrics(text):
    """{series: value} of those that are ours."""
    found = re.findall(r"^(fixpoint_\w+(?:\{[^}]*\})?) (\S+)$", text, re.M)
    return {series: float(value) for series, value in found}


@contextlib.contextmanager
def _serving(kind, command, port, is_ready, numbers=None):
    began = time.monotonic()
    how = {"stdout": kind.stdout, "stderr": subprocess.DEVNULL, "bufsize": 0}
    on = on_cores(numbers or cores()[0])
    with ending(command, preexec_fn=on, **how) as process:
        server = kind(process, port)
        wait_until(is_ready, process)
        server.ready_s = time.monotonic() - began
        yield server


# Where as many requests wait as wrk has connections, none is to be turned away: it is the
# waiting that is measured.
FLAGS = {"--threads": "{threads}", "--shed-after": "60s"}


@functools.cache
def _help(program):
    return subprocess.run([program, "help", "serve"], capture_output=True, text=True).stdout


def _flags(program, threads):
    """Those that the program has: it may be an older one."""
    told = _help(program)
    if threads > 1 and "--threads" not in told:
        raise Failed(f"{program} has no --threads")
    known = {flag: value for flag, value in FLAGS.items() if flag in told}
    return [part.format(threads=threads) for pair in known.items() for part in pair]


@contextlib.contextmanager
def fixpoint(build, certificate, policies, threads=1, numbers=None):
    """`fixpoint serve` with a file of policies; on the servers' core, or those of `numbers`."""
    port, health = free_port(), free_port()
    cert, key = certificate
    command = [build / "fixpoint", "serve", "--policies", policies]
    command += ["--tls-cert", cert, "--tls-key", key, "--listen", f"127.0.0.1:{port}"]
    command += ["--health-listen", f"127.0.0.1:{health}", "--drain", "1ms"]
    command += ["--log-level", "error", *_flags(build / "fixpoint", threads)]
    ready = functools.partial(says_ready, health)
    with _serving(Fixpoint, command, port, ready, numbers) as server:
        server.health = health
        yield server


def limit(build, certificate):
    """The constant responder (limit.c)."""
    port = free_port()
    cert, key = certificate
    command = [build / "limit", "--tls-cert", cert, "--tls-key", key]
    command += ["--listen", f"127.0.0.1:{port}"]
    return _serving(Limit, command, port, functools.partial(accepts, port))
