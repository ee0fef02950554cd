#!/usr/bin/env python3
"""Makes quant_blocks.bin: blocks of every quantised GGUF format and the values they stand for.

    python3 tests/golden/make_quant_blocks.py

The values are those of the Python package gguf (0.19, MIT licence); the blocks are random bits, but for an empty
one, one of all ones, and scales that are zero, subnormal, ordinary or negative. A format's record: its GGUF type,
the bytes of its blocks and of its values (u32 each, little endian), the blocks, the values as F32.
"""
import os
import struct

import numpy as np
from gguf import GGMLQuantizationType, quants
from gguf.constants import GGML_QUANT_SIZES

NAMES = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ2_XXS", "IQ2_XS", "IQ2_S",
         "IQ3_XXS", "IQ3_S", "IQ4_NL", "IQ4_XS", "MXFP4", "NVFP4", "TQ1_0", "TQ2_0"]
# Where a block keeps its F16 numbers; MXFP4 and NVFP4 have none.
HALVES = {"Q4_1": [0, 2], "Q5_1": [0, 2], "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208],
          "MXFP4": [], "NVFP4": [], "TQ1_0": [52], "TQ2_0": [64]}
BLOCKS = 7


def main():
    random = np.random.default_rng(20260101)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "quant_blocks.bin")
    with open(path, "wb") as out:
        for name in NAMES:
            kind = GGMLQuantizationType[name]
            size = GGML_QUANT_SIZES[kind][1]
            blocks = random.integers(0, 256, (BLOCKS, size), dtype=np.uint8)
            blocks[0] = 0
            blocks[1] = 255
            for at in HALVES.get(name, [0]):
                scales = np.array([0.013, -1.7, 0.0, 3e-6, *random.normal(0, 0.1, BLOCKS - 4)], dtype=np.float16)
                blocks[:, at:at + 2] = scales.view(np.uint8).reshape(BLOCKS, 2)
            values = quants.dequantize(blocks, kind).astype("<f4")
            out.write(struct.pack("<III", int(kind), blocks.size, values.size * 4))
            out.write(blocks.tobytes())
            out.write(values.tobytes())


if __name__ == "__main__":
    main()
