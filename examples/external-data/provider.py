#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A provider of external data to try things out with: it answers each key (an image)
with the image and a digest made of its name.

provider.py COMMAND [ARGUMENT]... serves on the loopback address while the command runs,
which finds the provider's address in $PROVIDER_URL and the certificate that vouches for
it in $PROVIDER_CA. Needs openssl."""
import hashlib
import http.server
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        keys = json.loads(body)["request"]["keys"]
        answer = json.dumps({
            "apiVersion": "externaldata.gatekeeper.sh/v1beta1",
            "kind": "ProviderResponse",
            "response": {"idempotent": True, "items": [item(key) for key in keys]},
        }).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def item(key):
    """What is answered to one key; a key that has a digest already is its own answer."""
    if "@" in key:
        return {"key": key, "value": key}
    return {"key": key, "value": f"{key}@sha256:{hashlib.sha256(key.encode()).hexdigest()}"}


def make_certificate(folder):
    """A certificate of its own making: (certificate, key), two files."""
    cert, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "1", "-subj", "/CN=provider", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
        check=True, capture_output=True)
    return cert, key


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: provider.py COMMAND [ARGUMENT]...")
    with tempfile.TemporaryDirectory() as folder:
        cert, key = make_certificate(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True,
                                            do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"https://127.0.0.1:{server.server_address[1]}/"
        done = subprocess.run(sys.argv[1:], check=False,
                              env={**os.environ, "PROVIDER_URL": url, "PROVIDER_CA": cert})
        server.shutdown()
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
