#!/usr/bin/env python3
"""Writes cases.txt: for every core operator, programs with inputs and results by NumPy, and programs to refuse.

    python3 -m venv /tmp/v && /tmp/v/bin/pip install numpy==2.4.6 && /tmp/v/bin/python tests/operators/make_cases.py

References are computed in f64 (integers exactly) from the stored values, then rounded once to the output's element type.
One case is
    case OPERATOR RTOL ATOL   tolerances 0 0: the same bits, except that any NaN equals any other
    program TEXT              on one line
    in|out ELEM SHAPE HEX     as in tests/runtime/goldens.txt; without any `out` the compiler must refuse the program
                              an input of rows and row splits is an `in` for each; `?3`: the type leaves that size to the run
    code CODE                 with this diagnostic
"""
import os

import numpy as np

from families import creation, elementwise, functional, indexing, products, ragged, ragged_rows, reductions, structure, transforms, windows
from families.writer import lines

FAMILIES = (elementwise.unary, elementwise.binary, elementwise.ternary, reductions.reductions, reductions.scans, products.linear, windows.all_windows,
            structure.structure, creation.matrices, transforms.transforms, transforms.frames, indexing.indexing, ragged.ragged, ragged.found_sizes,
            functional.random, functional.functional, functional.streams, ragged_rows.ragged_rows)

if __name__ == "__main__":
    with np.errstate(all="ignore"):
        for family in FAMILIES:
            family()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.txt"), "w") as out:
        out.write("\n".join(lines) + "\n")
