#!/usr/bin/env python3
"""What an error costs: error_cost.py AXC [--runs N] [--over RATIO] [--programs FOLDER]... [NAME ...]

Compares the CPU time of `axc check` of a program with one mistake with that of the program without it; both include the start of axc.
The programs are those of tests/mistakes and their mended twins. In each program of a FOLDER that has no errors, mistakes are made by
counting a number of the text one up, or by exchanging two neighbouring arguments, and those are taken that `axc check` reports as one
error; the costliest counts. Prints the worst ratios, and how many are over the limit; exit 1 where one is.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/mistakes"))
import mistakes  # noqa: E402

MADE_MOST = 12  # mistakes to make in one program
AGAIN = 4  # rounds of runs to add if noise could decide the result


def once(command):
    """The CPU time of one run, in milliseconds."""
    with open(os.devnull, "wb") as null:
        child = subprocess.Popen(command, stdout=null, stderr=null)
        used = os.wait4(child.pid, 0)[2]
        child.returncode = 0
    return 1000 * (used.ru_utime + used.ru_stime)


def compared(wrong, right, runs, over):
    """The least CPU time of two commands that are run in turns, `runs` times, and up to AGAIN times more often near the limit."""
    least = [float("inf"), float("inf")]
    for _ in range(1 + AGAIN):
        for _ in range(runs):
            least = [min(known, once(command)) for known, command in zip(least, (wrong, right))]
        if least[0] < 0.9 * over * least[1]:
            break
    return least


def errors(axc, path):
    done = subprocess.run([axc, "check", path, "--format=json"], capture_output=True, text=True)
    return sum(d["severity"] == "error" for d in json.loads(done.stdout)["diagnostics"])


def with_mistakes(text):
    for number in re.finditer(r"(?<![\w.'])\d+(?![\w.'])", text):
        yield text[:number.start()] + str(int(number[0]) + 1) + text[number.end():]
    for pair in re.finditer(r"([(,]\s*)(\w+), (\w+)(?=[,)])", text):
        if pair[2] != pair[3]:
            yield text[:pair.start()] + f"{pair[1]}{pair[3]}, {pair[2]}" + text[pair.end():]


def spread(items, most):
    """At most `most` items, taken evenly."""
    items = list(items)
    return items if len(items) <= most else [items[i * len(items) // most] for i in range(most)]


class Scratch:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)


def measured(axc, scratch, runs, over, folders, names):
    """(ratio, name, ms with the mistake, ms without) of each program."""
    for path in sorted(mistakes.HERE.glob("programs/*.ax")):
        if names and path.stem not in names:
            continue
        mistake = mistakes.read(path)
        options = ["--weights", str(mistakes.write_weights(mistake.weights, scratch.folder))] if mistake.weights else []
        wrong, right = compared(*([axc, "check", scratch.file(name, text), *options]
                                  for name, text in (("wrong.ax", mistake.source), ("right.ax", mistake.mended))), runs, over)
        yield wrong / right, mistake.name, wrong, right
    for folder in folders:
        for path in sorted(folder.rglob("*.ax")):
            if names and path.stem not in names or errors(axc, str(path)):
                continue
            text = path.read_text()
            worst = None
            for made in spread(with_mistakes(text), MADE_MOST):
                file = scratch.file("made.ax", made)
                if errors(axc, file) != 1:
                    continue
                wrong = once([axc, "check", file])
                if worst is None or wrong > worst[0]:
                    worst = wrong, made
            if worst:
                wrong, right = compared([axc, "check", scratch.file("made.ax", worst[1])], [axc, "check", str(path)], runs, over)
                yield wrong / right, path.stem, wrong, right


def main():
    options = argparse.ArgumentParser()
    options.add_argument("axc")
    options.add_argument("names", nargs="*")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--over", type=float, default=3)
    options.add_argument("--worst", type=int, default=10)
    options.add_argument("--programs", type=pathlib.Path, action="append", default=[], metavar="FOLDER")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Scratch(folder)
        found = sorted(measured(given.axc, scratch, given.runs, given.over, given.programs, given.names), reverse=True)
    for ratio, name, wrong, right in found[:given.worst]:
        print(f"{ratio:6.1f}x  {wrong:7.1f} ms  {right:7.1f} ms  {name}")
    over = sum(ratio > given.over for ratio, *_ in found)
    print(f"{over} of {len(found)} cost more than {given.over:g} times the program without the mistake")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
