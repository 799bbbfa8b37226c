# SPDX-License-Identifier: Apache-2.0
"""The certificate that replicas share in a Secret: what that holds, what is published of
it, who is shown it and trusts it."""

import base64
import socket
import ssl

from fixpoint_cluster import SECRET, until
from process import SLOW
from webhook_configurations import MUTATING, NAMESPACE, SERVICE, VALIDATING, bundle

NAME = "%s.%s.svc" % (SERVICE, NAMESPACE)  # as which the API server knows the webhook
KEYS = ("ca.crt", "ca.key", "tls.crt", "tls.key")


def read_secret(cluster):
    """What the Secret holds, each key decoded; None: it is not there."""
    found = cluster.find("secrets", SECRET, NAMESPACE)
    if found is None:
        return None
    return {key: base64.b64decode(found["data"][key]).decode() for key in KEYS}


def write_secret(cluster, **values):
    """Somebody else's write: ca_key="…" is `ca.key`."""
    data = {
        key.replace("_", "."): base64.b64encode(text.encode()).decode()
        for key, text in values.items()
    }
    cluster.patch("secrets", SECRET, {"data": data}, NAMESPACE)


def steps(replica, since=0):
    """What it wrote into the Secret, and why."""
    return [entry["step"] for entry in replica.log.entries("Secret written", since)]


def published(cluster):
    """Waits until both configurations hold the bundle of the Secret; gives that."""

    def read():
        secret = read_secret(cluster) or {"ca.crt": None}
        return secret["ca.crt"], bundle(cluster, MUTATING), bundle(cluster, VALIDATING)

    return until(read, lambda got: got[0] and len(set(got)) == 1)[0]


def shown(replica, trusted=None, name=NAME):
    """The certificate that a replica shows, PEM, to a client that trusts these (None: that
    trusts any certificate)."""
    if trusted is None:
        context = ssl._create_unverified_context()
    else:
        context = ssl.create_default_context(cadata=trusted)
    with socket.create_connection(("127.0.0.1", replica.port), 10 * SLOW) as raw:
        with context.wrap_socket(raw, server_hostname=name) as secured:
            return ssl.DER_cert_to_PEM_cert(secured.getpeercert(binary_form=True))


def trusts(replica, trusted, name=NAME):
    """Does a client that trusts these take what it is shown for the one of that name?"""
    try:
        return bool(shown(replica, trusted, name))
    except ssl.SSLCertVerificationError:
        return False


def certificates(pem):
    """How many there are."""
    return pem.count("BEGIN CERTIFICATE")
