#!/usr/bin/env python3
"""Checks that each operator of runtime/ops.def has all its parts, and names those that are missing: exit 1, one line each.

    operators.py check      the repository
    operators.py planted    each part that is taken away is named

The parts are the row; its rules, in the file of ir/ops/ that has their name; its `prepare` or `row` function, in runtime/kernels/; what lowers to it,
in ir/lower/, of a signature in stdlib/core.ax; and a golden of its kernel in tests/runtime/goldens.txt.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r'^(?:OPERATOR|POINTWISE|REDUCTION)\((\w+), +(\d+), +"(\w+)", +(\w+), .*, +(\w+)\)$', re.M)
# `{"relu", Op::relu, ...}` lowers the signature `op relu`.
LOWERED = re.compile(r'\{"([^"]+)", Op::(\w+)[,}]')
# Operators that only passes and tests add.
NOT_LOWERED = {"copy"}


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def read(root):
    """The texts that have the parts: by path, and those of a folder joined under the folder's name."""
    texts = {name: (root / name).read_text() for name in ("runtime/ops.def", "stdlib/core.ax", "tests/runtime/goldens.txt")}
    for folder in ("ir/lower", "runtime/kernels"):
        texts[folder] = "\n".join(path.read_text() for path in sorted((root / folder).glob("*.cc")))
    for path in sorted((root / "ir/ops").glob("*.cc")):
        texts[path.relative_to(root).as_posix()] = path.read_text()
    return texts


def breaches(texts):
    rows = ROW.findall(texts["runtime/ops.def"])
    if len(rows) != len(re.findall(r"^(?:OPERATOR|POINTWISE|REDUCTION)\(", texts["runtime/ops.def"], re.M)):
        yield "runtime/ops.def: a row does not have the columns that its first lines describe"
    with_goldens = {int(number) for number in re.findall(r"^case \S+ (\d+) ", texts["tests/runtime/goldens.txt"], re.M)}
    numbers, names = {}, set()
    for name, number, printed, prepare, rules in rows:
        row = f"{printed} ({name}, {number})"
        if number in numbers:
            yield f"{row}: {numbers[number]} has this number"
        if not 0 < int(number) < 256:
            yield f"{row}: the number is not between 1 and 255"
        if {name, printed} & names:
            yield f"{row}: another row has this name"
        numbers[number] = printed
        names |= {name, printed}
        file = f"ir/ops/{snake(rules)}.cc"
        if f" {rules}Rules{{" not in texts.get(file, ""):
            yield f"{row}: {file} does not define {rules}Rules, its facts, cost and axes"
        if not re.search(rf"^(?:const char\*|RowChoice) {prepare}\(", texts["runtime/kernels"], re.M):
            yield f"{row}: no file of runtime/kernels/ defines {prepare}"
        if name not in NOT_LOWERED and not re.search(rf"\bOp::{name}\b", texts["ir/lower"]):
            yield f"{row}: nothing lowers to it: write its signature in stdlib/core.ax and a row or a formula with Op::{name} in ir/lower/"
        if int(number) not in with_goldens:
            yield f"{row}: no case of tests/runtime/make_goldens.py runs it"
    known = {name for name, *_ in rows}
    for signature, name in LOWERED.findall(texts["ir/lower"]):
        if f"\nop {signature} :" not in texts["stdlib/core.ax"]:
            yield f"ir/lower/ lowers `{signature}` to Op::{name}, but stdlib/core.ax has no signature `op {signature} :`"
        if name != "none" and name not in known:
            yield f"ir/lower/ lowers `{signature}` to Op::{name}, which has no row in runtime/ops.def"


def check():
    yield from breaches(read(ROOT))


NEW_OPERATOR = ('#undef OPERATOR\n', 'OPERATOR(newOperator, 255, "NEW_OPERATOR", prepareNewOperator, 1, 1, No, 0, plain, dense, newOperator)\n#undef OPERATOR\n')
# a file, the text to replace, its replacement, and parts of the lines that report what is missing
PLANTED = [
    ("runtime/ops.def", *NEW_OPERATOR,
     ["ir/ops/new_operator.cc does not define newOperatorRules", "defines prepareNewOperator",
      "NEW_OPERATOR (newOperator, 255): nothing lowers to it", "make_goldens.py runs it"]),
    ("runtime/ops.def", "#undef OPERATOR\n", "OPERATOR(newOperator, 255)\n#undef OPERATOR\n", ["does not have the columns"]),
    ("runtime/ops.def", "logicalNot,      2,", "logicalNot,      1,", ["NEG has this number"]),
    ("runtime/ops.def", "(relu,            15,", "(relu,            256,",
     ["the number is not between 1 and 255", "make_goldens.py runs it"]),
    ("runtime/ops.def", '"SIGN",', '"NEG",', ["another row has this name"]),
    ("ir/ops/conv.cc", "convRules{", "{", ["ir/ops/conv.cc does not define convRules"]),
    ("runtime/kernels", "prepareMatmul(Step&", "prepareProduct(Step&", ["defines prepareMatmul"]),
    ("stdlib/core.ax", "\nop relu :", "\nop ramp :", ["stdlib/core.ax has no signature `op relu :`"]),
    ("ir/lower", '{"relu", Op::relu}', '{"relu", Op::ramp}', ["nothing lowers to it", "Op::ramp, which has no row"]),
    ("tests/runtime/goldens.txt", " 61 ", " 62 ", ["CONV (conv, 61): no case"]),
]


def planted():
    before = set(check())
    for name, old, new, expected in PLANTED:
        texts = read(ROOT)
        if old not in texts[name]:
            yield f"{name} has no {old!r} to plant a breach in"
        texts[name] = texts[name].replace(old, new)
        found = [line for line in breaches(texts) if line not in before]
        if len(found) != len(expected) or not all(any(part in line for line in found) for part in expected):
            yield f"{new!r} in {name} gave {found}, not lines with {expected}"


def main():
    rules = {"check": check, "planted": planted}
    if len(sys.argv) != 2 or sys.argv[1] not in rules:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(rules[sys.argv[1]]())
    print(*found, f"{sys.argv[1]}: {len(found)} breaches", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
