# SPDX-License-Identifier: Apache-2.0
"""Who asks, and what they may: tokens, client certificates, and rules.

Rules have two sources: a table that tests write (`grants`), and the ClusterRoles,
Roles and bindings that are stored, so that a chart's rules can be tried."""

import pathlib
import secrets
import shutil

from . import status

MASTERS = "system:masters"
# What every authenticated user may request, and what anonymous users may.
KNOWN_PATHS = ("/api", "/apis", "/openapi", "/version", "/healthz", "/livez", "/readyz")
PUBLIC_PATHS = ("/version", "/healthz", "/livez", "/readyz")
SELF_REVIEWS = {"selfsubjectreviews", "selfsubjectaccessreviews"}
REVIEWS = {*SELF_REVIEWS, "subjectaccessreviews"}


class User:
    def __init__(self, name, groups=()):
        self.name = name
        self.groups = list(groups)

    def describe(self):
        """The userInfo of an admission review."""
        return {"username": self.name, "groups": self.groups}


ANONYMOUS = User("system:anonymous", ["system:unauthenticated"])


def service_account(namespace, name):
    """The user that a service account is."""
    return User(
        "system:serviceaccount:%s:%s" % (namespace, name),
        [
            "system:serviceaccounts",
            "system:serviceaccounts:" + namespace,
            "system:authenticated",
        ],
    )


class Authenticator:
    def __init__(self):
        self._tokens = {}  # token -> User
        self.groups = {}  # common name of a client certificate -> groups

    def issue(self, user):
        """A new token of a user; the older ones stay valid."""
        token = secrets.token_urlsafe(24)
        self._tokens[token] = user
        return token

    def revoke(self, token):
        self._tokens.pop(token, None)

    def identify(self, authorization, certificate):
        """The user of a request; its Authorization header and certificate may be None."""
        if authorization:
            scheme, _, token = authorization.partition(" ")
            user = self._tokens.get(token.strip())
            if scheme.lower() != "bearer" or user is None:
                raise status.unauthorized()
            return user
        if certificate:
            subject = dict(pair for part in certificate.get("subject", ()) for pair in part)
            name = subject.get("commonName", "")
            return User(name, self.groups.get(name, []) + ["system:authenticated"])
        return ANONYMOUS


def _listed(wanted, listed):
    return "*" in listed or wanted in listed


class Authorizer:
    """`read`: gives the stored objects of a resource of rbac.authorization.k8s.io."""

    def __init__(self, read):
        self._read = read
        self.grants = {}  # user name -> list of PolicyRules, each perhaps with `namespace`

    def grant(self, user, verbs, resources, group="", names=None, namespace=None):
        """Adds a rule to a user: grant("fp", ["get"], ["secrets"], namespace="x")."""
        rule = {"verbs": verbs, "apiGroups": [group], "resources": resources}
        if names:
            rule["resourceNames"] = names
        if namespace:
            rule["namespace"] = namespace
        self.grants.setdefault(user, []).append(rule)

    def _is(self, subject, user, namespace):
        if subject["kind"] == "ServiceAccount":
            own_namespace = subject.get("namespace") or namespace
            return user.name == "system:serviceaccount:%s:%s" % (own_namespace, subject["name"])
        if subject["kind"] == "Group":
            return subject["name"] in user.groups
        return subject["name"] == user.name

    def _rules_of(self, reference, namespace):
        plural = "roles" if reference["kind"] == "Role" else "clusterroles"
        for role in self._read(plural):
            metadata = role["metadata"]
            own_namespace = metadata.get("namespace", "")
            if metadata["name"] == reference["name"] and own_namespace in ("", namespace):
                yield from role.get("rules") or ()

    def rules(self, user, namespace):
        """All rules that hold for a user in a namespace ("": at the cluster scope)."""
        for rule in self.grants.get(user.name, ()):
            if rule.get("namespace") in (None, namespace):
                yield rule
        for plural in ("clusterrolebindings", "rolebindings"):
            for binding in self._read(plural):
                own_namespace = binding["metadata"].get("namespace", "")
                if plural == "rolebindings" and own_namespace != namespace:
                    continue
                if any(self._is(one, user, own_namespace) for one in binding.get("subjects") or ()):
                    yield from self._rules_of(binding["roleRef"], own_namespace)

    def allows(self, user, verb, group, resource, subresource="", namespace="", name=""):
        if MASTERS in user.groups:
            return True
        if (
            group in ("authorization.k8s.io", "authentication.k8s.io")
            and resource in SELF_REVIEWS
        ):
            return user is not ANONYMOUS
        what = resource + "/" + subresource if subresource else resource
        for rule in self.rules(user, namespace):
            resources = rule.get("resources") or ()
            if (
                _listed(verb, rule["verbs"])
                and _listed(group, rule.get("apiGroups") or ())
                and (
                    _listed(what, resources) or subresource and "*/" + subresource in resources
                )
                and (not rule.get("resourceNames") or name in rule["resourceNames"])
            ):
                return True
        return False

    def allows_path(self, user, verb, path):
        if MASTERS in user.groups:
            return True
        known = PUBLIC_PATHS if user is ANONYMOUS else KNOWN_PATHS
        if verb == "get" and any(path == one or path.startswith(one + "/") for one in known):
            return True
        return any(
            _listed(verb, rule["verbs"]) and path in (rule.get("nonResourceURLs") or ())
            for rule in self.rules(user, "")
        )


class ServiceAccountFolder:
    """What a Pod finds in /var/run/secrets/kubernetes.io/serviceaccount: files that are links
    through `..data`, which a new token turns over at once."""

    def __init__(self, folder, ca, namespace, token):
        self.path = pathlib.Path(folder)
        self.path.mkdir(parents=True, exist_ok=True)
        self._ca, self._namespace, self._count = pathlib.Path(ca).read_text(), namespace, 0
        self.write(token)
        for name in ("token", "ca.crt", "namespace"):
            (self.path / name).symlink_to(pathlib.Path("..data") / name)

    def write(self, token, ca=None):
        """Another token (and perhaps another CA), as the kubelet does it."""
        self._ca = ca or self._ca
        self._count += 1
        fresh = self.path / ("..%d" % self._count)
        fresh.mkdir()
        for name, text in (
            ("token", token),
            ("ca.crt", self._ca),
            ("namespace", self._namespace),
        ):
            (fresh / name).write_text(text)
        link = self.path / "..data_tmp"
        link.symlink_to(fresh.name)
        before = self.path / "..data"
        old = before.resolve() if before.exists() else None
        link.rename(before)
        if old:
            shutil.rmtree(old)
