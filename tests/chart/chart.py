# SPDX-License-Identifier: Apache-2.0
"""The chart, rendered: render(values, …) gives its objects."""

import functools
import json
import os
import pathlib
import subprocess
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CHART = ROOT / "charts" / "fixpoint"
DEPLOY = ROOT / "deploy"

# As fast as libyaml, where there is one.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# How the manifests of deploy/ are rendered, by their folder there.
NAMESPACE = "fixpoint-system"
KUBE_VERSION = "v1.32.0"


class RenderError(Exception):
    """What the renderer says of a chart or values that are refused."""


def load_all(text):
    return [document for document in yaml.load_all(text, LOADER) if document is not None]


@functools.lru_cache(maxsize=1)
def renderer():
    """Builds the renderer from Debian's packages of Go sources, once."""
    folder = pathlib.Path(os.environ.get("CHART_BUILD") or tempfile.mkdtemp())
    program = folder / "render"
    environment = {
        **os.environ,
        "GO111MODULE": "off",
        "GOPATH": "/usr/share/gocode",
        "GOCACHE": str(folder / "go-cache"),
        "GOFLAGS": "",
    }
    subprocess.run(
        ["go", "build", "-o", str(program), "."], cwd=HERE / "render", env=environment, check=True
    )
    return program


def render_text(values=None, files=(), args=()):
    """What the renderer writes with the values, on top of those of the files."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(renderer()), "--namespace", NAMESPACE, *args]
        for name in files:
            command += ["--values", str(name)]
        if values:
            path = pathlib.Path(folder) / "values.yaml"
            path.write_text(json.dumps(values), encoding="utf-8")  # which is YAML
            command += ["--values", str(path)]
        done = subprocess.run(
            [*command, str(CHART)], capture_output=True, text=True, check=False, timeout=60
        )
    if done.returncode != 0:
        raise RenderError(done.stderr)
    return done.stdout


class Objects(list):
    """Rendered objects."""

    def of(self, kind):
        return [one for one in self if one["kind"] == kind]

    def one(self, kind, name=None):
        found = [one for one in self.of(kind) if name in (None, one["metadata"]["name"])]
        assert len(found) == 1, f"{len(found)} of {kind} {name or ''}"
        return found[0]

    @property
    def deployment(self):
        return self.one("Deployment")

    @property
    def container(self):
        return self.deployment["spec"]["template"]["spec"]["containers"][0]

    @property
    def flags(self):
        return self.container["args"][1:]


def render(values=None, *, kube=KUBE_VERSION, lookup=None, args=()):
    """The objects of the chart with the values; everything that is used is there."""
    command = ["--strict", "--kube-version", kube, *args]
    if lookup is None:
        return Objects(load_all(render_text(values, args=command)))
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump(lookup, file)
        file.flush()
        return Objects(load_all(render_text(values, args=[*command, "--lookup", file.name])))


@functools.lru_cache(maxsize=1)
def default():
    return render()


MODRULES = {"apis": {"kubemod": {"enabled": True}}}
ADMISSION = {"apis": {"admissionPolicy": {"enabled": True}}}
ALL = {"apis": {**MODRULES["apis"], **ADMISSION["apis"]}}
KYVERNO = {"apis": {"kyverno": {"enabled": True}}}


@functools.lru_cache(maxsize=1)
def with_modrules():
    return render(MODRULES)


@functools.lru_cache(maxsize=1)
def with_admission():
    return render(ADMISSION)


@functools.lru_cache(maxsize=1)
def with_kyverno():
    return render(KYVERNO)


@functools.lru_cache(maxsize=1)
def with_all():
    """With all kinds of policies whose definitions are the chart's own."""
    return render(ALL)


def definitions(objects=None):
    """The CustomResourceDefinitions, by name; all that there are, or those of the objects."""
    return {
        one["metadata"]["name"]: one
        for one in (objects or with_all()).of("CustomResourceDefinition")
    }
