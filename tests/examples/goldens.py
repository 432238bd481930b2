#!/usr/bin/env python3
"""Checks a folder of programs against the goldens beside them: goldens.py [--update] AXC FOLDER.

NAME.types is the output of `axc check NAME.ax`; a program that must be refused has NAME.error instead, with its errors. The folder's
README.md must mention every program. --update, or AXLE_UPDATE_GOLDENS=1, rewrites the existing goldens.
"""
import os
import pathlib
import subprocess
import sys


def says(axc, program):
    """(suffix of the golden, its text)"""
    done = subprocess.run([axc, "check", program.name], cwd=program.parent, capture_output=True, text=True,
                          env={**os.environ, "NO_COLOR": "1", "AXLE_INSTRUCTION_SET": "plain"})
    return (".types", done.stdout) if done.returncode == 0 else (".error", f"{done.stdout}{done.stderr}")


def problems(axc, folder, update):
    programs = sorted(folder.glob("*.ax"))
    if not programs:
        yield f"{folder} has no programs"
    page = (folder / "README.md").read_text()
    for program in programs:
        suffix, text = says(axc, program)
        goldens = [golden for golden in (program.with_suffix(".types"), program.with_suffix(".error")) if golden.exists()]
        if f"`{program.stem}`" not in page:
            yield f"{program.name} is not in {folder.name}/README.md"
        if [golden.suffix for golden in goldens] != [suffix]:
            yield f"{program.name} gives {suffix}, but beside it is {[golden.name for golden in goldens]}:\n{text}"
        elif update:
            goldens[0].write_text(text)
        elif goldens[0].read_text() != text:
            yield f"{program.name} gives, other than {goldens[0].name}:\n{text}"
    for golden in sorted([*folder.glob("*.types"), *folder.glob("*.error")]):
        if golden.with_suffix(".ax") not in programs:
            yield f"{golden.name} has no program"


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    update = len(words) < len(sys.argv) - 1 or "AXLE_UPDATE_GOLDENS" in os.environ
    found = list(problems(pathlib.Path(words[0]).resolve(), pathlib.Path(words[1]), update))
    print(*found, f"{len(found)} problems", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
