#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dialect_names.sh - no production file under src names a dialect: what only one dialect has
# lives in its folder under mutators/ or location/. Gatekeeper's name may stand only in
# names on the wire: API groups, metrics, and defaults of webhooks and namespaces.
# Tests, fuzz targets and test fixtures may name every dialect. Prints the lines that are
# wrong; exit status 1 if there are any.
set -u
cd "$(dirname "$0")/.." || exit 2

fixtures='(_test\.c|_fuzz\.c|_testing\.h|_world\.h|_fixture\.h|/fake_[a-z_]*\.h|/loop_draw\.h)$'
on_the_wire='gatekeeper\.sh|gatekeeper_|gatekeeper-(mutating-webhook|validating-webhook|system|admin)'
location='location[_/]gatekeeper'

files=$(git ls-files src | grep -vE "$fixtures")
wrong=0
# shellcheck disable=SC2086
grep -niE 'kubemod|modrule|gotemplate|admission_policy' $files && wrong=1
# shellcheck disable=SC2086
grep -niE 'gatekeeper' $files | grep -viE "$on_the_wire|$location" && wrong=1
if [ $wrong -ne 0 ]; then
  echo 'tests/dialect_names.sh: these lines name a dialect (see the comment there)' >&2
fi
exit $wrong
