#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# rootfs.sh BINARY FOLDER: what an image of Fixpoint holds: the program, the shared libraries
# that it needs, with their copyright files, and an /etc that names its user. No shell, no
# certificates: whom it trusts it is told by the cluster and by policies.
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: $0 BINARY FOLDER" >&2; exit 2; }
binary=$1 root=$2
[ -x "$binary" ] || { echo "$0: $binary is no program" >&2; exit 1; }
[ ! -e "$root" ] || { echo "$0: $root is there already" >&2; exit 1; }

install -D -m 0755 "$binary" "$root/usr/bin/fixpoint"
! command -v strip >/dev/null || strip --strip-unneeded "$root/usr/bin/fixpoint"

# The dynamic linker stands where the program looks for it, the libraries where that does.
copyright() { # LIBRARY: of the package that it is from
  local package
  package=$(dpkg-query -S "$1" "/usr$1" 2>/dev/null | head -n 1 | cut -d: -f1) || true
  [ -z "$package" ] || [ ! -f "/usr/share/doc/$package/copyright" ] ||
    install -D -m 0644 "/usr/share/doc/$package/copyright" \
      "$root/usr/share/doc/$package/copyright"
}
libraries=$(ldd "$binary") || { echo "$0: ldd cannot read $binary" >&2; exit 1; }
if grep -q 'not found' <<<"$libraries"; then
  grep 'not found' <<<"$libraries" >&2
  exit 1
fi
while read -r library; do
  install -D -m 0755 "$(readlink -f "$library")" "$root$library"
  copyright "$(readlink -f "$library")"
done < <(grep -o '/[^ ]*' <<<"$libraries" | sort -u)

# What is linked into the program (cmake/FindRE2.cmake) is no library, but has a licence.
if ! grep -q libre2 <<<"$libraries"; then
  for archive in /usr/lib/*/libre2.a /usr/lib/gcc/*/*/libstdc++.a; do
    [ ! -e "$archive" ] || copyright "$archive"
  done
fi

install -d -m 0755 "$root/etc"
printf 'root:x:0:0:root:/:/nonexistent\nfixpoint:x:65532:65532::/:/nonexistent\n' \
  >"$root/etc/passwd"
printf 'root:x:0:\nfixpoint:x:65532:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
chmod 0644 "$root"/etc/*
