#!/usr/bin/env python3
"""Writes unicode_tables.inc: the classes of characters that pre-tokenizers tell apart.

Unicode 16.0, the version of the tokenizers library that our vectors come from. Python's own
unicodedata is older in most places; the package unicodedata2 (16.0.0) has the right one.
Usage: make_unicode_tables.py > unicode_tables.inc
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


print("// Made by make_unicode_tables.py from Unicode 16.0.0. Characters in no range are Other.")
line = ""
for begin, end, name in ranges():
    row = f"{{0x{begin:X}, 0x{end:X}, CharacterClass::{name}}}, "
    if len(line) + len(row) > 100:
        print(line.rstrip())
        line = ""
    line += row
print(line.rstrip())
