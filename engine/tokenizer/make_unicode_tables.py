#!/usr/bin/env python3
"""Writes what the tokenizers need of Unicode: unicode_tables.inc, the classes of characters that
pre-tokenizers tell apart, and the tables of normalization form C.

Unicode 16.0, the version of the tokenizers library that our vectors come from. Python's own
unicodedata is older in most places; the package unicodedata2 (16.0.0) has the right one.
Usage, in the folder of this script: make_unicode_tables.py
"""
import sys

import unicodedata2

if unicodedata2.unidata_version != "16.0.0":
    sys.exit(f"unicodedata2 16.0.0 is needed, not {unicodedata2.unidata_version}")

CLASSES = {"L": "Letter", "N": "Number", "P": "Punctuation", "S": "Symbol", "M": "Mark"}
WHITE_SPACE = {*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029,
               0x202F, 0x205F, 0x3000}


def class_of(code):
    if code in WHITE_SPACE:
        return "Space"
    return CLASSES.get(unicodedata2.category(chr(code))[0], "Other")


def ranges():
    begin, current = 0, class_of(0)
    for code in range(1, 0x110001):
        following = class_of(code) if code < 0x110000 else None
        if following != current:
            if current != "Other":
                yield begin, code - 1, current
            begin, current = code, following


def decompositions():
    """Characters with their full canonical decomposition; Hangul syllables are computed."""
    for code in range(0x110000):
        if 0xAC00 <= code <= 0xD7A3 or 0xD800 <= code < 0xE000:
            continue
        parts = unicodedata2.normalize("NFD", chr(code))
        if parts != chr(code):
            yield code, *(ord(part) for part in parts)


def compositions():
    """Pairs that compose to one character."""
    for code, *_ in decompositions():
        pair = [int(part, 16) for part in unicodedata2.decomposition(chr(code)).split()]
        if len(pair) == 2 and unicodedata2.normalize("NFC", chr(code)) == chr(code):
            yield *pair, code


def combining_classes():
    begin, current = 0, 0
    for code in range(0x110001):
        is_character = code < 0x110000
        following = unicodedata2.combining(chr(code)) if is_character else None
        if following != current:
            if current:
                yield begin, code - 1, current
            begin, current = code, following


def write(name, rows):
    with open(name, "w", encoding="ascii") as file:
        file.write("// Made by make_unicode_tables.py from Unicode 16.0.0.\n")
        line = ""
        for row in rows:
            text = "{" + ", ".join(part if isinstance(part, str) else f"0x{part:X}"
                                   for part in row) + "}, "
            if len(line) + len(text) > 100:
                file.write(line.rstrip() + "\n")
                line = ""
            line += text
        file.write(line.rstrip() + "\n")


write("unicode_tables.inc", ((begin, end, f"CharacterClass::{name}") for begin, end, name in ranges()))
write("unicode_decompositions.inc", ((code, "{" + ", ".join(f"0x{part:X}" for part in parts) + "}")
                                     for code, *parts in decompositions()))
write("unicode_compositions.inc", sorted(compositions()))
write("unicode_combining.inc", combining_classes())
