#!/usr/bin/env python3
"""Checks the networks of a folder: zoo.py AXC AXRUN FOLDER.

Each program must have the type of `main` that the folder's README.md states for it. The first one there is built with random weights and
run on two images: the results of each are probabilities of 1,000 classes, and they differ.
"""
import array
import pathlib
import re
import subprocess
import sys
import tempfile

AXC, AXRUN, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def probabilities(path):
    """The elements of an .npy file of f32 [2, 1000], by image."""
    data = path.read_bytes()
    numbers = array.array("f", data[-2 * 1000 * 4:])
    if b"(2, 1000)" not in data[:128]:
        sys.exit(f"the result is not [2, 1000]: {data[:128]!r}")
    return numbers[:1000], numbers[1000:]


def main():
    stated = dict(re.findall(r"^- `(\w+)`: `(main : .*)`$", (FOLDER / "README.md").read_text(), re.M))
    programs = {path.stem: path for path in FOLDER.glob("*.ax")}
    if set(stated) != set(programs):
        sys.exit(f"README.md and the folder differ in {sorted(set(stated) ^ set(programs))}")
    for name, path in programs.items():
        types = run(AXC, "check", path).splitlines()
        if stated[name] not in types:
            sys.exit(f"{name} has another type: {types[-1]}")
    first = next(iter(stated))
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        run(AXC, "build", programs[first], "--weights", "random:1", "-o", scratch / "net.axb")
        run(AXRUN, "run", scratch / "net.axb", "--set", "n=2", "-o", scratch / "results")
        images = probabilities(scratch / "results/out.npy")
    for image in images:
        if not all(0 <= p <= 1 for p in image) or abs(sum(image) - 1) > 1e-4:
            sys.exit(f"{first} does not give probabilities: their sum is {sum(image)}")
    if images[0] == images[1]:
        sys.exit(f"{first} gives the same for two images")


if __name__ == "__main__":
    main()
