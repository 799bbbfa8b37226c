# SPDX-License-Identifier: Apache-2.0
"""Does a mutator concern an object: `spec.applyTo` and `spec.match`."""
from dataclasses import dataclass
import re

from .values import Refused, go_quote, view_map, view_text

NAME = r'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
CONSIST = ("must consist of alphanumeric characters, '-', '_' or '.', and must start and "
           "end with an alphanumeric character")
NAME_MAX_BYTES = 63
SOURCES = ('All', 'Original', 'Generated')


@dataclass
class Request:
    """The circumstances in which an object is seen."""
    operation: str = 'CREATE'
    source: str = 'Original'
    namespace: dict = None
    username: str = ''


def group_version_kind(thing):
    """The three of an object's apiVersion and kind."""
    version = view_text(thing, 'apiVersion')
    group, _, version = version.rpartition('/')
    return group, version, view_text(thing, 'kind')


def is_namespace(thing):
    """Is the object itself a Namespace?"""
    group, _, kind = group_version_kind(thing)
    return (group, kind) == ('', 'Namespace')


def metadata_text(thing, key):
    """A string of the object's metadata, '' where there is none."""
    return view_text(view_map(thing, 'metadata'), key)


def labels_of(thing):
    """The labels, none at all where one of them is not a string; null is the empty one."""
    labels = view_map(view_map(thing, 'metadata'), 'labels')
    labels = {key: '' if value is None else value for key, value in labels.items()}
    return labels if all(isinstance(value, str) for value in labels.values()) else {}


# ---- applyTo ------------------------------------------------------------------------

def _covers(entry, operation):
    operations = entry.get('operations') or ['*']
    if operation == '':
        return '*' in operations or {'CREATE', 'UPDATE'} <= set(operations)
    return operation in ('CREATE', 'UPDATE') and (operation in operations or
                                                  '*' in operations)


def applies(entries, thing, operation):
    """Does one entry name the object's kind and cover the operation?"""
    group, version, kind = group_version_kind(thing)
    return any(group in entry.get('groups', []) and version in entry.get('versions', [])
               and kind in entry.get('kinds', []) and _covers(entry, operation)
               for entry in entries)


# ---- globs --------------------------------------------------------------------------

def glob_matches(glob, text):
    """`*x*`, `*x`, `x*` or the text itself."""
    head, tail = glob.startswith('*'), glob.endswith('*')
    if head and tail:
        return glob[1:-1] in text
    if head:
        return text.endswith(glob[1:])
    return text.startswith(glob[:-1]) if tail else text == glob


def glob_matches_generated(glob, text):
    """The same of a generateName, whose end is not known yet."""
    return glob.endswith('*') and glob_matches(glob, text)


# ---- selectors ----------------------------------------------------------------------

def _key_errors(key):
    """Why a label's key is not one. The shape of a prefix is not checked: no case needs
    it."""
    errors, parts = [], key.split('/')
    shape = f"{CONSIST} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " \
            f"validation is '{NAME}')"
    if len(parts) > 2:
        return [f"a valid label key {shape} with an optional DNS subdomain prefix and '/' "
                "(e.g. 'example.com/MyName')"]
    if len(parts) == 2 and parts[0] == '':
        errors.append('prefix part must be non-empty')
    if parts[-1] == '':
        errors.append('name part must be non-empty')
    elif len(parts[-1].encode()) > NAME_MAX_BYTES:
        errors.append(f'name part must be no more than {NAME_MAX_BYTES} bytes')
    if not re.fullmatch(NAME, parts[-1]):
        errors.append(f'name part {shape}')
    return errors


def _value_errors(value):
    errors = []
    if len(value.encode()) > NAME_MAX_BYTES:
        errors.append(f'must be no more than {NAME_MAX_BYTES} bytes')
    if not re.fullmatch(f'({NAME})?', value):
        errors.append(f"a valid label must be an empty string or {CONSIST[5:]} "
                      f"(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
                      f"validation is '({NAME})?')")
    return errors


def _check_requirement(key, operator, values):
    """Refuses a selector's requirement, in Kubernetes' words."""
    errors = []
    if _key_errors(key):
        errors.append(f'key: Invalid value: {go_quote(key)}: {"; ".join(_key_errors(key))}')
    listed = f'{{{", ".join(map(go_quote, values))}}}' if values else '(nil)'
    if operator in ('In', 'NotIn') and not values:
        errors.append(f"values: Invalid value: []string{listed}: for 'in', 'notin' "
                      "operators, values set can't be empty")
    if operator in ('Exists', 'DoesNotExist') and values:
        errors.append(f'values: Invalid value: []string{listed}: values set must be empty '
                      'for exists and does not exist')
    for index, value in enumerate(values):
        if _value_errors(value):
            errors.append(f'values[{index}][{key}]: Invalid value: {go_quote(value)}: '
                          f'{"; ".join(_value_errors(value))}')
    if errors:
        raise Refused(errors[0] if len(errors) == 1 else f'[{", ".join(errors)}]')


def _requirements(selector):
    for key, value in (selector.get('matchLabels') or {}).items():
        yield key, 'In', [value]
    for one in selector.get('matchExpressions') or []:
        yield one.get('key', ''), one.get('operator', ''), one.get('values') or []


def _holds(labels, key, operator, values):
    if operator == 'In':
        return key in labels and labels[key] in values
    if operator == 'NotIn':
        return key not in labels or labels[key] not in values
    return (key in labels) == (operator == 'Exists')


def _check_selector(selector):
    for key, operator, values in _requirements(selector):
        if operator not in ('In', 'NotIn', 'Exists', 'DoesNotExist'):
            raise Refused(f'{go_quote(operator)} is not a valid label selector operator')
        _check_requirement(key, operator, values)


def selects(selector, labels):
    """Does a LabelSelector select the labels? The whole of it is checked first."""
    _check_selector(selector)
    return all(_holds(labels, *requirement) for requirement in _requirements(selector))


# ---- the criteria, in their order ---------------------------------------------------

def _by_kinds(match, thing, _):
    group, _, kind = group_version_kind(thing)

    def listed(words, word):
        return not words or '*' in words or word in words
    kinds = match.get('kinds') or []
    return not kinds or any(listed(entry.get('kinds'), kind) and
                            listed(entry.get('apiGroups'), group) for entry in kinds)


def _by_scope(match, thing, request):
    has_namespace = metadata_text(thing, 'namespace') != '' or request.namespace is not None
    if match.get('scope') == 'Cluster':
        return is_namespace(thing) or not has_namespace
    if match.get('scope') == 'Namespaced':
        return not is_namespace(thing) and has_namespace
    return True


def _namespace_name(thing, request):
    """The name that namespace globs are held against; None without one."""
    if is_namespace(thing):
        return metadata_text(thing, 'name')
    if request.namespace is not None:
        return metadata_text(request.namespace, 'name')
    return metadata_text(thing, 'namespace') or None


def _by_namespaces(match, thing, request):
    globs, name = match.get('namespaces') or [], _namespace_name(thing, request)
    return not globs or name is None or any(glob_matches(glob, name) for glob in globs)


def _by_excluded_namespaces(match, thing, request):
    globs = match.get('excludedNamespaces') or []
    name = _namespace_name(thing, request)
    return name is None or not any(glob_matches(glob, name) for glob in globs)


def _by_label_selector(match, thing, _):
    selector = match.get('labelSelector')
    return selector is None or selects(selector, labels_of(thing))


def _by_namespace_selector(match, thing, request):
    selector = match.get('namespaceSelector')
    if selector is None:
        return True
    if is_namespace(thing):
        return selects(selector, labels_of(thing))
    if request.namespace is not None:
        return selects(selector, labels_of(request.namespace))
    if metadata_text(thing, 'namespace') == '':
        return True
    _check_selector(selector)
    raise Refused('namespace selector for namespace-scoped object but missing Namespace')


def _by_name(match, thing, _):
    glob = match.get('name') or ''
    return (glob == '' or glob_matches(glob, metadata_text(thing, 'name')) or
            glob_matches_generated(glob, metadata_text(thing, 'generateName')))


def _by_source(match, thing, request):
    wanted = match.get('source') or 'All'
    if wanted not in SOURCES:
        raise Refused(f'invalid source field {go_quote(wanted)}')
    if wanted == 'All':
        return True
    if request.source == '':
        raise Refused('source field not specified for resource '
                      f'{metadata_text(thing, "name")}')
    if request.source not in SOURCES:
        raise Refused(f'invalid source field {go_quote(request.source)}')
    return wanted == request.source


CRITERIA = (_by_kinds, _by_scope, _by_namespaces, _by_excluded_namespaces,
            _by_label_selector, _by_namespace_selector, _by_name, _by_source)


def matches(match, thing, request):
    """Do all criteria of `spec.match` hold? The first that does not ends it."""
    try:
        return all(criterion(match or {}, thing, request) for criterion in CRITERIA)
    except Refused as error:
        raise Refused(f'failed to run Match criteria: {error}') from None
