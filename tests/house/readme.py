#!/usr/bin/env python3
"""Runs what README.md tells people to type: readme.py BIN, where BIN holds the built axc and axrun.

Each ```sh block runs as typed, one after the other, in one copy of the repository whose build/release/bin is BIN. A ```text
block after it is what the terminal must then show; there, `...` stands for anything within a line, alone on a line for any
lines. Blocks that begin with scripts/demo or scripts/test are not run here, since they build and run this test; their scripts
must exist.
"""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
WHOLE_BUILDS = re.compile(r"scripts/(demo|test)\b")


def blocks(text):
    """(line, kind, text) of each fenced block."""
    return [(text.count("\n", 0, m.start()) + 1, m[1], m[2]) for m in BLOCK.finditer(text)]


def alike(shown, written):
    pattern = re.escape(written.strip())
    pattern = re.sub(r"^(\\\.){3}(\\?\n)?", "(.*\n)*", pattern, flags=re.M).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, shown.strip()) is not None


def on_terminal(text, folder):
    """(exit code, what a terminal without colours shows)"""
    master, slave = pty.openpty()
    child = subprocess.Popen(["bash", "-e", "-c", text], cwd=folder, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                             env={**os.environ, "NO_COLOR": "1"})
    os.close(slave)
    shown = b""
    while True:
        try:
            shown += os.read(master, 65536)
        except OSError:                                    # the last writer is gone
            break
    os.close(master)
    return child.wait(), shown.decode().replace("\r\n", "\n")


def typed(line, text, folder):
    """(what the terminal shows, problems)"""
    if WHOLE_BUILDS.match(text):
        names = [word for word in text.split() if word.startswith("scripts/")]
        return "", [f"README.md:{line}: there is no {name}" for name in names if not (ROOT / name).is_file()]
    code, shown = on_terminal(text, folder)
    return shown, [] if code == 0 else [f"README.md:{line}: exit {code}:\n{shown}"]


def main():
    problems, shown, ran = [], "", 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "axle"
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".git", "build", "__pycache__", "node_modules"))
        (folder / "build/release").mkdir(parents=True)
        (folder / "build/release/bin").symlink_to(pathlib.Path(sys.argv[1]).resolve())
        for line, kind, text in blocks((ROOT / "README.md").read_text()):
            if kind == "sh":
                shown, found = typed(line, text, folder)
                problems += found
                ran += 1
            elif kind == "text" and not alike(shown, text):
                problems.append(f"README.md:{line}: the terminal shows\n{shown}")
    if not ran:
        problems.append("README.md has nothing to type")
    print(*problems, f"{ran} blocks typed, {len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
