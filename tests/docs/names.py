#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever the pages name exists: flags, values of the chart, metrics, alerts, annotations,
log lines, verbs of ./dev, pages and their headings. Examples that need a cluster cannot run
here, but they cannot speak of what is not there either.

    names.py FIXPOINT PAGE..."""
import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
CHART = ROOT / "charts/fixpoint"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)

# Flags in running text that are others': Gatekeeper's (docs/gatekeeper.md has a column of
# them), and tools'.
GATEKEEPER_FLAGS = {
    "--port", "--host", "--cert-dir", "--client-ca-name",
    "--client-cn-name", "--health-addr", "--prometheus-port", "--metrics-backend",
    "--enable-tls-healthcheck", "--readiness-retries", "--shutdown-delay",
    "--enable-mutation", "--enable-external-data",
    "--external-data-provider-response-cache-ttl",
    "--enable-generator-resource-expansion", "--max-serving-threads",
    "--debug-use-fake-pod",
}
OTHER_FLAGS = {"--server-side", "--create-namespace", "--once"}
# Names that the changelog says were renamed.
RENAMED = {"fixpoint_mutator_left_out_total", "FixpointPolicyLeftOut"}
ALERT = re.compile(r"`(Fixpoint[A-Z]\w+)`")
METRIC = re.compile(r"\b((?:fixpoint|gatekeeper)_[a-z]\w+[a-z])\b(?!…)")
ANNOTATION = re.compile(r"(?<![\w.])fixpoint\.dev/([a-z-]*[a-z])(?=[`:'\", }])")
VALUE = re.compile(r"^([a-z]\w*(?:\.[a-z]\w*)*)(?:: .*)?$", re.I)
LOGGED = re.compile(r"the log: `([^`…]+)`")
COMMAND = re.compile(r"(?:^|[$`> ('])fixpoint ([a-z]+)((?:[^`\n|]|\\\n)*)", re.M)
# Of objects, and not values.
FIELDS = {
    "status.byPod",
    "status.conditions",
    "status.observedGeneration",
    "status.typeChecking",
    "status.typeChecking.expressionWarnings",
}
LEFT_OUT = re.compile(r"^These values .*?(?=^#)", re.M | re.S)  # values that are not there
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")


def help_of(binary, *command):
    return subprocess.run([binary, "help", *command], text=True, capture_output=True,
                          check=True).stdout


def flags_of_tests():
    """What the programs behind `./dev bench` and `./dev soak` take."""
    texts = (path.read_text() for room in ("bench", "soak")
             for path in (ROOT / "tests" / room).glob("*.py"))
    asked = r'add(?:_argument)?\(\s*"(--[a-z-]+)"|argv.*"(--[a-z-]+)"'
    return {flag for text in texts for match in re.findall(asked, text) for flag in match if flag}


class Known:
    def __init__(self, binary):
        listed = re.findall(r"^  ([a-z]+)  ", help_of(binary), re.M)
        self.flags = {name: set(re.findall(r"--[a-z][a-z-]+", help_of(binary, name))) | {"--help"}
                      for name in listed}
        self.dev = (ROOT / "dev").read_text()
        self.all_flags = (set().union(*self.flags.values()) | GATEKEEPER_FLAGS | OTHER_FLAGS
                          | flags_of_tests() | set(re.findall(r'= (--[a-z-]+)', self.dev)))
        self.values = yaml.safe_load((CHART / "values.yaml").read_text())
        self.metrics = set(re.findall(r"^\| `(\w+)`", (ROOT / "docs/metrics.md").read_text(), re.M))
        self.alerts = set(re.findall(r"alert: (\w+)", (CHART / "files/alerts.yaml").read_text()))
        disable = (ROOT / "src/cluster/webhooks/disable.c").read_text()
        self.annotations = {"disabled", *("disabled" + end for end in
                                          re.findall(r'PREFIX "(-\w+)"', disable))}
        self.verbs = set(re.findall(r"^verb_(\w+)\(\)", self.dev, re.M))
        self.sources = "\n".join(re.sub(r'"\s*\n\s*"', "", path.read_text())
                                 for path in (ROOT / "src").rglob("*.c"))

    def has_value(self, path):
        at = self.values
        for key in path.split("."):
            if not isinstance(at, dict) or (at and key not in at):
                return False
            at = at.get(key, {})
        return True


def headings(page):
    """The anchors of a page, as GitHub makes them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    made = set()
    for title in re.findall(r"^#+ (.+)$", text, re.M):
        words = re.sub(r"[`*]|\[|\]\([^)]*\)", "", title.strip()).lower()
        made.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return made


# ---- each kind of name ----------------------------------------------------------------

def in_commands(text, known):
    """Flags behind `fixpoint COMMAND`, in examples and in running text."""
    for name, rest in COMMAND.findall(text):
        if name not in known.flags:
            continue
        for flag in re.findall(r"(?<=\s)--[a-z][a-z-]+", rest):
            if flag not in known.flags[name]:
                yield f"fixpoint {name} has no {flag}"


def in_text(text, known):
    for flag in re.findall(r"`(--[a-z][a-z-]+)[^`]*`", FENCE.sub("", text)):
        if flag not in known.all_flags:
            yield f"nobody has {flag}"
    for metric in METRIC.findall(text):
        names = {re.sub(r"_(bucket|count|sum)$", "", metric), metric}
        if not names & known.metrics:
            yield f"docs/metrics.md has no {metric}"
    for alert in ALERT.findall(text):
        if alert not in known.alerts:
            yield f"alerts.yaml has no {alert}"
    for annotation in ANNOTATION.findall(text):
        if annotation not in known.annotations:
            yield f"disable.c writes no fixpoint.dev/{annotation}"
    for verb in re.findall(r"\./dev ([a-z]+)\b", text):
        if verb not in known.verbs | {"help"}:
            yield f"./dev has no verb {verb}"
    for line in LOGGED.findall(text):
        if f'"{line}' not in known.sources:
            yield f"nobody logs {line!r}"


def is_value(word, known):
    """Does the word mean a value of the chart: by its first part, and by having more?"""
    first, _, rest = word.partition(".")
    return (word not in FIELDS and first in known.values
            and (rest or re.search("[a-z][A-Z]", first))
            or re.match("(mutating|validating)Webhook[A-Z]", first))


def in_values(text, known):
    spans = [span for line in LEFT_OUT.sub("", FENCE.sub("", text)).splitlines()
             for span in re.findall(r"`([^`]+)`", line)]
    found = [match[1] for match in map(VALUE.match, spans) if match]
    found += re.findall(r"--set ([\w.]+)=", text)
    for word in found:
        if is_value(word, known) and not known.has_value(word):
            yield f"values.yaml has no {word}"
    for _, body in FENCE.findall(text):
        named = re.match(r"# file: (values|beside)\.yaml\n", body)
        for key in yaml.safe_load(body) if named else ():
            if key not in known.values:
                yield f"values.yaml has no {key}"


def in_links(page, text):
    for path, anchor in LINK.findall(FENCE.sub("", text)):
        if "://" in path:
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"there is no {path}"
        elif anchor and target.suffix == ".md" and anchor not in headings(target):
            yield f"{path or page.name} has no heading #{anchor}"


def text_of(name):
    """The page, of the changelog without the names that are no more."""
    text = Path(name).read_text(encoding="utf-8")
    former = RENAMED if Path(name).name == "CHANGELOG.md" else ()
    for one in former:
        text = text.replace(f"`{one}`", "")
    return text


def main():
    known = Known(sys.argv[1])
    faults = [f"{name}: {fault}" for name in sys.argv[2:]
              for page, text in [(Path(name).resolve(), text_of(name))]
              for check in (in_commands, in_text, in_values)
              for fault in check(text, known)]
    faults += [f"{name}: {fault}" for name in sys.argv[2:]
               for fault in in_links(Path(name).resolve(), Path(name).read_text(encoding="utf-8"))]
    print("\n".join(faults) or f"{len(sys.argv) - 2} pages name nothing that is not there")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
