# SPDX-License-Identifier: Apache-2.0
"""Reviews beside 64 others that wait for a provider of external data, held against reviews
beside as many that wait for nobody: the ratio is what the waiting costs the others."""

import base64
import contextlib
import pathlib
import statistics
import subprocess
import sys
import time

import policy_sets
import wrk
from scenarios import REVIEW
from servers import Failed, accepts, ending, fixpoint, free_port, wait_until

HERE = pathlib.Path(__file__).resolve().parent
NAME = "external data"
WAITING = 64  # reviews at a time
PROVIDER_S = 0.2  # that the provider takes
NAMESPACE = "asking"  # whose objects a value is asked for

PROVIDER = """---
apiVersion: externaldata.gatekeeper.sh/v1beta1
kind: Provider
metadata: {{name: slow}}
spec: {{url: "https://localhost:{port}/", timeout: 3, caBundle: {bundle}}}
"""
IMAGE = f"""---
apiVersion: mutations.gatekeeper.sh/v1
kind: Assign
metadata: {{{{name: image}}}}
spec:
  applyTo: [{{{{groups: [""], kinds: [Pod], versions: [v1]}}}}]
  match: {{{{namespaces: [{NAMESPACE}]}}}}
  location: "spec.containers[name: *].image"
  parameters: {{{{assign: {{{{{{value}}}}}}}}}}
"""
ASKED = "externalData: {provider: slow}"
CONSTANT = 'value: "example.com/app:1"'


def _policies(folder, port, certificate):
    """(files of those that ask the provider, of those that change as much without)"""
    bundle = base64.b64encode(pathlib.Path(certificate[0]).read_bytes()).decode()
    provider = PROVIDER.format(port=port, bundle=bundle)
    asking, constant = folder / "asking.yaml", folder / "constant.yaml"
    base = policy_sets.text("policies.yaml", "", 0)
    asking.write_text(base + provider + IMAGE.format(value=ASKED))
    constant.write_text(base + IMAGE.format(value=CONSTANT))
    return asking, constant


def _program(name, *arguments, **how):
    """One of the programs beside this file."""
    return ending([sys.executable, HERE / name, *arguments], **how)


def _beside(server, certificate, review, load):
    """A run of wrk beside the background; what both saw."""
    arguments = (server.port, certificate[0], review, WAITING, PROVIDER_S)
    with _program("background.py", *arguments, stdout=subprocess.PIPE, text=True) as background:
        time.sleep(1)
        run = wrk.run(server, load)
        background.terminate()
        answered, failed = map(int, background.communicate(timeout=20)[0].split())
    if failed or not answered:
        raise Failed(f"in the background {answered} were answered and {failed} not")
    return {**run, "background": answered}


def measure(build, certificate, folder, rounds, seconds):
    """{"waiting": [figures of each round], "constant": [...]}"""
    review = folder / "asking.json"
    text = REVIEW.read_text()
    review.write_text(text.replace('"namespace":"shop"', f'"namespace":"{NAMESPACE}"'))
    load = wrk.Load(REVIEW, 8, seconds)
    port = free_port()
    asking, constant = _policies(folder, port, certificate)
    found = {"waiting": [], "constant": []}
    with contextlib.ExitStack() as stack:
        provider = stack.enter_context(_program("provider.py", port, *certificate, PROVIDER_S))
        wait_until(lambda: accepts(port), provider)
        servers = {
            "waiting": stack.enter_context(fixpoint(build, certificate, asking)),
            "constant": stack.enter_context(fixpoint(build, certificate, constant)),
        }
        for _ in range(rounds):
            for name, server in servers.items():
                found[name].append(_beside(server, certificate, review, load))
    return found


def _medians(found, figure):
    waiting, constant = (
        statistics.median(run[figure] for run in found[name]) for name in ("waiting", "constant")
    )
    return waiting, constant, waiting / constant


def text(found):
    """80 columns."""
    p50, p99, rate = (_medians(found, figure) for figure in ("p50_ms", "p99_ms", "rate"))
    answered = _medians(found, "background")
    return (
        f"beside {WAITING} reviews that wait {PROVIDER_S * 1000:.0f} ms for a provider, to "
        "as many that do not:\n"
        f"  p50 {p50[0]:.2f} to {p50[1]:.2f} ms ({p50[2]:.2f}), "
        f"p99 {p99[0]:.2f} to {p99[1]:.2f} ms ({p99[2]:.2f}),\n"
        f"  {rate[0]:,.0f} to {rate[1]:,.0f} requests/s ({rate[2]:.2f});\n"
        f"  in the background {answered[0]:,.0f} to {answered[1]:,.0f} were answered"
    )
