# SPDX-License-Identifier: Apache-2.0
"""Kubeconfigs: written for the stand-in, read for whatever server they name."""

import base64
import pathlib
import ssl
import tempfile

import yaml


def _given(embedded, **files):
    """Files by their names, or (embedded) what they hold in base64."""
    entries = {}
    for name, path in files.items():
        name = name.replace("_", "-")
        if embedded:
            encoded = base64.b64encode(pathlib.Path(path).read_bytes())
            entries[name + "-data"] = encoded.decode()
        else:
            entries[name] = str(path)
    return entries


def write(path, server, ca, token=None, cert=None, key=None, namespace=None, embedded=False):
    """A kubeconfig with one context."""
    user = {"token": token} if token else {}
    if cert:
        user.update(_given(embedded, client_certificate=cert, client_key=key))
    context = {"cluster": "standin", "user": "standin"}
    if namespace:
        context["namespace"] = namespace
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "standin",
                "cluster": {"server": server, **_given(embedded, certificate_authority=ca)},
            }
        ],
        "users": [{"name": "standin", "user": user}],
        "contexts": [{"name": "standin", "context": context}],
        "current-context": "standin",
    }
    pathlib.Path(path).write_text(yaml.safe_dump(document, sort_keys=False))
    return pathlib.Path(path)


def _named(listed, name, part):
    return next(one[part] for one in listed if one["name"] == name)


class Access:
    """The server that a kubeconfig names, and how to get in: host, port, context, token."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        document = yaml.safe_load(self.path.read_text())
        context = _named(document["contexts"], document["current-context"], "context")
        cluster = _named(document["clusters"], context["cluster"], "cluster")
        user = _named(document["users"], context["user"], "user")
        self.namespace = context.get("namespace", "default")
        self.server = cluster["server"].rstrip("/")
        host = self.server.partition("://")[2].partition("/")[0]
        self.host, _, port = host.partition(":")
        self.port = int(port or 443)
        self.token = user.get("token")
        if not self.token and user.get("tokenFile"):
            self.token = pathlib.Path(user["tokenFile"]).read_text().strip()
        self.context = self._trust(cluster)
        if "client-certificate" in user or "client-certificate-data" in user:
            self._present(user)

    def _beside(self, name):
        """A path as kubeconfigs mean it: beside the kubeconfig itself."""
        return str(self.path.parent / name)

    def _trust(self, cluster):
        if cluster.get("insecure-skip-tls-verify"):
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            return context
        if "certificate-authority-data" in cluster:
            text = base64.b64decode(cluster["certificate-authority-data"]).decode()
            return ssl.create_default_context(cadata=text)
        if "certificate-authority" in cluster:
            return ssl.create_default_context(
                cafile=self._beside(cluster["certificate-authority"])
            )
        return ssl.create_default_context()

    def _present(self, user):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name in ("client-certificate", "client-key"):
                if name + "-data" in user:
                    files.append(pathlib.Path(folder) / name)
                    files[-1].write_bytes(base64.b64decode(user[name + "-data"]))
                else:
                    files.append(self._beside(user[name]))
            self.context.load_cert_chain(*files)
