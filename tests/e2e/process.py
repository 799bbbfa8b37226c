# SPDX-License-Identifier: Apache-2.0
"""A running `fixpoint serve`: its log, its ports, its end."""

import json
import os
import signal
import subprocess
import threading
import time

# Sanitizers and valgrind are slow: FIXPOINT_SLOW=10 gives everything ten times the time.
SLOW = float(os.environ.get("FIXPOINT_SLOW", "1"))
# They keep memory, and have some of their own; so have the counters of a coverage.
MEMORY_TELLS = SLOW == 1 and not {"FIXPOINT_WRAPPER", "FIXPOINT_COUNTS"} & set(os.environ)


ANY_PORT = "127.0.0.1:0"


def command():
    """The program under test, perhaps with a tool before it (FIXPOINT_WRAPPER)."""
    binary = os.environ.get("FIXPOINT")
    if not binary:
        raise RuntimeError("the environment names no FIXPOINT binary to test")
    return os.environ.get("FIXPOINT_WRAPPER", "").split() + [binary]


def is_report(line):
    """Does a sanitizer say this, or valgrind?"""
    return "Sanitizer" in line or "runtime error:" in line or "Invalid read" in line


class Log:
    """The lines a process wrote to standard error, as they come."""

    def __init__(self, stream):
        self._lines = []
        self._news = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream):
        for line in stream:
            with self._news:
                self._lines.append(line.decode("utf-8", "replace").rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def position(self):
        """Where the log ends now."""
        return len(self._lines)

    def text(self):
        return "\n".join(self._lines)

    def entries(self, msg, since=0):
        """The lines with this message so far."""
        mark = '"msg":"%s"' % msg
        return [json.loads(line) for line in self._lines[since:] if mark in line]

    def wait(self, msg, since=0, timeout=10, **fields):
        """The first line with this message and these fields, waiting for it."""
        mark = '"msg":"%s"' % msg
        deadline = time.monotonic() + timeout * SLOW
        at = since
        with self._news:
            while True:
                for line in self._lines[at:]:
                    if mark in line:
                        entry = json.loads(line)
                        if all(entry.get(key) == value for key, value in fields.items()):
                            return entry
                at = len(self._lines)
                left = deadline - time.monotonic()
                if self._ended or left <= 0:
                    raise AssertionError(
                        "no log line %r %r in:\n%s" % (msg, fields, "\n".join(self._lines[-50:]))
                    )
                self._news.wait(left)

    def join(self):
        self._thread.join(10)


class Server:
    """One process. Started on free ports of the loopback address; always ended."""

    def __init__(
        self,
        folder,
        policies,
        *args,
        tls=None,
        listen=ANY_PORT,
        health_listen=ANY_PORT,
        env=None,
    ):
        self.certificate = str(folder / "serving.pem")
        arguments = ["serve", "--listen", listen, "--health-listen", health_listen]
        for path in policies if isinstance(policies, list) else [policies]:
            arguments += ["--policies", str(path)]
        if tls is None:
            arguments += ["--tls-self-signed", "--tls-cert-out", self.certificate]
        elif tls:  # else the arguments say where it comes from
            self.certificate = str(tls.ca)
            arguments += ["--tls-cert", str(tls.cert), "--tls-key", str(tls.key)]
        self._run(arguments + [str(arg) for arg in args], env)

    def _run(self, arguments, environment=None):
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            command() + arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self.log = Log(self.process.stderr)
        try:
            serving = self.log.wait("serving")
            self.port = int(serving["listen"].rpartition(":")[2])
            self.health_port = int(serving["health"].rpartition(":")[2])
        except BaseException:
            self.kill()
            raise

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, timeout=30):
        """Waits for the end and returns the exit status."""
        status = self.process.wait(timeout * SLOW)
        self.log.join()
        return status

    def stop(self):
        """SIGTERM, and a second one that ends the wait for endpoints to be removed."""
        if not self.log.entries("draining"):
            self.signal(signal.SIGTERM)
            self.log.wait("draining")
        if not self.log.entries("stopping"):
            self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        self.log.join()
