# SPDX-License-Identifier: Apache-2.0
"""One mutator and one object: the way to the location, and what is done there."""
import copy

from .external import Placeholder, placeholder
from .location import Field, List, has_key
from .match import metadata_text
from .policy import is_domain
from .values import (Refused, equal, go_print, go_type, view_map, view_text,
                     with_doubles)


class _Walk:
    """A mutator on its way through an object, which it changes in place."""

    def __init__(self, mutator, thing, username):
        self.mutator, self.thing, self.username = mutator, thing, username
        self.setter = SETTERS[mutator.kind]

    def allows(self, depth, exists):
        """Does the path test of this depth pass? A node without a test always does."""
        if depth not in self.mutator.tests:
            return True
        return self.mutator.tests[depth] == ('MustExist' if exists else 'MustNotExist')

    def node(self, current, depth):
        """Goes on at the node of this depth. Tells whether the setter ran."""
        node = self.mutator.path[depth]
        wanted, word = (dict, 'object') if isinstance(node, Field) else (list, 'List')
        if not isinstance(current, wanted):
            raise Refused(f'mismatch between path entry (type: {word}) and received object '
                          f'(type: {go_type(current)}). Path: {node}')
        if isinstance(node, Field):
            return self.field(node, current, depth)
        if depth == len(self.mutator.path) - 1:
            return self.last_element(node, current, depth)
        if node.glob:
            return self.every_element(current, depth)
        return self.elements(node, current, depth)

    def field(self, node, current, depth):
        """Into a field of an object, which is created on success only."""
        if not self.allows(depth, node.name in current):
            return False
        if depth == len(self.mutator.path) - 1:
            self.setter(self, current, node.name)
            return True
        if node.name in current:
            return self.node(current[node.name], depth + 1)
        child = [] if isinstance(self.mutator.path[depth + 1], List) else {}
        mutated = self.node(child, depth + 1)
        if mutated:
            current[node.name] = child
        return mutated

    def every_element(self, current, depth):
        """Into all the elements of a globbed list."""
        if not self.allows(depth, True):
            return False
        return any([self.node(element, depth + 1) for element in current])

    def elements(self, node, current, depth):
        """Into all elements with the key, or into a new one."""
        found = [element for element in current if has_key(node, element)]
        if not self.allows(depth, bool(found)):
            return False
        if found:
            return any([self.node(element, depth + 1) for element in found])
        element = {node.key: node.value}
        mutated = self.node(element, depth + 1)
        if mutated:
            current.append(element)
        return mutated

    def last_element(self, node, current, depth):
        """Replaces the first element with the key, or appends one."""
        value = with_doubles(self.mutator.parameters['assign']['value'], True)
        for index, element in enumerate(current):
            if not isinstance(element, dict):
                raise Refused(f'cast error, unable to case {go_type(element)} to '
                              'map[string]interface{}')
            if has_key(node, element):
                if not self.allows(depth, True):
                    return False
                current[index] = element if equal(element, value) else value
                return True
        if not self.allows(depth, False):
            return False
        current.append(value)
        return True


# ---- the setters --------------------------------------------------------------------

def _assign(walk, current, name):
    """An equal value is not written: 5 over 5.0 leaves 5.0."""
    assign = walk.mutator.parameters['assign']
    if assign.get('value') is not None:
        value = with_doubles(assign['value'])
    elif assign.get('externalData') is not None:
        old = (current[name],) if name in current else None
        value = placeholder(assign['externalData'], old, walk.username)
    else:
        value = metadata_text(walk.thing, assign['fromMetadata']['field'])
    if name not in current or not equal(current[name], value):
        current[name] = value


def _is_in(value, members):
    return any(equal(value, member) for member in members)


def _merge(current, name, values):
    if name not in current:
        current[name] = copy.deepcopy(values)
        return
    for value in values:
        if not _is_in(value, current[name]):
            current[name].append(copy.deepcopy(value))


def _prune(current, name, values):
    if name in current:
        current[name] = [member for member in current[name] if not _is_in(member, values)]


def _show(value):
    """A value that is no list, as Go prints it. A pointer is followed at the top alone."""
    if isinstance(value, Placeholder):
        return f'&{{Ref:{value} ValueAtLocation:{value.key}}}'
    return go_print(value)


def _modify_set(walk, current, name):
    operation = walk.mutator.parameters.get('operation', 'merge')
    values = view_map(walk.mutator.parameters, 'values').get('fromList') or []
    if operation not in ('merge', 'prune'):
        raise Refused(f'unrecognized operation for modifyset: {operation}')
    if name in current and not isinstance(current[name], list):
        raise Refused(f'{_show(current[name])} is not a list of values, cannot treat it '
                      'as a set')
    (_merge if operation == 'merge' else _prune)(current, name, values)


def split_image(image):
    """Domain, path and tag (with its separator) of an image reference."""
    domain, slash, rest = image.partition('/')
    if not slash or not is_domain(domain):
        domain, rest = '', image
    ends = [at for at in (rest.find(':'), rest.find('@')) if at >= 0]
    end = min(ends, default=len(rest))
    return domain, rest[:end], rest[end:]


def _assign_image(walk, current, name):
    image = current.get(name, '')
    if not isinstance(image, str):
        raise Refused('expected value at AssignImage location to be a string, got  of type '
                      'string')
    domain, path, tag = split_image(image)
    parameters = walk.mutator.parameters
    domain = view_text(parameters, 'assignDomain') or domain
    path = view_text(parameters, 'assignPath') or path
    tag = view_text(parameters, 'assignTag') or tag
    current[name] = (f'{domain}/' if domain else '') + path + tag


SETTERS = {'Assign': _assign, 'AssignMetadata': _assign, 'ModifySet': _modify_set,
           'AssignImage': _assign_image}


def mutate(mutator, thing, username=''):
    """Runs the mutator on the object, in place. Tells whether its setter ran."""
    if not mutator.path:
        raise Refused('attempting to mutate an empty target location')
    return _Walk(mutator, thing, username).node(thing, 0)
