# SPDX-License-Identifier: Apache-2.0
"""The webhooks of the stored configurations, called as an API server calls them."""

import base64
import json
import threading
import time
import uuid

from . import cel, patches, selectors, status
from .request import read_json
from .storage import compact, ordered
from .webhook_client import CallError, Client

GROUP = "admissionregistration.k8s.io"
MUTATING, VALIDATING = "mutatingwebhookconfigurations", "validatingwebhookconfigurations"
# What no webhook is ever asked about.
EXEMPT = {
    MUTATING,
    VALIDATING,
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
}


class Call:
    """One call of a webhook and how it went: `outcome` is allowed, patched, denied, failed
    or failed open; `error` says why."""

    def __init__(self, webhook, operation, request):
        self.webhook, self.operation = webhook, operation
        self.resource, self.subresource = request.resource, request.subresource
        self.namespace, self.name, self.user = request.namespace, request.name, request.user
        self.began, self.seconds = time.monotonic(), 0.0
        self.outcome, self.error, self.annotations = "", "", {}

    def __repr__(self):
        return "<%s %s %s/%s: %s %s>" % (
            self.webhook,
            self.operation,
            self.resource,
            self.name,
            self.outcome,
            self.error,
        )


class Calls(list):
    """All calls so far."""

    def count(self, outcome=None, webhook=None):
        return sum(
            1
            for call in list(self)
            if outcome in (None, call.outcome) and webhook in (None, call.webhook)
        )


class Review:
    """One admission of one object: what webhooks match on and are sent."""

    def __init__(self, write, operation, obj, old, namespace_labels):
        self.write, self.operation = write, operation
        self.obj, self.old = obj, old.obj if old else None
        self._namespace_labels = namespace_labels

    @property
    def is_namespace(self):
        resource = self.write.resource
        return resource.plural == "namespaces" and not resource.group

    def version_for(self, hook):
        """The version in which a webhook wants the object; None: not at all."""
        write = self.write
        versions = [write.version]
        if hook.get("matchPolicy", "Equivalent") == "Equivalent":
            versions += [one for one in write.resource.versions if one != write.version]
        for version in versions:
            if any(self._rule_matches(rule, version) for rule in hook.get("rules") or ()):
                return version
        return None

    def _rule_matches(self, rule, version):
        resource, part = self.write.resource, self.write.subresource
        scope = "Namespaced" if resource.namespaced else "Cluster"
        return (
            _has(rule["operations"], self.operation)
            and _has(rule["apiGroups"], resource.group)
            and _has(rule["apiVersions"], version)
            and rule.get("scope", "*") in ("*", scope)
            and any(_names(wanted, resource.plural, part) for wanted in rule["resources"])
        )

    def selected(self, hook):
        """Do the webhook's two selectors let it pass?"""
        objects = hook.get("objectSelector") or {}
        given = [one for one in (self.obj, self.old) if one]
        if objects and not any(selectors.of_object(objects, _labels(one)) for one in given):
            return False
        spaces = hook.get("namespaceSelector") or {}
        if not spaces or not (self.write.resource.namespaced or self.is_namespace):
            return True
        if self.is_namespace:
            labels = _labels(self.obj or self.old)
        else:
            labels = self._namespace_labels(self.write.request.namespace)
        return selectors.of_object(spaces, labels)

    def request(self, version):
        """The request of the AdmissionReview in this version, without its objects."""
        write, request = self.write, self.write.request
        resource = write.resource

        def places(in_version):
            group = {"group": resource.group, "version": in_version}
            kind = {**group, "kind": resource.kind}
            return kind, {**group, "resource": resource.plural}

        (kind, place), (asked_kind, asked_place) = places(version), places(write.version)
        name = request.name or (self.obj or {}).get("metadata", {}).get("name", "")
        space = name if self.is_namespace else request.namespace
        review_request = {
            "uid": str(uuid.uuid4()),
            "kind": kind,
            "resource": place,
            "subResource": write.subresource,
            "requestKind": asked_kind,
            "requestResource": asked_place,
            "requestSubResource": write.subresource,
            "name": name,
            "namespace": space,
            "operation": self.operation,
            "userInfo": request.who.describe() if request.who else {},
        }
        return {key: value for key, value in review_request.items() if value != ""}

    def encode(self, version, review_request, api_version):
        """The bytes of the AdmissionReview, which is of that version."""
        tail = {"dryRun": self.write.dry_run, "options": self.write.options(self.operation)}
        objects = (self._object(one, version) for one in (self.obj, self.old))
        request = (
            compact(review_request)[:-1]
            + b',"object":%b,"oldObject":%b,' % tuple(objects)
            + compact(tail)[1:]
        )
        return b'{"kind":"AdmissionReview","apiVersion":"%b","request":%b}' % (
            api_version.encode(),
            request,
        )

    def _object(self, obj, version):
        if obj is None:
            return b"null"
        resource = self.write.resource
        obj = dict(obj, kind=resource.kind, apiVersion=resource.api_version(version))
        if resource.custom:
            return compact(obj, sort=True)
        head = {"kind": obj.pop("kind"), "apiVersion": obj.pop("apiVersion")}
        metadata = {"creationTimestamp": None, **obj.pop("metadata")}
        return compact({**head, "metadata": ordered(metadata), **obj})


def _has(listed, wanted):
    return "*" in listed or wanted in listed


def _names(wanted, plural, part):
    """Does `resources` of a rule name this: *, */*, pods, pods/*, */scale, pods/status?"""
    resource, _, subresource = wanted.partition("/")
    if resource not in ("*", plural):
        return False
    return subresource == part or subresource == "*"


def _labels(obj):
    return obj["metadata"].get("labels") or {}


class Admission:
    """`client.services` is where tests say which ports stand behind a Service; `calls` is
    what was called."""

    def __init__(self, storage, registry):
        self._storage, self._registry = storage, registry
        self.client, self.calls = Client(), Calls()
        self._lock = threading.Lock()

    def close(self):
        self.client.close()

    def _hooks(self, plural):
        """The webhooks of all configurations, in the order in which they are called."""
        resource = self._registry.get(GROUP, plural)
        table = self._storage.table(resource)
        with self._storage.lock:
            configurations = [table.objects[key].obj for key in table.keys()]
        return [
            ((one["metadata"]["name"], hook["name"]), hook)
            for one in configurations
            for hook in one.get("webhooks") or ()
        ]

    def _namespace_labels(self, name):
        table = self._storage.table(self._registry.get("", "namespaces"))
        stored = table.objects.get(("", name))
        return stored.labels if stored else {}

    def _review(self, write, operation, obj, old):
        if not write.admit or (
            write.resource.group == GROUP and write.resource.plural in EXEMPT
        ):
            return None
        return Review(write, operation, obj, old, self._namespace_labels)

    # --- the two phases ---

    def mutate(self, write, operation, obj, old, decode):
        """The object as the webhooks leave it; `decode` reads it again after a patch."""
        review = self._review(write, operation, obj, old)
        if review is None:
            return obj
        invoked, again = set(), set()
        for is_repeat in (False, True):
            for key, hook in self._hooks(MUTATING):
                if is_repeat and key not in again:
                    continue
                changed = self._mutate_with(hook, review, decode)
                if changed:
                    again |= invoked
                    invoked = set()
                if changed is not None and hook.get("reinvocationPolicy") == "IfNeeded":
                    invoked.add(key)
            if not again:
                break
        return review.obj

    def _mutate_with(self, hook, review, decode):
        """Has it changed the object? None: it was not called."""
        answer = self._ask(hook, review)
        if answer is None:
            return None
        patch = answer.get("patch")
        if not patch:
            return False
        name = hook["name"]
        if review.obj is None:
            raise status.internal(
                "admission webhook %r attempted to modify an object that is " "deleted" % name
            )
        try:
            patched = patches.json(review.obj, read_json(base64.b64decode(patch)))
        except ValueError as error:
            raise status.internal("%s" % error) from error
        try:
            patched = decode(review.write, patched)
        except status.ApiError as error:
            raise status.internal("%s" % error) from error
        changed = patched != review.obj
        review.obj = patched
        return changed

    def validate(self, write, operation, obj, old):
        """Asks the validating webhooks."""
        review = self._review(write, operation, obj, old)
        for _, hook in self._hooks(VALIDATING) if review else ():
            self._ask(hook, review)

    def delete(self, write, old):
        """Asks both kinds about an end."""
        self.mutate(write, "DELETE", None, old, None)
        self.validate(write, "DELETE", None, old)

    # --- one webhook ---

    def _ask(self, hook, review):
        """Its answer; None where it is not asked, or failed and may."""
        version = review.version_for(hook)
        if version is None or not review.selected(hook):
            return None
        review_request = review.request(version)
        call = Call(hook["name"], review.operation, review.write.request)
        call.name = review_request.get("name", "")
        try:
            if not self._conditions_hold(hook, review, review_request, version):
                return None
            with self._lock:
                self.calls.append(call)
            return self._call(hook, review, review_request, version, call)
        except (CallError, cel.Error) as error:
            call.error = str(error)
            call.outcome = "failed"
            if hook.get("failurePolicy", "Fail") == "Ignore":
                call.outcome = "failed open"
                return None
            raise status.internal(
                'failed calling webhook "%s": failed to call webhook: %s'
                % (hook["name"], error)
            ) from error
        finally:
            call.seconds = time.monotonic() - call.began

    def _conditions_hold(self, hook, review, review_request, version):
        conditions = hook.get("matchConditions") or ()
        names = {"request": review_request, "object": review.obj, "oldObject": review.old}
        return all(cel.evaluate(one["expression"], names) for one in conditions)

    def _call(self, hook, review, review_request, version, call):
        api_version = _review_version(hook)
        body = review.encode(version, review_request, api_version)
        raw = self.client.post(hook["clientConfig"], body, hook.get("timeoutSeconds", 10))
        answer = _checked(raw, review_request["uid"], api_version)
        call.annotations = answer.get("auditAnnotations") or {}
        review.write.warnings += answer.get("warnings") or []
        if not answer.get("allowed"):
            call.outcome, call.error = "denied", (answer.get("status") or {}).get("message", "")
            raise _denied(hook["name"], answer.get("status"))
        call.outcome = "patched" if answer.get("patch") else "allowed"
        return answer


def _review_version(hook):
    """The first that the webhook names and an API server speaks."""
    for version in hook["admissionReviewVersions"]:
        if version in ("v1", "v1beta1"):
            return "admission.k8s.io/" + version
    raise CallError("webhook does not accept known AdmissionReview versions (v1, v1beta1)")


def _checked(raw, uid, api_version):
    """The response of an AdmissionReview, as an API server insists on it."""
    try:
        review = json.loads(raw)
        answer = review["response"]
        got = (review.get("kind"), review.get("apiVersion"), answer.get("uid"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CallError("the answer is no AdmissionReview: %r" % (error,)) from error
    if got != ("AdmissionReview", api_version, uid):
        raise CallError("expected AdmissionReview, %s, %s; got %r" % (api_version, uid, got))
    if bool(answer.get("patch")) != bool(answer.get("patchType")):
        raise CallError("a patch and its type must come together")
    if answer.get("patchType", "JSONPatch") != "JSONPatch":
        raise CallError("unknown patch type %r" % answer["patchType"])
    return answer


def _denied(name, answer_status):
    """What a user reads whose request was refused."""
    answer_status = dict(answer_status or {})
    denied = 'admission webhook "%s" denied the request' % name
    words = answer_status.get("message") or answer_status.get("reason")
    message = "%s: %s" % (denied, words) if words else denied + " without explanation"
    code = answer_status.get("code") or 0
    return status.ApiError(
        code if code >= 400 else 400,
        answer_status.get("reason", ""),
        message,
        answer_status.get("details"),
    )
