# SPDX-License-Identifier: Apache-2.0
"""As much of CEL as matchConditions of webhooks use.

or    := and ('||' and)*            unary  := '!' unary | member
and   := cmp ('&&' cmp)*            member := atom ('.' name [args] | '[' or ']')*
cmp   := unary [op unary]           atom   := literal | '(' or ')' | list | name | has(member)
op    := == != < <= > >= in"""

import re

TOKEN = re.compile(
    r"\s*(?:(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|(?P<number>\d+)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign>\|\||&&|==|!=|<=|>=|[-!<>()\[\].,?:]))"
)
COMPARE = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "in": lambda a, b: a in b,
}
CALLS = {
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "contains": str.__contains__,
    "matches": lambda text, pattern: re.search(pattern, text) is not None,
    "size": len,
}
WORDS = {"true": True, "false": False, "null": None}


class Error(Exception):
    """It does not parse, or a name in it is not there."""


def _tokens(text):
    found, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if not match:
            raise Error("unexpected %r" % text[at:])
        found.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    return found + [("end", "")]


class _Reader:
    """Evaluates while it reads; what is not to count is read all the same."""

    def __init__(self, text, names):
        self._tokens, self._at, self._names = _tokens(text), 0, names

    def _is(self, *signs):
        kind, text = self._tokens[self._at]
        return kind in ("sign", "name") and text in signs

    def _next(self):
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, sign):
        if self._next()[1] != sign:
            raise Error("expected %r" % sign)

    def whole(self):
        value = _settled(self.either())
        if self._tokens[self._at][0] != "end":
            raise Error("unexpected %r" % self._tokens[self._at][1])
        return value

    def either(self):
        value = self.both()
        while self._is("||"):
            self._next()
            value = _first(value, self.both(), True)
        return value

    def both(self):
        value = self.compared()
        while self._is("&&"):
            self._next()
            value = _first(value, self.compared(), False)
        return value

    def compared(self):
        left = self.unary()
        if self._is(*COMPARE):
            compare = COMPARE[self._next()[1]]
            right = self.unary()
            return _tried(lambda: compare(_settled(left), _settled(right)))
        return left

    def unary(self):
        if self._is("!"):
            self._next()
            value = self.unary()
            return _tried(lambda: not _settled(value))
        return self.member()

    def member(self):
        value = self.atom()
        while self._is(".", "["):
            owner = value
            if self._next()[1] == "[":
                key = self.either()
                self._expect("]")
                value = _tried(lambda o=owner, k=key: _settled(o)[_settled(k)])
                continue
            name = self._next()[1]
            if self._is("("):
                given = self._list("(", ")")
                value = _tried(lambda o=owner, n=name: CALLS[n](_settled(o), *_settled(given)))
            else:
                value = _tried(lambda o=owner, n=name: _settled(o)[n])
        return value

    def _list(self, opening, closing):
        self._expect(opening)
        items = []
        while not self._is(closing):
            items.append(self.either())
            if not self._is(closing):
                self._expect(",")
        self._expect(closing)
        return _tried(lambda: [_settled(item) for item in items])

    def atom(self):
        if self._is("["):
            return self._list("[", "]")
        kind, text = self._next()
        if kind == "text":
            return re.sub(r"\\(.)", r"\1", text[1:-1])
        if kind == "number":
            return int(text)
        if text == "(":
            value = self.either()
            self._expect(")")
            return value
        if text == "has":
            given = self._list("(", ")")
            return not isinstance(given, Error)
        if text in WORDS:
            return WORDS[text]
        if kind != "name" or text not in self._names:
            return Error("undeclared reference to %r" % text)
        return self._names[text]


def _tried(work):
    """The value, or the error as a value: `||` and `&&` may not need it."""
    try:
        return work()
    except Error as error:
        return error
    except (KeyError, IndexError, TypeError) as error:
        return Error("no such key: %s" % error)


def _settled(value):
    if isinstance(value, Error):
        raise value
    return value


def _first(left, right, decisive):
    """`||` (decisive: True) and `&&` (False): an error does not count where the other side
    decides."""
    for value in (left, right):
        if not isinstance(value, Error) and bool(value) is decisive:
            return decisive
    return left if isinstance(left, Error) else right


def evaluate(expression, names):
    """Does the expression hold? Error where it has no value."""
    return bool(_Reader(expression, names).whole())
