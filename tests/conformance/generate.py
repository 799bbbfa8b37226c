#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes random conformance cases with the oracle's answers, one a line:
generate.py --seed N --count M > gatekeeper/random-N.jsonl

The same seed gives the same cases: a third of them ordinary, the others looking for
trouble."""
import argparse
import json
import random
import sys

from oracle import adverse, system
from oracle.match import Request
from oracle.plain import Plain
from oracle.values import read_json


def draw_case(draw):
    """A case without its name and what is expected."""
    return draw.case() if draw.one_in(3) else draw.pick(adverse.ALL)(draw)


def answer(case):
    """What the oracle expects of a case."""
    operation = '' if case['operation'] == 'NONE' else case['operation']
    request = Request(operation, case.get('sourceType', 'Original'), case['namespace'],
                      case.get('username', ''))
    return system.answer(case['mutators'], case['object'], request, case.get('providers'))


def cases(seed, count):
    """The cases of a seed, as the lines of a file."""
    draw = Plain(random.Random(seed))
    for index in range(count):
        case = read_json(json.dumps(draw_case(draw)))
        row = {'name': f'random-{seed}-{index}', 'source': 'generated', **case,
               'expect': answer(case)}
        yield json.dumps(row, ensure_ascii=False, separators=(',', ':'))


def main():
    """Reads the options, writes the cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--output', help='a file instead of the standard output')
    options = parser.parse_args()
    lines = cases(options.seed, options.count)
    if options.output is None:
        sys.stdout.writelines(f'{line}\n' for line in lines)
        return
    with open(options.output, 'w', encoding='utf-8') as file:
        file.writelines(f'{line}\n' for line in lines)


if __name__ == '__main__':
    main()
