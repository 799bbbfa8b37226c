#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# rootfs.sh BINARY FOLDER: what an image of Fixpoint holds: the program, the shared libraries
# that it needs, the time zones (for CEL: getHours('Europe/Berlin')), the copyright files of all
# these and of the libraries linked into the program, an SBOM (sbom.py), and an /etc that names
# its user. No shell, no certificates: the cluster and policies say which authorities it trusts.
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: $0 BINARY FOLDER" >&2; exit 2; }
binary=$1 root=$2
[ -x "$binary" ] || { echo "$0: $binary is no program" >&2; exit 1; }
[ ! -e "$root" ] || { echo "$0: $root is there already" >&2; exit 1; }

# The time of the SBOM.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || echo 0)}"
export SOURCE_DATE_EPOCH

install -D -m 0755 "$binary" "$root/usr/bin/fixpoint"
! command -v strip >/dev/null || strip --strip-unneeded "$root/usr/bin/fixpoint"

# package_of FILE: the Debian package that it is from; nothing where there is none.
package_of() {
  dpkg-query -S "$1" "${1#/usr}" "/usr$1" 2>/dev/null | head -n 1 | cut -d' ' -f1 | sed 's/:$//'
}

parts=$(mktemp)
trap 'rm -f "$parts"' EXIT

# part KIND FILE IN_IMAGE: a line for the SBOM, and the copyright file of the package.
part() {
  local package name
  package=$(package_of "$2") || true
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$package" >>"$parts"
  name=${package%%:*}
  [ -z "$name" ] || [ ! -f "/usr/share/doc/$name/copyright" ] ||
    install -D -m 0644 "/usr/share/doc/$name/copyright" "$root/usr/share/doc/$name/copyright"
}

# The dynamic linker stands where the program looks for it, the libraries where that does.
libraries=$(ldd "$binary") || { echo "$0: ldd cannot read $binary" >&2; exit 1; }
if grep -q 'not found' <<<"$libraries"; then
  grep 'not found' <<<"$libraries" >&2
  exit 1
fi
while read -r library; do
  install -D -m 0755 "$(readlink -f "$library")" "$root$library"
  part shared "$(readlink -f "$library")" "$library"
done < <(grep -o '/[^ ]*' <<<"$libraries" | sort -u)

# What is linked into the program is no file, but has a licence and may have faults. The
# linker's map names the archives; llhttp may be compiled from a package's sources.
map=$binary.map
if [ -f "$map" ]; then
  while read -r archive; do
    part static "$(readlink -f "$archive")" ""
  done < <(grep -oE '^/[^ ]*\.a\(' "$map" | tr -d '(' | sort -u)
  ! grep -q '^libllhttp_sources\.a(' "$map" || part static /usr/share/llhttp/llhttp.c ""
else
  echo "$0: no $map: the SBOM does not have what is linked into the program" >&2
fi

# The time zones, without the copies that count leap seconds and the tables about zones. Old
# names (US/Pacific) are a package of their own from Debian 13 on.
zones=/usr/share/zoneinfo
[ -f "$zones/UTC" ] || { echo "$0: no $zones: install tzdata" >&2; exit 1; }
install -d -m 0755 "$root$zones"
to=$(realpath "$root$zones")
(cd "$zones" && find . \( -path ./posix -o -path ./right \) -prune -o \
  \( -type f -o -type l \) ! -name '*.*' ! -name localtime ! -name posixrules \
  ! -name leapseconds -exec cp -P --parents -t "$to" {} +)
part data "$(readlink -f "$zones/Europe/Berlin")" ""
[ ! -e "$zones/US/Pacific" ] || part data "$zones/US/Pacific" ""

install -d -m 0755 "$root/etc"
printf 'root:x:0:0:root:/:/nonexistent\nfixpoint:x:65532:65532::/:/nonexistent\n' \
  >"$root/etc/passwd"
printf 'root:x:0:\nfixpoint:x:65532:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
chmod 0644 "$root"/etc/*

python3 "$(dirname "$0")/sbom.py" "$root" "$parts" "$root/usr/share/sbom/fixpoint.spdx.json"
