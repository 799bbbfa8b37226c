# SPDX-License-Identifier: Apache-2.0
"""The policies of a scenario: the three of policies.yaml, and so many more of one sort."""

import pathlib

BASE = pathlib.Path(__file__).parent / "policies.yaml"


def elsewhere(count):
    """That match objects of other namespaces only."""
    return "".join(
        f"""---
apiVersion: mutations.gatekeeper.sh/v1
kind: Assign
metadata: {{name: other-{i}}}
spec:
  applyTo: [{{groups: [""], kinds: [Pod], versions: [v1]}}]
  match: {{namespaces: [team-{i}]}}
  location: spec.priorityClassName
  parameters: {{assign: {{value: team-{i}}}}}
"""
        for i in range(count)
    )


def annotating(count):
    """That all match, and each add an annotation."""
    return "".join(
        f"""---
apiVersion: mutations.gatekeeper.sh/v1
kind: AssignMetadata
metadata: {{name: note-{i}}}
spec:
  location: metadata.annotations.note-{i}
  parameters: {{assign: {{value: "{i}"}}}}
"""
        for i in range(count)
    )


LINKS = 64


def chained(passes):
    """64 that copy a label each: so many of them one another's, in an order in which a pass
    gets but one link further."""
    made = []
    for i in range(LINKS):
        source = f"link-{i + 1:02d}" if i + 1 < passes else "team"
        made.append(
            f"""---
apiVersion: mutations.fixpoint.dev/v1alpha1
kind: AssignMetadata
metadata: {{name: link-{i:02d}}}
spec:
  location: metadata.labels.link-{i:02d}
  parameters: {{assign: {{fromObject: metadata.labels.{source}}}}}
"""
        )
    return "".join(made)


SORTS = {"elsewhere": elsewhere, "annotating": annotating, "chained": chained}


def text(sort, count):
    """policies.yaml with `count` more of a sort."""
    return BASE.read_text() + (SORTS[sort](count) if sort else "")
