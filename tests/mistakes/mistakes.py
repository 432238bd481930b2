#!/usr/bin/env python3
"""Measures what `axc check` says of mistakes that users make.

    mistakes.py check AXC [N]   checks all programs, or one of N, and prints the counts; exit 1 where a program that known.txt does not
                             list fails, or one that it lists passes
    mistakes.py page AXC     exit 1 where docs/mistakes.md is not what `update` writes
    mistakes.py update AXC   writes docs/mistakes.md
    mistakes.py known AXC    writes known.txt, as it is now; look at the difference
    mistakes.py show AXC NAME ...   prints programs, messages and what they lack

A program of programs/ begins with lines that say what is wrong in it:

    //! title: the mistake in words
    //! weights: safetensors: NAME TYPE; ...   a file of weights (or npz) with zeros, if the program is checked with one
    //! place: TEXT          a label of the message must lie on it; several: a label on each
    //! mend: OLD => NEW     the edit that mends the program (\\n is a line end); several: all of them
    //! told: TEXT           what the help must say, if that is not NEW of the first mend

A program passes where exactly one error or warning is reported, its place is marked, the mend is told, and the mended program checks.
"""
import dataclasses
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/mistakes.md"
BYTES = {"f16": 2, "f32": 4, "f64": 8}
KINDS = ("place named", "mend told", "one error", "mended program checks")


@dataclasses.dataclass
class Mistake:
    name: str
    title: str
    source: str
    weights: str
    places: list
    mends: list  # (old, new)
    told: str

    @property
    def mended(self):
        text = self.source
        for old, new in self.mends:
            if text.count(old) != 1:
                sys.exit(f"{self.name}: `{old}` is {text.count(old)} times in the program, not once")
            text = text.replace(old, new)
        return text


def read(path):
    fields = {"title": [], "weights": [], "place": [], "mend": [], "told": []}
    lines = path.read_text().splitlines(keepends=True)
    while lines[0].startswith("//! "):
        key, _, value = lines.pop(0)[4:].strip().partition(": ")
        fields[key].append(value)
    mends = [tuple(side.replace("\\n", "\n") for side in mend.split(" => ")) for mend in fields["mend"]]
    told = fields["told"][0] if fields["told"] else mends[0][1]
    return Mistake(path.stem, fields["title"][0], "".join(lines), "".join(fields["weights"]), fields["place"], mends, told)


def tensors(described):
    """(name, element type, shape) of each tensor in `fc.weight f32 [10, 784]; ...`"""
    for one in described.split(";"):
        name, elem, shape = one.strip().split(" ", 2)
        yield name, elem, [int(size) for size in shape.strip("[]").split(",")]


def write_weights(described, folder):
    """The path of a file with the tensors, filled with zeros."""
    kind, _, listed = described.partition(": ")
    path = folder / f"weights.{kind}"
    if kind == "npz":
        with zipfile.ZipFile(path, "w") as archive:
            for name, elem, shape in tensors(listed):
                header = f"{{'descr': '<f{BYTES[elem]}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
                header += " " * (-(len(header) + 11) % 64) + "\n"
                data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                archive.writestr(f"{name}.npy", data + bytes(math.prod(shape) * BYTES[elem]))
        return path
    table, size = {}, 0
    for name, elem, shape in tensors(listed):
        end = size + math.prod(shape) * BYTES[elem]
        table[name] = {"dtype": elem.upper(), "shape": shape, "data_offsets": [size, end]}
        size = end
    header = json.dumps(table).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(size))
    return path


def checked(axc, mistake, source, form, folder):
    """What `axc check` prints of the source; it runs in the folder, so that no path is in its messages."""
    (folder / f"{mistake.name}.ax").write_text(source)
    command = [axc, "check", f"{mistake.name}.ax", "--format", form]
    if mistake.weights:
        command += ["--weights", write_weights(mistake.weights, folder).name]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=60)


def offset(source, line, column):
    """The index in the source of a line and a column, which count from 1."""
    return sum(len(text) + 1 for text in source.split("\n")[:line - 1]) + column - 1


def marks(label, mistake, place):
    """Whether a label lies within the place, or has it on its one line and starts where it does."""
    if label.get("file") != f"{mistake.name}.ax" or label["line"] != label["end_line"]:
        return False
    if mistake.source.count(place) != 1:
        sys.exit(f"{mistake.name}: the place `{place}` is {mistake.source.count(place)} times in the program, not once")
    begin = mistake.source.index(place)
    end = begin + len(place)
    first = offset(mistake.source, label["line"], label["column"])
    last = offset(mistake.source, label["end_line"], label["end_column"])
    return begin <= first and last <= end or first == begin and last >= end


def problems(report):
    return [d for d in report["diagnostics"] if d["severity"] in ("error", "warning")]


def squeezed(text):
    return " ".join(text.split())


def lacks(axc, mistake):
    """What the message lacks, of KINDS."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        done = checked(axc, mistake, mistake.source, "json", folder)
        found = problems(json.loads(done.stdout))
        mended = checked(axc, mistake, mistake.mended, "json", folder)
        left = problems(json.loads(mended.stdout))
    labels = [label for d in found for label in [d["primary"], *d["secondary"]]]
    helps = squeezed("\n".join(text for d in found for text in d["help"]))
    if not all(any(marks(label, mistake, place) for label in labels) for place in mistake.places):
        yield KINDS[0]
    if squeezed(mistake.told) not in helps:
        yield KINDS[1]
    if len(found) != 1:
        yield KINDS[2]
    if left or mended.returncode != 0:
        yield KINDS[3]


def mistakes():
    return [read(path) for path in sorted((HERE / "programs").glob("*.ax"))]


def known():
    """What known.txt says each program lacks: lines `NAME: KIND, KIND`."""
    listed = {}
    for line in (HERE / "known.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, kinds = line.partition(": ")
            listed[name] = kinds.split(", ")
    return listed


def check(axc, one_of=1):
    every, failed = mistakes()[::int(one_of)], 0
    names = {mistake.name for mistake in every}
    listed = {name: kinds for name, kinds in known().items() if one_of == 1 or name in names}
    lacking = {mistake.name: list(lacks(axc, mistake)) for mistake in every}
    for name in sorted(set(lacking) | set(listed)):
        is_now, was = lacking.get(name, []), listed.get(name, [])
        if is_now == was:
            continue
        failed = 1
        print(f"{name}: lacks {', '.join(is_now) or 'nothing'}; known.txt says {', '.join(was) or 'nothing'}")
    for kind in KINDS:
        print(f"{kind}: {sum(kind not in kinds for kinds in lacking.values())} of {len(every)}")
    told = sum(KINDS[0] not in kinds and KINDS[1] not in kinds for kinds in lacking.values())
    print(f"place named and mend told: {told} of {len(every)}")
    return failed


def write_known(axc):
    lines = ["# What the message of a program lacks today: NAME: KIND, KIND. mistakes.py compares."]
    for mistake in mistakes():
        if lacking := list(lacks(axc, mistake)):
            lines.append(f"{mistake.name}: {', '.join(lacking)}")
    (HERE / "known.txt").write_text("\n".join(lines) + "\n")


def message(axc, mistake):
    with tempfile.TemporaryDirectory() as scratch:
        done = checked(axc, mistake, mistake.source, "text", pathlib.Path(scratch))
        return done.stderr


def page(axc):
    parts = ["# Mistakes and what `axc check` says of them\n\n"
             "Written by `tests/mistakes/mistakes.py update AXC` from the programs of `tests/mistakes/programs`. Each has one mistake.\n"]
    for mistake in mistakes():
        title = mistake.title
        parts.append(f"\n## {title[0].upper()}{title[1:]}\n\n")
        if mistake.weights:
            parts.append(f"The file of weights, `{mistake.weights.partition(': ')[0]}`, has `{mistake.weights.partition(': ')[2]}`.\n\n")
        parts.append(f"```ax\n{mistake.source}```\n\n```text\n{message(axc, mistake).rstrip()}\n```\n\nMended:\n\n```diff\n")
        before, after = mistake.source.splitlines(), mistake.mended.splitlines()
        parts += [f"-{line}\n" for line in before if line not in after]
        parts += [f"+{line}\n" for line in after if line not in before]
        parts.append("```\n")
    return "".join(parts)


def main(action, axc, *names):
    axc = str(pathlib.Path(axc).resolve())
    if action == "check":
        return check(axc, *names)
    if action == "known":
        write_known(axc)
        return 0
    if action == "update":
        PAGE.write_text(page(axc))
        return 0
    if action == "page":
        is_current = PAGE.read_text() == page(axc)
        if not is_current:
            print("docs/mistakes.md is stale: run tests/mistakes/mistakes.py update AXC")
        return 0 if is_current else 1
    for mistake in mistakes():
        if not names or mistake.name in names:
            found = list(lacks(axc, mistake))
            if names or found:
                print(f"==== {mistake.name}: lacks {', '.join(found) or 'nothing'}\n{message(axc, mistake)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
