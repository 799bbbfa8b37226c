# SPDX-License-Identifier: Apache-2.0
"""A picture of curves on logarithmic axes, as SVG. Its colours stand out from white paper and
from black, and nothing is painted behind them."""

import dataclasses
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 78, 16, 44, 52
INK = "#757575"
COLOURS = ("#2f7fe0", "#c4661f", "#22935a", "#b04fc4")
FONT = "font-family='sans-serif'"


@dataclasses.dataclass(frozen=True)
class Line:
    label: str
    points: tuple  # of (x, y), both above 0


def _decades(values):
    """The powers of ten around them."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _ticks(low, high):
    """Where lines are drawn between two exponents of ten: at its powers, and between them
    where there are few."""
    steps = (1, 2, 5) if high - low < 2 else (1,)
    powers = range(math.floor(low), math.ceil(high) + 1)
    found = [step * 10.0**power for power in powers for step in steps]
    return [one for one in found if low - 1e-9 <= math.log10(one) <= high + 1e-9]


def short(value):
    """1200000: 1.2 M"""
    for unit, name in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"


def _text(x, y, words, size=12, anchor="middle", more=""):
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' {FONT} font-size='{size}' fill='{INK}' "
        f"text-anchor='{anchor}'{more}>{escape(words)}</text>"
    )


class _Axes:
    def __init__(self, lines):
        points = [point for line in lines for point in line.points]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        self.x0, self.x1 = math.log10(min(xs)), math.log10(max(xs))
        self.y0, self.y1 = _decades(ys)

    def x(self, value):
        share = (math.log10(value) - self.x0) / ((self.x1 - self.x0) or 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        share = (math.log10(value) - self.y0) / (self.y1 - self.y0)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def grid(self):
        bottom = HEIGHT - BOTTOM
        faint = f"stroke='{INK}' stroke-opacity='0.35'"
        for value in _ticks(self.y0, self.y1):
            y = self.y(value)
            yield f"<path d='M{LEFT} {y:.1f}H{WIDTH - RIGHT}' {faint}/>"
            yield _text(LEFT - 8, y + 4, short(value), anchor="end")
        for value in _ticks(self.x0, self.x1):
            x = self.x(value)
            yield f"<path d='M{x:.1f} {TOP}V{bottom}' {faint}/>"
            yield _text(x, bottom + 18, short(value))

    def linear(self):
        """Where growth as fast as the work would lead: dashes from the lower left."""
        reach = min(self.x1 - self.x0, self.y1 - self.y0)
        ends = [(10**self.x0, 10**self.y0), (10 ** (self.x0 + reach), 10 ** (self.y0 + reach))]
        path = "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in ends)
        return f"<path d='M{path}' stroke='{INK}' stroke-dasharray='2 5' fill='none'/>"


def _curve(axes, line, colour):
    places = [(axes.x(x), axes.y(y)) for x, y in line.points]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    yield f"<path d='M{path}' stroke='{colour}' stroke-width='2' fill='none'/>"
    for x, y in places:
        yield f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{colour}'/>"


def _legend(lines):
    for number, line in enumerate(lines):
        y = TOP + 16 + 18 * number
        colour = COLOURS[number % len(COLOURS)]
        yield f"<path d='M{LEFT + 12} {y - 4}h20' stroke='{colour}' stroke-width='3'/>"
        yield _text(LEFT + 38, y, line.label, anchor="start")


def picture(title, x_label, y_label, lines):
    """The text of the file."""
    axes = _Axes(lines)
    middle = (LEFT + WIDTH - RIGHT) / 2
    turned = f" transform='rotate(-90 16 {HEIGHT / 2:.0f})'"
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' "
        f"width='{WIDTH}' height='{HEIGHT}' role='img'>",
        f"<title>{escape(title)}</title>",
        _text(middle, 24, title, size=15),
        *axes.grid(),
        axes.linear(),
    ]
    for number, line in enumerate(lines):
        parts += _curve(axes, line, COLOURS[number % len(COLOURS)])
    parts += _legend(lines)
    parts.append(_text(middle, HEIGHT - 12, x_label + " (dashes: linear growth)"))
    parts.append(_text(16, HEIGHT / 2, y_label, more=turned))
    return "\n".join(parts) + "\n</svg>\n"
