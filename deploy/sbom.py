#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sbom.py ROOTFS PARTS OUTPUT: what is in an image of Fixpoint, as SPDX 2.3 in JSON.

ROOTFS is the folder of the image's files: each is listed with its SHA-256. PARTS has a line for
each library, four fields with tabs between them: `shared` or `static` (linked into the program),
or `data` (that it reads), the file on this machine, its place in the image (empty: none) and the
Debian package it is from. A package is listed with its version, its source and, where apt has its
lists, the SHA-256 of the .deb. The same input gives the same bytes; the time is that of
SOURCE_DATE_EPOCH (0).
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
DPKG_FIELDS = ("Package", "Version", "Architecture", "source:Package", "source:Version")
PROGRAM = "usr/bin/fixpoint"
NONE = "NOASSERTION"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def os_release():
    text = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    return dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, re.M))


def project_version():
    text = (TOP / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(fixpoint VERSION ([0-9.]+)", text, re.M)[1]


def digest(data, name):
    return {"algorithm": name, "checksumValue": hashlib.new(name.lower(), data).hexdigest()}


def identifier(kind, name):
    return "SPDXRef-%s-%s" % (kind, re.sub(r"[^A-Za-z0-9.-]", "-", name.replace("+", "plus")))


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


# ---- Debian's packages -------------------------------------------------------------------


def deb_checksums(package, version):
    """Of the .deb, as the lists of apt have it; they may have a newer version only."""
    shown = run("apt-cache", "show", "%s=%s" % (package, version))
    found = re.search(r"^SHA256: ([0-9a-f]{64})$", shown, re.M)
    return [{"algorithm": "SHA256", "checksumValue": found[1]}] if found else []


def purl(name, fields, release):
    return "pkg:deb/debian/%s@%s?arch=%s&distro=debian-%s" % (
        name.replace("+", "%2B"),
        fields["Version"].replace("+", "%2B").replace(":", "%3A"),
        fields["Architecture"],
        release.get("VERSION_ID", "unknown"),
    )


def deb(package, release):
    form = "\t".join("${%s}" % field for field in DPKG_FIELDS)
    values = run("dpkg-query", "-W", "-f", form, package).split("\t")
    if len(values) != len(DPKG_FIELDS):
        sys.exit("sbom: dpkg does not know %s" % package)
    fields = dict(zip(DPKG_FIELDS, values))
    name = fields["Package"]
    made = {
        "SPDXID": identifier("Package", name),
        "name": name,
        "versionInfo": fields["Version"],
        "supplier": "Organization: Debian",
        "downloadLocation": NONE,
        "filesAnalyzed": False,
        "licenseConcluded": NONE,
        "licenseDeclared": NONE,
        "copyrightText": NONE,
        "comment": "Licences: /usr/share/doc/%s/copyright in the image." % name,
        "primaryPackagePurpose": "LIBRARY",
        "sourceInfo": "Debian source package %s %s"
        % (fields["source:Package"], fields["source:Version"]),
        "externalRefs": [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": purl(name, fields, release),
            }
        ],
    }
    checksums = deb_checksums(package, fields["Version"])
    return dict(made, checksums=checksums) if checksums else made


# ---- the image ---------------------------------------------------------------------------


def read_files(root, output):
    files = []
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and path != output:
            name, data = str(path.relative_to(root)), path.read_bytes()
            files.append(
                {
                    "SPDXID": identifier("File", name),
                    "fileName": "./" + name,
                    "checksums": [digest(data, "SHA1"), digest(data, "SHA256")],
                    "licenseConcluded": NONE,
                    "copyrightText": NONE,
                }
            )
    return files


def verification_code(files):
    """SPDX 2.3 section 7.9."""
    sums = sorted(file["checksums"][0]["checksumValue"] for file in files)
    return hashlib.sha1("".join(sums).encode()).hexdigest()


def image_of(files, version, release):
    return {
        "SPDXID": "SPDXRef-Package-fixpoint",
        "name": "fixpoint",
        "versionInfo": version,
        "downloadLocation": NONE,
        "filesAnalyzed": True,
        "packageVerificationCode": {"packageVerificationCodeValue": verification_code(files)},
        "licenseConcluded": NONE,
        "licenseDeclared": "Apache-2.0",
        "licenseInfoFromFiles": [NONE],
        "copyrightText": NONE,
        "primaryPackagePurpose": "CONTAINER",
        "comment": "No base image: these files are all there are. Libraries are those of %s."
        % release.get("PRETTY_NAME", "an unknown system"),
    }


def read_parts(path):
    """(kind, place in the image, package) of each; a file of no package ends it."""
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, file, place, package = line.split("\t")
        if not package:
            sys.exit("sbom: %s is of no Debian package" % file)
        yield kind, place, package


def relations(parts, packages):
    program = identifier("File", PROGRAM)
    links = {"shared": "DYNAMIC_LINK", "static": "STATIC_LINK", "data": "DEPENDS_ON"}
    for kind, place, package in parts:
        of = packages[package]["SPDXID"]
        yield relation(program, links[kind], of)
        if place:
            yield relation(identifier("File", place.lstrip("/")), "EXPANDED_FROM_ARCHIVE", of)


def document(root, parts, output):
    release, version = os_release(), project_version()
    files = read_files(root, output)
    packages = {package: deb(package, release) for package in sorted({part[2] for part in parts})}
    image = image_of(files, version, release)
    found = [relation("SPDXRef-DOCUMENT", "DESCRIBES", image["SPDXID"])]
    found += [relation(image["SPDXID"], "CONTAINS", file["SPDXID"]) for file in files]
    found += relations(parts, packages)
    unique = {tuple(one.values()): one for one in found}
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    made = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "fixpoint-%s" % version,
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "creators": ["Tool: deploy/sbom.py"],
        },
        "packages": [image, *packages.values()],
        "files": files,
        "relationships": list(unique.values()),
    }
    seal = hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()
    return dict(made, documentNamespace="https://fixpoint.dev/spdx/%s/%s" % (version, seal))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    root, parts, output = (pathlib.Path(argument) for argument in sys.argv[1:])
    made = document(root, list(read_parts(parts)), output)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
