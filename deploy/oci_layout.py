#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""oci_layout.py ROOTFS LAYOUT --version VERSION [--revision COMMIT] [--architecture NAME]

Writes an OCI image layout of one layer: the folder ROOTFS. The same folder gives the same
bytes: names sorted, nobody's user, and one time for all, that of SOURCE_DATE_EPOCH (0).
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import tarfile
import time

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def plain(info):
    """Without what depends on who built it, and when."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mtime = EPOCH
    info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
    return info


def tar_of(root):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(root.rglob("*")):
            tar.add(path, str(path.relative_to(root)), recursive=False, filter=plain)
    return data.getvalue()


class Layout:
    """A folder with blobs, and an index of what they are."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "blobs" / "sha256").mkdir(parents=True)
        (folder / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}', encoding="utf-8")

    def add(self, media_type, data):
        digest = hashlib.sha256(data).hexdigest()
        (self.folder / "blobs" / "sha256" / digest).write_bytes(data)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data)}

    def add_json(self, media_type, value):
        return self.add(media_type, json.dumps(value, sort_keys=True).encode())

    def finish(self, manifest, version):
        manifest["annotations"] = {"org.opencontainers.image.ref.name": version}
        index = {"schemaVersion": 2, "manifests": [manifest]}
        (self.folder / "index.json").write_text(json.dumps(index), encoding="utf-8")


def configuration(options, diff):
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    labels = {
        "org.opencontainers.image.title": "fixpoint",
        "org.opencontainers.image.description": "A Kubernetes mutation controller",
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.version": options.version,
        "org.opencontainers.image.created": created,
    }
    if options.revision:
        labels["org.opencontainers.image.revision"] = options.revision
    return {
        "created": created,
        "architecture": options.architecture,
        "os": "linux",
        "config": {
            "User": "65532:65532",
            "Entrypoint": ["/usr/bin/fixpoint"],
            "Cmd": ["help"],
            "WorkingDir": "/",
            "Env": ["PATH=/usr/bin"],
            "ExposedPorts": {"8443/tcp": {}, "9090/tcp": {}},
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": [diff]},
        "history": [{"created": created, "created_by": "deploy/image.sh"}],
    }


def write(options):
    tar = tar_of(options.rootfs)
    layout = Layout(options.layout)
    prefix = "application/vnd.oci.image."
    layer = layout.add(prefix + "layer.v1.tar+gzip", gzip.compress(tar, mtime=0))
    diff = "sha256:" + hashlib.sha256(tar).hexdigest()
    config = layout.add_json(prefix + "config.v1+json", configuration(options, diff))
    manifest = {
        "schemaVersion": 2,
        "mediaType": prefix + "manifest.v1+json",
        "config": config,
        "layers": [layer],
    }
    described = layout.add_json(prefix + "manifest.v1+json", manifest)
    layout.finish(described, options.version)
    print(f"{options.layout}: {described['digest']}, {layer['size'] / 1e6:.1f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    machine = platform.machine()
    parser.add_argument("rootfs", type=pathlib.Path)
    parser.add_argument("layout", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--revision", default="")
    parser.add_argument("--architecture", default=ARCHITECTURES.get(machine, machine))
    write(parser.parse_args())


if __name__ == "__main__":
    main()
