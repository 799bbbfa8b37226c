#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the container image, and tries it.
#
#   image.sh [BINARY [FOLDER]]   BINARY (build/release/fixpoint) and the libraries it needs, or
#                                the folder that rootfs.sh has made of it, as an OCI image
#                                layout in FOLDER (build/image): no daemon, no
#                                registry, no privileges; the same bytes every time. What is
#                                in it: FOLDER.spdx.json, and in it /usr/share/sbom
#   image.sh --containerfile BASE
#                                with buildah and deploy/Dockerfile. BASE is where it is built,
#                                by its digest: docker.io/library/debian@sha256:...
#
# Both end as localhost/fixpoint:VERSION in buildah's storage where buildah works here.
# The layout goes to a registry with: skopeo copy oci:FOLDER:VERSION docker://REGISTRY/fixpoint
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'image: %s\n' "$*" >&2; exit 1; }

version=$(sed -n 's/^project(fixpoint VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || die "CMakeLists.txt has no version"
revision=$(git rev-parse HEAD 2>/dev/null || true)
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || echo 0)}"
export SOURCE_DATE_EPOCH

scratch=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  chmod -R u+w "$scratch" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT

if [ "${1:-}" = --containerfile ]; then
  command -v buildah >/dev/null || die "buildah is not installed"
  [[ "${2:-}" =~ ^[^@]+@sha256:[0-9a-f]{64}$ ]] ||
    die "--containerfile NAME@sha256:DIGEST: a tag may be another image tomorrow"
  exec buildah build --ignorefile deploy/Dockerfile.dockerignore --timestamp "$SOURCE_DATE_EPOCH" \
    --build-arg VERSION="$version" --build-arg REVISION="$revision" --build-arg BASE="$2" \
    -f deploy/Dockerfile -t "localhost/fixpoint:$version" .
fi

binary=${1:-build/release/fixpoint} layout=${2:-build/image}
[ -x "$binary" ] || die "$binary is missing: ./dev build"

say "assembling $layout"
if [ -d "$binary" ]; then
  cp -a "$binary" "$scratch/rootfs"
else
  deploy/rootfs.sh "$binary" "$scratch/rootfs"
fi
rm -rf "$layout"
mkdir -p "$(dirname "$layout")"
python3 deploy/oci_layout.py "$scratch/rootfs" "$layout" --version "$version" --revision "$revision"
cp "$scratch/rootfs/usr/share/sbom/fixpoint.spdx.json" "$layout.spdx.json"
say "the SBOM is $layout.spdx.json"

# ---- is it an image? --------------------------------------------------------------------

bundle=$scratch/rootfs
if command -v skopeo >/dev/null; then
  skopeo inspect --config "oci:$layout:$version" >"$scratch/config"
  grep -q 65532 "$scratch/config" || die "skopeo reads another configuration"
  skopeo copy --quiet "oci:$layout:$version" "docker-archive:$scratch/archive.tar:fixpoint:$version"
  say "skopeo reads it, and copies every blob"
else
  say "no skopeo: not read by another program"
fi
if command -v umoci >/dev/null; then
  umoci unpack --rootless --image "$layout:$version" "$scratch/bundle" >/dev/null
  bundle=$scratch/bundle/rootfs
  say "umoci unpacks it"
else
  say "no umoci: what runs below is what was packed, not what was unpacked"
fi

python3 - "$layout.spdx.json" "$bundle" <<'END' || die "the SBOM does not list what is there"
import hashlib, json, pathlib, sys
root, own = pathlib.Path(sys.argv[2]), "./usr/share/sbom/fixpoint.spdx.json"
there = {"./" + str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
         for path in root.rglob("*") if path.is_file()}
listed = {file["fileName"]: file["checksums"][1]["checksumValue"]
          for file in json.load(open(sys.argv[1]))["files"]}
sys.exit(there.pop(own, None) is None or there != listed)
END
say "the SBOM lists each file as it is"

# ---- does it run? -----------------------------------------------------------------------

# enter COMMAND…: in the image's files and nothing else, as its user where that is possible.
if [ "$(id -u)" = 0 ] && chroot --userspec=65532:65532 "$bundle" /usr/bin/fixpoint version >/dev/null 2>&1; then
  enter() { exec chroot --userspec=65532:65532 "$bundle" "$@"; }
  how="chroot, as user 65532"
elif unshare --user --map-root-user chroot "$bundle" /usr/bin/fixpoint version >/dev/null 2>&1; then
  enter() { exec unshare --user --map-root-user chroot "$bundle" "$@"; }
  how="a user namespace"
elif bwrap --bind "$bundle" / --unshare-user /usr/bin/fixpoint version >/dev/null 2>&1; then
  enter() { exec bwrap --bind "$bundle" / --unshare-user "$@"; }
  how="bubblewrap"
else
  die "it does not run here: neither chroot nor a user namespace is possible, or it is broken"
fi
say "running it in $how"
mkdir -p "$bundle/smoke"
chmod 0755 "$bundle/smoke"
cp examples/policies/*.yaml examples/pod.yaml "$bundle/smoke/"
chmod 0644 "$bundle/smoke"/*

(enter /usr/bin/fixpoint version)
(enter /usr/bin/fixpoint apply -p /smoke/pods.yaml -f /smoke/pod.yaml -o patch) >"$scratch/patch"
grep -q '^\[{"op":' "$scratch/patch" || die "apply gives no patch"

(enter /usr/bin/fixpoint serve -p /smoke/pods.yaml --tls-self-signed --listen 127.0.0.1:0 \
  --health-listen 127.0.0.1:0 --drain 1ms) 2>"$scratch/log" &
server=$!
python3 - "$scratch/log" <<'END' || { cat "$scratch/log" >&2; die "serve does not answer"; }
import re, sys, time, urllib.request
deadline = time.monotonic() + 10
while time.monotonic() < deadline:
    for address in re.findall(r"127\.0\.0\.1:\d+", open(sys.argv[1]).read()):
        try:
            with urllib.request.urlopen(f"http://{address}/readyz", timeout=1) as answer:
                sys.exit(answer.status != 200)
        except OSError:
            continue
    time.sleep(0.05)
sys.exit(1)
END
kill "$server"
wait "$server" || die "serve did not end well"
server=
say "version, apply and serve run in it"

# ---- where containers are built ----------------------------------------------------------

stored=localhost/fixpoint:$version
if command -v buildah >/dev/null && command -v skopeo >/dev/null &&
  skopeo copy --quiet "oci:$layout:$version" "containers-storage:$stored" 2>"$scratch/err" &&
  buildah inspect --type image "$stored" >/dev/null; then
  say "$stored is in buildah's storage"
else
  say "not in buildah's storage: $(tail -n 1 "$scratch/err" 2>/dev/null || echo 'no buildah and skopeo')"
fi
