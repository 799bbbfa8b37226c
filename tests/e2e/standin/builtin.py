# SPDX-License-Identifier: Apache-2.0
"""What the API server knows about its own kinds: defaults, and what it refuses."""

import base64
import binascii
import re

from . import status

LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN = re.compile(r"%s(\.%s)*" % (LABEL, LABEL))
LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
LABEL_KEY = re.compile(
    r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
)
MICRO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)")
SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
SUBDOMAIN_WORDS = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
    "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL_WORDS = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character"
)

# --- defaults --------------------------------------------------------------------------------


def _namespace(obj):
    labels = dict(obj["metadata"].get("labels") or {})
    labels.setdefault("kubernetes.io/metadata.name", obj["metadata"].get("name", ""))
    obj["metadata"]["labels"] = labels


def _secret(obj):
    obj.setdefault("type", "Opaque")
    plain = obj.pop("stringData", None)
    if plain:
        encoded = {key: base64.b64encode(text.encode()).decode() for key, text in plain.items()}
        obj["data"] = {**(obj.get("data") or {}), **encoded}


def _webhook(one, mutating):
    filled = dict(one)
    for name, value in (
        ("failurePolicy", "Fail"),
        ("matchPolicy", "Equivalent"),
        ("namespaceSelector", {}),
        ("objectSelector", {}),
        ("timeoutSeconds", 10),
    ):
        filled.setdefault(name, value)
    if mutating:
        filled.setdefault("reinvocationPolicy", "Never")
    if filled.get("rules"):
        filled["rules"] = [{"scope": "*", **rule} for rule in filled["rules"]]
    client = dict(filled.get("clientConfig") or {})
    if client.get("service"):
        client["service"] = {"port": 443, **client["service"]}
    filled["clientConfig"] = client
    return filled


def _mutating(obj):
    obj["webhooks"] = [_webhook(one, True) for one in obj.get("webhooks") or ()]


def _validating(obj):
    obj["webhooks"] = [_webhook(one, False) for one in obj.get("webhooks") or ()]


def _pod(obj):
    spec = dict(obj.get("spec") or {})
    for name, value in (
        ("restartPolicy", "Always"),
        ("terminationGracePeriodSeconds", 30),
        ("dnsPolicy", "ClusterFirst"),
        ("securityContext", {}),
        ("schedulerName", "default-scheduler"),
        ("enableServiceLinks", True),
    ):
        spec.setdefault(name, value)
    for listed in ("initContainers", "containers"):
        if spec.get(listed):
            spec[listed] = [_container(one) for one in spec[listed]]
    obj["spec"] = spec


def _container(one):
    image = one.get("image") or ""
    tag = image.rpartition("/")[2].partition(":")[2]
    latest = "@" not in image and tag in ("", "latest")
    defaults = {
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "Always" if latest else "IfNotPresent",
    }
    return {**one, **{name: value for name, value in defaults.items() if name not in one}}


def _definition(obj):
    spec = dict(obj["spec"])
    names = dict(spec["names"])
    names.setdefault("singular", names["kind"].lower())
    names.setdefault("listKind", names["kind"] + "List")
    spec["names"] = names
    spec.setdefault("conversion", {"strategy": "None"})
    obj["spec"] = spec


DEFAULTS = {
    "namespaces": _namespace,
    "secrets": _secret,
    "mutatingwebhookconfigurations": _mutating,
    "validatingwebhookconfigurations": _validating,
    "pods": _pod,
    "customresourcedefinitions": _definition,
}


def fill(resource, obj):
    """Sets the defaults of a built-in kind (in `obj`, of which the top is ours)."""
    if not resource.custom and resource.plural in DEFAULTS:
        DEFAULTS[resource.plural](obj)


def begin(resource, obj):
    """What a built-in object gets when it is created, behind admission."""
    if resource.custom or resource.group:
        return
    if resource.plural == "namespaces":
        obj["spec"] = {"finalizers": ["kubernetes"]}
        obj["status"] = {"phase": "Active"}
    elif resource.plural == "pods":
        obj["status"] = {"phase": "Pending", "qosClass": "BestEffort"}


def established(definition, now):
    """The status of a definition that is served."""
    conditions = [
        {
            "type": kind,
            "status": "True",
            "lastTransitionTime": now,
            "reason": reason,
            "message": message,
        }
        for kind, reason, message in (
            ("NamesAccepted", "NoConflicts", "no conflicts found"),
            ("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        )
    ]
    stored = [one["name"] for one in definition["spec"]["versions"] if one.get("storage")]
    names = definition["spec"]["names"]
    return {"conditions": conditions, "acceptedNames": names, "storedVersions": stored}


# --- what is refused -------------------------------------------------------------------------


def _wrong(field, value, words):
    shown = '"%s"' % value if isinstance(value, str) else value
    return field, "FieldValueInvalid", "Invalid value: %s: %s" % (shown, words)


def _missing(field):
    return field, "FieldValueRequired", "Required value"


def _metadata(resource, obj):
    metadata = obj["metadata"]
    name = metadata["name"]
    if resource.group == "rbac.authorization.k8s.io":
        if "/" in name or "%" in name or name in (".", ".."):
            yield _wrong("metadata.name", name, "may not contain '/'")
    elif not SUBDOMAIN.fullmatch(name) or len(name) > 253:
        yield _wrong("metadata.name", name, SUBDOMAIN_WORDS)
    for key, value in (metadata.get("labels") or {}).items():
        if not LABEL_KEY.fullmatch(key):
            yield _wrong(
                "metadata.labels", key, "name part must consist of alphanumeric characters"
            )
        if not LABEL_VALUE.fullmatch(value) or len(value) > 63:
            yield _wrong("metadata.labels", value, LABEL_WORDS)


def _check_client(client, field):
    if bool(client.get("url")) == bool(client.get("service")):
        words = "Required value: exactly one of url or service is required"
        yield field, "FieldValueRequired", words
    url = client.get("url", "https://")
    if not url.startswith("https://"):
        yield _wrong(field + ".url", url, "'https' is the only allowed URL scheme")
    for name in ("namespace", "name") if client.get("service") else ():
        if not client["service"].get(name):
            yield _missing("%s.service.%s" % (field, name))
    _base64(client.get("caBundle") or "")  # its content is checked when it is used


def _check_webhooks(resource, obj):
    seen = set()
    for index, one in enumerate(obj["webhooks"]):
        field = "webhooks[%d]" % index
        name = one.get("name", "")
        if not SUBDOMAIN.fullmatch(name) or name.count(".") < 2:
            yield _wrong(
                field + ".name",
                name,
                "should be a domain with at least three segments " "separated by dots",
            )
        if name in seen:
            yield field + ".name", "FieldValueDuplicate", 'Duplicate value: "%s"' % name
        seen.add(name)
        if not one.get("admissionReviewVersions"):
            yield _missing(field + ".admissionReviewVersions")
        if one.get("sideEffects") not in ("None", "NoneOnDryRun"):
            yield field + ".sideEffects", "FieldValueNotSupported", (
                'Unsupported value: "%s": supported values: "None", "NoneOnDryRun"'
                % one.get("sideEffects", "")
            )
        if not 1 <= one["timeoutSeconds"] <= 30:
            yield _wrong(
                field + ".timeoutSeconds",
                one["timeoutSeconds"],
                "the timeout value must be between 1 and 30 seconds",
            )
        yield from _check_client(one["clientConfig"], field + ".clientConfig")
        for at, rule in enumerate(one.get("rules") or ()):
            for part in ("operations", "apiGroups", "apiVersions", "resources"):
                if not rule.get(part):
                    yield _missing("%s.rules[%d].%s" % (field, at, part))


def _check_event(resource, obj):
    involved = obj.get("involvedObject")
    if not isinstance(involved, dict):
        yield _missing("involvedObject")
        return
    own_namespace, wanted = obj["metadata"].get("namespace", ""), involved.get("namespace", "")
    if own_namespace != (wanted or "default"):
        yield _wrong("involvedObject.namespace", wanted, "does not match event.namespace")


def _check_lease(resource, obj):
    spec = obj.get("spec") or {}
    if spec.get("holderIdentity") == "":
        yield _wrong("spec.holderIdentity", "", "must not be empty")
    if spec.get("leaseDurationSeconds", 1) <= 0:
        yield _wrong(
            "spec.leaseDurationSeconds", spec["leaseDurationSeconds"], "must be greater than 0"
        )
    if spec.get("leaseTransitions", 0) < 0:
        yield _wrong(
            "spec.leaseTransitions",
            spec["leaseTransitions"],
            "must be greater than or equal to 0",
        )


def _check_definition(resource, obj):
    spec = obj["spec"]
    wanted = "%s.%s" % (spec["names"]["plural"], spec["group"])
    if obj["metadata"]["name"] != wanted:
        yield _wrong(
            "metadata.name",
            obj["metadata"]["name"],
            'must be spec.names.plural+"."+' "spec.group",
        )
    if sum(1 for one in spec["versions"] if one.get("storage")) != 1:
        yield _wrong(
            "spec.versions", "", "must have exactly one version marked as storage version"
        )


CHECKS = {
    "mutatingwebhookconfigurations": _check_webhooks,
    "validatingwebhookconfigurations": _check_webhooks,
    "events": _check_event,
    "leases": _check_lease,
    "customresourcedefinitions": _check_definition,
}


def problems(resource, obj):
    """What is wrong with an object: triples of a field, a reason and a message."""
    yield from _metadata(resource, obj)
    if not resource.custom and resource.plural in CHECKS:
        yield from CHECKS[resource.plural](resource, obj)


def _base64(text):
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise status.bad_request("illegal base64 data in the body") from error


# Fields that Go reads as a time, with or without microseconds.
TIMES = {
    "leases": [(("spec", "acquireTime"), MICRO), (("spec", "renewTime"), MICRO)],
    "events": [
        (("eventTime",), MICRO),
        (("firstTimestamp",), SECONDS),
        (("lastTimestamp",), SECONDS),
    ],
}


def check_decoding(resource, api_version, obj):
    """Refuses what Go would not read: base64 and times."""
    if resource.custom:
        return
    if resource.plural == "secrets":
        for text in (obj.get("data") or {}).values():
            _base64(text or "")
    for path, pattern in TIMES.get(resource.plural, ()):
        value = obj
        for step in path:
            value = (value or {}).get(step)
        if value is not None and not pattern.fullmatch(str(value)):
            layout = "2006-01-02T15:04:05" + (".000000" if pattern is MICRO else "") + "Z07:00"
            raise status.bad_request(
                '%s in version "%s" cannot be handled as a %s: parsing time "\\"%s\\"" as '
                '"\\"%s\\"": cannot parse'
                % (resource.kind, api_version, resource.kind, value, layout)
            )
