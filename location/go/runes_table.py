#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes runes_table.h: what Go 1.18 knows of Unicode (version 13) and templates ask for.

Python 3.11 has Unicode 14; what that version added is left out below. Run it beside
the header: ./runes_table.py > runes_table.h
"""
import sys
import unicodedata

# Letters, numbers and punctuation of Unicode 14, by its file DerivedAge.txt.
ADDED_IN_14 = (
    (0x0870, 0x0887), (0x0889, 0x088E), (0x08B5, 0x08B5), (0x08C8, 0x08C9),
    (0x0C5D, 0x0C5D), (0x0CDD, 0x0CDD), (0x170D, 0x170D), (0x171F, 0x171F),
    (0x1B4C, 0x1B4C), (0x2C2F, 0x2C2F), (0x2C5F, 0x2C5F), (0x9FFD, 0x9FFF),
    (0xA7C0, 0xA7C1), (0xA7D0, 0xA7D1), (0xA7D3, 0xA7D3), (0xA7D5, 0xA7D9),
    (0xA7F2, 0xA7F4), (0x10570, 0x1057A), (0x1057C, 0x1058A), (0x1058C, 0x10592),
    (0x10594, 0x10595), (0x10597, 0x105A1), (0x105A3, 0x105B1), (0x105B3, 0x105B9),
    (0x105BB, 0x105BC), (0x10780, 0x10785), (0x10787, 0x107B0), (0x107B2, 0x107BA),
    (0x10F70, 0x10F81), (0x11071, 0x11072), (0x11075, 0x11075), (0x11740, 0x11746),
    (0x11AB0, 0x11ABF), (0x12F90, 0x12FF0), (0x16A70, 0x16ABE), (0x16AC0, 0x16AC9),
    (0x1AFF0, 0x1AFF3), (0x1AFF5, 0x1AFFB), (0x1AFFD, 0x1AFFE), (0x1B11F, 0x1B122),
    (0x1DF00, 0x1DF1E), (0x1E290, 0x1E2AD), (0x1E7E0, 0x1E7E6), (0x1E7E8, 0x1E7EB),
    (0x1E7ED, 0x1E7EE), (0x1E7F0, 0x1E7FE), (0x2A6DE, 0x2A6DF), (0x2B735, 0x2B738),
    (0x061D, 0x061D), (0x1B7D, 0x1B7E), (0x2E53, 0x2E5D), (0x10F86, 0x10F89),
    (0x116B9, 0x116B9), (0x12FF1, 0x12FF2),
)


def runes():
    added = {rune for first, last in ADDED_IN_14 for rune in range(first, last + 1)}
    return [rune for rune in range(0x110000) if rune not in added]


def simple(rune, method):
    """The simple mapping; Python has the full one, which may be several runes."""
    if rune == 0x130 and method is str.lower:
        return 0x69
    mapped = method(chr(rune))
    if len(mapped) > 1 and method is str.upper:
        mapped = chr(rune).title()
    return ord(mapped) if len(mapped) == 1 else rune


def mapping(method):
    return [(rune, simple(rune, method) - rune) for rune in RUNES
            if simple(rune, method) != rune]


def title_apart():
    """Title case where it is not upper case."""
    return [(rune, simple(rune, str.title) - rune) for rune in RUNES
            if simple(rune, str.title) != simple(rune, str.upper)]


def members(*categories):
    return [(rune, 0) for rune in RUNES
            if unicodedata.category(chr(rune)).startswith(categories)]


def ranges(pairs):
    """Runs of one delta whose runes lie one or two apart: [first, last, stride, delta]."""
    found = []
    for rune, delta in pairs:
        run = found[-1] if found else None
        if run and run[3] == delta:
            gap = rune - run[1]
            if gap == run[2] or (run[0] == run[1] and gap <= 2):
                run[1], run[2] = rune, gap
                continue
        found.append([rune, rune, 1, delta])
    return found


def write(name, pairs):
    print(f"\nstatic const struct rune_range {name}[] = {{")
    line = "   "
    for first, last, stride, delta in ranges(pairs):
        item = f" {{0x{first:X}, 0x{last:X}, {stride}, {delta}}},"
        if len(line) + len(item) > 90:
            print(line)
            line = "   "
        line += item
    print(line + "\n};")


if unicodedata.unidata_version != "14.0.0":
    sys.exit("this needs a Python with Unicode 14, that is 3.11")
RUNES = runes()
print("""/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/runes_table.h - made by runes_table.py: simple case mappings and
 * classes of Unicode 13. Included by runes.c only.
 */
/* clang-format off */
struct rune_range {
    uint32_t first, last;
    uint32_t stride; /* 1, or 2: every other rune from the first one on */
    int32_t delta; /* to the mapped rune */
};""")
write("to_upper", mapping(str.upper))
write("to_lower", mapping(str.lower))
write("to_title_apart", title_apart())
write("letters", members("L"))
write("uppers", members("Lu"))
write("lowers", members("Ll"))
write("titles", members("Lt"))
write("digits", members("Nd"))
write("numbers", members("N"))
write("puncts", members("P"))
print("/* clang-format on */")
