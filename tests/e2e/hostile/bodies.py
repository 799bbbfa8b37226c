# SPDX-License-Identifier: Apache-2.0
"""What is sent: good requests, and every shape of bad ones."""

import json

REVIEW = {
    "apiVersion": "admission.k8s.io/v1",
    "kind": "AdmissionReview",
    "request": {
        "uid": "uid-1",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "name": "web",
        "namespace": "shop",
        "operation": "CREATE",
        "userInfo": {"username": "alice"},
        "object": {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web", "namespace": "shop", "labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "nginx"}]},
        },
    },
}


def large(n_containers):
    """A review whose object has so many containers, each of which every policy wants."""
    review = json.loads(json.dumps(REVIEW))
    review["request"]["object"]["spec"]["containers"] = [
        {"name": "c%d" % i, "image": "nginx:%d" % i, "env": [{"name": "A", "value": "b"}] * 4}
        for i in range(n_containers)
    ]
    return json.dumps(review).encode()


def head(*fields, target="/v1/mutate?timeout=5s", method="POST", host="Host: localhost"):
    lines = ["%s %s HTTP/1.1" % (method, target)]
    lines += [host] if host else []
    return "\r\n".join(lines + list(fields)).encode("latin-1") + b"\r\n\r\n"


def whole(body=None, *fields, target="/v1/mutate?timeout=5s"):
    """A good request."""
    body = json.dumps(REVIEW).encode() if body is None else body
    return head("Content-Length: %d" % len(body), *fields, target=target) + body


CHUNKED = "Transfer-Encoding: chunked"
# What a smuggler wants to be taken for a request of its own: it would be answered 404.
HIDDEN = b"POST /v1/hidden HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"

# Two readers that understand one of these differently can be made to see different
# requests (RFC 9112 section 11.2). name: (bytes, the status of the only answer).
SMUGGLING = {
    "CL.TE": (head("Content-Length: 6", CHUNKED) + b"0\r\n\r\n" + HIDDEN, 400),
    "TE.CL": (head(CHUNKED, "Content-Length: 4") + b"5c\r\n" + HIDDEN + b"0\r\n\r\n", 400),
    "TE.TE": (head(CHUNKED, "Transfer-Encoding: x") + b"0\r\n\r\n" + HIDDEN, 501),
    "TE twice": (head(CHUNKED, CHUNKED) + b"0\r\n\r\n" + HIDDEN, 501),
    "TE list": (head("Transfer-Encoding: x, chunked") + b"0\r\n\r\n" + HIDDEN, 501),
    "TE last": (head("Transfer-Encoding: chunked, x") + b"0\r\n\r\n" + HIDDEN, 501),
    "TE xchunked": (head("Transfer-Encoding: xchunked") + b"0\r\n\r\n" + HIDDEN, 501),
    "TE in quotes": (head('Transfer-Encoding: "chunked"') + b"0\r\n\r\n" + HIDDEN, 501),
    "TE after a tab": (head("Transfer-Encoding:\x0bchunked") + b"0\r\n\r\n" + HIDDEN, 400),
    "TE with a space": (head("Transfer-Encoding : chunked") + b"0\r\n\r\n" + HIDDEN, 400),
    "TE folded": (head("Transfer-Encoding:\r\n chunked") + b"0\r\n\r\n" + HIDDEN, 400),
    "TE in 1.0": (
        b"POST /v1/mutate HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
        400,
    ),
    "CL twice": (head("Content-Length: 0", "Content-Length: 0") + HIDDEN, 400),
    "CL and another": (head("Content-Length: 0", "Content-Length: 70") + HIDDEN, 400),
    "CL list": (head("Content-Length: 0, 70") + HIDDEN, 400),
    "CL plus": (head("Content-Length: +0") + HIDDEN, 400),
    "CL minus": (head("Content-Length: -1") + HIDDEN, 400),
    "CL hex": (head("Content-Length: 0x0") + HIDDEN, 400),
    "CL empty": (head("Content-Length: ") + HIDDEN, 400),
    "CL with a space": (head("Content-Length : 0") + HIDDEN, 400),
    "CL folded": (head("Content-Length:\r\n 0") + HIDDEN, 400),
    "CL over 64 bits": (head("Content-Length: 18446744073709551616") + HIDDEN, 400),
    "CL with spaces in it": (head("Content-Length: 0 0") + HIDDEN, 400),
    "folded": (head("X-A: a\r\n b", "Content-Length: 0") + HIDDEN, 400),
    "first field begins with a space": (head(" X-A: a", "Content-Length: 0") + HIDDEN, 400),
    "bare LF": (
        b"POST /v1/mutate HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n" + HIDDEN,
        400,
    ),
    "bare LF behind a field": (
        b"POST /v1/mutate HTTP/1.1\r\nHost: localhost\nContent-Length: 0\r\n\r\n" + HIDDEN,
        400,
    ),
    "bare CR": (
        b"POST /v1/mutate HTTP/1.1\r\nHost: localhost\rX: y\r\nContent-Length: 0\r\n\r\n" + HIDDEN,
        400,
    ),
    "NUL in a value": (head("X-A: a\0b", "Content-Length: 0") + HIDDEN, 400),
    "NUL in a name": (head("X\0A: a", "Content-Length: 0") + HIDDEN, 400),
    "NUL in the target": (head("Content-Length: 0", target="/v1/mut\0ate") + HIDDEN, 400),
    "space in a name": (head("X A: a", "Content-Length: 0") + HIDDEN, 400),
    "no colon": (head("X-A", "Content-Length: 0") + HIDDEN, 400),
    "empty name": (head(": a", "Content-Length: 0") + HIDDEN, 400),
    "Host twice": (head("Host: b", "Content-Length: 0") + HIDDEN, 400),
    "no Host": (head("Content-Length: 0", host=None) + HIDDEN, 400),
    "space in the target": (head("Content-Length: 0", target="/v1/mutate /x") + HIDDEN, 400),
    "chunk size over 64 bits": (head(CHUNKED) + b"1" + b"0" * 16 + b"\r\n" + HIDDEN, 400),
    "chunk size negative": (head(CHUNKED) + b"-1\r\n" + HIDDEN, 400),
    "chunk size with 0x": (head(CHUNKED) + b"0x0\r\n\r\n" + HIDDEN, 400),
    "chunk size empty": (head(CHUNKED) + b"\r\n\r\n" + HIDDEN, 400),
    "chunk longer than its size": (head(CHUNKED) + b"1\r\nxx\r\n0\r\n\r\n" + HIDDEN, 400),
    "chunk ends in LF": (head(CHUNKED) + b"1\r\nx\n0\r\n\r\n" + HIDDEN, 400),
    "chunk size ends in LF": (head(CHUNKED) + b"1\nx\r\n0\r\n\r\n" + HIDDEN, 400),
    "bare CR in a chunk extension": (head(CHUNKED) + b"1;a\rb\r\nx\r\n0\r\n\r\n" + HIDDEN, 400),
    "LF in a chunk extension": (head(CHUNKED) + b"1;a\nx\r\n0\r\n\r\n" + HIDDEN, 400),
}

# Odd, but of one meaning: each is one request, and the good one behind it another.
ODD_BUT_GOOD = {
    "absolute target": head(
        "Content-Length: 0", target="https://evil.example/v1/mutate?timeout=5s"
    ),
    "a length of zeros": head("Content-Length: 000"),
    "chunk extension": head(CHUNKED) + b"1;a=b\r\nx\r\n0\r\n\r\n",
    "zeros before a chunk size": head(CHUNKED) + b"0001\r\nx\r\n000\r\n\r\n",
    "trailers": head(CHUNKED) + b"0\r\nExpect: x\r\nHost: b\r\n\r\n",
    "coding in capitals": head("TRANSFER-ENCODING: CHUNKED") + b"0\r\n\r\n",
    "lines before the request": b"\r\n" * 100000 + head("Content-Length: 0"),
}


def oversized():
    """What is larger than its bound: {name: (bytes, status)}."""
    field = "X-Big: " + "x" * 1000
    return {
        "head": (head(*[field] * 200, "Content-Length: 0"), 431),
        "one field": (head("X: " + "x" * 200000, "Content-Length: 0"), 431),
        "many fields": (head(*["X%d: y" % i for i in range(20000)]), 431),
        "target": (head("Content-Length: 0", target="/" + "x" * 200000), 414),
        "body": (head("Content-Length: 99999999") + b"x" * 100000, 413),
        "body, asked first": (head("Content-Length: 99999999", "Expect: 100-continue"), 413),
    }


# What has no end: {name: (how it begins, what comes again and again)}.
ENDLESS = {
    "chunks": (head(CHUNKED), b"8000\r\n" + b"x" * 0x8000 + b"\r\n"),
    "one chunk": (head(CHUNKED) + b"7fffffffffffffff\r\n", b"x" * 0x8000),
    "a chunk whose size wraps": (head(CHUNKED) + b"fffffffffffffffe\r\n", b"x" * 0x8000),
    "tiny chunks": (head(CHUNKED), b"1\r\nx\r\n" * 5000),
    "chunk extension": (head(CHUNKED) + b"1;", b"x" * 0x8000),
    "zeros of a chunk size": (head(CHUNKED), b"0" * 0x8000),
    "trailers": (head(CHUNKED) + b"0\r\n", b"X-A: b\r\n" * 4000),
    "field": (head()[:-2] + b"X: ", b"x" * 0x8000),
    "fields": (head()[:-2], b"X-A: b\r\n" * 4000),
    "target": (b"POST /", b"x" * 0x8000),
    "method": (b"", b"P" * 0x8000),
}
