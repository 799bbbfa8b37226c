#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fixpoint beside `limit`, alternately under wrk, as ratios of one run.

`limit` (limit.c) answers a constant with the same libraries: the most this stack can do.
Machines are shared and noisy, so only the ratios mean something. Both servers run on one
core, wrk on another where there is one. Nothing but loopback is used, and every process
ends with the program."""
import argparse
import base64
import contextlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_certificate(folder):
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", cert],
        check=True, capture_output=True)
    return cert, key


# ---- scenarios: name -> the policies beside the three of policies.yaml ----------------

def none():
    return ""


def elsewhere(count):
    """Mutators that match objects of other namespaces only."""
    return "".join(f"""---
apiVersion: mutations.gatekeeper.sh/v1
kind: Assign
metadata: {{name: other-{i}}}
spec:
  applyTo: [{{groups: [""], kinds: [Pod], versions: [v1]}}]
  match: {{namespaces: [team-{i}]}}
  location: spec.priorityClassName
  parameters: {{assign: {{value: team-{i}}}}}
""" for i in range(count))


def annotations(count):
    """Mutators that all match and each add an annotation."""
    return "".join(f"""---
apiVersion: mutations.gatekeeper.sh/v1
kind: AssignMetadata
metadata: {{name: note-{i}}}
spec:
  location: metadata.annotations.note-{i}
  parameters: {{assign: {{value: "{i}"}}}}
""" for i in range(count))


EXTERNAL = "external data"
SCENARIOS = {
    "3 mutators": none,
    "3 + 1,000 for other namespaces": lambda: elsewhere(1000),
    "3 + 10,000 for other namespaces": lambda: elsewhere(10000),
    "3 + 200 that all match": lambda: annotations(200),
}


# ---- one server -----------------------------------------------------------------------

class Server:
    def __init__(self, process, port):
        self.process, self.port = process, port

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def resident_mb(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


@contextlib.contextmanager
def serving(command, port, core):
    if core is not None and shutil.which("taskset"):
        command = ["taskset", "-c", str(core), *command]
    process = subprocess.Popen([str(part) for part in command], stderr=subprocess.DEVNULL)
    try:
        wait_for(port, process)
        yield Server(process, port)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def wait_for(port, process, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            sys.exit(f"bench: {process.args} ended with {process.returncode}")
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        time.sleep(0.05)
    sys.exit("bench: a server did not start")


def percentile(out, which):
    """A line of wrk's latency distribution, in milliseconds. Behind seconds is a space."""
    number, unit = re.search(rf"^ +{which}% +([\d.]+)(us|ms|s) *$", out, re.M).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def load(server, options, core):
    """One run of wrk; what it measured."""
    command = ["wrk", "-t1", f"-c{options.connections}", f"-d{options.seconds}s", "--latency",
               "-s", HERE / "review.lua", f"https://127.0.0.1:{server.port}/"]
    if core is not None and shutil.which("taskset"):
        command = ["taskset", "-c", str(core), *command]
    before = server.cpu_seconds()
    out = subprocess.run([str(part) for part in command], check=True, capture_output=True,
                         text=True, env={**os.environ, "REVIEW": str(HERE / "review.json")},
                         timeout=options.seconds + 30).stdout
    requests = int(re.search(r"(\d+) requests in", out)[1])
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)|Socket errors: .*", out)
    if failed or not requests:
        sys.exit(f"bench: {failed[0] if failed else 'no request was answered'}")
    return {
        "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]),
        "p50_ms": percentile(out, 50),
        "p99_ms": percentile(out, 99),
        "cpu_us": (server.cpu_seconds() - before) / requests * 1e6,
        "resident_mb": server.resident_mb(),
    }


def median(runs):
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def measure(name, policies, certificate, options, folder):
    """Alternates the two servers, so that both see the same weather."""
    cert, key = certificate
    cores = (0, 1) if (os.cpu_count() or 1) > 1 else (None, None)
    path = folder / "policies.yaml"
    path.write_text((HERE / "policies.yaml").read_text() + policies)
    ports = free_port(), free_port()
    tls = ["--tls-cert", cert, "--tls-key", key]
    ours = [options.build / "fixpoint", "serve", "--policies", path, *tls,
            "--listen", f"127.0.0.1:{ports[0]}", "--health-listen", "127.0.0.1:0",
            "--drain", "1ms", "--log-level", "error"]
    limit = [options.build / "limit", *tls, "--listen", f"127.0.0.1:{ports[1]}"]
    with serving(ours, ports[0], cores[0]) as a, serving(limit, ports[1], cores[0]) as b:
        runs = [(load(a, options, cores[1]), load(b, options, cores[1]))
                for _ in range(options.rounds)]
    result = {"fixpoint": median([run[0] for run in runs]),
              "limit": median([run[1] for run in runs])}
    result["share"] = result["fixpoint"]["rate"] / result["limit"]["rate"]
    show(name, result)
    return result


def show(name, result):
    ours, limit = result["fixpoint"], result["limit"]
    print(f"{name:34}{ours['rate']:9.0f} {limit['rate']:9.0f} {result['share'] * 100:6.1f} %"
          f" {ours['p50_ms']:6.2f} {ours['p99_ms']:6.2f} {ours['resident_mb']:6.1f}",
          flush=True)


# ---- while others wait for a provider -------------------------------------------------

WAITING = 64        # reviews at a time
PROVIDER_S = 0.2    # that the provider takes
OTHER_NAMESPACE = "asking"


def provider_policies(port, cert):
    """A provider, and a mutator that asks it for objects of one namespace."""
    bundle = base64.b64encode(Path(cert).read_bytes()).decode()
    return f"""---
apiVersion: externaldata.gatekeeper.sh/v1beta1
kind: Provider
metadata: {{name: slow}}
spec: {{url: "https://localhost:{port}/", timeout: 3, caBundle: {bundle}}}
---
apiVersion: mutations.gatekeeper.sh/v1
kind: Assign
metadata: {{name: from-outside}}
spec:
  applyTo: [{{groups: [""], kinds: [Pod], versions: [v1]}}]
  match: {{namespaces: [{OTHER_NAMESPACE}]}}
  location: "spec.containers[name: *].image"
  parameters: {{assign: {{externalData: {{provider: slow}}}}}}
"""


def constant_policies():
    """The same reviews changed without asking anybody."""
    return f"""---
apiVersion: mutations.gatekeeper.sh/v1
kind: Assign
metadata: {{name: from-inside}}
spec:
  applyTo: [{{groups: [""], kinds: [Pod], versions: [v1]}}]
  match: {{namespaces: [{OTHER_NAMESPACE}]}}
  location: "spec.containers[name: *].image"
  parameters: {{assign: {{value: "example.com/app:1"}}}}
"""


@contextlib.contextmanager
def helper(script, *arguments):
    """One of the programs beside this one."""
    process = subprocess.Popen([sys.executable, str(HERE / script), *map(str, arguments)],
                               stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def load_beside(server, certificate, review, options, core):
    """A run of wrk beside the background; what both saw."""
    with helper("background.py", server.port, certificate[0], review, WAITING,
                PROVIDER_S) as background:
        time.sleep(1)
        run = load(server, options, core)
        background.terminate()
        answered, failed = map(int, background.communicate(timeout=20)[0].split())
    if failed or not answered:
        sys.exit(f"bench: in the background {answered} were answered and {failed} not")
    return {**run, "background": answered}


def serving_policies(policies, name, certificate, options, folder, core):
    path = folder / name
    path.write_text((HERE / "policies.yaml").read_text() + policies)
    port = free_port()
    command = [options.build / "fixpoint", "serve", "--policies", path, "--tls-cert",
               certificate[0], "--tls-key", certificate[1], "--listen", f"127.0.0.1:{port}",
               "--health-listen", "127.0.0.1:0", "--drain", "1ms", "--log-level", "error"]
    return serving(command, port, core)


def measure_external(certificate, options, folder):
    """wrk's latency beside 64 reviews at a time that wait for a provider, and beside as
    many that wait for nobody: their ratio is what the waiting costs the others."""
    cores = (0, 1) if (os.cpu_count() or 1) > 1 else (None, None)
    review = folder / "asking.json"
    review.write_text((HERE / "review.json").read_text()
                      .replace('"namespace":"shop"', f'"namespace":"{OTHER_NAMESPACE}"'))
    port = free_port()
    asking = provider_policies(port, certificate[0])
    with helper("provider.py", port, *certificate, PROVIDER_S) as provider:
        wait_for(port, provider)
        with serving_policies(asking, "asking.yaml", certificate, options, folder,
                              cores[0]) as a, \
                serving_policies(constant_policies(), "constant.yaml", certificate, options,
                                 folder, cores[0]) as b:
            runs = [(load_beside(a, certificate, review, options, cores[1]),
                     load_beside(b, certificate, review, options, cores[1]))
                    for _ in range(options.rounds)]
    result = {"waiting": median([run[0] for run in runs]),
              "constant": median([run[1] for run in runs])}
    waiting, constant = result["waiting"], result["constant"]
    for figure in ("p50_ms", "p99_ms", "rate"):
        result[figure + "_ratio"] = waiting[figure] / constant[figure]
    print(f"beside {WAITING} reviews that wait {PROVIDER_S * 1000:.0f} ms for a provider, to "
          f"as many that do not:\n"
          f"  p50 {waiting['p50_ms']:.2f} to {constant['p50_ms']:.2f} ms "
          f"({result['p50_ms_ratio']:.2f}), p99 {waiting['p99_ms']:.2f} to "
          f"{constant['p99_ms']:.2f} ms ({result['p99_ms_ratio']:.2f}), "
          f"{waiting['rate']:.0f} to {constant['rate']:.0f} requests/s "
          f"({result['rate_ratio']:.2f});\n"
          f"  in the background {waiting['background']:.0f} to {constant['background']:.0f} "
          f"were answered")
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--seconds", type=int, default=4, help="of each run of wrk")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each server")
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--only", help="a scenario whose name holds this")
    parser.add_argument("--json", type=Path, default=ROOT / "build/bench.json")
    options = parser.parse_args()

    print(f"{'':34}{'fixpoint':>9} {'limit':>9} {'share':>8} {'p50':>6} {'p99':>6} {'MB':>6}")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        certificate = make_certificate(Path(folder))
        for name, policies in SCENARIOS.items():
            if options.only is None or options.only in name:
                results[name] = measure(name, policies(), certificate, options, Path(folder))
        if options.only is None or options.only in EXTERNAL:
            results[EXTERNAL] = measure_external(certificate, options, Path(folder))
    print("requests/s on one core; share of the limit; milliseconds; resident memory")
    options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
