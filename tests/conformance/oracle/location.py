# SPDX-License-Identifier: Apache-2.0
"""Locations: `spec.containers[name: *].image` to nodes, and back to text."""
from dataclasses import dataclass
import string

from .values import INT64_MAX, Refused, go_quote

DIGITS = set(string.digits)
WORD = set(string.ascii_letters + string.digits + '_-')
BLANK = set(' \t\r\n')
SINGLE = {'.': 'SEPARATOR', '[': 'LBRACKET', ']': 'RBRACKET', '*': 'GLOB', ':': 'COLON'}
QUOTED_WHEN_PRINTED = set('\'"\t\n \\*[]:.')


@dataclass(frozen=True)
class Token:
    """One word of a location."""
    type: str
    text: str

    def __str__(self):
        return f'{self.type}: {go_quote(self.text)}'


@dataclass(frozen=True)
class Field:
    """A node that goes into an object."""
    name: str

    def __str__(self):
        return print_name(self.name)


@dataclass(frozen=True)
class List:
    """A node that goes into a list: by a key's value, or (glob) into every element."""
    key: str
    value: object = None
    glob: bool = False

    def __str__(self):
        if self.glob:
            value = '*'
        elif isinstance(self.value, int):
            value = str(self.value)
        else:
            value = print_name(self.value)
        return f'[{print_name(self.key)}: {value}]'


def same_node(a, b):
    """Equality of nodes, in which the integer 5 is not the text "5"."""
    return a == b and type(getattr(a, 'value', None)) is type(getattr(b, 'value', None))


def has_key(node, element):
    """Is it an element for which a list node looks? A key is text or an integer: here
    alone 5.0 is not 5."""
    return (isinstance(element, dict) and node.key in element
            and type(element[node.key]) is type(node.value)
            and element[node.key] == node.value)


def print_name(name):
    """A field's name as messages show it."""
    if name and name[0] not in DIGITS and not QUOTED_WHEN_PRINTED & set(name):
        return name
    escaped = name.replace('\\', '\\\\').replace('"', '\\"')
    return f'"{escaped}"'


def print_path(nodes):
    """The printed form of a path."""
    text = ''
    for node in nodes:
        dot = '.' if text and isinstance(node, Field) else ''
        text += dot + str(node)
    return text


# ---- words --------------------------------------------------------------------------

def _take_run(text, start, allowed):
    end = start
    while end < len(text) and text[end] in allowed:
        end += 1
    return text[start:end], end


def _take_quoted(text, start):
    """The quoted word whose opening quote is at `start`."""
    quote, collected, at = text[start], '', start + 1
    while at < len(text):
        rune = text[at]
        if rune == quote:
            return Token('IDENT', collected), at + 1
        if rune == '\\':
            at += 1
            if at == len(text):
                break
            rune = text[at]
        collected += rune
        at += 1
    return Token('ERROR', collected), at


def _take_token(text, at):
    rune = text[at]
    if rune in DIGITS:
        word, end = _take_run(text, at, DIGITS)
        return Token('INT', word), end
    if rune in WORD:
        word, end = _take_run(text, at, WORD)
        return Token('IDENT', word), end
    if rune in SINGLE:
        return Token(SINGLE[rune], rune), at + 1
    if rune in '"\'':
        return _take_quoted(text, at)
    return Token('ERROR', rune), at + 1


def scan(text):
    """All the words of a location, EOF last."""
    tokens, at = [], 0
    while True:
        _, at = _take_run(text, at, BLANK)
        if at == len(text):
            return tokens + [Token('EOF', '')]
        token, at = _take_token(text, at)
        tokens.append(token)


# ---- sentences ----------------------------------------------------------------------

class _Parser:
    def __init__(self, text):
        self.tokens = scan(text)

    def next_is(self, *types):
        """Does a word of one of the types come next?"""
        return self.tokens[0].type in types

    def take(self):
        """The next word, taken off; EOF stays."""
        return self.tokens.pop(0) if len(self.tokens) > 1 else self.tokens[0]

    def expect(self, what, *types):
        """Takes a word of one of the types."""
        if not self.next_is(*types):
            raise Refused(f'unexpected token: expected {what}, got: {self.tokens[0]}')
        return self.take()

    def list_spec(self):
        """`[key: value]`, its bracket being next."""
        self.take()
        key = self.expect('keyField in listSpec', 'IDENT').text
        self.expect(f"':' following keyField {key}", 'COLON')
        value = self.expect('key value or glob in listSpec', 'GLOB', 'IDENT', 'INT')
        node = _list_node(key, value)
        self.expect("']' following listSpec", 'RBRACKET')
        return node

    def location(self):
        """The whole path."""
        nodes = []
        while not self.next_is('EOF'):
            name = self.expect('field name or eof', 'IDENT')
            nodes.append(Field(name.text))
            if self.next_is('LBRACKET'):
                nodes.append(self.list_spec())
            if self.next_is('EOF'):
                break
            self.expect("'.' or eof", 'SEPARATOR')
            if self.next_is('EOF'):
                raise Refused('trailing separators are forbidden')
        return tuple(nodes)


def _int64(digits):
    """The integer as the original computes it: it only looks whether a step turned it
    negative, so that some longer ones wrap around unseen. None: it was noticed."""
    value = 0
    for digit in digits:
        value = (value * 10 + int(digit)) % (1 << 64)
        if value > INT64_MAX:
            return None
    return value


def _list_node(key, token):
    if token.type == 'GLOB':
        return List(key, glob=True)
    if token.type == 'IDENT':
        return List(key, token.text)
    value = _int64(token.text)
    if value is None:
        raise Refused(f'invalid integer: overflow in integer string: {token.text}: '
                      f'parsing key value for key: {key}')
    return List(key, value)


def parse(text):
    """The nodes of a location; Refused with the parser's words."""
    return _Parser(text).location()
