#!/usr/bin/env python3
"""Writes codebooks.inc: the published grids of the GGUF formats IQ2 and IQ3, which are data that
files can't be read without. They come from the Python package gguf (MIT licence).

Usage, in the folder of this script: make_codebooks.py
"""
import os

import numpy as np
from gguf import quants

# name, class, values of a code book entry; a magnitude is stored by its place in the class's map.
BOOKS = [("kGridIQ2_XXS", quants.IQ2_XXS, 8), ("kGridIQ2_XS", quants.IQ2_XS, 8),
         ("kGridIQ2_S", quants.IQ2_S, 8), ("kGridIQ3_XXS", quants.IQ3_XXS, 4),
         ("kGridIQ3_S", quants.IQ3_S, 4)]


def check_signs():
    """Seven sign bits are stored; the eighth makes their number even."""
    signs = np.frombuffer(quants.IQ2_XXS.ksigns, dtype=np.uint8)
    assert signs.size == 128
    assert all(int(sign) == i | (bin(i).count("1") % 2) << 7 for i, sign in enumerate(signs))


def write(out):
    out.write("// Made by make_codebooks.py from the Python package gguf (MIT licence, The ggml authors).\n"
              "// An entry holds the magnitudes of 8 (IQ2, two bits each) or 4 (IQ3, three bits each)\n"
              "// elements, the first in the lowest bits, as places in the format's list.\n")
    for name, kind, count in BOOKS:
        kind.init_grid()
        grid = kind.grid.reshape(-1, count)
        places = {value: place for place, value in enumerate(kind.grid_map)}
        bits = 16 // count if count == 8 else 3
        entries = [sum(places[int(value)] << bits * i for i, value in enumerate(row)) for row in grid]
        magnitudes = ", ".join(str(value) for value in kind.grid_map)
        out.write(f"\n// Magnitudes: {magnitudes}.\n"
                  f"constexpr std::array<std::uint16_t, {len(entries)}> {name}{{\n")
        for at in range(0, len(entries), 14):
            out.write("    " + " ".join(f"{entry}," for entry in entries[at:at + 14]) + "\n")
        out.write("};\n")


if __name__ == "__main__":
    check_signs()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "codebooks.inc"), "w") as out:
        write(out)
