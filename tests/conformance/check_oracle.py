#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the oracle against recorded conformance cases: check_oracle.py FILE.jsonl...

What the oracle does not speak of is left out and counted: annotations, the webhook's own
steps, and the cases in which Fixpoint differs on purpose."""
import collections
import json
import pathlib
import re
import sys

from oracle import location, policy, system
from oracle.match import Request, applies, matches
from oracle.values import Refused, equal, read_json

# Exact integers, 5 equal to 5.0, and a missing `fromList` that is not written as null.
ON_PURPOSE = {'mut-0680', 'mut-0682', 'mut-0683', 'mut-0685', 'mut-1349', 'mut-1350',
              'mut-1423', 'mut-1424', 'mut-1499'}
UUID = re.compile('[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}')


def request_of(row):
    """The circumstances of a case."""
    operation = row.get('operation', 'CREATE')
    return Request('' if operation == 'NONE' else operation,
                   row.get('sourceType', 'Original'), row.get('namespace'),
                   row.get('username', ''))


def check_location(row):
    """What the oracle says of a location, in the case's form."""
    def node(one):
        if isinstance(one, location.Field):
            return {'type': 'Object', 'ref': one.name}
        return {'type': 'List', 'keyField': one.key, 'glob': one.glob,
                'keyValue': one.value}
    try:
        nodes = location.parse(row['location'])
    except Refused as error:
        return row.get('error', '\0') in str(error), str(error)
    got = {'nodes': [node(one) for one in nodes], 'string': location.print_path(nodes)}
    for one in row.get('nodes', []):
        if one['type'] == 'List':
            one.setdefault('keyValue', None)
    return row['ok'] and equal(got, {key: row[key] for key in got}), got


def check_match(row):
    """True, false or the error of a match."""
    def holds():
        entries, request = row.get('applyTo'), request_of(row)
        if entries is not None and not applies(entries, row['object'], request.operation):
            return False
        return matches(row['match'], row['object'], request)
    try:
        got = holds()
    except Refused as error:
        got = f'error {error}'
    return got == row['expect'], got


def check_mutate(row):
    """The object after the mutators, or the error."""
    got = system.answer(row['mutators'], row['object'], request_of(row),
                        row.get('providers'))
    keys = [key for key in row['expect'] if key != 'patch']
    if 'mutatorError' in row['expect']:
        keys = ['mutatorError'] # nobody was asked
    if row.get('quirk'):
        keys.remove('mutated')
    expect = {key: row['expect'][key] for key in keys}
    expect = json.loads(UUID.sub(system.UUID, json.dumps(expect)))
    at = expect.get('mutateError', '').find('got &{0x') # a pointer is nothing to compare
    if at >= 0:
        expect['mutateError'] = expect['mutateError'][:at]
        got['mutateError'] = got.get('mutateError', '')[:at]
    return equal(expect, {key: got.get(key) for key in keys}), got


def check_conflicts(row):
    """Who is in conflict after all steps."""
    everyone = system.System()
    for step in row.get('steps', [{'mutator': one} for one in row.get('mutators', [])]):
        if step.get('op') == 'remove':
            everyone.remove(step['kind'], step['name'])
        else:
            everyone.upsert(step['mutator'])
    got = everyone.conflicts()
    return equal(row['expect'], {key: got.get(key) for key in row['expect']}), got


CHECKS = {'location': check_location, 'match': check_match, 'mutate': check_mutate,
          'random': check_mutate, 'external': check_mutate, 'conflicts': check_conflicts}


def _documents(row):
    steps = [step.get('mutator') for step in row.get('steps', [])]
    return [one for one in row.get('mutators', steps) if one]


def skip_reason(row):
    """Why the oracle says nothing of a case; None if it does."""
    expect = row['expect'] if 'expect' in row else {}
    error = expect.get('mutatorError', '') if isinstance(expect, dict) else ''
    if row.get('annotations') or row.get('webhook') or row.get('noDefaults'):
        return 'annotations, webhook, no defaults'
    if row.get('name') in ON_PURPOSE:
        return 'on purpose'
    if row.get('quirk') == 'int64/float64' or re.search(r'list key (\d+), .* key \1$', error):
        return 'on purpose'
    if error.startswith(('json: ', 'no kind ')):
        return 'refused by the decoder'
    if any(one['kind'] not in policy.READERS for one in _documents(row)):
        return 'another kind'
    return None


def check_file(path):
    """Checks every line. Tells how many failed."""
    kind, tally = re.match('[a-z]+', pathlib.Path(path).name).group(), collections.Counter()
    for line in open(path, encoding='utf-8'):
        row = read_json(line)
        reason = skip_reason(row)
        if reason is not None:
            tally[f'skipped ({reason})'] += 1
            continue
        ok, got = CHECKS[kind](row)
        tally['passed' if ok else 'failed'] += 1
        if not ok:
            print(f'FAIL {row["name"]}: expected {row.get("expect", row.get("error"))}, '
                  f'got {got}')
    print(f'{path}: {dict(tally)}')
    return tally['failed']


if __name__ == '__main__':
    sys.exit(1 if sum(map(check_file, sys.argv[1:])) else 0)
