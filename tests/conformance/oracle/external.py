# SPDX-License-Identifier: Apache-2.0
"""Values from outside: placeholders, what providers are asked, and what comes of it."""
from dataclasses import dataclass

from .values import Refused, go_type, view_text

NO_CERTIFICATE = ('failed to get client TLS certificate: external data client certificate '
                  'watcher is not initialized')


@dataclass(frozen=True)
class Placeholder:
    """Stands for what a provider says of a key. In Go a pointer, so messages show an
    address in its place."""
    provider: str
    failure: str
    default: str
    key: str

    def __str__(self):
        return '0x0'


def placeholder(source, old, username):
    """The placeholder that `externalData` puts over what is there (None: nothing)."""
    if old is None:
        key = username if source.get('dataSource') == 'Username' else ''
    elif isinstance(old[0], Placeholder):
        key = old[0].key
    elif isinstance(old[0], str):
        key = old[0]
    else:
        raise Refused('value assigned to external data placeholder is not a string, got '
                      f'{go_type(old[0])}')
    return Placeholder(view_text(source, 'provider'),
                       source.get('failurePolicy') or 'Fail',
                       view_text(source, 'default'), key)


def _places(value):
    """Every placeholder within, with its container and key."""
    children = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        if isinstance(child, Placeholder):
            yield value, key, child
        else:
            yield from _places(child)


def _response(name, answer):
    """The items of an answer by their keys; Refused where it is none."""
    if 'fail' in answer:
        raise Refused(f'failed to send external data request to provider {name}: '
                      f'{answer["fail"]}')
    response = answer['response']
    fault = None
    system_error = response.get('systemError', '').strip()
    if system_error:
        fault = f'non-empty system error: {system_error}'
    elif response.get('idempotent') is not True:
        fault = 'non-idempotent response'
    if fault:
        raise Refused(f'failed to validate external data response from provider {name}: '
                      f'{fault}')
    return {item.get('key', ''): item for item in response.get('items') or []}


def _value(one, providers):
    """What a provider says in place of the placeholder."""
    answer, name = providers.get(one.provider), one.provider
    if answer is None:
        raise Refused(f'failed to find external data provider {name} in responses')
    item = _response(name, answer).get(one.key)
    if item is None:
        raise Refused(f'failed to find external data item in response for provider {name}')
    if item.get('error'):
        raise Refused(f'failed to retrieve external data item from provider {name}: '
                      f'{item["error"]}')
    if not isinstance(item.get('value'), str):
        kind = go_type(item.get('value')).replace('int64', 'float64')
        raise Refused(f'failed to convert external data item value from provider {name} to '
                      f'string, got type {kind}')
    return item['value']


def calls(thing, providers):
    """What each known provider is asked."""
    asked = {}
    for _, _, one in _places(thing):
        if providers.get(one.provider) is not None:
            asked.setdefault(one.provider, set()).add(one.key)
    return {name: sorted(keys, key=str.encode) for name, keys in asked.items()}


def resolve(thing, providers):
    """Puts the values in their places; Refused where one fails that must not. `providers`
    None: nobody can be asked, since there is no certificate to show."""
    places, errors = list(_places(thing)), set()
    if places and providers is None:
        raise Refused(f'failed to resolve external data placeholders: {NO_CERTIFICATE}')
    for container, key, one in places:
        try:
            container[key] = _value(one, providers)
        except Refused as error:
            if one.failure == 'Fail':
                errors.add(str(error))
            container[key] = one.default if one.failure == 'UseDefault' else one.key
    if errors:
        words = ', '.join(sorted(errors, key=str.encode))
        raise Refused('failed to resolve external data placeholders: '
                      f'{words if len(errors) == 1 else f"[{words}]"}')
