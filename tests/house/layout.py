#!/usr/bin/env python3
"""Checks that every .ax file of the repository has the layout of `axc fmt`: layout.py AXC, exit 1 and one line per breach.

Programs that do not parse have no layout; only tests may have such programs.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def breaches(axc, root, paths):
    names = [path.relative_to(root).as_posix() for path in paths]
    done = subprocess.run([axc, "fmt", "--check", *names], cwd=root, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        yield f"`axc fmt --check` exits {done.returncode}: {done.stderr}"
    for name in done.stdout.splitlines():
        yield f"{name} is not as `axc fmt` lays it out"
    for name in sorted(set(re.findall(r"^ *--> (.+\.ax):\d+:\d+$", done.stderr, re.M))):
        if not name.startswith("tests/"):
            yield f"{name} does not parse"


def sources(root):
    return [path for folder in ("docs", "examples", "stdlib", "tests") for path in sorted((root / folder).rglob("*.ax"))
            if path.is_file()]


def planted(axc):
    """Checks that another layout and a syntax error are found."""
    with tempfile.TemporaryDirectory() as scratch:
        root = pathlib.Path(scratch)
        for name, text in (("good.ax", "x = 1;\n"), ("other.ax", "x=1;\n"), ("broken.ax", "x = 1 2;\n")):
            (root / name).write_text(text)
        found = list(breaches(axc, root, sorted(root.iterdir())))
        if found != ["other.ax is not as `axc fmt` lays it out", "broken.ax does not parse"]:
            yield f"planted breaches gave {found}"


def main():
    axc = pathlib.Path(sys.argv[1]).resolve()
    paths = sources(ROOT)
    found = [*breaches(axc, ROOT, paths), *planted(axc)]
    print(*found, f"layout: {len(found)} breaches in {len(paths)} programs", sep="\n")
    return 1 if found or len(paths) < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
