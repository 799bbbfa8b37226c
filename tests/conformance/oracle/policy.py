# SPDX-License-Identifier: Apache-2.0
"""Reading the four kinds of mutators, and refusing the invalid ones."""
from dataclasses import dataclass, field
import re

from . import location
from .location import Field, List, has_key, print_path, same_node
from .values import Refused, go_print, go_quote, is_number, view_map, view_text

DOMAIN = re.compile(r'(\w[\w\-_]*\.[\w\-_.]*\w(:\d+)?)|(localhost(:\d+)?)', re.ASCII)
IMAGE_PATH = re.compile(r'[a-z0-9]+(?:(?:[._/]|__|-*)[a-z0-9]+)*', re.ASCII)
TAG = re.compile(r'(:\w[\w.-]{0,127})|'
                 r'(@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,})',
                 re.ASCII)


def gid(identity):
    """An id as messages have it."""
    kind, namespace, name = identity
    return f'{kind}.mutations.gatekeeper.sh {namespace}/{name}'


@dataclass
class Mutator:
    """One valid mutator."""
    kind: str
    namespace: str
    name: str
    spec: dict
    path: tuple = ()
    tests: dict = field(default_factory=dict)

    @property
    def id(self):
        """Kind, namespace and name, by which it is known and ordered."""
        return self.kind, self.namespace, self.name

    @property
    def gid(self):
        """The id as messages have it."""
        return gid(self.id)

    @property
    def parameters(self):
        """`spec.parameters`."""
        return view_map(self.spec, 'parameters')


# ---- parts that several kinds share -------------------------------------------------

def _parse(mutator, wording):
    text = view_text(mutator.spec, 'location')
    try:
        mutator.path = location.parse(text)
    except Refused as error:
        raise Refused(wording.format(text=text, name=mutator.name) + str(error)) from None


def _refuse_metadata(mutator, word):
    if mutator.path and mutator.path[0] == Field('metadata'):
        raise Refused(f"{word} {mutator.name} can't change metadata")


def _check_keys(path):
    if not path:
        raise Refused('empty path')
    if (len(path) > 1 and isinstance(path[-1], Field) and isinstance(path[-2], List)
            and path[-1].name == path[-2].key):
        raise Refused('invalid path format: changing the item key is not allowed')


def _assign_of(mutator):
    """What is set in `parameters.assign`: null counts as not set."""
    assign = view_map(mutator.parameters, 'assign')
    known = ('externalData', 'value', 'fromMetadata')
    return {key: assign[key] for key in known if assign.get(key) is not None}


def _check_source(assign):
    which = '`externalData`, `value` or `fromMetadata`: invalid assign field'
    if not assign:
        raise Refused(f'assign must set one of {which}')
    if len(assign) > 1:
        raise Refused(f'assign must only set one of {which}')
    if 'fromMetadata' in assign:
        name = view_text(assign['fromMetadata'], 'field')
        if name not in ('name', 'namespace'):
            raise Refused(f'field {name} is not recognized: invalid fromMetadata field')
    external = view_map(assign, 'externalData')
    if external.get('failurePolicy') == 'UseDefault' and not external.get('default'):
        raise Refused('`default` must not be empty when `failurePolicy` is set to '
                      '`UseDefault`')


# ---- path tests ---------------------------------------------------------------------

def _parse_tests(mutator):
    tests = []
    for test in mutator.parameters.get('pathTests') or []:
        text = view_text(test, 'subPath')
        try:
            tests.append((location.parse(text), view_text(test, 'condition')))
        except Refused as error:
            raise Refused(f'problem parsing sub path `{text}` for {mutator.kind} '
                          f'{mutator.name}: {error}') from None
    return tests


def _check_prefix(path, whole):
    if len(path) > len(whole) or not all(map(same_node, path, whole)):
        raise Refused('all subpaths must be a prefix of the `location` value of the '
                      f'mutation: subpath {go_quote(print_path(path))} is not a prefix of '
                      f'location {go_quote(print_path(whole))}')


def _quoted_or_nil(paths, depth):
    return go_quote(print_path(paths[depth])) if depth in paths else '<nil>'


def _check_parents(tests, paths):
    """The original compares places in the list where depths were meant."""
    forbidden = [i for i, (_, condition) in enumerate(tests) if condition == 'MustNotExist']
    required = [i for i, (_, condition) in enumerate(tests) if condition == 'MustExist']
    highest = max(required, default=0)
    if forbidden and highest > forbidden[0]:
        raise Refused('conflicting path test conditions: path '
                      f'{_quoted_or_nil(paths, highest)} is marked MustExist but parent '
                      f'{_quoted_or_nil(paths, forbidden[0])} MustNotExist')


def _read_tests(mutator):
    tests = _parse_tests(mutator)
    for path, _ in tests:
        _check_prefix(path, mutator.path)
    paths = {len(path) - 1: path for path, _ in tests}
    mutator.tests = {len(path) - 1: condition for path, condition in tests}
    for path, condition in tests:
        if mutator.tests[len(path) - 1] != condition:
            raise Refused(f'conflicting path test conditions: path '
                          f'{go_quote(print_path(path))} is marked both MustExist and '
                          'MustNotExist')
    _check_parents(tests, paths)


# ---- applyTo ------------------------------------------------------------------------

def _operation_problems(index, operations):
    where, seen = f'applyTo[{index}].operations', set()
    for operation in operations:
        if operation in seen:
            yield f'duplicate operation {go_quote(operation)} in {where}'
        seen.add(operation)
        if operation not in ('CREATE', 'UPDATE', '*'):
            yield (f'invalid operation {go_quote(operation)} in {where}: '
                   'must be one of CREATE, UPDATE, *')
    if '*' in operations and len(operations) > 1:
        yield f'wildcard "*" in {where} must not be combined with other operations'


def _check_apply_to(mutator):
    who = f'{mutator.kind} mutator {mutator.name}'
    entries = mutator.spec.get('applyTo') or []
    if any(not entry.get(key) for entry in entries
           for key in ('groups', 'versions', 'kinds')):
        raise Refused(f'invalid applyTo for {who}, all of group, version and kind must be '
                      'specified')
    problems = [problem for index, entry in enumerate(entries)
                for problem in _operation_problems(index, entry.get('operations') or [])]
    if problems:
        raise Refused(f'invalid applyTo for {who}: {"; ".join(problems)}')
    if not entries:
        raise Refused(f'applyTo required for {who}')


# ---- the kinds ----------------------------------------------------------------------

def _as_doubles(value):
    """The value as the original has it, whose words name every number a double."""
    if isinstance(value, list):
        return [_as_doubles(member) for member in value]
    if isinstance(value, dict):
        return {key: _as_doubles(member) for key, member in value.items()}
    return float(value) if is_number(value) else value


def _check_element(node, value):
    """May the value become an element of the keyed list?"""
    if node.glob:
        raise Refused("can't append to a globbed list")
    if not isinstance(value, dict):
        raise Refused(f'invalid value: `{go_print(_as_doubles(value))}`, only objects can '
                      'be added to keyed lists')
    if not has_key(node, value):
        raise Refused(f'adding object to list with different key {node.key}: list key '
                      f'{go_print(node.value)}, object key '
                      f'{go_print(_as_doubles(value.get(node.key)))}')


def _read_assign(mutator):
    _parse(mutator, 'invalid location format `{text}` for Assign {name}: ')
    _refuse_metadata(mutator, 'assign')
    _check_keys(mutator.path)
    assign = _assign_of(mutator)
    _check_source(assign)
    if isinstance(mutator.path[-1], List):
        if 'value' in assign:
            _check_element(mutator.path[-1], assign['value'])
        if 'fromMetadata' in assign:
            raise Refused('cannot assign a metadata field to a list')
        if 'externalData' in assign:
            raise Refused('cannot assign external data response to a list')
    _read_tests(mutator)
    _check_apply_to(mutator)


def _read_assign_metadata(mutator):
    text = view_text(mutator.spec, 'location')
    _parse(mutator, 'invalid location format for AssignMetadata {name}: {text}: ')
    path = mutator.path
    if not (len(path) == 3 and all(isinstance(node, Field) for node in path)
            and path[0].name == 'metadata' and path[1].name in ('labels', 'annotations')):
        raise Refused(f'invalid location for assignmetadata {mutator.name}: {text}')
    assign = _assign_of(mutator)
    _check_source(assign)
    if 'externalData' in assign and assign['externalData'].get('dataSource') != 'Username':
        raise Refused('only username data source is supported for assignmetadata '
                      f'{mutator.name}')
    if 'value' in assign and not isinstance(assign['value'], str):
        raise Refused('spec.parameters.assign.value field must be a string for '
                      f'AssignMetadata {go_quote(mutator.name)}')
    mutator.tests = {2: 'MustNotExist'}


def _read_modify_set(mutator):
    _parse(mutator, 'invalid location format `{text}` for ModifySet {name}: ')
    _refuse_metadata(mutator, 'modifyset')
    if mutator.path and isinstance(mutator.path[-1], List):
        raise Refused('final node in a modifyset location cannot be a keyed list')
    _read_tests(mutator)
    _check_apply_to(mutator)


def is_domain(segment):
    """Would the part of an image before the first `/` be read as a registry?"""
    return '.' in segment or ':' in segment or segment == 'localhost'


def _image_problem(domain, path, tag):
    if not domain and not path and not tag:
        return 'at least one of [assignDomain, assignPath, assignTag] must be set'
    if domain and not DOMAIN.fullmatch(domain):
        return (f'assignDomain {go_quote(domain)} must be a fully-qualified domain name or '
                'localhost')
    if path and not IMAGE_PATH.fullmatch(path):
        return f'assignPath {go_quote(path)} must be a valid docker image path'
    if tag and not TAG.fullmatch(tag):
        return (f'assignTag {go_quote(tag)} must be a valid docker image tag or digest '
                "starting with ':' or '@'")
    if path and not domain and '/' in path and is_domain(path.split('/')[0]):
        return (f'assignDomain must be set if the first part of assignPath {go_quote(path)}'
                ' can be interpretted as part of a domain')
    return None


def _read_assign_image(mutator):
    _parse(mutator, 'invalid location format `{text}` for assignImage {name}: ')
    _refuse_metadata(mutator, 'assignImage')
    if mutator.path and isinstance(mutator.path[-1], List):
        raise Refused(f'assignImage {mutator.name} cannot mutate list-type fields')
    _check_keys(mutator.path)
    parts = ('assignDomain', 'assignPath', 'assignTag')
    problem = _image_problem(*(view_text(mutator.parameters, part) for part in parts))
    if problem is not None:
        raise Refused(f'assignImage {mutator.name} has invalid parameters: {problem}')
    _read_tests(mutator)
    _check_apply_to(mutator)


READERS = {'Assign': _read_assign, 'AssignMetadata': _read_assign_metadata,
           'ModifySet': _read_modify_set, 'AssignImage': _read_assign_image}


def read(document):
    """The mutator of a policy; Refused where it is invalid."""
    metadata = view_map(document, 'metadata')
    mutator = Mutator(document['kind'], view_text(metadata, 'namespace'),
                      view_text(metadata, 'name'), view_map(document, 'spec'))
    if len(mutator.name) > 63:
        raise Refused('maximum name length is 63 characters')
    READERS[mutator.kind](mutator)
    return mutator
