# SPDX-License-Identifier: Apache-2.0
"""Objects from YAML and JSON, as kubectl would send them."""

import pathlib

import yaml

from .request import Loader

ENDINGS = (".yaml", ".yml", ".json")
FIRST = ("CustomResourceDefinition", "Namespace")


def of_text(text):
    """The objects of a text of several documents, definitions and Namespaces first."""
    found = [one for one in yaml.load_all(text, Loader=Loader) if one]
    flat = []
    for one in found:
        flat += one["items"] if one.get("kind") == "List" else [one]
    return sorted(flat, key=lambda obj: obj.get("kind") not in FIRST)


def of_files(*paths):
    """The objects of files, and of folders of them."""
    texts = []
    for path in map(pathlib.Path, paths):
        files = [path]
        if path.is_dir():
            files = sorted(one for one in path.rglob("*") if one.suffix in ENDINGS)
        texts += [file.read_text() for file in files]
    return of_text("\n---\n".join(texts))
