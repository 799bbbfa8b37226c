# SPDX-License-Identifier: Apache-2.0
"""All mutators together: which of them conflict, their order, and the loop."""
import copy
import itertools

from . import external, policy
from .location import Field
from .match import applies, group_version_kind, matches, metadata_text
from .mutate import mutate
from .values import Refused, equal

UUID = '00000000-0000-0000-0000-000000000000'


# ---- conflicts ----------------------------------------------------------------------

class _Child:
    """What is known at one place of the schema: of each type, who goes through it."""

    def __init__(self):
        self.through = {}       # type -> the ids
        self.key_fields = set() # beneath a list
        self.deeper = set()     # the ids that go on
        self.terminating = set()

    def conflict(self):
        """The ids that disagree here."""
        typed = {kind: ids for kind, ids in self.through.items() if kind != 'Unknown'}
        members = set()
        if len(typed) > 1:
            members |= set().union(*typed.values())
        if len(self.key_fields) > 1:
            members |= self.through['List']
        if self.terminating and self.deeper:
            members |= self.terminating | self.deeper
        return members


def _type_of(node):
    return 'Object' if isinstance(node, Field) else 'List'


def _key_of(node):
    return node.name if isinstance(node, Field) else node.key


def _terminal(mutator):
    """The type of what a mutator's last node holds, and whether nothing may follow it."""
    if mutator.kind == 'AssignImage':
        return 'String', True
    if mutator.kind == 'ModifySet':
        return 'Set', False
    return 'Unknown', 'externalData' in (mutator.parameters.get('assign') or {})


def _bindings(mutator):
    for entry in mutator.spec.get('applyTo') or []:
        operations = entry.get('operations') or ['*']
        operations = ('CREATE', 'UPDATE') if '*' in operations else operations
        yield from itertools.product(entry['groups'], entry['versions'], entry['kinds'],
                                     operations)


def _places(mutator):
    """Where the mutator's path leads: the way so far, and the type of what is there."""
    terminal, _ = _terminal(mutator)
    types = [_type_of(node) for node in mutator.path[1:]] + [terminal]
    way = ()
    for node, kind in zip(mutator.path, types):
        way += (_key_of(node),)
        yield way, kind
        way += (kind,)


class _Schema:
    """The tree of every binding, flat: (binding, way) -> _Child."""

    def __init__(self, mutators):
        self.children = {}
        for mutator in mutators:
            if mutator.kind != 'AssignMetadata':
                for binding in set(_bindings(mutator)):
                    self.add(binding, mutator)

    def add(self, binding, mutator):
        """Notes the mutator in every child along its path."""
        _, must_terminate = _terminal(mutator)
        for depth, (way, kind) in enumerate(_places(mutator)):
            child = self.children.setdefault((binding, way), _Child())
            child.through.setdefault(kind, set()).add(mutator.id)
            if depth < len(mutator.path) - 1:
                child.deeper.add(mutator.id)
            elif must_terminate:
                child.terminating.add(mutator.id)
            if kind == 'List':
                child.key_fields.add(_key_of(mutator.path[depth + 1]))

    def conflicts_of(self, mutator):
        """The ids in conflict along the mutator's path."""
        if mutator.kind == 'AssignMetadata':
            return set()
        return set().union(*(self.children[(binding, way)].conflict()
                             for binding in set(_bindings(mutator))
                             for way, _ in _places(mutator)))

    def disabled(self):
        """All ids that are in some conflict."""
        return set().union(*(child.conflict() for child in self.children.values()))


def _bytewise(identity):
    return tuple(part.encode('utf-8') for part in identity)


def _slashed(ids):
    return [_id(identity) for identity in sorted(ids, key=_bytewise)]


def _id(identity):
    """Kind/namespace/name, or Kind/name."""
    return '/'.join(part for part in identity if part)


# ---- the system ---------------------------------------------------------------------

class System:
    """Mutators that were put in, in their order."""

    def __init__(self):
        self.by_id, self.upsert_errors = {}, []

    def ordered(self):
        """By kind, then namespace, then name, bytewise."""
        return [self.by_id[identity] for identity in sorted(self.by_id, key=_bytewise)]

    def upsert(self, document):
        """Puts a policy in, in the place of an older one of its name."""
        mutator = policy.read(document)
        self.by_id[mutator.id] = mutator
        conflicts = _Schema(self.by_id.values()).conflicts_of(mutator)
        if conflicts:
            gids = sorted(map(policy.gid, conflicts))
            self.upsert_errors.append('the following mutators have conflicting schemas: '
                                      f'[{",".join(gids)}]')

    def remove(self, kind, name):
        """Takes a policy out, if it is there."""
        self.by_id.pop((kind, '', name), None)

    def conflicts(self):
        """What the cases say of conflicts: who is disabled, and each one's set."""
        schema = _Schema(self.by_id.values())
        by_id = {mutator.id: schema.conflicts_of(mutator) for mutator in self.ordered()}
        answer = {'conflicts': _slashed(schema.disabled()),
                  'conflictsById': {_id(identity): _slashed(ids)
                                    for identity, ids in by_id.items() if ids}}
        if self.upsert_errors:
            answer['upsertErrors'] = self.upsert_errors
        return answer

    def run(self, thing, request):
        """The object as the mutators leave it. Refused where one fails."""
        disabled = _Schema(self.by_id.values()).disabled()
        active = [one for one in self.ordered() if one.id not in disabled]
        result = copy.deepcopy(thing)
        for _ in range(len(self.by_id) + 1):
            before = copy.deepcopy(result)
            applied = [_turn(mutator, result, request) for mutator in active]
            if not any(applied) or equal(before, result):
                return result
        raise Refused(f'mutation not converging: mutation {UUID} not converging for '
                      f'{_tail(result)}')


def _tail(thing):
    group, _, kind = group_version_kind(thing)
    name = metadata_text(thing, 'name') or metadata_text(thing, 'generateName')
    return f'{group} {kind} {metadata_text(thing, "namespace")} {name}'


def _concerns(mutator, thing, request):
    try:
        return ((mutator.kind == 'AssignMetadata' or
                 applies(mutator.spec['applyTo'], thing, request.operation))
                and matches(mutator.spec.get('match'), thing, request))
    except Refused as error:
        raise Refused(f'matching for mutator {mutator.gid} failed for {_tail(thing)}: '
                      f'{error}') from None


def _turn(mutator, thing, request):
    """One mutator's turn in a pass."""
    if not _concerns(mutator, thing, request):
        return False
    tail = _tail(thing)
    try:
        return mutate(mutator, thing, request.username)
    except Refused as error:
        raise Refused(f'mutation {UUID} for mutator {mutator.gid} failed for {tail}: '
                      f'{error}') from None


def answer(documents, thing, request, providers=None):
    """`expect` of a case: what becomes of the object, or why nothing does."""
    system = System()
    for index, document in enumerate(documents):
        try:
            system.upsert(document)
        except Refused as error:
            return {'mutatorError': str(error), 'mutatorIndex': index}
    expect = system.conflicts()
    expect = expect if expect['conflicts'] else {'conflicts': []}
    asked = {} if providers is None else {'providerCalls': {}}
    try:
        result = system.run(thing, request)
        if providers is not None:
            asked = {'providerCalls': external.calls(result, providers)}
        external.resolve(result, providers)
    except Refused as error:
        return {**expect, **asked, 'mutateError': str(error)}
    expect.update(asked)
    return {**expect, 'mutated': not equal(thing, result), 'object': result}
