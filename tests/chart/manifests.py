#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manifests of deploy/ are the chart, rendered: `manifests.py --update` writes them."""

import dataclasses
import pathlib
import re
import sys

import chart

HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# The chart of charts/fixpoint, rendered (tests/chart/manifests.py --update), as
#
#   helm template fixpoint charts/fixpoint --namespace {namespace} \\
#     --kube-version {kube} --skip-tests --values {values}{only}
#
# does it. For Kubernetes 1.28 or later.
{note}#
#   kubectl apply --server-side {force}-f {name}
"""
ONLY = """ \\
#     --show-only templates/{}"""

THEIR_NAMES = (
    "# Gatekeeper's webhook configurations have the names of ours, and would be\n"
    "# overwritten: where Gatekeeper runs, use deploy/beside-gatekeeper/fixpoint.yaml.\n"
)
BESIDE = (
    "# Beside Gatekeeper: it brings the definitions of its kinds, and its webhooks keep\n"
    "# their names.\n"
)
MODRULES = (
    "# With KubeMod's ModRules. Where KubeMod runs, its webhook configurations have to go first:\n"
    "# each ModRule would act twice (docs/kubernetes.md, ModRules).\n"
)
ADMISSION_POLICIES = (
    "# With MutatingAdmissionPolicies in the group policies.fixpoint.dev (docs/kubernetes.md,\n"
    "# MutatingAdmissionPolicies).\n"
)
KYVERNO = (
    "# With Kyverno's mutate rules and the CRDs of their policies, for clusters without Kyverno\n"
    "# (docs/kyverno.md).\n"
)
IN_PLACE_KYVERNO = (
    "# Kyverno's mutate rules, in the namespace of Kyverno, which does the rest. Each rule acts\n"
    "# twice unless Kyverno leaves it to Fixpoint (docs/kyverno.md).\n"
)
IN_PLACE = (
    "# In place of KubeMod's operator: its webhook configurations, its definition and the\n"
    "# ModRules stay, and its Service is changed to lead here (docs/kubernetes.md, ModRules).\n"
)
DEFINITION = (
    "# ModRules with a status, in place of KubeMod's own definition. The ModRules in it stay.\n"
)


@dataclasses.dataclass(frozen=True)
class Manifest:
    """One file of deploy/, and how it is rendered."""

    path: pathlib.Path
    note: str
    values: pathlib.Path
    namespace: str = chart.NAMESPACE
    only: str = ""  # of templates/
    force: bool = False  # it changes what others have made

    @property
    def folder(self):
        return self.path.parent


def _whole(folder, note, **how):
    return Manifest(folder / "fixpoint.yaml", note, folder / "values.yaml", **how)


_BESIDE, _WITH, _IN_PLACE, _WITH_ADMISSION, _WITH_KYVERNO, _IN_PLACE_KYVERNO = (
    chart.DEPLOY / name
    for name in (
        "beside-gatekeeper", "with-modrules", "in-place-of-kubemod", "with-admission-policies",
        "with-kyverno-policies", "in-place-of-kyverno",
    )
)  # fmt: skip
DEFAULT = _whole(chart.DEPLOY, THEIR_NAMES)
BESIDE_GATEKEEPER = _whole(_BESIDE, BESIDE)
WITH_MODRULES = _whole(_WITH, MODRULES + THEIR_NAMES)
WITH_ADMISSION_POLICIES = _whole(_WITH_ADMISSION, ADMISSION_POLICIES + THEIR_NAMES)
IN_PLACE_OF_KUBEMOD = _whole(_IN_PLACE, IN_PLACE, namespace="kubemod-system", force=True)
WITH_KYVERNO_POLICIES = _whole(_WITH_KYVERNO, KYVERNO + THEIR_NAMES)
IN_PLACE_OF_KYVERNO = _whole(_IN_PLACE_KYVERNO, IN_PLACE_KYVERNO, namespace="kyverno")
MODRULE_DEFINITION = Manifest(
    _IN_PLACE / "definition.yaml", DEFINITION, _WITH / "values.yaml",
    only="crds/kubemod-modrule.yaml", force=True,
)  # fmt: skip
# What is installed as a whole, and all.
INSTALLED = [
    DEFAULT, BESIDE_GATEKEEPER, WITH_MODRULES, WITH_ADMISSION_POLICIES, IN_PLACE_OF_KUBEMOD,
    WITH_KYVERNO_POLICIES, IN_PLACE_OF_KYVERNO,
]  # fmt: skip
ALL = [*INSTALLED, MODRULE_DEFINITION]


def rendered(manifest):
    """The text of the file."""
    head = HEAD.format(
        kube=chart.KUBE_VERSION,
        namespace=manifest.namespace,
        values=manifest.values.relative_to(chart.ROOT),
        name=manifest.path.relative_to(chart.ROOT),
        note=manifest.note,
        only=ONLY.format(manifest.only) if manifest.only else "",
        force="--force-conflicts " if manifest.force else "",
    )
    args = ["--strict", "--kube-version", chart.KUBE_VERSION, "--hooks=false"]
    args += ["--namespace", manifest.namespace]
    text = chart.render_text(files=[manifest.values], args=args)
    source = f"---\n# Source: fixpoint/templates/{manifest.only}"
    return head + "".join(one for one in re.split(r"^(?=---$)", text, flags=re.M) if one.startswith(source))


def main():
    if sys.argv[1:] != ["--update"]:
        sys.exit(__doc__)
    for manifest in ALL:
        manifest.path.write_text(rendered(manifest), encoding="utf-8")


if __name__ == "__main__":
    main()
