#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends an object to a running `fixpoint serve` as the API server would, over verified
TLS, and prints the difference its patch makes.

The address is read from the server's log; the program ends with 0 when the object was
allowed and patched, 1 otherwise."""
import argparse
import base64
import copy
import difflib
import http.client
import json
import ssl
import sys
import time
import uuid

import yaml


def server_address(log, seconds=10):
    """The (host, port) that the server says it serves at."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open(log, encoding="utf-8") as lines:
                for line in lines:
                    entry = json.loads(line) if line.endswith("}\n") else {}
                    if entry.get("msg") == "serving":
                        host, port = entry["listen"].rsplit(":", 1)
                        return host, int(port)
        except FileNotFoundError:
            pass
        time.sleep(0.02)
    sys.exit("send_pod: the server did not start")


def review_of(obj):
    group, _, version = obj["apiVersion"].rpartition("/")
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": str(uuid.uuid4()),
            "kind": {"group": group, "version": version, "kind": obj["kind"]},
            "namespace": obj["metadata"].get("namespace", ""),
            "name": obj["metadata"].get("name", ""),
            "operation": "CREATE",
            "userInfo": {"username": "demo"},
            "object": obj,
        },
    }


def post(address, ca, review):
    context = ssl.create_default_context(cafile=ca)
    connection = http.client.HTTPSConnection(*address, context=context, timeout=10)
    started = time.monotonic()
    connection.request("POST", "/v1/mutate?timeout=5s", json.dumps(review),
                       {"Content-Type": "application/json"})
    answer = connection.getresponse()
    body = answer.read()
    took = (time.monotonic() - started) * 1000
    if answer.status != 200:
        sys.exit(f"send_pod: HTTP {answer.status}: {body.decode()}")
    return json.loads(body)["response"], took


def apply_patch(obj, patch):
    """RFC 6902, as far as diffs go: add, replace, remove."""
    result = copy.deepcopy(obj)
    for op in patch:
        *parents, last = [t.replace("~1", "/").replace("~0", "~")
                          for t in op["path"].split("/")[1:]]
        node = result
        for token in parents:
            node = node[int(token)] if isinstance(node, list) else node[token]
        if isinstance(node, list):
            at = len(node) if last == "-" else int(last)
            if op["op"] == "add":
                node.insert(at, op["value"])
            elif op["op"] == "replace":
                node[at] = op["value"]
            else:
                del node[at]
        elif op["op"] == "remove":
            del node[last]
        else:
            node[last] = op["value"]
    return result


def print_difference(before, after):
    def lines(obj):
        return yaml.safe_dump(obj, sort_keys=False).splitlines(keepends=True)

    colours = {"+": "\033[32m", "-": "\033[31m", "@": "\033[36m"}
    for line in difflib.unified_diff(lines(before), lines(after), "sent", "admitted"):
        colour = colours.get(line[0], "") if sys.stdout.isatty() else ""
        sys.stdout.write(f"{colour}{line}\033[0m" if colour else line)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", required=True, help="where the server writes its log")
    parser.add_argument("--ca", required=True, help="the server's certificate, PEM")
    parser.add_argument("object", help="a YAML file with one object")
    options = parser.parse_args()

    address = server_address(options.log)
    with open(options.object, encoding="utf-8") as source:
        obj = yaml.safe_load(source)
    response, took = post(address, options.ca, review_of(obj))
    if not response["allowed"]:
        sys.exit(f"send_pod: denied: {response['status']['message']}")
    if "patch" not in response:
        sys.exit("send_pod: the answer changes nothing")
    patch = json.loads(base64.b64decode(response["patch"]))
    print_difference(obj, apply_patch(obj, patch))
    notes = response.get("auditAnnotations", {})
    print(f"\n{len(patch)} changes by {notes.get('mutators')}, "
          f"{notes.get('iterations')} passes, {took:.1f} ms with the TLS handshake")


if __name__ == "__main__":
    main()
