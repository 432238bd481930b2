#!/usr/bin/env python3
"""Prints how many digits were read correctly: accuracy.py out.npy test_labels.npy. Needs only Python."""
import array
import ast
import pathlib
import sys

CODES = {"<f4": "f", "<i8": "q"}


def load(path):
    """Shape and elements of a version 1 .npy file of f32 or i64 in C order."""
    data = pathlib.Path(path).read_bytes()
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError(f"{path} is not a version 1 .npy file")
    end = 10 + int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10:end].decode())
    if header["fortran_order"] or header["descr"] not in CODES:
        raise ValueError(f"{path} holds {header['descr']}, not f32 or i64 in C order")
    return header["shape"], array.array(CODES[header["descr"]], data[end:])


def right(probabilities, labels):
    """(how many rows have their largest probability at the label, how many rows there are)"""
    (rows, classes), values = load(probabilities)
    _, wanted = load(labels)
    if rows != len(wanted):
        raise ValueError(f"{rows} answers to {len(wanted)} images")
    answers = (max(range(classes), key=values[row * classes:(row + 1) * classes].__getitem__) for row in range(rows))
    return sum(answer == label for answer, label in zip(answers, wanted)), rows


if __name__ == "__main__":
    count, of = right(*sys.argv[1:3])
    print(f"{count} of {of} digits read correctly: {100 * count / of:.1f} %")
    sys.exit(0 if count >= 0.97 * of else 1)
