# SPDX-License-Identifier: Apache-2.0
"""Servers under measurement: started on the loopback address and on one core, looked at from
outside, ended whatever happens."""

import contextlib
import functools
import http.client
import os
import pathlib
import re
import socket
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE_S = 60  # until a server is ready: under a busy machine, with 10,000 policies


class Failed(Exception):
    """Something could not be measured, and why."""


def cores():
    """(the servers' core, that of who asks them); None: there is but one."""
    usable = sorted(os.sched_getaffinity(0))
    return (usable[0], usable[1]) if len(usable) > 1 else (None, None)


def on_core(core):
    """For Popen: the process stays on this core."""
    return None if core is None else functools.partial(os.sched_setaffinity, 0, {core})


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_certificate(folder):
    """(certificate, key) for localhost, which vouches for itself."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    subject = ["-subj", "/CN=localhost", "-addext", names, "-keyout", key, "-out", cert]
    made = ["openssl", "req", "-x509", *curve, *subject]
    subprocess.run(made, check=True, capture_output=True)
    return cert, key


class Server:
    def __init__(self, process, port):
        self.process, self.port = process, port
        self.ready_s = None  # from its start until it was ready

    def _proc(self, name):
        return pathlib.Path(f"/proc/{self.process.pid}/{name}")

    def cpu_s(self):
        """Processor time so far."""
        fields = self._proc("stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

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
        if process.stdout:
            process.stdout.close()


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


def says_ready(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    finally:
        connection.close()


@contextlib.contextmanager
def _serving(command, port, is_ready):
    began = time.monotonic()
    core = on_core(cores()[0])
    with ending(command, stderr=subprocess.DEVNULL, preexec_fn=core) as process:
        server = Server(process, port)
        wait_until(is_ready, process)
        server.ready_s = time.monotonic() - began
        yield server


# The figures are of one core. And where as many requests wait as wrk has connections, none is
# to be turned away: it is the waiting that is measured.
FLAGS = {"--threads": "1", "--shed-after": "60s"}


@functools.cache
def _flags(program):
    """Those that the program has: it may be an older one."""
    told = subprocess.run([program, "help", "serve"], capture_output=True, text=True).stdout
    return [part for flag in FLAGS if flag in told for part in (flag, FLAGS[flag])]


def fixpoint(build, certificate, policies):
    """`fixpoint serve` with a file of policies."""
    port, health = free_port(), free_port()
    cert, key = certificate
    command = [build / "fixpoint", "serve", "--policies", policies]
    command += ["--tls-cert", cert, "--tls-key", key, "--listen", f"127.0.0.1:{port}"]
    command += ["--health-listen", f"127.0.0.1:{health}", "--drain", "1ms"]
    command += ["--log-level", "error", *_flags(build / "fixpoint")]
    return _serving(command, port, lambda: says_ready(health))


def limit(build, certificate):
    """The constant responder (limit.c)."""
    port = free_port()
    cert, key = certificate
    command = [build / "limit", "--tls-cert", cert, "--tls-key", key]
    return _serving(command + ["--listen", f"127.0.0.1:{port}"], port, lambda: accepts(port))
