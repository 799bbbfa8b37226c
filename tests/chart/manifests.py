#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manifests of deploy/ are the chart, rendered: `manifests.py --update` writes them."""

import sys

import chart

FOLDERS = [chart.DEPLOY, chart.DEPLOY / "beside-gatekeeper"]

HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# The chart of charts/fixpoint, rendered (tests/chart/manifests.py --update), as
#
#   helm template fixpoint charts/fixpoint --namespace fixpoint-system \\
#     --kube-version {kube} --skip-tests --values {values}
#
# does it. For Kubernetes 1.28 or later.
{note}#
#   kubectl apply --server-side -f {name}
"""

NOTES = {
    "deploy": "# Gatekeeper's webhook configurations have the names of ours, and would be\n"
    "# overwritten: where Gatekeeper runs, use deploy/beside-gatekeeper/fixpoint.yaml.\n",
    "beside-gatekeeper": "# Beside Gatekeeper: it brings the definitions of its kinds, and its webhooks keep\n"
    "# their names.\n",
}


def rendered(folder):
    """The text of fixpoint.yaml in the folder."""
    values = folder / "values.yaml"
    target = folder / "fixpoint.yaml"
    head = HEAD.format(
        kube=chart.KUBE_VERSION,
        values=values.relative_to(chart.ROOT),
        name=target.relative_to(chart.ROOT),
        note=NOTES[folder.name],
    )
    args = ["--strict", "--kube-version", chart.KUBE_VERSION, "--hooks=false"]
    return head + chart.render_text(files=[values], args=args)


def main():
    if sys.argv[1:] != ["--update"]:
        sys.exit(__doc__)
    for folder in FOLDERS:
        (folder / "fixpoint.yaml").write_text(rendered(folder), encoding="utf-8")


if __name__ == "__main__":
    main()
