# SPDX-License-Identifier: Apache-2.0
"""JSON values: reading numbers, equality, and how Go prints and names a value."""
import json
import math

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1


class Refused(Exception):
    """An error with the very words a user would see."""


def _integer(digits):
    """Integers are exact to 64 bits and doubles beyond."""
    number = int(digits)
    return number if INT64_MIN <= number <= INT64_MAX else float(digits)


def read_json(text):
    """The value of a JSON text, its numbers as Fixpoint reads them."""
    return json.loads(text, parse_int=_integer)


def is_number(value):
    """Is the value a number? (Python takes True for one.)"""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def equal(a, b):
    """Deep equality: 5 equals 5.0, but True does not equal 1."""
    if is_number(a) and is_number(b):
        return a == b
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b


EXACT_MAX = 1 << 53  # up to here a double holds every integer


def with_doubles(value, is_element=False):
    """A copy of an assigned value: its integers are doubles, as Go has them, and messages
    tell. Those that a double would round remain, and those that may be the key of a list's
    element: members of an object in a list, or of the value, if it is to be one."""
    if isinstance(value, list):
        return [with_doubles(member, True) for member in value]
    if isinstance(value, dict):
        return {key: member if is_element and isinstance(member, int)
                else with_doubles(member) for key, member in value.items()}
    if is_number(value) and abs(value) <= EXACT_MAX:
        return float(value)
    return value


def go_type(value):
    """What Go's %T says of a decoded value."""
    names = {type(None): '<nil>', bool: 'bool', int: 'int64', float: 'float64',
             str: 'string', list: '[]interface {}', dict: 'map[string]interface {}'}
    return names[type(value)]


def _go_float(number):
    """Go's %v of a double: the shortest digits, an exponent below -4 and from 6 on."""
    if number == 0:
        return '-0' if math.copysign(1, number) < 0 else '0'
    digits, _, exponent = f'{number!r}'.partition('e')
    sign = '-' if digits.startswith('-') else ''
    whole, _, fraction = digits.lstrip('-').partition('.')
    fraction = '' if fraction == '0' else fraction
    point = len(whole) + int(exponent or 0)
    text = (whole + fraction)
    point -= len(text) - len(text.lstrip('0'))
    text = text.lstrip('0').rstrip('0')
    if point - 1 < -4 or point - 1 >= 6:
        tail = f'.{text[1:]}' if len(text) > 1 else ''
        return f'{sign}{text[0]}{tail}e{point - 1:+03d}'
    if point <= 0:
        return f'{sign}0.{"0" * -point}{text}'
    if point >= len(text):
        return sign + text + '0' * (point - len(text))
    return f'{sign}{text[:point]}.{text[point:]}'


def _bytewise(key):
    return key.encode('utf-8', 'surrogatepass')


def go_print(value):
    """Go's %v of a value."""
    if value is None:
        return '<nil>'
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, float):
        return _go_float(value)
    if isinstance(value, list):
        return f'[{" ".join(map(go_print, value))}]'
    if isinstance(value, dict):
        keys = sorted(value, key=_bytewise)
        return f'map[{" ".join(f"{key}:{go_print(value[key])}" for key in keys)}]'
    return str(value)


def _go_quoted_rune(rune):
    simple = {'\a': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r',
              '\t': '\\t', '\v': '\\v', '\\': '\\\\', '"': '\\"'}
    code = ord(rune)
    if rune in simple:
        return simple[rune]
    if rune.isprintable():
        return rune
    if code < 0x20 or code == 0x7f:
        return f'\\x{code:02x}'
    return f'\\u{code:04x}' if code < 0x10000 else f'\\U{code:08x}'


def go_quote(text):
    """Go's %q of a string."""
    return '"' + ''.join(map(_go_quoted_rune, text)) + '"'


def view_map(value, key):
    """The object at `key`, {} where there is none."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def view_text(value, key):
    """The string at `key`, '' where there is none."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, str) else ''
